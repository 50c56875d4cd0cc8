from collections.abc import Iterator

import pytest
from tests.recall import plain

from hmem import Memory

SAID = [
    ("a", "2023-07-15T10:00:00Z", "I ran a half marathon last Friday."),
    ("b", "2023-08-02T10:00:00Z", "I recently launched a podcast about moss."),
    ("c", "2023-08-14T10:00:00Z", "It was my daughter's birthday yesterday, we had a picnic."),
    ("d", "2023-09-20T10:00:00Z", "We moved to the coast in March 2021."),
    ("e", "2023-10-20T10:00:00Z", "We are off to the opera next weekend!"),
    ("f", "2023-11-02T10:00:00Z", "My uncle turns 80 in January."),
    ("g", "2023-11-03T10:00:00Z", "The regatta is on Saturday in two weeks."),
    ("h", "2023-11-06T10:00:00Z", "My cousin moved to Ghent in June."),
]


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as made:
        made.add([{"session": s, "at": at, "speaker": "Nora", "text": text} for s, at, text in SAID])
        yield made


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("When did Nora run a half marathon?", "The Friday before 15 July 2023"),
        ("When did Nora launch a podcast?", "2 August 2023"),
        ("When is Nora's daughter's birthday?", "13 August"),
        ("When did Nora move to the coast?", "March 2021"),
        ("In which year did Nora move to the coast?", "2021"),
        ("In which month did Nora move to the coast?", "March 2021"),
        ("When is the regatta?", "18 November 2023"),
        ("When does Nora's uncle turn 80?", "January 2024"),
        ("How old is Nora's uncle?", "80 in January 2024"),
        ("In what year was Nora's uncle born?", "1944"),
    ],
)
def test_a_time_is_told_as_exactly_as_it_was_said(memory: Memory, question: str, wanted: str) -> None:
    assert plain(memory.ask(question)) == wanted.lower()


def test_an_age_or_a_move_is_no_birth(memory: Memory) -> None:
    assert memory.ask("When was Nora's cousin born?").abstained
