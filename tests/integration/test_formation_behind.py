"""Formation behind ``add``: whoever reads what is formed sees all that was added, and nothing is lost."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import enumerate as threads
from typing import Any

import pytest
from tests.formation import FormedExample, example, formed
from tests.integration.test_processes import receive, running
from tests.processes import SECONDS, exit_code, started

from hmem import Memory
from hmem.derived.state import DerivedState
from hmem.errors import EmbedderUnavailable
from hmem.formation import worker
from hmem.formation.worker import THREAD
from hmem.interfaces import bundle
from hmem.interfaces.cli import main
from hmem.language.analyst import analyst

BEFORE = 30
SAID = "I live in Porto with my sister Zenobia."


def unformed(memory: Memory) -> int:
    """Count the turns that are not formed in the file, without forming any."""
    stored = DerivedState(memory.corpus, analyst("rules"))
    with memory.corpus.reading():
        stored.catch_up()
        return memory.corpus.columns.alive_count - len(stored.judgements)


def wait_for_threads() -> None:
    """Wait until no thread forms anything."""
    for thread in threads():
        if thread.name == THREAD:
            thread.join(SECONDS)


@pytest.fixture
def told(path: Path, formed_example: FormedExample) -> Iterator[Memory]:
    """A memory whose turns are formed, and in which no thread is at work: this process added nothing to it yet."""
    formed_example(path, BEFORE)
    with Memory(path) as memory:
        memory.notes()
        assert unformed(memory) == 0
        yield memory


READS: dict[str, Callable[[Memory], object]] = {
    "search": lambda memory: memory.search("Where does Nadia live?"),
    "search notes": lambda memory: memory.search("Where does Nadia live?", kinds=("note",)),
    "search by entity": lambda memory: memory.search("Who moved?", entity="Nadia"),
    "context": lambda memory: memory.context("Where does Nadia live?"),
    "ask": lambda memory: memory.ask("Where does Nadia live?"),
    "ask_stream": lambda memory: [*memory.ask_stream("Where does Nadia live?")],
    "timeline": lambda memory: memory.tree("calendar"),
    "topics": lambda memory: memory.tree("topic"),
    "layers": lambda memory: memory.tree("layers"),
    "evolution": lambda memory: memory.tree("evolution"),
    "episodes": lambda memory: memory.episodes(),
    "events": lambda memory: memory.events(),
    "notes": lambda memory: memory.notes(),
    "conflicts": lambda memory: memory.conflicts(),
    "graph": lambda memory: memory.graph(),
    "persona": lambda memory: memory.persona("Nadia"),
    "persona_history": lambda memory: memory.persona_history("Nadia"),
    "personas": lambda memory: memory.personas(),
    "tiers": lambda memory: memory.tiers(),
    "stats": lambda memory: memory.stats(),
    "verify": lambda memory: memory.verify(),
    "history": lambda memory: memory.history(),
    "rules": lambda memory: memory.conflict_rules(),
    "pins": lambda memory: memory.pins(),
    "as_of": lambda memory: memory.as_of("2100-01-01").search("Where does Nadia live?"),
    "valid_at": lambda memory: memory.valid_at("2100-01-01").notes(),
    "correct": lambda memory: memory.correct(memory.list()[0].id, "I was wrong."),
    "retract": lambda memory: memory.retract(memory.list()[1].id),
    "pin": lambda memory: memory.pin(memory.list()[2].id),
    "rule": lambda memory: memory.edit.set_conflict_rule("home", "first"),
    "feedback": lambda memory: memory.feedback(memory.list()[3].id, "approve"),
    "edit_persona": lambda memory: memory.edit.persona("Nadia", text="Nadia is well."),
    "preview": lambda memory: memory.forget(speaker="Nadia", preview=True),
    "forget": lambda memory: memory.forget(memory.list()[4].id),
    "consolidate": lambda memory: memory.consolidate(),
    "rebuild": lambda memory: memory.rebuild(),
    "flush": lambda memory: memory.flush(),
    "export": lambda memory: [*bundle.lines(memory)],
    "add and wait": lambda memory: memory.add("It is warm there.", speaker="Nadia", wait=True),
}  # fmt: skip


def test_whoever_reads_what_is_formed_waits_for_it(told: Memory, subtests: pytest.Subtests) -> None:
    with told._components.worker.adding():
        for name, read in READS.items():
            with subtests.test(read=name):
                told.add(SAID, speaker="Nadia")
                assert unformed(told) == 1
                read(told)
                assert unformed(told) == 0


def test_what_is_looked_up_by_its_id_is_formed(told: Memory) -> None:
    with told._components.worker.adding():
        for number, (kept, items) in enumerate((("event", told.events), ("note", told.notes))):
            told.add(f"{SAID} I bought {number} boats there.", speaker="Nadia")
            one = items()[-1]
            told.add(SAID, speaker="Nadia")
            assert told.get(one.id) == one, kept
            assert unformed(told) == 0


def test_a_turn_is_read_as_it_was_said_before_it_is_formed(told: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "PAUSE", 100.0)
    with told._components.worker.adding():
        kept = told.add(SAID, speaker="Nadia", session="now").id or ""
        assert told.get(kept).text == SAID  # type: ignore[union-attr]
        assert [turn.id for turn in told.list(session="now")] == [kept]
        assert told.sessions()[-1].id == "now"
        assert unformed(told) == 1
        assert told.search("Zenobia", k=1)[0].id == kept


def test_a_verbatim_search_of_a_memory_without_formation_finds_it_too(path: Path) -> None:
    with Memory(path, recipe="flat") as memory:
        kept = memory.add(SAID, speaker="Nadia").id
        assert THREAD not in {thread.name for thread in threads()}
        assert memory.search("Zenobia", k=1)[0].id == kept


def test_an_idle_memory_has_no_thread(told: Memory) -> None:
    told.add(SAID, speaker="Nadia")
    wait_for_threads()
    assert THREAD not in {thread.name for thread in threads()}
    assert unformed(told) == 0


def test_a_memory_that_forms_within_add_has_none_either(path: Path) -> None:
    with Memory(path, form_later=False) as memory:
        memory.add(SAID, speaker="Nadia")
        assert THREAD not in {thread.name for thread in threads()}
        assert unformed(memory) == 0


@pytest.mark.any_storage
def test_a_long_list_is_formed_by_its_add(path: Path) -> None:
    with Memory(path) as memory, memory._components.worker.adding():
        memory.add(example(65))
        assert unformed(memory) == 0
        memory.add(example(129)[65:])
        assert unformed(memory) == 64


def test_single_turns_in_quick_succession_are_formed_in_few_steps(path: Path) -> None:
    with Memory(path) as memory:
        storage, steps = memory.corpus.storage, list[object]()
        form = storage.form
        storage.form = lambda *given, **named: steps.append(given) or form(*given, **named)  # type: ignore[method-assign,func-returns-value]
        with memory._components.worker.adding():
            for turn in example(200):
                memory.add(turn)
        memory.stats()
        assert unformed(memory) == 0
        # One for each 65 turns, and those of the thread.
        assert len(steps) <= 3 + 5


@pytest.mark.any_storage
def test_threads_that_add_and_read_at_once_come_to_what_is_formed_anew(path: Path) -> None:
    with Memory(path) as memory:

        def write(number: int) -> None:
            for place, turn in enumerate(example(60)[number::3]):
                memory.add(turn)
                if place % 5 == number:
                    assert memory.notes(limit=1_000) is not None
                    memory.search("Where does Maria live?")

        with ThreadPoolExecutor(3) as pool:
            for done in [pool.submit(write, number) for number in range(3)]:
                done.result()
        together = formed(memory)
        assert memory.stats().formation_problem is None
        assert memory.verify().problems == ()
        memory.rebuild()
        assert formed(memory) == together


def test_a_failure_is_told_and_made_up_for(told: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> None:
        raise EmbedderUnavailable("the embedder is away - try again later")

    with monkeypatch.context() as patch:
        patch.setattr(type(told._components.formation.pipeline), "form", away)
        told.add(SAID, speaker="Nadia")
        assert told.stats().formation_problem == "the embedder is away - try again later"
        assert unformed(told) == 1
        assert told.search("Zenobia", k=1)
        # The thread tells of the failure too, and may be late.
        wait_for_threads()
    told.add("It is warm there.", speaker="Nadia")
    assert told.stats().formation_problem is None
    assert unformed(told) == 0


def test_a_memory_that_is_closed_has_formed_all(path: Path) -> None:
    with Memory(path) as memory:
        memory.add(SAID, speaker="Nadia")
    with Memory(path) as memory:
        assert unformed(memory) == 0


def test_the_command_forms_before_it_ends(path: Path) -> None:
    assert main(["add", SAID, "--speaker", "Nadia", "--memory", str(path)]) == 0
    with Memory(path) as memory:
        assert unformed(memory) == 0


# Processes.


def add_and_die(path: str) -> None:
    with Memory(path) as memory, memory._components.worker.adding():
        memory.add(SAID, speaker="Nadia")
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.any_storage
def test_what_a_killed_process_did_not_form_is_formed_after_opening(path: Path) -> None:
    assert exit_code(started(add_and_die, str(path))) == -signal.SIGKILL
    with Memory(path) as memory:
        assert unformed(memory) == 1
        assert [note.value for note in memory.notes(slot="home")] == ["Porto"]
        assert memory.verify().problems == ()


def test_a_memory_that_can_only_be_read_shows_what_was_formed(path: Path) -> None:
    assert exit_code(started(add_and_die, str(path))) == -signal.SIGKILL
    with Memory(path, read_only=True) as memory:
        assert memory.search("Zenobia", k=1)
        assert memory.notes() == ()
        assert memory.stats().unformed == 1


def run(script: str, path: Path) -> None:
    """Run a program that has a memory and leaves it open; it ends in time, without a word."""
    program = f"from threading import *; from hmem import Memory; memory = Memory({str(path)!r})\n{script}"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        check=False, capture_output=True, encoding="utf-8", timeout=SECONDS,
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_program_that_ends_without_closing_has_formed_all(path: Path) -> None:
    run(f"memory.add({SAID!r}, speaker='Nadia')", path)
    with Memory(path) as memory:
        assert unformed(memory) == 0
        assert memory.verify().problems == ()


def test_a_program_ends_though_a_daemon_adds_for_ever(path: Path) -> None:
    run(
        "def work():\n    n = 0\n    while True:\n        n += 1; memory.add(f'I bought {n} boats.')\n"
        "Thread(target=work, daemon=True).start()\nwhile memory.stats().turns < 20: pass",
        path,
    )
    with Memory(path) as memory:
        assert memory.stats().turns >= 20
        assert memory.verify().problems == ()


def write(line: Any, path: str, who: int) -> None:
    with Memory(path, busy_seconds=SECONDS) as memory:
        line.send("ready")
        line.recv()
        for number in range(30):
            memory.add(f"I am writer {who} and I moved to town number {number}.", speaker=f"w{who}", session=f"w{who}")
            if number % 10 == 0:
                memory.notes()
        line.send(memory.stats().formation_problem)
        line.recv()


@pytest.mark.any_storage
def test_processes_that_form_behind_come_to_what_is_formed_anew(path: Path, formed_example: FormedExample) -> None:
    formed_example(path, BEFORE)
    with running(write, path, 1) as one, running(write, path, 2) as two:
        for line in (one, two):
            assert receive(line) == "ready"
        for line in (one, two):
            line.send("go")
        assert [receive(line) for line in (one, two)] == [None, None]
        for line in (one, two):
            line.send("done")
    with Memory(path) as memory:
        together = formed(memory)
        assert len(together["judgements"]) == BEFORE + 60
        memory.rebuild()
        assert formed(memory) == together


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that forks")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
def test_a_forked_process_opens_the_memory_for_itself(told: Memory) -> None:
    path = told.stats().path
    with told._components.worker.adding():
        told.add(SAID, speaker="Nadia")
        child = os.fork()
        if child == 0:
            with Memory(path) as own:
                own.add("I live in Rome.", speaker="Tom")
                os._exit(len(own.notes(subject="Tom", slot="home")) != 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert told.notes(subject="Tom", slot="home")
    assert unformed(told) == 0


def test_a_memory_that_forms_behind_shows_what_is_formed_of_a_backlog(path: Path) -> None:
    with Memory(path, form_later=1_000) as writer, writer._components.worker.adding():
        writer.add([{"text": f"I adopted {number} kittens.", "speaker": "Ann"} for number in range(100)])
        with Memory(path, background=True) as reader:
            assert len(reader.notes(limit=200)) < 100
            assert reader.stats().unformed
            assert len(reader.list(limit=200)) == 100
            assert reader.search("Who adopted 7 kittens?")
    with Memory(path) as memory:
        assert memory.notes()
        assert memory.stats().unformed == 0
