from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formation import FormedExample, derived, example, tiers_anew

from hmem import Memory
from hmem.derived.state import DerivedState
from hmem.model.tier import TierOptions
from hmem.papers.tiers import CODES, UpperTiers, latest, upper_tiers

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
    persona = kept.personas.of(speaker)
    assert persona is not None
    one = persona.vector / np.linalg.norm(persona.vector)
    other = np.zeros_like(one)
    other[np.argmin(np.abs(one))] = 1.0
    other -= one * float(one @ other)
    angle = 2 * np.arcsin(distance / 2)
    turned = np.cos(angle) * one + np.sin(angle) * other / np.linalg.norm(other)
    kept.personas.put(speaker, replace(persona, vector=turned.astype(np.float32)))


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
        importances = [kept.judgements.of(seq) for seq in kept.judgements.seqs()]
        moved(kept, 0.5)
        tiers.refresh(NOW.timestamp())
        assert tiers.scored == len(rows)
        speaker = kept.personas.people()[0]
        assert np.array_equal(tiers.anchors[speaker], kept.personas.of(speaker).vector)  # type: ignore[union-attr]
        assert [tiers.score(row) for row in low] == scores
        assert [kept.judgements.of(seq) for seq in kept.judgements.seqs()] == importances
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
