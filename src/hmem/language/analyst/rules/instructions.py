"""How someone wants an assistant to answer: "from now on", "no more than three bullet points", "call me Jo"."""

import re
from collections.abc import Iterator
from typing import Final

from hmem.language.analyst.base import Claim
from hmem.language.analyst.rules.claiming import Maker

_FORM: Final = (
    r"(?:bullet points?|bullets|paragraphs?|sentences?|answers?|replies|responses|headings?|background|lists?"
    r"|tables?|emojis?"
    r"|essays?|summar(?:y|ies)|words|lines|prose|sepia|dark mode|light mode|jargon|metric(?: units)?|celsius"
    r"|kilomet(?:re|er)s)"
)
# Read only where one of these words stands.
_MAY: Final = re.compile(
    rf"from now on|\bplease\b|\b[Cc]all §|\b(?:[Aa]lways|[Nn]ever|[Aa]nything|[Ee]verything)\b|\bno more than\b"
    rf"|\b{_FORM}\b"
)
_VALUES: Final = (
    re.compile(rf"from now on,? (?P<v>(?=[^.!?;]*\b{_FORM}\b)[^.!?;]{{4,70}}?)"
        rf"(?:,? please)?(?=[.!?;]|$)", re.IGNORECASE),
    re.compile(rf"(?P<v>(?=[^.!?;,]*\b{_FORM}\b)[\w][^.!?;,]{{3,60}}?),? (?:please,? )?from now on\b", re.IGNORECASE),
    re.compile(
        r"^(?:so |ok |and |just )?(?P<v>(?:no more |normal |short |shorter |brief |plain |simple |only |longer |full )"
        rf"(?=[^.!?;]*\b{_FORM}\b)[^.!?;]{{3,60}}?),? please\b(?P<not>, not [\w ]+)?",
        re.IGNORECASE,
    ),
    re.compile(rf"^(?:please )?(?P<v>(?:keep|make|write|give|use|format|answer|reply|respond|present"
        rf"|draw) (?:§ )?(?:all |every |any"
               rf"|anything |everything |your |the assistant's |answers|replies)[^.!?;§]{{0,50}}?\b(?:{_FORM}|short"
               rf"|brief|concise)\b)", re.IGNORECASE),
    re.compile(r"\bmake anything (?:you draw|the assistant draws|you make|the assistant makes|you write"
        r"|the assistant writes) for § "
               r"(?P<v>[^.!?;,§]{4,60})", re.IGNORECASE),
    re.compile(r"(?P<v>no more than (?:\w+|\d+) (?:bullet points?|bullets|sentences?|paragraphs?|lines|words"
        r"|suggestions|options"
               r"|items))\b(?! (?:a|per|each|long))", re.IGNORECASE),
    re.compile(r"^(?:please )?(?:always |just )?(?P<v>(?:answer|reply|respond|write) (?:§ )?(?:briefly|concisely"
        r"|in (?:one|two|three|short|full"
               r"|plain|bullet|simple|british|american|spanish|french|german|english|portuguese"
               r"|italian)[\w ]{0,30}))(?=[.!?;,]|$)", re.IGNORECASE),
)  # fmt: skip
_CALL: Final = re.compile(
    r"^(?:please |just |and |you can |the assistant can )*call § (?P<v>(?-i:[A-Z])[\wà-ÿ-]+)(?=[.!,;]|$| please\b)",
    re.IGNORECASE,
)


def instructions(sentence: str, maker: Maker) -> Iterator[Claim]:
    """The claims of how the speaker wants to be answered."""
    if _MAY.search(sentence) is None:
        return
    if call := _CALL.search(sentence):
        yield maker.claim("profile", maker.speaker, "name", call["v"], f"{{s}} wants to be called {call['v']}.")
    for pattern in _VALUES:
        if found := pattern.search(sentence):
            opening = found["v"][0].lower() + found["v"][1:]
            value = (opening + (found.groupdict().get("not") or "")).strip(" ,").replace("§", "{s}")
            yield maker.claim("preference", maker.speaker, "instruction", value, f"{{s}} asked the assistant: {value}.")
            return
