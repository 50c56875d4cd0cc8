from datetime import UTC, datetime

import pytest

from hmem.language.analyst.base import Claim, Passage
from hmem.language.english.analyst import RulesAnalyst
from hmem.model.turn import Turn

RULES = RulesAnalyst()


def turn(text: str, role: str | None = None) -> Turn:
    return Turn("t", "Maria", text, datetime(2025, 1, 1, tzinfo=UTC), "s", role=role)


def of(text: str, persona: str = "", role: str | None = None) -> int:
    return RULES.importance([Passage((turn(text, role),))], [persona])[0][0]


@pytest.mark.parametrize(
    "text",
    [
        "I'm allergic to peanuts.",
        "My mother has Parkinson's disease.",
        "I take two tablets of metformin a day.",
        "From now on, always answer me in French.",
        "Please never ring the bell.",
        "I promise to water your plants.",
        "My name is Ifeoma.",
        "We got married in June.",
        "I moved to Lisbon in 2019.",
        "I'm a paper conservator.",
        "My sister Ana was born in 1990.",
        "I quit my job at the bank.",
        "We have three sons.",
        "I can't eat gluten.",
    ],
)
def test_health_instructions_promises_identity_and_changes_are_worth_most(text: str) -> None:
    assert of(text) >= 8


@pytest.mark.parametrize(
    "text",
    [
        "My favourite colour is teal.",
        "I swim every morning.",
        "We're flying to Oslo on the 3rd of March.",
        "I'd rather sit by the window.",
        "The tram was late by 10 minutes.",
    ],
)
def test_tastes_habits_plans_and_what_is_exact_are_worth_less(text: str) -> None:
    assert 5 <= of(text) <= 7


@pytest.mark.parametrize(
    "text",
    ["Food grabbed!", "Had some soup for lunch.", "The museum had a new roof.", "Thanks, that's great!", "Hi!", ""],
)
def test_meals_small_talk_and_formulas_are_worth_least(text: str) -> None:
    assert of(text) <= 4


def test_words_alone_make_nothing_important() -> None:
    assert of("They booked and moved the job, my dear, and picked a promise ring.") < of("I moved to Rome.")


def test_a_question_does_not_state_what_it_asks_about() -> None:
    assert of("What are you allergic to?") <= 4
    assert of("Are you allergic to the 3 new cats in 12 Mill Lane?") <= 4


def test_a_promise_of_an_assistant_counts_but_not_a_farewell() -> None:
    assert of("I will send you the invoice by Friday.", role="assistant") >= 8
    assert of("I will see you on Friday.", role="assistant") < 8


def test_what_touches_the_persona_is_worth_more() -> None:
    persona = "Maria restores antique violins and sails."
    assert of("The antique violins arrived in a crate.", persona) > of("The antique violins arrived in a crate.")


def test_importance_never_leaves_its_range() -> None:
    persona = "allergic peanuts kitchen lunch team walnut"
    assert of("I'm allergic to peanuts, so no walnut for the team lunch in the kitchen.", persona) == 10


def test_claims_that_were_made_already_are_judged() -> None:
    said = turn("Blue it is, as ever.")
    claim = Claim("profile", "Maria", "allergy", "pollen", "Maria is allergic to pollen.")
    passages = [Passage((said,))]
    assert RULES.importance(passages, [""], None, [[[claim]]]) > RULES.importance(passages, [""], None, [[[]]])
