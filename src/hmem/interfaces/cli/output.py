"""Plain output of commands on stdout: JSON, and lines that are safe for a terminal."""

import json
import re
import sys
from typing import Any, Final

import click

from hmem.interfaces.serialisation import form_of
from hmem.language.prompt_text import CONTROLS, escaped
from hmem.model.plain import plain

_CONTROLS: Final = re.compile(rf"[{CONTROLS}]+")
_SPACES: Final = re.compile(r"\s+")
_UNITS: Final = ("kB", "MB", "GB", "TB")


def write_json(value: Any) -> None:
    """Write a value as one line of JSON to stdout. Characters that a terminal obeys or hides are escaped."""
    unicode = sys.stdout.encoding.lower().replace("-", "") == "utf8"
    click.echo(escaped(json.dumps(plain(value), ensure_ascii=not unicode)))


def json_of(kind: Any, more: str = "") -> str:
    """Return the sentence of a command's help about its JSON: the fields of a type, and ``more``."""
    return f"JSON: {form_of(kind)}{more}."


def visible(text: str) -> str:
    """Return a text without control characters but line breaks; tabs become spaces."""
    return "\n".join(_CONTROLS.sub(" ", line.replace("\t", "    ")) for line in text.split("\n"))


def one_line(text: str, longest: int | None = None) -> str:
    """Return a text on one line without control characters, cut to ``longest`` characters."""
    flat = _SPACES.sub(" ", _CONTROLS.sub(" ", text)).strip()
    return flat if longest is None or len(flat) <= longest else f"{flat[: longest - 1].rstrip()}…"


def one_piece(text: str) -> str:
    """Return a piece of a streamed text without control characters; spaces at its ends stay."""
    return _SPACES.sub(" ", _CONTROLS.sub(" ", text))


def number(count: int, name: str, several: str | None = None) -> str:
    """Return a count with its noun: ``1 turn``, ``2,500 turns``, ``2 memories``."""
    return f"{count:,} {name if count == 1 else several or f'{name}s'}"


def size(count: int) -> str:
    """Return a number of bytes for people: ``1.3 MB``, in powers of 1,000."""
    if count < 1_000:
        return f"{count} bytes"
    amount = float(count)
    for unit in _UNITS:
        amount /= 1_000
        if amount < 999.95:
            return f"{amount:.1f} {unit}"
    return f"{amount:,.0f} {_UNITS[-1]}"
