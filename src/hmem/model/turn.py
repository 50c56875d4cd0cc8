"""Turns, the receipts for writing them, and the sessions that they form."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from hmem.model.value import Value

Role = Literal["user", "assistant", "system", "tool", "document"]
DOCUMENT: Final = "document"
Fate = Literal["stored", "duplicate", "rejected", "skipped"]


@dataclass(frozen=True, slots=True, repr=False)
class Turn(Value):
    """One message as it was said. Verbatim, append-only.

    ``at`` is aware and keeps its original offset. ``caption`` describes a picture that came with the message.
    The role ``document`` is that of a part of a document: it is found, but nobody said it, so no facts are made of it.
    ``message_id`` is the caller's own. ``metadata`` is any JSON object, to filter by. After ``expires`` the turn is no
    longer recalled, and the next consolidation forgets it. ``echoes`` are the parts of the text that repeat recalled
    text: start, end, and the id of the turn that said it first.
    """

    id: str
    speaker: str
    text: str
    at: datetime
    session: str
    caption: str | None = None
    role: Role | None = None
    attachments: tuple[str, ...] = ()
    user: str | None = None
    agent: str | None = None
    message_id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    expires: datetime | None = None
    echoes: tuple[tuple[int, int, str], ...] = ()

    @property
    def content(self) -> str:
        """Searchable text: the text and the caption."""
        return f"{self.text} {self.caption}" if self.caption else self.text


@dataclass(frozen=True, slots=True, repr=False)
class Receipt(Value):
    """Result of writing one turn.

    ``stored``: durable, and searchable now. ``duplicate``: its message id was stored before, with the same text; ``id``
    is that turn's. ``rejected``: ``error`` says why; nothing of it was stored. ``skipped``: nobody said anything in it.
    ``note`` is a word on what was not understood, and kept as metadata. ``further_turns`` are the ids of the calls and
    results of tools, and the documents, that came in the same message.
    """

    fate: Fate
    id: str | None = None
    error: str | None = None
    note: str | None = None
    further_turns: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.fate != "rejected"


class MessagesRejected(UserWarning):
    """Warning of messages of a list that were not kept; the receipts say why, one for each."""


if TYPE_CHECKING:

    @dataclass(frozen=True, slots=True)
    class KeptReceipt(Receipt):
        """A receipt of what was kept, so that its id is there."""

        fate: Literal["stored", "duplicate"]
        id: str = ""

else:
    KeptReceipt = Receipt


@dataclass(frozen=True, slots=True, repr=False)
class Session(Value):
    """Turns that share a session id. ``start`` and ``end`` are the times of its first and last turn."""

    id: str
    start: datetime
    end: datetime
    turns: int
    speakers: tuple[str, ...]
    opening: str = ""
