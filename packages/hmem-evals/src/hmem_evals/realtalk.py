"""Reader of REALTALK: messages of pairs of people over some weeks, one JSON file a pair. Users bring their copy."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from hmem.errors import InvalidFile
from hmem_evals.conversations import Conversation, Question, not_this_format, read_json, repaired, unique

CATEGORIES: Final[Mapping[int, str]] = {1: "multi-hop", 2: "temporal", 3: "commonsense"}

_SESSION: Final = re.compile(r"session_(\d+)")
_TIME: Final = "%d.%m.%Y, %H:%M:%S"


def load(folder: str | Path) -> tuple[Conversation, ...]:
    """Load a conversation from each ``.json`` or ``.json.gz`` file of a folder, by name. Times are taken as UTC.

    Turns keep their ids, which have gaps and do not follow the session numbers. Speakers keep their names in the
    turns, though questions may use others.

    Raises:
        InvalidFile: the folder is missing or has no such file, or one is not REALTALK's.
    """
    directory = Path(folder)
    if not directory.is_dir():
        raise InvalidFile(f"there is no folder {directory} - give the folder of REALTALK's JSON files")
    files = sorted(file for file in directory.iterdir() if file.name.endswith((".json", ".json.gz")))
    if not files:
        raise InvalidFile(f"{directory} has no JSON file - give the folder of REALTALK's JSON files")
    return tuple(_load_one(file) for file in files)


def _load_one(file: Path) -> Conversation:
    chat = read_json(file)
    try:
        return _conversation(file.name.removesuffix(".gz").removesuffix(".json"), chat)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise not_this_format(file, "REALTALK", error) from error


def _conversation(name: str, chat: Mapping[str, Any]) -> Conversation:
    used_ids: set[str] = set()
    messages: list[dict[str, Any]] = []
    for session in _sessions(chat):
        session_time: str | None = chat.get(f"{session}_date_time")
        for turn in chat[session]:
            text, caption = turn.get("clean_text") or "", turn.get("blip_caption") or None
            if not text.strip() and not caption:
                continue
            messages.append(
                {
                    "text": text,
                    "speaker": turn["speaker"],
                    "at": _time(turn.get("date_time") or session_time),
                    "session": session,
                    "caption": caption,
                    "message_id": unique(turn["dia_id"], used_ids),
                }
            )
    questions = (_question(f"{name}:{number}", entry) for number, entry in enumerate(chat.get("qa", ())))
    return Conversation(name, tuple(messages), tuple(questions))


def _sessions(chat: Mapping[str, Any]) -> list[str]:
    numbers = {key: int(match[1]) for key in chat if (match := _SESSION.fullmatch(key)) and chat[key]}
    if not numbers:
        raise KeyError("session_1")
    return sorted(numbers, key=numbers.__getitem__)


def _time(text: str | None) -> datetime:
    if text is None:
        raise KeyError("date_time")
    return datetime.strptime(text.strip(), _TIME).replace(tzinfo=UTC)


def _question(name: str, entry: Mapping[str, Any]) -> Question:
    return Question(
        id=name,
        text=entry["question"],
        answer=str(entry.get("answer", "")),
        category=CATEGORIES[int(entry["category"])],
        evidence=repaired(entry.get("evidence") or ()),
    )
