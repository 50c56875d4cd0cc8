"""The table of commands, and what each command says of itself."""

import re
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from hmem.interfaces.cli import hmem
from hmem.interfaces.cli.lazy import LazyGroup


def commands(group: LazyGroup, path: str) -> Iterator[tuple[str, str, click.Command]]:
    """Every command below a group: its name, its help in the table, itself."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        table = group.lazy | (hmem.optional if group is hmem else {})
        short = table[name].help if name in table else command.get_short_help_str()
        yield f"{path} {name}", short, command
        if isinstance(command, LazyGroup):
            yield from commands(command, f"{path} {name}")


ALL = list(commands(hmem, "hmem"))
NAMES = [path for path, _, _ in ALL]


def test_the_commands_are_those_that_exist() -> None:
    assert [name.removeprefix("hmem ") for name in NAMES] == [
        "add", "search", "context", "ask", "outcome", "cases", "notes", "profile", "list", "get",
        "correct", "history", "undo", "forget",
        "export", "backup", "copy", "explore",
        "show", "show sessions", "show episodes", "show events", "show entities", "show graph", "show persona",
        "show tree", "show tiers",
        "edit", "edit retract", "edit feedback", "edit pin", "edit unpin", "edit pins", "edit conflicts",
        "edit resolve", "edit rule", "edit persona", "edit merge-entities", "edit split-entity", "edit rename-node",
        "memories", "stats", "doctor", "verify", "consolidate", "retain", "rebuild", "reembed",
        "encryption", "encryption on", "encryption off", "encryption rekey",
        "worker", "model", "model batch", "model reanalyse", "mcp", "serve",
        "keys", "keys create", "keys list", "keys rotate", "keys revoke", "bench",
        "bench ingest", "bench scale", "bench routing", "bench tiers", "bench peers",
        "database", "database init", "database migrate", "database status",
        "eval", "eval locomo", "eval longmemeval", "eval realtalk",
        "eval compare", "eval peers", "hook", "import",
        "standin", "sync", "torture",
    ]  # fmt: skip


@pytest.mark.parametrize(("path", "short", "command"), ALL, ids=NAMES)
def test_a_command_is_described_as_the_table_says(path: str, short: str, command: click.Command) -> None:
    assert command.name == path.rpartition(" ")[2]
    assert command.help is not None
    assert command.help.splitlines()[0] == short
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    assert [option.name for option in options if not option.help] == []
    if not isinstance(command, click.Group):
        assert "--json" in {name for option in options for name in option.opts}
        assert "JSON: " in (command.epilog or "")


def run_apart(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run code before the command line, in a process that has loaded nothing yet."""
    script = (
        f"import sys\n{code}\nfrom hmem.interfaces.cli import main\ncode = main(sys.argv[1:])\n{AFTER}sys.exit(code)"
    )
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


AFTER = "print(*(name for name in sys.modules if 'commands.' in name or name == 'importlib.metadata'))\n"
NOTHING_INSTALLED = "import importlib.metadata\nimportlib.metadata.entry_points = lambda **_: ()"
BROKEN = """
from importlib.metadata import EntryPoint
import importlib.metadata
importlib.metadata.entry_points = lambda **_: (EntryPoint('eval', 'nowhere.at_all:it', 'hmem.commands'),)
"""


@pytest.mark.parametrize(
    ("name", "needed"),
    [
        ("eval", "hmem-evals"), ("bench", "hmem-evals"), ("standin", "hmem-testing"), ("database", "'hmem[postgres]'"),
        ("import", "'hmem[import]'"), ("hook", "'hmem[hooks]'"),
    ],
)  # fmt: skip
def test_a_command_whose_distribution_is_not_installed_says_what_to_install(name: str, needed: str) -> None:
    done = run_apart(NOTHING_INSTALLED, name, "--help")
    assert done.returncode == 8
    assert done.stderr == f"hmem: error: `hmem {name}` is not installed - pip install {needed}\n"
    listed = run_apart(NOTHING_INSTALLED, "--help").stdout.partition("Every day:")[2]
    assert not re.search(rf"^  {name} ", listed, re.MULTILINE)


def test_a_hook_whose_distribution_is_not_installed_says_what_to_install() -> None:
    absent = "import sys\nsys.modules['hmem_agents'] = None\nsys.argv = ['hmem', 'hook', 'stop']"
    code = f"{NOTHING_INSTALLED}\n{absent}\nfrom hmem.__main__ import main\nsys.exit(main())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 8
    assert done.stderr == "hmem: error: `hmem hook` is not installed - pip install 'hmem[hooks]'\n"


def test_a_distribution_that_is_not_whole_breaks_its_own_command_only() -> None:
    done = run_apart(BROKEN, "eval", "locomo")
    assert done.returncode == 8
    assert "`eval` of nowhere.at_all:it cannot be loaded (No module named 'nowhere') - install it again" in done.stderr
    shown = run_apart(BROKEN, "--help")
    assert shown.returncode == 0
    assert "Keep one turn." in shown.stdout


def test_the_help_loads_no_command_and_shows_those_of_other_distributions() -> None:
    done = run_apart("", "--help")
    shown, _, loaded = done.stdout.rstrip("\n").rpartition("\n")
    assert loaded == "importlib.metadata"
    for line in (r"bench +Measure speed and size\.", r"standin +Stand in for a model, on this machine\."):
        assert re.search(line, shown)


def test_a_command_of_our_own_does_not_look_up_what_is_installed() -> None:
    done = run_apart("", "keys", "list", "--help")
    assert done.stdout.splitlines()[-1].split() == ["hmem.interfaces.cli.commands.serve"]
