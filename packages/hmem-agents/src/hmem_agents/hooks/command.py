"""Command ``hmem hook``."""

import json
import sys
from pathlib import Path
from typing import Final

import click

from hmem.interfaces.cli.options import json_option
from hmem_agents.hooks.client import answer
from hmem_agents.hooks.fast_path import EVENTS
from hmem_agents.hooks.settings import HookSettings, Quietly
from hmem_agents.hosts import PLUGIN

_LARGEST: Final = 16_000_000


@click.command(
    "hook",
    epilog='JSON: {"hookSpecificOutput": {"hookEventName", "additionalContext"}}, or {} when there is nothing to tell; '
    '{"folder"} of `where`. The exit code is always 0.',
)
@click.argument("name", type=click.Choice([*EVENTS, "worker", "where"]))
@json_option
def hook(*, name: str, as_json: bool) -> None:
    """Recall into a session of an agent program, and capture what was said in it.

    Called by the program's plugin with the event's JSON on stdin. Errors go to hooks/hooks.log under HMEM_ROOT;
    HMEM_HOOKS=off turns it off. `worker` is the process that holds memories open for the others; they start it
    themselves. `where` prints the folder of the plugins.
    """
    if name == "where":
        folder = str(Path(PLUGIN).parent)
        click.echo(json.dumps({"folder": folder}) if as_json else folder)
        return
    settings = HookSettings.of_environment()
    if name == "worker":
        with Quietly(settings, name):
            from hmem_agents.hooks.worker import HookWorker  # noqa: PLC0415 - hooks do without it

            HookWorker(settings).run()
        return
    response = answer(settings, name, sys.stdin.buffer.read(_LARGEST))
    if response or as_json:
        # ASCII, so that no terminal's encoding can be in the way.
        click.echo(json.dumps(response))
