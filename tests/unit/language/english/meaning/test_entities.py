"""Entities of turns: names, close people by role, and what belongs to a speaker."""

from datetime import UTC, datetime

import pytest

from hmem.language.analyst.base import Extraction, Passage
from hmem.language.english.meaning.entities import MOST, entities
from hmem.model.turn import Turn

AT = datetime(2024, 5, 1, 12, tzinfo=UTC)


def turn(text: str, speaker: str = "Ann", *, caption: str | None = None, role: str | None = None) -> Turn:
    return Turn(id=text, speaker=speaker, text=text, at=AT, session="s", caption=caption, role=role)


def read(*turns: Turn, start: int = 0) -> list[Extraction]:
    return entities(Passage(turns, start, ("Ann", "Ben")))


def test_a_name_beside_a_role_has_the_role_as_another_name() -> None:
    [extraction] = read(turn("My sister Lucy works at Siemens."))
    assert [(naming.surface, naming.also) for naming in extraction.namings] == [
        ("Lucy", ("Ann's sister",)),
        ("Siemens", ()),
    ]


def test_a_role_without_a_name_is_somebody() -> None:
    text = "My mom works at Siemens."
    [extraction] = read(turn(text))
    [mother, _] = extraction.namings
    assert (mother.surface, mother.type, text[mother.start : mother.end]) == ("Ann's mother", "person", "My mom")


def test_a_role_that_many_have_is_nobody() -> None:
    [extraction] = read(turn("My friend called, and a colleague of mine came."))
    assert extraction.namings == ()


def test_the_hearers_sister_is_theirs() -> None:
    [extraction] = read(turn("How is your sister Lucy?", "Ben"))
    assert [(naming.surface, naming.also) for naming in extraction.namings] == [("Lucy", ("Ann's sister",))]


def test_a_name_keeps_the_kind_that_it_was_given() -> None:
    _, later = read(turn("We adopted a dog named Max."), turn("Max slept all day."))
    assert [(naming.surface, naming.type) for naming in later.namings] == [("Max", "animal")]


def test_a_first_name_has_its_short_forms() -> None:
    [extraction] = read(turn("Bob moved to Rome."))
    assert "robert" in extraction.namings[0].variants


def test_a_caption_names_less_and_relates_nothing() -> None:
    one = turn("Look!", caption="a photo of Tom who lives in Paris")
    [extraction] = read(one)
    assert extraction.ties == ()
    assert {one.content[naming.start : naming.end] for naming in extraction.namings} == {"Tom", "Paris"}
    assert all(naming.salience == 0.5 for naming in extraction.namings)


def test_an_assistants_i_is_nobodys() -> None:
    passage = Passage(
        (turn("I live in Rome, and Tom lives in Oslo.", "assistant", role="assistant"),), 0, ("user", "assistant")
    )
    [extraction] = entities(passage)
    assert {(tie.source, tie.target) for tie in extraction.ties} == {("Tom", "Oslo")}


def test_single_turns_and_batches_give_the_same() -> None:
    turns = [turn("My sister Lucy came."), turn("She works for Siemens.", "Ann"), turn("Is she happy?", "Ben")]
    together = read(*turns)
    assert [read(*turns[: place + 1], start=place)[0] for place in range(3)] == together


@pytest.mark.parametrize("between", [0, 3, 4, 5])
def test_a_turn_uses_the_same_turns_before_it_in_a_batch(between: int) -> None:
    said = [turn("My sister Lucy came."), *[turn("It rained.")] * between, turn("She works for Siemens.")]
    whole = read(*said)[-1]
    assert whole == read(*said[-5:], start=len(said[-5:]) - 1)[0]
    assert any("Lucy" in tie.source for tie in whole.ties) == (between < 4)


def test_a_pasted_book_does_not_swamp_the_graph() -> None:
    text = ". ".join(f"Then {chr(65 + n % 26)}og{n}ville met Tom{n}" for n in range(300))
    [extraction] = read(turn(text))
    assert len(extraction.namings) <= MOST
