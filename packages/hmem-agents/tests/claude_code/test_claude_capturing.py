"""What is new in a transcript goes into the project's memory, once."""

import os
from pathlib import Path

import pytest
from tests.transcripts import line

from hmem import Memory
from hmem.errors import MemoryBusy
from hmem.storage.sqlite.driver import Connection
from hmem_agents.claude_code.capture_queue import Capture, session_file
from hmem_agents.claude_code.claude import capture
from hmem_agents.claude_code.settings import HookSettings
from hmem_import.transcripts import messages_since


@pytest.fixture(autouse=True)
def _folders(settings: HookSettings) -> None:
    settings.make_folders()


def wanted(transcript: Path) -> Capture:
    return Capture("S1", str(transcript), "/work/shop")


def test_each_message_is_kept_once_however_often_it_is_captured(
    settings: HookSettings, memory: Memory, transcript: Path
) -> None:
    assert capture(settings, memory, wanted(transcript)) == 2
    assert capture(settings, memory, wanted(transcript)) == 0
    with transcript.open("a") as file:
        file.write(line("user", "And tabs instead of spaces", "u2"))
    assert capture(settings, memory, wanted(transcript)) == 1
    session_file(settings, "S1", "offset").unlink()
    assert capture(settings, memory, wanted(transcript)) == 0
    assert [turn.message_id for turn in memory.list(session="S1")] == ["u1", "a1", "u2"]


def test_a_resumed_session_that_repeats_messages_adds_the_new_ones(
    settings: HookSettings, memory: Memory, transcript: Path, tmp_path: Path
) -> None:
    capture(settings, memory, wanted(transcript))
    again = tmp_path / "S2.jsonl"
    again.write_text(transcript.read_text() + line("user", "Where were we?", "u3"))
    assert capture(settings, memory, Capture("S1", str(again), "/work/shop")) == 1


def test_turns_know_who_spoke_when_and_through_what(settings: HookSettings, memory: Memory, transcript: Path) -> None:
    capture(settings, memory, wanted(transcript))
    first = memory.list()[0]
    assert (first.role, first.session, first.agent) == ("user", "S1", "claude-code")
    assert first.at.isoformat() == "2026-03-01T10:00:00+00:00"


def test_a_memory_that_is_locked_is_told_of_and_captured_later(
    settings: HookSettings, path: Path, transcript: Path
) -> None:
    with Memory(path, busy_seconds=0.05) as memory:
        other = Connection(str(path))
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(MemoryBusy):
            capture(settings, memory, wanted(transcript))
        other.execute("ROLLBACK")
        other.close()
        assert capture(settings, memory, wanted(transcript)) == 2


def test_what_cannot_be_kept_is_noted_down_and_the_rest_is_kept(
    settings: HookSettings, memory: Memory, transcript: Path
) -> None:
    with transcript.open("a") as file:
        file.write(line("user", "At no time", "u5", timestamp="never") + line("user", "Still here", "u6"))
    assert capture(settings, memory, wanted(transcript)) == 3
    assert "InvalidTurn" in settings.log.read_text()


# Transcripts without an end.


@pytest.mark.parametrize("kind", ["device", "pipe", "link"])
def test_what_is_no_file_is_no_transcript(settings: HookSettings, memory: Memory, tmp_path: Path, kind: str) -> None:
    place = tmp_path / "S9.jsonl"
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "link":
        place.symlink_to("/etc/passwd")
    with pytest.raises(OSError, match="it is a "):
        capture(settings, memory, wanted(Path("/dev/zero") if kind == "device" else place))
    assert memory.stats().turns == 0


def test_a_line_without_an_end_is_left_and_not_read_again(
    settings: HookSettings, memory: Memory, transcript: Path
) -> None:
    # A hole takes no room on the disk.
    os.truncate(transcript, transcript.stat().st_size + 600_000_000)
    assert capture(settings, memory, wanted(transcript)) == 2
    assert "without an end" in settings.log.read_text()
    with transcript.open("a") as file:
        file.write("\n" + line("user", "And tabs instead of spaces", "u2"))
    assert capture(settings, memory, wanted(transcript)) == 1


def test_a_transcript_that_grows_while_it_is_read_is_read_to_where_it_ended(transcript: Path) -> None:
    said = messages_since(transcript)
    read = 0
    for each in said:
        read += each.message is not None
        with transcript.open("a") as file:
            file.write(line("user", f"And one more, {read}", f"more{read}"))
    assert read == 2
