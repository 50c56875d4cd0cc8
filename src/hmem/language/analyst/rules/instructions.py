"""How someone wants an assistant to answer: "from now on", "no more than three bullet points", "call me Jo"."""

import re
from collections.abc import Iterator
from typing import Final

from hmem.language.analyst.base import Claim
from hmem.language.analyst.rules.claiming import Maker
from hmem.language.regex import regex

_FORM: Final = (
    r"(?:bullet points?|bullets|paragraphs?|sentences?|answers?|replies|responses|headings?|background|lists?"
    r"|tables?|emojis?"
    r"|essays?|summar(?:y|ies)|words|lines|prose|sepia|dark mode|light mode|jargon|metric(?: units)?|celsius"
    r"|kilomet(?:re|er)s)"
)
_FORMED: Final = regex(rf"\b(?:{_FORM}|short|brief|concise|briefly|concisely)\b", re.IGNORECASE)


def _reading(marker: str, pattern: str) -> tuple[str, re.Pattern[str]]:
    return marker, regex(pattern, re.IGNORECASE)


# What must stand in a sentence, written small, and how the wish is read from it then.
_WISHES: Final = (
    _reading("from now on", r"from now on,? (?P<v>[^.!?;]{4,70}?)(?:,? please)?(?=[.!?;]|$)"),
    _reading("from now on", r"(?:^|[,;] )(?P<v>[^.!?;,]{4,60}?),? (?:please,? )?from now on\b"),
    _reading(
        "please",
        r"^(?:so |ok |and |just )?(?P<v>(?:no more |normal |short |shorter |brief |plain |simple |only |longer |full )"
        r"[^.!?;]{3,60}?),? please\b(?P<not>, not [\w ]{3,30})?",
    ),
    _reading(
        "",
        r"^(?:please )?(?P<v>(?:keep|make|write|give|use|format|answer|reply|respond|present|draw) (?:§ )?"
        r"(?:all |every |anything |everything |your |the assistant's |answers|replies)[^.!?;§]{3,60})(?=[.!?;]|$)",
    ),
    _reading(
        "make anything",
        r"\bmake anything (?:you|the assistant) (?:draws?|makes?|writes?|shows?) for § (?P<v>[^.!?;,§]{4,60})",
    ),
    _reading(
        "no more than",
        r"(?P<v>no more than [\w-]+ (?:bullet points?|bullets|sentences?|paragraphs?|lines|words|suggestions"
        r"|options|items))"
        r"\b(?! (?:a|per|each|long))",
    ),
    _reading(
        "",
        r"^(?:please )?(?:always |just )?(?P<v>(?:answer|reply|respond) (?:§ )?(?:briefly|concisely|in (?:one|two"
        r"|three|short"
        r"|full|plain|bullet|simple|british|american|spanish|french|german|english|portuguese|italian)[\w ]{0,30}))"
        r"(?=[.!?;,]|$)",
    ),
)
_OPEN_TO_ALL: Final = ("make anything", "no more than")
_STARTS: Final = regex(
    r"(?:please )?(?:always |just )?(?:keep|make|write|give|use|format|answer|reply|respond|present"
    r"|draw) ",
    re.IGNORECASE,
)
_CALL: Final = regex(
    r"^(?:please |just |and |you can |the assistant can )*call § (?P<v>(?-i:[A-Z])[\wà-ÿ-]+)(?=[.!,;]|$| please\b)",
    re.IGNORECASE,
)


def instructions(sentence: str, maker: Maker) -> Iterator[Claim]:
    """The claims of how the speaker wants to be answered."""
    small = sentence.lower()
    if "call §" in small and (call := _CALL.search(sentence)):
        yield maker.claim("profile", maker.speaker, "name", call["v"], f"{{s}} wants to be called {call['v']}.")
    starts = _STARTS.match(sentence) is not None
    for marker, pattern in _WISHES:
        found = pattern.search(sentence) if (marker in small if marker else starts) else None
        if found is None or (marker not in _OPEN_TO_ALL and _FORMED.search(found["v"]) is None):
            continue
        opening = found["v"][0].lower() + found["v"][1:]
        value = (opening + (found.groupdict().get("not") or "")).strip(" ,").replace("§", "{s}")
        yield maker.claim("preference", maker.speaker, "instruction", value, f"{{s}} asked the assistant: {value}.")
        return
