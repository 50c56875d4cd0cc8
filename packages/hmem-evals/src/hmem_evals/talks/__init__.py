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
    written = read_json(file)
    try:
        name: str = written["id"]
        roles: Mapping[str, str] = written["speakers"]
        messages = tuple(_message(turn, roles) for turn in written["turns"])
        return Conversation(name, messages, tuple(_question(name, asked) for asked in written["questions"]))
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


def _question(name: str, asked: Mapping[str, Any]) -> JudgedQuestion:
    unanswerable = asked["kind"] == NEVER_SAID
    return JudgedQuestion(
        id=f"{name}:{asked['id']}",
        text=asked["text"],
        answer="" if unanswerable else asked["answer"],
        category=asked["kind"],
        evidence=tuple(asked["evidence"]),
        unanswerable=unanswerable,
        at=datetime.fromisoformat(asked["asked_at"]),
        right=asked["right"],
        speaker=asked.get("speaker", ""),
        near=tuple(asked.get("near", ())),
    )
