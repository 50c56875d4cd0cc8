"""JSON of an evaluation, from its outcomes. Field names are a contract; figures that were not measured are None."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol, cast

from hmem.retrieval.scoring.ranker import ranker
from hmem.util.amounts import amount
from hmem_evals import answers, costs, metrics
from hmem_evals.asking import Outcome

TURN_KS: Final = (5, 10, 20)
SESSION_KS: Final = (5, 10)
TIERS: Final = ("cache", "buffer", "archive")

# The rules call no model, so these figures are known.
_NO_MODEL: Final = {"calls": 0, "input_tokens": 0, "output_tokens": 0, "judged_accuracy": None, "repeats": None}

_Metric = Callable[[Sequence[str], Sequence[str], int], float]


class Totals(Protocol):
    """Totals over the memories of an evaluation."""

    embedder: str
    turns: int
    rejected: int
    seconds: float
    truth_bytes: int
    index_bytes: int
    roles: set[str]


def summarise(facts: Mapping[str, Any], outcomes: Sequence[Outcome], totals: Totals) -> dict[str, Any]:
    """Return the figures of a run. ``facts`` describe it; they need ``tokens``, ``depth`` and ``conversations``."""
    recall_outcomes = [outcome for outcome in outcomes if outcome.counts_for_recall]
    run_facts = {name: value for name, value in facts.items() if name not in ("tokens", "depth", "conversations")}
    return {
        **run_facts,
        "embedder": totals.embedder,
        "questions": len(outcomes),
        "left_out": _exclusions(outcomes),
        "recall": _at_turns(metrics.recall, recall_outcomes),
        "recall_all": _at_turns(metrics.recall_all, recall_outcomes),
        "recall_any": _at_turns(metrics.recall_any, recall_outcomes),
        "mrr": _mean([metrics.reciprocal_rank(outcome.ranked, outcome.gold.evidence) for outcome in recall_outcomes]),
        "budget": _budget(facts["tokens"], recall_outcomes),
        "session": _sessions(outcomes),
        "unseen": _unseen(outcomes),
        "by_category": _by_category(outcomes),
        "answer": _rounded_all(answers.summary(_scores(outcomes))),
        "ingest": _ingest(totals),
        "search_ms": milliseconds([outcome.search_ms for outcome in outcomes]),
        "ask_ms": milliseconds([answer.ask_ms for outcome in outcomes for answer in outcome.answers]),
        "model": facts.get("model", _NO_MODEL),
        "retrieval_tokens": {"mean": _mean([outcome.context_tokens for outcome in outcomes], 1)},
        "disk": {"truth_bytes": totals.truth_bytes, "index_bytes": totals.index_bytes},
        "tiers": _tiers(outcomes),
        "notes": _notes(facts, outcomes, recall_outcomes, totals),
    }


def _exclusions(outcomes: Sequence[Outcome]) -> dict[str, int]:
    unanswerable = sum(outcome.question.unanswerable for outcome in outcomes)
    unmeasured = sum(not outcome.counts_for_recall for outcome in outcomes)
    return {"unanswerable": unanswerable, "without_evidence": unmeasured - unanswerable}


def _at_turns(metric: _Metric, outcomes: Sequence[Outcome]) -> dict[str, float | None]:
    return {str(k): _mean([metric(outcome.ranked, outcome.gold.evidence, k) for outcome in outcomes]) for k in TURN_KS}


def _at_sessions(metric: _Metric, outcomes: Sequence[Outcome]) -> dict[str, float | None]:
    return {
        str(k): _mean([metric(outcome.ranked_sessions, outcome.gold.sessions, k) for outcome in outcomes])
        for k in SESSION_KS
    }


def _sessions(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float | None]]:
    """Return session metrics over the answerable questions with gold sessions, with or without evidence turns."""
    session_outcomes = _with_sessions(outcomes)
    session_metrics = {"recall_all": metrics.recall_all, "recall_any": metrics.recall_any, "ndcg": metrics.ndcg}
    return {name: _at_sessions(metric, session_outcomes) for name, metric in session_metrics.items()}


def _unseen(outcomes: Sequence[Outcome]) -> dict[str, Any] | None:
    """Return the figures of the questions that the shipped ranker was not learned from; None if it saw none of them."""
    learned_from = ranker().learned_from
    unseen = [outcome for outcome in outcomes if outcome.question.id not in learned_from]
    if len(unseen) == len(outcomes):
        return None
    recall_outcomes = [outcome for outcome in unseen if outcome.counts_for_recall]
    return {
        "questions": len(unseen),
        "recall": _at_turns(metrics.recall, recall_outcomes),
        "session": _sessions(unseen),
    }


def _with_sessions(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [outcome for outcome in outcomes if not outcome.question.unanswerable and outcome.gold.sessions]


def _budget(tokens: int, recall_outcomes: Sequence[Outcome]) -> dict[str, Any]:
    return {
        "tokens": tokens,
        "recall": _mean([outcome.in_context for outcome in recall_outcomes if outcome.in_context is not None]),
        "tokens_used_mean": _mean([outcome.context_tokens for outcome in recall_outcomes], 1),
    }


def _by_category(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return figures by category; ``questions`` counts all questions, ``measured`` those with a recall."""
    figures: dict[str, Any] = {}
    answer_figures, accuracies = answers.by_category(_scores(outcomes)), costs.by_category(outcomes)
    for name, count in sorted(Counter(outcome.question.category for outcome in outcomes).items()):
        recall_outcomes = [
            outcome for outcome in outcomes if outcome.question.category == name and outcome.counts_for_recall
        ]
        recall = _at_turns(metrics.recall, recall_outcomes)
        scores = _rounded_all(answer_figures.get(name, {"f1": None, "bleu1": None}))
        judge_figures = {"judged_accuracy": accuracies[name]} if accuracies[name] is not None else {}
        figures[name] = {
            "questions": count,
            "measured": len(recall_outcomes),
            "recall": recall,
            **scores,
            **judge_figures,
        }
    return figures


def _scores(outcomes: Sequence[Outcome]) -> list[answers.AnswerScore]:
    """Return the scores of all answers against their gold."""
    return [
        answers.score(
            answer.text if answer.simple is None else answer.simple,
            outcome.question.answer,
            category=outcome.question.category,
            abstained=answer.abstained,
            confidence=answer.confidence,
            unanswerable=outcome.question.unanswerable,
        )
        for outcome in outcomes
        for answer in outcome.answers
    ]


def _tiers(outcomes: Sequence[Outcome]) -> dict[str, float | None]:
    """Return the share of searches that ended in each tier; None for a recipe without tiers."""
    final_tiers = [outcome.tier for outcome in outcomes if outcome.tier is not None]
    return {name: _mean([float(tier == name) for tier in final_tiers]) for name in TIERS}


def _ingest(totals: Totals) -> dict[str, Any]:
    return {**rate(totals.turns, totals.seconds), "rejected": totals.rejected}


def _notes(
    facts: Mapping[str, Any], outcomes: Sequence[Outcome], recall_outcomes: Sequence[Outcome], totals: Totals
) -> dict[str, Any]:
    """Return metric, level, split, number of questions and roles, without which figures cannot be compared."""
    with_evidence = amount(len(recall_outcomes), "question")
    with_sessions = amount(len(_with_sessions(outcomes)), "answerable question")
    return {
        "recall": f"turns, mean fraction of the evidence, {with_evidence}: answerable, with evidence",
        "session": f"as a search for sessions ranks them, {with_sessions}",
        "ndcg": "binary gains, log2(rank + 1)",
        "budget": "evidence turns whose whole text stands in the context",
        "split": f"{amount(facts['conversations'], 'conversation')}, {amount(len(outcomes), 'question')}",
        "depth": facts["depth"],
        "roles": sorted(totals.roles) or "speakers without roles",
        "search_ms": "k=10, embedding of the question included",
        "answer": "token F1 after simplification, numbers and dates of both sides written one way; plain: without that",
    }


def rate(turns: int, seconds: float) -> dict[str, Any]:
    """Return turns, seconds and turns per second."""
    return {
        "turns": turns,
        "seconds": round(seconds, 3),
        "turns_per_s": round(turns / seconds, 1) if seconds else None,
    }


def milliseconds(values: Sequence[float]) -> dict[str, float | None]:
    """Return the median and the 95th percentile of milliseconds."""
    return {f"p{percent}": _rounded(metrics.percentile(values, percent), 3) for percent in (50, 95)}


def _mean(values: Sequence[float], digits: int = 4) -> float | None:
    return _rounded(metrics.mean(values), digits)


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _rounded_all(value: Any) -> Any:
    """Return nested figures, each rounded to 4 digits."""
    if isinstance(value, Mapping):
        return {name: _rounded_all(entry) for name, entry in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list):
        return [_rounded_all(entry) for entry in cast("list[Any]", value)]
    return round(value, 4) if isinstance(value, float) else value
