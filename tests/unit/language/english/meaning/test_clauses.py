"""Clauses of plain sentences."""

import pytest

from hmem.language.english.meaning.clauses import Clause, clauses
from hmem.language.english.parser import parse


def read(text: str) -> list[Clause]:
    return [clause for sentence in parse([text])[0].sentences for clause in clauses(sentence)]


def arguments(clause: Clause) -> set[tuple[str, str, str]]:
    return {(each.role, each.marker, each.head.text) for each in clause.arguments}


def test_a_clause_has_its_verb_its_subject_and_its_arguments_by_role() -> None:
    [clause] = read("My sister sold her old car last week.")
    assert clause.verb == "sell"
    assert clause.subject is not None
    assert clause.subject.text == "sister"
    assert arguments(clause) == {("object", "", "car"), ("when", "", "week")}
    assert (clause.tense, clause.mood, clause.stated) == ("past", "statement", True)


def test_verbs_that_are_joined_share_their_subject() -> None:
    first, second = read("Tom cooked dinner and washed the dishes.")
    assert (first.verb, second.verb) == ("cook", "wash")
    assert first.subject is second.subject
    assert second.inherited


def test_a_subject_that_is_left_out_is_the_speaker() -> None:
    [clause] = read("Moved to Porto in May.")
    assert clause.subject is None
    assert clause.dropped
    assert ("oblique", "to", "Porto") in arguments(clause)


@pytest.mark.parametrize(
    ("text", "mood"),
    [
        ("Did you sell the car?", "question"),
        ("Please send me the report.", "order"),
        ("I sold the car.", "statement"),
    ],
)
def test_a_clause_states_asks_or_orders(text: str, mood: str) -> None:
    [clause] = read(text)
    assert clause.mood == mood
    assert clause.stated == (mood == "statement")


def test_a_condition_is_not_stated() -> None:
    condition, main = read("If I move to Oslo, I will buy a bike.")
    assert (condition.mood, main.mood, main.tense) == ("condition", "statement", "future")
    assert not condition.stated


def test_a_guess_and_a_wish_are_not_certain() -> None:
    [guess] = read("I might visit Rome.")
    [wish] = read("I want to learn Spanish.")
    assert not guess.certain
    assert not wish.certain
    assert (wish.verb, wish.modality) == ("learn", "want")


def test_what_somebody_says_is_theirs() -> None:
    says, said = read("Anna said that Tom broke his arm.")
    assert said.said_by is says
    assert not said.stated


def test_negation_belongs_to_its_clause() -> None:
    [clause] = read("I do not eat meat.")
    assert clause.negated


def test_what_used_to_be_is_a_phase() -> None:
    [used] = read("I used to work at Zillow.")
    assert (used.verb, used.phase) == ("work", "used to")
