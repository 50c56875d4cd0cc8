"""``hmem conflicts``, ``hmem resolve`` and ``hmem rule``."""

from typing import Final, cast

import click

import hmem
from hmem.derived.slot_timeline import Decision, SlotRule
from hmem.interfaces.cli.options import json_option, memory_option, open_memory, seen_from, standpoint_options
from hmem.interfaces.cli.output import one_line, write_json

_CHANGE: Final = '{"id", "at", "by", "verb", "target", "why", "before", "after", "link", "undone"}'
_NOTE: Final = (
    '{"id", "kind", "subject", "slot", "value", "text", "sources": [ids], "recorded", "valid_from", "valid_to", '
    '"status", "positive", "predecessors": [ids], "made_by", "episodes": [ids], "successor", "why", "reinforcements", '
    '"last_reinforced"}'
)
_TEXT: Final = 80

_why_option = click.option("--why", metavar="TEXT", help="The reason, which the history tells.")
_by_option = click.option("--by", metavar="NAME", default="user", show_default=True, help="Who decides it.")


@click.command("conflicts", epilog=f'JSON: [{{"subject", "slot", "notes": [{_NOTE}], "why"}}].')
@standpoint_options
@memory_option
@json_option
def conflicts(*, as_of: str | None, valid_at: str | None, memory: str, as_json: bool) -> None:
    """Show notes that contradict each other.

    These are of slots whose rule is to ask, until `hmem resolve` says which of them holds.
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
    click.echo("which holds? hmem resolve NOTE keep" if found else "nothing is contested")


@click.command("resolve", epilog=f"JSON: {_CHANGE}.")
@click.argument("note", metavar="NOTE")
@click.argument("decision", type=click.Choice(["keep", "retire"]))
@_why_option
@_by_option
@memory_option
@json_option
def resolve(*, note: str, decision: str, why: str | None, by: str, memory: str, as_json: bool) -> None:
    """Decide whether a note holds.

    Of notes that contradict each other the one that is kept takes the others' place. What is retired is recalled no
    more.
    """
    with open_memory(memory) as opened:
        _tell(opened.resolve(note, cast("Decision", decision), why=why, by=by), as_json=as_json)


@click.command("rule", epilog=f'JSON: {_CHANGE}; without RULE {{slot: rule}}, with "*" for all other slots.')
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
            _tell(opened.rule(slot, cast("SlotRule", rule), why=why, by=by), as_json=as_json)
            return
        held = opened.rules()
    shown = held if slot is None else {slot: held.get(slot) or held.get(slot.rpartition(":")[2]) or held["*"]}
    if as_json:
        write_json(shown)
        return
    for name, each in shown.items():
        click.echo(f"{'all others' if name == '*' and len(shown) > 1 else one_line(name, _TEXT)}: {each}")


def _tell(change: "hmem.Change", *, as_json: bool) -> None:
    if as_json:
        write_json(change)
    else:
        click.echo(f"{change.verb} {change.target}: {change.after}\nto take it back: hmem undo {change.id}")
