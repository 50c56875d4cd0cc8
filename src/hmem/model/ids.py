"""Ids that name their kind and sort by creation time: ``turn_01JX4M3Z6H…``.

The part after the underscore is a ULID in Crockford's base 32: 48 bits of milliseconds, then 80 random bits that count
up within one millisecond. Derived items have a number in place of the random bits: derived anew, an item has the same
id again.
"""

from functools import lru_cache
from hashlib import blake2b
from typing import Final

from ulid import ULID

from hmem.errors import NumberTooLarge

KINDS: Final = (
    "memory",
    "turn",
    "session",
    "episode",
    "event",
    "note",
    "entity",
    "relation",
    "mention",
    "profile",
    "node",
    "persona",
    "summary",
    "change",
)

# Two digits at a time are several times as fast as one.
_DIGITS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS: Final = [first + second for first in _DIGITS for second in _DIGITS]
_VALUES: Final = {pair: value for value, pair in enumerate(_PAIRS)}
_SHIFTS: Final = range(120, -1, -10)

# A numbered id: 48 bits of milliseconds, 16 of a group, 64 of a number.
_LAST_MOMENT: Final = (1 << 48) - 1
_MOST_GROUP: Final = (1 << 16) - 1
_MOST_NUMBER: Final = (1 << 64) - 1


def new_key() -> bytes:
    """Return 16 bytes, greater than every earlier key of this process unless the clock goes back."""
    return ULID().bytes


@lru_cache(maxsize=16_384)
def to_id(kind: str, key: bytes) -> str:
    """Return the id of a key: kind, underscore, 26 characters. Cached: the same turns are recalled again and again.

    Raises:
        ValueError: the kind is not one of ``KINDS``, or the key is not 16 bytes long.
    """
    if kind not in KINDS:
        raise ValueError(f"no kind of memory is called {kind!r}")
    if len(key) != 16:
        raise ValueError(f"a key has 16 bytes, not {len(key)}")
    number = int.from_bytes(key)
    return f"{kind}_{''.join([_PAIRS[(number >> shift) & 1023] for shift in _SHIFTS])}"


def to_key(kind: str, text: str) -> bytes | None:
    """Return the key in an id of this kind, or None if the text is not such an id."""
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        return None
    prefix, _, digits = text.partition("_")
    if prefix != kind or len(digits) != 26 or digits[0] > "7":
        return None
    number = 0
    for start in range(0, 26, 2):
        value = _VALUES.get(digits[start : start + 2])
        if value is None:
            return None
        number = number << 10 | value
    return number.to_bytes(16)


def kind_of(text: str) -> str | None:
    """Return the kind that an id names, or None if the text is not an id."""
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        return None
    prefix = text.partition("_")[0]
    return prefix if prefix in KINDS and to_key(prefix, text) is not None else None


def numbered(kind: str, milliseconds: int, number: int, group: int = 0) -> str:
    """Return the id of a numbered item: milliseconds since 1970, a 16-bit group and a 64-bit number.

    A time before 1970 counts as 1970.

    Raises:
        NumberTooLarge: the number or the group has no room.
    """
    if not (0 <= number <= _MOST_NUMBER and 0 <= group <= _MOST_GROUP):
        raise NumberTooLarge(
            f"an id of kind {kind} has no room for number {number} of group {group} - ask for fewer at once"
        )
    moment = min(max(milliseconds, 0), _LAST_MOMENT)
    return to_id(kind, (moment << 80 | group << 64 | number).to_bytes(16))


def number_of(kind: str, text: str) -> tuple[int, int] | None:
    """Return the group and number in a numbered id of this kind, or None if the text is not such an id."""
    key = to_key(kind, text)
    return None if key is None else (int.from_bytes(key[6:8]), int.from_bytes(key[8:]))


def relation_id(source: int, label: str, target: int) -> str:
    """Return the id of the relation between two numbered entities, the same wherever the edge is listed."""
    mark = blake2b(label.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return to_id("relation", (source << 32 | target).to_bytes(8) + mark)
