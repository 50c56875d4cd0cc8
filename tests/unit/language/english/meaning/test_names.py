"""Names in a sentence: their spans, and what they are names of."""

import pytest

from hmem.language.english.meaning.names import Name, names
from hmem.language.english.parser import parse


def found(text: str, *people: str) -> list[Name]:
    [parsed] = parse([text])
    return [name for sentence in parsed.sentences for name in names(sentence, people)]


def kinds(text: str, *people: str) -> dict[str, str]:
    return {name.text: name.type for name in found(text, *people)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Z put me on 20 mg of lisinopril.", {"Dr. Z": "person"}),
        (
            "My sister Lucy is a nurse at St. Mary's hospital.",
            {"Lucy": "person", "St. Mary's hospital": "organization"},
        ),
        ("I drive a Tesla Model 3 now.", {"Tesla Model 3": "product"}),
        ('I read "The Name of the Wind" last week.', {"The Name of the Wind": "work"}),
        ("We went to McDonald's.", {"McDonald's": "organization"}),
        ("Uncle Bob visited us.", {"Uncle Bob": "person"}),
        ("She studies at the University of Michigan.", {"University of Michigan": "organization"}),
    ],
)
def test_a_name_has_its_title_its_number_and_what_belongs_to_it(text: str, expected: dict[str, str]) -> None:
    assert kinds(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i've never been to japan", {"japan": "location"}),
        ("tom and i broke up", {"tom": "person"}),
        ("i moved to new york last month", {"new york": "location"}),
    ],
)
def test_a_listed_name_is_found_in_small_letters(text: str, expected: dict[str, str]) -> None:
    assert kinds(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Great news! Pottery is fun.",
        "Have you seen my keys? Sure I have.",
        "I will mark the bill in may.",
        "See you on Monday in June.",
        "I like French food.",
        "the turkey was nice",
    ],
)
def test_a_common_word_is_no_name(text: str) -> None:
    assert kinds(text) == {}


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("Rocky, my dog, loves the beach.", "Rocky", "animal"),
        ("We adopted a dog named Max!", "Max", "animal"),
        ("My friend Zog moved away.", "Zog", "person"),
        ("She works at Zogtech.", "Zogtech", "organization"),
        ("We flew to Zogville.", "Zogville", "location"),
        ("He lives in Zogville.", "Zogville", "location"),
        ("I met Tom, the CEO of Zog, in Berlin.", "Tom", "person"),
        ("I speak German.", "German", "other"),
    ],
)
def test_the_words_around_a_name_tell_its_kind(text: str, name: str, kind: str) -> None:
    assert kinds(text)[name] == kind


def test_names_after_a_plural_are_all_of_its_kind() -> None:
    assert kinds("Our cats Luna and Oliver are cute.") == {"Luna": "animal", "Oliver": "animal"}


def test_a_speakers_name_is_a_persons() -> None:
    assert kinds("I told Zog about it.", "zog") == {"Zog": "person"}


def test_a_name_of_address_is_only_called() -> None:
    assert [(name.text, name.called) for name in found("Thanks, Maria! Maria moved to Rome.")] == [
        ("Maria", True),
        ("Maria", False),
        ("Rome", False),
    ]


def test_a_name_stands_where_it_says() -> None:
    text = "Yesterday Dr. Z called.  Then Lucy came from New York."
    assert all(text[name.start : name.end] == name.text for name in found(text))
