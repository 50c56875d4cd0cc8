"""What kind of answer a question wants, from the word that asks and the noun beside it."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from hmem.language.analyst.rules.asking import AUXILIARIES, PREPOSITIONS, UNITS, Asking, singular, tokens
from hmem.language.analyst.rules.relatives import KIN
from hmem.language.analyst.rules.wordlist import words
from hmem.language.regex import regex
from hmem.model.plan import AnswerType

_PERSON: Final = words(
    """
    person people individual author writer novelist poet composer artist painter musician singer songwriter rapper actor
    actress director character friend colleague coworker relative player athlete politician celebrity superhero
    supervillain villain hero band-mate teammate coach teacher mentor student scientist philosopher comedian youtuber
    streamer designer chef doctor therapist child kid guest member man woman boy girl guy nickname host hostess
    professor leader president
    """
) | frozenset(kin for kin in KIN.split("|") if kin not in {"puppy", "pup", "dog", "cat", "kitten", "pet"})
_NOUNS: Final[dict[AnswerType, frozenset[str]]] = {
    "person": _PERSON,
    "place": words(
        """
        city country state town place location area region continent village street island venue hotel guesthouse café
        cafe restaurant museum destination neighbourhood neighborhood airport bar beach mountain park county province
        district address spot site room building resort lake river nationality hometown
        """
    ),
    "organization": words(
        """
        company school university college organization organisation team club band charity agency brand employer firm
        institution nonprofit startup airline bank store shop group label publisher archive
        """
    ),
    "time": words("date day month year week time weekday season century decade birthday anniversary deadline moment"),
    "activity": words("activity hobby sport exercise chore pastime workout routine"),
    "duration": words("duration length"),
    "frequency": words("frequency"),
    "count": words("number amount price cost fee salary age percentage score sum total count budget rent wage"),
    "reason": words("reason motivation purpose intention motive cause-of why"),
    "manner": words("way ways method manner means"),
}
_TYPE_OF: Final[Mapping[str, AnswerType]] = {noun: kind for kind, nouns in _NOUNS.items() for noun in sorted(nouns)}
_MEASURED: Final = words("finishing running race screen cooking recovery travel travelling finish record commute")
_DOING: Final = regex(
    r"(?<!\w)(?:do|doing|done|up to)(?= (?!(?:the|a|an|his|her|their|my|it|this|that)\b)|[?.,]|$)", re.IGNORECASE
)
_HAPPENED: Final = regex(r"(?:\w+ly )?happen(?:ed|ing)?\b", re.IGNORECASE)
_PER: Final = regex(r"\b(?:a|per|each|every) (?:day|week|month|year)\b", re.IGNORECASE)
# "Which came first, A or B?": what stands after the last comma, or an alternative in a question for yes or no.
_ALTERNATIVE: Final = regex(
    r"(?:,|\bfirst|\bmore|\bbetter)[,:]? [^,?]+,? or [^,?]+\?*$|\bof the (?:two|three)\b", re.IGNORECASE
)
_OR: Final = regex(r"(?<!yes) or (?!not\b|no\b|so\b|any|something|more\b|less\b)", re.IGNORECASE)
_NAMES: Final = words("name names surname nickname")
_OWN_NAME: Final = words("name names")


def answer_type(asked: Asking) -> AnswerType:
    """What kind of answer a question wants; ``any`` where nothing says it."""
    if asked.polar:
        return "choice" if _OR.search(asked.rest) and "and/or" not in asked.rest else "yes_no"
    if asked.lead in ("what", "which", "who") and _ALTERNATIVE.search(asked.text):
        return "choice"
    if asked.lead.startswith("how"):
        return _how(asked)
    if asked.lead in _BY_LEAD:
        return _BY_LEAD[asked.lead]
    return _what(asked) if asked.lead else "any"


_BY_LEAD: Final[dict[str, AnswerType]] = {
    "who": "person", "whom": "person", "whose": "person", "when": "time", "where": "place", "why": "reason",
}  # fmt: skip
_BY_HOW: Final[dict[str, AnswerType]] = {
    "how often": "frequency", "how frequently": "frequency", "how come": "reason", "how": "manner",
    "how late": "time", "how early": "time",
}  # fmt: skip


def _how(asked: Asking) -> AnswerType:
    if asked.lead == "how long":
        return "time" if asked.phrase[:1] == ("ago",) else "duration"
    if asked.lead in ("how many", "how much"):
        if asked.phrase[:1] == ("times",) and _PER.search(asked.text):
            return "frequency"
        if asked.phrase and asked.phrase[0] in UNITS:
            return "time" if "ago" in asked.phrase else "duration"
        return "duration" if "time" in asked.phrase else "count"
    return _BY_HOW.get(asked.lead, "count")


def _what(asked: Asking) -> AnswerType:
    if asked.phrase and (asked.verb or asked.phrase[0] not in _VERBS_FIRST):
        return _named(asked.phrase, asked.text, whole=bool(asked.verb))
    if asked.phrase:
        return _VERBS_FIRST[asked.phrase[0]]
    if _HAPPENED.match(asked.rest):
        return "activity"
    if asked.verb not in ("is", "are", "was", "were") or _DOING.search(asked.rest):
        return "activity" if _DOING.search(asked.rest) else "thing"
    return _named(tuple(_predicate(asked.rest)), asked.text, whole=True)


_VERBS_FIRST: Final[dict[str, AnswerType]] = {
    "happened": "activity", "happens": "activity", "made": "reason", "motivated": "reason", "caused": "reason",
    "prompted": "reason", "led": "reason", "makes": "thing", "helps": "thing", "inspires": "thing",
    "inspired": "thing", "motivates": "thing", "came": "thing",
}  # fmt: skip


def _named(phrase: tuple[str, ...], text: str, *, whole: bool) -> AnswerType:
    """The kind that a noun phrase asks for: whose something it is, its last noun, or any noun of it."""
    if not phrase:
        return "thing"
    for word in phrase[:-1]:
        if (
            word.endswith(("'s", "s'"))
            and (kind := _TYPE_OF.get(singular(word))) in ("person", "time")
            and not _kin(word)
        ):
            return kind
    if phrase[-1] in _OWN_NAME:
        return "person" if any(singular(word) in _PERSON for word in tokens(text)) else "thing"
    if whole:
        *before, head = phrase
        measured = head == "time" and not _MEASURED.isdisjoint(before[-1:])
        return "duration" if measured else _type_of(head)
    return _type_of(next((word for word in phrase if singular(word) in _TYPE_OF), ""))


def _type_of(word: str) -> AnswerType:
    return _TYPE_OF.get(singular(word)) or "thing"


def _kin(word: str) -> bool:
    return singular(word) in KIN.split("|")


def _predicate(rest: str) -> Iterator[str]:
    """The words of the noun phrase after "what is", up to what describes it."""
    for place, word in enumerate(tokens(rest)):
        if word in AUXILIARIES or (place and word in PREPOSITIONS):
            return
        yield word
