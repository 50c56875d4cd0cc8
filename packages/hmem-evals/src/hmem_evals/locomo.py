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
    sessions: Mapping[str, Any] = sample["conversation"]
    used_ids: set[str] = set()
    messages = [
        message
        for session in _sessions(sessions)
        for turn in sessions[session]
        if (message := _message(turn, session, _time(sessions[f"{session}_date_time"]), used_ids)) is not None
    ]
    questions = (_question(f"{name}:{number}", entry) for number, entry in enumerate(sample["qa"]))
    return Conversation(name, tuple(messages), tuple(questions))


def _sessions(sessions: Mapping[str, Any]) -> list[str]:
    """Return the keys of sessions that have turns, by number; some files date sessions without turns."""
    numbers = {key: int(match[1]) for key in sessions if (match := _SESSION.fullmatch(key)) and sessions[key]}
    return sorted(numbers, key=numbers.__getitem__)


def _time(text: str) -> datetime:
    return datetime.strptime(text.strip(), _TIME).replace(tzinfo=UTC)


def _message(turn: Mapping[str, Any], session: str, time: datetime, used_ids: set[str]) -> dict[str, Any] | None:
    """Return a turn as a message; None if it has neither text nor caption."""
    text, caption = turn.get("text") or "", turn.get("blip_caption") or None
    if not text.strip() and not caption:
        return None
    return {
        "text": text,
        "speaker": turn["speaker"],
        "at": time,
        "session": session,
        "caption": caption,
        "message_id": unique(turn["dia_id"], used_ids),
    }


def _question(name: str, entry: Mapping[str, Any]) -> Question:
    number = int(entry["category"])
    adversarial = number == _ADVERSARIAL
    return Question(
        id=name,
        text=entry["question"],
        # `adversarial_answer` is the wrong answer that the question suggests.
        answer="" if adversarial else str(entry["answer"]),
        category=CATEGORIES[number],
        evidence=repaired(entry["evidence"]),
        unanswerable=adversarial,
    )
