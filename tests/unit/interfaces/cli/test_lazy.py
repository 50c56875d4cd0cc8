"""The table of commands, and what each command says of itself."""

from collections.abc import Iterator

import click
import pytest

from hmem.interfaces.cli import hmem
from hmem.interfaces.cli.lazy import LazyGroup


def commands(group: LazyGroup, path: str) -> Iterator[tuple[str, str, click.Command]]:
    """Every command below a group: its name, its help in the table, itself."""
    for name, entry in group.lazy.items():
        command = entry.load()
        yield f"{path} {name}", entry.help, command
        if isinstance(command, LazyGroup):
            yield from commands(command, f"{path} {name}")


ALL = list(commands(hmem, "hmem"))
NAMES = [path for path, _, _ in ALL]


def test_the_commands_are_those_that_exist() -> None:
    assert [name.removeprefix("hmem ") for name in NAMES] == [
        "add", "import", "export", "search", "context", "ask", "show", "show timeline", "show topics", "show layers",
        "show evolution", "show sessions", "show episodes", "show notes", "show graph", "show persona", "show tiers",
        "stats", "verify", "rebuild", "reembed", "consolidate", "worker", "reanalyse", "history", "correct", "retract",
        "edit-persona", "feedback", "pin", "unpin", "pins", "conflicts", "resolve", "rule", "undo", "forget", "retain",
        "delete", "serve", "keys", "keys create", "keys list", "keys revoke", "mcp", "hook", "doctor", "standin",
        "eval", "eval locomo", "eval longmemeval", "eval realtalk", "eval compare", "bench", "bench ingest",
        "bench scale", "bench routing", "bench tiers",
    ]  # fmt: skip


@pytest.mark.parametrize(("path", "short", "command"), ALL, ids=NAMES)
def test_a_command_is_called_and_described_as_the_table_says(path: str, short: str, command: click.Command) -> None:
    assert command.name == path.rpartition(" ")[2]
    assert command.help is not None
    assert command.help.splitlines()[0] == short


@pytest.mark.parametrize(("path", "short", "command"), ALL, ids=NAMES)
def test_every_option_has_a_help_text(path: str, short: str, command: click.Command) -> None:
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    assert [option.name for option in options if not option.help] == []


@pytest.mark.parametrize(("path", "short", "command"), ALL, ids=NAMES)
def test_every_command_speaks_json_and_says_how(path: str, short: str, command: click.Command) -> None:
    if not isinstance(command, click.Group):
        assert "--json" in {name for parameter in command.params for name in parameter.opts}
        assert "JSON: " in (command.epilog or "")
