"""Ids of which only the beginning is given, as a commit may be named to Git."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from hmem.errors import UnknownId
from hmem.model.ids import KINDS

if TYPE_CHECKING:
    import hmem

FEWEST: Final = 8
_SHORT: Final = re.compile(rf"({'|'.join(KINDS)})_([0-9A-HJKMNP-TV-Z]{{1,25}})")
_NAMED: Final = 3
_PAGE: Final = 1_000
_ALL: Final = 1_000_000_000


def whole_id(memory: "hmem.Memory", given: str) -> str:
    """Return the one id that begins with the given text, its kind and at least ``FEWEST`` characters.

    A text that begins no id is returned as it is: it may be a name, and the memory says what it does not know.

    Raises:
        UnknownId: it begins several ids, or is too short.
    """
    short = _SHORT.fullmatch(given)
    if short is None or short[1] not in _IDS:
        return given
    found = sorted(each for each in _IDS[short[1]](memory) if each.startswith(given))
    if not found or (len(found) == 1 and len(short[2]) >= FEWEST):
        return found[0] if found else given
    told = " or ".join(found[:_NAMED])
    others = f", or {len(found) - _NAMED:,} more" if len(found) > _NAMED else ""
    what = f"begins {len(found):,} ids" if len(found) > 1 else f"is too short, give {FEWEST} characters of the id"
    raise UnknownId(f"{given!r} {what} - did you mean {told}{others}?")


def whole_ids(memory: "hmem.Memory", given: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return arguments of a command, where the beginnings of ids in the named ones are whole ids.

    Raises:
        UnknownId: one of them begins several ids, or is too short.
    """
    return {
        name: whole_id(memory, value) if name in names and isinstance(value, str) else value
        for name, value in given.items()
    }


def _turns(memory: "hmem.Memory") -> Iterator[str]:
    after = None
    while page := memory.list(after=after, limit=_PAGE):
        yield from (turn.id for turn in page)
        after = page[-1].id


def _nodes(memory: "hmem.Memory") -> Iterator[str]:
    below = [memory.tree("calendar"), memory.tree("topic"), memory.tree("layers"), memory.tree("evolution")]
    while below:
        branch = below.pop()
        yield branch.node.id
        below.extend(branch.children)


def _ids(items: Iterable[Any]) -> Iterator[str]:
    return (item.id for item in items)


_IDS: Final[Mapping[str, Callable[["hmem.Memory"], Iterable[str]]]] = {
    "turn": _turns,
    "event": lambda memory: _ids(memory.events(limit=_ALL)),
    "note": lambda memory: _ids(memory.notes(limit=_ALL)),
    "episode": lambda memory: _ids(memory.episodes(limit=_ALL)),
    "entity": lambda memory: _ids(memory.entities(limit=_ALL)),
    "node": _nodes,
    "change": lambda memory: _ids(memory.history()),
}
