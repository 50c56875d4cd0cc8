"""A turn: one message as it was said; what its writer is told; and the sessions that turns make up."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

Role = Literal["user", "assistant", "system", "tool"]
Fate = Literal["stored", "duplicate", "rejected"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One message as it was said. Verbatim, append-only.

    ``at`` is aware and keeps the offset it was given with. ``caption`` describes a picture that came with
    the message. ``message_id`` is the caller's own. ``metadata`` is any JSON object, to filter by. After
    ``expires`` it is recalled no more, and forgotten at the next consolidation. ``echoes`` are the parts of the
    text that repeat what had been recalled: start, end, and the id of the turn that said it first.
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
        """Everything in it that can be found by its words: the text and the caption."""
        return f"{self.text} {self.caption}" if self.caption else self.text


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of one turn that was handed in.

    ``stored``: durable, and searchable now. ``duplicate``: its message id was kept before, with the same
    text; ``id`` is that turn's. ``rejected``: ``error`` says why; nothing of it was kept.
    """

    fate: Fate
    id: str | None = None
    error: str | None = None

    def __bool__(self) -> bool:
        return self.fate != "rejected"


if TYPE_CHECKING:

    @dataclass(frozen=True, slots=True)
    class KeptReceipt(Receipt):
        """A receipt of what was kept, so that its id is there."""

        fate: Literal["stored", "duplicate"]
        id: str = ""

else:
    KeptReceipt = Receipt


@dataclass(frozen=True, slots=True)
class Session:
    """A sitting: the turns that share a session id. ``start`` and ``end`` are its first and last turn's times."""

    id: str
    start: datetime
    end: datetime
    turns: int
    speakers: tuple[str, ...]
    opening: str = ""
