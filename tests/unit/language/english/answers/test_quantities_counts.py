from collections.abc import Iterator

import pytest
from tests.recall import plain

from hmem import Memory

SAID = [
    ("a", "2023-01-02T10:00:00Z", "I won my fourth chess tournament on Sunday!"),
    ("b", "2023-02-02T10:00:00Z", "I started rowing about three years ago, and we train every Tuesday."),
    ("c", "2023-03-02T10:00:00Z", "I have two cats, Olive and Pip."),
    ("d", "2023-04-02T10:00:00Z", "I went kayaking on the lake, what a day."),
    ("e", "2023-05-02T10:00:00Z", "I went kayaking again, this time on the river."),
]


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as made:
        made.add([{"session": s, "at": at, "speaker": "Nora", "text": text} for s, at, text in SAID])
        yield made


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("How many cats does Nora have?", "two"),
        ("How many chess tournaments has Nora won?", "four"),
        ("How many times has Nora gone kayaking?", "twice"),
        ("How long has Nora been rowing?", "about three years"),
        ("How often does Nora train for rowing?", "every Tuesday"),
    ],
)
def test_a_number_is_told_as_people_write_it(memory: Memory, question: str, wanted: str) -> None:
    assert plain(memory.ask(question)) == wanted.lower()
