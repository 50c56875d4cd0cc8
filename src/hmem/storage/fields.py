"""Conversion between a turn and the plain values that a storage keeps of it."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, cast

from hmem.model.ids import to_id, to_key
from hmem.model.span import from_stored, to_stored
from hmem.model.turn import Role, Turn
from hmem.storage.capabilities import StoredTurn


def to_values(turn: Turn) -> tuple[Any, ...]:
    """Return what is kept of a turn besides its numbers, speaker and session.

    These are key, time (µs), offset (minutes), text, caption, role, attachments, user, agent, message id, metadata,
    expiry (µs) and echoes; lists and mappings as JSON.
    """
    return (
        to_key("turn", turn.id), *to_stored(turn.at), turn.text, turn.caption, turn.role, _json(turn.attachments),
        turn.user, turn.agent, turn.message_id, _json(turn.metadata),
        None if turn.expires is None else to_stored(turn.expires)[0], _json(turn.echoes),
    )  # fmt: skip


def to_turn(seq: int, speaker: str, session: str, values: Sequence[Any]) -> StoredTurn:
    """Return the turn of the values of ``to_values``."""
    key, microseconds, offset, text, caption, role, attachments, user, agent, message, metadata, expires, echoes = (
        values
    )
    turn = Turn(
        id=to_id("turn", key),
        speaker=speaker,
        text=text,
        at=from_stored(microseconds, offset),
        session=session,
        caption=caption,
        role=cast("Role | None", role),
        attachments=tuple(json.loads(attachments)) if attachments else (),
        user=user,
        agent=agent,
        message_id=message,
        metadata=json.loads(metadata) if metadata else {},
        expires=None if expires is None else from_stored(expires, offset),
        echoes=tuple((start, end, source) for start, end, source in json.loads(echoes)) if echoes else (),
    )
    return StoredTurn(seq, turn)


def _json(value: Iterable[Any]) -> str | None:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) if value else None
