"""Entities and ties of turns, by rules."""

from hmem.language.analyst.base import Extraction, Passage
from hmem.language.analyst.rules.names import names
from hmem.model.turn import Turn

# How many turns before a turn are looked at.
CONTEXT = 3


def entities(passage: Passage) -> list[Extraction]:
    """The entities and relations of each wanted turn of a passage."""
    return [
        _extract(turn, passage.turns[max(0, place - CONTEXT) : place])
        for place, turn in enumerate(passage.turns[passage.start :], passage.start)
    ]


def _extract(turn: Turn, before: tuple[Turn, ...]) -> Extraction:
    people = {part for other in (*before, turn) for part in other.speaker.lower().split()}
    return Extraction(tuple(names(turn.content, people, len(turn.text))))
