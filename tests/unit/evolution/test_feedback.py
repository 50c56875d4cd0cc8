"""Verdicts become entries of the log, one for each turn."""

from typing import Any

import pytest
from tests.formation import derived

from hmem import Memory
from hmem.errors import InvalidQuery, UnknownId
from hmem.evolution.feedback import parse_verdict, record_feedback


@pytest.mark.parametrize(
    ("verdict", "kept"),
    [("approve", "approve"), ("none", "none"), ("reject", "reject"), (2, "2.0"), (0.25, "0.25")],
)
def test_a_verdict_is_kept_as_a_word_or_a_number(verdict: Any, kept: str) -> None:
    assert parse_verdict(verdict) == kept


@pytest.mark.parametrize("verdict", ["", "good", 0, -1, float("nan"), float("inf"), True, None, ["approve"]])
def test_what_is_no_verdict_is_refused(verdict: Any) -> None:
    with pytest.raises(InvalidQuery, match="give one of approve, none, reject"):
        parse_verdict(verdict)


@pytest.mark.example(60)
def test_a_turn_gets_a_verdict_once_by_whatever_stands_on_it(memory: Memory) -> None:
    note = memory.notes()[0]
    turn = note.sources[-1]
    kept = derived(memory)
    with memory.corpus.reading():
        numbers = record_feedback(memory.corpus, kept, [note.id, turn, note.id], "approve", None, "Maria")
        entries = [entry for entry in memory.corpus.storage.recorded() if entry.verb == "feedback"]
    assert len(numbers) == len(entries) == 1
    assert (entries[0].target, entries[0].link, entries[0].after, entries[0].by) == (turn, note.id, "approve", "Maria")
    assert [change.target for change in memory.history(note.id) if change.verb == "feedback"] == [turn]


@pytest.mark.parametrize(
    ("target", "error"),
    [
        ("turn_00000000000000000000000000", UnknownId),
        ("event_00000000000000000000000000", UnknownId),
        ("note_00000000000000000000000000", UnknownId),
        ("node_00000000000000000000000000", InvalidQuery),
        ("nonsense", InvalidQuery),
    ],
)
def test_what_is_not_there_gets_no_verdict_and_nothing_is_kept(
    memory: Memory, target: str, error: type[Exception]
) -> None:
    kept = memory.add("I adopted a puppy named Coco.", speaker="Maria")
    with pytest.raises(error):
        memory.feedback(target, "approve")
    with memory.corpus.reading(), pytest.raises(error):
        record_feedback(memory.corpus, derived(memory), [str(kept.id), target], "approve", None, "Maria")
    assert memory.history() == ()
