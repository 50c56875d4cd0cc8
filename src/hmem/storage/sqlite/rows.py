"""Conversion between a turn and a row of its table."""

from collections.abc import Sequence
from typing import Any, Final

from hmem.model.turn import Turn
from hmem.storage import fields
from hmem.storage.base import StoredTurn

TURN_COLUMNS: Final = """
    turn.seq, speaker.name, session.id, turn.key, turn.said, turn.said_offset, turn.text, turn.caption, turn.role,
    turn.attachments, turn.user, turn.agent, turn.message_id, turn.metadata, turn.expires, turn.echoes"""
TURN_SOURCE: Final = """
    turn JOIN session ON session.number = turn.session JOIN speaker ON speaker.number = turn.speaker"""
# Takes the row of ``to_row``, then the version of the analysis that counted its words. The checksum comes after, in the
# room of a number that takes as many bytes: a row that grew would be moved to another page.
INSERT_TURN: Final = f"INSERT INTO turn VALUES ({', '.join('?' * 19)}, 4294967296)"


def to_row(turn: Turn, seq: int, block: int, session: int, speaker: int, words: int) -> tuple[Any, ...]:
    """Return the values of a turn for ``INSERT_TURN``, all but the last."""
    key, said, offset, *rest = fields.to_values(turn)
    return seq, key, block, session, speaker, said, offset, words, *rest


def to_turn(row: Sequence[Any]) -> StoredTurn:
    """Return the turn of a row of ``TURN_COLUMNS``."""
    seq, speaker, session, *values = row
    return fields.to_turn(seq, speaker, session, values)
