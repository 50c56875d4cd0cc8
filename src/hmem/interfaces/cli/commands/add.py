"""Command ``hmem add``."""

import json
import sys
from typing import Any, cast

import click

import hmem
from hmem.interfaces.cli.options import (
    analyst_option,
    embedder_option,
    forming_option,
    json_option,
    memory_option,
    open_memory,
    zone_option,
)
from hmem.interfaces.cli.output import json_of, write_json

_STDIN = "-"


def _metadata(context: click.Context, _: click.Parameter, value: str | None) -> Any:
    try:
        made: Any = None if value is None else json.loads(value)
    except (ValueError, RecursionError):
        made = value
    if made is not None and not isinstance(made, dict):
        raise click.UsageError('--metadata is not a JSON object - write it as \'{"mood": "glad"}\'', context)
    return cast("Any", made)


@click.command("add", epilog=json_of(hmem.Receipt))
@click.argument("text")
@click.option("--speaker", metavar="NAME", help="Who said it; 'user' by default.")
@click.option("--at", metavar="TIME", help="When it was said, in ISO 8601; now by default.")
@click.option("--session", metavar="ID", help="The session it belongs to; one for the day by default.")
@click.option("--caption", metavar="TEXT", help="What a picture that came with it shows.")
@click.option("--message-id", metavar="ID", help="Your own id for it; the same id is not kept twice.")
@click.option(
    "--ttl", metavar="TIME", help="How long after it was said it is kept, such as 12h or 30d; for good at first."
)
@click.option("--metadata", metavar="JSON", callback=_metadata, help="An object to keep with it.")
@zone_option
@forming_option
@analyst_option
@embedder_option
@memory_option
@json_option
def add(
    *,
    text: str,
    memory: str,
    recipe: str | None,
    analyst: str | None,
    embedder: str | None,
    zone: str | None,
    as_json: bool,
    metadata: Any,
    **fields: str,
) -> None:
    """Keep one turn.

    It is durable and searchable when the command ends. TEXT '-' reads the text from stdin. A memory that is
    not there yet is made.
    """
    if text == _STDIN:
        # Invalid UTF-8 is passed on, so that the memory refuses it with a named error.
        text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape").removesuffix("\n").removesuffix("\r")
    message = {"text": text, "metadata": metadata, **fields}
    with open_memory(memory, create=True, recipe=recipe, embedder=embedder, analyst=analyst, zone=zone) as opened:
        receipt = opened.add({name: value for name, value in message.items() if value is not None})
    if as_json:
        write_json(receipt)
    else:
        click.echo(f"{receipt.fate} {receipt.id}")
