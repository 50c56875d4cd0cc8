"""What a question asks for, read without a language model.

Plans that a language model made, kept in the process: a question that is asked again is not planned again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from threading import Lock
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.index.analyzer import stems, words
from hmem.errors import InvalidQuery
from hmem.language.english.stopwords import FIRST_PERSON, STOP_WORDS
from hmem.model.plan import Plan, SubQuestion
from hmem.model.standpoint import NOW, Standpoint
from hmem.storage.base import Speaker

# Longer than any question; the rest of a pasted text adds words to look for, and nothing to find.
_CHARACTERS: Final = 4_000


@dataclass(frozen=True, slots=True)
class Query:
    """A question, or a part of one, as the strategies use it.

    ``terms`` are the stems to look for; ``speakers`` are the numbers of those whom it is about, in the order of their
    naming; ``words`` are the words that the terms stand for, and ``names`` the speakers' names. ``vector`` is the unit
    vector of its text, ``meaning`` that of its words alone, ``part`` what the plan says of it, ``asked`` when it is
    asked. Where ``allowed`` is given, a truth value a row, only its rows may be found. ``standpoint`` is from when the
    memory is looked at.
    """

    text: str
    terms: tuple[str, ...]
    words: tuple[str, ...]
    speakers: tuple[int, ...]
    names: tuple[str, ...]
    vector: NDArray[np.float32]
    meaning: NDArray[np.float32]
    part: SubQuestion
    asked: datetime
    allowed: NDArray[np.bool_] | None = None
    standpoint: Standpoint = NOW


@dataclass(frozen=True, slots=True)
class Wording:
    """The words of a question that matter; as in ``Query``."""

    terms: tuple[str, ...]
    words: tuple[str, ...]
    speakers: tuple[int, ...]
    names: tuple[str, ...]


def checked(question: str) -> str:
    """The question, cut to a length that a question may have.

    Raises:
        InvalidQuery: it is not a text, or has nothing but blanks.
    """
    if not isinstance(question, str) or not question.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidQuery("a question is a text - this one is empty, or none")
    try:
        question.encode()
    except UnicodeEncodeError as error:
        raise InvalidQuery(
            f"the question is not Unicode ({error.reason} at {error.start}) - decode it first"
        ) from error
    return question[:_CHARACTERS]


def wording(text: str, speakers: Sequence[Speaker]) -> Wording:
    """The words that matter in a question, and the speakers that it names.

    A speaker's name is not looked for as a word, since it stands in half of the turns; it is matched with who
    speaks instead. A question in the first person is about the speakers in the role of the user.
    """
    said = words(text)
    lowered = [word.lower() for word in said]
    by_name = _by_name(speakers)
    users = [speaker.number for speaker in speakers if speaker.role == "user"]
    mentioned = (users if word in FIRST_PERSON else by_name.get(word, ()) for word in lowered)
    named = tuple(dict.fromkeys(number for numbers in mentioned for number in numbers))
    content = [word for word, low in zip(said, lowered, strict=True) if low not in STOP_WORDS and low not in by_name]
    if not content:
        content = [word for word, low in zip(said, lowered, strict=True) if low not in STOP_WORDS] or said
    name_of = {speaker.number: speaker.name for speaker in speakers}
    terms: dict[str, str] = {}
    for word in content:
        for stem in stems(word):
            terms.setdefault(stem, word)
    return Wording(
        terms=tuple(terms),
        words=tuple(terms.values()),
        speakers=named,
        names=tuple(name_of[number] for number in named),
    )


def _by_name(speakers: Sequence[Speaker]) -> dict[str, list[int]]:
    """The speakers whose name has a word."""
    numbers: dict[str, list[int]] = {}
    for speaker in speakers:
        for word in words(speaker.name.lower()):
            if len(word) > 1 and word not in STOP_WORDS:
                numbers.setdefault(word, []).append(speaker.number)
    return numbers


def whole(plan: Plan) -> SubQuestion:
    """A question that was split, as one: what its parts ask for together."""
    if len(plan.parts) == 1:
        return plan.parts[0]
    first = plan.parts[0]
    return replace(
        first,
        text=plan.question,
        topic=plan.question if not any(part.spans for part in plan.parts) else first.topic,
        scope="mixed" if len({part.scope for part in plan.parts}) > 1 else first.scope,
        coverage="global" if any(part.coverage == "global" for part in plan.parts) else "local",
        mode="intersective" if any(part.mode == "intersective" for part in plan.parts) else "sequential",
        spans=tuple(dict.fromkeys(span for part in plan.parts for span in part.spans)),
        entities=tuple(dict.fromkeys(name for part in plan.parts for name in part.entities)),
        needs=(),
    )


_REMEMBERED: Final = 256


class PlanKey(NamedTuple):
    """All that a plan is made of: who makes it, the question, the minute in which it is asked, and the people."""

    made_by: str
    question: str
    minute: str
    people: tuple[str, ...]

    @classmethod
    def of(cls, made_by: str, question: str, asked: datetime, people: Sequence[str]) -> "PlanKey":
        """What a model is shown to make a plan."""
        return cls(made_by, question, asked.isoformat(timespec="minutes"), tuple(people))


class Plans:
    """The latest plans. Safe to use from several threads; nothing is locked while one is made."""

    def __init__(self) -> None:
        self._made: dict[PlanKey, Plan] = {}
        self._lock = Lock()

    def get(self, asked: PlanKey, make: Callable[[], Plan]) -> Plan:
        """The plan of a question, made if it is not known."""
        with self._lock:
            known = self._made.get(asked)
        if known is not None:
            return known
        plan = make()
        with self._lock:
            while len(self._made) >= _REMEMBERED:
                del self._made[next(iter(self._made))]
            self._made[asked] = plan
        return plan
