"""Offers of installed packages by entry points, chosen by a string: ``NAME`` or ``NAME:VARIANT``."""

from importlib.metadata import entry_points
from typing import Any

from hmem.errors import UnknownName
from hmem.util.suggesting import suggest


def load_plugin(group: str, kind: str, name: str) -> Any:
    """Return the entry point's result for the string's variant; ``kind`` is its name in the error.

    Raises:
        UnknownName: no installed package offers it.
    """
    base, _, variant = name.partition(":")
    for entry in entry_points(group=group, name=base):
        return entry.load()(variant)
    raise UnknownName(f"no {kind} is called {base!r} - {suggest(base, offers(group))}")


def offers(group: str) -> list[str]:
    """Return the names that installed packages offer in a group."""
    return sorted({entry.name for entry in entry_points(group=group)})
