"""Groups of subcommands: ``show`` and ``keys``."""

from typing import Final

import click

from hmem.interfaces.cli.lazy import Entry, LazyGroup

_COMMANDS: Final = "hmem.interfaces.cli.commands"


@click.group(
    "show",
    cls=LazyGroup,
    lazy={
        "timeline": Entry(f"{_COMMANDS}.show:timeline", "Show years, months and days, and the turns of each."),
        "topics": Entry(f"{_COMMANDS}.show:topics", "Show topics and their turns."),
        "layers": Entry(f"{_COMMANDS}.show:layers", "Show domains, categories and traces, and their events."),
        "evolution": Entry(f"{_COMMANDS}.show:evolution", "Show which events resemble each other, over time."),
        "sessions": Entry(f"{_COMMANDS}.show:sessions", "Show days and their sessions."),
        "episodes": Entry(f"{_COMMANDS}.show:episodes", "Show sessions and their episodes."),
        "notes": Entry(f"{_COMMANDS}.show:notes", "Show what is held to be so, by subject."),
        "graph": Entry(f"{_COMMANDS}.show:graph", "Show entities and what relates them."),
        "persona": Entry(f"{_COMMANDS}.show:persona", "Show what is known of those who speak."),
        "tiers": Entry(f"{_COMMANDS}.show:tiers", "Show which turns are in the cache and the buffer."),
    },
)
def show() -> None:
    """Show what a memory holds."""


@click.group(
    "keys",
    cls=LazyGroup,
    lazy={
        "create": Entry(f"{_COMMANDS}.serve:create", "Make a key."),
        "list": Entry(f"{_COMMANDS}.serve:list_keys", "List the keys."),
        "rotate": Entry(f"{_COMMANDS}.serve:rotate", "Make a key in the place of another one."),
        "revoke": Entry(f"{_COMMANDS}.serve:revoke", "Revoke a key."),
    },
)
def keys() -> None:
    """Make, list, rotate and revoke the keys of a server."""
