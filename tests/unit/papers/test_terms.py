from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recall import query, sources
from tests.support import chatter

from hmem import Memory
from hmem.model.span import Span
from hmem.papers import terms as similar
from hmem.papers.terms import Similarity, best_of, nearness, robustness, share_within, temporal
from hmem.retrieval.scoring.combine import weighted_sum
from hmem.retrieval.sources import Sources

YEAR = 365 * 86_400.0
ages = st.floats(-10, 50, allow_nan=False).map(lambda years: years * YEAR)
merges = st.integers(0, 10_000)


def robust(age: float, times: int) -> float:
    return float(robustness(0.0, np.array([-age]), np.array([times]))[0])


def test_after_a_year_without_consolidation_0_368_is_left() -> None:
    assert robust(YEAR, 0) == pytest.approx(0.368, abs=5e-4)


@given(ages, merges)
def test_r_lies_between_0_and_1(age: float, times: int) -> None:
    assert 0 <= robust(age, times) <= 1


@given(ages, ages, merges)
def test_r_falls_with_age(one: float, other: float, times: int) -> None:
    young, old = sorted((one, other))
    assert robust(young, times) >= robust(old, times)


@given(ages, merges, merges)
def test_r_rises_with_consolidation(age: float, one: int, other: int) -> None:
    few, many = sorted((one, other))
    assert robust(age, many) >= robust(age, few)


def test_what_is_consolidated_after_the_question_is_as_fresh_as_can_be() -> None:
    assert robust(-YEAR, 0) == 1


def test_a_shorter_tau_forgets_faster() -> None:
    refreshed, times = np.array([-YEAR]), np.array([0])
    assert robustness(0.0, refreshed, times, tau_days=30)[0] < robustness(0.0, refreshed, times)[0]


SESSIONS = np.repeat(np.arange(4, dtype=np.int32), 25)


def test_the_best_value_of_each_owner_counts_and_none_is_minus_1() -> None:
    values = np.array([0.2, 0.7, 0.1], np.float32)
    assert best_of(np.array([0, 0, 2]), values, 3) == pytest.approx([0.7, -1, 0.1])


def reached(seeds: list[int], scores: list[float], decay: float = 0.5) -> dict[int, float]:
    rows, values = nearness(np.array(seeds, np.int64), np.array(scores, np.float32), SESSIONS, decay)
    return dict(zip(rows.tolist(), values.tolist(), strict=True))


def test_what_reaches_a_neighbour_halves_with_each_turn() -> None:
    found = reached([10], [0.8])
    assert found[11] == found[9] == pytest.approx(0.4)
    assert found[12] == found[8] == pytest.approx(0.2)


def test_a_seed_does_not_reach_itself_but_another_seed_does() -> None:
    assert 10 not in reached([10], [0.8])
    assert reached([10, 11], [0.8, 0.2])[11] == pytest.approx(0.4)


def test_of_several_seeds_the_one_that_gives_most_counts() -> None:
    assert reached([10, 14], [0.8, 0.4])[12] == pytest.approx(0.2)


def test_nothing_reaches_another_session() -> None:
    assert set(reached([24], [1.0])) == set(range(19, 24))


def test_without_seeds_or_decay_nothing_is_reached() -> None:
    assert reached([], []) == {}
    assert reached([10], [1.0], decay=1.0) == {}


def test_a_seed_unlike_the_question_takes_nothing_away() -> None:
    assert min(reached([10], [-0.4]).values()) == 0


QUESTION = "Did Anna carry the violin to the market?"


@pytest.fixture
def held(memory: Memory) -> Iterator[Sources]:
    memory.add(chatter(300))
    with sources(memory) as opened:
        yield opened


@pytest.mark.parametrize("hybrid", [False, True])
def test_the_best_of_a_large_memory_are_among_its_candidates(
    held: Sources, monkeypatch: pytest.MonkeyPatch, hybrid: bool
) -> None:
    asked = query(held, QUESTION)
    whole = Similarity(held, asked, hybrid=hybrid)
    wanted = whole.best(whole.candidates(10), 5).tolist()
    monkeypatch.setattr(similar, "_MAX_COMPARED_ROWS", 100)
    part = Similarity(held, asked, hybrid=hybrid)
    few = part.candidates(40)
    assert 40 <= len(few) < 300
    assert len(set(part.best(few, 5).tolist()) & set(wanted)) >= 4


@pytest.mark.parametrize("listed", [5, 2_000])
def test_no_candidate_lies_outside_of_what_is_allowed(
    held: Sources, monkeypatch: pytest.MonkeyPatch, listed: int
) -> None:
    monkeypatch.setattr(similar, "_MAX_COMPARED_ROWS", listed)
    allowed = np.zeros(len(held.corpus.columns), np.bool_)
    allowed[::3] = True
    found = Similarity(held, query(held, QUESTION, allowed=allowed), hybrid=True).candidates(20)
    assert allowed[found].all()
    assert len(found) >= 20


def test_terms_are_the_same_for_some_rows_as_for_all(held: Sources, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.array([5, 40, 7])
    whole = Similarity(held, query(held, QUESTION), hybrid=True)
    monkeypatch.setattr(similar, "_MAX_COMPARED_ROWS", 299)
    some = Similarity(held, query(held, QUESTION), hybrid=True)
    one, other = (weighted_sum(each.terms(rows), each.weights) for each in (whole, some))
    assert one.tolist() == pytest.approx(other.tolist(), abs=1e-5)


def test_a_long_turn_is_its_own_window_and_a_short_one_is_seen_among_its_neighbours(memory: Memory) -> None:
    memory.add(chatter(20))
    memory.add(
        [
            {"text": "Where was the violin?", "speaker": "Anna", "session": "s"},
            {
                "text": "Under the stairs. " + "It rained on the harbour all week. " * 20,
                "speaker": "Ben",
                "session": "s",
            },
            {"text": "Thanks, found it", "speaker": "Anna", "session": "s"},
        ]
    )
    with sources(memory) as opened:
        terms = Similarity(opened, query(opened, "Who left the violin under the stairs?"), hybrid=True).terms(
            np.array([20, 21, 22])
        )
    for kind in ("lexical", "semantic"):
        turn, window = terms[f"{kind}.turn"], terms[f"{kind}.window"]
        assert window[1] == turn[1] > 0
        assert window[2] > turn[2]


def test_a_long_neighbour_does_not_drown_a_short_turn(memory: Memory) -> None:
    memory.add(chatter(20))
    short = [
        memory.add(
            [
                {"text": "My sister keeps bees behind the old mill", "speaker": "Anna", "session": session},
                {"text": "The harbour compass points north. " * times, "speaker": "Ben", "session": session},
            ]
        )[0].id
        or ""
        for session, times in (("s", 12), ("t", 60))
    ]
    with sources(memory) as opened:
        rows = opened.corpus.rows_of_ids(short)
        beside_long, beside_longer = opened.corpus.cosines(opened.corpus.vectors_at(rows[:1])[0], rows)[1].tolist()
    assert beside_longer == pytest.approx(beside_long, abs=0.02)


START = datetime(2023, 7, 1, tzinfo=UTC)
BASE = START.timestamp()
DAY = 86_400.0

days = st.floats(-4_000, 4_000, allow_nan=False)
lengths = st.one_of(st.just(0.0), st.floats(0.01, 800))
balances = st.floats(0, 1)


def span(day: float, length: float) -> Span:
    start = START + timedelta(days=day)
    return Span(start, start + timedelta(days=length))


def agreement(day: float, length: float, *spans: Span, balance: float = 0.5) -> float:
    start = np.array([BASE + day * DAY])
    return float(temporal(start, start + length * DAY, spans, balance)[0])


@given(days, lengths, days, lengths, balances)
def test_t_lies_between_0_and_1(day: float, length: float, asked: float, asked_length: float, balance: float) -> None:
    assert 0 <= agreement(day, length, span(asked, asked_length), balance=balance) <= 1


@given(days, st.floats(0.01, 800), balances)
def test_the_very_time_that_is_asked_for_scores_1(day: float, length: float, balance: float) -> None:
    assert agreement(day, length, span(day, length), balance=balance) == pytest.approx(1, abs=1e-4)


@given(lengths, lengths, days, days)
def test_of_two_memories_alike_the_one_nearer_in_time_scores_no_less(
    length: float, asked_length: float, day: float, other: float
) -> None:
    middle = asked_length / 2 - length / 2
    near, far = sorted((day, other), key=abs)
    asked = span(0, asked_length)
    assert agreement(middle + near, length, asked) >= agreement(middle + far, length, asked) - 1e-5


def test_without_a_hint_t_is_0() -> None:
    assert agreement(0, 3) == 0


def test_what_lies_far_off_scores_0_and_not_less() -> None:
    assert agreement(3_000, 1, span(0, 1)) == 0


def test_the_best_of_several_times_asked_for_counts() -> None:
    assert agreement(10, 1, span(100, 1), span(10, 1)) == pytest.approx(agreement(10, 1, span(10, 1)))


def test_an_instant_within_the_time_scores_by_how_near_to_its_middle_it_lies() -> None:
    month = span(0, 30)
    middle, edge = agreement(15, 0, month), agreement(0, 0, month)
    assert middle == pytest.approx(0.5, abs=1e-4)
    assert edge == pytest.approx(0.25, abs=1e-4)


def test_the_share_within_a_time_is_that_of_the_memory() -> None:
    starts = np.array([BASE, BASE + 10 * DAY, BASE + 29 * DAY, BASE + 30 * DAY, BASE])
    ends = np.array([BASE + 365 * DAY, BASE + 11 * DAY, BASE + 31 * DAY, BASE + 30 * DAY, BASE])
    assert share_within(starts, ends, [span(0, 30)]) == pytest.approx([30 / 365, 1, 0.5, 0, 1])


@given(days, lengths, days, lengths)
def test_a_share_lies_between_0_and_1(day: float, length: float, asked: float, asked_length: float) -> None:
    start = np.array([BASE + day * DAY])
    assert 0 <= share_within(start, start + length * DAY, [span(asked, asked_length)])[0] <= 1
