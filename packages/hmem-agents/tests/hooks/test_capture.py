"""What is to be captured waits, and what is new in a transcript goes into the project's memory, once."""

import os
from pathlib import Path

import pytest
from tests.transcripts import line

from hmem import Memory
from hmem.errors import MemoryBusy
from hmem.storage.sqlite.driver import Connection
from hmem_agents.hooks.capture import Capture, capture, enqueue, queue_entries, take_events
from hmem_agents.hooks.sessions import read, session_file, write
from hmem_agents.hooks.settings import HookSettings
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


# The queue.


def test_a_session_waits_once_with_what_came_last(settings: HookSettings) -> None:
    for transcript in ("/a.jsonl", "/b.jsonl"):
        enqueue(settings, Capture("S1", transcript, "/work"))
    enqueue(settings, Capture("../../etc/passwd", "/c.jsonl", "/work"))
    assert {each.transcript for _, each in queue_entries(settings)} == {"/b.jsonl", "/c.jsonl"}
    assert all(place.parent == settings.folder / "spool" for place, _ in queue_entries(settings))


def test_a_file_that_says_nothing_is_taken_away(settings: HookSettings) -> None:
    settings.make_folders()
    for name, text in (("a", "{"), ("b", "[]"), ("c", '{"session": "S1"}'), ("d", "\x00")):
        (settings.folder / "spool" / f"{name}.json").write_text(text)
    assert list(queue_entries(settings)) == []
    assert list((settings.folder / "spool").iterdir()) == []


def test_what_is_written_is_read(settings: HookSettings) -> None:
    settings.make_folders()
    place = session_file(settings, "S1", "offset")
    assert read(place) == {}
    write(place, {"offset": 3})
    assert read(place) == {"offset": 3}
    assert session_file(settings, "S1", "began") != place


def test_an_event_that_comes_while_sessions_are_looked_at_is_left_for_the_next_look(settings: HookSettings) -> None:
    settings.make_folders()
    place = settings.folder / "spool" / "event-1-2.json"
    place.write_text('{"event": {"session_id": "S1", "transcript_path": "/a.jsonl"}, "named": "", "here": "2f62"}')
    assert list(queue_entries(settings)) == []
    assert place.exists()
    take_events(settings)
    assert [each for _, each in queue_entries(settings)] == [Capture("S1", "/a.jsonl", "/b")]
    assert not place.exists()


def test_what_is_no_event_is_noted_down_and_taken_away(settings: HookSettings) -> None:
    settings.make_folders()
    for number, text in enumerate(
        ("{", "[]", '{"event": ' + "[" * 9_999, '{"event": {}, "named": "x"}', '{"event": 3}')
    ):
        (settings.folder / "spool" / f"event-{number}-1.json").write_text(text)
    take_events(settings)
    assert list((settings.folder / "spool").iterdir()) == []
    assert settings.log.read_text().count("capture: ") == 5
