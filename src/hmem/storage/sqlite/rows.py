"""Conversion between a turn and a row of its table."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final, cast

from hmem.model.ids import to_id, to_key
from hmem.model.span import from_stored, to_stored
from hmem.model.turn import Role, Turn
from hmem.storage.base import StoredTurn

TURN_COLUMNS: Final = """
    turn.seq, turn.key, speaker.name, turn.text, turn.said, turn.said_offset, session.id, turn.caption, turn.role,
    turn.attachments, turn.user, turn.agent, turn.message_id, turn.metadata, turn.expires, turn.echoes"""
TURN_SOURCE: Final = """
    turn JOIN session ON session.number = turn.session JOIN speaker ON speaker.number = turn.speaker"""
# Takes the row of ``to_row``, then the version of the analysis that counted its words. The checksum comes after.
INSERT_TURN: Final = f"INSERT INTO turn VALUES ({', '.join('?' * 19)}, NULL)"


def to_row(turn: Turn, seq: int, block: int, session: int, speaker: int, words: int) -> tuple[Any, ...]:
    """Return the values of a turn for ``INSERT_TURN``, all but the last."""
    return (
        seq, to_key("turn", turn.id), block, session, speaker, *to_stored(turn.at), words, turn.text, turn.caption,
        turn.role, _json(turn.attachments), turn.user, turn.agent, turn.message_id, _json(turn.metadata),
        None if turn.expires is None else to_stored(turn.expires)[0], _json(turn.echoes),
    )  # fmt: skip


def to_turn(row: Sequence[Any]) -> StoredTurn:
    """Return the turn of a row of ``TURN_COLUMNS``."""
    seq, key, speaker, text, said, offset, session, caption, role, attachments, *rest = row
    user, agent, message, metadata, expires, echoes = rest
    turn = Turn(
        id=to_id("turn", key),
        speaker=speaker,
        text=text,
        at=from_stored(said, offset),
        session=session,
        caption=caption,
        role=cast("Role | None", role),
        attachments=tuple(json.loads(attachments)) if attachments else (),
        user=user,
        agent=agent,
        message_id=message,
        metadata=json.loads(metadata) if metadata else {},
        expires=None if expires is None else from_stored(expires, offset),
        echoes=tuple((start, end, by) for start, end, by in json.loads(echoes)) if echoes else (),
    )
    return StoredTurn(seq, turn)


def _json(value: Iterable[Any]) -> str | None:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) if value else None
