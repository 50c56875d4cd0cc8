"""Commands that change a memory by hand, from ``correct`` to ``undo``, and ``history``."""

from typing import Any, Final, cast

import click
import msgspec

import hmem
from hmem.derived.slot_timeline import SlotRule
from hmem.interfaces.cli.options import json_option, memory_option, open_memory, seen_from, standpoint_options
from hmem.interfaces.cli.output import json_of, one_line, write_json
from hmem.interfaces.cli.short_ids import whole_id, whole_ids
from hmem.interfaces.cli.waiting import enough
from hmem.interfaces.operations import OPERATIONS
from hmem.model.note import Conflict

_TEXT: Final = 80
_CHANGE_TEXT: Final = 240
# Arguments that are ids.
_IDS: Final = ("id", "note", "change", "node", "entity", "other")
_LINK: Final = '; "link" is the id of what stands in its place, or of the change that was taken back'
_CHANGE: Final = json_of(hmem.Change, _LINK)
_CHANGES: Final = json_of(list[hmem.Change], _LINK)

_why_option = click.option("--why", metavar="TEXT", help="The reason, which the history tells.")
_by_option = click.option("--by", metavar="NAME", default="user", show_default=True, help="Who changes it.")


def __getattr__(name: str) -> click.Command:
    """Return the command of an operation, made from its row of the table."""
    if name not in OPERATIONS:
        raise AttributeError(name)
    operation = OPERATIONS[name]

    def run(*, memory: str, as_json: bool, **given: str | None) -> None:
        with open_memory(memory) as opened:
            wanted = {name: value for name, value in given.items() if value is not None}
            made = operation(opened, whole_ids(opened, wanted, *_IDS))
        if operation.writes:
            _tell(made, as_json=as_json)
        else:
            _tell_all(made, "nothing is pinned", as_json=as_json)

    command: Any = memory_option(json_option(run))
    if operation.writes:
        command = _why_option(_by_option(command))
    told = msgspec.json.schema_components([operation.arguments])[1][operation.arguments.__name__]["properties"]
    for field in reversed([each for each in msgspec.structs.fields(operation.arguments) if each.required]):
        choices = told[field.name].get("enum")
        command = click.argument(field.name, type=click.Choice(choices) if choices else None)(command)
    text = f"{operation.summary}\n\n{operation.help}"
    return click.command(name.replace("_", "-"), help=text, epilog=_CHANGE if operation.writes else _CHANGES)(command)


@click.command("conflicts", epilog=json_of(list[Conflict]))
@standpoint_options
@memory_option
@json_option
def conflicts(*, as_of: str | None, valid_at: str | None, memory: str, as_json: bool) -> None:
    """Show notes that contradict each other.

    These are of slots whose rule is to ask, until `hmem edit resolve` says which of them holds.
    """
    with open_memory(memory) as opened:
        found = seen_from(opened, as_of, valid_at).conflicts()
    if as_json:
        write_json(found)
        return
    for each in found:
        click.echo(f"{one_line(each.subject, _TEXT)}, {one_line(each.slot, _TEXT)}: {one_line(each.why, _TEXT)}")
        for note in each.notes:
            click.echo(f"  {note.id}  {note.recorded:%Y-%m-%d}  {one_line(note.text, _TEXT)}")
    click.echo("which holds? hmem edit resolve NOTE keep" if found else "nothing is contested")


@click.command("rule", epilog=f'{_CHANGE} Without RULE {{slot: rule}}, with "*" for all other slots.')
@click.argument("slot", metavar="[SLOT]", required=False)
@click.argument("rule", metavar="[RULE]", required=False)
@_why_option
@_by_option
@memory_option
@json_option
def rule(*, slot: str | None, rule: str | None, why: str | None, by: str, memory: str, as_json: bool) -> None:
    """Set by which rule contradictions in a slot are settled.

    SLOT is a slot such as home, or one subject's, such as Maria:home. RULE is newest, first, most-frequent or ask.
    Without RULE it shows the rules.
    """
    with open_memory(memory) as opened:
        if slot is not None and rule is not None:
            change = opened.edit.set_conflict_rule(slot, cast("SlotRule", rule), why=why, by=by)
            enough()
            _tell(change, as_json=as_json)
            return
        held = opened.conflict_rules()
    shown = held if slot is None else {slot: held.get(slot) or held.get(slot.rpartition(":")[2]) or held["*"]}
    if as_json:
        write_json(shown)
        return
    for name, each in shown.items():
        click.echo(f"{'all others' if name == '*' and len(shown) > 1 else one_line(name, _TEXT)}: {each}")


@click.command("feedback", epilog=_CHANGES)
@click.argument("target", metavar="ID")
@click.argument("verdict")
@_why_option
@_by_option
@memory_option
@json_option
def feedback(*, target: str, verdict: str, why: str | None, by: str, memory: str, as_json: bool) -> None:
    """Say whether a turn, an event or a note was of use.

    VERDICT is approve, none, reject, or a positive number, by which its weight is multiplied in later recalls.
    """
    with open_memory(memory) as opened:
        changes = opened.feedback(whole_id(opened, target), _verdict(verdict), why=why or "", by=by)
    if as_json:
        write_json(changes)
    else:
        for change in changes:
            _tell(change, as_json=False)


def _verdict(given: str) -> Any:
    """Return a number as a float and a word as it is; the memory refuses anything else."""
    try:
        return float(given)
    except ValueError:
        return given


@click.command("persona", epilog=_CHANGE)
@click.argument("speaker")
@click.option("--text", metavar="TEXT", help="What the persona is to say.")
@click.option("--trait", "traits", metavar="TEXT", multiple=True, help="A trait; several replace all that there are.")
@click.option("--user", metavar="ID", help="The user to whom the persona belongs.")
@_why_option
@_by_option
@memory_option
@json_option
def edit_persona(
    *, speaker: str, text: str | None, traits: tuple[str, ...], user: str | None, why: str | None, by: str,
    memory: str, as_json: bool,
) -> None:  # fmt: skip
    """Put another text, or other traits, into a persona.

    They stand until they are taken back; what is learned of the person later comes behind them.
    """
    if text is None and not traits:
        raise click.UsageError("nothing is to be edited - give --text or --trait")
    with open_memory(memory) as opened:
        change = opened.edit.persona(speaker, text=text, traits=traits or None, why=why, by=by, user=user)
    _tell(change, as_json=as_json)


@click.command("history", epilog=_CHANGES)
@click.argument("target", metavar="[ID]", required=False)
@click.option("--since", metavar="TIME|CHANGE", help="From this time on, or behind the change of this id.")
@click.option("--limit", type=click.IntRange(min=1), help="How many changes at most, the oldest first.")
@memory_option
@json_option
def history(*, target: str | None, since: str | None, limit: int | None, memory: str, as_json: bool) -> None:
    """Tell who changed what, when and why.

    With the id of a turn, a note or what corrects it, only its changes.
    """
    with open_memory(memory) as opened:
        of = whole_ids(opened, {"id": target, "since": since}, "id", "since")
        changes = opened.history(**of, limit=limit)
    _tell_all(changes, "nothing was changed", as_json=as_json)


def _tell_all(changes: "tuple[hmem.Change, ...]", nothing: str, *, as_json: bool) -> None:
    if as_json:
        write_json(changes)
        return
    click.echo("\n".join(map(_line, changes)) or nothing)


def _line(change: "hmem.Change") -> str:
    """Return a change: when, what and by whom on one line, then the texts before and after, and the ids."""
    became = " -> ".join(text for text in (change.before, change.after) if text)
    told = one_line(f"{became} ({change.why})" if change.why else became, _CHANGE_TEXT)
    undone = " (undone)" if change.undone else ""
    head = f"{change.at:%Y-%m-%d %H:%M}  {change.verb}{undone} by {one_line(change.by, 24)}"
    return "\n    ".join([f"{head}: {told}" if told else head, f"of {change.target}", change.id])


def _tell(change: "hmem.Change", *, as_json: bool) -> None:
    if as_json:
        write_json(change)
        return
    said = {
        "correct": f"; {change.link} stands in its place",
        "resolve": f": {change.after}",
        "rule": f": {change.after}",
    }
    click.echo(f"{change.verb} {change.target}{said.get(change.verb, '')}\nto take it back: hmem undo {change.id}")
