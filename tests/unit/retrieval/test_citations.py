"""Citations held against the evidence."""

from datetime import UTC, datetime
from typing import Any

import pytest

from hmem.language.analyst import analyst
from hmem.model.evidence import Context, Evidence, Why
from hmem.retrieval.citations import CitationCheck, check

ASKED = datetime(2024, 6, 1, tzinfo=UTC)
LINES = (
    ("Maria", "2023-08-11", "I adopted a puppy named Coco two weeks ago."),
    ("Ben", "2023-08-12", "My sister Lena moved to Lisbon, she paid twenty-five euros for the van."),
    ("Maria", "2023-08-14", "We went to the garden yesterday. I love counseling children."),
)


def item(place: int, speaker: str, day: str, text: str) -> Evidence:
    when = datetime.fromisoformat(f"{day}T10:00:00+00:00")
    return Evidence(f"turn-{place}", "turn", text, when, 1.0, Why((), {}), "s1", speaker)


EVIDENCE = tuple(item(place, *line) for place, line in enumerate(LINES, 1))
CONTEXT = Context("", "", 0, 1_272, EVIDENCE, {str(n): item.id for n, item in enumerate(EVIDENCE, 1)})


def held(question: str, text: str, *citations: int, **options: Any) -> CitationCheck:
    return check(question, text, citations, CONTEXT, ASKED, analyst("verbatim").lexicon, **options)


@pytest.mark.parametrize(
    ("question", "text", "line"),
    [
        ("What is the puppy called?", "Coco", 1),
        ("When did Maria adopt Coco?", "28 July 2023", 1),
        ("When did Maria adopt Coco?", "July 2023", 1),
        ("What did the van cost?", "25 euros", 2),
        ("Who moved?", "Lena", 2),
        ("What does Maria love?", "Counselor work", 3),
        ("When were they in the garden?", "13 August 2023", 3),
        ("When did she tell of the garden?", "On 14 August 2023", 3),
        ("Did Lena move to Lisbon?", "Yes", 2),
    ],
)
def test_a_line_that_holds_what_is_told_is_cited(question: str, text: str, line: int) -> None:
    made = held(question, text, line)
    assert made.ids == (f"turn-{line}",)
    assert (made.dropped, made.invented) == (0, False)
    assert made.share > 0


def test_citations_that_were_not_shown_or_hold_nothing_are_dropped() -> None:
    made = held("What is the puppy called?", "Coco", 2, 1, 99, 0)
    assert made.ids == ("turn-1",)
    assert made.dropped == 3


def test_a_line_that_the_model_forgot_to_cite_is_cited() -> None:
    made = held("Who moved, and what was paid?", "His sister Lena, for 25 euros", 1)
    assert made.ids == ("turn-2",)


@pytest.mark.parametrize("text", ["She is called Rex", "on 3 March 2019", "7000"])
def test_names_dates_and_numbers_that_stand_nowhere_are_invented(text: str) -> None:
    made = held("What is new?", text, 1, 2)
    assert (made.ids, made.invented) == ((), True)


def test_an_invented_number_among_words_that_were_said_is_unfounded() -> None:
    made = held("What is new?", "The van cost 7000", 1, 2)
    assert (made.ids, made.unfounded, made.invented) == (("turn-2",), True, False)


def test_other_words_are_no_invention() -> None:
    made = held("How does Maria feel?", "overwhelmed", 1)
    assert (made.ids, made.invented) == ((), False)


def test_a_number_may_be_counted() -> None:
    assert not held("How many pets does Maria have?", "1", 1, derived=True).invented
    assert held("How many pets does Maria have?", "1", 1, derived=True).ids == ("turn-1",)


def test_yes_needs_a_line_that_has_a_word_of_the_question() -> None:
    assert held("Does Ben like opera?", "Yes", 3).ids == ()
