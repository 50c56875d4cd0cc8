"""Why: the clause that a statement gives as its reason."""

import re
from collections.abc import Sequence
from typing import Final

from hmem.language.regex import regex
from hmem.read.answer.asking import Asked
from hmem.read.answer.confidence import Reply
from hmem.read.answer.statements import Statement
from hmem.read.answer.tidying import tidied

_BECAUSE: Final = regex(r"\b(?:because|'?cause|cuz|'?coz)\b(?! of\b)\s+([^.;:!?()]{6,120})", re.IGNORECASE)
_DASH: Final = regex(r"\s[-\u2013\u2014]+\s")
_LOOKED_AT: Final = 4


def reason(asked: Asked, statements: Sequence[Statement]) -> Reply | None:
    """The clause behind "because" in one of the best statements; None where none has one."""
    if "why" not in asked.text.lower():
        return None
    for statement in statements[:_LOOKED_AT]:
        found = _BECAUSE.search(statement.line.text)
        if found is not None and statement.features["other"] == 0:
            clause = _DASH.split(found[1])[0].strip(" ,")
            return Reply(tidied(clause, asked), [statement])
    return None
