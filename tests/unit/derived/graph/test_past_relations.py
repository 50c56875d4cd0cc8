"""Relations that hold no more, by the notes of the turns that state them."""

from collections.abc import Mapping
from typing import NamedTuple

from tests.models import Derived, open_with

from hmem.language.analyst import Claim, Curation, Passage, Statement
from hmem.language.analyst.base import Extraction, Naming, Revises, Tie, TurnExtraction


class Read(NamedTuple):
    """What a model reads of a turn of Ann's: a note about Jo, what it does to the turn before, and a relation."""

    value: str
    revises: str = ""
    label: str = ""


class Reader(Derived):
    """Model that reads of each text what it is told."""

    def __init__(self, readings: Mapping[str, Read]) -> None:
        super().__init__()
        self._readings = readings

    def read(self, passage: Passage, persona: str = "") -> list[TurnExtraction]:
        return [self._of(passage, place) for place in range(passage.start, len(passage.turns))]

    def _of(self, passage: Passage, place: int) -> TurnExtraction:
        text = passage.turns[place].text
        value, revises, label = self._readings[text]
        relation = Revises("contradicts" if revises == "replaces" else "extends", passage.turns[place - 1].id)
        claim = Claim("fact", "Jo", "relation", value, text, revises=relation if revises else None)
        tie = Tie("Jo", "person", "Ann", "person", label)
        start = text.index("Jo")
        extraction = Extraction((Naming("Jo", "person", start, start + 2),), (tie,) if label else ())
        return TurnExtraction(self.made_by, Curation(memorable=True), (Statement(text),), (claim,), extraction)


def relations(readings: Mapping[str, Read]) -> dict[str, bool]:
    """Return the relations of a memory of these turns, each with whether it is past."""
    with open_with(":memory:", Reader(readings)) as memory:
        memory.add([{"text": text, "speaker": "Ann", "session": "s", "at": "2026-01-05"} for text in readings])
        memory.model.run_jobs(concurrency=1)
        return {relation.label: relation.past for relation in memory.graph().relations}


COLLEAGUE = Read("Ann's colleague", label="is a colleague of")


def test_a_relation_is_past_when_the_note_that_tells_it_is_superseded() -> None:
    left = Read("Ann's colleague no more", "replaces")
    assert relations({"I work with Jo.": COLLEAGUE}) == {"is a colleague of": False}
    assert relations({"I work with Jo.": COLLEAGUE, "Jo has retired.": left}) == {"is a colleague of": True}


def test_where_a_note_that_says_more_has_taken_its_place_that_one_tells() -> None:
    more, left = Read("Ann's colleague in the workshop", "extends"), Read("Ann's colleague no more", "replaces")
    readings = {"I work with Jo.": COLLEAGUE, "Jo is in the workshop.": more}
    assert relations(readings) == {"is a colleague of": False}
    assert relations({**readings, "Jo has retired.": left}) == {"is a colleague of": True}


def test_a_note_of_another_matter_or_another_end_tells_nothing_of_a_relation() -> None:
    ended = Read("nothing of the kind", "replaces")
    for value in ("Ann's neighbour", "a colleague of Bea"):
        reading = Read(value, label="is a colleague of")
        assert relations({"I work with Jo.": reading, "Jo has left.": ended}) == {"is a colleague of": False}


def test_a_relation_that_one_turn_still_tells_is_not_past() -> None:
    retired = Read("no more", "replaces")
    readings = {"I work with Jo.": COLLEAGUE, "Jo has retired.": retired, "Jo works with me.": COLLEAGUE}
    assert relations(readings) == {"is a colleague of": False}
