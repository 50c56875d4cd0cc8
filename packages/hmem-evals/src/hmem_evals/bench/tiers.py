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
from hmem_evals.bench.apart import Progress, measure_here, measured_apart
from hmem_evals.bench.texts import blocks
from hmem_evals.conversations import Question
from hmem_evals.metrics import mean, recall
from hmem_evals.run import parts_of
from hmem_evals.summary import TIERS, milliseconds
from hmem_evals.synthetic import generate

RECALL_AT: Final = 10
LEAST: Final = 1_000
SESSIONS: Final = 25

_RECIPE: Final = "orchestrated"
# The self-check by rules ends a search that asks no model.
_GATED: Final = {"tiered.threshold": "0.75"}
_EXHAUSTIVE: Final = {"tiered.tiers": "false", "retrieval.record": "false"}


class _TierQuestion(NamedTuple):
    """One question, each pair with tiers and without: milliseconds, records compared, found message ids."""

    gold: Gold
    measured: bool
    tier: str
    ms: tuple[float, float]
    compared: tuple[int, int]
    found: tuple[list[str], list[str]]


def run(
    records: int, *, sessions: int = SESSIONS, embedder: str | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """Return ``records, questions, tiers{…}, time_ms{…}, time_ratio, compared{…}, recall{"10"}, by_tier[…]``.

    Ratios are exhaustive over tiers. ``tiers`` is the share of searches that ended in each tier. Times are processor
    times of a whole search for ten, on one thread; ``compared`` is the mean number of records compared to the question.
    ``recall`` is that of the evidence, and ``overlap`` the share of the exhaustive ten that the tiers find.

    Raises:
        InvalidQuery: fewer than ``LEAST`` records, or than 2 sessions.
        HmemError: the process that measures failed.
    """
    if records < LEAST or sessions < 2:
        raise InvalidQuery(f"tiers need at least {LEAST:,} records and 2 sessions - raise them")
    asked = {"records": records, "sessions": sessions, "embedder": embedder}
    return measured_apart("hmem_evals.bench.tiers", asked, "tiers", progress)


def measure(
    records: int, sessions: int = SESSIONS, embedder: str | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """Measure in this process; see ``run``."""
    life = generate(1, sessions=sessions)
    told = parts_of(life, replay=True)
    with TemporaryDirectory(prefix="hmem-bench-") as folder:
        path = Path(folder) / "tiers.hmem"
        with Memory(path, recipe=_RECIPE, settings=_GATED, embedder=embedder) as memory:
            started = process_time()
            _fill(memory, records - len(life.messages), progress)
            took = process_time() - started
            with Memory(path, recipe=_RECIPE, settings=_EXHAUSTIVE) as exhaustive:
                asked = [each for messages, part in told for each in _talk(memory, exhaustive, messages, part)]
            kept = memory.stats()
    return {"records": kept.turns, **_figures(asked), "ingest_s": round(took, 1), "embedder": kept.embedder}


def _fill(memory: Memory, records: int, progress: Progress | None) -> None:
    kept = 0
    for messages in blocks(records):
        memory.add(messages)
        kept += len(messages)
        if progress is not None:
            progress(kept, records)
    memory.flush()


def _talk(
    memory: Memory, exhaustive: Memory, messages: Sequence[Any], questions: Sequence[tuple[Question, Gold]]
) -> list[_TierQuestion]:
    """Add a session and ask the questions whose evidence it completes."""
    memory.add(messages)
    # Both handles load the new turns now, so that the search is timed without that.
    for each in (memory, exhaustive):
        each.tiers()
    now = max(message["at"] for message in messages)
    return [_ask(memory, exhaustive, question, gold, now) for question, gold in questions]


def _ask(memory: Memory, exhaustive: Memory, question: Question, gold: Gold, now: datetime) -> _TierQuestion:
    by_tiers, ms = _timed(memory, question.text, now)
    without, without_ms = _timed(exhaustive, question.text, now)
    story: Mapping[str, Any] = by_tiers.trace.steps["tiered"] if by_tiers.trace else {}
    everything = len(memory.corpus.columns)
    tier = story["ended in"]
    looked_at: Mapping[str, int] = story["looked at"]
    upper = sum(size for name, size in looked_at.items() if name != "archive")
    return _TierQuestion(
        gold,
        bool(gold.evidence) and not question.unanswerable,
        tier,
        (ms, without_ms),
        (upper + everything * (tier == "archive"), everything),
        (_ids(by_tiers), _ids(without)),
    )


def _timed(memory: Memory, question: str, now: datetime) -> tuple[Found, float]:
    started = process_time()
    found = memory.search(question, RECALL_AT, at=now, trace=True, min_score=0.0)
    return found, (process_time() - started) * 1_000


def _ids(found: Found) -> list[str]:
    return [item.message_id or "" for item in found]


# Figures.


def _figures(asked: Sequence[_TierQuestion]) -> dict[str, Any]:
    measured = [each for each in asked if each.measured]
    by_tier = [{"tier": name, **_both([each for each in asked if each.tier == name])} for name in TIERS]
    return {
        "questions": len(asked),
        "tiers": {name: round(sum(each.tier == name for each in asked) / max(len(asked), 1), 4) for name in TIERS},
        **_both(asked),
        "time_p_ms": {name: milliseconds([each.ms[i] for each in asked]) for i, name in enumerate(_WAYS)},
        "recall": {
            str(RECALL_AT): {
                name: _rounded([recall(each.found[i], each.gold.evidence, RECALL_AT) for each in measured])
                for i, name in enumerate(_WAYS)
            }
        },
        "overlap": {str(RECALL_AT): _rounded([recall(each.found[0], each.found[1], RECALL_AT) for each in asked])},
        "by_tier": [each for each in by_tier if each["questions"]],
    }


_WAYS: Final = ("tiers", "exhaustive")


def _both(asked: Sequence[_TierQuestion]) -> dict[str, Any]:
    """Return the number of questions, and the means of both ways with their ratios."""
    ms = [_rounded([each.ms[i] for each in asked]) for i in (0, 1)]
    compared = [_rounded([float(each.compared[i]) for each in asked], 0) for i in (0, 1)]
    return {
        "questions": len(asked),
        "time_ms": dict(zip(_WAYS, ms, strict=True)),
        "time_ratio": round(ms[1] / ms[0], 2) if ms[0] else None,
        "compared": dict(zip(_WAYS, compared, strict=True)),
        "compared_ratio": round(compared[1] / compared[0], 2) if compared[0] else None,
    }


def _rounded(values: Sequence[float], digits: int = 4) -> float:
    return round(mean(values) or 0.0, digits)


if __name__ == "__main__":
    measure_here(measure)
