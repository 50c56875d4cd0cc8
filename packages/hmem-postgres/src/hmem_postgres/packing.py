"""Packing of a block's turns: five numbers a turn in one run of bytes, and the rest of each turn in a record."""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any, Final

import msgspec
import numpy as np

from hmem.model.turn import Turn
from hmem.storage.base import Member, StoredTurn
from hmem.storage.capabilities import from_values, to_values

_NUMBERS: Final = 5
_DIGEST: Final = 16

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder()


def digest(text: str) -> bytes:
    """Return what a text is found by, however long it is."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).digest()


def pack_members(members: Sequence[Member]) -> bytes:
    """Return speaker, words, time and analysis of members, and their session, as bytes; runs can be joined."""
    rows = [(member.session, member.speaker, member.words, member.said, member.analysis) for member in members]
    return np.array(rows, "<i8").reshape(len(rows), _NUMBERS).tobytes()


def unpack_members(block: int, seqs: Sequence[int], data: bytes) -> list[Member]:
    """Return the members of a block.

    Raises:
        ValueError: there is not one row for each number.
    """
    rows = np.frombuffer(data, "<i8").reshape(len(seqs), _NUMBERS).tolist()
    return [Member(seq, block, row[0], row[1], row[2], row[3], row[4]) for seq, row in zip(seqs, rows, strict=True)]


def pack_turn(turn: Turn) -> bytes:
    """Return all of a turn but its numbers, its speaker and its session."""
    return _encoder.encode(to_values(turn))


def unpack_turn(seq: int, speaker: str, session: str, data: bytes) -> StoredTurn:
    """Return the turn that ``pack_turn`` was given."""
    return from_values(seq, speaker, session, _decoder.decode(data))


def content(data: bytes) -> str:
    """Return the text of a packed turn, with its caption."""
    _, _, _, text, caption, *_ = _decoder.decode(data)
    return f"{text} {caption}" if caption else text


def message(data: bytes) -> tuple[bytes, str]:
    """Return key and text of a packed turn."""
    key, _, _, text, *_ = _decoder.decode(data)
    return key, text


def texts(data: bytes) -> Iterable[str]:
    """Return every text of a packed turn, to be searched."""
    values: list[Any] = _decoder.decode(data)
    return (value for value in values if isinstance(value, str))
