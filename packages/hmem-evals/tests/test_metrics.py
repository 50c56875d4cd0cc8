import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem_evals import metrics

IDS = st.sampled_from([f"t{number}" for number in range(12)])
RANKED = st.lists(IDS, unique=True)
GOLD = st.sets(IDS, min_size=1)
KS = st.integers(1, 15)
TEXTS = st.text(max_size=60)


def test_recall_is_the_fraction_found_and_all_and_any_are_its_two_ends():
    ranked, gold = ["a", "x", "b", "y", "c"], ["a", "b", "c", "d"]
    assert metrics.recall(ranked, gold, 3) == 0.5
    assert (metrics.recall_any(ranked, gold, 3), metrics.recall_all(ranked, gold, 3)) == (1, 0)
    assert metrics.recall_all(ranked, ["a", "b"], 3) == 1
    assert metrics.recall_any(ranked, ["c"], 4) == 0


@given(RANKED, GOLD, KS)
def test_all_is_at_most_the_fraction_which_is_at_most_any(ranked, gold, k):
    fraction = metrics.recall(ranked, gold, k)
    assert 0 <= metrics.recall_all(ranked, gold, k) <= fraction <= metrics.recall_any(ranked, gold, k) <= 1
    assert (fraction == 1) == (metrics.recall_all(ranked, gold, k) == 1)
    assert (fraction > 0) == (metrics.recall_any(ranked, gold, k) == 1)


@given(RANKED, GOLD, KS)
def test_recall_never_falls_as_k_grows(ranked, gold, k):
    for metric in (metrics.recall, metrics.recall_all, metrics.recall_any):
        assert metric(ranked, gold, k) <= metric(ranked, gold, k + 1)


@given(RANKED, GOLD)
def test_reciprocal_rank_is_one_over_the_least_k_at_which_something_is_found(ranked, gold):
    value = metrics.reciprocal_rank(ranked, gold)
    first = next((k for k in range(1, len(ranked) + 1) if metrics.recall_any(ranked, gold, k)), None)
    assert value == (0 if first is None else 1 / first)


def test_ndcg_discounts_by_the_logarithm_of_the_rank_plus_one():
    assert metrics.ndcg(["x", "a", "b"], ["a", "b"], 5) == pytest.approx(
        (1 / math.log2(3) + 1 / math.log2(4)) / (1 + 1 / math.log2(3))
    )


@given(RANKED, GOLD, KS)
def test_ndcg_is_one_just_when_the_gold_stands_first(ranked, gold, k):
    value = metrics.ndcg(ranked, gold, k)
    assert -1e-12 <= value <= 1 + 1e-12
    best = len(set(ranked[: min(k, len(gold))]) & gold) == min(k, len(gold))
    assert (value > 1 - 1e-9) == best


@given(GOLD, RANKED, KS)
def test_ndcg_does_not_fall_when_gold_moves_up(gold, ranked, k):
    better = sorted(ranked, key=lambda item: item not in gold)
    assert metrics.ndcg(better, gold, k) >= metrics.ndcg(ranked, gold, k) - 1e-12


def test_a_question_without_evidence_has_no_recall():
    with pytest.raises(ValueError, match="without evidence"):
        metrics.recall(["a"], [], 5)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The   Cat, a dog & an owl!", ["cat", "dog", "owl"]),
        ("self-care", ["selfcare"]),
        ("\uff23oco\uff11 \ufb01sh", ["coco1", "fish"]),
        ("Panda theatre Anna", ["panda", "theatre", "anna"]),
        ("«Olá» \u2013 “então”…", ["olá", "então"]),
        ("the", []),
    ],
)
def test_answers_are_normalised_before_they_are_compared(text, tokens):
    assert metrics.answer_tokens(text) == tokens


def test_token_f1_counts_repeated_tokens_as_often_as_both_have_them():
    assert metrics.token_f1("red red blue", "red green") == pytest.approx(2 * (1 / 3) * (1 / 2) / (1 / 3 + 1 / 2))


def test_bleu1_clips_repeats_and_punishes_brevity():
    assert metrics.bleu1("red red red", "red green blue") == pytest.approx(1 / 3)
    assert metrics.bleu1("red", "red green") == pytest.approx(math.exp(-1))
    assert metrics.bleu1("red green blue gold", "red green") == pytest.approx(0.5)


@given(TEXTS, TEXTS)
def test_f1_and_bleu1_lie_between_0_and_1_and_f1_is_symmetric(answer, gold):
    assert 0 <= metrics.bleu1(answer, gold) <= 1
    assert 0 <= metrics.token_f1(answer, gold) <= 1
    assert metrics.token_f1(answer, gold) == metrics.token_f1(gold, answer)


@given(TEXTS)
def test_an_answer_that_is_the_gold_scores_1(text):
    assert metrics.token_f1(text, text) == metrics.bleu1(text, text) == 1


def test_an_empty_answer_scores_0_against_one_that_is_not():
    assert metrics.token_f1("", "tea") == metrics.bleu1("", "tea") == metrics.bleu1("tea", "") == 0


@given(st.lists(st.floats(-1e6, 1e6), min_size=1), st.floats(0, 100))
def test_a_percentile_lies_within_the_values(values, percent):
    assert min(values) <= metrics.percentile(values, percent) <= max(values)
    assert metrics.percentile(values, 0) == min(values)
    assert metrics.percentile(values, 100) == max(values)


def test_percentiles_interpolate_and_what_has_no_values_has_none():
    assert metrics.percentile([4, 1, 2, 3], 50) == 2.5
    assert metrics.percentile([], 50) is None
    assert metrics.mean([]) is None
    assert metrics.mean([1, 2]) == 1.5
