"""Write the commands in docs/cli.md, from the commands themselves; ``--check`` only compares."""

import inspect
import re
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


def section(path: str, command: click.Command) -> str:
    """Return the section of a command: its usage, help, options and JSON.

    It avoids click's own wording, which differs between versions.
    """
    options = [option for option in command.params if isinstance(option, click.Option)]
    arguments = [part.metavar or str(part.name).upper() for part in command.params if part not in options]
    parts = [
        f"## {path}",
        f"```text\n{' '.join([path, *arguments, '[OPTIONS]'])}\n```",
        inspect.cleandoc(command.help or ""),
    ]
    parts.append("\n".join(["| option | means |", "|---|---|", *map(row, options)]))
    # What stands between this mark and an empty line is not wrapped.
    told = re.sub(r"\x08\n(.*?)\n\n", r"```text\n\1\n```\n\n", command.epilog or "", flags=re.DOTALL)
    return "\n\n".join([*parts, *([told] if told else [])])


def row(option: click.Option) -> str:
    """Return the row of an option: its names, values, meaning and default."""
    takes = "" if option.is_flag else f" {option.metavar or values(option.type)}"
    default = f" Default: `{option.default}`." if option.show_default else ""
    about = f"{option.help}{' Required.' if option.required else ''}{default}".replace("|", "\\|")
    return f"| `{', '.join(option.opts)}{takes}` | {about} |"


def values(kind: click.ParamType) -> str:
    """Return the values that an option takes."""
    return " / ".join(kind.choices) if isinstance(kind, click.Choice) else "N"


if __name__ == "__main__":
    written = "\n\n".join(section(*found) for found in commands(hmem, "hmem"))
    sys.exit(keep(Path(__file__).parent / "cli.md", written, COMMAND))
