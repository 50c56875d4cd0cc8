"""Labels by hand: reading them by part, and asking whether a phrase stands in a note.

The labels are in ``benchmarks/data``. Half of each file is for development; the other half is held back, and opened
only for a final figure. Phrases are compared by stems, numbers in digits, without articles and possessives.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from hmem import Memory
from hmem.model.note import Note

DATA: Final = Path(__file__).parent / "data"
DEVELOPMENT: Final = "development"
HELD_BACK: Final = "held_back"
# A longer note is a copy of the turn, not a claim.
WORDS: Final = 30

Phrase = str | list[str]

_DROPPED: Final = frozenset(["a", "an", "the", "my", "your", "his", "her", "its", "our", "their"])
_WORD: Final = re.compile(r"\w+(?:[.:@,]\w+)*")
# fmt: off
_NUMBERS: Final = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "eleven": "11", "twelve": "12", "thirteen": "13", "fourteen": "14", "fifteen": "15", "sixteen": "16",
    "seventeen": "17", "eighteen": "18", "nineteen": "19", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50",
    "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90",
}
# fmt: on
_DENIALS: Final = re.compile(r"\b(do|does|did|is|are|was|were|has|have|had|would|could|should|ca|wo)n['’]?t\b")
_QUOTATION: Final = re.compile(r"[^:\"“”]{1,60}: [\"“«‘'].*", re.DOTALL)


@cache
def stem(word: str) -> str:
    """Return a word without its commonest endings."""
    if word.endswith(("ies", "ied")) and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith("s") and len(word) > 3 and not word.endswith("ss"):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) > 2:
            word = word[: -len(ending)]
            if word[-1] == word[-2] and word[-1] not in "aeiols":
                word = word[:-1]
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


@cache
def words(text: str) -> tuple[str, ...]:
    """Return the stems of a text, numbers in digits, without articles and possessives."""
    text = _DENIALS.sub(r"\1 not", text.lower())
    text = re.sub(r"(?<=[^\W\d])['’]s\b", "", text)
    text = re.sub(r"(?<=\w)['’](?=\w)", "", text).replace("-", " ").replace("_", " ")
    text = re.sub(r"(?<=\d)(st|nd|rd|th)\b( of\b)?", "", text)
    text = re.sub(r"(?<=\d)(?=[^\W\d])|(?<=[^\W\d])(?=\d)", " ", text)
    found = (_NUMBERS.get(word, word) for word in _WORD.findall(text))
    return tuple(stem(word) for word in found if word not in _DROPPED)


def stands(phrase: Phrase, text: str) -> bool:
    """Whether a phrase, or one of some alternatives, stands in a text, word beside word."""
    if isinstance(phrase, list):
        return any(stands(each, text) for each in phrase)
    wanted, there = words(phrase), words(text)
    return any(all(map(_alike, wanted, there[place:])) for place in range(len(there) - len(wanted) + 1))


def _alike(wanted: str, word: str) -> bool:
    return word == wanted or (len(wanted) > 4 and word.startswith(wanted))


def told(note: Note) -> str:
    """Return all that a note says: subject, slot, value, text, denial and days of validity."""
    days = [
        f"{moment:%A} {moment.day} {moment:%B} {moment.day} {moment:%Y}, {moment:%Y-%m-%d}"
        for moment in (note.valid_from, note.valid_to)
        if moment
    ]
    return " · ".join([note.subject, note.slot, note.value, note.text, *([] if note.positive else ["not"]), *days])


def quotation(text: str) -> bool:
    """Whether a text only repeats what somebody said, as in `Nadia: "…"`."""
    return _QUOTATION.match(text) is not None


def quotes(note: Note) -> bool:
    """Whether a note only repeats what somebody said, and claims nothing; an instruction may keep its wording."""
    return quotation(note.text) and note.slot != "instruction"


def holds(note: Note, phrases: Iterable[Phrase]) -> bool:
    """Whether all phrases stand in a note that is no quotation and no copy of its turn."""
    text = told(note)
    return not quotes(note) and len(note.text.split()) <= WORDS and all(stands(phrase, text) for phrase in phrases)


def about(note: Note, subjects: Sequence[str]) -> bool:
    """Whether one of some names or nouns stands in a note's subject, or in the first three words of its text."""
    start = " ".join(note.text.split()[:3])
    return any(stands(subject, note.subject) or stands(subject, start) for subject in subjects)


def remembered(turns: Sequence[Mapping[str, str]], at: str = "") -> tuple[Note, ...]:
    """Add turns to a new memory, in one session for each day, and return its notes, closed ones too."""
    with Memory(":memory:") as memory:
        memory.add([message(turn, turn.get("at", at)) for turn in turns])
        return memory.notes(limit=1_000)


def message(turn: Mapping[str, str], at: str) -> dict[str, Any]:
    """Return a turn as a message; a session is a day."""
    role = turn.get("role", "assistant" if turn["speaker"] == "assistant" else "user")
    return {"speaker": turn["speaker"], "text": turn["text"], "at": at, "session": f"s-{at[:10]}", "role": role}


def arguments(description: str | None) -> argparse.ArgumentParser:
    """Return a parser of the arguments that all scripts over labels have."""
    parser = argparse.ArgumentParser(description=(description or "").splitlines()[0])
    parser.add_argument("--held-back", action="store_true", help="open the part that is held back")
    parser.add_argument("--failures", action="store_true", help="print what failed; never of the part held back")
    parser.add_argument("--json", type=Path)
    return parser


def labels(name: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the labels of a file: those for development, or those held back if asked for."""
    part = HELD_BACK if options.held_back else DEVELOPMENT
    print(f"{name}: the part {'held back' if options.held_back else 'for development'}", file=sys.stderr)
    return [each for each in json.loads((DATA / f"{name}.json").read_text("utf-8")) if each["split"] == part]


def keep(report: Mapping[str, Any], options: argparse.Namespace) -> None:
    """Write a report as JSON if asked for."""
    if options.json:
        options.json.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", "utf-8")
