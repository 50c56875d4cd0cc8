"""Six conversations of ours over months, with questions of eleven kinds that were written before any run.

``data`` holds a file for each, and ``data/README.md`` says who wrote them, and what each field means.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from hmem_evals.conversations import Conversation, Question, not_this_format, read_json

DATA: Final = Path(__file__).parent / "data"
NAMES: Final = ("texting", "letters", "coding", "household", "group", "german")
IMPLICIT: Final = "implicit"
NEVER_SAID: Final = "adversarial"
KINDS: Final = (
    "single-hop",
    "multi-hop",
    "temporal",
    "open-domain",
    "knowledge-update",
    "earlier-state",
    "multi-session",
    "preference",
    "assistant",
    IMPLICIT,
    NEVER_SAID,
)


@dataclass(frozen=True, slots=True)
class JudgedQuestion(Question):
    """Question with what a judge needs: ``right`` says which answers count.

    ``speaker`` says the statement of an implicit cue. ``near`` are turns that tempt to answer what was never said.
    ``at`` is later than all turns.
    """

    right: str = ""
    speaker: str = ""
    near: tuple[str, ...] = ()


def load(*names: str) -> tuple[Conversation, ...]:
    """Load the named conversations, or all six.

    Raises:
        InvalidFile: there is no such conversation, or its file is broken.
    """
    return tuple(_conversation(DATA / f"{name}.json") for name in names or NAMES)


def questions(conversation: Conversation) -> tuple[JudgedQuestion, ...]:
    """Return the questions of a conversation that ``load`` returned."""
    return tuple(question for question in conversation.questions if isinstance(question, JudgedQuestion))


def _conversation(file: Path) -> Conversation:
    data = read_json(file)
    try:
        name: str = data["id"]
        roles: Mapping[str, str] = data["speakers"]
        messages = tuple(_message(turn, roles) for turn in data["turns"])
        return Conversation(name, messages, tuple(_question(name, entry) for entry in data["questions"]))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise not_this_format(file, "hmem's own conversations", error) from error


def _message(turn: Mapping[str, Any], roles: Mapping[str, str]) -> dict[str, Any]:
    return {
        "text": turn["text"],
        "speaker": turn["speaker"],
        "role": roles[turn["speaker"]],
        "at": datetime.fromisoformat(turn["at"]),
        "session": turn["session"],
        "caption": turn.get("caption"),
        "message_id": turn["id"],
    }


def _question(name: str, entry: Mapping[str, Any]) -> JudgedQuestion:
    unanswerable = entry["kind"] == NEVER_SAID
    return JudgedQuestion(
        id=f"{name}:{entry['id']}",
        text=entry["text"],
        answer="" if unanswerable else entry["answer"],
        category=entry["kind"],
        evidence=tuple(entry["evidence"]),
        unanswerable=unanswerable,
        at=datetime.fromisoformat(entry["asked_at"]),
        right=entry["right"],
        speaker=entry.get("speaker", ""),
        near=tuple(entry.get("near", ())),
    )
