"""Answers that quote what was said."""

from collections.abc import Generator

import pytest

from hmem import Memory
from hmem.model.answer import SURE

SAID = [
    ("Maria", "2026-01-10", "I live in Porto, in a flat above a bakery."),
    ("Maria", "2026-02-03", "The new espresso machine arrived, it's a Rancilio."),
    ("Ben", "2026-02-04", "My daughter Ida starts school on 1 September 2026."),
    ("Maria", "2026-05-20", "Big news: I moved to Lisbon, the flat in Porto is let."),
    ("Ben", "2026-05-21", "The allotment flooded again last night, all the beans are gone."),
]


@pytest.fixture
def memory() -> Generator[Memory]:
    with Memory(":memory:", embedder="minilm") as made:
        for speaker, at, text in SAID:
            made.add(text, speaker=speaker, at=f"{at}T10:00:00Z")
        yield made


def test_an_answer_is_made_of_lines_that_quote_a_turn_with_who_said_it_and_when(memory: Memory) -> None:
    answer = memory.ask("Which espresso machine does Maria have?")
    lines = answer.text.splitlines()
    assert "Maria, 3 Feb 2026: “The new espresso machine arrived, it's a Rancilio.”" in lines
    said = {text for _, _, text in SAID}
    assert all(line.split(": “", 1)[1].removesuffix("”") in said for line in lines)
    assert {item.text for item in answer.evidence} <= said


def test_what_changed_is_quoted_newest_first_and_never_surely(memory: Memory) -> None:
    answer = memory.ask("In which city does Maria live?")
    assert answer.text.index("Lisbon") < answer.text.index("flat above a bakery")
    assert answer.confidence < SURE


def test_a_question_for_a_time_has_the_day_that_a_quoted_turn_tells(memory: Memory) -> None:
    memory.flush()
    answer = memory.ask("When does Ida start school?")
    assert "Ida starts school" in answer.text
    assert answer.value == "2026-09-01"
    assert memory.ask("Which espresso machine does Maria have?").value is None


@pytest.mark.parametrize("question", ["How deep is the Mariana Trench?", "Who won the chess championship of 1972?"])
def test_what_nobody_said_is_not_answered(memory: Memory, question: str) -> None:
    answer = memory.ask(question)
    assert answer.abstained
    assert answer.text == "The memory does not tell."


def test_a_question_alone_is_never_quoted() -> None:
    with Memory(":memory:", embedder="minilm") as asked:
        asked.add("What is my teacher called?", speaker="Nora")
        assert asked.ask("What is my teacher called?").abstained
        asked.add("My teacher is called Ivo.", speaker="Nora")
        answer = asked.ask("What is my teacher called?")
    assert "Ivo" in answer.text
    assert "?" not in answer.text


def test_a_slot_gives_its_value_only_if_nothing_later_may_tell_another() -> None:
    with Memory(":memory:", embedder="minilm") as memory:
        memory.add("I live in Porto with my dog, Coco.", speaker="Maria", at="2026-01-10T10:00:00Z")
        memory.add("I'm allergic to peanuts.", speaker="Maria", at="2026-02-02T10:00:00Z")
        before = memory.ask("Where does Maria live?")
        memory.add("Big news: I moved to Lisbon last week!", speaker="Maria", at="2026-05-20T10:00:00Z")
        after, allergy = memory.ask("Where does Maria live?"), memory.ask("What is Maria allergic to?")
    assert (before.value, before.certainty, allergy.value) == ("Porto", "sure", "peanuts")
    assert after.text.startswith("Maria, 20 May 2026: “Big news: I moved to Lisbon")
    assert (after.value in (None, "Lisbon"), after.confidence < SURE or after.value == "Lisbon") == (True, True)


def test_an_empty_memory_tells_nothing() -> None:
    with Memory(":memory:", embedder="minilm") as empty:
        answer = empty.ask("Where does Maria live?")
    assert answer.abstained
    assert answer.confidence == 1.0


def test_of_a_long_turn_only_some_sentences_are_quoted() -> None:
    filler = " ".join(f"The weather of day {day} was grey and the trams were late." for day in range(12))
    with Memory(":memory:", embedder="minilm") as memory:
        memory.add(
            f"{filler} My bicycle is a red Gazelle from 1987. {filler}", speaker="Ana", at="2026-01-10T10:00:00Z"
        )
        answer = memory.ask("Which bicycle does Ana have?")
    assert "My bicycle is a red Gazelle from 1987." in answer.text
    assert len(answer.text) < len(filler)
