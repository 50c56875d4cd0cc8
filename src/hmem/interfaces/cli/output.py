"""What commands write to stdout without drawing: JSON, and lines that are safe for a terminal."""

import json
import re
import sys
from typing import Any, Final

import click

from hmem.interfaces.serialisation import form_of, plain

# What moves a terminal's cursor or turns the direction of its text around; recalled text is only data.
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]+")
_SPACES: Final = re.compile(r"\s+")
_UNITS: Final = ("kB", "MB", "GB", "TB")


def write_json(value: Any) -> None:
    """A value as one line of JSON on stdout."""
    unicode = sys.stdout.encoding.lower().replace("-", "") == "utf8"
    click.echo(json.dumps(plain(value), ensure_ascii=not unicode))


def json_of(kind: Any, more: str = "") -> str:
    """What the help of a command says of its JSON: the fields of a type, and what else is to be said."""
    return f"JSON: {form_of(kind)}{more}."


def visible(text: str) -> str:
    """A text whose lines a terminal can show: without control characters but line breaks and tabs."""
    return "\n".join(_CONTROLS.sub(" ", line.replace("\t", "    ")) for line in text.split("\n"))


def one_line(text: str, longest: int | None = None) -> str:
    """A text on one line without control characters, cut to ``longest`` characters."""
    flat = _SPACES.sub(" ", _CONTROLS.sub(" ", text)).strip()
    return flat if longest is None or len(flat) <= longest else f"{flat[: longest - 1].rstrip()}…"


def one_piece(text: str) -> str:
    """A piece of a text that is written as it comes: its spaces stay, control characters do not."""
    return _SPACES.sub(" ", _CONTROLS.sub(" ", text))


def number(count: int, name: str) -> str:
    """A count and what it counts: ``1 turn``, ``2,500 turns``."""
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def size(count: int) -> str:
    """Bytes for people: ``1.3 MB``, in thousands."""
    if count < 1_000:
        return f"{count} bytes"
    amount = float(count)
    for unit in _UNITS:
        amount /= 1_000
        if amount < 999.95:
            return f"{amount:.1f} {unit}"
    return f"{amount:,.0f} {_UNITS[-1]}"
