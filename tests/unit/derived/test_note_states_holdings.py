from collections.abc import Container, Sequence
from typing import Any

import pytest

from hmem.derived.changes import Revisions
from hmem.derived.chunks import number_in_turn
from hmem.derived.note_states import NoteStates, ReconcileOptions, SlotOutcomes, claim_of, validity
from hmem.derived.notes import KeptNote, Notes
from hmem.derived.slot_timeline import SlotDecisions
from hmem.language.analyst import Analyst, DatedClaim, Verdict, analyst
from hmem.language.verbatim import VerbatimAnalyst
from hmem.model.scope import COMMON, scoped

SAID = {seq: seq * 1_000 for seq in range(1, 300)}


def note(seq: int, value: str, slot: str = "home", **fields: Any) -> KeptNote:
    return KeptNote(number_in_turn(seq, 0), "profile", "Maria", slot, value, f"Maria: {value}.", **fields)


class World:
    """Notes with their holdings, and what of them was withdrawn."""

    def __init__(self, options: ReconcileOptions | None = None, judge: Analyst | None = None) -> None:
        self.notes, self.revisions, self.outcomes = Notes(), Revisions(), SlotOutcomes()
        self.turns = set[int]()
        self.note_states = NoteStates(
            self.notes,
            self.revisions,
            lambda seqs: [SAID[seq] for seq in seqs],
            lambda note: note.text,
            judge or analyst("rules"),
            options,
            self.absent,
            self.outcomes,
        )
        self.notes.watch = self.note_states.on_note_changed

    def absent(self) -> tuple[Container[int], Container[int]]:
        return self.turns, ()

    def keep(self, *notes: KeptNote) -> None:
        for each in notes:
            self.notes.replace(each.turn, [each])

    def statuses(self) -> list[str]:
        return [self.note_states.state_of(each).status for each in self.notes.all()]


@pytest.fixture
def world() -> World:
    made = World()
    made.keep(note(1, "Porto"), note(2, "Lisbon"))
    return made


def test_a_ledger_keeps_up_with_notes_that_come(world: World) -> None:
    assert world.statuses() == ["superseded", "current"]
    world.keep(note(3, "Rome"), note(4, "Rome"))
    assert world.statuses() == ["superseded", "superseded", "current", "merged"]
    assert world.note_states.canonical(note(4, "Rome")) == note(3, "Rome")


def test_a_note_that_goes_restores_the_one_before(world: World) -> None:
    assert world.statuses() == ["superseded", "current"]
    world.notes.replace(2, ())
    assert world.statuses() == ["current"]


def test_what_is_said_of_an_earlier_day_takes_its_place_in_time(world: World) -> None:
    assert world.statuses() == ["superseded", "current"]
    SAID[200] = 1_500
    world.keep(note(200, "Rome"))
    assert [world.note_states.state_of(each).successor for each in world.notes.all()] == [
        number_in_turn(200, 0), None, number_in_turn(2, 0),
    ]  # fmt: skip
    SAID[200] = 200_000


def test_a_withdrawn_turn_ends_nothing(world: World) -> None:
    assert world.statuses() == ["superseded", "current"]
    world.turns.add(2)
    world.note_states.decide(SlotDecisions())
    assert world.statuses() == ["current", "retracted"]


def test_people_decide_which_note_and_which_rule_holds(world: World) -> None:
    world.note_states.decide(SlotDecisions({number_in_turn(2, 0): "retire"}))
    assert world.statuses() == ["current", "retracted"]
    world.note_states.decide(SlotDecisions(rules={"Maria:home": "ask"}))
    assert world.statuses() == ["contested", "contested"]
    world.note_states.decide(SlotDecisions(rules={"home": "first"}))
    assert world.statuses() == ["current", "superseded"]


def test_a_kept_verdict_goes_before_the_rules(world: World) -> None:
    assert world.statuses() == ["superseded", "current"]
    world.revisions.replace(number_in_turn(1, 0), number_in_turn(2, 0), Verdict("independent", "two homes", "a model"))
    assert world.statuses() == ["current", "current"]


def test_each_note_stands_where_nothing_is_reconciled() -> None:
    world = World(ReconcileOptions(reconcile=False))
    world.keep(note(1, "Porto"), note(2, "Lisbon"))
    assert world.statuses() == ["current", "current"]


def test_a_note_that_people_keep_stands_beside_the_newer_one(world: World) -> None:
    world.note_states.decide(SlotDecisions({number_in_turn(1, 0): "keep"}))
    assert world.statuses() == ["current", "current"]


def test_holdings_are_seen_without_what_was_not_there(world: World) -> None:
    view = world.note_states.viewed_from(lambda: ({2}, ()), SlotDecisions())
    assert view.state_of(note(1, "Porto")).status == "current"
    assert world.statuses() == ["superseded", "current"]


def test_a_note_that_comes_is_compared_with_those_that_stand(world: World) -> None:
    stated, others = world.note_states.compared(note(3, "Rome"))
    assert stated.claim.value == "Rome"
    assert [number for number, _ in others] == [number_in_turn(2, 0)]
    SAID[201] = 500
    assert world.note_states.compared(note(201, "Rome"))[1] == []
    SAID[201] = 201_000


def test_the_rule_of_a_slot_is_that_of_the_subject_then_of_the_slot() -> None:
    options = ReconcileOptions(rule="ask", rules="age=first, Maria:home=most-frequent")
    assert options.rule_of(scoped(COMMON, "Maria"), "home") == "most-frequent"
    assert options.rule_of(scoped(COMMON, "Tom"), "home") == "ask"
    assert options.rule_of(scoped(COMMON, "Tom"), "age") == "first"


def test_a_note_is_the_claim_that_it_was_made_of() -> None:
    kept = note(1, "Porto", start=100, end=200)
    assert claim_of(kept).value == "Porto"
    span = validity(kept)
    assert span is not None and (span.start.timestamp(), span.end.timestamp()) == (100, 200)  # noqa: PT018
    assert validity(note(1, "Porto")) is None


class Lenient(VerbatimAnalyst):
    """Finds no claim to contradict another."""

    def reconcile(self, pairs: Sequence[tuple[DatedClaim, DatedClaim]]) -> list[Verdict]:
        return [Verdict("independent", "lenient", "lenient") for _ in pairs]


class Distinguishing(VerbatimAnalyst):
    """Finds no two claims alike."""

    def likeness(self, stated: DatedClaim) -> frozenset[str]:
        return frozenset({stated.claim.value})


@pytest.mark.parametrize(
    ("judge", "statuses"),
    [
        (None, ["superseded", "current"]),
        (Lenient(), ["current", "current"]),
        (Distinguishing(), ["current", "current"]),
    ],
)
def test_the_analyst_judges_what_no_kept_verdict_does(judge: Analyst | None, statuses: list[str]) -> None:
    world = World(judge=judge)
    world.keep(note(1, "Porto"), note(2, "Lisbon"))
    assert world.statuses() == statuses
