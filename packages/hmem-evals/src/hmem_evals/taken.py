"""What models took in an evaluation, and what a judge makes of the answers: by stage, by category, over repeats."""

from collections.abc import Iterable, Mapping, Sequence
from math import fsum, sqrt
from typing import Any, Final

from hmem.model.answer import Usage
from hmem_evals.asking import Outcome, Said
from hmem_evals.judge import JUDGE, SIMPLIFY
from hmem_evals.metrics import mean

FORMATION: Final = "formation"
# Whose calls are the memory's own; the others are the evaluation's.
OWN: Final = (FORMATION, "plan", "answer")
STAGES: Final = (*OWN, JUDGE, SIMPLIFY)


def together(usages: Iterable[Usage]) -> Usage:
    """What all of them took."""
    total = Usage()
    for each in usages:
        total = Usage(
            total.calls + each.calls,
            total.input_tokens + each.input_tokens,
            total.output_tokens + each.output_tokens,
            total.cost + each.cost,
            total.milliseconds + each.milliseconds,
        )
    return total


def model_figures(outcomes: Sequence[Outcome], formation: Usage, judge: str | None, repeats: int) -> dict[str, Any]:
    """The ``model`` of an evaluation. Calls and tokens are those of the memory; a judge's stand under ``stages``."""
    answers = [said for outcome in outcomes for said in outcome.answers]
    used = {name: together(said.stages[name] for said in answers if name in said.stages) for name in STAGES}
    used[FORMATION] = formation
    own = together(used[name] for name in OWN)
    return {
        "calls": own.calls,
        "input_tokens": own.input_tokens,
        "output_tokens": own.output_tokens,
        "cost": round(together(used.values()).cost, 6),
        "judged_accuracy": accuracy(answers),
        "repeats": repeats if judge is not None or repeats > 1 else None,
        "judge": judge,
        "unjudged": sum(said.correct is None for said in answers) if judge is not None else None,
        "answered_by_rules": sum(said.failed for said in answers),
        "calls_per_answer": _per(used["plan"].calls + used["answer"].calls, len(answers)),
        "tokens_per_answer": _per(used["plan"].input_tokens + used["answer"].input_tokens, len(answers)),
        "stages": {
            **{name: _stage(stage, len(answers)) for name, stage in used.items()},
            "recall": {"ms_per_answer": _per(fsum(map(_own_ms, answers)), len(answers))},
        },
        "spread": spread(outcomes, repeats) if repeats > 1 else None,
    }


def accuracy(answers: Sequence[Said]) -> float | None:
    """The share of the judged answers that are right."""
    found = mean(float(said.correct) for said in answers if said.correct is not None)
    return None if found is None else round(found, 4)


def by_category(outcomes: Sequence[Outcome]) -> Mapping[str, float | None]:
    """The judged accuracy of each category."""
    names = sorted({outcome.question.category for outcome in outcomes})
    return {
        name: accuracy([said for each in outcomes if each.question.category == name for said in each.answers])
        for name in names
    }


def spread(outcomes: Sequence[Outcome], repeats: int) -> dict[str, Any]:
    """Mean and sample deviation of the judged accuracy over the repeats, and the share of the questions on which the
    repeats do not agree."""
    runs = [accuracy([outcome.answers[i] for outcome in outcomes if len(outcome.answers) > i]) for i in range(repeats)]
    known = [run for run in runs if run is not None]
    split = mean(float(len({said.correct for said in outcome.answers}) > 1) for outcome in outcomes)
    return {
        "judged_accuracy": {"runs": runs, **deviation(known)},
        "divided": None if split is None else round(split, 4),
    }


def deviation(values: Sequence[float]) -> dict[str, float | None]:
    """The mean, and the sample deviation (over n - 1) where there are two values or more."""
    middle = mean(values)
    if middle is None or len(values) < 2:
        return {"mean": middle, "deviation": None}
    squares = fsum((value - middle) ** 2 for value in values)
    return {"mean": round(middle, 4), "deviation": round(sqrt(squares / (len(values) - 1)), 4)}


def _own_ms(said: Said) -> float:
    """Milliseconds of ours: all but the waiting for models."""
    return max(said.ask_ms - fsum(said.stages[name].milliseconds for name in OWN if name in said.stages), 0.0)


def _stage(usage: Usage, answers: int) -> dict[str, Any]:
    return {
        "calls": usage.calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost": round(usage.cost, 6),
        "ms": round(usage.milliseconds, 1),
        "ms_per_answer": _per(usage.milliseconds, answers),
    }


def _per(value: float, count: int) -> float | None:
    return round(value / count, 3) if count else None
