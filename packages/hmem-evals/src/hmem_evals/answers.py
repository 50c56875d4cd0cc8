"""How good answers are: token F1, BLEU-1, abstention, and whether a confidence means what it says."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hmem_evals.metrics import bleu1, mean, token_f1
from hmem_evals.simplify import canonical, simplify

BINS: Final = 10
# An answer counts as right for calibration from this F1 on.
RIGHT: Final = 0.5


@dataclass(frozen=True, slots=True)
class Scored:
    """One answer against its gold. An unanswerable question has F1 and BLEU 1 when the answer abstains, else 0.

    ``plain_f1`` is the F1 without the canonical form, which rewrites the gold too.
    """

    category: str
    confidence: float
    f1: float
    bleu1: float
    unanswerable: bool = False
    abstained: bool = False
    plain_f1: float = 0.0

    @property
    def right(self) -> bool:
        """Whether the answer counts as right."""
        return self.f1 >= RIGHT


def score(
    answer: str, gold: str, *, category: str, abstained: bool, confidence: float, unanswerable: bool = False
) -> Scored:
    """The score of an answer: both are put in canonical form, the answer is simplified before.

    An answer that abstains where the history tells scores 0.
    """
    if unanswerable or abstained:
        value = float(unanswerable and abstained)
        return Scored(category, confidence, value, value, unanswerable, abstained, value)
    simple = simplify(answer)
    said, wanted = canonical(simple), canonical(gold)
    plain = token_f1(simple, gold)
    return Scored(category, confidence, token_f1(said, wanted), bleu1(said, wanted), plain_f1=plain)


def abstention(scores: Sequence[Scored]) -> dict[str, float | None]:
    """Precision and recall of abstaining, over the unanswerable questions; None where there is nothing to divide by."""
    abstained = [scored for scored in scores if scored.abstained]
    unanswerable = [scored for scored in scores if scored.unanswerable]
    return {
        "precision": mean(float(scored.unanswerable) for scored in abstained),
        "recall": mean(float(scored.abstained) for scored in unanswerable),
    }


def by_category(scores: Sequence[Scored]) -> dict[str, dict[str, float | None]]:
    """The mean F1 and BLEU-1 of each category, by name."""
    names = sorted({scored.category for scored in scores})
    held = {name: [scored for scored in scores if scored.category == name] for name in names}
    return {name: {"f1": mean(s.f1 for s in kept), "bleu1": mean(s.bleu1 for s in kept)} for name, kept in held.items()}


def calibration(scores: Sequence[Scored], bins: int = BINS) -> dict[str, Any]:
    """Reliability: by bin of confidence, how many answers, their mean confidence, and how many of them were right.

    ``ece`` is the expected calibration error, 0 to 1: the gap between the two, weighted by the number of answers.
    """
    table: list[dict[str, Any]] = []
    for number in range(bins):
        held = [s for s in scores if min(int(s.confidence * bins), bins - 1) == number]
        if held:
            table.append(_bin(number / bins, (number + 1) / bins, held))
    gap = sum(row["answers"] * abs(row["confidence"] - row["right"]) for row in table)
    return {"ece": gap / len(scores) if scores else None, "bins": table}


def _bin(low: float, high: float, held: Sequence[Scored]) -> dict[str, Any]:
    return {
        "from": low,
        "to": high,
        "answers": len(held),
        "confidence": mean(scored.confidence for scored in held),
        "right": mean(float(scored.right) for scored in held),
    }


def answerable(scores: Sequence[Scored]) -> dict[str, float | None]:
    """Over the questions that the history answers: their mean F1, and the mean of their categories' means."""
    held = [scored for scored in scores if not scored.unanswerable]
    named: dict[str, list[Scored]] = {}
    for scored in held:
        named.setdefault(scored.category, []).append(scored)
    return {
        "f1_answerable": mean(scored.f1 for scored in held),
        "macro_f1": _macro([scored.f1 for scored in of_one] for of_one in named.values()),
        "macro_f1_plain": _macro([scored.plain_f1 for scored in of_one] for of_one in named.values()),
    }


def _macro(categories: Iterable[Sequence[float]]) -> float | None:
    means = [mean(values) for values in categories]
    return mean(value for value in means if value is not None)


def summary(scores: Sequence[Scored]) -> Mapping[str, Any]:
    """The figures of an evaluation's ``answer``: F1 and BLEU-1 are over all questions.

    ``adversarial`` is the share of unanswerable questions from which it abstained.
    """
    return {
        "f1": mean(scored.f1 for scored in scores),
        "bleu1": mean(scored.bleu1 for scored in scores),
        "abstention": abstention(scores),
        **answerable(scores),
        "f1_plain": mean(scored.plain_f1 for scored in scores),
        "adversarial": mean(scored.f1 for scored in scores if scored.unanswerable),
        "calibration": calibration(scores),
    }
