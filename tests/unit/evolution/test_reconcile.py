from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.formation import derived

from hmem import Memory
from hmem.derived.state import DerivedState
from hmem.evolution.reconcile import Reconciler
from hmem.formation.config import FormationConfig
from hmem.formation.pipeline import FormationPipeline
from hmem.language.analyst import DatedClaim, Verdict
from hmem.language.verbatim import VerbatimAnalyst

TOLD = [
    ("I live in Porto.", "2024-01-05"),
    ("I drive a Honda.", "2024-01-20"),
    ("I live in Lisbon now.", "2024-03-12"),
    ("I live in Lisbon and love it.", "2024-05-12"),
    ("I work at Siemens.", "2024-06-01"),
    ("I work at Bosch now.", "2024-06-12"),
]


def messages() -> list[dict[str, Any]]:
    return [
        {"text": text, "speaker": "Maria", "at": f"{day}T10:00:00Z", "session": day, "message_id": text}
        for text, day in TOLD
    ]


def standing(memory: Memory) -> dict[str, tuple[str, str | None]]:
    notes = {note.id: note.value for note in memory.notes()}
    return {
        f"{note.value} {note.recorded:%m}": (note.status, notes.get(note.successor or ""))
        for note in memory.notes()
        if note.value
    }


EXPECTED = {
    "Porto 01": ("superseded", "Lisbon"),
    "a Honda 01": ("current", None),
    "Lisbon 03": ("current", None),
    "Lisbon 05": ("merged", "Lisbon"),
    "Siemens 06": ("superseded", "Bosch"),
    "Bosch 06": ("current", None),
}


def test_reconcile_revises_a_note_when_the_value_of_its_slot_changes() -> None:
    with Memory(":memory:") as memory:
        memory.add(messages())
        assert standing(memory) == EXPECTED
        assert memory.stats().revised == 2
        assert memory.stats().contradiction_rate == 2 / 6


@pytest.mark.parametrize("order", [[5, 4, 3, 2, 1, 0], [2, 0, 5, 4, 1, 3]])
def test_turns_that_arrive_in_another_order_come_to_the_same(order: Sequence[int]) -> None:
    told = messages()
    with Memory(":memory:") as memory:
        for place in order:
            memory.add(told[place])
        assert standing(memory) == EXPECTED


def test_verdicts_are_stored_with_the_notes_and_found_by_another_process(path: Path) -> None:
    with Memory(path) as memory:
        memory.add(messages())
        pairs = derived(memory).revisions.pairs()
        assert len(pairs) == 3
    with Memory(path) as memory:
        assert standing(memory) == EXPECTED
        memory.add("I live in Rome now.", speaker="Maria", at="2024-09-01T10:00:00Z")
        assert standing(memory)["Lisbon 03"] == ("superseded", "Rome")


def test_a_deleted_turn_restores_what_it_had_ended() -> None:
    with Memory(":memory:") as memory:
        receipts = memory.add(messages())
        memory.delete(receipts[2].id, receipts[3].id)
        assert standing(memory)["Porto 01"] == ("current", None)
        assert len(derived(memory).revisions) == 1


def test_a_retracted_turn_restores_what_it_had_ended_and_undoing_that_ends_it_again() -> None:
    with Memory(":memory:") as memory:
        receipts = memory.add(messages())
        change = memory.retract(receipts[5].id)
        assert standing(memory)["Siemens 06"] == ("current", None)
        memory.undo(change.id)
        assert standing(memory) == EXPECTED


def test_without_reconcile_the_newest_simply_stands_beside() -> None:
    with Memory(":memory:", settings={"reconcile.reconcile": "false"}) as memory:
        memory.add(messages())
        assert {status for status, _ in standing(memory).values()} == {"current"}
        assert len(derived(memory).revisions) == 0


def test_the_rule_of_a_slot_can_be_set() -> None:
    with Memory(":memory:", settings={"reconcile.rules": "home=ask"}) as memory:
        memory.add(messages())
        assert standing(memory)["Porto 01"][0] == standing(memory)["Lisbon 03"][0] == "contested"


class _Slipping(VerbatimAnalyst):
    """An analyst that cannot reconcile."""

    def reconcile(self, pairs: Sequence[tuple[DatedClaim, DatedClaim]]) -> list[Verdict]:
        raise ValueError("no verdict")


class _Sure(VerbatimAnalyst):
    """An analyst to whom nothing contradicts anything."""

    def reconcile(self, pairs: Sequence[tuple[DatedClaim, DatedClaim]]) -> list[Verdict]:
        return [Verdict("extends", "by a model", "a model") for _ in pairs]


@pytest.mark.parametrize(("analyst", "kept"), [(_Slipping(), 0), (_Sure(), 1)])
def test_the_analyst_judges_and_its_slips_keep_nothing_from_being_formed(analyst: VerbatimAnalyst, kept: int) -> None:
    with Memory(":memory:", recipe="flat") as memory:
        memory.add(messages()[::2][:2])
        other = DerivedState(memory.corpus, analyst)
        formation = FormationPipeline(memory.corpus, other, analyst, FormationConfig(), Reconciler(other, analyst).keep)
        assert formation.form() == 2
        assert len(derived(memory).revisions) == kept
        assert len(derived(memory).notes) == 2


def revisions(memory: Memory) -> list[tuple[str | None, str | None]]:
    return [(each.before, each.after) for each in memory.history() if each.verb == "revise"]


def test_a_revision_is_told_in_the_history_of_both_notes() -> None:
    with Memory(":memory:") as memory:
        memory.add(messages())
        told = [each for each in memory.history() if each.verb == "revise"]
        notes = {note.id: note for note in memory.notes()}
        change = told[0]
        assert change.link is not None
        older, newer = notes[change.target], notes[change.link]
        assert (older.value, newer.value, change.by[:6]) == ("Porto", "Lisbon", "verbat")
        assert (change.before, change.after, change.at) == (older.text, newer.text, newer.recorded)
        assert change.why == older.why
        assert all(change in memory.history(each) for each in (older.id, newer.id))


def test_forming_turns_again_tells_of_revisions_once(path: Path) -> None:
    with Memory(path) as memory:
        memory.add(messages())
        told = revisions(memory)
        assert len(told) == 2
        memory.rebuild()
        assert revisions(memory) == told
    with Memory(":memory:") as memory:
        for message in messages():
            memory.add(message)
        assert revisions(memory) == told


def test_a_revision_that_is_taken_back_lets_both_notes_stand_until_it_is_brought_back() -> None:
    with Memory(":memory:") as memory:
        memory.add(messages())
        change = next(each for each in memory.history() if each.verb == "revise")
        undoing = memory.undo(change.id, why="Maria has two homes")
        assert standing(memory)["Porto 01"] == ("current", None)
        assert standing(memory)["Lisbon 03"] == ("current", None)
        memory.undo(undoing.id)
        assert standing(memory) == EXPECTED


def test_what_is_forgotten_is_told_by_no_revision(path: Path) -> None:
    with Memory(path) as memory:
        receipts = memory.add(messages())
        report = memory.forget(receipts[0].id or "")
        assert "porto" in report.words
        assert [each.before for each in memory.history() if each.verb == "revise"] == [None, "I work at Siemens."]
        assert not memory.verify(report.words).problems


def test_a_rule_that_keeps_the_first_is_told_of_what_came_later() -> None:
    with Memory(":memory:", settings={"reconcile.rules": "home=first"}) as memory:
        memory.add(messages()[:3])
        assert [before for before, _ in revisions(memory)] == ["I live in Lisbon now."]


PLANTS = ("rose", "bean", "leek", "chard", "dill", "sorrel", "lovage", "tansy", "borage", "yarrow", "comfrey", "mallow")


def test_sentences_told_newest_first_are_compared_a_few_times_each(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = list[Any]()
    reconcile = VerbatimAnalyst.reconcile

    def counted(self: VerbatimAnalyst, claims: Sequence[tuple[DatedClaim, DatedClaim]]) -> list[Verdict]:
        pairs.extend(claims)
        return reconcile(self, claims)

    monkeypatch.setattr(VerbatimAnalyst, "reconcile", counted)
    told = [
        {
            "text": f"I planted the {word}s in the garden of my house.",
            "speaker": "Maria",
            "at": f"2024-03-{30 - day:02}T10:00:00Z",
            "session": "spring",
        }
        for day, word in enumerate(PLANTS)
    ]
    with Memory(":memory:") as memory:
        memory.add(told)
        assert memory.notes()
    assert 0 < len(pairs) < len(told) ** 2 / 2
