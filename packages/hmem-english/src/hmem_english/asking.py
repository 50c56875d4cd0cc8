"""Questions and requests in English: the time and the typed slot that a question asks about, and what is a request."""

import re
from functools import lru_cache
from typing import Final

from hmem.language.analyst.lexicon import AskedTense
from hmem.language.regex import regex

_FIRST: Final = regex(r"\b(?:original(?:ly)?|initial(?:ly)?|at first|to begin with|in the beginning)\b", re.IGNORECASE)
_BEFORE: Final = regex(
    r"\b(?:use[d]? to|previous(?:ly)?|former(?:ly)?|before(?:hand)?|earlier|back then|in the past|prior|once"
    r"|(?<!how )old|ex|any ?more|no longer|last time)\b",
    re.IGNORECASE,
)
_HISTORY: Final = regex(
    r"\b(?:chang(?:ed?|es|ing)|history|over (?:time|the (?:years|months))|all the|ever|switch(?:ed)?|moved? from"
    r"|evolv\w+|different)\b",
    re.IGNORECASE,
)
_PRESENT: Final = regex(
    r"\b(?:so far|current(?:ly)?|now|nowadays|these days|at the moment|to date|yet)\b", re.IGNORECASE
)
# The first auxiliary of a question tells its tense.
_HELPER: Final = regex(r"\b(is|are|am|do|does|has|have|was|were|did|had|will|can)\b", re.IGNORECASE)
_PAST: Final = frozenset({"was", "were", "did", "had"})
_UNTIL: Final = regex(r"\b(?:before|until|till|up to)\b", re.IGNORECASE)

# Openings of requests: to the hearer, of needs, and of questions about what the speaker is to do.
_REQUEST: Final = regex(
    r"(?:(?:please|hi|hey|hello|ok(?:ay)?|so|and|now)\W+)*"
    r"(?:(?:can|could|would|will) (?:you|we|i)\b|(?:should|shall|do) (?:i|we)\b|let'?s\b|help\b|please\b"
    r"|(?:i|we)(?: need|'d like| would like| want)\b"
    r"|(?:write|make|give|suggest|recommend|plan|draft|find|book|explain|translate|summari[sz]e|fix|create|show)\b"
    r"|(?:what|which|who|when|where|how)\b[^.?!]*?\b(?:should|shall|can|could|would|will|do|must)(?: i| we)\b"
    r"|how (?:much|many|long)\b[^.?!]*? (?:would|will)\b)",
    re.IGNORECASE,
)
# What was is asked of the memory.
_WAS: Final = regex(
    r"\b(?:did|was|were|had|said|told|mentioned|have (?:i|we|you)|remember|recall|remind)\b", re.IGNORECASE
)
_CLAUSE_END: Final = regex(r"[.?!;,\n]\s*")
# Longest text that may be a request: a paste is no request by its opening.
_LONGEST: Final = 2_000

# What a question says that asks for the value of a typed slot.
_SLOTS: Final = {
    "home": r"where (?:do|does|is|are)\b.{1,40}\b(?:live|living|based)\b"
    r"|(?:which|what) (?:city|town|country)\b.{1,40}\blive",
    "job": r"what (?:do|does)\b.{1,40}\bdo for (?:a living|work)\b"
    r"|what(?:'s| is)\b.{1,40}\b(?:job|profession|occupation)\b",
    "employer": r"(?:who|where) (?:do|does)\b.{1,40}\bwork(?: for| at)?\s*\?|who(?:'s| is)\b.{1,40}\bemployer\b",
    "partner": r"who(?:'s| is)\b.{1,40}\b(?:partner|husband|wife|boyfriend|girlfriend|spouse)\b"
    r"|who\b.{1,20}\bmarried to\b",
    "diet": r"\b(?:vegan|vegetarian|diet)\b",
    "allergy": r"\ballerg(?:y|ies|ic)\b",
    "medication": r"\b(?:medications?|medicines?|pills?)\b",
    "birthday": r"\bbirthday\b|when (?:was|were)\b.{1,40}\bborn\b",
    "vehicle": r"(?:what|which) (?:car|van|bike|motorbike|vehicle)\b|what (?:do|does)\b.{1,40}\bdrive\b",
}
_SLOT_PATTERNS: Final = {slot: regex(pattern, re.IGNORECASE) for slot, pattern in _SLOTS.items()}


def asked_tense(question: str) -> AskedTense:
    """Return the time that a question asks about by its words."""
    helper = _HELPER.search(question)
    return AskedTense(
        _BEFORE.search(question) is not None,
        _FIRST.search(question) is not None,
        _HISTORY.search(question) is not None,
        _PRESENT.search(question) is not None,
        helper is not None and helper[1].lower() in _PAST,
        _UNTIL.search(question) is not None,
    )


@lru_cache(maxsize=256)
def requests(text: str) -> bool:
    """Tell if a text asks to do or advise something, not what was: "Write me a function", "What should I cook?"."""
    opening = text.strip()[:_LONGEST]
    return _WAS.search(opening) is None and any(_REQUEST.match(clause) for clause in _CLAUSE_END.split(opening))


def asked_slot(question: str) -> str | None:
    """Return the typed slot that a question asks for; None if it asks for none of the slots, or for several."""
    slots = [slot for slot, pattern in _SLOT_PATTERNS.items() if pattern.search(question[:_LONGEST])]
    return slots[0] if len(slots) == 1 else None
