"""Later turns about the same."""

import numpy as np
import pytest
from tests.recall import query, sources

from hmem import Memory
from hmem.retrieval.later import later_turns

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
        turn = held.corpus.turns(np.array([row]))[row]
        return [each.row for each in later_turns(held, query(held, "tram", **changes), row, turn)]


def test_the_later_turn_most_like_an_earlier_one_comes_first(memory: Memory) -> None:
    assert found(memory, 0)[0] == 3


def test_only_what_people_said_later_counts(memory: Memory) -> None:
    rows = found(memory, 0)
    assert set(rows) == {1, 3, 4}


def test_the_last_turn_has_nothing_later(memory: Memory) -> None:
    assert found(memory, 4) == []


def test_what_may_not_be_found_is_not_told_of(memory: Memory) -> None:
    assert 3 not in found(memory, 0, allowed=np.array([True, True, True, False, True]))
