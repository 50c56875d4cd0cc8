"""`hmem import`."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.processes import SECONDS, running
from tests.support import chatter
from tests.unit.interfaces.cli.conftest import Run

from hmem import Memory


@pytest.fixture
def turns(tmp_path: Path) -> Path:
    """A file of 120 turns with ids."""
    file = tmp_path / "turns.jsonl"
    lines = [json.dumps({"id": f"m{number}", **turn}) for number, turn in enumerate(chatter(120))]
    file.write_text("\n".join(lines) + "\n")
    return file


def test_an_import_keeps_every_turn_and_says_how_many(run: Run, path: Path, turns: Path) -> None:
    result = run("import", turns, "--memory", path)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("120 stored, 0 duplicate, 0 rejected in ")
    with Memory(path, create=False) as memory:
        assert memory.stats().turns == 120
        assert memory.stats().tail == 0
        assert memory.verify().ok


def test_an_import_can_be_run_again(run: Run, path: Path, turns: Path) -> None:
    run("import", turns, "--memory", path)
    made = run("import", turns, "--memory", path, "--json").json
    assert (made["stored"], made["duplicate"], made["rejected"]) == (0, 120, 0)


def test_the_json_of_an_import_has_its_counts_problems_and_speed(run: Run, path: Path, turns: Path) -> None:
    result = run("import", turns, "--memory", path, "--json")
    assert set(result.json) == {"stored", "duplicate", "rejected", "problems", "seconds", "turns_per_s", "remarks"}
    assert result.json["turns_per_s"] > 0
    assert result.err == ""


def test_what_is_refused_is_told_with_its_line_and_the_rest_is_kept(run: Run, path: Path, tmp_path: Path) -> None:
    file = tmp_path / "turns.jsonl"
    file.write_text('{"text": "one"}\nnonsense\n{"text": ""}\n\n{"text": "five"}\n{"text": "six", "at": "noon"}\n7\n')
    result = run("import", file, "--memory", path, "--json", "--batch", 2)
    assert result.code == 1
    assert (result.json["stored"], result.json["rejected"]) == (2, 4)
    assert [problem["line"] for problem in result.json["problems"]] == [2, 3, 6, 7]
    with Memory(path, create=False) as memory:
        assert [turn.text for turn in memory.list()] == ["one", "five"]


def test_a_dry_run_shows_what_would_be_refused_among_the_turns(run: Run, path: Path, tmp_path: Path) -> None:
    file = tmp_path / "turns.jsonl"
    file.write_text('{"text": "I ski", "at": "2026-01-01"}\n{"txt": "x"}\n{"text": "I swim", "at": "2026-01-02"}\n')
    shown = run("import", file, "--memory", path, "--dry-run").out.splitlines()
    assert [line.partition(":")[0] for line in shown] == ["jsonl", "line 1", "line 2", "line 3"]
    assert shown[2] == "line 2: a turn needs a text or a caption - this one has only txt"


def test_the_first_five_reasons_are_shown(run: Run, path: Path, tmp_path: Path) -> None:
    file = tmp_path / "turns.jsonl"
    file.write_text("nonsense\n" * 8 + '{"text": "nine"}\n')
    result = run("import", file, "--memory", path)
    assert (result.code, result.out.split(" in ")[0]) == (1, "1 stored, 0 duplicate, 8 rejected")
    lines = result.err.splitlines()
    assert [line.partition(":")[0] for line in lines[:5]] == ["line 1", "line 2", "line 3", "line 4", "line 5"]
    assert lines[5:] == ["and 3 more"]


def test_turns_are_acknowledged_once_they_are_durable(run: Run, path: Path, turns: Path) -> None:
    result = run("import", turns, "--memory", path, "--acknowledge", "--batch", 50)
    assert result.out.splitlines()[:3] == ["acknowledged 50", "acknowledged 100", "acknowledged 120"]


def test_what_was_acknowledged_survives_a_kill(path: Path, turns: Path) -> None:
    command = [sys.executable, "-m", "hmem", "import", turns, "--memory", path, "--acknowledge", "--batch", "10"]
    with running(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        acknowledged = [int(process.stdout.readline().split()[1]) for _ in range(5)][-1]
        process.kill()
    with Memory(path, create=False) as memory:
        held = [turn.message_id for turn in memory.list(limit=1_000)]
        assert held[:acknowledged] == [f"m{number}" for number in range(acknowledged)]
        assert memory.verify().ok


def test_an_unreadable_file_makes_no_memory(run: Run, path: Path, tmp_path: Path) -> None:
    result = run("import", tmp_path / "missing.jsonl", "--memory", path, "--json")
    assert (result.code, result.json["error"]["name"]) == (2, "InvalidFile")
    assert not path.exists()


def test_times_without_an_offset_take_the_zone_and_turns_without_a_session_the_given_one(
    run: Run, path: Path, tmp_path: Path
) -> None:
    file = tmp_path / "chat.json"
    file.write_text('[{"role": "user", "content": "Which train?", "at": "2025-07-01T09:00:00"}]')
    run("import", file, "--zone", "Europe/Lisbon", "--session", "trip", "--memory", path)
    with Memory(path, create=False) as memory:
        (turn,) = memory.list()
    assert (turn.session, turn.at.isoformat()) == ("trip", "2025-07-01T09:00:00+01:00")


def test_the_result_of_a_process_is_on_stdout_alone(path: Path, turns: Path) -> None:
    command = [sys.executable, "-m", "hmem", "import", turns, "--memory", path, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["stored"] == 120


def test_an_interrupted_import_exits_with_130_and_no_traceback(path: Path, tmp_path: Path) -> None:
    # Long enough to be still at it when the signal comes, on any machine.
    turns = tmp_path / "many.jsonl"
    turns.write_text("".join(json.dumps({"text": f"message {i}", "session": "s"}) + "\n" for i in range(20_000)))
    command = [sys.executable, "-m", "hmem", "import", turns, "--memory", path, "--acknowledge", "--batch", "1"]
    with running(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, err.strip()) == (130, "")
    with Memory(path, create=False) as memory:
        assert memory.verify().ok


def _all(terminal: int) -> str:
    """What was written to the terminal; one read gives a part of it, and Linux ends with an error, not with nothing."""
    parts: list[bytes] = []
    with contextlib.suppress(OSError):
        while part := os.read(terminal, 65_536):
            parts.append(part)
    return b"".join(parts).decode(errors="replace")


def test_a_terminal_sees_how_far_the_import_is(path: Path, turns: Path) -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "hmem", "import", turns, "--memory", path]
    # Read while it draws: a terminal that nobody reads holds a few thousand bytes, and a slow machine draws more.
    with ThreadPoolExecutor(1) as reader:
        drawn = reader.submit(_all, ours)
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, text=True, check=False)
        os.close(theirs)
    os.close(ours)
    assert (done.returncode, done.stdout.split(",")[0]) == (0, "120 stored")
    assert "120 of 120 (100%)" in drawn.result()
