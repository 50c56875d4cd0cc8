from datetime import UTC, datetime

import numpy as np
import pytest
from tests.formation import derived

from hmem import Memory
from hmem.derived.speaker_names import ScopedPerson
from hmem.derived.state import DerivedState
from hmem.model.scope import COMMON
from hmem.papers.tiers import TierColumns, tier_columns


def columns_of(memory: Memory, kept: DerivedState, seqs: list[int] | None = None) -> tuple[np.ndarray, TierColumns]:
    vectors = {person: persona.vector for person in kept.personas.people() if (persona := kept.personas.of(person))}
    return tier_columns(memory.corpus, kept, kept.judgements.seqs() if seqs is None else seqs, vectors)


@pytest.mark.example(60)
def test_there_is_a_row_for_each_turn_with_its_importance(memory: Memory) -> None:
    kept = derived(memory)
    with memory.corpus.reading():
        rows, columns = columns_of(memory, kept)
        assert len(rows) == len(columns.uses) == 60
        assert columns.importance.min() >= 1
        assert columns.importance.max() <= 10
        assert set(columns.uses.tolist()) == {1}
        seqs = memory.corpus.columns.seq[rows].tolist()
        assert columns.importance.tolist() == [kept.judgements.of(seq).importance for seq in seqs]  # type: ignore[union-attr]


@pytest.mark.example(150)
def test_turns_are_likened_to_their_own_speakers_persona(memory: Memory) -> None:
    kept = derived(memory)
    with memory.corpus.reading():
        rows, columns = columns_of(memory, kept)
        speakers = memory.corpus.columns.speaker[rows]
        for number in set(speakers.tolist()):
            known = kept.personas.of(ScopedPerson(COMMON, number)) is not None
            assert bool(columns.similarity[speakers == number].any()) == known


@pytest.mark.example(20)
def test_uses_count_from_the_writing_and_set_the_time_of_the_last(memory: Memory) -> None:
    kept, later = derived(memory), datetime(2026, 1, 1, tzinfo=UTC)
    with memory.corpus.reading():
        seqs = memory.corpus.columns.seq[[3, 5]].tolist()
        memory.corpus.storage.record_uses([(seqs, later)])
        memory.corpus.storage.record_uses([(seqs[1:], datetime(2000, 1, 1, tzinfo=UTC))])
        rows, columns = columns_of(memory, kept)
        uses = dict(zip(rows.tolist(), columns.uses.tolist(), strict=True))
        assert {row: count for row, count in uses.items() if count > 1} == {3: 2, 5: 3}
        used = np.isin(rows, [3, 5])
        assert (columns.last_used[used] == later.timestamp()).all()
        assert (columns.last_used[~used] == memory.corpus.columns.said[rows[~used]] // 1_000_000).all()
    assert sorted(record.uses for record in memory.tiers().cache)[-2:] == [2, 3]


@pytest.mark.example(60)
def test_some_turns_stand_as_they_do_among_all(memory: Memory) -> None:
    kept = derived(memory)
    with memory.corpus.reading():
        rows, columns = columns_of(memory, kept)
        chosen = memory.corpus.columns.seq[[40, 7, 8]].tolist()
        memory.corpus.storage.record_uses([(chosen[:1], datetime(2026, 1, 1, tzinfo=UTC))])
        some, stands = columns_of(memory, kept, [*chosen, 999_999])
        assert some.tolist() == [40, 7, 8]
        assert stands.uses.tolist() == [2, 1, 1]
        at = [rows.tolist().index(row) for row in some.tolist()]
        assert stands.importance.tolist() == columns.importance[at].tolist()
        assert np.allclose(stands.similarity.astype(float), columns.similarity[at].astype(float), atol=1e-6)


def test_an_empty_memory_stands_nowhere(memory: Memory) -> None:
    with memory.corpus.reading():
        rows, columns = columns_of(memory, derived(memory))
        assert len(rows) == len(columns.uses) == 0
    assert memory.tiers().counts == {"cache": 0, "buffer": 0, "archive": 0}
