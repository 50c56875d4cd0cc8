"""Base of the results that a memory gives: how they are written, and how a prompt or a notebook shows them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, Field, fields
from datetime import datetime
from html import escape
from reprlib import Repr
from typing import Any, Final, TypeVar, cast

from hmem.model.plain import plain, to_bytes
from hmem.util.marking import mark_words

Item_co = TypeVar("Item_co", covariant=True)


class _Brief(Repr):
    """Short forms of fields: long texts and lists are cut, times are in ISO 8601."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring, self.maxother, self.maxlevel = 160, 400, 3
        self.maxtuple = self.maxlist = self.maxdict = 5

    def repr_datetime(self, moment: datetime, level: int) -> str:  # noqa: ARG002 - the signature of reprlib
        return moment.isoformat()

    def repr_Span(self, span: Any, level: int) -> str:  # noqa: ARG002, N802 - reprlib calls it by the class's name
        return f"Span({span.start.isoformat()}, {span.end.isoformat()})"


brief: Final[Callable[[Any], str]] = _Brief().repr


class Value:
    """Result of a memory."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the value as JSON types, as ``--json`` and the server give it: times in ISO 8601, no vectors."""
        return plain(self)

    def to_json(self) -> str:
        """Return ``to_dict`` as JSON."""
        return to_bytes(plain(self)).decode()

    def __repr__(self) -> str:
        fields_text = ", ".join(f"{name}={brief(value)}" for name, value in _shown_fields(self))
        return f"{type(self).__name__}({fields_text})"

    def _repr_html_(self) -> str:
        """Return the value as HTML for a notebook. Texts are escaped, so no markup of theirs has an effect."""
        return framed(facts((name, _cell(value)) for name, value in _shown_fields(self)))


def _shown_fields(value: Any) -> Iterable[tuple[str, Any]]:
    """Yield the fields of a value that differ from their defaults."""
    for field in fields(value):
        content = getattr(value, field.name)
        if field.repr and not _is_default(field, content):
            yield field.name, content


def _is_default(field: Field[Any], value: Any) -> bool:
    if field.default_factory is not MISSING:
        return value == field.default_factory()
    return field.default is not MISSING and value == field.default


class Listed(tuple[Item_co, ...]):
    """Several results, a tuple; a notebook shows them one under another."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return the items as HTML for a notebook."""
        rows = [cast("Any", item)._repr_html_() if isinstance(item, Value) else html(brief(item)) for item in self]
        return framed("".join(rows) or "<em>nothing</em>")


# HTML.

# Notebooks read formulas between dollar signs in any text that is not marked so.
_FRAME: Final = '<div class="hmem tex2jax_ignore mathjax_ignore">{}</div>'
_CELL_STYLE: Final = "text-align: left; vertical-align: top"


def framed(body: str) -> str:
    """Return HTML set apart from the page around it."""
    return _FRAME.format(body)


def html(text: object, words: Sequence[str] = ()) -> str:
    """Return a text escaped, with these words marked; its direction of writing ends with it."""
    spans = (f"<mark>{escape(span)}</mark>" if mark else escape(span) for span, mark in mark_words(str(text), words))
    return f"<bdi>{''.join(spans)}</bdi>"


def faint(body: str) -> str:
    """Return HTML of less weight, on a line of its own."""
    return f'<div style="opacity: 0.65; font-size: 90%">{body}</div>'


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """Return a table of names and their values, which are HTML."""
    return grid((), ([f"<b>{escape(name)}</b>", value] for name, value in rows))


def grid(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of cells, which are HTML."""
    head = "".join(f'<th style="{_CELL_STYLE}">{escape(heading)}</th>' for heading in headings)
    lines = ("".join(f'<td style="{_CELL_STYLE}">{cell}</td>' for cell in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table>{head and f'<thead><tr>{head}</tr></thead>'}<tbody>{body}</tbody></table>"


def format_time(moment: datetime) -> str:
    """Return a time as people write it: ``11 Aug 2023, 10:00``."""
    return f"{moment.day} {moment:%b} {moment.year}, {moment:%H:%M}"


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return html(value)
    if isinstance(value, datetime):
        return format_time(value)
    if isinstance(value, tuple) and all(isinstance(element, str) for element in cast("tuple[Any, ...]", value)):
        return "<br>".join(map(html, cast("tuple[str, ...]", value)))
    return html(brief(value))
