"""What the analyst read for a lost step is put again, if nothing that it depends on has changed."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from hmem.formation.session_window import Reads, SessionWindow
from hmem.formation.turn_analysis import TurnAnalysis
from hmem.language.analyst import Curation
from hmem.model.turn import Turn

SITTING = 1, ""
NUMBER = 0


def turn(number: int, speaker: str = "Ann") -> Turn:
    at = datetime(2026, 1, 1, 0, number, tzinfo=UTC)
    return Turn(id=f"turn_{number}", text=f"words {number}", speaker=speaker, at=at, session="s")


def item(number: int) -> TurnAnalysis:
    return TurnAnalysis(number, turn(number), 1, np.zeros(4, np.float32))


def window(last: int = 1) -> SessionWindow:
    made = SessionWindow()
    made.add(last, turn(last), 4)
    return made


def kept(*numbers: int) -> Reads:
    reads, before, after, items = Reads(), window(), window(), [item(number) for number in numbers]
    for each in items:
        each.curation, each.cut = Curation(memorable=False, reasons=(f"read {each.seq}",)), "topic"
        after.add(each.seq, each.turn, 4)
    reads.keep(SITTING, before, after, items, NUMBER)
    # What is made of them later changes nothing of what was read.
    items[0].claims, items[0].cut = [], "length"
    return reads


def test_turns_are_filled_in_and_their_window_moves_past_them() -> None:
    reads, present, items = kept(2, 3), window(), [item(2), item(3), item(4)]
    assert reads.rebase(SITTING, present, items, NUMBER) == items[2:]
    assert [(each.curation.reasons, each.cut) for each in items[:2]] == [(("read 2",), "topic"), (("read 3",), "topic")]
    assert (present.last, len(present.turns)) == (3, 3)
    assert items[2].curation == item(4).curation


def test_the_windows_are_as_they_were_before_and_each_time_anew() -> None:
    reads = kept(2)
    for _ in range(2):
        found = reads.windows()[SITTING]
        assert found.equals(window())
        found.add(9, turn(9), 4)


@pytest.mark.parametrize(
    ("present", "items", "number"),
    [
        (window(0), [item(2)], NUMBER),
        (window(), [item(3)], NUMBER),
        (window(), [], NUMBER),
        (window(), [item(2)], NUMBER + 1),
        (window(), [replace(item(2), corrects="note_1")], NUMBER),
        (window(), [replace(item(2), turn=turn(2, "Anne"))], NUMBER),
    ],
)
def test_turns_are_read_again_if_what_they_depend_on_has_changed(
    present: SessionWindow, items: list[TurnAnalysis], number: int
) -> None:
    last = present.last
    assert kept(2).rebase(SITTING, present, items, number) == items
    assert present.last == last
    assert all(each.cut is None for each in items)


def test_what_is_dropped_is_not_put_again() -> None:
    reads, items = kept(2), [item(2)]
    reads.clear()
    assert reads.rebase(SITTING, window(), items, NUMBER) == items
    assert reads.windows() == {}
