"""Benchmark of tiers against exhaustive search: time, records compared and recall on the same questions.

A memory holds old turns of any number (``texts``). Then a simulated life adds months of talk (``synthetic``), and each
question about it is asked right after the session that completes its evidence, of the memory with tiers and without.
Tiers can only help then: later, every question is about something old.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, Final, NamedTuple

from hmem.api.memory import Memory
from hmem.errors import InvalidQuery
from hmem.model.evidence import Found
from hmem_evals.asking import Gold
from hmem_evals.bench.apart import Progress, measure_here, measure_in_subprocess
from hmem_evals.bench.texts import blocks
from hmem_evals.conversations import Question
from hmem_evals.metrics import mean, recall
from hmem_evals.run import batches_of
from hmem_evals.summary import TIERS, milliseconds
from hmem_evals.synthetic import generate

RECALL_AT: Final = 10
MIN_RECORDS: Final = 100
SESSIONS: Final = 25

_RECIPE: Final = "orchestrated"
# The self-check by rules ends a search that asks no model.
_GATED: Final = {"tiered.threshold": "0.75"}
_EXHAUSTIVE: Final = {"tiered.tiers": "false", "retrieval.record": "false"}


class _TierQuestion(NamedTuple):
    """One question, each pair with tiers and without: milliseconds, records compared, found message ids."""

    gold: Gold
    has_recall: bool
    tier: str
    ms: tuple[float, float]
    compared: tuple[int, int]
    rankings: tuple[list[str], list[str]]


def run(
    records: int, *, sessions: int = SESSIONS, embedder: str | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """Return ``records, questions, tiers{…}, time_ms{…}, time_ratio, compared{…}, recall{"10"}, by_tier[…]``.

    Ratios are exhaustive over tiers. ``tiers`` is the share of searches that ended in each tier. Times are processor
    times of a whole search for ten, on one thread; ``compared`` is the mean number of records compared to the question.
    ``recall`` is that of the evidence, and ``overlap`` the share of the exhaustive ten that the tiers find.

    Raises:
        InvalidQuery: fewer than ``MIN_RECORDS`` records, or than 2 sessions.
        HmemError: the process that measures failed.
    """
    if records < MIN_RECORDS or sessions < 2:
        raise InvalidQuery(f"tiers need at least {MIN_RECORDS:,} records and 2 sessions - raise them")
    arguments = {"records": records, "sessions": sessions, "embedder": embedder}
    return measure_in_subprocess("hmem_evals.bench.tiers", arguments, "tiers", progress)


def measure(
    records: int, sessions: int = SESSIONS, embedder: str | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """Measure in this process; see ``run``."""
    life = generate(1, sessions=sessions)
    batches = batches_of(life, replay=True)
    with TemporaryDirectory(prefix="hmem-bench-") as folder:
        path = Path(folder) / "tiers.hmem"
        with Memory(path, recipe=_RECIPE, settings=_GATED, embedder=embedder) as memory:
            start = process_time()
            _fill(memory, records - len(life.messages), progress)
            seconds = process_time() - start
            with Memory(path, recipe=_RECIPE, settings=_EXHAUSTIVE) as exhaustive:
                results = [
                    result
                    for messages, batch_questions in batches
                    for result in _talk(memory, exhaustive, messages, batch_questions)
                ]
            stats = memory.stats()
    return {"records": stats.turns, **_figures(results), "ingest_s": round(seconds, 1), "embedder": stats.embedder}


def _fill(memory: Memory, records: int, progress: Progress | None) -> None:
    stored_count = 0
    for messages in blocks(records):
        memory.add(messages)
        stored_count += len(messages)
        if progress is not None:
            progress(stored_count, records)
    memory.flush()


def _talk(
    memory: Memory, exhaustive: Memory, messages: Sequence[Any], questions: Sequence[tuple[Question, Gold]]
) -> list[_TierQuestion]:
    """Add a session and ask the questions whose evidence it completes."""
    memory.add(messages)
    # Both handles load the new turns now, so that the search is timed without that.
    for handle in (memory, exhaustive):
        handle.tiers()
    time = max(message["at"] for message in messages)
    return [_ask(memory, exhaustive, question, gold, time) for question, gold in questions]


def _ask(memory: Memory, exhaustive: Memory, question: Question, gold: Gold, time: datetime) -> _TierQuestion:
    by_tiers, ms = _timed(memory, question.text, time)
    exhaustive_results, without_ms = _timed(exhaustive, question.text, time)
    story: Mapping[str, Any] = by_tiers.trace.steps["tiered"] if by_tiers.trace else {}
    record_count = len(memory.corpus.columns)
    tier = story["ended in"]
    compared_counts: Mapping[str, int] = story["looked at"]
    upper = sum(size for name, size in compared_counts.items() if name != "archive")
    return _TierQuestion(
        gold,
        bool(gold.evidence) and not question.unanswerable,
        tier,
        (ms, without_ms),
        (upper + record_count * (tier == "archive"), record_count),
        (_ids(by_tiers), _ids(exhaustive_results)),
    )


def _timed(memory: Memory, question: str, time: datetime) -> tuple[Found, float]:
    start = process_time()
    results = memory.search(question, RECALL_AT, at=time, trace=True, min_score=0.0)
    return results, (process_time() - start) * 1_000


def _ids(results: Found) -> list[str]:
    return [item.message_id or "" for item in results]


# Figures.


def _figures(results: Sequence[_TierQuestion]) -> dict[str, Any]:
    recall_results = [result for result in results if result.has_recall]
    by_tier = [{"tier": name, **_comparison([result for result in results if result.tier == name])} for name in TIERS]
    return {
        "questions": len(results),
        "tiers": {
            name: round(sum(result.tier == name for result in results) / max(len(results), 1), 4) for name in TIERS
        },
        **_comparison(results),
        "time_p_ms": {name: milliseconds([result.ms[i] for result in results]) for i, name in enumerate(_WAYS)},
        "recall": {
            str(RECALL_AT): {
                name: _rounded(
                    [recall(result.rankings[i], result.gold.evidence, RECALL_AT) for result in recall_results]
                )
                for i, name in enumerate(_WAYS)
            }
        },
        "overlap": {
            str(RECALL_AT): _rounded([recall(result.rankings[0], result.rankings[1], RECALL_AT) for result in results])
        },
        "by_tier": [row for row in by_tier if row["questions"]],
    }


_WAYS: Final = ("tiers", "exhaustive")


def _comparison(results: Sequence[_TierQuestion]) -> dict[str, Any]:
    """Return the number of questions, and the means of both ways with their ratios."""
    ms = [_rounded([result.ms[i] for result in results]) for i in (0, 1)]
    compared = [_rounded([float(result.compared[i]) for result in results], 0) for i in (0, 1)]
    return {
        "questions": len(results),
        "time_ms": dict(zip(_WAYS, ms, strict=True)),
        "time_ratio": round(ms[1] / ms[0], 2) if ms[0] else None,
        "compared": dict(zip(_WAYS, compared, strict=True)),
        "compared_ratio": round(compared[1] / compared[0], 2) if compared[0] else None,
    }


def _rounded(values: Sequence[float], digits: int = 4) -> float:
    return round(mean(values) or 0.0, digits)


if __name__ == "__main__":
    measure_here(measure)
