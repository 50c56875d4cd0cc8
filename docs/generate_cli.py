"""Write the lists in docs/cli.md, from the commands themselves; ``--check`` only compares."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click
from marked import keep

from hmem.interfaces.cli import hmem

COMMAND = "python docs/generate_cli.py"


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


def page() -> Iterator[str]:
    """Yield the sections of the page: the commands of each heading."""
    found = dict(commands(hmem, "hmem"))
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
