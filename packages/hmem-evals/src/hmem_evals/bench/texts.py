"""Any number of synthetic turns from a seed, in reproducible blocks.

Sentences are templates whose content words are drawn by Zipf's law from a vocabulary that grows by Heaps' law with the
number of turns, as in real text: with a fixed vocabulary a million turns would have the words of a hundred. The first
words are English, the others are made of syllables; names likewise.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import groupby, product
from typing import Any, Final, NamedTuple

import numpy as np

BLOCK_TURNS: Final = 10_000
SPEAKERS: Final = ("Ines", "Tobias")


class _Law(NamedTuple):
    """Heaps' law for the size of a vocabulary, base + factor * turns ** exponent, and Zipf's law for its use.

    The word of rank r is drawn in proportion to 1 / (r + shift); the most common words are in the templates.
    """

    base: float
    factor: float
    exponent: float
    shift: float

    def span(self, turns: int) -> float:
        """Return the range of ranks for a number of turns, as an argument of ``rank``."""
        return 1.0 + (self.base + self.factor * float(turns) ** self.exponent) / self.shift

    def rank(self, span: float, draw: float) -> int:
        """Return the rank, from 0, of a uniform draw from 0 to 1."""
        return int(self.shift * (span**draw - 1.0))


_WORDS: Final = _Law(240.0, 60.0, 0.55, 20.0)
_NAMES: Final = _Law(20.0, 6.0, 0.45, 4.0)

# First number of a made-up name; smaller numbers make words.
_FIRST_NAME: Final = 5_000_000

_TURN_WORDS: Final = (8, 40)
_SESSION_TURNS: Final = (20, 40)
_ASKED_WORDS: Final = 5
_START: Final = datetime(2020, 1, 6, 7, tzinfo=UTC)

# {w} is a content word, {p} a name, {n} a number.
_SENTENCES: Final = (
    "I finally took the {w} to {p} and we talked about {w} all evening.",
    "Did you ever hear back about the {w}?",
    "We are leaving on the {n}th if the {w} is ready by then.",
    "{p} called and said the {w} would be {w} again.",
    "My {w} has been {w} since the {n}th, so I moved it.",
    "It cost me {n} for the {w} and another {n} for the {w}.",
    "I still think about the {w} that {p} gave us in {p}.",
    "Nothing much, only {w} and a lot of {w}.",
    "You were right about the {w}, it was far too {w}.",
    "Remind me to bring {w} when we see {p} next week.",
    "There were {n} of them waiting outside with a {w} and a {w}.",
    "After that I stopped doing {w} and started on {w} instead.",
    "Yes, the one from {p}, with the {w} on it.",
    "Could you send me the {w} before {p} gets there?",
    "She wants to learn {w}, and I said she could use my {w}.",
    "The {w} near {p} closed, so we went for {w}.",
    "I have been reading about {w} and {w} for a month now.",
    "That makes {n} so far, not counting the {w}.",
    "{p} and {p} are both coming, and they will bring their {w}.",
    "If the {w} works out, I might give up the {w} for good.",
    "Honestly the {w} was the best part of it.",
    "We had {w} at {n} and were home before it got dark.",
    "They changed the {w} again, now it is {w} and {w}.",
    "No, that was before {p} had the {w}.",
)
_TEMPLATE_WORDS: Final = frozenset(re.findall(r"[^\W\d]+", re.sub(r"\{\w\}", " ", " ".join(_SENTENCES))))

_ENGLISH: Final = (
    "garden", "kitchen", "bicycle", "letter", "window", "piano", "harbour", "mountain", "blanket", "concert",
    "doctor", "lesson", "market", "museum", "novel", "office", "oven", "painting", "passport", "picnic", "pottery",
    "puppy", "radio", "recipe", "river", "school", "sister", "soup", "station", "summer", "table", "theatre",
    "ticket", "train", "village", "violin", "winter", "workshop", "apple", "bread", "bridge", "brother", "camera",
    "candle", "castle", "chair", "cheese", "cousin", "dinner", "festival", "forest", "guitar", "hospital", "island",
    "jacket", "journal", "lemon", "library", "mirror", "neighbour", "orchard",
)  # fmt: skip


def _length(sentence: str) -> int:
    return sentence.count(" ") + 1


_LONGEST: Final = max(_length(sentence) for sentence in _SENTENCES)

# Two syllables make a word; different numbers give different words, mostly with different word pieces.
_ONSETS: Final = (
    "b", "bl", "br", "c", "ch", "cl", "d", "dr", "f", "fl", "g", "gr", "h", "j", "k", "l", "m", "n", "p", "pl", "pr",
    "r", "s", "sh", "sl", "st", "t", "th", "tr", "v", "w",
)  # fmt: skip
_VOWELS: Final = ("a", "e", "i", "o", "u", "ai", "ea", "ou")
_CODAS: Final = ("n", "r", "l", "m", "st", "sh", "nd", "rt", "sk", "ld", "p")
_SYLLABLES: Final = tuple("".join(sounds) for sounds in product(_ONSETS, _VOWELS, _CODAS))
_SCATTER: Final = 2_654_435_761


def block(number: int, turns: int = BLOCK_TURNS, seed: int = 1) -> list[dict[str, Any]]:
    """Return the first ``turns`` messages of a block for ``Memory.add``; message ids count from the first block."""
    first = number * BLOCK_TURNS
    random = np.random.default_rng([seed, number])
    texts = _texts(random, first)
    sessions = _sessions(random, number)
    speakers = random.integers(0, len(SPEAKERS), BLOCK_TURNS).tolist()
    return [
        {
            "text": next(texts),
            "speaker": SPEAKERS[speakers[i]],
            "at": _START + timedelta(minutes=first + i),
            "session": next(sessions),
            "message_id": str(first + i),
        }
        for i in range(turns)
    ]


def blocks(records: int, seed: int = 1) -> Iterator[list[dict[str, Any]]]:
    """Yield the blocks that make up a number of turns."""
    for first in range(0, records, BLOCK_TURNS):
        yield block(first // BLOCK_TURNS, min(BLOCK_TURNS, records - first), seed)


def questions(records: int, count: int, seed: int = 1) -> list[str]:
    """Return questions about evenly spaced turns, each with some words of its turn."""
    random = np.random.default_rng([seed, records, count])
    turn_numbers = [number * (records - 1) // max(count - 1, 1) for number in range(count)]
    texts: list[str] = []
    for number, positions in groupby(turn_numbers, key=lambda position: position // BLOCK_TURNS):
        offsets = [position % BLOCK_TURNS for position in positions]
        turns = block(number, offsets[-1] + 1, seed)
        texts.extend(_question(turns[offset], random) for offset in offsets)
    return texts


def _question(turn: dict[str, Any], random: np.random.Generator) -> str:
    """Return a question with some of a turn's words that no template has."""
    particular = [word for word in re.findall(r"\w+", turn["text"]) if word not in _TEMPLATE_WORDS]
    indices = random.permutation(len(particular))[:_ASKED_WORDS].tolist()
    return f"What did {turn['speaker']} say about {' '.join(particular[index] for index in sorted(indices))}?"


def _sessions(random: np.random.Generator, number: int) -> Iterator[str]:
    """Yield the session of each turn of a block."""
    session_window = 0
    while True:
        session_window += 1
        for _ in range(random.integers(_SESSION_TURNS[0], _SESSION_TURNS[1] + 1)):
            yield f"{number}-{session_window}"


def _texts(random: np.random.Generator, first: int) -> Iterator[str]:
    """Yield texts of ``_TURN_WORDS`` words without end, from the turn number ``first`` on."""
    shortest, longest = _TURN_WORDS
    draws = _uniform(random)
    for turn, target_length in enumerate(_integers(random, shortest, longest + 1), first):
        words, names = _WORDS.span(turn), _NAMES.span(turn)
        sentences: list[str] = []
        length = 0
        while length < shortest or length + _LONGEST <= target_length:
            sentence = _SENTENCES[int(next(draws) * len(_SENTENCES))]
            sentences.append(_fill(sentence, words, names, draws))
            length += _length(sentence)
        yield " ".join(sentences)


def _uniform(random: np.random.Generator) -> Iterator[float]:
    while True:
        yield from random.random(4_096).tolist()


def _integers(random: np.random.Generator, low: int, high: int) -> Iterator[int]:
    while True:
        yield from random.integers(low, high, 4_096).tolist()


def _fill(sentence: str, words: float, names: float, draws: Iterator[float]) -> str:
    """Return a sentence with its slots filled."""
    head, *slots = sentence.split("{")
    fragments = [head]
    for slot in slots:
        kind, suffix, draw = slot[0], slot[2:], next(draws)
        if kind == "w":
            fragments.append(_word(_WORDS.rank(words, draw)))
        elif kind == "p":
            fragments.append(_name(_NAMES.rank(names, draw)))
        else:
            fragments.append(str(int(2 * 500**draw)))
        fragments.append(suffix)
    return "".join(fragments)


@lru_cache(maxsize=200_000)
def _word(rank: int) -> str:
    return _ENGLISH[rank] if rank < len(_ENGLISH) else _spelt(rank - len(_ENGLISH))


@lru_cache(maxsize=20_000)
def _name(rank: int) -> str:
    return _spelt(rank + _FIRST_NAME).capitalize()


def _spelt(number: int) -> str:
    """Return a made-up word of two syllables, a different one for each of the first seven million numbers."""
    count = len(_SYLLABLES)
    # A factor without a common divisor scatters neighbours without collisions.
    first, second = divmod(number * _SCATTER % count**2, count)
    return _SYLLABLES[first] + _SYLLABLES[second]
