from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.formation import arrangement

from hmem import Memory
from hmem.evolve.reconcile import Reconciler
from hmem.hierarchy.arrangement import Arrangement
from hmem.language.analyst import Stated, Verdict
from hmem.language.analyst.rules import RulesAnalyst
from hmem.write.options import Writing
from hmem.write.pipeline import Former

TOLD = [
    ("I live in Porto.", "2024-01-05"),
    ("I drive a Honda.", "2024-01-20"),
    ("I moved to Lisbon last month.", "2024-03-12"),
    ("I live in Lisbon and love it.", "2024-05-12"),
    ("I sold my car.", "2024-06-12"),
]


def messages() -> list[dict[str, Any]]:
    return [
        {"text": text, "speaker": "Maria", "at": f"{day}T10:00:00Z", "session": day, "message_id": text}
        for text, day in TOLD
    ]


def standing(memory: Memory) -> dict[str, tuple[str, str | None]]:
    notes = {note.id: note.value for note in memory.notes()}
    return {
        f"{note.value} {note.recorded:%m}": (note.status, notes.get(note.successor or "")) for note in memory.notes()
    }


EXPECTED = {
    "Porto 01": ("superseded", "Lisbon"),
    "a Honda 01": ("superseded", "car"),
    "Lisbon 03": ("current", None),
    "Lisbon 05": ("merged", "Lisbon"),
    "car 06": ("current", None),
}


def test_reconcile_revises_a_note_when_the_value_of_its_slot_changes() -> None:
    with Memory(":memory:") as memory:
        memory.add(messages())
        assert standing(memory) == EXPECTED
        assert memory.stats().revised == 2
        assert memory.stats().contradiction_rate == 2 / 5


@pytest.mark.parametrize("order", [[4, 3, 2, 1, 0], [2, 0, 4, 1, 3]])
def test_turns_that_arrive_in_another_order_come_to_the_same(order: Sequence[int]) -> None:
    told = messages()
    with Memory(":memory:") as memory:
        for place in order:
            memory.add(told[place])
        assert standing(memory) == EXPECTED


def test_verdicts_are_stored_with_the_notes_and_found_by_another_process(path: Path) -> None:
    with Memory(path) as memory:
        memory.add(messages())
        pairs = arrangement(memory).revisions.pairs()
        assert len(pairs) == 3
    with Memory(path) as memory:
        assert standing(memory) == EXPECTED
        memory.add("I moved to Rome last month.", speaker="Maria", at="2024-09-01T10:00:00Z")
        assert standing(memory)["Lisbon 03"] == ("superseded", "Rome")


def test_a_deleted_turn_restores_what_it_had_ended() -> None:
    with Memory(":memory:") as memory:
        receipts = memory.add(messages())
        memory.delete(receipts[2].id, receipts[3].id)
        assert standing(memory)["Porto 01"] == ("current", None)
        assert len(arrangement(memory).revisions) == 1


def test_a_retracted_turn_restores_what_it_had_ended_and_undoing_that_ends_it_again() -> None:
    with Memory(":memory:") as memory:
        receipts = memory.add(messages())
        change = memory.retract(receipts[4].id)
        assert standing(memory)["a Honda 01"] == ("current", None)
        memory.undo(change.id)
        assert standing(memory) == EXPECTED


def test_without_reconcile_the_newest_simply_stands_beside() -> None:
    with Memory(":memory:", settings={"reconcile.reconcile": "false"}) as memory:
        memory.add(messages())
        assert {status for status, _ in standing(memory).values()} == {"current"}
        assert len(arrangement(memory).revisions) == 0


def test_the_rule_of_a_slot_can_be_set() -> None:
    with Memory(":memory:", settings={"reconcile.rules": "home=ask"}) as memory:
        memory.add(messages())
        assert standing(memory)["Porto 01"][0] == standing(memory)["Lisbon 03"][0] == "contested"


class _Slipping(RulesAnalyst):
    """An analyst that cannot reconcile."""

    def reconcile(self, pairs: Sequence[tuple[Stated, Stated]]) -> list[Verdict]:
        raise ValueError("no verdict")


class _Sure(RulesAnalyst):
    """An analyst to whom nothing contradicts anything."""

    def reconcile(self, pairs: Sequence[tuple[Stated, Stated]]) -> list[Verdict]:
        return [Verdict("extends", "by a model", "a model") for _ in pairs]


@pytest.mark.parametrize(("analyst", "kept"), [(_Slipping(), 0), (_Sure(), 1)])
def test_the_analyst_judges_and_its_slips_keep_nothing_from_being_formed(analyst: RulesAnalyst, kept: int) -> None:
    with Memory(":memory:", recipe="flat") as memory:
        memory.add(messages()[::2][:2])
        other = Arrangement(memory.corpus)
        former = Former(memory.corpus, other, analyst, Writing(), Reconciler(other, analyst).arrived)
        assert former.form() == 2
        assert len(arrangement(memory).revisions) == kept
        assert len(arrangement(memory).notes) == 2
