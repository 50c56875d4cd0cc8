"""`hmem worker` and `hmem model reanalyse`."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest
from tests.processes import SECONDS, running
from tests.unit.interfaces.cli.conftest import Run

from hmem import Memory
from hmem.errors import StorageUnavailable
from hmem.interfaces.cli.commands.worker import _work_until_stopped
from hmem.model.report import Worked
from hmem_testing.fake_llm import StandIn


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    with StandIn() as running:
        yield running


@pytest.fixture
def queued(path: Path, server: StandIn) -> Path:
    """A memory with a model, and three turns that wait for it."""
    with Memory(path, analyst=f"openai:stand-in@{server.url}") as memory:
        memory.add([{"text": f"I live in {place}", "speaker": "Maria"} for place in ("Lisbon", "Porto", "Braga")])
    return path


def test_it_drains_the_queue_and_says_what_it_did(run: Run, queued: Path) -> None:
    done = run("worker", "--memory", queued, "--drain", "--json")
    assert done.code == 0
    assert (done.json["turns"], done.json["left"], done.json["failures"], done.json["stopped"]) == (3, 0, 0, None)
    assert done.json["calls"] == 2
    told = run("stats", "--memory", queued)
    assert "3 by openai:stand-in/4" in told.out
    assert "read (openai:stand-in): 1 call" in told.out
    stats = run("stats", "--memory", queued, "--json").json["model"]
    assert (stats["pending"], stats["read"]) == (0, {"openai:stand-in/4": 3})
    assert [each["purpose"] for each in stats["spent"]] == ["read", "write"]


def test_once_leaves_what_is_not_over_and_a_limit_bounds_the_calls(run: Run, queued: Path, server: StandIn) -> None:
    assert run("worker", "--memory", queued, "--once").out.startswith("0 turns read and 0 texts written in 0 calls")
    assert run("worker", "--memory", queued, "--drain", "--limit", 1, "--json").json["calls"] == 1
    assert len(server.calls) == 1


def test_a_spent_budget_stops_it_and_stats_say_why(run: Run, queued: Path) -> None:
    done = run("worker", "--memory", queued, "--drain", "--budget", "day_calls=0")
    assert done.code == 0
    assert "stopped: " in done.out
    assert "0 calls may be spent today" in run("stats", "--memory", queued).out
    assert run("worker", "--memory", queued, "--drain", "--budget", "day_calls=none", "--json").json["turns"] == 3
    wrong = run("worker", "--memory", queued, "--once", "--budget", "day_calls")
    assert (wrong.code, "write day_cost=0.5" in wrong.err) == (2, True)
    assert run("worker", "--memory", queued, "--once", "--budget", "week_calls=1").code == 2


def test_a_memory_that_rules_read_has_no_work(run: Run, filled: Path) -> None:
    for command in (["worker", "--once"], ["model", "reanalyse"]):
        done = run(*command, "--memory", filled)
        assert done.code == 2
        assert "open it with a model" in done.err


def test_reanalyse_puts_back_what_rules_read(run: Run, filled: Path, server: StandIn) -> None:
    turns = run("stats", "--memory", filled, "--json").json["turns"]
    name = f"openai:stand-in@{server.url}"
    assert run("model", "reanalyse", "--memory", filled, "--analyst", name, "--json").json == {"turns": turns}
    assert run("worker", "--memory", filled, "--drain", "--json").json["turns"] == turns
    assert run("model", "reanalyse", "--memory", filled).out.startswith("0 turns to be read")


def test_what_keeps_a_worker_from_its_work_is_told_once(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ends = iter(["no budget - raise it", "no budget - raise it", None, "nobody is there - start it"])

    def work(_: int | None) -> Worked:
        return Worked(1, 0, 0, 0, 0, next(ends), 2)

    with Memory(path) as memory:
        done = _work_until_stopped(memory, work, Event(), interval=0.001, limit=4, hint="reading")
    told = capsys.readouterr()
    assert told.err.splitlines() == ["waiting: no budget - raise it", "waiting: nobody is there - start it"]
    assert (done.calls, done.judged) == (4, 8)


def test_a_worker_that_repeats_outlives_a_database_that_is_away(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    met: list[int | None] = []

    def work(left: int | None) -> Worked:
        met.append(left)
        if len(met) == 2:
            raise StorageUnavailable("the database is away - try again")
        return Worked(1, 1, 0, 0, 0)

    with Memory(path) as memory:
        assert _work_until_stopped(memory, work, Event(), interval=0.001, limit=2, hint="reading").turns == 2
        assert len(met) == 3
        assert "waiting: the database is away" in capsys.readouterr().err
        met[:] = [None]
        with pytest.raises(StorageUnavailable):
            _work_until_stopped(memory, work, Event(), interval=None, limit=None, hint=None)


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM], ids=lambda each: each.name)
def test_it_works_until_it_is_interrupted(run: Run, queued: Path, server: StandIn, by: signal.Signals) -> None:
    command = [sys.executable, "-m", "hmem", "worker", "--memory", str(queued), "--every", "0.2"]
    with Memory(queued) as memory:
        # The last episode of a session is left for a minute; the next session's is read when it is over.
        memory.add({"text": "I moved to Faro", "speaker": "Maria", "session": "later"})
    run("worker", "--memory", queued, "--drain", "--json")
    before = len(server.calls)
    assert before > 0
    with running(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "reading what comes - interrupt it to end\n"
        process.send_signal(by)
        out = process.stdout.read()
        assert process.wait(SECONDS) == 0
    assert out.startswith("0 turns read")
    assert len(server.calls) == before
