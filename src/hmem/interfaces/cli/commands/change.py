"""Commands that change a memory by hand, from ``correct`` to ``undo``, and ``history``."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

import click
import msgspec

import hmem
from hmem.derived.slot_timeline import SlotRule
from hmem.interfaces.cli.options import (
    AUTHORSHIP,
    POSITIVE,
    STANDPOINT,
    emit,
    memory_command,
    option,
)
from hmem.interfaces.cli.output import json_of, one_line, visible
from hmem.interfaces.operations import OPERATIONS
from hmem.model.note import Conflict

_TEXT: Final = 80
_CHANGE_TEXT: Final = 240
_LINK: Final = '; "link" is the id of what stands in its place, or of the change that was taken back'
_CHANGE: Final = json_of(hmem.Change, _LINK)
_CHANGES: Final = json_of(list[hmem.Change], _LINK)


def __getattr__(name: str) -> click.Command:
    """Return the command of an operation, made from its row of the table."""
    if name not in OPERATIONS:
        raise AttributeError(name)
    operation = OPERATIONS[name]

    def run(memory: hmem.Memory, **arguments: str | None) -> None:
        result = operation(memory, {key: value for key, value in arguments.items() if value is not None})
        if operation.writes:
            emit(result, _summary(result))
        else:
            emit(result, map(_line, result), "nothing is pinned")

    schema = msgspec.json.schema_components([operation.arguments])[1][operation.arguments.__name__]["properties"]
    choices = {
        field.name: schema[field.name].get("enum")
        for field in msgspec.structs.fields(operation.arguments)
        if field.required
    }
    arguments = [
        click.argument(name, type=click.Choice(options) if options else None) for name, options in choices.items()
    ]
    return memory_command(
        name.replace("_", "-"),
        _CHANGE if operation.writes else _CHANGES,
        *arguments,
        *(AUTHORSHIP if operation.writes else ()),
        text=f"{operation.summary}\n\n{operation.help}",
    )(run)


@memory_command(
    "outcome",
    json_of(hmem.KeptReceipt),
    click.argument("task"),
    click.option("--worked/--not-worked", required=True, help="Whether it was done so in the end."),
    option("--step", "TEXT", "What was tried; several in their order.", dest="steps", multiple=True),
    option("--lesson", "TEXT", "What to do, or not to do, the next time."),
    option("--at", "TIME", "When; now by default."),
    option("--user", "ID", "The user to whom it belongs."),
    create=True,
)
def outcome(memory: hmem.Memory, task: str, **arguments: Any) -> None:
    """Keep what was tried for a task, whether it worked, and what was learned of it.

    A later outcome of the same task supersedes it.
    """
    receipt = memory.outcome(task, **arguments)
    emit(receipt, f"{receipt.fate} {receipt.id}")


@memory_command(
    "cases",
    json_of(list[hmem.Case]),
    click.argument("task"),
    option("-k", None, "How many at most.", default=3, type=POSITIVE),
    option("--user", "ID", "Only cases of this user."),
)
def cases(memory: hmem.Memory, task: str, **arguments: Any) -> None:
    """Find the cases that are most like a task, each with its outcome."""
    found = memory.cases(task, **arguments)
    emit(found, "\n\n".join(f"{case.id}\n{visible(case.text)}" for case in found) or "nothing is like it")


@memory_command("conflicts", json_of(list[Conflict]), *STANDPOINT)
def conflicts(view: hmem.Memory | hmem.AsOf) -> None:
    """Show notes that contradict each other.

    These are of slots whose rule is to ask, until `hmem edit resolve` says which of them holds.
    """
    conflicts = view.conflicts()
    emit(conflicts, _conflict_lines(conflicts), "nothing is contested")


def _conflict_lines(conflicts: Sequence[Conflict]) -> Iterator[str]:
    for conflict in conflicts:
        subject, slot, reason = (one_line(text, _TEXT) for text in (conflict.subject, conflict.slot, conflict.why))
        yield f"{subject}, {slot}: {reason}"
        for note in conflict.notes:
            yield f"  {note.id}  {note.recorded:%Y-%m-%d}  {one_line(note.text, _TEXT)}"
    if conflicts:
        yield "which holds? hmem edit resolve NOTE keep"


@memory_command(
    "rule",
    f'{_CHANGE} Without RULE {{slot: rule}}, with "*" for all other slots.',
    click.argument("slot", metavar="[SLOT]", required=False),
    click.argument("rule", metavar="[RULE]", required=False),
    *AUTHORSHIP,
)
def rule(memory: hmem.Memory, slot: str | None, rule: str | None, **authorship: Any) -> None:
    """Set by which rule contradictions in a slot are settled.

    SLOT is a slot such as home, or one subject's, such as Maria:home. RULE is newest, first, most-frequent or ask.
    Without RULE it shows the rules.
    """
    if slot is not None and rule is not None:
        change = memory.edit.set_conflict_rule(slot, cast("SlotRule", rule), **authorship)
        emit(change, _summary(change))
        return
    rules: Mapping[str, str] = memory.conflict_rules()
    if slot is not None:
        rules = {slot: rules.get(slot) or rules.get(slot.rpartition(":")[2]) or rules["*"]}
    names = {name: "all others" if name == "*" and len(rules) > 1 else one_line(name, _TEXT) for name in rules}
    emit(rules, (f"{names[name]}: {rule}" for name, rule in rules.items()))


@memory_command("feedback", _CHANGES, click.argument("target", metavar="ID"), click.argument("verdict"), *AUTHORSHIP)
def feedback(memory: hmem.Memory, target: str, verdict: str, **authorship: Any) -> None:
    """Say whether a turn, an event or a note was of use.

    VERDICT is approve, none, reject, or a positive number, by which its weight is multiplied in later recalls.
    """
    changes = memory.feedback(target, _verdict(verdict), **{**authorship, "why": authorship["why"] or ""})
    emit(changes, map(_summary, changes))


def _verdict(text: str) -> Any:
    """Return a number as a float and a word as it is; the memory refuses anything else."""
    try:
        return float(text)
    except ValueError:
        return text


@memory_command(
    "persona",
    _CHANGE,
    click.argument("speaker"),
    option("--text", "TEXT", "What the persona is to say."),
    option("--trait", "TEXT", "A trait; several replace all that there are.", dest="traits", multiple=True),
    option("--user", "ID", "The user to whom the persona belongs."),
    *AUTHORSHIP,
)
def edit_persona(
    memory: hmem.Memory, speaker: str, text: str | None, traits: tuple[str, ...], **arguments: Any
) -> None:
    """Put another text, or other traits, into a persona.

    They stand until they are taken back; what is learned of the person later comes behind them.
    """
    if text is None and not traits:
        raise click.UsageError("nothing is to be edited - give --text or --trait")
    change = memory.edit.persona(speaker, text=text, traits=traits or None, **arguments)
    emit(change, _summary(change))


@memory_command(
    "history",
    _CHANGES,
    click.argument("target", metavar="[ID]", required=False),
    option("--since", "TIME|CHANGE", "From this time on, or behind the change of this id."),
    option("--limit", None, "How many changes at most, the oldest first.", type=POSITIVE),
)
def history(memory: hmem.Memory, target: str | None, **arguments: Any) -> None:
    """Tell who changed what, when and why.

    With the id of a turn, a note or what corrects it, only its changes.
    """
    changes = memory.history(target, **arguments)
    emit(changes, map(_line, changes), "nothing was changed")


def _line(change: "hmem.Change") -> str:
    """Return a change: when, what and by whom on one line, then the texts before and after, and the ids."""
    texts = " -> ".join(text for text in (change.before, change.after) if text)
    story = one_line(f"{texts} ({change.why})" if change.why else texts, _CHANGE_TEXT)
    suffix = " (undone)" if change.undone else ""
    head = f"{change.at:%Y-%m-%d %H:%M}  {change.verb}{suffix} by {one_line(change.by, 24)}"
    return "\n    ".join([f"{head}: {story}" if story else head, f"of {change.target}", change.id])


def _summary(change: "hmem.Change") -> str:
    """Return what was changed, and how to take it back."""
    result = {
        "correct": f"; {change.link} stands in its place",
        "resolve": f": {change.after}",
        "rule": f": {change.after}",
    }
    return f"{change.verb} {change.target}{result.get(change.verb, '')}\nto take it back: hmem undo {change.id}"
