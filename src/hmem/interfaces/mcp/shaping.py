"""Values of the memory as results: within a budget of tokens, a page at a time, and as text for a model."""

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeVar

from mcp.types import CallToolResult, TextContent

import hmem
from hmem.errors import InvalidQuery
from hmem.interfaces.framing import framed, harmless, on_one_line
from hmem.interfaces.mcp.results import Changed, Described, Noted, Piece, Result
from hmem.language.tokens import count_tokens

DEFAULT_TOKENS: Final = 2_000
_SOURCES: Final = 10
_CHANGED: Final = 400
# A text is cut to no fewer characters than this, however small the budget.
_SHORTEST: Final = 80
_CHARACTERS_A_TOKEN: Final = 3
# What a field that is counted apart has beside its text at most: its name, its marks, and of a score each figure.
_APART: Final = 16
_OF_ONE_QUESTION: Final = {"score", "why"}

_Item = TypeVar("_Item", bound=Result)


# Values.


def piece(item: "hmem.Evidence", *, why: bool = False) -> Piece:
    """A piece of evidence; a caption is told behind the text. With ``why``, what its score is made of too."""
    text = item.text if not item.caption else f"{item.text} [photo: {item.caption}]".strip()
    return Piece(
        id=item.id,
        text=harmless(text),
        when=item.when.isoformat(),
        score=round(item.score, 3),
        speaker=item.speaker,
        kind=None if item.kind == "turn" else item.kind,
        session=item.session if why else None,
        why=harmless(str(item.why)) if why else None,
    )


def changed(change: "hmem.Change") -> Changed:
    """A change of the log."""
    return Changed(
        id=change.id, at=change.at.isoformat(), by=change.by, verb=change.verb, target=change.target, why=change.why,
        before=change.before and _short(change.before), after=change.after and _short(change.after),
        link=change.link, undone=change.undone,
    )  # fmt: skip


def _short(text: str) -> str:
    """What a change says of a text: its beginning, since all of it stands where it is kept."""
    return harmless(text if len(text) <= _CHANGED else f"{text[: _CHANGED - 1].rstrip()}…")


def noted(note: "hmem.Note") -> Noted:
    """A note."""
    return Noted(
        id=note.id, subject=note.subject, slot=note.slot, text=harmless(note.text), status=note.status,
        recorded=note.recorded.isoformat(), valid_from=note.valid_from and note.valid_from.isoformat(),
        valid_to=note.valid_to and note.valid_to.isoformat(), sources=list(note.sources[:_SOURCES]),
        why=note.why or None,
    )  # fmt: skip


def described(persona: "hmem.Persona") -> Described:
    """A persona without its vector, with the first of its sources."""
    return Described(
        speaker=persona.speaker, text=harmless(persona.text), traits=[harmless(trait) for trait in persona.traits],
        version=persona.version, at=persona.at.isoformat(), sources=list(persona.sources[:_SOURCES]),
    )  # fmt: skip


# Budgets.


def within(items: Iterable[_Item], tokens: int) -> list[_Item]:
    """The first items whose JSON has at most so many tokens together; the very first one always, its text cut to fit.

    Raises:
        InvalidQuery: the budget is below 1.
    """
    if tokens < 1:
        raise InvalidQuery(f"max_tokens cannot be {tokens} - give a whole number from 1")
    taken: list[_Item] = []
    for item in items:
        cost = _tokens(item)
        if cost > tokens:
            if not taken:
                taken.append(_cut(item, tokens))
            break
        taken.append(item)
        tokens -= cost
    return taken


def tokens_of(items: Iterable[Result]) -> int:
    """At most how many tokens the JSON of items has together."""
    return sum(map(_tokens, items))


def _tokens(item: Result) -> int:
    """At most how many tokens an item's JSON has. A score is of one question, all else is counted once for many."""
    if isinstance(item, Piece):
        why = 0 if item.why is None else count_tokens(item.why) + _APART
        return count_tokens(item.model_dump_json(exclude_none=True, exclude=_OF_ONE_QUESTION)) + _APART + why
    return count_tokens(item.model_dump_json(exclude_none=True))


def _cut(item: _Item, tokens: int) -> _Item:
    """An item whose longest text is cut, so that it has about so many tokens."""
    texts = {name: value for name, value in item.model_dump().items() if isinstance(value, str)}
    longest = max(texts, key=lambda name: len(texts[name]))
    room = max(tokens * _CHARACTERS_A_TOKEN - sum(map(len, texts.values())) + len(texts[longest]), _SHORTEST)
    if len(texts[longest]) <= room:
        return item
    update: dict[str, Any] = {longest: f"{texts[longest][: room - 1].rstrip()}…"}
    return item.model_copy(update=update | ({"cut": True} if "cut" in type(item).model_fields else {}))


# Pages.


def position(cursor: str | None, *query: Any) -> int:
    """Where the page of a cursor begins, from 0.

    Raises:
        InvalidQuery: the cursor was not given for this query.
    """
    if cursor is None:
        return 0
    try:
        digest, start = json.loads(base64.urlsafe_b64decode(cursor.encode()))
    except (ValueError, TypeError, binascii.Error):
        digest, start = None, 0
    if digest != _digest(query) or not isinstance(start, int) or start < 0:
        raise InvalidQuery("the cursor is not of this query - repeat the arguments that it came with, or leave it out")
    return start


def cursor_at(start: int, *query: Any) -> str:
    """The cursor of the page of a query that begins at an item, from 0."""
    return base64.urlsafe_b64encode(json.dumps([_digest(query), start]).encode()).decode()


def _digest(query: Sequence[Any]) -> str:
    return hashlib.sha256(json.dumps(query, default=str).encode()).hexdigest()[:12]


# Text.


def told(text: str, result: Result) -> CallToolResult:
    """A result of the engine's own words, as text and as structure."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=result.model_dump(mode="json", exclude_none=True),
    )


def recalled(lines: Sequence[str], result: Result, nothing: str, cursor: str | None = None) -> CallToolResult:
    """A result with recalled text: framed and marked as data, or ``nothing`` when there are no lines."""
    text = framed("\n".join(lines)) if lines else nothing
    if cursor is not None:
        text = f"{text}\nThere is more: call again with the same arguments and cursor={cursor}"
    return told(text, result)


def line_of(found: Piece) -> str:
    """A piece of evidence on one line."""
    who = f"{on_one_line(found.speaker)}: " if found.speaker else ""
    return f"[{found.id}] {found.when[:16].replace('T', ' ')} {who}{on_one_line(found.text)}"
