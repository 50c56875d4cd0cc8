"""`hmem sync`."""

import json
import shutil
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hmem import Memory
from hmem.interfaces.cli.options import Invocation
from hmem_import import sync_command


@pytest.fixture
def place(tmp_path: Path) -> Path:
    with Memory(tmp_path / "a.hmem") as memory:
        memory.add("I'm allergic to penicillin.", speaker="Maria", at="2026-03-02T10:00Z")
    return tmp_path


def run(place: Path, *options: str, **more: Any) -> Result:
    arguments = [str(place / "notes"), "--memory", str(place / "a.hmem"), *options]
    return CliRunner().invoke(sync_command.sync, arguments, obj=Invocation(), **more)


def test_a_folder_is_written_and_an_edit_comes_back(place: Path) -> None:
    assert "0 added, 0 corrected, 0 retracted, 0 forgotten; 3 files written" in run(place).output
    day = place / "notes/days/2026-03-02.md"
    day.write_text(day.read_text("utf-8").replace("penicillin", "aspirin"), "utf-8")
    result = run(place, "--as", "Maria", "--json")
    assert json.loads(result.stdout.splitlines()[-1])["corrected"] == 1
    with Memory(place / "a.hmem") as memory:
        assert memory.history()[-1].by == "Maria"


def test_what_is_gone_is_asked_about(place: Path) -> None:
    run(place)
    (place / "notes/days/2026-03-02.md").unlink()
    refused = run(place)
    assert refused.exit_code != 0
    assert "gone from the folder" in refused.output
    assert "1 retracted" in run(place, "--yes").output


def test_forgetting_shows_what_goes_and_never_watches(place: Path) -> None:
    run(place)
    assert run(place, "--forget", "--watch").exit_code == 2
    day = place / "notes/days/2026-03-02.md"
    day.write_text("# 2026-03-02\n", "utf-8")
    refused = run(place, "--forget")
    assert "I'm allergic to penicillin." in refused.output
    assert refused.exit_code != 0
    assert "1 forgotten" in run(place, "--forget", "--yes").output


def test_watching_follows_both_sides(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync_command, "_POLL_SECONDS", 0.02)
    day, ended = place / "notes/days/2026-03-02.md", list[bool]()

    def stop_or_sleep(seconds: float) -> None:
        if ended:
            raise KeyboardInterrupt
        sleep(seconds)

    def until(true: Any) -> None:
        end = monotonic() + 30
        while not true() and monotonic() < end:
            sleep(0.02)
        assert true()

    monkeypatch.setattr(sync_command, "sleep", stop_or_sleep)
    thread = Thread(target=run, args=(place, "--watch"), daemon=True)
    thread.start()
    until(day.exists)
    with Memory(place / "a.hmem") as memory:
        until((place / "notes/.hmem-sync.json").exists)
        day.write_text(f"{day.read_text('utf-8')}- And to dust.\n", "utf-8")
        until(lambda: any(turn.text == "And to dust." for turn in memory.list()))
        memory.add("I live in Porto.", speaker="Maria", at="2026-03-04T10:00Z")
        until((place / "notes/days/2026-03-04.md").exists)
    ended.append(True)
    thread.join(30)
    assert not thread.is_alive()


def test_a_folder_that_is_gone_is_asked_about(place: Path) -> None:
    run(place)
    shutil.rmtree(place / "notes")
    refused = run(place)
    assert refused.exit_code != 0
    assert "was synced with this memory, and is gone" in refused.output
    assert not (place / "notes").exists()
    assert "0 retracted, 0 forgotten; 3 files written" in run(place, "--yes").output
    assert run(place).exit_code == 0


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1), ("\n", 1)])
def test_who_sits_at_a_terminal_is_asked(place: Path, monkeypatch: pytest.MonkeyPatch, answer: str, code: int) -> None:
    run(place)
    (place / "notes/days/2026-03-02.md").unlink()
    monkeypatch.setattr(sync_command, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))
    result = run(place, input=answer)
    assert "Go on? [y/N]" in result.output
    assert (result.exit_code != 0) == bool(code)
    with Memory(place / "a.hmem") as memory:
        assert len(memory.history()) == 1 - code


def test_only_what_belongs_to_a_user_is_synced_and_new_lines_are_theirs(place: Path) -> None:
    with Memory(place / "a.hmem") as memory:
        memory.add("I keep bees in Evora.", speaker="Rui", user="rui", at="2026-03-03T10:00Z")
    run(place, "--user", "rui")
    files = {path.relative_to(place / "notes").as_posix() for path in (place / "notes").rglob("*.md")}
    assert "days/2026-03-03.md" in files
    assert "days/2026-03-02.md" not in files
    assert not any("penicillin" in (place / "notes" / name).read_text("utf-8") for name in files)
    day = place / "notes/days/2026-03-03.md"
    day.write_text(f"{day.read_text('utf-8')}- I sold the bees.\n", "utf-8")
    assert "1 added" in run(place, "--user", "rui", "--as", "Rui").output
    with Memory(place / "a.hmem") as memory:
        (turn,) = [turn for turn in memory.list() if turn.text == "I sold the bees."]
        assert (turn.user, turn.speaker) == ("rui", "Rui")


def test_the_memory_folder_of_openclaw_is_read_and_never_changed(place: Path) -> None:
    files = {
        "MEMORY.md": "# Memory\n\n## Preferences\n\n- Prefers trains to planes.\n",
        "memory/2026-03-01.md": "# 2026-03-01\n\n- Booked the 9:14 to Porto.\n",
        "SOUL.md": "Be brief.\n",
    }
    for name, content in files.items():
        (place / "notes" / name).parent.mkdir(parents=True, exist_ok=True)
        (place / "notes" / name).write_text(content)
    added = json.loads(run(place, "--json").stdout.splitlines()[-1])["added"]
    assert added >= len(files)
    assert {name: (place / "notes" / name).read_text() for name in files} == files
    assert "0 added, 0 corrected, 0 retracted" in run(place).output
    diary = place / "notes/memory/2026-03-01.md"
    diary.write_text(files["memory/2026-03-01.md"].replace("9:14", "10:14"))
    assert "1 added, 0 corrected, 1 retracted" in run(place).output
    with Memory(place / "a.hmem") as memory:
        found = [evidence.text for evidence in memory.search("Which train to Porto was booked?")]
    assert any("10:14" in text for text in found)
    assert not any("9:14" in text for text in found)
    assert diary.read_text() == files["memory/2026-03-01.md"].replace("9:14", "10:14")
