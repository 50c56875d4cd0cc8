import os
import random
import signal
from datetime import UTC, datetime, timedelta
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.formation import FormedExample, derived, example, formed
from tests.processes import exit_code, started, telling

from hmem import Memory
from hmem.derived import text_writer
from hmem.errors import InvalidQuery, InvalidTime
from hmem.evolution import consolidate as module
from hmem.evolution.consolidate import RunLimit
from hmem.language.verbatim import VerbatimAnalyst

NOTHING = {"summaries": 0, "names": 0, "profiles": 0, "levels": 0, "left": 0, "turns": 0}


def told(memory: Memory) -> dict[str, object]:
    """Every text that is stored, and where it belongs."""
    kept = derived(memory)
    found: dict[str, object] = {
        "profiles": [kept.profiles.get(entity) for entity in kept.graph.entities()],
    }
    for name, tree in kept.trees.items():
        # By their order, since a node that only time brought uses up a number.
        found[f"{name} summaries"] = [kept.written[name].summaries.get(node) for node in tree.nodes()]
        found[f"{name} names"] = [kept.written[name].names.get(node) for node in tree.nodes()]
        assert len(kept.written[name].summaries) <= len(tree.nodes())
    return found


def grown(memory: Memory) -> dict[str, object]:
    """Everything that was formed; the nodes of the evolution tree by their order."""
    made, tree = formed(memory), derived(memory).trees["evolution"]
    made["trees"].pop("evolution")
    made["labels"].pop("evolution")
    places = {node: place for place, node in enumerate(tree.nodes())}
    with memory.corpus.reading():
        made["evolution"] = [
            (tree.level(node), tree.window(node), tree.merges(node), tree.merged(node), tree.leaves(node),
             places.get(tree.parent(node) or 0)) for node in tree.nodes()
        ]  # fmt: skip
    return made


def test_consolidating_writes_what_is_missing_and_nothing_twice(path: Path, formed_example: FormedExample) -> None:
    formed_example(path, 50)
    with Memory(path) as memory:
        done = memory.consolidate()
        assert done.turns == 0
        assert done.summaries > 5
        assert done.names > 0
        assert done.profiles > 0
        assert done.complete
        step = memory.corpus.storage.state().progress.step
        again = memory.consolidate()
        assert {name: getattr(again, name) for name in NOTHING} == NOTHING
        assert memory.corpus.storage.state().progress.step == step
    with Memory(path) as memory:
        assert memory.tree("calendar").node.summary
        assert memory.consolidate() == again


def test_what_was_consolidated_in_pieces_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    with Memory(":memory:") as whole, Memory(":memory:") as pieces:
        whole.add(example(60))
        pieces.add(example(60))
        one = whole.consolidate()
        monkeypatch.setattr(module, "_AT_ONCE", 7)
        seen: list[tuple[int, int]] = []
        assert pieces.consolidate(lambda done, total: seen.append((done, total))) == one
        assert seen[-1][0] == seen[-1][1]
        assert len(seen) > 5
        assert told(pieces) == told(whole)


@pytest.mark.example(80)
def test_every_summary_that_a_new_turn_makes_untrue_is_written_again(memory: Memory) -> None:
    memory.consolidate()
    memory.add(example(83)[80:])
    done = memory.consolidate()
    assert 0 < done.summaries < 60


# Budgets.


def test_a_budget_of_texts_says_what_is_left_and_is_taken_up(path: Path) -> None:
    with Memory(":memory:") as whole:
        whole.add(example(60))
        all_at_once = whole.consolidate()
        wanted = told(whole)
    total = all_at_once.summaries + all_at_once.names + all_at_once.profiles
    left = total
    with Memory(path) as memory:
        memory.add(example(60))
    while left:
        with Memory(path) as memory:
            done = memory.consolidate(texts=total // 3)
        written = done.summaries + done.names + done.profiles
        # A topic is named together with its siblings.
        assert min(left, total // 3) <= written < total
        left -= written
        assert done.left == left
    with Memory(path) as memory:
        assert memory.consolidate(texts=5).complete
        assert told(memory) == wanted


def test_what_a_summary_builds_on_is_written_before_it_text_by_text(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nodes of one leaf have no summary unless a larger one above them is written from it.
    monkeypatch.setattr(text_writer, "LINES", 6)
    memory.add(example(40))
    kept = 0
    while memory.consolidate(texts=1).left:
        parts = [texts.summaries for texts in derived(memory).written.values()]
        count = sum(map(len, parts)) + len(derived(memory).profiles)
        assert count <= kept + 1
        kept = count
    in_pieces = told(memory)
    memory.rebuild()
    memory.consolidate()
    assert told(memory) == in_pieces


@pytest.mark.example(40)
def test_a_budget_of_no_time_fills_the_levels_and_writes_nothing(memory: Memory) -> None:
    done = memory.consolidate(budget=0)
    assert (done.summaries, done.names, done.profiles) == (0, 0, 0)
    assert done.left > 0
    assert not done.complete


@pytest.mark.example(60)
def test_a_budget_of_time_stops_between_texts(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    # Every look at the clock takes a second.
    monkeypatch.setattr(module, "monotonic", count().__next__)
    monkeypatch.setattr(module, "STRETCH", 20)
    runs = [memory.consolidate(budget=60)]
    while runs[-1].left:
        runs.append(memory.consolidate(budget=60))
    assert all(run.left for run in runs[:-1])
    assert any(run.summaries and run.left for run in runs)
    assert memory.consolidate().complete


def test_turns_that_are_behind_are_formed_within_the_budget(path: Path) -> None:
    with Memory(path, recipe="flat") as memory:
        memory.add(example(30))
    with Memory(path, recipe="fusion") as memory:
        memory.rebuild()
        memory.corpus.storage.clear_formed()
        assert memory.consolidate(budget=0).left == 30
        done = memory.consolidate()
        assert (done.turns, done.left) == (30, 0)


@pytest.mark.parametrize("budget", [-1.0, float("nan"), float("inf")])
def test_a_budget_that_is_none_is_refused(memory: Memory, budget: float) -> None:
    with pytest.raises(InvalidQuery, match=r"a consolidation's budget cannot be .* - give a number from 0 on"):
        memory.consolidate(budget=budget)
    with pytest.raises(InvalidTime):
        memory.consolidate(at="soon")


def test_a_budget_is_spent_by_texts_or_by_time() -> None:
    assert not RunLimit().is_reached
    assert RunLimit(seconds=0).late
    few = RunLimit(seconds=60, texts=2)
    few.wrote(2)
    assert few.is_reached
    assert not few.late


# Any order of consolidations.


@settings(max_examples=4, phases=(Phase.explicit, Phase.generate))
@given(st.randoms(use_true_random=False))
def test_consolidations_in_between_change_nothing(chance: random.Random) -> None:
    """Turns one by one with consolidations between them come to what a batch and one consolidation come to."""
    turns, at = example(36), None
    with Memory(":memory:") as memory, Memory(":memory:") as whole:
        rest = list(turns)
        while rest:
            count = chance.randint(1, 12)
            memory.add(rest[:count])
            rest = rest[count:]
            for _ in range(chance.randint(0, 2)):
                at = datetime(2026, 1, 1, tzinfo=UTC) - timedelta(days=chance.randint(0, 1000))
                memory.consolidate(texts=chance.choice([None, 0, 3]), at=at)
        whole.add(turns)
        memory.consolidate(at="2026-02-01")
        whole.consolidate(at="2026-02-01")
        assert grown(memory) == grown(whole)
        one, other = told(memory), told(whole)
        # A topic keeps the name that it was given as long as nothing comes below it.
        del one["topic names"], other["topic names"]
        assert one == other


def test_a_memory_that_was_idle_for_a_year_is_consolidated_when_it_is_opened(path: Path) -> None:
    days = [{"text": f"I planted tomatoes in row {i}", "speaker": "Ben", "at": f"2023-05-0{i + 1}"} for i in range(5)]
    with Memory(path) as memory:
        memory.add(days)
        assert memory.consolidate(at="2023-05-06").levels == 0
    with Memory(path) as memory:
        assert memory.consolidate(at="2024-05-06").levels == 2
        by_time = memory.tree("evolution", summaries=True)
    with Memory(path) as memory:
        assert {branch.node.level for branch in memory.tree("evolution").children} == {3}
        memory.add("I bought a greenhouse for the garden yesterday.", speaker="Ben", at="2024-05-07")
        assert len(memory.tree("evolution").children) > len(by_time.children)
        assert memory.consolidate(at="2024-05-08").levels == 0
        assert memory.verify().ok


def test_texts_of_levels_that_only_time_brought_go_with_them(memory: Memory) -> None:
    memory.add([{"text": f"I planted tomatoes in row {i}", "speaker": "Ben", "at": f"2023-05-0{i}"} for i in (1, 2, 3)])
    memory.consolidate(at="2024-05-06")
    above = {branch.node.id for branch in memory.tree("evolution").children}
    memory.add("I planted tomatoes in row 4", speaker="Ben", at="2023-05-04")
    tree = memory.tree("evolution")
    assert above.isdisjoint(branch.node.id for branch in tree.children)
    assert {branch.node.level for branch in tree.children} == {1}
    assert memory.verify().ok


# What goes wrong.


def consolidate(path: str) -> None:
    with Memory(path) as memory:
        memory.consolidate()


class Deadly(VerbatimAnalyst):
    """Kills its process when it writes its third summary."""

    written = 0

    def summarise(self, groups, tokens):  # type: ignore[no-untyped-def]
        self.written += 1
        if self.written == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().summarise(groups, tokens)


def begin_and_die(line: Connection, path: str) -> None:
    """Say how many texts are written first, and be killed in the midst of a later one."""

    def told_of(done: int, total: int) -> None:
        line.send(done)
        memory._components.formation.text_writer._analyst = Deadly()

    module._AT_ONCE = 7  # type: ignore[misc]
    with Memory(path) as memory:
        memory.consolidate(told_of)


def test_a_run_that_was_killed_is_taken_up_where_it_stopped(path: Path, formed_example: FormedExample) -> None:
    formed_example(path, 80)
    with Memory(":memory:") as whole:
        whole.add(example(80))
        total = whole.consolidate()
        wanted = told(whole)
    run, line = telling(begin_and_die, str(path))
    written = line.recv()
    assert exit_code(run) == -signal.SIGKILL
    line.close()
    with Memory(path) as memory:
        rest = memory.consolidate()
        count = rest.summaries + rest.names + rest.profiles
        assert 0 < count <= total.summaries + total.names + total.profiles - written
        assert told(memory) == wanted
        assert memory.verify().ok


def test_two_processes_that_consolidate_at_once_come_to_the_same(path: Path, formed_example: FormedExample) -> None:
    formed_example(path, 60)
    with Memory(":memory:") as whole:
        whole.add(example(60))
        whole.consolidate()
        wanted = told(whole)
    runs = [started(consolidate, str(path)) for _ in range(2)]
    assert [exit_code(run) for run in runs] == [0, 0]
    with Memory(path) as memory:
        assert told(memory) == wanted
        assert memory.consolidate().complete


class Slipping(VerbatimAnalyst):
    """Cannot write summaries of more than three lines."""

    def summarise(self, groups, tokens):  # type: ignore[no-untyped-def]
        if any(len(group) > 3 for group in groups):
            raise ValueError("too long")
        return super().summarise(groups, tokens)


def test_a_text_that_cannot_be_written_is_left_out_and_told_of(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory._components.formation.text_writer, "_analyst", Slipping())
    memory.add(example(60))
    done = memory.consolidate()
    assert done.complete
    assert done.summaries > 0
    problem = memory.stats().consolidation_problem or ""
    assert problem.startswith("one of the summaries could not be written: ValueError in ")
