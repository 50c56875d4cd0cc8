"""Labelled talks of ours: long conversations with questions, cues, and what they tell nothing of.

``benchmarks/data/talks`` has a file for each talk. ``train`` is what rankers and encoders may learn from, ``open`` is
for development, ``held`` stays unopened until a final figure. See benchmarks/data/README.md for the form.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from hmem_evals.conversations import Conversation, Question

TALKS: Final = Path(__file__).parent / "data" / "talks"
PARTS: Final = ("train", "open", "held")
RELATIONS: Final = ("causal", "state", "goal", "value")

_TURN: Final = re.compile(r"(\d+) ([^:]+): (.*)")
_HEADING: Final = re.compile(r"--+ *(.+?) *-*")
_ASSISTANT: Final = re.compile(r"(?i)assistant|agent|bot|companion|app\b")


@dataclass(frozen=True, slots=True)
class Said:
    """A turn of a talk, numbered from 1."""

    number: int
    speaker: str
    text: str
    at: datetime
    session: str


@dataclass(frozen=True, slots=True)
class Query:
    """Something asked of a memory of a talk: a question or a statement, and the turns that should come, none or some.

    ``relation`` is that of a cue and its trigger. ``speaker`` says the statement.
    """

    text: str
    turns: tuple[int, ...]
    relation: str = ""
    speaker: str = ""

    @property
    def statement(self) -> bool:
        """Tell if it is a statement."""
        return bool(self.speaker)


@dataclass(frozen=True, slots=True)
class Talk:
    """A talk with its labels."""

    name: str
    kind: str
    turns: tuple[Said, ...]
    questions: tuple[Query, ...]
    cues: tuple[Query, ...]
    unrelated: tuple[Query, ...]

    @property
    def asked_at(self) -> datetime:
        """Time at which it is asked: some weeks after its end."""
        return self.turns[-1].at + timedelta(days=20)

    def messages(self) -> list[dict[str, object]]:
        """Return its turns as ``Memory.add`` takes them; a message id is the turn's number."""
        return [
            {
                "text": turn.text,
                "speaker": turn.speaker,
                "role": "assistant" if _ASSISTANT.fullmatch(turn.speaker) else "user",
                "at": turn.at,
                "session": turn.session,
                "message_id": str(turn.number),
            }
            for turn in self.turns
        ]

    def conversation(self) -> Conversation:
        """Return it as a benchmark's conversation, its questions and cues as questions."""
        asked = [
            Question(
                f"{self.name}-{place}",
                query.text,
                "",
                query.relation or "question",
                tuple(map(str, query.turns)),
                at=self.asked_at,
            )
            for place, query in enumerate((*self.questions, *self.cues))
        ]
        return Conversation(self.name, tuple(self.messages()), tuple(asked))


def load(part: str | Path, pattern: str = "*.txt") -> list[Talk]:
    """Return the talks of a part (a name of ``PARTS``, or a folder), those in other languages (``lang-*``) last."""
    folder = TALKS / part if isinstance(part, str) else part
    files = sorted(folder.glob(pattern), key=lambda file: (file.name.startswith("lang-"), file.name))
    return [parsed(file.stem, file.read_text("utf-8")) for file in files]


def english(part: str | Path) -> list[Talk]:
    """Return the talks of a part that are in English."""
    return [talk for talk in load(part) if not talk.name.startswith("lang-")]


def parsed(name: str, text: str) -> Talk:
    """Return a talk from its file's text.

    Raises:
        ValueError: a line cannot be read, a label names a turn that is none, or a speaker who is none.
    """
    facts: dict[str, str] = {}
    turns: list[Said] = []
    sections: dict[str, list[str]] = {}
    section, started, minutes = "", datetime.min.replace(tzinfo=UTC), 0
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("== "):
            started, minutes = datetime.strptime(line[3:19], "%Y-%m-%d %H:%M").replace(tzinfo=UTC), 0
        elif line.startswith("--"):
            found = _HEADING.fullmatch(line)
            section = found[1].lower() if found else ""
        elif section:
            sections.setdefault(section, []).append(line)
        elif (found := _TURN.fullmatch(line)) is not None:
            at = started + timedelta(minutes=minutes)
            turns.append(Said(int(found[1]), found[2].strip(), found[3], at, started.isoformat()))
            minutes += 1
        elif ":" in line and not turns:
            key, _, value = line.partition(":")
            facts[key.strip()] = value.strip()
        else:
            raise ValueError(f"{name}: {line!r} cannot be read")
    talk = Talk(
        name,
        facts.get("kind", ""),
        tuple(turns),
        tuple(_questions(sections.get("questions", ()))),
        tuple(_cues(sections.get("cues", ()))),
        (
            *(Query(line, ()) for line in sections.get("unrelated questions", ())),
            *_unrelated(sections.get("unrelated statements", ())),
        ),
    )
    _check(talk)
    return talk


def _questions(lines: Sequence[str]) -> Iterator[Query]:
    for line in lines:
        text, _, numbers = line.rpartition("|")
        yield Query(text.strip(), _numbers(numbers))


def _cues(lines: Sequence[str]) -> Iterator[Query]:
    for line in lines:
        relation, speaker, *text, numbers = (part.strip() for part in line.split("|"))
        yield Query(" | ".join(text), _numbers(numbers), relation, speaker)


def _unrelated(lines: Sequence[str]) -> Iterator[Query]:
    for line in lines:
        speaker, _, text = line.partition("|")
        yield Query(text.strip() or speaker.strip(), (), "", speaker.strip() if text else "?")


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", text))


def _check(talk: Talk) -> None:
    numbers = [turn.number for turn in talk.turns]
    if numbers != list(range(1, len(numbers) + 1)):
        raise ValueError(f"{talk.name}: turns are not numbered 1 to {len(numbers)}")
    speakers = {turn.speaker for turn in talk.turns}
    for query in (*talk.questions, *talk.cues):
        if not query.turns or not set(query.turns) <= set(numbers):
            raise ValueError(f"{talk.name}: {query.text!r} names turns that are none: {query.turns}")
        if query.relation and (query.relation not in RELATIONS or query.speaker not in speakers):
            raise ValueError(f"{talk.name}: {query.text!r} has the relation {query.relation!r} by {query.speaker!r}")
