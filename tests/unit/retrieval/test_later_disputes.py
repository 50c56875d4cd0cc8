from collections.abc import Iterator
from pathlib import Path

import pytest

from hmem import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "me.hmem") as opened:
        opened.add("I live in Porto, and I have a cat called Mia.", speaker="Alice", at="2026-01-10")
        yield opened


def disputed(memory: Memory) -> list[tuple[str, str, bool]]:
    return [(note.slot, note.value, note.positive) for each in memory.conflicts() for note in each.notes[1:]]


def test_another_value_of_a_slot_that_has_one_disputes_it_and_so_does_a_denial_of_any(memory: Memory) -> None:
    memory.add("Alice lives in Oslo now.", speaker="Mallory", at="2026-02-10")
    memory.add("Alice's cat is called Tiger.", speaker="Mallory", at="2026-02-11")
    memory.add("Alice's cat is not called Mia.", speaker="Bob", at="2026-02-12")
    assert disputed(memory) == [("home", "Oslo", True), ("pet", "Mia", False)]


def test_what_was_said_before_own_words_disputes_nothing(memory: Memory) -> None:
    memory.add("Alice lives in Oslo.", speaker="Mallory", at="2026-01-01")
    memory.add("Alice lives in Porto, by the sea.", speaker="Bob", at="2026-03-01")
    assert disputed(memory) == []


def test_a_dispute_is_seen_from_where_it_was_said_and_by_its_owner(memory: Memory) -> None:
    memory.add("Alice lives in Oslo.", speaker="Mallory", at="2026-02-10")
    memory.add("Alice lives in Rome.", speaker="Mallory", at="2026-02-10", user="somebody")
    assert disputed(memory) == [("home", "Oslo", True)]
    assert memory.as_of("2026-02-01").conflicts() == ()
    assert memory.conflicts(user="somebody") == ()
