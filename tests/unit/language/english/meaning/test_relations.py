"""Relations that a sentence states between entities, and those that it does not state."""

from datetime import UTC, datetime

import pytest

from hmem.language.analyst.base import Passage
from hmem.language.english.meaning.entities import entities
from hmem.model.turn import Turn

AT = datetime(2024, 5, 1, 12, tzinfo=UTC)


def related(*texts: str) -> set[tuple[str, str, str]]:
    turns = tuple(Turn(id=str(place), speaker="Ann", text=text, at=AT, session="s") for place, text in enumerate(texts))
    [last] = entities(Passage(turns, len(turns) - 1, ("Ann", "Ben")))
    return {(tie.source, tie.label, tie.target) for tie in last.ties}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My sister Lucy is a nurse at Acme.", {("Lucy", "sister of", "Ann"), ("Lucy", "nurse at", "Acme")}),
        ("Rocky, my dog, loves the beach.", {("Ann", "owns", "Rocky")}),
        ("Max is my dog.", {("Ann", "owns", "Max")}),
        ("I met Tom, the CEO of Acme, in Berlin.", {("Tom", "CEO of", "Acme"), ("Ann", "meet", "Tom")}),
        ("My best friend is Olga.", {("Olga", "best friend of", "Ann")}),
        ("Paul's mother Ines lives in Rome.", {("Ines", "mother of", "Paul"), ("Ines", "lives in", "Rome")}),
        ("My daughter Sara's birthday was great.", {("Sara", "daughter of", "Ann")}),
        ("I have a brother named Sam.", {("Sam", "brother of", "Ann")}),
        ("I have two dogs, Max and Daisy.", {("Ann", "owns", "Max"), ("Ann", "owns", "Daisy")}),
        ("We have two kids: Tom and Lily.", {("Tom", "child of", "Ann"), ("Lily", "child of", "Ann")}),
        ("My friend Anna moved.", {("Anna", "friend of", "Ann")}),
        ("My boss, Karen, is from Canada.", {("Karen", "boss of", "Ann"), ("Karen", "from", "Canada")}),
        ("My car is a Toyota Corolla.", {("Ann", "car", "Toyota Corolla")}),
        ("My favorite book is Dune.", {("Ann", "favourite book", "Dune")}),
        ("The meeting between Anna and Tom was in Berlin.", {("Anna", "meeting with", "Tom")}),
        ("My aunt lives in Ohio.", {("Ann's aunt", "aunt of", "Ann"), ("Ann's aunt", "lives in", "Ohio")}),
    ],
)
def test_who_somebody_is_relates_them(text: str, expected: set[tuple[str, str, str]]) -> None:
    assert related(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I work at a bakery.", {("Ann", "works at", "bakery")}),
        ("Tom and I broke up last week.", {("Tom", "break up with", "Ann")}),
        ("tom and i broke up", {("tom", "break up with", "Ann")}),
        ("i moved to new york last month", {("Ann", "move to", "new york")}),
        ('I read "The Name of the Wind" last week.', {("Ann", "read", "The Name of the Wind")}),
        ("I just signed up for a pottery class.", {("Ann", "sign up for", "pottery class")}),
        ("We got back from Rome.", {("Ann", "visit", "Rome")}),
        ("I got a puppy!", {("Ann", "owns", "Ann's puppy")}),
        ("I really love live music.", {("Ann", "likes", "live music")}),
        ("I had an interview at Acme.", {("Ann", "interview at", "Acme")}),
        ("Tom and Eva got married in 2019.", {("Tom", "married to", "Eva")}),
        ("I was in Chicago.", {("Ann", "visit", "Chicago")}),
        ("I took this picture on my trip to Norway.", {("Ann", "visit", "Norway")}),
        ("I collect coins.", {("Ann", "collect", "coins")}),
        ("My son Leo, who lives in Prague, is fine.", {("Leo", "son of", "Ann"), ("Leo", "lives in", "Prague")}),
    ],
)
def test_a_clause_relates_its_subject_to_what_it_acts_on(text: str, expected: set[tuple[str, str, str]]) -> None:
    assert related(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Tom doesn't live in Paris.",
        "Does Tom live in Paris?",
        "If Tom worked at Google, I'd be happy.",
        "Tom wants to move to Madrid.",
        "Tom might move to Madrid.",
        "I'll visit Rome in May.",
        "I think Tom lives in Paris.",
        "We gotta join a gym.",
        "I don't like opera.",
        "You captured the sunset perfectly.",
        "I need an idea.",
        "You can visit Rome in May.",
        "I read a book.",
        "I make a great team.",
        "We made others happy.",
        "I love her spirit and determination.",
        "I love the energy and food of this city.",
        "I had chicken.",
        "Tell me about how Acme has changed Berlin.",
        "I use my influence.",
        "",
    ],
)
def test_what_is_not_stated_as_a_fact_relates_nothing(text: str) -> None:
    assert related(text) == set()


def test_a_pronoun_means_the_one_named_before_it() -> None:
    assert ("Lucy", "lives in", "Porto") in related("My sister is called Lucy and she lives in Porto.")
    assert ("Lucy", "works at", "Siemens") in related("My sister Lucy came.", "She works for Siemens.")


def test_who_is_spoken_to_is_no_object() -> None:
    assert related("Hey Ben!", "Love you, Ben!") == set()


def test_the_middle_of_a_pasted_text_relates_nobody() -> None:
    filler = "The report was long and told of many things. " * 40
    assert related(f"{filler} Tom works at Acme. {filler}") == set()
    assert related("Tom works at Acme.") == {("Tom", "works at", "Acme")}


def test_a_pronoun_that_may_mean_two_relates_nothing() -> None:
    assert related("I called Lucy and Eva.", "She works for Siemens.") == set()
