from datetime import UTC, datetime

import pytest

from hmem.language.analyst.base import Cues, Passage
from hmem.language.english.topics import cues
from hmem.model.turn import Turn


def of(text: str, caption: str | None = None) -> Cues:
    return cues(Passage((Turn("t", "Maria", text, datetime(2025, 1, 1, tzinfo=UTC), "s", caption),)))[0]


@pytest.mark.parametrize(
    "text",
    [
        "By the way, I'm allergic to peanuts.",
        "btw the train was late",
        "Actually, forget that, we fly on Monday.",
        "On another note, the roof leaks.",
        "On a completely different note, the roof leaks.",
        "Changing the subject: the roof leaks.",
        "Before I forget, the roof leaks.",
        "Let\u2019s talk about the roof.",
    ],
)
def test_a_phrase_that_announces_another_subject_is_a_plain_shift(text: str) -> None:
    assert of(text).shift == 1.0


@pytest.mark.parametrize(
    "text", ["Anyway, the roof leaks.", "Oh, and the roof leaks.", "Speaking of roofs, ours leaks.", "Guess what!"]
)
def test_a_phrase_that_turns_away_is_a_weaker_shift(text: str) -> None:
    assert 0.5 < of(text).shift < 1.0


@pytest.mark.parametrize(
    "text",
    [
        "Last weekend we were at the lake.",
        "We were at the lake a few weeks ago.",
        "I've just been at the lake.",
        "I'm also thinking of a boat.",
        "I've been meaning to buy a boat.",
    ],
)
def test_news_and_plans_are_a_slight_shift(text: str) -> None:
    assert of("Hello!").shift < of(text).shift < of("Anyway, we were at the lake.").shift


@pytest.mark.parametrize(
    "text",
    [
        "Off-topic, but the roof leaks.",
        "Never mind.",
        "I almost forgot the roof.",
        "In other news, the roof leaks.",
        "Moving on, the roof leaks.",
        "On second thoughts, no.",
        "I've got another question.",
        "That reminds me of the roof.",
        "One more thing!",
        "Wait, what?",
        "As for me, the roof leaks.",
        "You won't believe it.",
        "Big news!",
        "Long time no see!",
        "I wanted to tell you.",
        "Hey Ana",
        "What's new?",
        "Anything interesting?",
    ],
)
def test_no_phrase_is_passed_over_by_the_quick_look(text: str) -> None:
    assert of(text).shift > 0


def test_a_shift_late_in_a_turn_counts_less() -> None:
    assert 0 < of("The builders were here all morning and left their tools. By the way, it rains.").shift < 1.0


def test_talk_that_goes_on_is_no_shift() -> None:
    assert of("The roof leaks above the kitchen, and the builders come on Monday.").shift == 0.0


def test_grief_and_shouting_outweigh_excitement() -> None:
    calm, bright, grave = of("We met for lunch."), of("I'm so excited!"), of("My uncle died, I CANNOT believe it!")
    assert calm.emotion == 0.0
    assert 0 < bright.emotion < grave.emotion <= 1.0


def test_words_are_the_telling_stems_each_once_with_those_of_the_caption() -> None:
    assert of("Thanks! The puppies chased puppy toys.", "a red boat").words == ("puppi", "toi", "red", "boat")


@pytest.mark.parametrize("text", ["", "!!!", "😀", "word " * 20_000, "oh, " * 20_000, "since " * 15_000, "\u0301" * 99])
def test_odd_texts_pass_through(text: str) -> None:
    found = of(text)
    assert 0.0 <= found.shift <= 1.0
    assert 0.0 <= found.emotion <= 1.0
