"""Command ``hmem add``."""

import json
import sys
from typing import Any, cast

import click

import hmem
from hmem.interfaces.cli.options import (
    STDOUT,
    analyst_option,
    embedder_option,
    emit,
    forming_option,
    memory_command,
    option,
    zone_option,
)
from hmem.interfaces.cli.output import json_of


def _metadata(context: click.Context, _: click.Parameter, value: str | None) -> Any:
    try:
        metadata: Any = None if value is None else json.loads(value)
    except (ValueError, RecursionError):
        metadata = value
    if metadata is not None and not isinstance(metadata, dict):
        raise click.UsageError('--metadata is not a JSON object - write it as \'{"mood": "glad"}\'', context)
    return cast("Any", metadata)


@memory_command(
    "add",
    json_of(hmem.Receipt),
    click.argument("text"),
    option("--speaker", "NAME", "Who said it; 'user' by default."),
    option("--at", "TIME", "When it was said, in ISO 8601; now by default."),
    option("--session", "ID", "The session it belongs to; one for the day by default."),
    option("--caption", "TEXT", "What a picture that came with it shows."),
    option("--message-id", "ID", "Your own id for it; the same id is not kept twice."),
    option("--ttl", "TIME", "How long after it was said it is kept, such as 12h or 30d; for good at first."),
    option("--metadata", "JSON", "An object to keep with it.", callback=_metadata),
    zone_option,
    forming_option,
    analyst_option,
    embedder_option,
    create=True,
)
def add(memory: hmem.Memory, text: str, **fields: Any) -> None:
    """Keep one turn.

    It is durable and searchable when the command ends. TEXT '-' reads the text from stdin. A memory that is
    not there yet is made.
    """
    if text == STDOUT:
        # Invalid UTF-8 is passed on, so that the memory refuses it with a named error.
        text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape").removesuffix("\n").removesuffix("\r")
    receipt = memory.add({"text": text, **{name: value for name, value in fields.items() if value is not None}})
    emit(receipt, f"{receipt.fate} {receipt.id}")
