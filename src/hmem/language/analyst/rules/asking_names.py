"""Whom and what a question asks about, by name."""

import re
from collections.abc import Sequence
from itertools import islice
from typing import Final

from hmem.language.analyst.rules.entities import people_of
from hmem.language.analyst.rules.names import names
from hmem.language.regex import regex

_FIRST_PERSON: Final = regex(r"\b(?:I|me|my|mine|myself)\b(?!['’]?\w*\.\w)|\bi\b(?![.'’]e)")
_SECOND_PERSON: Final = regex(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE)
_QUOTED: Final = regex(r"[\"“]([^\"“”\n]{2,80})[\"”]|(?<!\w)['‘](?=[A-ZÀ-Þ])([^'’‘\n]{2,80})['’](?!\w)")
_ASSISTANTS: Final = frozenset({"assistant", "ai", "bot", "chatbot", "model", "agent"})
# A question that pastes in a page asks about none of its names in particular.
_MOST: Final = 12


def named_in(question: str, people: Sequence[str]) -> tuple[str, ...]:
    """The names in a question as they are written there, without a possessive, in their order, each once.

    "I" stands for the first of ``people``, "you" for the assistant among them.
    """
    found = [(naming.start, naming.surface) for naming in names(question, people_of(people), most=_MOST)]
    found += [
        (match.start() + 1, (match[1] or match[2]).strip(" ,.?!"))
        for match in islice(_QUOTED.finditer(question), _MOST)
    ]
    found += _spoken_small(question, people, {surface.lower() for _, surface in found})
    if people and (first := _FIRST_PERSON.search(question)) and people[0].lower() not in _ASSISTANTS:
        found.append((first.start(), people[0]))
    assistant = next((person for person in people if person.lower() in _ASSISTANTS), None)
    if assistant and (second := _SECOND_PERSON.search(question)):
        found.append((second.start(), assistant))
    return tuple(dict.fromkeys(surface for _, surface in sorted(found)))[:_MOST]


def _spoken_small(question: str, people: Sequence[str], known: set[str]) -> list[tuple[int, str]]:
    """People whose name is written without its capital, or was not taken for a name."""
    lower = question.lower()
    return [
        (place, question[place : place + len(person)])
        for person in people
        if person and person.lower() not in known and (place := _word_at(lower, person.lower())) is not None
    ]


def _word_at(text: str, word: str) -> int | None:
    place = text.find(word)
    while place >= 0:
        end = place + len(word)
        if not (text[place - 1 : place].isalnum() or text[end : end + 1].isalnum()):
            return place
        place = text.find(word, end)
    return None
