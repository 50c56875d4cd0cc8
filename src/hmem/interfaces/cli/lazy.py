"""A group whose commands are loaded when they are called, so that ``hmem --help`` loads none of them."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

import click


class Entry(NamedTuple):
    """Where a command lives, as ``module:attribute``, and its short help."""

    target: str
    help: str

    def load(self) -> click.Command:
        """The command itself."""
        module, _, attribute = self.target.partition(":")
        return getattr(import_module(module), attribute)


class LazyGroup(click.Group):
    """A group made from a table of its commands, which it lists in the table's order."""

    def __init__(self, name: str | None = None, *, lazy: Mapping[str, Entry], **attributes: Any) -> None:
        super().__init__(name, **attributes)
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names of the commands."""
        return list(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """The command of a name, loaded now; None when there is none."""
        entry = self.lazy.get(cmd_name)
        return None if entry is None else entry.load()

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """The list of commands in the help, from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in self.lazy.items()])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Called without anything, show the help and fail, so that a script notices."""
        if not args and not ctx.resilient_parsing:
            click.echo(self.get_help(ctx), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)
