"""Whoever works finds the pairs of notes that a model is to judge."""

from pathlib import Path
from typing import Any

import pytest
from tests.formation import derived, example
from tests.models import MODEL, Derived, open_with

from hmem import Memory
from hmem.derived.note_states import NoteStates
from hmem.derived.notes import KeptNote
from hmem.errors import ModelUnavailable
from hmem.evolution.analyse import WorkOptions
from hmem.evolution.compose import due_pairs
from hmem.language.analyst import Stated, Verdict
from hmem.language.analyst.language_model import WriteRequest, WriteResult
from hmem.storage.model_queue import PAIRED, READINGS


class Mild(Derived):
    """Says of every pair that each claim holds by itself."""

    def write(self, work: WriteRequest) -> WriteResult:
        written = super().write(work)
        verdicts = tuple(Verdict("independent", "two homes", self.made_by) for _ in work.pairs)
        return WriteResult(
            written.made_by, written.summaries, written.topics, written.profiles, written.personas, verdicts
        )


TALK = [
    {"text": f"I live in {place}.", "speaker": "Maria", "session": place, "at": f"2025-0{month}-01T10:00:00Z"}
    for month, place in ((1, "Lisbon"), (2, "Porto"), (3, "Faro"))
]


def due(memory: Memory) -> list[tuple[str, str]]:
    pairs, last = due_pairs(memory.corpus, memory._components.formation.derived)
    assert last == int(memory.corpus.storage.state().settings.get(READINGS, "0"))
    return [(each.stated[0].claim.value, each.stated[1].claim.value) for each in pairs]


def statuses(memory: Memory) -> list[str]:
    return [note.status for note in memory.notes()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.hmem"


def test_pairs_are_due_when_a_model_read_the_newer_of_them_and_until_they_are_judged(path: Path) -> None:
    model = Mild()
    with open_with(path, model) as memory:
        memory.add(TALK)
        assert due(memory) == []
        memory.work(limit=3)
        assert due(memory) == [("Lisbon", "Porto"), ("Porto", "Faro")]
        assert statuses(memory) == ["superseded", "superseded", "current"]
        memory.work()
        assert due(memory) == []
        assert statuses(memory) == ["current"] * 3
        assert memory.work().calls == 0


def test_a_note_is_compared_with_the_older_one_as_it_is_read_now(path: Path) -> None:
    with open_with(path, Mild()) as memory:
        memory.add(TALK[:2])
        # The older turn is read, and formed again, before the newer one.
        for _ in TALK[:2]:
            memory.work(limit=1)
        memory.work()
        assert statuses(memory) == ["current"] * 2


def test_another_process_finds_what_one_that_ended_left(path: Path) -> None:
    with open_with(path, Mild()) as memory:
        memory.add(TALK[:2])
        # The turns are read and formed; then it ends before the pair is judged.
        assert memory.work(limit=2).left == 0
    model = Mild()
    with open_with(path, model) as memory:
        assert statuses(memory) == ["superseded", "current"]
        memory.work()
        assert sum(len(work.pairs) for work in model.works) == 1
        assert statuses(memory) == ["current"] * 2
        assert memory.work().calls == 0
    with open_with(path, model) as memory:
        memory.rebuild()
        assert statuses(memory) == ["current"] * 2
        assert memory.work().calls == 0
        assert memory.verify().problems == ()


def test_a_verdict_that_was_kept_and_not_taken_up_is_taken_up_by_the_next(path: Path) -> None:
    with open_with(path, Mild()) as memory:
        memory.add(TALK[:2])
        memory.work(limit=2)
        memory.corpus.model_queue.renumber = lambda _: None  # type: ignore[method-assign] - it was killed before
        memory.work()
        memory.corpus.storage.put_settings({PAIRED: None})
        assert statuses(memory) == ["superseded", "current"]
    with open_with(path, Mild()) as memory:
        assert memory.work().calls == 0
        assert statuses(memory) == ["current"] * 2


def test_what_could_not_be_asked_stays_due(path: Path) -> None:
    def away(_: int, asked: Any) -> None:
        if isinstance(asked, WriteRequest):
            raise ModelUnavailable("nobody is there", 60.0)

    with open_with(path, Mild(fails=away), working=WorkOptions(patience=0.1)) as memory:
        memory.add(TALK[:2])
        memory.work()
        assert due(memory) == [("Lisbon", "Porto")]
    with open_with(path, Mild()) as memory:
        memory.work()
        assert due(memory) == []
        assert statuses(memory) == ["current"] * 2


def test_what_is_told_late_of_an_earlier_time_is_left_to_the_rules(path: Path) -> None:
    with open_with(path, Mild()) as memory:
        memory.add([TALK[1], TALK[0], TALK[2]])
        memory.work()
        verdicts = derived(memory).revisions
        judged = {verdicts.of(*pair).made_by for pair in verdicts.pairs() if verdicts.of(*pair) is not None}
        assert MODEL in judged
        assert memory.work().calls == 0


def test_after_forgetting_what_is_left_is_looked_at_again(path: Path) -> None:
    with open_with(path, Mild()) as memory:
        memory.add(TALK)
        memory.work()
        assert PAIRED in memory.corpus.storage.state().settings
        memory.forget(memory.list()[1].id)
        assert PAIRED not in memory.corpus.storage.state().settings
        memory.work()
        memory.work()
        assert due(memory) == []
        assert set(statuses(memory)) == {"current"}


def test_the_pairs_are_those_that_formation_compared(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    met, ours = set[tuple[int, int]](), NoteStates.compared

    def compared(self: NoteStates, note: KeptNote) -> tuple[Stated, list[tuple[int, Stated]]]:
        found = ours(self, note)
        met.update((number, note.number) for number, _ in found[1])
        return found

    with open_with(path, Derived()) as memory:
        monkeypatch.setattr(NoteStates, "compared", compared)
        memory.add([*example(200), *TALK])
        with memory.corpus.reading():
            kept = memory._components.formation.derived
            slots = {(note.about, note.slot) for note in kept.notes.all()}
            assert {pair for slot in slots for pair, _ in kept.note_states.candidate_pairs(*slot)} == met
        assert len(met) > 3
