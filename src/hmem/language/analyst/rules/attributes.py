"""What someone has one of: numbers and addresses by which they are reached, measures, looks of a screen."""

import re
from collections.abc import Iterator
from typing import Final

from hmem.language.analyst.base import Claim
from hmem.language.analyst.rules.claiming import Maker
from hmem.language.analyst.rules.sureness import unsure
from hmem.language.regex import regex

_IS: Final = (
    r" (?:is|'s|(?:has )?changed to|is changing to|(?:has )?bec[oa]me|was changed to)(?: (?:now|still|actually))*:? "
)
_AMOUNT: Final = (
    r"(?P<v>(?:about |around |roughly )?[$€£]?\d[\d.,]*(?: ?(?:k|thousand|million))?"
    r"(?: ?(?:dollars|euros|pounds|bucks|kilos?|kg|lbs|cm|m|feet|inches|%))?"
    r"(?: (?:a|per) (?:month|week|year|day))?)"
)


def _reading(slot: str, named: str, value: str) -> tuple[str, re.Pattern[str]]:
    return slot, regex(
        rf"(?<![\w'-])§'s (?:(?:new|current|correct|actual|latest|monthly|weekly|home|work|mobile"
        rf"|cell) )*{named}{_IS}{value}",
        re.IGNORECASE,
    )


_ATTRIBUTES: Final = (
    _reading("phone number", r"(?:phone |cell |mobile )?number", r"(?P<v>\+?\d[\d() .-]{4,18}\d)"),
    _reading("email", r"e-?mail(?: address)?", r"(?P<v>[\w.+-]+@[\w-]+\.[\w.]*\w)"),
    _reading("address", r"(?:postal |street )?address", r"(?P<v>\d+[\w' -]{3,40}|[A-Z][\w' -]{2,30} \d+)(?=[.,;!]|$)"),
    _reading("username", r"(?:user ?name|handle|nick(?:name)?|gamer ?tag)", r"(?P<v>[\w.@-]{2,30})"),
    _reading("budget", r"budget(?: for [\w ]{2,30})?", _AMOUNT),
    _reading("rent", r"rent", _AMOUNT),
    _reading("salary", r"salary", _AMOUNT),
    _reading("weight", r"weight", _AMOUNT),
    _reading("height", r"height", _AMOUNT),
    _reading("shoe size", r"shoe size", r"(?P<v>\d+(?:\.5)?)"),
    _reading("bedtime", r"bed ?time", r"(?P<v>[\w: ]{2,14}?)(?=[.,;!]|$| now\b)"),
    _reading(
        "deadline", r"(?:[\w-]+ ){0,2}deadline", r"(?P<v>[A-Z][\w ]{2,24}?|the \d+\w*[\w ]{0,14}?)(?=[.,;!]|$| now\b)"
    ),
)

_COLOUR: Final = (
    r"(?P<v>(?:(?:light|dark|navy|sky|forest|lime|soft|warm|deep|bright|pale) )?(?:blue|green|red|yellow|orange|purple"
    r"|violet|pink|teal|turquoise|black|white|gr[ae]y|brown|amber|gold|cyan|magenta|beige|navy|sepia|indigo))"
)
_SCREEN: Final = (
    r"(?:themes?|accents?|colou?r schemes?|palettes?|backgrounds?|highlights?|buttons?|fonts?|icons?|modes?)"
)
_LOOK: Final = regex(
    rf"§ (?:really |now |still |also |just |much |always |would )*(?:loves|likes|prefers|uses|wants|enjoys"
    rf"|picked|chose|"
    rf"switched to|went (?:back )?(?:with|to)|settled on) (?:having |to have |the |an? |§'s )*{_COLOUR} {_SCREEN}\b"
    rf"|\b{_COLOUR.replace('?P<v>', '?P<easier>')} {_SCREEN} (?:is|are|feels?|looks?|works?) (?:so |much |way "
    rf"|far |a lot )*"
    rf"(?:easier|better|nicer|more comfortable|gentler|kinder|best|softer)\b(?=[^.]*§)",
    re.IGNORECASE,
)


# A tally that goes on: "has completed 20 videos so far".
_TALLY: Final = regex(
    r"§(?: and others)? (?P<aux>(?:has |have |'s |actually |just |now |already |only )*)"
    r"(?P<verb>completed|finished|watched|seen|read|tried|visited|attended|added|collected|done|written|met|run|owns"
    r"|painted|baked|cooked|made|planted|knitted|recorded|published|sold|climbed|learned) "
    r"(?P<v>\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty) "
    r"(?:(?:different|new|more|whole|full) )*(?P<what>(?:[A-Za-z-]+ ){0,2}?[a-z]{2,}s)\b"
    r"(?P<on>[^.!?]{0,60}?\b(?:so far|already|to date|in total|altogether|since (?:§|joining|starting|then)|until now"
    r"|by now|now)\b)?",
    re.IGNORECASE,
)


def attributes(sentence: str, maker: Maker) -> Iterator[Claim]:
    """The claims of what someone has one of."""
    if "§" not in sentence:
        return
    small = sentence.lower()
    if " is" in small or "chang" in small or "bec" in small:
        for slot, pattern in _ATTRIBUTES:
            found = pattern.search(sentence)
            if found is not None and not unsure(sentence, found.start()):
                value = found["v"].strip(" .")
                yield maker.claim("profile", maker.speaker, slot, value, f"{{s}}'s {slot} is {value}.")
    found = _TALLY.search(sentence)
    goes_on = found is not None and (found["on"] or "already" in found["aux"].lower())
    if found is not None and goes_on and not unsure(sentence, found.start(), past=True):
        what, value = found["what"].lower(), found["v"].lower()
        text = f"{{s}} has {found['verb']} {value} {what}.".replace("has owns", "owns")
        yield maker.claim("fact", maker.speaker, f"number of {what}", value, text)
    found = _LOOK.search(sentence)
    if found is not None and not unsure(sentence, found.start()):
        value = (found["v"] or found["easier"]).lower()
        yield maker.claim("preference", maker.speaker, "theme colour", value, f"{{s}}'s theme colour is {value}.")
