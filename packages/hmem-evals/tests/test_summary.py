import json
import math
from dataclasses import replace

import pytest

from hmem.retrieval.scoring.ranker import ranker
from hmem_evals.asking import Gold, Outcome, TimedAnswer
from hmem_evals.conversations import Question
from hmem_evals.run import Tally
from hmem_evals.summary import milliseconds, rate, summarise

FACTS = {"dataset": "made-up", "recipe": "fusion", "without": [], "analyst": "rules", "replay": False}
HOW = {"conversations": 1, "depth": 100, "tokens": 1_272}


def outcome(ranked, evidence, category="x", sessions=(), ranked_sessions=(), in_context=1.0, unanswerable=False):
    question = Question("q", "Who?", "", category, evidence=tuple(evidence), unanswerable=unanswerable)
    gold = Gold(tuple(evidence), tuple(sessions), ())
    return Outcome(question, gold, tuple(ranked), tuple(ranked_sessions), in_context, 100, 2.0)


def answered(answer, said, category="x", abstained=False, unanswerable=False, tier=None, ask_ms=5.0):
    question = Question("q", "Who?", answer, category, evidence=("a",), unanswerable=unanswerable)
    told = TimedAnswer(said, abstained, 0.9, ask_ms)
    return Outcome(question, Gold(("a",), (), ()), ("a",), (), 1.0, 100, 2.0, told, tier)


def summary(*outcomes):
    return summarise(FACTS | HOW, outcomes, Tally("wordllama", 10, 1, 2.0, 4_096, 8_192, {"user"}))


def test_the_json_has_the_fields_of_the_contract():
    made = summary(outcome(["a"], ["a"]))
    assert {
        "dataset", "recipe", "without", "embedder", "analyst", "questions", "recall", "recall_all", "recall_any",
        "mrr", "budget", "session", "by_category", "answer", "ingest", "search_ms", "model", "retrieval_tokens", "disk",
        "tiers",
    } <= set(made)  # fmt: skip
    assert set(made["recall"]) == set(made["recall_all"]) == set(made["recall_any"]) == {"5", "10", "20"}
    assert set(made["budget"]) == {"tokens", "recall", "tokens_used_mean"}
    assert set(made["session"]) == {"recall_all", "recall_any", "ndcg"}
    assert set(made["by_category"]["x"]) >= {"questions", "recall", "f1", "bleu1"}
    assert set(made["answer"]) >= {"f1", "bleu1", "abstention", "f1_answerable", "macro_f1", "f1_plain", "adversarial"}
    assert set(made["answer"]["abstention"]) == {"precision", "recall"}
    assert set(made["ingest"]) >= {"turns", "seconds", "turns_per_s"}
    assert set(made["search_ms"]) == set(made["ask_ms"]) == {"p50", "p95"}
    assert set(made["model"]) == {"calls", "input_tokens", "output_tokens", "judged_accuracy", "repeats"}
    assert set(made["retrieval_tokens"]) == {"mean"}
    assert set(made["disk"]) == {"truth_bytes", "index_bytes"}
    assert set(made["tiers"]) == {"cache", "buffer", "archive"}
    assert json.loads(json.dumps(made)) == made


def test_recall_is_the_mean_over_the_questions_that_can_be_measured():
    made = summary(
        outcome(["a", "b"], ["a", "z"]),
        outcome(["a"], ["a"]),
        outcome(["a"], ["z"], unanswerable=True),
        outcome(["a"], []),
    )
    assert made["questions"] == 4
    assert made["left_out"] == {"unanswerable": 1, "without_evidence": 1}
    assert made["recall"]["5"] == 0.75
    assert (made["recall_all"]["5"], made["recall_any"]["5"], made["mrr"]) == (0.5, 1, 1)


def test_sessions_are_measured_apart_from_turns():
    made = summary(outcome([], [], sessions=["s1", "s2"], ranked_sessions=["s9", "s1", "s2"], in_context=None))
    assert made["recall"]["5"] is None
    assert made["session"]["recall_all"] == {"5": 1, "10": 1}
    ideal = 1 + 1 / math.log2(3)
    assert made["session"]["ndcg"]["5"] == round((1 / math.log2(3) + 1 / math.log2(4)) / ideal, 4)


def test_what_was_not_measured_is_null_and_never_zero():
    made = summary(outcome(["a"], ["a"], category="adversarial", unanswerable=True))
    assert made["recall"] == {"5": None, "10": None, "20": None}
    assert made["mrr"] is made["budget"]["recall"] is made["answer"]["f1"] is None
    assert made["by_category"]["adversarial"]["questions"] == 1
    assert made["by_category"]["adversarial"]["f1"] is made["ask_ms"]["p50"] is made["tiers"]["cache"] is None
    assert made["by_category"]["adversarial"]["recall"]["10"] is None


def test_a_summary_says_which_level_split_questions_and_roles_it_is_about():
    notes = summary(outcome(["a"], ["a"]))["notes"]
    assert "turns" in notes["recall"]
    assert "1 question:" in notes["recall"]
    assert (notes["roles"], notes["depth"], notes["split"]) == (["user"], 100, "1 conversation, 1 question")


def test_rates_and_times_are_rounded_and_empty_ones_are_null():
    assert rate(10, 4.0) == {"turns": 10, "seconds": 4.0, "turns_per_s": 2.5}
    assert rate(0, 0.0)["turns_per_s"] is None
    assert milliseconds([1, 2, 3]) == {"p50": 2, "p95": 2.9}
    assert milliseconds([]) == {"p50": None, "p95": None}


def test_answers_are_scored_over_all_questions_and_by_category():
    made = summary(
        answered("a dog", "The dog.", "told"),
        answered("Lisbon", "Porto", "told"),
        answered("2 cats", "two cats", "counted"),
        answered("", "", "adversarial", abstained=True, unanswerable=True),
        answered("", "Paris", "adversarial", unanswerable=True),
    )
    assert made["answer"]["f1"] == 0.6
    assert made["answer"]["f1_answerable"] == pytest.approx(2 / 3, abs=1e-4)
    assert (made["answer"]["macro_f1"], made["answer"]["macro_f1_plain"]) == (0.75, 0.5)
    assert made["answer"]["adversarial"] == 0.5
    assert made["answer"]["abstention"] == {"precision": 1, "recall": 0.5}
    assert (made["by_category"]["told"]["f1"], made["by_category"]["counted"]["bleu1"]) == (0.5, 1)
    assert made["ask_ms"] == {"p50": 5, "p95": 5}


def test_the_tiers_are_the_shares_of_the_questions_that_ended_in_each():
    made = summary(*(answered("a", "a", tier=tier) for tier in ("cache", "cache", "archive", "buffer")))
    assert made["tiers"] == {"cache": 0.5, "buffer": 0.25, "archive": 0.25}


def test_questions_that_the_ranker_was_not_learned_from_are_reported_apart(monkeypatch):
    monkeypatch.setattr(ranker(), "learned_from", frozenset(["known"]))
    fresh = outcome(["a"], ["a"], sessions=["s"], ranked_sessions=["s"])
    learned = outcome(["b"], ["a"], sessions=["s"], ranked_sessions=["t"])
    learned = replace(learned, question=replace(learned.question, id=min(ranker().learned_from)))
    made = summary(fresh, learned)
    assert made["recall"]["5"] == made["session"]["recall_all"]["5"] == 0.5
    assert made["unseen"]["questions"] == 1
    assert made["unseen"]["recall"]["5"] == made["unseen"]["session"]["recall_all"]["5"] == 1


def test_nothing_is_reported_apart_where_the_ranker_saw_no_question():
    assert summary(outcome(["a"], ["a"]))["unseen"] is None
