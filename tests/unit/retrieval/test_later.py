"""Later turns about the same."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.recall import query, sources

from hmem import Memory
from hmem.retrieval.later import later_turns, likeliest_later
from hmem.retrieval.sources import Sources

SAID = [
    ("Maria", "user", "I take the number 12 tram to the hospital every morning."),
    ("Ben", "user", "My sister bakes sourdough for the whole street."),
    ("assistant", "assistant", "The number 12 tram to the hospital runs every ten minutes in the morning."),
    ("Maria", "user", "They closed the tram line, so I cycle to the hospital in the morning."),
    ("Ben", "user", "We watched a film about penguins."),
]


@pytest.fixture
def memory() -> Memory:
    made = Memory(":memory:", embedder="minilm", recipe="flat")
    for day, (speaker, role, text) in enumerate(SAID, 1):
        made.add(
            [
                {
                    "text": text,
                    "speaker": speaker,
                    "role": role,
                    "at": f"2026-03-{day:02}T10:00:00Z",
                    "session": f"s{day}",
                }
            ]
        )
    return made


def found(memory: Memory, row: int, **changes: object) -> list[int]:
    with memory, sources(memory) as held:
        (later,) = later_turns(held, query(held, "tram", **changes), held.corpus.turns(np.array([row])))
        return [each.row for each in later]


def test_the_later_turn_most_like_an_earlier_one_comes_first(memory: Memory) -> None:
    assert found(memory, 0)[0] == 3


def test_only_what_people_said_later_counts(memory: Memory) -> None:
    rows = found(memory, 0)
    assert set(rows) == {1, 3, 4}


def test_the_last_turn_has_nothing_later(memory: Memory) -> None:
    assert found(memory, 4) == []


def test_what_may_not_be_found_is_not_told_of(memory: Memory) -> None:
    assert 3 not in found(memory, 0, allowed=np.array([True, True, True, False, True]))


def test_the_likeliest_is_looked_for_again_when_turns_came_and_by_what_may_be_found(memory: Memory) -> None:
    def likeliest(held: Sources, **changes: Any) -> list[int | None]:
        question, turns = query(held, "tram", **changes), held.corpus.turns(np.array([3]))
        return [later and later.row for later in likeliest_later(held, question, turns)]

    with memory, sources(memory) as held:
        assert likeliest(held) == [4]
        assert likeliest(held, allowed=np.array([True, True, True, True, False])) == [None]
        memory.add(SAID[3][2], speaker="Maria", at="2026-04-01T10:00:00Z")
        memory.flush()
        assert likeliest(held) == [5]


@pytest.fixture
def alices(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "me.hmem") as opened:
        opened.add("I live in Porto, and I have a cat called Mia.", speaker="Alice", at="2026-01-10")
        yield opened


def disputed(alices: Memory) -> list[tuple[str, str, bool]]:
    return [(note.slot, note.value, note.positive) for each in alices.conflicts() for note in each.notes[1:]]


def test_another_value_of_a_slot_that_has_one_disputes_it_and_so_does_a_denial_of_any(alices: Memory) -> None:
    alices.add("Alice lives in Oslo now.", speaker="Mallory", at="2026-02-10")
    alices.add("Alice's cat is called Tiger.", speaker="Mallory", at="2026-02-11")
    alices.add("Alice's cat is not called Mia.", speaker="Bob", at="2026-02-12")
    assert disputed(alices) == [("home", "Oslo", True), ("pet", "Mia", False)]


def test_what_was_said_before_own_words_disputes_nothing(alices: Memory) -> None:
    alices.add("Alice lives in Oslo.", speaker="Mallory", at="2026-01-01")
    alices.add("Alice lives in Porto, by the sea.", speaker="Bob", at="2026-03-01")
    assert disputed(alices) == []


def test_a_dispute_is_seen_from_where_it_was_said_and_by_its_owner(alices: Memory) -> None:
    alices.add("Alice lives in Oslo.", speaker="Mallory", at="2026-02-10")
    alices.add("Alice lives in Rome.", speaker="Mallory", at="2026-02-10", user="somebody")
    assert disputed(alices) == [("home", "Oslo", True)]
    assert alices.as_of("2026-02-01").conflicts() == ()
    assert alices.conflicts(user="somebody") == ()
