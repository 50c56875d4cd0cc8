import pytest

from hmem.language.english.clauses import informativeness, told
from hmem.language.english.sentence_types import bare


@pytest.mark.parametrize(
    ("sentence", "rest"),
    [
        ("Wow, I moved.", "I moved."),
        ("Welcome back Mel, I moved.", "I moved."),
        ("Nice work! Thanks so much Melanie! I moved.", "I moved."),
        ("Thanks Jo, I moved.", "Thanks Jo, I moved."),
        ("Well done is better.", "Well done is better."),
        ("I moved, Mela.", "I moved."),
        ("Hey!", "!"),
    ],
)
def test_interjections_and_names_of_address_are_taken_off(sentence: str, rest: str) -> None:
    assert bare(sentence, ("Melanie",)) == rest


def test_without_names_only_interjections_are_taken_off() -> None:
    assert bare("Oh, great! Mel, I moved.", ()) == "Mel, I moved."


@pytest.mark.parametrize(
    ("question", "stated"),
    [
        ("Did I tell you that I moved?", "I moved."),
        ("You have moved to Lisbon, right??", "You have moved to Lisbon."),
        ("You like boats, don't you think ?", "You like boats."),
        ("You like boats?", None),
    ],
)
def test_a_question_may_state_something(question: str, stated: str | None) -> None:
    assert told(question) == stated


def test_names_and_figures_weigh_beside_words_of_content() -> None:
    speakers = frozenset({"maria"})
    plain = informativeness("I bought a boat", speakers)
    assert informativeness("I bought 2 boats", speakers) > plain
    assert informativeness("I bought Zoe a boat", speakers) > plain
    assert informativeness("I bought Maria a boat", speakers) == plain
