"""What a first pass lacks, and the one query for it (H-Mem, tree and graph: missing information).

Only what a rule can recognise can be seen to be missing: a name (of a person, place, organisation, title, pet), a date,
a number. It is missing when a line that is about the question speaks of it vaguely ("a theme from a movie", "a place
near home", "a while back") and none of those lines has one. Whether a common noun is specific enough no rule can tell,
so those are never missing.
"""

import re
from collections.abc import Sequence
from typing import Final

from hmem.language.analyst.base import Line
from hmem.language.analyst.rules.asking import singular
from hmem.language.analyst.rules.entities import people_of
from hmem.language.analyst.rules.missing_slots import NAMED, Slot, slot_of
from hmem.language.analyst.rules.names import names
from hmem.language.analyst.rules.wording import stem
from hmem.language.dates import find_dates
from hmem.language.regex import regex
from hmem.language.stopwords import STOP_WORDS
from hmem.model.plan import FollowUp, SubQuestion

# How many of the best lines are read, how much of each, and how many words a line shares with what it is about.
_READ: Final = 8
_MOST_READ: Final = 600
_SHARED: Final = 2
# How many fewer words than the closest line does.
_BEHIND: Final = 1
# A follow-up that shares more of its words with the question than this is a paraphrase.
_PARAPHRASE: Final = 0.5
# A name that is only called out to its bearer answers nothing.
_SALIENT: Final = 0.5
_WORD: Final = regex(r"[^\W_]+")
_NUMBER: Final = regex(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twice|twins)\b", re.IGNORECASE
)


def missing(part: SubQuestion, found: Sequence[Line]) -> FollowUp | None:
    """The follow-up query, or None when what was found is specific enough."""
    slot = slot_of(part)
    if slot is None:
        return None
    asked = _stems(part.text)
    near = _about(found[:_READ], asked - _stems(" ".join(part.entities)), part)
    if not near or any(_fills(line, slot, part) for line in near):
        return None
    for line in near:
        anchor = _anchor(slot, line, asked)
        if anchor and (query := _query(part, slot, anchor, line, asked)) is not None:
            return query
    return None


def _about(found: Sequence[Line], topic: frozenset[str], part: SubQuestion) -> list[Line]:
    """The lines that share enough with the question; those of the people whom it names, where they speak."""
    own = [line for line in found if line.speaker in part.entities] or found
    shared = [len(topic & _stems(line.text[:_MOST_READ])) for line in own]
    needed = max(min(_SHARED, len(topic)), max(shared, default=0) - _BEHIND, 1)
    return [line for line, count in zip(own, shared, strict=True) if count >= needed]


def _fills(line: Line, slot: Slot, part: SubQuestion) -> bool:
    """Whether a line has something of the right kind that the question does not have already."""
    text = line.text[:_MOST_READ]
    if slot.name == "date":
        return any(mention.kind == "point" for mention in find_dates(text, line.when))
    if slot.name == "number":
        return _NUMBER.search(text) is not None
    people = [*part.entities, line.speaker or ""]
    known = _tokens(" ".join((*people, part.text)))
    return any(
        naming.type in slot.kinds and naming.salience >= _SALIENT and not _tokens(naming.surface) <= known
        for naming in names(text, people_of(people))
    ) or (slot.titled and '"' in text)


def _anchor(slot: Slot, line: Line, asked: frozenset[str]) -> str:
    """The vague phrase of a line, as it stands there, that is nearest to the question and says more than it does."""
    found = (match[0] for match in slot.vague.finditer(line.text[:_MOST_READ]))
    phrases = [_trimmed(phrase) if slot.kinds else phrase for phrase in found]
    telling = [(_stems(phrase), phrase) for phrase in phrases]
    able = [
        (len(said & asked), len(said), phrase)
        for said, phrase in telling
        if said - asked or not slot.kinds or phrase.lower().startswith("some")
    ]
    return max(able, key=lambda one: one[:2])[2] if able else ""


def _trimmed(phrase: str) -> str:
    """A phrase without the small words that it ends on."""
    words = list(_WORD.finditer(phrase))
    while len(words) > 1 and words[-1][0].lower() in STOP_WORDS:
        words.pop()
    return phrase[: words[-1].end()] if words else ""


def _query(part: SubQuestion, slot: Slot, anchor: str, line: Line, asked: frozenset[str]) -> FollowUp | None:
    """The query for the slot; None when it would say the question again."""
    who = line.speaker or (part.entities[0] if part.entities else "")
    noun = _noun(anchor, slot)
    also = f" and which {slot.name}" if slot.maker and slot.name != noun else ""
    text = (
        f'Which {noun}{also} does {who} mean by "{anchor}"?' if who else f'Which {noun}{also} is meant by "{anchor}"?'
    )
    said = _stems(text) - _stems(who)
    same = len(said & asked) / len(said | asked) if said else 1.0
    return None if same > _PARAPHRASE else FollowUp(text, slot.name, anchor)


def _noun(anchor: str, slot: Slot) -> str:
    """What the anchor is one of, its last noun that has a name: "movie" of "a theme from a movie"."""
    nouns = [singular(word) for word in _WORD.findall(anchor.lower()) if singular(word) in NAMED]
    return nouns[-1] if nouns and (slot.maker or slot.titled) else slot.name


def _tokens(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _stems(text: str) -> frozenset[str]:
    """The content words of a text as stems."""
    return frozenset(stem(word) for word in _WORD.findall(text.lower()) if word not in STOP_WORDS and len(word) > 1)
