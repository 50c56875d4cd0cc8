"""Of several statements that tell a value of the same thing, the latest: what was counted once is more by now.

The best statement is not always the last word: "I have read 20 of them" may fit a question better than "I have read 30
by now". A later one counts when the same person said it on a later day and it covers the question nearly as well. A
question about what was before goes by fit alone.
"""

from collections.abc import Sequence
from typing import Final, TypeVar

from hmem.read.answer.asking import Asked
from hmem.read.answer.statements import Statement

_Value = TypeVar("_Value")

# A later statement covers at least this part of what the best one does.
_NEARLY: Final = 0.4
# What the rest of its turn covers counts less than what it covers itself.
_BESIDE: Final = 0.6


def latest(asked: Asked, told: Sequence[tuple[_Value, Statement]]) -> tuple[_Value, Statement]:
    """The value that holds, of those told, of which the first fits the question best."""
    best = told[0]
    if asked.past:
        return best
    first = best[1]
    for value, statement in told[1:]:
        later = statement.evidence.when.date() > best[1].evidence.when.date()
        same = statement.evidence.speaker == first.evidence.speaker
        if later and same and _covered(statement) >= _NEARLY * _covered(first):
            best = value, statement
    return best


def _covered(statement: Statement) -> float:
    features = statement.features
    own = features["cover"] + features["cover_before"]
    return max(own, _BESIDE * (own + features["cover_turn"]))
