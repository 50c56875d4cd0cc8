from pathlib import Path

import pytest
from tests.formation import example

from hmem import Memory
from hmem.evolve import consolidate as module


def test_consolidating_writes_what_is_missing_and_nothing_twice(path: Path) -> None:
    with Memory(path) as memory:
        memory.add(example(80))
        done = memory.consolidate()
        assert done.turns == 0
        assert done.summaries > 5
        assert done.names > 0
        assert done.profiles > 0
        again = memory.consolidate()
        assert (again.summaries, again.names, again.profiles, again.personas) == (0, 0, 0, 0)
    with Memory(path) as memory:
        assert memory.timeline().node.summary
        assert memory.consolidate() == again


def test_what_was_consolidated_in_pieces_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    with Memory(":memory:") as whole, Memory(":memory:") as pieces:
        whole.add(example(60))
        pieces.add(example(60))
        one = whole.consolidate()
        monkeypatch.setattr(module, "_AT_ONCE", 7)
        told: list[tuple[int, int]] = []
        assert pieces.consolidate(lambda done, total: told.append((done, total))) == one
        assert told[-1][0] == told[-1][1]
        assert [n.summary for n in nodes(pieces)] == [n.summary for n in nodes(whole)]


def nodes(memory: Memory) -> list:  # type: ignore[type-arg]
    found = []
    rest = [memory.timeline()]
    while rest:
        branch = rest.pop()
        found.append(branch.node)
        rest.extend(branch.children)
    return found


def test_every_summary_that_a_new_turn_makes_untrue_is_written_again(memory: Memory) -> None:
    memory.add(example(80))
    memory.consolidate()
    memory.add(example(83)[80:])
    done = memory.consolidate()
    assert 0 < done.summaries < 60
