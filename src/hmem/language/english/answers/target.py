"""Answer target of an English question: its kind, the noun that the answer is one of, and the words to look for."""

import re
from functools import lru_cache
from typing import Final

from hmem.language.analyst.answer_reader import AnswerTarget, TargetKind
from hmem.language.english.inflection import root
from hmem.language.english.stopwords import STOP_WORDS
from hmem.language.english.word_lists import words
from hmem.language.regex import regex
from hmem.model.plan import AnswerType, Coverage, SubQuestion

# Greatest number of characters of a question that are read.
_READ: Final = 1_000
_WORD: Final = regex(r"[^\W_]+(?:['’.&-][^\W_]+)*")
_AUXILIARY: Final = words(
    "do does did is are was were has have had can could might would will should am be been shall may must"
)
_INTERROGATIVE: Final = words("what which who whom whose when where why how")
_SORT: Final = words("kind kinds type types sort sorts")
_EMPTY: Final = words(
    "does did do kind type sort name names many much long often far old new recent recently mention mentioned describe "
    "described say said tell told share shared according currently during while after before"
)
_AGO: Final = regex(r"\bhow (?:many|long) (?:days |weeks |months |years )?ago\b", re.IGNORECASE)
_COUNTED: Final = regex(r"\bhow many\b|\bnumber of\b", re.IGNORECASE)
_CAUSED: Final = regex(r"\bwhat (?:inspired|sparked|drives|motivates)\b", re.IGNORECASE)
_FEELING: Final = regex(r"\bhow (?:did|does|do|was|is|were) .{1,60}\bfeel(?:ing)?\b", re.IGNORECASE)
_NAME: Final = regex(
    r"\b(?:names? of|named|called|title|nickname)\b|\b(?:what|which) (?:\w+ ){0,2}?(?:book|books|movie|movies"
    r"|film|films|song|"
    r"songs|band|bands|game|games|company|brand|artist|author|authors|series|show|team|restaurant|pets?'? names?)\b",
    re.IGNORECASE,
)
_PLURAL_FOCUS: Final = regex(r"(?<!s)s$|^(?:people|children|kids)$")
_NO_LIST: Final = words(
    "this is was has his its dress business class news us always status focus series campus basis address "
    "analysis process "
    "purpose progress success fitness illness happiness kids"
)


@lru_cache(maxsize=256)
def answer_target(text: str, people: tuple[str, ...], part: SubQuestion) -> AnswerTarget:
    """Return the target of a question; ``people`` are the speakers that it names, ``part`` is its part of the plan."""
    lower = [_plain(found[0]) for found in _WORD.finditer(text[:_READ])]
    start = next((i for i, word in enumerate(lower) if word in _INTERROGATIVE), -1)
    kind = _kind(text, part.answer_type)
    names = _names(people, lower)
    focus = _focus(lower, start, names)
    content = [word for word in lower if word not in names and _matters(word)]
    roots = tuple(dict.fromkeys(root(word) for word in content if root(word) not in _EMPTY))
    verb = _verb(lower, start, names, focus)
    every = frozenset(root(word) for word in lower)
    return AnswerTarget(
        text,
        kind,
        focus,
        verb,
        roots,
        every,
        _several(focus, kind, part.coverage) and not _is_named(focus, text),
        people,
        tuple(dict.fromkeys(content)),
    )


def _names(people: tuple[str, ...], lower: list[str]) -> set[str]:
    """Return the names of people, and the question's short forms of them: Mel for Melanie."""
    full = {part for name in people for part in name.lower().split()}
    return full | {word for word in lower if len(word) > 2 and any(name.startswith(word) for name in full)}


def _plain(word: str) -> str:
    return re.sub(r"['’]s?$", "", word.lower())


def _matters(word: str) -> bool:
    return word not in STOP_WORDS and word not in _EMPTY and word not in _INTERROGATIVE


def _kind(text: str, wanted: AnswerType) -> TargetKind:
    """Return the kind of answer that the plan expects, refined where the reader can use it."""
    if wanted == "time" and _AGO.search(text):
        return "duration"
    if wanted == "count":
        return "count" if _COUNTED.search(text) else "amount"
    if wanted in ("thing", "any") and _CAUSED.search(text):
        return "reason"
    if wanted in ("thing", "any", "manner") and _FEELING.search(text):
        return "feeling"
    if wanted in ("thing", "any"):
        return "name" if _NAME.search(text) else "thing"
    return _KINDS.get(wanted, "thing")


_KINDS: Final[dict[AnswerType, TargetKind]] = {
    "person": "person", "place": "place", "organization": "name", "time": "when", "duration": "duration",
    "frequency": "frequency", "yes_no": "polar", "choice": "choice", "reason": "reason", "manner": "manner",
    "activity": "activity",
}  # fmt: skip


def _focus(lower: list[str], start: int, names: set[str]) -> tuple[str, ...]:
    """Return the noun after "what", "which" or "how many", else the one that "what is" asks about."""
    if start < 0:
        return ()
    i = start + 1
    while i < len(lower) and (lower[i] in _SORT or lower[i] in ("of", "many", "much", "other", "the")):
        i += 1
    end = i
    while end < len(lower) and lower[end] not in _AUXILIARY and lower[end] not in names:
        end += 1
    found = [word for word in lower[i:end] if word not in STOP_WORDS or word == "name"]
    if found and lower[start] in ("what", "which", "how", "whose"):
        return tuple(found[:4])
    if i < len(lower) and lower[i] in ("is", "are", "was", "were") and lower[start] in ("what", "which"):
        rest = [word for word in lower[i + 1 : i + 7] if word not in names]
        cut = next((n for n, word in enumerate(rest) if n and word in _PREPOSITIONS), len(rest))
        return tuple(word for word in rest[:cut] if word not in STOP_WORDS)[:3]
    return ()


_PREPOSITIONS: Final = words("of in on at for to from with by about during after before that while as like")


def _verb(lower: list[str], start: int, names: set[str], focus: tuple[str, ...]) -> str:
    """Return the root of the action: after the subject of "did", else the first content word; "" if there is none."""
    at = next((i for i in range(max(start, 0), len(lower)) if lower[i] in _AUXILIARY), -1)
    rest = lower[at + 1 :] if at >= 0 else lower[start + 1 :]
    passed = False
    for i, word in enumerate(rest):
        if word in names:
            passed = True
        elif word in focus or word in _AUXILIARY:
            continue
        elif _matters(word) or word in _LIGHT:
            joined = i and rest[i - 1] in ("and", "her", "his", "their", "the", "a", "my", "our")
            if not joined or (passed is False and word in _LIGHT):
                return root(word)
    return ""


_LIGHT: Final = words("get give make go say use need know see take keep try help let want")


def _several(focus: tuple[str, ...], kind: TargetKind, coverage: Coverage) -> bool:
    """Tell if a list is asked for: by the plan's coverage, or by a plural."""
    if kind not in _LISTED:
        return False
    head = focus[-1] if focus else ""
    return coverage == "global" or (_PLURAL_FOCUS.search(head) is not None and head not in _NO_LIST)


def _is_named(focus: tuple[str, ...], text: str) -> bool:
    """Tell if the noun asked about is written as a name, which is no plural: "Postgres"."""
    return bool(focus) and re.search(rf"(?<=\w ){re.escape(focus[-1].capitalize())}\b", text) is not None


_LISTED: Final = ("thing", "name", "person", "place", "activity", "manner")
