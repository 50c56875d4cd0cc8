"""Timeline of a memory as periods, each with a summary."""

from collections.abc import Iterator
from datetime import datetime, tzinfo
from typing import Final, Literal

import hmem
from hmem.interfaces.mcp.results import TimePeriod
from hmem.language.prompt_text import harmless, utterance_line
from hmem.model.span import parse_time

Level = Literal["year", "month", "day"]

_LEVELS: Final[dict[Level, int]] = {"year": 3, "month": 2, "day": 1}
# Completions of a year and of a month to a date, by length.
_CUT: Final = {4: "-01-01", 7: "-01"}


def periods(
    memory: "hmem.MemoryLike", level: Level, since: str | None = None, until: str | None = None
) -> "list[hmem.Branch]":
    """Return the periods of a level that overlap the time from ``since`` to before ``until``, in order.

    A bound may be cut short, such as ``2025-03``.

    Raises:
        InvalidTime: a bound is no time.
    """
    tree = memory.tree("calendar", summaries=True)
    zone = tree.node.span.start.tzinfo
    first, last = (None if boundary is None else _time(boundary, zone) for boundary in (since, until))
    return [
        period
        for period in _of_level(tree, _LEVELS[level])
        if (first is None or period.node.span.end >= first) and (last is None or period.node.span.start < last)
    ]


def time_period(memory: "hmem.MemoryLike", stretch: "hmem.Branch") -> TimePeriod:
    """Return a period as a result; a period with a single turn has no summary, but the text of that turn."""
    node = stretch.node
    return TimePeriod(
        id=node.id,
        label=node.label,
        start=node.span.start.isoformat(),
        end=node.span.end.isoformat(),
        turns=node.size,
        summary=harmless(node.summary or _first_words(memory, stretch)),
    )


def _first_words(memory: "hmem.MemoryLike", stretch: "hmem.Branch") -> str:
    leaf = next(_leaves(stretch), None)
    turn = None if leaf is None else memory.get(leaf)
    return utterance_line(turn.speaker, turn.content) if isinstance(turn, hmem.Turn) else ""


def _leaves(tree: "hmem.Branch") -> Iterator[str]:
    yield from tree.leaves
    for child in tree.children:
        yield from _leaves(child)


def _of_level(tree: "hmem.Branch", level: int) -> "Iterator[hmem.Branch]":
    if tree.node.level == level:
        # The root of an empty calendar is of the lowest level.
        yield from (tree,) if tree.node.size else ()
        return
    for child in tree.children:
        yield from _of_level(child, level)


def _time(text: str, zone: tzinfo | None) -> datetime:
    assert zone is not None  # noqa: S101 - for the type checker
    return parse_time(text + _CUT.get(len(text), ""), zone)
