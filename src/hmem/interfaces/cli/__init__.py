"""Command ``hmem``.

The module of a command, and with it the engine, is loaded when that command is called.
"""

import io
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import click

from hmem import __version__
from hmem.errors import HmemError
from hmem.interfaces.cli.lazy import Entry, ExtensibleGroup, LazyGroup, OptionalCommand
from hmem.interfaces.cli.options import VARIABLE, Invocation, key_options
from hmem.interfaces.cli.output import one_line, write_json
from hmem.interfaces.paths import default_root, user_memory

INTERRUPTED: Final = 130
_BEGIN: Final = """\
hmem {version}: long-term memory for language-model agents.

Keep something, and ask for it:
  hmem add "I adopted a puppy named Coco" --speaker Maria
  hmem ask "Who adopted a puppy?"
Bring what was said before, from ChatGPT, Claude, WhatsApp, mail, notes and more:
  hmem import FILE
Look around, here or on a page:
  hmem notes
  hmem explore
Give it to an agent:
  hmem mcp

{memory}
All commands: hmem --help. Of one: hmem add --help. Check the installation: hmem doctor."""
_COMMANDS: Final = "hmem.interfaces.cli.commands"


def _opening() -> str:
    """Return what to do next, with the memory that the environment or the default names."""
    memory = os.environ.get(VARIABLE)
    path = memory or str(user_memory(default_root()))
    label = "a database" if "://" in path else one_line(path)
    if "://" not in path and not Path(path).expanduser().exists():
        label += ", which is not there yet: `hmem add` makes it"
    if memory:
        return _BEGIN.format(version=__version__, memory=f"{VARIABLE} names {label}.")
    alternative = f"Another one: --memory PATH, or {VARIABLE}."
    return _BEGIN.format(version=__version__, memory=f"The memory is {label}. {alternative}")


def _entries(commands: Mapping[str, tuple[str, str]], section: str = "Commands") -> dict[str, Entry]:
    """Return commands of a section: the module and attribute of each below ``commands``, and its short help."""
    return {
        name: Entry(target if target.startswith("hmem.") else f"{_COMMANDS}.{target}", text, section)
        for name, (target, text) in commands.items()
    }


def _group(name: str, text: str, commands: Mapping[str, tuple[str, str]]) -> LazyGroup:
    """Return a command that has commands of its own."""
    return LazyGroup(name, help=text, lazy=_entries(commands))


show: Final = _group(
    "show",
    "Show what was formed of the turns.",
    {
        "sessions": ("views:sessions", "Show sessions."),
        "episodes": ("views:episodes", "Show episodes."),
        "events": ("views:events", "Show events."),
        "entities": ("views:entities", "Show entities."),
        "graph": ("views:graph", "Show entities and what relates them."),
        "persona": ("views:persona", "Show what is known of those who speak."),
        "tree": ("views:tree", "Show a tree and its turns or events."),
        "tiers": ("views:tiers", "Show which turns are in the cache and the buffer."),
    },
)
edit: Final = _group(
    "edit",
    "Change what was formed: notes, pins, people, entities, trees.",
    {
        "retract": ("change:retract", "Say that a turn, a note or an event is not to be used."),
        "feedback": ("change:feedback", "Say whether a turn, an event or a note was of use."),
        "pin": ("change:pin", "Have every context carry a turn, an event or a note first."),
        "unpin": ("change:unpin", "Take a pin back."),
        "pins": ("change:pins", "Tell what is pinned, oldest first."),
        "conflicts": ("change:conflicts", "Show notes that contradict each other."),
        "resolve": ("change:resolve", "Decide whether a note holds."),
        "rule": ("change:rule", "Set by which rule contradictions in a slot are settled."),
        "persona": ("change:edit_persona", "Put another text, or other traits, into a persona."),
        "merge-entities": (
            "change:merge_entities", "Make two entities of the graph one, under the name of the first.",
        ),
        "split-entity": ("change:split_entity", "Part one of an entity's other names from it."),
        "rename-node": ("change:rename_node", "Give a node of a tree another name."),
    },
)  # fmt: skip
encryption: Final = _group(
    "encryption",
    "Encrypt a memory, change its key, or decrypt it.",
    {
        "on": ("copies:encrypt", "Encrypt a memory."),
        "off": ("copies:decrypt", "Write an encrypted memory in the clear."),
        "rekey": ("copies:rekey", "Encrypt a memory with another key."),
    },
)
model: Final = _group(
    "model",
    "Have a language model's work done in batches, or again.",
    {
        "batch": ("worker:batch", "Let a provider's batch interface do a model's work, at half the price."),
        "reanalyse": ("worker:reanalyse", "Let the present model read again what rules or another model read."),
    },
)
keys: Final = _group(
    "keys",
    "Make, list, rotate and revoke the keys of a server.",
    {
        "create": ("serve:create", "Make a key."),
        "list": ("serve:list_keys", "List the keys."),
        "rotate": ("serve:rotate", "Make a key in the place of another one."),
        "revoke": ("serve:revoke", "Revoke a key."),
    },
)

_FILES: Final = "Bring in, take out"
_TEST: Final = "Measure and test"
_SERVE: Final = "Serve"
_SECTIONS: Final[Mapping[str, Mapping[str, tuple[str, str]]]] = {
    "Every day": {
        "add": ("add:add", "Keep one turn."),
        "search": ("recall:search", "Find the evidence for a question."),
        "context": ("recall:context", "Write what answers a question, ready for a prompt."),
        "ask": ("recall:ask", "Answer a question."),
        "outcome": (
            "change:outcome",
            "Keep what was tried for a task, whether it worked, and what was learned of it.",
        ),
        "cases": ("change:cases", "Find the cases that are most like a task, each with its outcome."),
        "notes": ("views:notes", "List what is held to be so, with its history."),
        "profile": ("views:profile", "Write what a person said of themselves that holds now, ready for a prompt."),
        "list": ("views:turns", "List turns as they were said."),
        "get": ("views:get", "Show a turn, an event or a note by its id, or by the first characters of it."),
        "correct": ("change:correct", "Put a right text in the place of a turn or a note."),
        "history": ("change:history", "Tell who changed what, when and why."),
        "undo": ("change:undo", "Take a change back."),
        "forget": ("forget:forget", "Erase turns, with everything derived of them."),
    },
    _FILES: {
        "export": ("export:export", "Write all that a memory holds as JSONL."),
        "backup": ("copies:backup", "Write a copy of a memory, while it is used."),
        "copy": ("copies:copy", "Copy a memory into another file or database."),
    },
    "Look and change": {
        "explore": ("explore:explore", "Look into a memory, ask it, and put it right, on a page in the browser."),
        "show": ("hmem.interfaces.cli:show", show.help or ""),
        "edit": ("hmem.interfaces.cli:edit", edit.help or ""),
    },
    "Look after": {
        "memories": ("upkeep:memories", "List the memories of a folder."),
        "stats": ("upkeep:stats", "Count turns, sessions and bytes."),
        "doctor": ("doctor:doctor", "Check the installation, a memory and a language model."),
        "verify": ("upkeep:verify", "Prove that the indices agree with the memory."),
        "consolidate": (
            "upkeep:consolidate",
            "Fill the levels that the memory has grown into, and write what is told of what was formed.",
        ),
        "retain": ("forget:retain", "Say for how long turns are kept."),
        "rebuild": ("upkeep:rebuild", "Make the indices anew, and form the turns anew."),
        "reembed": ("upkeep:reembed", "Go over to another embedder."),
        "encryption": ("hmem.interfaces.cli:encryption", encryption.help or ""),
        "worker": ("worker:worker", "Have a language model read and write what rules did."),
        "model": ("hmem.interfaces.cli:model", model.help or ""),
    },
    _SERVE: {
        "mcp": ("mcp:mcp", "Serve a memory to any agent, by the Model Context Protocol."),
        "serve": ("serve:serve", "Serve the memories of a folder or a database over HTTP."),
        "keys": ("hmem.interfaces.cli:keys", keys.help or ""),
    },
}


@click.group(
    cls=ExtensibleGroup,
    lazy={
        name: entry for section, commands in _SECTIONS.items() for name, entry in _entries(commands, section).items()
    },
    extensions="hmem.commands",
    opening=_opening,
    optional={
        "bench": OptionalCommand("hmem-evals", "Measure speed and size.", _TEST),
        "database": OptionalCommand("'hmem[postgres]'", "Prepare a Postgres database for memories.", _SERVE),
        "eval": OptionalCommand("hmem-evals", "Measure recall on a benchmark.", _TEST),
        "hook": OptionalCommand(
            "'hmem[hooks]'", "Recall into a session of an agent program, and capture what was said in it.", _SERVE
        ),
        "import": OptionalCommand("'hmem[import]'", "Keep the turns of a file.", _FILES),
        "sync": OptionalCommand("'hmem[import]'", "Keep a memory and a folder of Markdown the same.", _FILES),
        "standin": OptionalCommand("hmem-testing", "Stand in for a model, on this machine.", _TEST),
        "torture": OptionalCommand("'hmem-testing[torture]'", "Attack memories of its own.", _TEST),
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
