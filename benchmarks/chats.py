"""Labelled chats of ours: months of talk whose facts change, with labels of sentences, pairs and questions.

``benchmarks/data/chats`` has a file for each chat: ``open`` for learning and development, ``held`` for a final figure.
Both halves have other registers, other people and other writers' ideas. See benchmarks/data/README.md for the form.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

CHATS: Final = Path(__file__).parent / "data" / "chats"
PARTS: Final = ("open", "held")
# What a pair of sentences can be: the later one changes the earlier, adds to it, repeats it, or is of another matter.
PAIRS: Final = ("changes", "adds", "same", "none")
ROLES: Final[Mapping[str, str]] = {"other": "user"}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence; ``memorable`` and what follows are its labels, if ``labelled``."""

    turn: int
    text: str
    labelled: bool = False
    memorable: bool = False
    importance: int = 0
    kind: str = ""
    names: tuple[tuple[str, str], ...] = ()
    slots: tuple[tuple[str, str, str], ...] = ()
    date: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn, numbered from 1."""

    number: int
    session: str
    speaker: str
    role: str
    at: datetime
    sentences: tuple[Sentence, ...]

    @property
    def text(self) -> str:
        """Text as it was said."""
        return " ".join(sentence.text for sentence in self.sentences)


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its accepted answers, and the sentences that tell them, as (turn, sentence) from 1.

    ``kind`` is ``now`` or ``then`` for what changed, ``plain`` for what did not, ``never`` for what nobody said.
    ``older`` are the sentences that held before.
    """

    text: str
    kind: str
    answers: tuple[str, ...]
    evidence: tuple[tuple[int, int], ...]
    older: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat with its labels."""

    name: str
    register: str
    language: str
    turns: tuple[Turn, ...]
    pairs: tuple[tuple[tuple[int, int], tuple[int, int], str], ...]
    questions: tuple[Question, ...]

    @property
    def asked_at(self) -> datetime:
        """Time at which it is asked: a day after its end."""
        return self.turns[-1].at + timedelta(days=1)

    def sentence(self, place: tuple[int, int]) -> Sentence:
        """Return a sentence by its turn and its place there, both from 1."""
        return self.turns[place[0] - 1].sentences[place[1] - 1]

    def messages(self) -> list[dict[str, object]]:
        """Return its turns as ``Memory.add`` takes them; a message id is the turn's number."""
        return [
            {
                "text": turn.text,
                "speaker": turn.speaker,
                "role": turn.role,
                "at": turn.at,
                "session": turn.session,
                "message_id": str(turn.number),
            }
            for turn in self.turns
        ]


def read_chats(part: str) -> Iterator[Chat]:
    """Yield the chats of a part in the order of their names."""
    for file in sorted((CHATS / part).glob("*.jsonl")):
        lines = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
        head = next(line for line in lines if "talk" in line)
        yield Chat(
            head["talk"],
            head["register"],
            head["language"],
            tuple(_turn(line, head["speakers"]) for line in lines if "id" in line),
            tuple(
                (_place(line["pair"][0]), _place(line["pair"][1]), line["pair"][2]) for line in lines if "pair" in line
            ),
            tuple(_question(line) for line in lines if "question" in line),
        )


def _turn(line: Mapping[str, Any], roles: Mapping[str, str]) -> Turn:
    at = datetime.fromisoformat(line["at"])
    role = roles[line["speaker"]]
    return Turn(
        line["id"],
        str(line["session"]),
        line["speaker"],
        ROLES.get(role, role),
        at if at.tzinfo else at.replace(tzinfo=UTC),
        tuple(_sentence(line["id"], each) for each in line["sentences"]),
    )


def _sentence(turn: int, told: str | Mapping[str, Any]) -> Sentence:
    if isinstance(told, str):
        return Sentence(turn, told)
    return Sentence(
        turn,
        told["text"],
        labelled=True,
        memorable=bool(told["memorable"]),
        importance=told["importance"],
        kind=told["kind"],
        names=tuple((name, sort) for name, sort in told.get("names", ())),
        slots=tuple((slot, whose, value) for slot, whose, value in told.get("slots", ())),
        date=str(told.get("date", "")),
    )


def _question(line: Mapping[str, Any]) -> Question:
    return Question(
        line["question"],
        line["type"],
        tuple(line["answer"]),
        tuple(_place(each) for each in line["evidence"]),
        tuple(_place(each) for each in line.get("older", ())),
    )


def _pair(earlier: str, later: str, kind: str) -> tuple[tuple[int, int], tuple[int, int], str]:
    return _place(earlier), _place(later), kind


def _place(told: str) -> tuple[int, int]:
    turn, sentence = told.split(".")
    return int(turn), int(sentence)
