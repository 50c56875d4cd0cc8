from datetime import UTC, datetime

import pytest

from hmem.language.analyst.base import Passage
from hmem.language.english.curation import importance
from hmem.model.turn import Turn


def of(text: str, persona: str = "") -> int:
    return importance(Passage((Turn("t", "Maria", text, datetime(2025, 1, 1, tzinfo=UTC), "s"),)), persona)[0]


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("I'm allergic to peanuts.", 9, 10),
        ("My name is Ifeoma.", 9, 10),
        ("We got married in June.", 9, 10),
        ("I moved to Lisbon in 2019.", 9, 10),
        ("I'm a paper conservator.", 9, 10),
        ("My favourite colour is teal.", 7, 8),
        ("I swim every morning.", 7, 8),
        ("I\u2019ve decided to sell the boat.", 7, 8),
        ("The museum had a new roof.", 4, 6),
        ("The tram was late by 10 minutes.", 4, 6),
        ("Thanks, that's great!", 1, 3),
        ("Hi!", 1, 3),
        ("", 1, 3),
    ],
)
def test_a_turn_is_worth_what_the_rubric_says(text: str, least: int, most: int) -> None:
    assert least <= of(text) <= most


def test_a_question_does_not_state_what_it_asks_about() -> None:
    assert of("What are you allergic to?") < of("I'm allergic to cats.")


def test_what_touches_the_persona_is_worth_more() -> None:
    persona = "Maria restores antique violins and sails."
    assert of("The antique violins arrived in a crate.", persona) > of("The antique violins arrived in a crate.")


def test_importance_never_leaves_its_range() -> None:
    persona = "allergic peanuts kitchen lunch team walnut"
    assert of("I'm allergic to peanuts, so no walnut for the team lunch in the kitchen.", persona) == 10
