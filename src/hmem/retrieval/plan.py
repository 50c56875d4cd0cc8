"""Queries: a question with its plan and wording, as strategies use it; and a cache of plans that a model made."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from threading import Lock
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.index.marks import asks
from hmem.errors import InvalidQuery
from hmem.language.analyst.lexicon import Lexicon
from hmem.language.analyzer import language, query_stems, stems, words
from hmem.language.stemming import is_function_word
from hmem.model.plan import Plan, SubQuestion
from hmem.model.span import PRESENT, Standpoint
from hmem.storage.base import Speaker

# Longer than any question; the rest of a pasted text would add terms without adding results.
_CHARACTERS: Final = 4_000


@dataclass(frozen=True, slots=True)
class Query:
    """Question, or a part of one, as the strategies use it.

    ``terms`` are the stems to search for, ``words`` the words they come from; ``speakers`` are the numbers of those
    whom the question is about, in the order of mention, and ``names`` their names; ``assistants`` are the numbers of
    those who only repeat what these say of themselves. ``vector`` is the unit vector of the text; ``part`` is its part
    of the plan; ``asked`` is the time it is asked.
    ``statement``: it states something and asks nothing. ``trust`` is what cosines count beside shared words.
    ``allowed``, a boolean per row, restricts the rows that may be found; None: all may. ``standpoint`` is the point in
    time from which the memory is seen, ``user`` the one whose turns it is about; None: everyone's. ``levels`` is how
    many levels a strategy that has some may search, such as notes and their episodes; None: it decides itself.
    """

    text: str
    terms: tuple[str, ...]
    words: tuple[str, ...]
    speakers: tuple[int, ...]
    names: tuple[str, ...]
    vector: NDArray[np.float32]
    part: SubQuestion
    asked: datetime
    statement: bool = False
    trust: float = 1.0
    allowed: NDArray[np.bool_] | None = None
    standpoint: Standpoint = PRESENT
    user: str | None = None
    assistants: tuple[int, ...] = ()
    levels: int | None = None


@dataclass(frozen=True, slots=True)
class Wording:
    """Content words of a question; fields as in ``Query``."""

    terms: tuple[str, ...]
    words: tuple[str, ...]
    speakers: tuple[int, ...]
    names: tuple[str, ...]
    assistants: tuple[int, ...] = ()


def check_question(question: str) -> str:
    """Return the question, cut to the greatest length that a question may have.

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


# Least number of words of a statement; fewer are keywords.
_MIN_STATEMENT_WORDS: Final = 4
_ENDS: Final = (".", "!", "\u2026", "\u3002", "\u0964")


def is_statement(text: str, lexicon: Lexicon) -> bool:
    """Tell if a query states something: it is a sentence, has no question mark, and asks nothing by its first words.

    "Port of the staging database" is no sentence: it has no full stop, and nobody speaks of themselves.
    """
    text_words = words(text)
    sentence = text.rstrip().endswith(_ENDS) or any(word.lower() in lexicon.first_person for word in text_words)
    return sentence and len(text_words) >= _MIN_STATEMENT_WORDS and not asks(text) and not lexicon.opens_question(text)


def is_keywords(text: str, lexicon: Lexicon) -> bool:
    """Tell if a query is a few keywords: too few words to state something, and it asks nothing."""
    return len(words(text)) < _MIN_STATEMENT_WORDS and not asks(text) and not lexicon.opens_question(text)


def wording(text: str, speakers: Sequence[Speaker], lexicon: Lexicon) -> Wording:
    """Return the content words of a question, and the speakers that it names.

    A speaker's name is no search term, since it stands in half of the turns; it is matched with the speakers instead. A
    question in the first person is about the speakers in the role of the user, or called so. Function words of the
    question's own language, if it tells one, are no search terms either, and its other words are stemmed as that
    language, too.
    """
    text_words, text_language = words(text), language(text)
    lowered = [word.lower() for word in text_words]
    stop_words, first_person = lexicon.stop_words, lexicon.first_person
    stop_words = stop_words.union(word for word in lowered if is_function_word(word, text_language))
    by_name = _by_name(speakers, stop_words)
    users = [speaker.number for speaker in speakers if "user" in (speaker.role, speaker.name.casefold())]
    mentioned = (users if word in first_person else by_name.get(word, ()) for word in lowered)
    speaker_numbers = tuple(dict.fromkeys(number for numbers in mentioned for number in numbers))
    content = [
        word for word, low in zip(text_words, lowered, strict=True) if low not in stop_words and low not in by_name
    ]
    if not content:
        content = [word for word, low in zip(text_words, lowered, strict=True) if low not in stop_words] or text_words
    name_of = {speaker.number: speaker.name for speaker in speakers}
    terms: dict[str, str] = {}
    for word in content:
        for stem in query_stems(word, text_language):
            terms.setdefault(stem, word)
    return Wording(
        terms=tuple(terms),
        words=tuple(terms.values()),
        speakers=speaker_numbers,
        names=tuple(name_of[number] for number in speaker_numbers),
        assistants=_repeating(speakers, speaker_numbers),
    )


def _repeating(speakers: Sequence[Speaker], speaker_numbers: Sequence[int]) -> tuple[int, ...]:
    """Return the numbers of the assistants if a question is about people, none of them an assistant."""
    assistants = tuple(speaker.number for speaker in speakers if speaker.role == "assistant")
    return assistants if speaker_numbers and not set(assistants).intersection(speaker_numbers) else ()


@lru_cache(maxsize=4)
def stop_stems(stop_words: frozenset[str]) -> frozenset[str]:
    """Return the stems of the words that select nothing."""
    return frozenset(stems(" ".join(sorted(stop_words))))


def _by_name(speakers: Sequence[Speaker], stop_words: frozenset[str]) -> dict[str, list[int]]:
    """Return the numbers of the speakers by each word of their names."""
    numbers: dict[str, list[int]] = {}
    for speaker in speakers:
        for word in words(speaker.name.lower()):
            if len(word) > 1 and word not in stop_words:
                numbers.setdefault(word, []).append(speaker.number)
    return numbers


def merge_parts(plan: Plan) -> SubQuestion:
    """Return a split question as one part that asks for all of its parts."""
    if len(plan.parts) == 1:
        return plan.parts[0]
    first = plan.parts[0]
    return replace(
        first,
        text=plan.question,
        topic=plan.question if not any(sub_question.spans for sub_question in plan.parts) else first.topic,
        scope="mixed" if len({sub_question.scope for sub_question in plan.parts}) > 1 else first.scope,
        coverage="global" if any(sub_question.coverage == "global" for sub_question in plan.parts) else "local",
        mode="intersective"
        if any(sub_question.mode == "intersective" for sub_question in plan.parts)
        else "sequential",
        spans=tuple(dict.fromkeys(span for sub_question in plan.parts for span in sub_question.spans)),
        entities=tuple(dict.fromkeys(name for sub_question in plan.parts for name in sub_question.entities)),
        needs=(),
    )


_REMEMBERED: Final = 256


class PlanKey(NamedTuple):
    """Key of a plan: all that it depends on. ``minute`` is when the question is asked."""

    model_name: str
    question: str
    minute: str
    people: tuple[str, ...]

    @classmethod
    def of_request(cls, model_name: str, question: str, question_time: datetime, people: Sequence[str]) -> "PlanKey":
        """Return the key of a plan from what a model is shown to make it."""
        return cls(model_name, question, question_time.isoformat(timespec="minutes"), tuple(people))


class Plans:
    """Cache of the latest plans. Safe to use from several threads; no lock is held while a plan is made."""

    def __init__(self) -> None:
        self._plans: dict[PlanKey, Plan] = {}
        self._lock = Lock()

    def get(self, key: PlanKey, make: Callable[[], Plan]) -> Plan:
        """Return the plan of a question; make it if it is not cached."""
        with self._lock:
            cached_plan = self._plans.get(key)
        if cached_plan is not None:
            return cached_plan
        plan = make()
        with self._lock:
            while len(self._plans) >= _REMEMBERED:
                del self._plans[next(iter(self._plans))]
            self._plans[key] = plan
        return plan
