"""Yes or no, and this or that."""

import re
from collections.abc import Sequence
from typing import Final

from hmem.language.regex import regex
from hmem.read.answer.asking import Asked
from hmem.read.answer.statements import Statement
from hmem.read.answer.support import Meanings

_WOULD: Final = regex(r"^(?:would|could|might|is it likely|will)\b", re.IGNORECASE)
_UNLESS: Final = regex(r"\b(?:if|without)\b.{0,40}\b(?:not|hadn't|hadn’t|didn't|didn’t|never|weren't)\b", re.IGNORECASE)
_NEGATED: Final = regex(
    r"\b(?:not|never|no longer|none|nope|can't|cannot|couldn't|don't|doesn't|didn't|won't|wouldn't|isn't"
    r"|aren't|wasn't|hate|hated|"
    r"dislike|avoid|allergic|scary|scared|awful|terrible|horrible|stopped|quit|gave up|refuse|instead of)\b",
    re.IGNORECASE,
)
_OPTIONS: Final = regex(
    r"(?:\b(?:a|an|the|by|to|in|on|of|at|be|first|more|either|enjoy|prefer)\b "
    r"|[,:] )((?:[\w.'’-]+ ){0,4}?[\w.'’-]+),? or "
    r"(?:a |an |the |by |to |in )*((?:[\w.'’-]+ ?){1,5}?)(?: (?:first|more|better|most|instead|in|on|for"
    r"|during)\b.*)?[?.]*$",
    re.IGNORECASE,
)


# A change of how somebody lives is unlikely, unless they say that they want it.
_CHANGE: Final = regex(
    r"\b(?:soon|another|again|anymore|move|moving|return|pursue|switch|quit|give up|leave|open to)\b", re.IGNORECASE
)
_WANTED: Final = regex(
    r"\b(?:want|wanna|hope|hoping|plan|planning|going|gonna|would love|'d love|dream|dreaming|looking forward"
    r"|can't wait)\b",
    re.IGNORECASE,
)


# The part of the question that a wish has to cover.
_MOSTLY: Final = 0.5


def yes_or_no(asked: Asked, statements: Sequence[Statement]) -> str:
    """Yes, no, or "Likely no", from the statement that fits best."""
    negated = _NEGATED.search(statements[0].line.text) is not None
    if _UNLESS.search(asked.text):
        return "Likely no"
    if _WOULD.match(asked.text):
        return "Likely no" if negated or _unwanted_change(asked, statements[0]) else "Yes"
    return "No" if negated != (_NEGATED.search(asked.text) is not None) else "Yes"


def _unwanted_change(asked: Asked, best: Statement) -> bool:
    """Whether a question is about a change, and the best statement does not say that it is wanted."""
    if _CHANGE.search(asked.text) is None:
        return False
    told = best.features["own"] > 0 and best.features["cover"] >= _MOSTLY and _WANTED.search(best.line.text)
    return not told


def choose(asked: Asked, statements: Sequence[Statement], meanings: Meanings) -> str:
    """The one of the options that a question gives which the statements are nearer to; empty when it gives none."""
    found = _OPTIONS.search(asked.text)
    if found is None:
        return ""
    options = [found[1].strip(), found[2].strip(" ?.")]
    texts = [statement.line.text for statement in statements[:8]]
    near = meanings.of(options) @ meanings.of(texts).T
    worth = near.max(axis=1)
    return options[0] if worth[0] >= worth[1] else options[1]
