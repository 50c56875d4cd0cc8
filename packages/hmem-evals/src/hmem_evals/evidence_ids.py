"""Repairing the ids of LoCoMo and REALTALK, such as ``D8:6``.

Published evidence is written ``D:11:26``, ``D30:05``, ``D9:1 D4:4`` or ``D8:6; D9:17`` as well, and once just ``D``.
"""

import re
from collections.abc import Iterable
from typing import Any, Final

_ID: Final = re.compile(r"D:?(\d+):(\d+)")


def repaired(written: Iterable[Any]) -> tuple[str, ...]:
    """The ids in what was written, each once, in their order; what holds no id is dropped."""
    found = [f"D{int(number)}:{int(turn)}" for item in written for number, turn in _ID.findall(str(item))]
    return tuple(dict.fromkeys(found))


def unique(written: Any, seen: set[str]) -> str:
    """The repaired id of a turn, told apart from those ``seen`` before, to which it is added.

    A repeated id gets a suffix: the first turn that has it is the one that evidence means.
    """
    base = next(iter(repaired([written])), str(written))
    made, count = base, 1
    while made in seen:
        count += 1
        made = f"{base}#{count}"
    seen.add(made)
    return made
