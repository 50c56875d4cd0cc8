"""Long content to be compressed, as data for a model, and validation of abstracts and lessons that it answers."""

import re
from collections.abc import Sequence
from typing import Any, Final

from hmem.language.analyst.base import Compression
from hmem.language.analyst.language_model import ToCompress
from hmem.language.llm.tasks import CompressText, DistilLesson

# Most words of an abstract; the prompt asks for fewer.
_ABSTRACT: Final = 60
# Cases that a lesson stands on at least.
_LEAST_CASES: Final = 2
_NUMBER: Final = re.compile(r"\d+(?:[.,:/]\d+)*")
_WORD: Final = re.compile(r"[^\W\d_]+")
# A capital within a sentence marks a name; the first word of a sentence always has one.
_NAME: Final = re.compile(r"(?<=[\w,;:)(] )[A-Z\u00c0-\u00de][^\W\d_]+")
_SPACES: Final = re.compile(r"\s+")


def compress_data(work: ToCompress) -> dict[str, Any]:
    """Return the data of a long text for a model."""
    return {"type": work.type, "lines": [[number, line] for number, line in enumerate(work.lines, 1)]}


def compression(work: ToCompress, answer: CompressText) -> Compression | None:
    """Return what is valid of an answer: lines that there are, and an abstract that adds no number and no name."""
    line_numbers = tuple(dict.fromkeys(number - 1 for number in answer.keep if 1 <= number <= len(work.lines)))
    abstract = _SPACES.sub(" ", answer.abstract).strip()
    if len(abstract.split()) > _ABSTRACT or _adds(abstract, work.lines):
        abstract = ""
    return Compression(line_numbers, abstract) if line_numbers or abstract else None


def lesson(cases: Sequence[str], answer: DistilLesson) -> tuple[str, Sequence[int]] | None:
    """Return a lesson and the indices of its cases; None without two, or if it is long or adds a number or a name."""
    indices = sorted({number - 1 for number in answer.cases if 1 <= number <= len(cases)})
    text = _SPACES.sub(" ", answer.lesson).strip()
    if not text or len(indices) < _LEAST_CASES or len(text.split()) > _ABSTRACT or _adds(text, cases):
        return None
    return text, indices


def _adds(abstract: str, lines: Sequence[str]) -> bool:
    """Tell if an abstract has a number or a name that its lines lack."""
    text = " ".join(lines)
    words = {word.casefold() for word in _WORD.findall(text)}
    return not (
        {*_NUMBER.findall(abstract)} <= {*_NUMBER.findall(text)}
        and {name.casefold() for name in _NAME.findall(abstract)} <= words
    )
