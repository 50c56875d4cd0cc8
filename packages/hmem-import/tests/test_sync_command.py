"""`hmem sync`."""

import json
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
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
