"""What a text says of how people relate to things and to each other."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.language.english import entities as rules
from hmem.language.english.entities import ties
from hmem.language.english.names import names

TIED = [
    ("I adopted a puppy named Coco two weeks ago", {("Maria", "adopted", "Coco"), ("Maria", "has_pet", "Coco")}),
    ("I got a puppy! Her name's Coco.", {("Maria", "has_pet", "puppy"), ("Maria", "has_pet", "Coco")}),
    ("We have two cats, Milo and Otis.", {("Maria", "has_pet", name) for name in ("cats", "Milo", "Otis")}),
    ("My sister Emma works at Google.", {("Maria", "sibling_of", "Emma"), ("Emma", "works_at", "Google")}),
    ("I moved to Lisbon with my husband Pedro.", {("Maria", "lives_in", "Lisbon"), ("Maria", "married_to", "Pedro")}),
    ("My best friend is Olga.", {("Maria", "friend_of", "Olga")}),
    ("Anna's brother Tom is dating Lucy.", {("Anna", "sibling_of", "Tom"), ("Tom", "partner_of", "Lucy")}),
    ("Tom, my colleague, is late.", {("Maria", "knows", "Tom")}),
    ("You told me you live in Denver.", {("John", "lives_in", "Denver")}),
    ("Your wife Ana is kind.", {("John", "married_to", "Ana")}),
    ("I really enjoy live music.", {("Maria", "likes", "live music")}),
    ("I'm a big fan of pottery.", {("Maria", "likes", "pottery")}),
    ("I just signed up for a pottery class yesterday.", {("Maria", "took_part_in", "pottery class")}),
    ("Just got back from Rome.", {("Maria", "visited", "Rome")}),
    ("I'd love to visit Japan.", {("Maria", "visited", "Japan")}),
    ("I took a short trip last week to Rome.", {("Maria", "visited", "Rome")}),
    ('I\'m reading "The Long Way Home".', {("Maria", "reads", "The Long Way Home")}),
    ("I've been learning Portuguese.", {("Maria", "studies", "Portuguese")}),
    ("I play the clarinet.", {("Maria", "plays", "clarinet")}),
    ("I work at a bakery in Porto.", {("Maria", "works_at", "bakery")}),
]
UNTIED = [
    "I don't like opera.",
    "If I had a dog, I would walk.",
    "Do you like sushi?",
    "I hope we made a difference.",
    "I love how it feels.",
    "We're like a family.",
    "I love running my own studio.",
    "I'd like to thank you.",
    "",
]


def tied(text: str, other: str | None = "John") -> set[tuple[str, str, str]]:
    return {(tie.source, tie.label, tie.target) for tie in ties(text, names(text), "Maria", other).ties}


@pytest.mark.parametrize(("text", "expected"), TIED)
def test_what_is_stated_ties(text: str, expected: set[tuple[str, str, str]]) -> None:
    assert tied(text) == expected


@pytest.mark.parametrize("text", UNTIED)
def test_what_is_denied_asked_or_meant_otherwise_does_not(text: str) -> None:
    assert tied(text) == set()


def test_you_is_nobody_where_more_than_two_speak() -> None:
    assert tied("You told me you live in Denver.", other=None) == set()


def test_a_phrase_that_is_tied_to_is_named_where_it_stands() -> None:
    text = "I really enjoy live music."
    [naming] = ties(text, (), "Maria", None).namings
    assert (naming.surface, naming.type, text[naming.start : naming.end]) == ("live music", "other", "live music")


WORDS = st.sampled_from(
    [
        "I",
        "my",
        "our",
        "favorite",
        "is",
        "have",
        "a",
        "dog",
        "named",
        "Coco",
        ",",
        "and",
        "love",
        "to",
        "went",
        "like",
        ".",
        "’s",
    ]
)


@given(st.lists(WORDS, max_size=40))
def test_any_text_is_read(words: list[str]) -> None:
    text = " ".join(words)
    for naming in ties(text, names(text), "Maria", "John").namings:
        assert text[naming.start : naming.end] == naming.surface


@pytest.mark.parametrize(
    "piece", ["I ", "I just really ", "my dog ", "our favorite ", "I had a dog named ", "I’m ", "took a trip "]
)
def test_a_very_long_text_is_read_to_its_end(piece: str) -> None:
    text = f"{piece * (76_000 // len(piece))}. I live in Porto. My sister is Greta."
    found = ties(text, names(text, most=48), "Maria", "John").ties
    assert {(tie.source, tie.label, tie.target) for tie in found} >= {("Maria", "lives_in", "Porto")}


_WORDS = sorted(frozenset(re.findall("[a-z]{2,}", rules._SPOKEN.pattern)))
_PIECES = st.tuples(
    st.sampled_from(("I ", "We ", "you ", "My ", "I'm ", "I\u2019ve ", ". ", "\n", "")),
    st.sampled_from((*_WORDS, "in Rome", "a dog", "really")),
    st.sampled_from(("", "ed", "ing", "s", "es", "d", " to")),
)


@given(st.lists(_PIECES, min_size=1, max_size=6))
def test_the_quick_look_leaves_out_no_verb(pieces: list[tuple[str, str, str]]) -> None:
    said = " ".join("".join(piece) for piece in pieces)
    for text in (said, said.capitalize()):
        assert [m.span() for m in rules._verbs(text)] == [m.span() for m in rules._SPOKEN.finditer(text)]
