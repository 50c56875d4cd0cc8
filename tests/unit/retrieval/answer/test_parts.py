"""Answers put together from several parts, on a real memory whose plan is given."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.recall import query, sources

from hmem import Memory
from hmem.model.plan import Plan
from hmem.retrieval.answer.answering import ExtractedAnswer, answer

SAID = [
    ("2023-05-08T13:00:00Z", "Maria", "I love swimming in the lake, and I like old films."),
    ("2023-05-08T13:01:00Z", "Tom", "I love swimming too, and I like chess."),
    ("2023-05-08T13:02:00Z", "Maria", "I adopted a greyhound named Biscuit."),
    ("2023-05-08T13:03:00Z", "Tom", "I work at the bakery in Ghent."),
]


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as made:
        made.add([{"session": "s", "at": at, "speaker": who, "text": text} for at, who, text in SAID])
        yield made


def ask(memory: Memory, question: str, *parts: tuple[str, tuple[int, ...]]) -> ExtractedAnswer:
    with sources(memory) as held:
        whole = query(held, question)
        plan = Plan(question, tuple(replace(query(held, text).part, text=text, needs=needs) for text, needs in parts))
        return answer(held, whole, plan, memory.search(question, 20).evidence, least=0.0)


def test_what_two_people_share_is_what_both_of_them_say(memory: Memory) -> None:
    said = ask(memory, "What do Maria and Tom both love?", ("What does Maria love?", ()), ("What does Tom love?", ()))
    assert "swimming" in said.text
    assert "chess" not in said.text
    assert {memory.get(each).speaker for each in said.evidence} == {"Maria", "Tom"}


def test_two_questions_in_one_have_two_answers(memory: Memory) -> None:
    parts = ("What did Maria adopt?", ()), ("Where does Tom work?", ())
    said = ask(memory, "What did Maria adopt, and where does Tom work?", *parts)
    assert "greyhound" in said.text
    assert "bakery" in said.text or "Ghent" in said.text


def test_a_part_that_needs_another_gives_the_answer(memory: Memory) -> None:
    parts = ("What did Maria adopt?", ()), ("Where does Tom work?", (0,))
    said = ask(memory, "Where does Tom work, after Maria adopted what?", *parts)
    assert "greyhound" not in said.text
