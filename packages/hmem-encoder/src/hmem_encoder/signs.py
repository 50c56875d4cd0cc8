"""Plain signs of sentences and words that the heads read beside the encoder's vectors, and judge by alone.

They look at letters and marks, not at words: none of them knows a language.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

Span = tuple[int, int]
Floats = NDArray[np.float32]

# Roles of what no person says, but for the assistant's.
_THINGS: Final = frozenset({"tool", "system", "document"})
QUESTION_MARKS: Final = ("?", "？", "؟")

_EXCLAMATIONS: Final = ("!", "\uff01")
# What may stand between two words of a name.
_JOINTS: Final = frozenset((" ", "-", "'", "’", "&", " & ", ".", ". "))
# Length of three words, as the signs have it.
_SHORT: Final = 1.4

_WORD: Final = re.compile(r"[^\W_]+")
# Letters of scripts without spaces between words: kana, Chinese, Thai.
_UNSPACED: Final = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")


def is_question(sentence: str) -> bool:
    """Tell if a sentence ends with a question mark, whatever quotes or brackets follow it."""
    return sentence.rstrip(" \"'”’)»*").endswith(QUESTION_MARKS)


def sentence_signs(text: str, spans: Sequence[Span], role: str) -> Floats:
    """Return the signs of the sentences of a text, a row each."""
    rows = [_sentence_signs(text[start:end], index, len(spans), role) for index, (start, end) in enumerate(spans)]
    return np.array(rows, np.float32).reshape(len(rows), SENTENCE_SIGNS)


def _sentence_signs(sentence: str, index: int, count: int, role: str) -> tuple[float, ...]:
    words = _WORD.findall(sentence)
    length = float(np.log1p(len(sentence.split()) + len(_UNSPACED.findall(sentence)) / 2))
    question, assistant, tool = is_question(sentence), role == "assistant", role in _THINGS
    return (
        length,
        length < _SHORT,
        np.log1p(sum(any(map(str.isdigit, word)) for word in words)),
        np.log1p(sum(word[0].isupper() and len(word) > 1 for word in words[1:])),
        question,
        sentence.endswith(_EXCLAMATIONS),
        index == 0,
        index == count - 1,
        index / max(count - 1, 1),
        np.log1p(count),
        assistant,
        tool,
        length * assistant,
        length * tool,
        question and assistant,
    )


SENTENCE_SIGNS: Final = 15


def words_of(text: str, span: Span) -> list[Span]:
    """Return the spans of the words of a sentence."""
    return [match.span() for match in _WORD.finditer(text, *span)]


def word_signs(text: str, words: Sequence[Span]) -> Floats:
    """Return the signs of the words of a sentence, a row each."""
    capital = [text[start].isupper() for start, _ in words]
    lower = not any(capital)
    is_joint = [
        text[end:start] in (" ", "-", "'", "’", "&", " & ", ".", ". ") for (_, end), (start, _) in pairwise(words)
    ]
    rows = [
        (
            capital[i],
            end - start > 1 and text[start:end].isupper(),
            end - start == 1,
            any(map(str.isdigit, text[start:end])),
            i == 0,
            i == 0 and capital[i],
            i > 0 and capital[i - 1] and is_joint[i - 1],
            i + 1 < len(words) and capital[i + 1] and is_joint[i],
            lower,
            np.log1p(end - start),
        )
        for i, (start, end) in enumerate(words)
    ]
    return np.array(rows, np.float32).reshape(len(words), WORD_SIGNS)


WORD_SIGNS: Final = 10


def share_of_capitals(text: str, spans: Sequence[Span]) -> float:
    """Return the share of the words of sentences that have a capital, but for the first of each; 0 without words."""
    initials = [text[start] for span in spans for start, _ in words_of(text, span)[1:] if text[start].isalpha()]
    return sum(map(str.isupper, initials)) / max(len(initials), 1)


def names_by_signs(text: str, span: Span) -> list[Span]:
    """Return runs of words with a capital, but for the first word of a sentence, as names."""
    words = words_of(text, span)[1:]
    runs: list[list[int]] = []
    for start, end in words:
        if not text[start].isupper() or end - start == 1:
            continue
        if runs and text[runs[-1][1] : start] in (" ", "-"):
            runs[-1][1] = end
        else:
            runs.append([start, end])
    return [(start, end) for start, end in runs]
