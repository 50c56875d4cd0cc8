from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import exp, log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formation import FormedExample, derived, example, tiers_anew

from hmem import Memory
from hmem.derived.speaker_names import ScopedPerson
from hmem.derived.state import DerivedState
from hmem.model.scope import COMMON
from hmem.model.tier import TierOptions
from hmem.papers.tiers import (
    CODES,
    TierColumns,
    UpperTiers,
    drifted,
    latest,
    retention,
    scores,
    strength,
    tier_columns,
    upper_tiers,
)
from hmem.retrieval.feedback import StrengthOptions

DAY = 86_400
MOMENT = 1_750_000_000.0
ROW = st.tuples(
    st.integers(1, 10),  # importance
    st.floats(-1, 1),  # similarity
    st.integers(1, 50),  # uses
    st.integers(0, 900),  # days since the last use
)


def columns(rows: list[tuple[int, float, int, int]]) -> TierColumns:
    importance, similarity, uses, days = np.array(rows, dtype=np.float64).T
    return TierColumns(importance, similarity, uses, MOMENT - days * DAY)


def score(
    importance: int = 5, similarity: float = 0.3, uses: int = 1, days: int = 10, options: TierOptions | None = None
) -> float:
    return float(scores(columns([(importance, similarity, uses, days)]), MOMENT, options or TierOptions())[0])


def test_the_score_is_the_papers() -> None:
    options = TierOptions(alpha=0.5, beta=2.0, decay=0.03)
    expected = (0.5 * 7 + 2.0 * 0.4) * log(4) * exp(-0.03 * 20 / log(4))
    assert score(7, 0.4, 3, 20, options) == pytest.approx(expected)


def test_a_record_that_was_used_once_keeps_a_part_of_e_after_a_year() -> None:
    assert score(days=365) / score(days=0) == pytest.approx(exp(-1))


@given(ROW)
def test_the_score_rises_with_importance_similarity_and_use_and_falls_with_age(
    row: tuple[int, float, int, int],
) -> None:
    importance, similarity, uses, days = row
    here = score(importance, similarity, uses, days)
    assert here > 0
    assert score(importance + 1, similarity, uses, days) > here
    assert score(importance, similarity + 0.1, uses, days) >= here
    assert score(importance, similarity, uses + 1, days) > here
    assert score(importance, similarity, uses, days + 1) < here


def test_the_ablations_score_by_one_thing_alone() -> None:
    by_importance, by_similarity = TierOptions(scoring="importance"), TierOptions(scoring="similarity")
    assert score(similarity=0.1, options=by_importance) == score(similarity=0.9, options=by_importance)
    assert score(importance=1, options=by_similarity) == score(importance=9, options=by_similarity)


def test_a_persona_has_drifted_at_the_threshold_and_when_there_is_no_anchor() -> None:
    anchor = np.array([1.0, 0.0])
    assert drifted(anchor, None, 0.1)
    assert not drifted(anchor, anchor, 0.1)
    assert not drifted(anchor + np.array([0.0, 0.09]), anchor, 0.1)
    assert drifted(anchor + np.array([0.0, 0.125]), anchor, 0.125)


def strength_of(importance: float = 5, uses: int = 1, days: float = 10, feedback: float = 1.0) -> float:
    columns = [np.array([value]) for value in (importance, uses, MOMENT - days * DAY, feedback)]
    return float(strength(*columns, MOMENT, StrengthOptions())[0])


def test_the_strongest_is_what_is_most_important_and_just_used() -> None:
    assert strength_of(importance=10, days=0) == 1


@given(st.tuples(st.integers(1, 9), st.integers(1, 50), st.integers(1, 900), st.floats(0.2, 2.0)))
def test_strength_rises_with_importance_use_and_approval_and_falls_with_time(row: tuple[int, int, int, float]) -> None:
    importance, uses, days, feedback = row
    here = strength_of(importance, uses, days, feedback)
    assert 0 < here <= 2
    assert strength_of(importance + 1, uses, days, feedback) > here
    assert strength_of(importance, uses + 1, days, feedback) > here
    assert strength_of(importance, uses, days + 10, feedback) < here
    assert strength_of(importance, uses, days, feedback * 1.2) > here


@given(st.integers(0, 100), st.floats(-1e10, 1e10))
def test_what_is_retained_lies_between_nothing_and_all(uses: int, last_used: float) -> None:
    assert 0 <= retention(np.array([uses]), np.array([last_used]), MOMENT, 0.01)[0] <= 1


def test_many_are_weighed_at_once() -> None:
    rows = np.array([[1, 1, MOMENT, 1.0], [10, 3, MOMENT - DAY, 0.5]])
    assert strength(*rows.T, MOMENT, StrengthOptions()).tolist() == pytest.approx(
        [strength_of(1, days=0), strength_of(10, 3, 1, 0.5)]
    )


def columns_of(memory: Memory, kept: DerivedState, seqs: list[int] | None = None) -> tuple[np.ndarray, TierColumns]:
    vectors = {person: persona.vector for person in kept.personas.people() if (persona := kept.personas.get(person))}
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
        assert columns.importance.tolist() == [kept.judgements.get(seq).importance for seq in seqs]  # type: ignore[union-attr]


@pytest.mark.example(150)
def test_turns_are_likened_to_their_own_speakers_persona(memory: Memory) -> None:
    kept = derived(memory)
    with memory.corpus.reading():
        rows, columns = columns_of(memory, kept)
        speakers = memory.corpus.columns.speaker[rows]
        for number in set(speakers.tolist()):
            known = kept.personas.get(ScopedPerson(COMMON, number)) is not None
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


SMALL = TierOptions(sessions=2, pivotal=5, buffer=20)
# Neither a persona's drift nor the day matters: what is kept up can be compared with what is made anew.
PLAIN = TierOptions(sessions=3, pivotal=6, buffer=25, scoring="importance", drift=3.0)
NOW = datetime(2025, 12, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, formed_example: FormedExample) -> Iterator[Memory]:
    """One memory for many examples: what is used in one is used in the next."""
    path = tmp_path_factory.mktemp("filled") / "test.hmem"
    formed_example(path)
    with Memory(path) as memory:
        yield memory


@contextmanager
def held(memory: Memory) -> Iterator[DerivedState]:
    kept = derived(memory)
    with memory.corpus.reading():
        yield kept


def anew(memory: Memory, kept: DerivedState, options: TierOptions) -> dict[str, set[int]]:
    tiers = tiers_anew(memory.corpus, kept, options, NOW)
    return {name: rows for name, rows in tiers.items() if name != "archive"}


def there(tiers: UpperTiers) -> dict[str, set[int]]:
    return {"cache": set(tiers.cache.tolist()), "buffer": set(tiers.buffer.tolist())}


def use(memory: Memory, rows: list[int], times: int = 1, at: datetime = NOW) -> None:
    for _ in range(times):
        memory.corpus.storage.record_uses([(memory.corpus.columns.seq[rows].tolist(), at)])


def begun(memory: Memory, kept: DerivedState, options: TierOptions = SMALL) -> UpperTiers:
    tiers = UpperTiers(memory.corpus, kept, options)
    tiers.refresh(NOW.timestamp())
    return tiers


def archive(memory: Memory, tiers: UpperTiers) -> list[int]:
    upper = there(tiers)
    return sorted({*range(len(memory.corpus.columns))} - upper["cache"] - upper["buffer"])


@pytest.mark.parametrize("options", [SMALL, PLAIN, TierOptions(sessions=0, pivotal=2, buffer=3), TierOptions()])
def test_all_turns_are_in_their_tiers_best_first(ten_months: Memory, options: TierOptions) -> None:
    with held(ten_months) as kept:
        tiers = begun(ten_months, kept, options)
        assert there(tiers) == anew(ten_months, kept, options)
        for rows in (tiers.cache.tolist(), tiers.buffer.tolist()):
            assert rows == sorted(rows, key=lambda row: (tiers.score(row), row), reverse=True)


def test_the_latest_sessions_are_those_with_the_latest_records() -> None:
    assert latest({7: 98, 3: 99, 8: 95, 2: 60, 5: 95}, 4) == (3, 7, 8, 5)


def test_tiers_that_are_kept_up_are_those_that_are_made_anew(memory: Memory) -> None:
    turns = example()
    memory.add(turns[:100])
    with held(memory) as kept:
        tiers = begun(memory, kept, PLAIN)
    for start in range(100, 300, 40):
        memory.add(turns[start : start + 40])
        memory.flush()
        with memory.corpus.reading():
            kept.catch_up()
            use(memory, [start - 60, start - 20], times=3)
            tiers.refresh(NOW.timestamp())
            assert there(tiers) == anew(memory, kept, PLAIN)
            assert tiers.records == start + 40


def test_what_is_deleted_leaves_its_tier_and_nothing_is_scored_anew(path: Path, formed_example: FormedExample) -> None:
    formed_example(path)
    with Memory(path) as memory:
        with held(memory) as kept:
            tiers = begun(memory, kept, PLAIN)
            gone = [memory.corpus.turns(tiers.cache)[row].id for row in tiers.cache[::2].tolist()]
        with memory.corpus.reading():
            memory.corpus.forget([*memory.corpus.storage.locate(gone).values()], (), ())
        for act in (lambda: None, memory.flush):
            act()
            with memory.corpus.reading():
                kept.catch_up()
                tiers.refresh(NOW.timestamp())
                assert there(tiers) == anew(memory, kept, PLAIN)
                assert tiers.scored == 0


def test_rows_that_are_numbered_anew_keep_their_tiers(path: Path, formed_example: FormedExample) -> None:
    formed_example(path)
    with Memory(path) as memory:
        with held(memory) as kept:
            tiers = begun(memory, kept, PLAIN)
        gone = [turn.id for turn in memory.list(limit=30)]
        with memory.corpus.reading():
            memory.corpus.forget([*memory.corpus.storage.locate(gone).values()], (), ())
        memory.corpus.rebuild()
        with memory.corpus.reading():
            assert len(memory.corpus.columns) == tiers.records - 30
            kept.catch_up()
            tiers.refresh(NOW.timestamp())
            assert there(tiers) == anew(memory, kept, PLAIN)
            assert tiers.scored == 0


def test_a_use_by_another_process_is_taken_up(path: Path, formed_example: FormedExample) -> None:
    formed_example(path, 200)
    with Memory(path) as memory, Memory(path) as other:
        with held(memory) as kept:
            tiers = begun(memory, kept)
            low = archive(memory, tiers)[0]
        with other.corpus.reading():
            use(other, [low], times=60)
        with memory.corpus.reading():
            tiers.refresh(NOW.timestamp())
            assert tiers.tier(low) == "cache"
            assert (tiers.promoted, tiers.scored) == (1, 1)


def test_the_archive_is_not_scored_when_one_of_it_is(ten_months: Memory) -> None:
    with held(ten_months) as kept:
        tiers = begun(ten_months, kept)
        low = archive(ten_months, tiers)
        before = {row: tiers.score(row) for row in low}
        tiers.refresh(NOW.timestamp())
        assert tiers.scored == 0
        use(ten_months, low[:3])
        tiers.refresh(NOW.timestamp())
        assert tiers.scored == 3
        assert {row: tiers.score(row) for row in low[3:]} == {row: before[row] for row in low[3:]}
        assert all(tiers.score(row) > before[row] for row in low[:3])


def test_another_day_scores_the_upper_tiers_alone(ten_months: Memory) -> None:
    with held(ten_months) as kept:
        tiers = begun(ten_months, kept)
        before, low = there(tiers), archive(ten_months, tiers)
        scores = [tiers.score(row) for row in low]
        tiers.refresh((NOW + timedelta(days=400)).timestamp())
        assert tiers.scored == sum(map(len, before.values()))
        assert [tiers.score(row) for row in low] == scores
        assert before["cache"] | before["buffer"] == there(tiers)["cache"] | there(tiers)["buffer"]


def moved(kept: DerivedState, distance: float) -> None:
    """Turn the persona of the first speaker so far, as its vector's ends are apart."""
    speaker = kept.personas.people()[0]
    persona = kept.personas.get(speaker)
    assert persona is not None
    one = persona.vector / np.linalg.norm(persona.vector)
    other = np.zeros_like(one)
    other[np.argmin(np.abs(one))] = 1.0
    other -= one * float(one @ other)
    angle = 2 * np.arcsin(distance / 2)
    turned = np.cos(angle) * one + np.sin(angle) * other / np.linalg.norm(other)
    kept.personas.replace(speaker, replace(persona, vector=turned.astype(np.float32)))


def test_a_drift_below_the_gate_changes_nothing(ten_months: Memory) -> None:
    with held(ten_months) as kept:
        tiers = begun(ten_months, kept)
        before, anchors, scores = there(tiers), dict(tiers.anchors), [tiers.score(row) for row in tiers.cache.tolist()]
        moved(kept, 0.09)
        tiers.refresh(NOW.timestamp())
        assert (tiers.scored, there(tiers)) == (0, before)
        assert all(tiers.anchors[speaker] is anchors[speaker] for speaker in anchors)
        # What is used meanwhile is likened to the anchor too.
        row = int(tiers.cache[0])
        use(ten_months, [row])
        tiers.refresh(NOW.timestamp())
        assert tiers.scored == 1
        assert tiers.score(row) > scores[0]


def test_a_drift_past_the_gate_scores_the_upper_tiers_and_moves_the_anchor(ten_months: Memory) -> None:
    with held(ten_months) as kept:
        tiers = begun(ten_months, kept)
        rows, low = np.concatenate([tiers.cache, tiers.buffer]), archive(ten_months, tiers)
        scores = [tiers.score(row) for row in low]
        importances = [kept.judgements.get(seq) for seq in kept.judgements.seqs()]
        moved(kept, 0.5)
        tiers.refresh(NOW.timestamp())
        assert tiers.scored == len(rows)
        speaker = kept.personas.people()[0]
        assert np.array_equal(tiers.anchors[speaker], kept.personas.get(speaker).vector)  # type: ignore[union-attr]
        assert [tiers.score(row) for row in low] == scores
        assert [kept.judgements.get(seq) for seq in kept.judgements.seqs()] == importances
        # It drifts from where the anchor is now.
        tiers.refresh(NOW.timestamp())
        assert tiers.scored == len(rows)


@given(uses=st.lists(st.tuples(st.integers(0, 299), st.integers(-900, 900)), min_size=1, max_size=12))
def test_a_use_lowers_no_tier_and_the_sizes_hold(filled: Memory, uses: list[tuple[int, int]]) -> None:
    with held(filled) as kept:
        tiers = begun(filled, kept)
        pivotal, buffer = len(tiers.pivotal), len(tiers.buffer)
        for row, days in uses:
            before = CODES.index(tiers.tier(row))
            use(filled, [row], at=NOW + timedelta(days=days))
            tiers.refresh(NOW.timestamp())
            assert CODES.index(tiers.tier(row)) <= before
            assert (len(tiers.pivotal), len(tiers.buffer), len(tiers.sessions)) == (pivotal, buffer, 2)
            upper = [*tiers.cache.tolist(), *tiers.buffer.tolist()]
            assert len(set(upper)) == len(upper)
            assert (np.diff([tiers.score(each) for each in tiers.buffer.tolist()]) <= 0).all()


@pytest.mark.example(60)
def test_the_state_is_shared_and_goes_with_its_memory(memory: Memory) -> None:
    with held(memory) as kept:
        assert upper_tiers(memory.corpus, kept, SMALL) is upper_tiers(memory.corpus, kept, SMALL)
        assert upper_tiers(memory.corpus, kept, PLAIN) is not upper_tiers(memory.corpus, kept, SMALL)


def test_an_empty_memory_has_empty_tiers(memory: Memory) -> None:
    with held(memory) as kept:
        tiers = begun(memory, kept)
        tiers.refresh()
        assert (len(tiers.cache), len(tiers.buffer), tiers.records, tiers.sessions) == (0, 0, 0, ())
