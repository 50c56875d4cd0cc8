"""How good answers are: token F1, BLEU-1, abstention, and whether a confidence means what it says."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hmem.language.dates.words import CARDINALS, MONTHS
from hmem_evals.metrics import bleu1, mean, token_f1

BINS: Final = 10
# An answer counts as right for calibration from this F1 on.
RIGHT: Final = 0.5


@dataclass(frozen=True, slots=True)
class AnswerScore:
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
) -> AnswerScore:
    """The score of an answer: both are put in canonical form, the answer is simplified before.

    An answer that abstains where the history tells scores 0.
    """
    if unanswerable or abstained:
        value = float(unanswerable and abstained)
        return AnswerScore(category, confidence, value, value, unanswerable, abstained, value)
    simple = simplify(answer)
    said, wanted = canonical(simple), canonical(gold)
    plain = token_f1(simple, gold)
    return AnswerScore(category, confidence, token_f1(said, wanted), bleu1(said, wanted), plain_f1=plain)


def abstention(scores: Sequence[AnswerScore]) -> dict[str, float | None]:
    """Precision and recall of abstaining, over the unanswerable questions; None where there is nothing to divide by."""
    abstained = [scored for scored in scores if scored.abstained]
    unanswerable = [scored for scored in scores if scored.unanswerable]
    return {
        "precision": mean(float(scored.unanswerable) for scored in abstained),
        "recall": mean(float(scored.abstained) for scored in unanswerable),
    }


def by_category(scores: Sequence[AnswerScore]) -> dict[str, dict[str, float | None]]:
    """The mean F1 and BLEU-1 of each category, by name."""
    names = sorted({scored.category for scored in scores})
    held = {name: [scored for scored in scores if scored.category == name] for name in names}
    return {name: {"f1": mean(s.f1 for s in kept), "bleu1": mean(s.bleu1 for s in kept)} for name, kept in held.items()}


def calibration(scores: Sequence[AnswerScore], bins: int = BINS) -> dict[str, Any]:
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


def _bin(low: float, high: float, held: Sequence[AnswerScore]) -> dict[str, Any]:
    return {
        "from": low,
        "to": high,
        "answers": len(held),
        "confidence": mean(scored.confidence for scored in held),
        "right": mean(float(scored.right) for scored in held),
    }


def answerable(scores: Sequence[AnswerScore]) -> dict[str, float | None]:
    """Over the questions that the history answers: their mean F1, and the mean of their categories' means."""
    held = [scored for scored in scores if not scored.unanswerable]
    named: dict[str, list[AnswerScore]] = {}
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


def summary(scores: Sequence[AnswerScore]) -> Mapping[str, Any]:
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
    r"\b(?:approximately|roughly|probably|apparently|presumably|most likely)\s+(?=\S)", re.IGNORECASE
)
_CITED: Final = re.compile(r"\s*\[\d+(?:,\s*\d+)*\]")
_TRAILING: Final = " \t\r\n.,;:!"

_VALUES: Final = {"zero": 0, **CARDINALS}
_TENS: Final = [name for name, value in CARDINALS.items() if value >= 20]
_ONES: Final = [name for name, value in CARDINALS.items() if value < 10]
_TIMES: Final = {"once": "1 time", "twice": "2 times", "thrice": "3 times"}
_FULL: Final = {number: max((name for name in MONTHS if MONTHS[name] == number), key=len) for number in range(1, 13)}
_SHORT: Final = {name: _FULL[number].title() for name, number in MONTHS.items() if len(name) < 5 and name != "june"}
_NAMES: Final = "|".join(name.title() for name in _FULL.values())

_COMPOUND: Final = re.compile(rf"\b({'|'.join(_TENS)})[- ]({'|'.join(_ONES)})\b", re.IGNORECASE)
_WORD: Final = re.compile(rf"\b({'|'.join([*_VALUES, *_TIMES])})\b", re.IGNORECASE)
_ORDINAL: Final = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b", re.IGNORECASE)
_ABBREVIATED: Final = re.compile(
    rf"\b({'|'.join(sorted(_SHORT, key=len, reverse=True))})\.?(?=\s+\d|,\s*\d)", re.IGNORECASE
)
_JOINED: Final = re.compile(rf"(?<=\d)(?=(?:{_NAMES})\b)|(?<=[A-Za-z])[.,](?=\d{{4}}\b)")
_GROUPED: Final = re.compile(r"(?<=\d),(?=\d{3}\b)")


def simplify(answer: str) -> str:
    """What was answered without the frame around it, citations and closing marks; never empty when it was not."""
    text = _CITED.sub("", answer.strip())
    plain = _HEDGES.sub("", _LEADS.sub("", text)).strip(_TRAILING)
    return plain or text


def canonical(text: str) -> str:
    """A text with its numbers and dates written one way: digits, full months, no ordinals."""
    plain = _GROUPED.sub("", _JOINED.sub(" ", text))
    plain = _COMPOUND.sub(lambda found: str(_value(found[1]) + _value(found[2])), plain)
    plain = _WORD.sub(lambda found: _TIMES.get(found[1].lower()) or str(_value(found[1])), plain)
    plain = _ORDINAL.sub(r"\1", plain)
    return _ABBREVIATED.sub(lambda found: _SHORT[found[1].lower()], plain)


def _value(word: str) -> int:
    return _VALUES[word.lower()]
