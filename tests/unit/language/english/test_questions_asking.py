import pytest

from hmem.language.english.questions import asking, is_plural, singular


def test_a_question_falls_into_what_asks_and_what_is_asked() -> None:
    asked = asking("Which colour schemes has Nadia asked for?")
    assert (asked.lead, asked.phrase, asked.verb, asked.rest) == (
        "which",
        ("colour", "schemes"),
        "has",
        "Nadia asked for?",
    )
    assert asked.head == "schemes"


def test_a_question_that_begins_with_its_verb_is_polar() -> None:
    asked = asking("Did Jon sell what he had made?")
    assert asked.polar
    assert asked.lead == ""


@pytest.mark.parametrize(
    ("question", "lead"),
    [
        ("In which month did she leave?", "which"),
        ("According to Jon, who is the best dancer?", "who"),
        ("Can you remind me what the colour was?", "what"),
        ("I was thinking of our trip. Where did we stay?", "where"),
        ("We met at St. Mary's. When was that?", "when"),
        ("Remind me of the name of the shop.", "what"),
        ("What's her name?", "what"),
        ("Was it a good month? Answer yes or no.", ""),
    ],
)
def test_the_asking_word_is_found_wherever_it_stands(question: str, lead: str) -> None:
    assert asking(question).lead == lead


def test_a_noun_phrase_ends_before_its_preposition() -> None:
    assert asking("Which places in Italy did she see?").head == "places"
    assert asking("What kind of books does she read?").head == "books"


def test_plural_nouns_lose_their_ending() -> None:
    assert [is_plural(noun) for noun in ("cities", "people", "glass", "tennis", "bus")] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert [singular(noun) for noun in ("cities", "boxes", "composer's", "glass")] == [
        "city",
        "box",
        "composer",
        "glass",
    ]
