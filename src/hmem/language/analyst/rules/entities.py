"""Entities and ties of turns, by rules (H-Mem, tree and graph: formation, step 3).

What becomes an entity is decided so that the graph leads from one turn to others:

- Proper names of people, pets, places, organisations, events, products and works (see ``names``).
- Phrases such as "pottery class" or "adoption agency", of type ``other``: what a person is tied to ("signed up for a
  pottery class") and, wherever they stand, words for what people do, join or go to, with the word that says which.
  These are what conversations return to; all other common nouns are left to the index of words.
- Dates and times are none: as entities they would join turns that have only the day in common. The calendar tree and
  the statements' own times serve them. ``entities(passage, dates=True)`` names them all the same.
- The speaker of a turn is an entity where a tie says something of them; that a turn is theirs is known without it.
"""

from collections.abc import Callable, Collection
from itertools import chain, islice
from typing import Final

from hmem.language.analyst.base import Extraction, Naming, Passage
from hmem.language.analyst.rules.names import names
from hmem.language.analyst.rules.phrases import compounds
from hmem.language.analyst.rules.ties import Found, ties
from hmem.language.dates import find_dates
from hmem.model.turn import Turn

# How many turns before a turn are looked at: only for who has been speaking.
CONTEXT: Final = 3

# The most that one turn names: a book that was pasted in must not swamp the graph.
MOST: Final = 48
_ROLES: Final = frozenset({"user", "assistant", "system", "tool", "human", "ai", "bot", "model", "agent", "the", "of"})
_SALIENT: Final = 0.5
_DATED: Final = 0.2


# Finds the names of a turn; the set holds what its speakers are called, written small.
Finder = Callable[[Turn, frozenset[str]], list[Naming]]


def entities(passage: Passage, *, dates: bool = False) -> list[Extraction]:
    """The entities and relations of each wanted turn of a passage."""
    return entities_by(_names, passage, dates=dates)


def entities_by(finder: Finder, passage: Passage, *, dates: bool = False) -> list[Extraction]:
    """The same, with another finder of names; phrases and relations are read by rules all the same."""
    return [
        _extract(finder, turn, passage.turns[max(0, place - CONTEXT) : place], dates=dates)
        for place, turn in enumerate(passage.turns[passage.start :], passage.start)
    ]


def _names(turn: Turn, people: frozenset[str]) -> list[Naming]:
    return names(turn.content, people, len(turn.text), MOST)


def _extract(finder: Finder, turn: Turn, before: tuple[Turn, ...], *, dates: bool) -> Extraction:
    speakers = dict.fromkeys(other.speaker for other in (*before, turn))
    found = finder(turn, people_of(speakers))
    tied = Found((), ()) if turn.role in ("system", "tool") else _ties(turn, found, list(speakers))
    namings = [*found, *tied.namings, *_compounds(turn.text, [*found, *tied.namings])]
    if dates:
        namings += _dated(turn)
    return Extraction(tuple(sorted(namings, key=lambda naming: (naming.start, naming.end))), tied.ties)


def _ties(turn: Turn, found: list[Naming], speakers: list[str]) -> Found:
    others = [speaker for speaker in speakers if speaker != turn.speaker]
    other = others[0] if len(others) == 1 else None
    in_text = [naming for naming in found if naming.end <= len(turn.text)]
    made = ties(turn.text, in_text, turn.speaker, other)
    if turn.role != "assistant":
        return made
    # An assistant's own doings are nobody's; what it says of the user is kept.
    kept = tuple(tie for tie in made.ties if tie.source != turn.speaker)
    targets = {tie.target for tie in kept}
    return Found(kept, tuple(naming for naming in made.namings if naming.surface in targets))


def _compounds(text: str, taken: list[Naming]) -> list[Naming]:
    """The phrases that stand beside no tie, clear of what is named already."""
    return [
        Naming(phrase.text, "other", phrase.start, phrase.end, _SALIENT)
        for phrase in islice(compounds(text), MOST)
        if not any(naming.start < phrase.end and phrase.start < naming.end for naming in taken)
    ]


def people_of(speakers: Collection[str]) -> frozenset[str]:
    """The words that speakers are called by, written small: the words of their names."""
    return frozenset(chain.from_iterable(speaker.lower().split() for speaker in speakers)) - _ROLES


def _dated(turn: Turn) -> list[Naming]:
    return [
        Naming(
            mention.text,
            "time" if mention.granularity in ("hour", "minute") else "date",
            mention.start,
            mention.end,
            _DATED,
        )
        for mention in find_dates(turn.text, turn.at)
    ]
