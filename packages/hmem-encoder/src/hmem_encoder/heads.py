"""Heads on the encoder: what a sentence is worth, what kind it is, which words are names.

Each is one layer of numbers over the vectors of one forward pass and plain signs (``signs.py``), learned from
labelled chats by ``making/train_heads.py``. Where the encoder does not know a language, the signs judge alone: what a
sentence is worth by the same heads without its vector, and names by their capitals.
"""

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem_encoder import DIMENSION, encoder, means
from hmem_encoder.signs import (
    WORD_SIGNS,
    Floats,
    Span,
    names_by_signs,
    sentence_signs,
    share_of_capitals,
    word_signs,
    words_of,
)

__all__ = ["KINDS", "MEMORABLE", "PREFERRED", "SentenceJudgement", "TextJudgement", "judge", "version"]

KINDS: Final = ("statement", "plan", "preference", "instruction", "request", "question", "small_talk")
TYPES: Final = ("person", "place", "organisation", "other")

# Chance from which a sentence is memorable: see the README.
MEMORABLE: Final = 0.6
# Chance from which a preference or an instruction is memorable: the head seldom finds one that is not.
PREFERRED: Final = 0.5
# Chance from which a word is part of a name.
NAME: Final = 0.4
# Chances from which a word with a capital is certain to be a name, and from which the first word of a sentence is where
# no word in lower case follows, as none does a greeting. A word in lower case never is. See the README.
CERTAIN: Final = 0.5
CERTAIN_APART: Final = 0.8
# Share of words with a capital up to which one makes a certain name where the encoder does not know the language.
FEW_CAPITALS: Final = 0.2
# Chance from which the words of a name are of its type; from ``LIKELY_TYPE`` on other turns may confirm it.
TYPED: Final = 0.8
LIKELY_TYPE: Final = 0.6

# Weight of the vectors beside the signs: what is small is learned slowly.
_SENTENCE: Final = 0.3 * DIMENSION**0.5
_WORD: Final = 0.3

_FILE: Final = Path(__file__).parent / "heads.npz"
# Revision of what is done with the chances of words; raise it where other names come of the same chances.
_NAME_RULES: Final = 3


class Name(NamedTuple):
    """A name: its span, its type or "other", if it surely is a name, and a type that is likely but not certain."""

    start: int
    end: int
    type: str
    certain: bool
    likely_type: str


class SentenceJudgement(NamedTuple):
    """Judgement of a sentence: ``memorable`` is a chance, ``importance`` 1 to 10."""

    memorable: float
    importance: float
    kind: str
    names: tuple[Name, ...]


class TextJudgement(NamedTuple):
    """A text that was read once: its unit vector, those of its sentences, a row each, and what is judged of them."""

    vector: Floats
    sentences: Floats
    judgements: tuple[SentenceJudgement, ...]


class Words(NamedTuple):
    """Words of a sentence: their spans, and what the head of names reads of them, a row each."""

    spans: list[Span]
    features: Floats


class TextRead(NamedTuple):
    """A text with what the heads read of it: of its sentences, a row each, and of the words of each."""

    vector: Floats
    sentences: Floats
    features: Floats
    words: list[Words]


_NO_WORDS: Final = Words([], np.zeros((0, WORD_SIGNS + DIMENSION), np.float32))


@cache
def _weights() -> dict[str, Floats]:
    with np.load(_FILE) as archive:
        return {name: archive[name].astype(np.float32) for name in archive.files}


@cache
def version() -> str:
    """Return the version of the heads: 8 hex digits of the digest of their weights and of the rules of names."""
    rules = (_NAME_RULES, NAME, CERTAIN, CERTAIN_APART, FEW_CAPITALS, TYPED, LIKELY_TYPE)
    return sha256(_FILE.read_bytes() + str(rules).encode()).hexdigest()[:8]


def judge(
    texts: Sequence[str], spans: Sequence[Sequence[Span]], roles: Sequence[str], knows_language: Sequence[bool]
) -> list[TextJudgement]:
    """Judge the sentences of texts, given by their spans of characters.

    ``knows_language`` tells of each text if the encoder knows its language. Names are spans of the text, within their
    sentence.
    """
    return [
        TextJudgement(read.vector, read.sentences, _judge_sentences(text, text_spans, read, knows))
        for text, text_spans, read, knows in zip(
            texts, spans, read_texts(texts, spans, roles, knows_language), knows_language, strict=True
        )
    ]


def read_texts(
    texts: Sequence[str], spans: Sequence[Sequence[Span]], roles: Sequence[str], knows_language: Sequence[bool]
) -> list[TextRead]:
    """Return what the heads read of texts."""
    readings: list[TextRead] = []
    encodings = encoder().hidden_states(texts)
    for text, text_spans, role, knows, (vector, states, tokens) in zip(
        texts, spans, roles, knows_language, encodings, strict=True
    ):
        sentences = means(states, tokens, text_spans)
        features = np.hstack([sentence_signs(text, text_spans, role), sentences * (_SENTENCE * knows)])
        words = [_words(text, span, states, tokens) for span in text_spans] if knows else [_NO_WORDS] * len(text_spans)
        readings.append(TextRead(vector, sentences, features, words))
    return readings


def _words(text: str, span: Span, states: NDArray[np.float16], tokens: Sequence[Span]) -> Words:
    """Return the words of a sentence; the state of a word is that of its first token."""
    spans = words_of(text, span)
    rows = np.zeros((len(spans), DIMENSION), np.float32)
    if spans and tokens:
        firsts = np.searchsorted([start for start, _ in tokens], [start for start, _ in spans])
        is_encoded = firsts < len(tokens)
        rows[is_encoded] = states[firsts[is_encoded]]
    return Words(spans, np.hstack([word_signs(text, spans), rows * _WORD]))


def chances(features: Floats, head: str, weights: dict[str, Floats]) -> Floats:
    """Return the chances of a head's classes, a row each."""
    scores = linear_scores(features, head, weights)
    scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    return scores / scores.sum(axis=1, keepdims=True)


def linear_scores(features: Floats, head: str, weights: dict[str, Floats]) -> Floats:
    """Return the scores of a head, a row each."""
    return features @ weights[head] + weights[f"{head}_bias"]


def _judge_sentences(text: str, spans: Sequence[Span], read: TextRead, knows: bool) -> tuple[SentenceJudgement, ...]:  # noqa: FBT001
    weights = _weights()
    memorable = chances(read.features, "memorable", weights)[:, 1].tolist()
    importance = np.clip(linear_scores(read.features, "importance", weights)[:, 0], 1, 10).tolist()
    kind_numbers: list[int] = linear_scores(read.features, "kind", weights).argmax(axis=1).tolist()
    kinds = [KINDS[kind_number] for kind_number in kind_numbers]
    certain = knows or share_of_capitals(text, spans) <= FEW_CAPITALS
    names = (
        [names_of(text, words, chances(words.features, "names", weights)) for words in read.words]
        if knows
        else [
            tuple(Name(*name, "other", certain, likely_type="other") for name in names_by_signs(text, span))
            for span in spans
        ]
    )
    return tuple(map(SentenceJudgement, memorable, importance, kinds, names))


def names_of(text: str, words: Words, likely: Floats) -> tuple[Name, ...]:
    """Return the names of a sentence, from the chances of its words: no name, begins and goes on of each type.

    Words with capitals that follow each other are one name, but for a first word that is not certain: neither it nor
    the word behind it is then.
    """
    runs: list[_Run] = []
    for number, ((start, end), row) in enumerate(zip(words.spans, likely, strict=True)):
        begins, goes_on = row[1 : 1 + len(TYPES)], row[1 + len(TYPES) :]
        if 1 - row[0] < NAME:
            continue
        certain, may_go_on = _is_certain(text, words.spans, number, 1 - row[0]), number == 0 or 1 - row[0] >= CERTAIN
        run = _Run(start, end, begins + goes_on, certain, bool(may_go_on))
        previous = runs[-1] if runs else None
        if previous is None or not _is_joined(text, previous, run, goes_on=bool(goes_on.sum() > begins.sum())):
            runs.append(run)
        elif number == 1 and not previous.certain and text[start].isupper():
            runs.append(run._replace(certain=False))
        else:
            runs[-1] = previous.with_word(run)
    return tuple(_name(run) for run in runs)


class _Run(NamedTuple):
    start: int
    end: int
    likely: Floats
    certain: bool
    may_go_on: bool
    words: int = 1

    def with_word(self, word: "_Run") -> "_Run":
        likely, certain = self.likely + word.likely, self.certain or word.certain
        return _Run(self.start, word.end, likely, certain, word.may_go_on, self.words + 1)


def _is_joined(text: str, previous: _Run, run: _Run, *, goes_on: bool) -> bool:
    # A word that is hardly a name, as a day of the week, is no part of the name behind it.
    gap, in_capitals = text[previous.end : run.start], text[previous.start].isupper() and text[run.start].isupper()
    return (goes_on and _adjacent(gap)) or (gap == " " and in_capitals and previous.may_go_on)


def _is_certain(text: str, spans: Sequence[Span], number: int, chance: float) -> bool:
    (start, end), following = spans[number], spans[number + 1 : number + 2]
    is_alone = number == 0 and not any(
        text[end:after] in (" ", "'", "’") and text[after].islower() for after, _ in following
    )
    return text[start].isupper() and bool(chance >= (CERTAIN_APART if is_alone else CERTAIN))


def _name(run: _Run) -> Name:
    likely = run.likely / run.words
    likeliest, chance = TYPES[int(likely.argmax())], likely.max()
    return Name(
        run.start,
        run.end,
        likeliest if chance >= TYPED else "other",
        run.certain,
        likeliest if LIKELY_TYPE <= chance < TYPED else "other",
    )


def _adjacent(gap: str) -> bool:
    return not any(map(str.isalnum, gap)) and len(gap) <= len(" & ")
