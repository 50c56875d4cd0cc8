"""Command ``hmem``.

The module of a command, and with it the engine, is loaded when that command is called.
"""

import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from hmem import __version__
from hmem.errors import HmemError
from hmem.interfaces.cli.lazy import Entry, ExtensibleGroup, OptionalCommand
from hmem.interfaces.cli.options import VARIABLE, Invocation, key_options
from hmem.interfaces.cli.output import one_line, write_json

INTERRUPTED: Final = 130
_BEGIN: Final = """\
hmem {version}: long-term memory for language-model agents.

Keep something, and ask for it:
  hmem add "I adopted a puppy named Coco" --speaker Maria{memory}
  hmem ask "Who adopted a puppy?"{memory}
Bring what was said before, from ChatGPT, Claude, WhatsApp, mail, notes and more:
  hmem import FILE{memory}
Look around, here or on a page:
  hmem show timeline{memory}
  hmem explore{memory}
Give it to an agent:
  hmem mcp{memory}

{named}
All commands: hmem --help. Of one: hmem add --help. Check the installation: hmem doctor."""
_COMMANDS: Final = "hmem.interfaces.cli.commands"


def _opening() -> str:
    """Return what to do next, with the memory that the environment names."""
    named = os.environ.get(VARIABLE)
    if not named:
        said = f"A memory is a file, made when something is kept. Set {VARIABLE} to leave --memory out."
        return _BEGIN.format(version=__version__, memory=" --memory me.hmem", named=said)
    shown = one_line(named) if "://" not in named else "a database"
    there = (
        "" if "://" in named or Path(named).expanduser().exists() else ", which is not there yet: `hmem add` makes it"
    )
    return _BEGIN.format(version=__version__, memory="", named=f"{VARIABLE} names {shown}{there}.")


@click.group(
    cls=ExtensibleGroup,
    lazy={
        "add": Entry(f"{_COMMANDS}.add:add", "Keep one turn."),
        "export": Entry(f"{_COMMANDS}.export:export", "Write all that a memory holds as JSONL."),
        "search": Entry(f"{_COMMANDS}.recall:search", "Find the evidence for a question."),
        "context": Entry(f"{_COMMANDS}.recall:context", "Write what answers a question, ready for a prompt."),
        "ask": Entry(f"{_COMMANDS}.recall:ask", "Answer a question."),
        "profile": Entry(
            f"{_COMMANDS}.profile:profile",
            "Write what a person said of themselves that holds now, ready for a prompt.",
        ),
        "get": Entry(
            f"{_COMMANDS}.get:get", "Show a turn, an event or a note by its id, or by the first characters of it."
        ),
        "show": Entry("hmem.interfaces.cli.families:show", "Show what a memory holds."),
        "stats": Entry(f"{_COMMANDS}.upkeep:stats", "Count turns, sessions and bytes."),
        "verify": Entry(f"{_COMMANDS}.upkeep:verify", "Prove that the indices agree with the memory."),
        "rebuild": Entry(f"{_COMMANDS}.upkeep:rebuild", "Make the indices anew, and form the turns anew."),
        "reembed": Entry(f"{_COMMANDS}.upkeep:reembed", "Go over to another embedder."),
        "backup": Entry(f"{_COMMANDS}.keeping:backup", "Write a copy of a memory, while it is used."),
        "copy": Entry(f"{_COMMANDS}.copy:copy", "Copy a memory into another file or database."),
        "encrypt": Entry(f"{_COMMANDS}.keeping:encrypt", "Encrypt a memory."),
        "decrypt": Entry(f"{_COMMANDS}.keeping:decrypt", "Write an encrypted memory in the clear."),
        "rekey": Entry(f"{_COMMANDS}.keeping:rekey", "Encrypt a memory with another key."),
        "consolidate": Entry(
            f"{_COMMANDS}.upkeep:consolidate",
            "Fill the levels that the memory has grown into, and write what is told of what was formed.",
        ),
        "worker": Entry(f"{_COMMANDS}.worker:worker", "Have a language model read and write what rules did."),
        "work": Entry(
            f"{_COMMANDS}.worker:work", "Let a provider's batch interface do a model's work, at half the price."
        ),
        "reanalyse": Entry(
            f"{_COMMANDS}.worker:reanalyse", "Let the present model read again what rules or another model read."
        ),
        "history": Entry(f"{_COMMANDS}.change:history", "Tell who changed what, when and why."),
        "correct": Entry(f"{_COMMANDS}.change:correct", "Put a right text in the place of a turn or a note."),
        "retract": Entry(f"{_COMMANDS}.change:retract", "Say that a turn, a note or an event is not to be used."),
        "edit-persona": Entry(f"{_COMMANDS}.change:edit_persona", "Put another text, or other traits, into a persona."),
        "feedback": Entry(f"{_COMMANDS}.change:feedback", "Say whether a turn, an event or a note was of use."),
        "pin": Entry(f"{_COMMANDS}.change:pin", "Have every context carry a turn, an event or a note first."),
        "unpin": Entry(f"{_COMMANDS}.change:unpin", "Take a pin back."),
        "merge-entities": Entry(
            f"{_COMMANDS}.change:merge_entities", "Make two entities of the graph one, under the name of the first."
        ),
        "split-entity": Entry(f"{_COMMANDS}.change:split_entity", "Part one of an entity's other names from it."),
        "rename-node": Entry(f"{_COMMANDS}.change:rename_node", "Give a node of a tree another name."),
        "pins": Entry(f"{_COMMANDS}.change:pins", "Tell what is pinned, oldest first."),
        "conflicts": Entry(f"{_COMMANDS}.change:conflicts", "Show notes that contradict each other."),
        "resolve": Entry(f"{_COMMANDS}.change:resolve", "Decide whether a note holds."),
        "rule": Entry(f"{_COMMANDS}.change:rule", "Set by which rule contradictions in a slot are settled."),
        "undo": Entry(f"{_COMMANDS}.change:undo", "Take a change back."),
        "forget": Entry(f"{_COMMANDS}.forget:forget", "Erase turns, with everything derived of them."),
        "retain": Entry(f"{_COMMANDS}.forget:retain", "Say for how long turns are kept."),
        "delete": Entry(f"{_COMMANDS}.forget:delete", "Take turns away."),
        "explore": Entry(
            f"{_COMMANDS}.explore:explore", "Look into a memory, ask it, and put it right, on a page in the browser."
        ),
        "serve": Entry(f"{_COMMANDS}.serve:serve", "Serve the memories of a folder or a database over HTTP."),
        "keys": Entry("hmem.interfaces.cli.families:keys", "Make, list, rotate and revoke the keys of a server."),
        "mcp": Entry(f"{_COMMANDS}.mcp:mcp", "Serve a memory to any agent, by the Model Context Protocol."),
        "doctor": Entry(f"{_COMMANDS}.doctor:doctor", "Check the installation, a memory and a language model."),
    },
    extensions="hmem.commands",
    opening=_opening,
    optional={
        "bench": OptionalCommand("hmem-evals", "Measure speed and size."),
        "database": OptionalCommand("'hmem[postgres]'", "Prepare a Postgres database for memories."),
        "eval": OptionalCommand("hmem-evals", "Measure recall on a benchmark."),
        "hook": OptionalCommand(
            "'hmem[claude-code]'", "Recall into a session of Claude Code, and capture what was said in it."
        ),
        "import": OptionalCommand("'hmem[import]'", "Keep the turns of a file."),
        "standin": OptionalCommand("hmem-testing", "Stand in for a model, on this machine."),
        "torture": OptionalCommand("'hmem-testing[torture]'", "Attack memories of its own."),
    },
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--memory", metavar="PATH", envvar=VARIABLE, show_envvar=True, help="The memory's file or URL, for every command."
)
@key_options
@click.version_option(__version__, prog_name="hmem")
def hmem(*, memory: str | None) -> None:
    """Long-term memory for language-model agents: embedded, hierarchical, explained."""
    # Commands without their own option look it up in the context.
    del memory


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; a named error is one line on stderr."""
    _print_anything()
    invocation = Invocation()
    try:
        code = hmem.main(arguments, prog_name="hmem", standalone_mode=False, obj=invocation)
    except HmemError as error:
        return _fail(type(error).__name__, str(error), error.exit_code, invocation)
    except click.ClickException as error:
        return _fail("UsageError", _usage(error), error.exit_code, invocation)
    except click.Abort:
        return INTERRUPTED
    return code if isinstance(code, int) else 0


def _print_anything() -> None:
    """Escape characters that a terminal cannot show, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _usage(error: click.ClickException) -> str:
    """Return a usage error with a hint to the help."""
    message = error.format_message().rstrip(".")
    context = error.ctx if isinstance(error, click.UsageError) else None
    if " - " in message:
        return message
    return f"{message} - see `{context.command_path if context else 'hmem'} --help`"


def _fail(name: str, message: str, code: int, invocation: Invocation) -> int:
    click.echo(f"hmem: error: {one_line(message)}", err=True)
    if invocation.json:
        write_json({"error": {"name": name, "message": message}})
    return code
