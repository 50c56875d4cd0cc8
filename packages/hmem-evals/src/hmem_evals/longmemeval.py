"""LongMemEval: questions about a user's history with an assistant, each with its haystack of sessions."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from hmem_evals.conversations import Conversation, Question, not_this_format, read_json

_TIME: Final = "%Y/%m/%d (%a) %H:%M"
_ABSTENTION: Final = "_abs"


def load(path: str | Path) -> tuple[Conversation, ...]:
    """Return a conversation for each question of a LongMemEval file. Times are taken as UTC.

    The file's session ids reveal the gold sessions and never reach a memory: a session is named by its index in the
    haystack, ``s12``, and a turn by its index in the session, ``12:3``. A session that the haystack repeats is a
    separate one, and gold if its id is.

    Raises:
        InvalidFile: the file is missing or not LongMemEval's.
    """
    return conversations(read_json(path), str(path))


def conversations(entries: Any, name: str) -> tuple[Conversation, ...]:
    """Return the conversations in the content of a LongMemEval file, as ``load`` does.

    Raises:
        InvalidFile: it is not LongMemEval's.
    """
    try:
        return tuple(_conversation(entry) for entry in entries)
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise not_this_format(name, "LongMemEval", error) from error


def _conversation(entry: Mapping[str, Any]) -> Conversation:
    messages: list[dict[str, Any]] = []
    evidence: list[str] = []
    for session, (date, turns) in enumerate(zip(entry["haystack_dates"], entry["haystack_sessions"], strict=True)):
        time = _time(date)
        for number, turn in enumerate(turns):
            if not turn["content"].strip():
                continue
            messages.append(_message(turn, session, number, time))
            if turn.get("has_answer"):
                evidence.append(f"{session}:{number}")
    question = _question(entry, tuple(evidence))
    return Conversation(question.id, tuple(messages), (question,))


def _time(text: str) -> datetime:
    return datetime.strptime(text.strip(), _TIME).replace(tzinfo=UTC)


def _message(turn: Mapping[str, Any], session: int, number: int, time: datetime) -> dict[str, Any]:
    return {
        "text": turn["content"],
        "speaker": turn["role"],
        "role": turn["role"],
        "at": time,
        "session": f"s{session}",
        "message_id": f"{session}:{number}",
    }


def _question(entry: Mapping[str, Any], evidence: tuple[str, ...]) -> Question:
    gold = set(entry["answer_session_ids"])
    return Question(
        id=entry["question_id"],
        text=entry["question"],
        answer=str(entry["answer"]),
        category=entry["question_type"],
        evidence=evidence,
        sessions=tuple(f"s{number}" for number, name in enumerate(entry["haystack_session_ids"]) if name in gold),
        unanswerable=entry["question_id"].endswith(_ABSTENTION),
        at=_time(entry["question_date"]),
    )
