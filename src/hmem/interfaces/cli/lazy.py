"""Groups that load a command when it is called, so that ``hmem --help`` loads none."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from hmem.errors import ExtraMissing
from hmem.util.suggesting import did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


# Characters of a short help.
_SHORT: Final = 90


class Entry(NamedTuple):
    """Location of a command, as ``module:attribute``, its short help, and its heading in the help of its group."""

    target: str
    help: str
    section: str = "Commands"

    def load(self) -> click.Command:
        """Return the command."""
        module, _, attribute = self.target.partition(":")
        return getattr(import_module(module), attribute)


class OptionalCommand(NamedTuple):
    """Command of another distribution of ours: what pip installs it by, its short help, and its heading."""

    requirement: str
    help: str
    section: str = "Commands"


class LazyGroup(click.Group):
    """Group with a table of its commands, listed in the order of the table."""

    def __init__(self, name: str | None = None, *, lazy: Mapping[str, Entry], **attributes: Any) -> None:
        super().__init__(name, **attributes)
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of the commands."""
        return list(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Return the command of a name, loaded now; None for an unknown name."""
        entry = self.lazy.get(cmd_name)
        return None if entry is None else entry.load()

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments begin with; an unknown one fails with a suggestion."""
        if (
            args
            and self.get_command(ctx, args[0]) is None
            and (question := did_you_mean(args[0], self.list_commands(ctx)))
        ):
            ctx.fail(f"there is no command {args[0]!r} - {question}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in the help, by sections, from the table alone."""
        for section, rows in self.sections(ctx).items():
            with formatter.section(section):
                formatter.write_dl(rows)

    def sections(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:  # noqa: ARG002 - for those that extend it
        """Return the names and short helps of the commands, by the headings under which the help has them."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, entry in self.lazy.items():
            sections.setdefault(entry.section, []).append((name, entry.help))
        return sections

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Without arguments, write the help and fail, so that a script notices."""
        if not args and not ctx.resilient_parsing:
            click.echo(self.get_opening(ctx), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def get_opening(self, ctx: click.Context) -> str:
        """Return what is written if there are no arguments: the help."""
        return self.get_help(ctx)


class ExtensibleGroup(LazyGroup):
    """Group to which other distributions add commands, as entry points of the group ``extensions``.

    ``optional`` has those of ours. ``opening`` returns what to do next, for whoever names no command. Installed entry
    points are read for the help and for names that are not in the table, and never for a command of the table.
    """

    def __init__(
        self,
        name: str | None = None,
        *,
        lazy: Mapping[str, Entry],
        extensions: str,
        optional: Mapping[str, OptionalCommand],
        opening: Callable[[], str],
        **attributes: Any,
    ) -> None:
        super().__init__(name, lazy=lazy, **attributes)
        self.extensions = extensions
        self.optional = optional
        self._opening = opening

    def get_opening(self, ctx: click.Context) -> str:  # noqa: ARG002 - the signature of the group
        """Return what to do next."""
        return self._opening()

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, those of other distributions last."""
        return [*super().list_commands(ctx), *self._installed()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a name, loaded now; None for an unknown name.

        Raises:
            ExtraMissing: its distribution is missing or broken.
        """
        if cmd_name in self.lazy:
            return super().get_command(ctx, cmd_name)
        entry = self._installed().get(cmd_name)
        if entry is not None:
            return _loaded(cmd_name, entry)
        if cmd_name in self.optional:
            requirement = self.optional[cmd_name].requirement
            raise ExtraMissing(f"`{ctx.command_path} {cmd_name}` is not installed - pip install {requirement}")
        return None

    def sections(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        """Return the commands by headings; those of other distributions stand last under theirs."""
        sections = super().sections(ctx)
        for name, entry in self._installed().items():
            if name in self.optional:
                sections.setdefault(self.optional[name].section, []).append((name, self.optional[name].help))
                continue
            try:
                row = (name, _loaded(name, entry).get_short_help_str(_SHORT))
            except ExtraMissing as error:
                row = (name, str(error))
            sections.setdefault("Other commands", []).append(row)
        return sections

    def _installed(self) -> "dict[str, EntryPoint]":
        """Return the entry points of other distributions by name; none replaces a command of the table."""
        from importlib.metadata import entry_points  # noqa: PLC0415 - a command of the table does without

        entries = sorted(entry_points(group=self.extensions), key=lambda entry: entry.name)
        return {entry.name: entry for entry in entries if entry.name not in self.lazy}


def _loaded(name: str, entry: "EntryPoint") -> click.Command:
    try:
        return entry.load()
    except (ImportError, AttributeError) as error:
        owner = entry.dist.name if entry.dist else entry.value
        raise ExtraMissing(f"`{name}` of {owner} cannot be loaded ({error}) - install it again") from error
