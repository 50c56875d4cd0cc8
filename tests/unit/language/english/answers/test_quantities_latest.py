"""Of several statements that tell a value of the same thing, the latest."""

from collections.abc import Iterator

import pytest
from tests.recall import plain

from hmem import Memory

SAID = [
    ("2023-01-02", "I have restored 12 old clocks so far, mostly from the flea market in Ghent."),
    ("2023-02-02", "I have been renting my workshop near the canal for a month now."),
    ("2023-03-02", "I went to two sessions of the woodworking course."),
    ("2023-04-02", "The bank approved a loan of $20,000 for the new roof."),
    ("2023-05-02", "By the way, I have restored 15 old clocks by now."),
    ("2023-06-02", "I have been renting the workshop for 5 months now."),
    ("2023-07-02", "The woodworking course was great. I remember attending four sessions of it."),
    ("2023-08-02", "Remember when the bank approved a loan of $26,000 for the new roof?"),
    ("2023-09-02", "I just bought 3 more clocks. I also own four chisels and I sharpened 6 of them."),
    ("2023-10-02", "Do you collect clocks? I have tried eight different ones in the hall."),
]


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as made:
        made.add([{"session": at, "at": f"{at}T10:00:00Z", "speaker": "Nora", "text": text} for at, text in SAID])
        yield made


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("How many old clocks has Nora restored so far?", "15"),
        ("How long has Nora been renting her workshop?", "5 months"),
        ("How many sessions of the woodworking course did Nora attend?", "four"),
        ("What was the amount of the loan that the bank approved for Nora's roof?", "$26,000"),
        ("How many chisels does Nora own?", "four"),
    ],
)
def test_what_was_told_last_is_the_answer(memory: Memory, question: str, wanted: str) -> None:
    assert plain(memory.ask(question)) == wanted.lower()


def test_a_question_about_what_was_before_goes_by_fit(memory: Memory) -> None:
    assert plain(memory.ask("How many old clocks had Nora restored previously, mostly from the flea market?")) == "12"


def test_what_was_known_then_is_what_had_been_said(memory: Memory) -> None:
    assert plain(memory.as_of("2023-02-20").ask("How many old clocks has Nora restored so far?")) == "12"


def test_another_persons_number_is_no_later_word_on_it() -> None:
    with Memory(":memory:") as memory:
        for day, speaker, count in ((2, "Nora", 12), (5, "Ben", 40)):
            text = f"I have restored {count} old clocks so far."
            memory.add(text, speaker=speaker, at=f"2023-01-0{day}T10:00:00Z", session=speaker)
        assert plain(memory.ask("How many old clocks has Nora restored?")) == "12"
