"""LoCoMo: long conversations between two people, with questions of five kinds and evidence by turn."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from hmem_evals.conversations import Conversation, Question, not_this_format, read_json, repaired, unique

CATEGORIES: Final[Mapping[int, str]] = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
_ADVERSARIAL: Final = 5
_SESSION: Final = re.compile(r"session_(\d+)")
_TIME: Final = "%I:%M %p on %d %B, %Y"


def load(path: str | Path) -> tuple[Conversation, ...]:
    """Return the conversations of a LoCoMo file, with repaired evidence ids. Times are taken as UTC.

    Raises:
        InvalidFile: the file is missing or not LoCoMo's.
    """
    return conversations(read_json(path), str(path))


def conversations(samples: Any, name: str) -> tuple[Conversation, ...]:
    """Return the conversations in the content of a LoCoMo file, as ``load`` does.

    Raises:
        InvalidFile: it is not LoCoMo's.
    """
    try:
        return tuple(_conversation(sample) for sample in samples)
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise not_this_format(name, "LoCoMo", error) from error


def _conversation(sample: Mapping[str, Any]) -> Conversation:
    name = str(sample["sample_id"])
    spoken: Mapping[str, Any] = sample["conversation"]
    seen: set[str] = set()
    messages = [
        message
        for session in _sessions(spoken)
        for turn in spoken[session]
        if (message := _message(turn, session, _time(spoken[f"{session}_date_time"]), seen)) is not None
    ]
    questions = (_question(f"{name}:{number}", asked) for number, asked in enumerate(sample["qa"]))
    return Conversation(name, tuple(messages), tuple(questions))


def _sessions(spoken: Mapping[str, Any]) -> list[str]:
    """Return the keys of sessions that have turns, by number; some files date sessions without turns."""
    numbers = {key: int(match[1]) for key in spoken if (match := _SESSION.fullmatch(key)) and spoken[key]}
    return sorted(numbers, key=numbers.__getitem__)


def _time(written: str) -> datetime:
    return datetime.strptime(written.strip(), _TIME).replace(tzinfo=UTC)


def _message(turn: Mapping[str, Any], session: str, at: datetime, seen: set[str]) -> dict[str, Any] | None:
    """Return a turn as a message; None if it has neither text nor caption."""
    text, caption = turn.get("text") or "", turn.get("blip_caption") or None
    if not text.strip() and not caption:
        return None
    return {
        "text": text,
        "speaker": turn["speaker"],
        "at": at,
        "session": session,
        "caption": caption,
        "message_id": unique(turn["dia_id"], seen),
    }


def _question(name: str, asked: Mapping[str, Any]) -> Question:
    number = int(asked["category"])
    adversarial = number == _ADVERSARIAL
    return Question(
        id=name,
        text=asked["question"],
        # `adversarial_answer` is the wrong answer that the question suggests.
        answer="" if adversarial else str(asked["answer"]),
        category=CATEGORIES[number],
        evidence=repaired(asked["evidence"]),
        unanswerable=adversarial,
    )
