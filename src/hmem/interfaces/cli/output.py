"""What commands write to stdout without drawing: JSON, and lines that are safe for a terminal."""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final, cast

import click

from hmem.model.span import Span

# What moves a terminal's cursor or turns the direction of its text around; recalled text is only data.
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]+")
_SPACES: Final = re.compile(r"\s+")
_UNITS: Final = ("kB", "MB", "GB", "TB")


def plain(value: Any) -> Any:
    """A value as JSON knows it: dataclasses by their fields and properties, a span by its bounds, times in ISO 8601."""
    if isinstance(value, Span):
        return {"start": value.start.isoformat(), "end": value.end.isoformat()}
    if is_dataclass(value) and not isinstance(value, type):
        derived = [name for name, part in vars(type(value)).items() if isinstance(part, property)]
        return {name: plain(getattr(value, name)) for name in [*(part.name for part in fields(value)), *derived]}
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(part) for part in cast("Sequence[Any]", value)]
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, Path) else value


def write_json(value: Any) -> None:
    """A value as one line of JSON on stdout."""
    unicode = sys.stdout.encoding.lower().replace("-", "") == "utf8"
    click.echo(json.dumps(plain(value), ensure_ascii=not unicode))


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
