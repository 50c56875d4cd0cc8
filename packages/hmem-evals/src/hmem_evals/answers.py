"""Scores of answers: token F1, BLEU-1, abstention, and calibration of the confidence."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hmem_english.dates.words import CARDINALS, MONTHS
from hmem_evals.metrics import bleu1, mean, token_f1

BINS: Final = 10
# Least F1 of an answer that counts as right for calibration.
RIGHT: Final = 0.5


@dataclass(frozen=True, slots=True)
class AnswerScore:
    """Score of one answer. For an unanswerable question F1 and BLEU are 1 if the answer abstains, else 0.

    ``plain_f1`` is the F1 without the canonical form, which also rewrites the gold.
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
        """True if the answer counts as right."""
        return self.f1 >= RIGHT


def score(
    answer: str, gold: str, *, category: str, abstained: bool, confidence: float, unanswerable: bool = False
) -> AnswerScore:
    """Simplify an answer and score it against its gold, both in canonical form.

    An answer that abstains from an answerable question scores 0.
    """
    if unanswerable or abstained:
        value = float(unanswerable and abstained)
        return AnswerScore(category, confidence, value, value, unanswerable, abstained, value)
    simple = simplify(answer)
    predicted, reference = canonical(simple), canonical(gold)
    plain = token_f1(simple, gold)
    return AnswerScore(
        category, confidence, token_f1(predicted, reference), bleu1(predicted, reference), plain_f1=plain
    )


def abstention(scores: Sequence[AnswerScore]) -> dict[str, float | None]:
    """Return precision and recall of abstaining, with the unanswerable questions as positives; None without cases."""
    abstained = [answer_score for answer_score in scores if answer_score.abstained]
    unanswerable = [answer_score for answer_score in scores if answer_score.unanswerable]
    return {
        "precision": mean(float(answer_score.unanswerable) for answer_score in abstained),
        "recall": mean(float(answer_score.abstained) for answer_score in unanswerable),
    }


def by_category(scores: Sequence[AnswerScore]) -> dict[str, dict[str, float | None]]:
    """Return the mean F1 and BLEU-1 of each category, by name."""
    names = sorted({answer_score.category for answer_score in scores})
    groups = {name: [answer_score for answer_score in scores if answer_score.category == name] for name in names}
    return {
        name: {"f1": mean(s.f1 for s in group), "bleu1": mean(s.bleu1 for s in group)} for name, group in groups.items()
    }


def calibration(scores: Sequence[AnswerScore], bins: int = BINS) -> dict[str, Any]:
    """Return the reliability table: by bin of confidence, the answers' number, mean confidence and share of right ones.

    ``ece`` is the expected calibration error, 0 to 1: the mean gap between the last two, weighted by the numbers.
    """
    table: list[dict[str, Any]] = []
    for number in range(bins):
        group = [s for s in scores if min(int(s.confidence * bins), bins - 1) == number]
        if group:
            table.append(_bin(number / bins, (number + 1) / bins, group))
    gap = sum(row["answers"] * abs(row["confidence"] - row["right"]) for row in table)
    return {"ece": gap / len(scores) if scores else None, "bins": table}


def _bin(low: float, high: float, group: Sequence[AnswerScore]) -> dict[str, Any]:
    return {
        "from": low,
        "to": high,
        "answers": len(group),
        "confidence": mean(answer_score.confidence for answer_score in group),
        "right": mean(float(answer_score.right) for answer_score in group),
    }


def answerable(scores: Sequence[AnswerScore]) -> dict[str, float | None]:
    """Return the mean F1 over the answerable questions, and the macro means over their categories."""
    answerable_scores = [answer_score for answer_score in scores if not answer_score.unanswerable]
    categories: dict[str, list[AnswerScore]] = {}
    for entry in answerable_scores:
        categories.setdefault(entry.category, []).append(entry)
    return {
        "f1_answerable": mean(answer_score.f1 for answer_score in answerable_scores),
        "macro_f1": _macro([answer_score.f1 for answer_score in group] for group in categories.values()),
        "macro_f1_plain": _macro([answer_score.plain_f1 for answer_score in group] for group in categories.values()),
    }


def _macro(categories: Iterable[Sequence[float]]) -> float | None:
    means = [mean(values) for values in categories]
    return mean(value for value in means if value is not None)


def summary(scores: Sequence[AnswerScore]) -> Mapping[str, Any]:
    """Return the ``answer`` figures of an evaluation; F1 and BLEU-1 are over all questions.

    ``adversarial`` is the share of abstentions among the unanswerable questions.
    """
    return {
        "f1": mean(answer_score.f1 for answer_score in scores),
        "bleu1": mean(answer_score.bleu1 for answer_score in scores),
        "abstention": abstention(scores),
        **answerable(scores),
        "f1_plain": mean(answer_score.plain_f1 for answer_score in scores),
        "adversarial": mean(answer_score.f1 for answer_score in scores if answer_score.unanswerable),
        "calibration": calibration(scores),
    }


_LEADS: Final = re.compile(
    r"^(?:(?:sure|well|okay|ok|yes and|so)[,:]?\s+)?(?:"
    r"(?:the |my |short |final )*answer(?: is|:)\s*(?:that\s+)?"
    r"|(?:according to|based on|from|judging by) (?:the |this |what |our )[^,]{3,60},\s*"
    r"|(?:i (?:think|believe|guess|would say|recall)|it (?:seems|appears|looks like)|as far as i (?:know|can tell))"
    r"(?: that)?[,:]?\s+"
    r")+",
    re.IGNORECASE,
)
_HEDGES: Final = re.compile(
    r"\b(?:approximately|roughly|probably|perhaps|possibly|apparently|presumably|most likely)\s+(?=\S)", re.IGNORECASE
)
_CITED: Final = re.compile(r"\s*\[\d+(?:,\s*\d+)*\]")
_TRAILING: Final = " \t\r\n.,;:!"

_VALUES: Final = {"zero": 0, **CARDINALS}
_TENS: Final = [name for name, value in CARDINALS.items() if value >= 20]
_DIGIT_NAMES: Final = [name for name, value in CARDINALS.items() if value < 10]
_TIMES: Final = {"once": "1 time", "twice": "2 times", "thrice": "3 times"}
_FULL: Final = {number: max((name for name in MONTHS if MONTHS[name] == number), key=len) for number in range(1, 13)}
_SHORT: Final = {name: _FULL[number].title() for name, number in MONTHS.items() if len(name) < 5 and name != "june"}
_NAMES: Final = "|".join(name.title() for name in _FULL.values())

_COMPOUND: Final = re.compile(rf"\b({'|'.join(_TENS)})[- ]({'|'.join(_DIGIT_NAMES)})\b", re.IGNORECASE)
_WORD: Final = re.compile(rf"\b({'|'.join([*_VALUES, *_TIMES])})\b", re.IGNORECASE)
_ORDINAL: Final = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b", re.IGNORECASE)
_ABBREVIATED: Final = re.compile(
    rf"\b({'|'.join(sorted(_SHORT, key=len, reverse=True))})\.?(?=\s+\d|,\s*\d)", re.IGNORECASE
)
_GLUED_DATE: Final = re.compile(rf"(?<=\d)(?=(?:{_NAMES})\b)|(?<=[A-Za-z])[.,](?=\d{{4}}\b)")
_THOUSANDS_COMMA: Final = re.compile(r"(?<=\d),(?=\d{3}\b)")


def simplify(answer: str) -> str:
    """Return an answer without lead-in, hedges, citations and final punctuation; empty only if the answer is."""
    text = _CITED.sub("", answer.strip())
    plain = _HEDGES.sub("", _LEADS.sub("", text)).strip(_TRAILING)
    return plain or text


def canonical(text: str) -> str:
    """Return a text with its numbers and dates in one form: digits, full months, no ordinals."""
    plain = _THOUSANDS_COMMA.sub("", _GLUED_DATE.sub(" ", text))
    plain = _COMPOUND.sub(lambda match: str(_value(match[1]) + _value(match[2])), plain)
    plain = _WORD.sub(lambda match: _TIMES.get(match[1].lower()) or str(_value(match[1])), plain)
    plain = _ORDINAL.sub(r"\1", plain)
    return _ABBREVIATED.sub(lambda match: _SHORT[match[1].lower()], plain)


def _value(word: str) -> int:
    return _VALUES[word.lower()]
