"""Write the lists in docs/cli.md, from the commands themselves; ``--check`` only compares."""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
from marked import keep

from hmem.interfaces.cli import hmem

COMMAND = "python docs/generate_cli.py"
# An option with the same help in this many commands is described; the others by `--help`.
SHARED = 8
# One in this many commands is one of every memory.
USUAL = 30
# Options that recalls share, under one name.
FILTERS = "--at --as-of --valid-at --speaker --session --since --until --entity --metadata --user --agent"
# The options of these are told by `--help` alone.
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
    usual = {names for (names, _), times in count.items() if times >= USUAL}
    yield f"## Shared options\n\nCommands on a memory also take {', '.join(sorted(usual))}. FILTERS are"
    yield f"`{FILTERS}`.\n"
    yield "\n".join(sorted(f"- {names}: {means}" for names, means in shared))
    for heading, rows in hmem.sections(click.Context(hmem)).items():
        yield f"\n## {heading}\n"
        names = [f"hmem {name}" for name, _ in rows]
        of = [(path, each) for path, each in found.items() if any(f"{path} ".startswith(f"{name} ") for name in names)]
        yield "\n".join(line(path, each, usual) for path, each in of)


def line(path: str, command: click.Command, usual: set[str]) -> str:
    """Return the line of a command: its arguments, what it does, and the names of its options."""
    arguments = [part.metavar or str(part.name).upper() for part in command.params if isinstance(part, click.Argument)]
    shown = [] if path.startswith(MEASURING) else options(command)
    names = " ".join(option.opts[0] for option in shown if written(option) not in usual)
    names = names.replace(FILTERS, "FILTERS")
    about = (command.help or "").splitlines()[0]
    return f"- `{' '.join([path, *arguments])}`: {about}{f' `{names}`' if names else ''}"


if __name__ == "__main__":
    sys.exit(keep(Path(__file__).parent / "cli.md", "\n".join(page()), COMMAND))
