"""Claims that revise notes, whatever their slots are called."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import pytest
from tests.models import Derived, open_with

from hmem import Memory
from hmem.language.analyst import Claim, Curation, Passage, Statement
from hmem.language.analyst.base import Extraction, Naming, Revises, TurnExtraction
from hmem.model.entity import EntityType
from hmem.model.turn import Turn

Claimed = Callable[[Passage, int], Claim]


class Scripted(Derived):
    """Model that claims of each turn what a function makes of it."""

    def __init__(self, claimed: Claimed) -> None:
        super().__init__()
        self._claimed = claimed

    def read(self, passage: Passage, persona: str = "") -> list[TurnExtraction]:
        self._called(passage)
        self.passages.append(passage)
        return [
            TurnExtraction(
                self.made_by, Curation(memorable=True), (Statement(turn.text),), (self._claimed(passage, place),)
            )
            for place, turn in enumerate(passage.turns)
            if place >= passage.start
        ]


BLUE, GREEN = "The dashboard button was blue.", "The dashboard button was painted green."
DAYS = ("2025-01-05", "2025-03-12", "2025-04-01")


def said(*texts: str, speakers: Sequence[str] = ("Ann",) * 3, together: bool = False) -> list[dict[str, Any]]:
    return [
        {"text": text, "speaker": speaker, "session": "s" if together else day, "at": f"{day}T10:00:00Z"}
        for text, speaker, day in zip(texts, speakers, DAYS, strict=False)
    ]


def claiming(relation: Any, *slots: str) -> Claimed:
    """Claim of the second turn and later ones that they have to do with the last note shown, or the turn before."""
    wordings = dict(zip((BLUE, GREEN), slots, strict=False))

    def claimed(passage: Passage, place: int) -> Claim:
        text = passage.turns[place].text
        revises = None
        if passage.notes:
            revises = Revises(relation, passage.notes[-1].turn, passage.notes[-1].text)
        elif place:
            revises = Revises(relation, passage.turns[place - 1].id)
        subject = "button" if text == BLUE else "dashboard"
        return Claim("fact", subject, wordings.get(text, "noted"), text.split()[-1], text, revises=revises)

    return claimed


def statuses(memory: Memory) -> dict[str, str]:
    return {note.text: note.status for note in memory.notes()}


WORDINGS = [("colour", "colour"), ("colour", "paint"), ("is", "event"), ("look", "renovation")]


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("slots", WORDINGS)
def test_the_button_was_blue_and_was_painted_green_in_every_wording(slots: tuple[str, str], together: bool) -> None:
    model = Scripted(claiming("contradicts", *slots))
    with open_with(":memory:", model) as memory:
        memory.add(said(BLUE, GREEN, together=together))
        memory.model.run_jobs(concurrency=1)
        assert statuses(memory) == {BLUE: "superseded", GREEN: "current"}
        assert memory.verify().problems == ()
        if not together:
            assert [note.text for note in model.passages[1].notes] == [BLUE]


def test_what_a_model_does_not_name_stands_though_the_slot_is_the_same() -> None:
    with open_with(
        ":memory:", Scripted(lambda passage, at: Claim("fact", "Ann", "home", "x", passage.turns[at].text))
    ) as memory:
        memory.add(said("I live in Porto.", "I live in Lisbon."))
        memory.model.run_jobs(concurrency=1)
        assert set(statuses(memory).values()) == {"current"}


def test_what_is_said_again_is_merged_and_what_says_more_takes_the_place() -> None:
    for relation, expected in (
        ("same", {BLUE: "current", GREEN: "merged"}),
        ("extends", {BLUE: "merged", GREEN: "current"}),
    ):
        with open_with(":memory:", Scripted(claiming(relation, "colour", "paint"))) as memory:
            memory.add(said(BLUE, GREEN))
            memory.model.run_jobs(concurrency=1)
            assert statuses(memory) == expected


@pytest.mark.parametrize(("other", "older"), [("Bob", "contested"), ("assistant", "current")])
def test_the_words_of_another_dispute_and_do_not_replace(other: str, older: str) -> None:
    with open_with(":memory:", Scripted(claiming("contradicts", "colour", "paint"))) as memory:
        memory.add(said(BLUE, GREEN, speakers=("Ann", other)))
        memory.model.run_jobs(concurrency=1)
        assert statuses(memory) == {BLUE: older, GREEN: "contested"}


def test_what_revises_a_superseded_note_revises_the_one_that_took_its_place() -> None:
    red = "The dashboard button is red."
    with open_with(":memory:", Scripted(claiming("contradicts", "colour", "paint"))) as memory:
        memory.add(said(BLUE, GREEN, red))
        memory.model.run_jobs(concurrency=1)
        assert statuses(memory) == {BLUE: "superseded", GREEN: "superseded", red: "current"}


def test_what_revises_a_repeat_revises_the_note_that_is_repeated() -> None:
    not_green = "The dashboard button is not green."

    def claimed(passage: Passage, place: int) -> Claim:
        turns = passage.turns
        revises = Revises("same" if place == 1 else "contradicts", turns[place - 1].id) if place else None
        return Claim("fact", "button", "colour", "green", turns[place].text, positive=place < 2, revises=revises)

    with open_with(":memory:", Scripted(claimed)) as memory:
        memory.add(said(GREEN, f"Yes. {GREEN}", not_green, together=True))
        memory.model.run_jobs(concurrency=1)
        assert statuses(memory) == {GREEN: "superseded", f"Yes. {GREEN}": "merged", not_green: "current"}


class Clerk(Scripted):
    """Model that claims the firmware and the fault that a turn tells, which replace those of the turn before."""

    def read(self, passage: Passage, persona: str = "") -> list[TurnExtraction]:
        def claims(place: int) -> tuple[Claim, ...]:
            text = passage.turns[place].text
            revises = Revises("contradicts", passage.turns[place - 1].id) if place else None
            values = zip(("fault", "firmware"), reversed(text.split(" has ")), strict=True)
            return tuple(Claim("fact", "meter", slot, value, text, revises=revises) for slot, value in values)

        return [
            TurnExtraction(self.made_by, Curation(memorable=True), (Statement(turn.text),), claims(place))
            for place, turn in enumerate(passage.turns)
        ]


def test_of_the_notes_of_a_turn_the_one_in_the_claims_slot_is_revised() -> None:
    with open_with(":memory:", Clerk(claiming("contradicts"))) as memory:
        memory.add(said("Firmware 4.2.1 has the wrong sign.", "Firmware 4.2.2 has no wrong sign.", together=True))
        memory.model.run_jobs(concurrency=1)
        assert {(note.slot, note.value, note.status) for note in memory.notes()} == {
            ("firmware", "Firmware 4.2.1", "superseded"), ("fault", "the wrong sign.", "superseded"),
            ("firmware", "Firmware 4.2.2", "current"), ("fault", "no wrong sign.", "current"),
        }  # fmt: skip


def test_a_rebuilt_memory_has_the_same_revisions() -> None:
    with open_with(":memory:", Scripted(claiming("contradicts", "is", "event"))) as memory:
        memory.add(said(BLUE, GREEN))
        memory.model.run_jobs(concurrency=1)
        memory.rebuild()
        assert statuses(memory) == {BLUE: "superseded", GREEN: "current"}


def of(other: str, relation: Literal["contradicts", "extends"]) -> Claimed:
    """Claim the first plan of Ann and the second one of another, which revises what was claimed before."""

    def claimed(passage: Passage, place: int) -> Claim:
        text = passage.turns[place].text
        revises = Revises(relation, passage.notes[-1].turn, passage.notes[-1].text) if passage.notes else None
        return Claim("fact", "Ann" if text == BLUE else other, "plan", text.split()[-1], text, revises=revises)

    return claimed


def test_what_is_told_of_one_person_revises_no_note_about_another() -> None:
    with open_with(":memory:", Scripted(of("Bob", "extends"))) as memory:
        memory.add(said(BLUE, GREEN, speakers=("Ann", "Bob")))
        memory.model.run_jobs(concurrency=1)
        assert {(note.subject, note.status) for note in memory.notes()} == {("Ann", "current"), ("Bob", "current")}


def test_a_person_may_be_called_by_a_longer_name() -> None:
    with open_with(":memory:", Scripted(of("Ann Berg", "contradicts"))) as memory:
        memory.add(said(BLUE, GREEN))
        memory.model.run_jobs(concurrency=1)
        assert statuses(memory) == {BLUE: "superseded", GREEN: "current"}


class Builder(Scripted):
    """Model that names what a turn is about, and says that a turn replaces what the one before tells of it."""

    def __init__(self, subject: str, kind: EntityType) -> None:
        super().__init__(self._claim)
        self._subject = subject
        self._kind: EntityType = kind

    def _claim(self, passage: Passage, place: int) -> Claim:
        text = passage.turns[place].text
        before = passage.turns[place - 1].id if place else passage.notes[-1].turn if passage.notes else ""
        return Claim("fact", self._subject, "time", text, text, revises=Revises("contradicts", before))

    def read(self, passage: Passage, persona: str = "") -> list[TurnExtraction]:
        def named(turn: Turn) -> Extraction:
            start = turn.text.find(self._subject)
            return Extraction((Naming(self._subject, self._kind, start, start + len(self._subject)),))

        readings = super().read(passage, persona)
        return [
            replace(reading, extraction=named(turn)) for reading, turn in zip(readings, passage.targets, strict=True)
        ]


SLOW, FAST = "{} takes 19 minutes.", "{} takes 8 minutes now."


@pytest.mark.parametrize(
    ("teller", "subject", "kind", "together", "expected"),
    [
        ("assistant", "Tidepool", "product", True, ["superseded", "current"]),
        ("Bob", "Tidepool", "product", True, ["superseded", "current"]),
        ("tool", "Tidepool", "product", True, ["current", "contested"]),
        ("assistant", "Tidepool", "product", False, ["current", "contested"]),
        ("assistant", "Clara", "person", True, ["current", "contested"]),
        ("assistant", "Ann's car", "product", True, ["current", "contested"]),
    ],
)
def test_what_is_said_of_a_thing_in_a_talk_outdates_what_was_said_there_whoever_says_it(
    teller: str, subject: str, kind: EntityType, together: bool, expected: list[str]
) -> None:
    texts = [text.format(subject) for text in (SLOW, FAST)]
    with open_with(":memory:", Builder(subject, kind)) as memory:
        memory.add(said(*texts, speakers=("Ann", teller), together=together))
        memory.model.run_jobs(concurrency=1)
        assert [note.status for note in memory.notes()] == expected
