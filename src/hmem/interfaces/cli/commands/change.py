"""``hmem correct``, ``hmem retract``, ``hmem feedback``, ``hmem edit-persona``, ``hmem undo`` and ``hmem history``."""

from typing import Any, Final

import click

import hmem
from hmem.interfaces.cli.options import json_option, memory_option, open_memory
from hmem.interfaces.cli.output import write_json

_CHANGE: Final = (
    '{"id", "at", "by", "verb", "target", "why", "before", "after", "link", "undone"}; "link" is the id of what stands '
    "in its place, or of the change that was taken back"
)

_why_option = click.option("--why", metavar="TEXT", help="The reason, which the history tells.")
_by_option = click.option("--by", metavar="NAME", default="user", show_default=True, help="Who changes it.")


@click.command("correct", epilog=f"JSON: {_CHANGE}.")
@click.argument("target", metavar="ID")
@click.argument("text")
@_why_option
@_by_option
@memory_option
@json_option
def correct(*, target: str, text: str, why: str | None, by: str, memory: str, as_json: bool) -> None:
    """Put a right text in the place of a turn or a note.

    What was said is kept and is recalled no more; the right text is recalled in its place.
    """
    with open_memory(memory) as opened:
        _tell(opened.correct(target, text, why=why, by=by), as_json=as_json)


@click.command("retract", epilog=f"JSON: {_CHANGE}.")
@click.argument("target", metavar="ID")
@_why_option
@_by_option
@memory_option
@json_option
def retract(*, target: str, why: str | None, by: str, memory: str, as_json: bool) -> None:
    """Say that a turn, a note or an event is not to be used.

    It is kept, and is recalled no more. The turn that states an event stays.
    """
    with open_memory(memory) as opened:
        _tell(opened.retract(target, why=why, by=by), as_json=as_json)


@click.command("feedback", epilog=f"JSON: a list of {_CHANGE}.")
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
        changes = opened.feedback(target, _verdict(verdict), why=why or "", by=by)
    if as_json:
        write_json(changes)
    else:
        for change in changes:
            _tell(change, as_json=False)


def _verdict(given: str) -> Any:
    """A word as it is, a number as a number; what is neither is refused by the memory."""
    try:
        return float(given)
    except ValueError:
        return given


@click.command("edit-persona", epilog=f"JSON: {_CHANGE}.")
@click.argument("speaker")
@click.option("--text", metavar="TEXT", help="What the persona is to say.")
@click.option("--trait", "traits", metavar="TEXT", multiple=True, help="A trait; several replace all that there are.")
@_why_option
@_by_option
@memory_option
@json_option
def edit_persona(
    *, speaker: str, text: str | None, traits: tuple[str, ...], why: str | None, by: str, memory: str, as_json: bool
) -> None:
    """Put another text, or other traits, into a persona.

    They stand until they are taken back; what is learned of the person later comes behind them.
    """
    if text is None and not traits:
        raise click.UsageError("nothing is to be edited - give --text or --trait")
    with open_memory(memory) as opened:
        change = opened.edit_persona(speaker, text=text, traits=traits or None, why=why, by=by)
    _tell(change, as_json=as_json)


@click.command("undo", epilog=f"JSON: {_CHANGE}.")
@click.argument("change", metavar="CHANGE")
@_why_option
@_by_option
@memory_option
@json_option
def undo(*, change: str, why: str | None, by: str, memory: str, as_json: bool) -> None:
    """Take a change back.

    Everything is as if it had not been made. What was taken back can be brought back the same way.
    """
    with open_memory(memory) as opened:
        _tell(opened.undo(change, why=why, by=by), as_json=as_json)


@click.command("history", epilog=f"JSON: a list of {_CHANGE}.")
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
        changes = opened.history(target, since=since, limit=limit)
    if as_json:
        write_json(changes)
        return
    from hmem.interfaces.cli.drawing import changes_table, draw  # noqa: PLC0415 - not for JSON

    draw(changes_table(changes) if changes else "nothing was changed")


def _tell(change: "hmem.Change", *, as_json: bool) -> None:
    if as_json:
        write_json(change)
    else:
        stands = f"; {change.link} stands in its place" if change.verb == "correct" else ""
        click.echo(f"{change.verb} {change.target}{stands}\nto take it back: hmem undo {change.id}")
