"""Write the lists in docs/cli.md, from the commands themselves; ``--check`` only compares."""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
from marked import keep

from hmem.interfaces.cli import hmem

COMMAND = "python docs/generate_cli.py"
# An option with the same help in this many commands is described here; the others by `--help`.
SHARED = 8
# Commands that measure share options of their own.
MEASURING = ("hmem eval", "hmem bench")


def commands(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    """Yield every command that can be called, with its full name."""
    if not isinstance(command, click.Group):
        yield path, command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        if found is not None:
            yield from commands(found, f"{path} {name}")


def options(command: click.Command) -> list[click.Option]:
    """Return the options of a command, without help."""
    return [option for option in command.params if isinstance(option, click.Option)]


def written(option: click.Option) -> str:
    """Return the names and values of an option: ``--limit N``."""
    takes = "" if option.is_flag else f" {option.metavar or values(option.type)}"
    return f"`{', '.join(option.opts)}{takes}`"


def values(kind: click.ParamType) -> str:
    """Return the values that an option takes."""
    return " / ".join(kind.choices) if isinstance(kind, click.Choice) else "N"


def meaning(option: click.Option) -> str:
    """Return what an option means, and its default."""
    default = f" Default: `{option.default}`." if option.show_default and option.default is not None else ""
    return f"{option.help}{' Required.' if option.required else ''}{default}"


def page() -> Iterator[str]:
    """Yield the sections of the page: the shared options, and the commands of each heading."""
    found = dict(commands(hmem, "hmem"))
    of_memories = [each for name, each in found.items() if not name.startswith(MEASURING)]
    count = Counter((written(option), meaning(option)) for each in of_memories for option in options(each))
    shared = {pair for pair, times in count.items() if times >= SHARED}
    yield "## Shared options\n"
    yield "\n".join(sorted(f"- {names}: {means}" for names, means in shared))
    for heading, rows in hmem.sections(click.Context(hmem)).items():
        yield f"\n## {heading}\n"
        names = [f"hmem {name}" for name, _ in rows]
        of = [(path, each) for path, each in found.items() if any(f"{path} ".startswith(f"{name} ") for name in names)]
        yield "\n".join(line(path, each) for path, each in of)


def line(path: str, command: click.Command) -> str:
    """Return the line of a command: its arguments, and what it does."""
    arguments = [part.metavar or str(part.name).upper() for part in command.params if isinstance(part, click.Argument)]
    return f"- `{' '.join([path, *arguments])}`: {(command.help or '').splitlines()[0]}"


if __name__ == "__main__":
    sys.exit(keep(Path(__file__).parent / "cli.md", "\n".join(page()), COMMAND))
