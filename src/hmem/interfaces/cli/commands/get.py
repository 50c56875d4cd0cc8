"""Command ``hmem get``."""

import click

import hmem
from hmem.interfaces.cli.options import json_option, memory_option, open_memory
from hmem.interfaces.cli.output import json_of, one_line, visible, write_json
from hmem.interfaces.cli.short_ids import whole_id
from hmem.interfaces.cli.views import day, filled, period
from hmem.model.event import Event
from hmem.model.note import Note
from hmem.model.turn import Turn


@click.command("get", epilog=json_of(Turn | Event | Note))
@click.argument("target", metavar="ID")
@memory_option
@json_option
def get(*, target: str, memory: str, as_json: bool) -> None:
    """Show a turn, an event or a note by its id, or by the first characters of it.

    The text is whole and as it was said; below it stand its ids, and those of what it was made from.
    """
    with open_memory(memory) as opened:
        found = opened.get(whole_id(opened, target))
    if as_json:
        write_json(found)
        return
    click.echo(f"{visible(found.text)}\n")
    for name, value in _told(found):
        click.echo(f"{name:<10}{value}")


def _told(found: "hmem.Turn | hmem.Event | hmem.Note") -> list[tuple[str, str]]:
    """Return names and values for people, those that are there."""
    sources = [("made from" if not place else "", each) for place, each in enumerate(getattr(found, "sources", ()))]
    if isinstance(found, Turn):
        said = f"{one_line(found.speaker)}, {found.at:%a} {day(found.at)} {found.at:%H:%M}"
        photo = [("photo", one_line(found.caption))] if found.caption else []
        return [("said by", said), *photo, ("session", one_line(found.session)), ("id", found.id)]
    if isinstance(found, Event):
        happened = [] if found.happened is None else [("happened", period(found.happened))]
        return [("said", f"{found.said:%a} {day(found.said)}"), *happened, ("id", found.id), *sources]
    became = [("became", found.successor)] if found.successor else []
    return [
        ("note", f"{one_line(found.subject)}, {filled(found, None)}"),
        ("status", f"{found.status}, said {day(found.recorded)}"),
        *became,
        ("id", found.id),
        *sources,
    ]
