from collections.abc import Iterator

import pytest

from hmem import Memory

HINTS = "always add type hints when you write python for me, i hate guessing"
TALK = (
    "the function that parses dates was slow, we rewrote it in march",
    "i wrote a parser for dates in perl once, never again",
    "my colleague wrote a function for the date of easter",
    "the dates in the export are american",
    "we parse invoices with a function of the library",
    "marta wrote me that the release is on friday",
)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as made:
        said = (HINTS, *TALK)
        made.add(
            [{"text": text, "role": "user", "at": f"2024-03-{day:02}T10:00:00Z"} for day, text in enumerate(said, 1)]
        )
        yield made


def test_a_request_recalls_the_instruction_that_applies_to_it(memory: Memory) -> None:
    found = memory.search("Write me a function that parses a date.", 5)
    assert HINTS in [item.text for item in found]
    brought = next(item for item in found if item.text == HINTS)
    assert sum(term.contribution for term in brought.why.terms.values()) == pytest.approx(brought.score, abs=1e-3)
    assert [item.score for item in found] == sorted((item.score for item in found), reverse=True)


def test_a_question_about_what_was_is_no_request(memory: Memory) -> None:
    found = memory.search("What did Marta write about the release?", 5)
    assert all("standing" not in item.why.terms for item in found)


def test_a_context_for_a_request_has_the_instruction_even_if_nothing_else_is_relevant(memory: Memory) -> None:
    made = memory.context("Could you write a python program that plays chess?")
    assert HINTS in made.text


def test_an_instruction_that_was_retracted_is_not_brought(memory: Memory) -> None:
    for note in memory.notes(limit=100):
        if note.slot == "instruction":
            memory.retract(note.id)
    found = memory.search("Write me a function that parses a date.")
    assert all("standing" not in item.why.terms for item in found)
