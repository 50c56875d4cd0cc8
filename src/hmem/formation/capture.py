"""Capture: makes turns of the messages that callers hand over, and keeps them."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from itertools import islice
from typing import Any, ClassVar, Final, NamedTuple, Protocol, cast, get_args

from hmem.corpus.corpus import Corpus
from hmem.errors import InputError, InvalidTime, InvalidTurn, MessageConflict
from hmem.formation.config import CaptureOptions
from hmem.formation.messages import read_message
from hmem.model.ids import new_key, to_id
from hmem.model.span import Duration, duration, now, parse_time
from hmem.model.turn import KeptReceipt, Receipt, Role, Turn
from hmem.storage.base import AppendResult
from hmem.util.amounts import amount
from hmem.util.nesting import deeper_than


class PydanticModel(Protocol):
    """Message of an SDK that is a pydantic model."""

    def model_dump(self) -> dict[str, Any]:
        """Return its fields."""
        ...


class DataclassInstance(Protocol):
    """Message of an SDK that is a dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


Message = str | Mapping[str, Any] | PydanticModel | DataclassInstance

_ROLES: Final = get_args(Role)
_USER: Final = "user"
_NOTHING_SAID: Final = "nothing is said in it: a thought, or an entry of the machine's"
# JSON is read by recursion, which ends at about a thousand levels, the caller's own among them.
_DEPTH: Final = 100


@dataclass(frozen=True, slots=True)
class Defaults:
    """Values for fields that a message leaves out, and the number of characters that a turn may have."""

    zone: tzinfo
    speaker: str | None = None
    at: datetime | str | float | None = None
    session: str | None = None
    user: str | None = None
    agent: str | None = None
    ttl: Duration | None = None
    turn_characters: int = CaptureOptions().turn_characters

    def validate(self) -> "Defaults":
        """Return these defaults if their names, time and time to live are valid.

        Raises: InvalidTurn: a name is no text, empty, or not Unicode. InvalidTime: the time, or the time to live, does
        not parse.
        """
        for name in ("speaker", "session", "user", "agent"):
            _name({name: getattr(self, name)}, name)
        if self.at is not None:
            parse_time(self.at, self.zone)
        if self.ttl is not None:
            duration(self.ttl)
        return self


MarkEchoes = Callable[[Sequence[Turn]], list[Turn]]


def capture(
    corpus: Corpus, messages: Sequence[Message], defaults: Defaults, mark_echoes: MarkEchoes = list
) -> list[Receipt]:
    """Keep all valid messages in one transaction; return a receipt for each. ``mark_echoes`` marks echoes in turns.

    Raises:
        InvalidTurn: the messages are bytes.
        MemoryBusy, StorageFull, StorageError: nothing was kept.
    """
    # Bytes are a sequence of numbers, each of which would be rejected.
    if isinstance(messages, bytes | bytearray | memoryview):
        raise InvalidTurn(f"a message is a text or a mapping - this one is {type(messages).__name__}, decode it first")
    tools: dict[str, str] = {}
    attempts = [_try(message, defaults, tools) for message in messages]
    turns = mark_echoes([turn for attempt in attempts if isinstance(attempt, _Attempt) for turn in attempt.turns])
    results = corpus.append(turns) if turns else []
    _count_echoes(corpus, turns, results)
    result = iter(results)
    return [_receipt(attempt, result) if isinstance(attempt, _Attempt) else attempt for attempt in attempts]


class _Attempt(NamedTuple):
    """Turns of a message, its own first, with a word on what was not understood."""

    turns: list[Turn]
    note: str | None


def _receipt(attempt: _Attempt, results: Iterator[AppendResult]) -> Receipt:
    """Return the receipt of a message from the results of its turns, which are taken."""
    if not attempt.turns:
        return Receipt("skipped", note=_NOTHING_SAID)
    own, *others = islice(results, len(attempt.turns))
    further = tuple(result.id for result in others if result.id is not None)
    return Receipt(*own, attempt.note, further)


def _count_echoes(corpus: Corpus, turns: Sequence[Turn], results: Sequence[AppendResult]) -> None:
    """Count a use of what new turns repeat: a recalled turn was of use if somebody says it again."""
    for turn, result in zip(turns, results, strict=True):
        sources = list(dict.fromkeys(source for _, _, source in turn.echoes if source))
        if sources and result.fate == "stored":
            corpus.access_log.enqueue(sorted(corpus.turn_cache.locate(sources).values()), turn.at)


def _try(message: Message, defaults: Defaults, tools: dict[str, str]) -> _Attempt | Receipt:
    try:
        return to_turns(message, defaults, tools=tools)
    except InputError as error:
        return Receipt("rejected", error=str(error))


def capture_one(
    corpus: Corpus, message: Message, overrides: Mapping[str, Any], defaults: Defaults, mark_echoes: MarkEchoes = list
) -> KeptReceipt:
    """Keep one message, with the fields that are given beside it; return its receipt.

    Raises:
        InvalidTurn, InvalidTime: the message cannot be kept.
        MessageConflict: its message id is kept with another text.
        MemoryBusy, StorageFull, StorageError: nothing was kept.
    """
    attempt = to_turns(message, defaults, overrides)
    if not attempt.turns:
        raise InvalidTurn(f"{_NOTHING_SAID} - leave the message out")
    turns = mark_echoes(attempt.turns)
    results = corpus.append(turns)
    _count_echoes(corpus, turns, results)
    receipt = _receipt(attempt, iter(results))
    if receipt.fate in ("rejected", "skipped") or receipt.id is None:
        raise MessageConflict(receipt.error)
    return KeptReceipt(receipt.fate, receipt.id, receipt.error, receipt.note, receipt.further_turns)


def to_turn(message: Message, defaults: Defaults) -> Turn:
    """Make the turn of a message; of one that becomes several, its own.

    Raises:
        InvalidTurn, InvalidTime: it cannot be one.
    """
    if turns := to_turns(message, defaults).turns:
        return turns[0]
    raise InvalidTurn(f"{_NOTHING_SAID} - leave the message out")


def to_turns(
    message: Message,
    defaults: Defaults,
    overrides: Mapping[str, Any] | None = None,
    tools: dict[str, str] | None = None,
) -> _Attempt:
    """Make the turns of a message; ``overrides`` are fields of its own turn, ``tools`` those of ``read_message``.

    Raises:
        InvalidTurn, InvalidTime: it cannot be one.
    """
    reading = read_message(message, tools)
    if reading.turns and overrides:
        reading.turns[0].update(overrides)
    return _Attempt([_turn(fields, defaults) for fields in reading.turns], reading.note)


def _turn(fields: Mapping[str, Any], defaults: Defaults) -> Turn:
    text = _text(fields)
    role = _choice(fields, "role")
    moment = parse_time(_first(fields.get("at"), defaults.at, now()), defaults.zone)
    metadata, kept_metadata = _metadata(fields)
    turn = Turn(
        id=to_id("turn", new_key()),
        speaker=_name(fields, "speaker") or _by_role(role, defaults),
        text=text,
        at=moment,
        session=_name(fields, "session") or defaults.session or moment.date().isoformat(),
        caption=_string(fields, "caption"),
        role=role,
        attachments=tuple(_strings(fields, "attachments")),
        user=_name(fields, "user") or defaults.user,
        agent=_name(fields, "agent") or defaults.agent,
        message_id=_name(fields, "message_id"),
        metadata=metadata,
        expires=_expiry(fields, moment, defaults),
    )
    names = (turn.caption, turn.speaker, turn.session, turn.user, turn.agent, turn.message_id, *turn.attachments)
    check_length(len(text) + len(kept_metadata) + sum(len(name or "") for name in names), defaults.turn_characters)
    return turn


def check_length(characters: int, limit: int) -> None:
    """Refuse a turn with more characters than the memory allows.

    Raises:
        InvalidTurn: it has.
    """
    if characters > limit:
        raise InvalidTurn(
            f"a turn has up to {amount(limit, 'character')}, this one {characters:,} - split it, or raise the setting "
            "capture.turn_characters"
        )


def _expiry(fields: Mapping[str, Any], moment: datetime, defaults: Defaults) -> datetime | None:
    """Return when a turn expires: at its own time, or its time to live after it was said; None for never."""
    if fields.get("expires") is not None:
        if fields.get("ttl") is not None:
            raise InvalidTurn("a turn expires at a time or after one - give 'expires' or 'ttl'")
        return parse_time(fields["expires"], defaults.zone)
    ttl = fields.get("ttl") if fields.get("ttl") is not None else defaults.ttl
    if ttl is None:
        return None
    try:
        return moment + duration(ttl)
    except OverflowError as error:
        raise InvalidTime(f"{ttl!r} after {moment} is no time - leave it out to keep the turn for good") from error


def _by_role(role: Role | None, defaults: Defaults) -> str:
    """Return the speaker of a role: the default speaker for a person, else the role's own name."""
    person = role in (None, "user")
    return (defaults.speaker if person else role) or role or _USER


def _first(*values: Any) -> Any:
    return next(value for value in values if value is not None)


def _text(fields: Mapping[str, Any]) -> str:
    text = fields.get("text") or ""
    if not isinstance(text, str):
        raise InvalidTurn(f"a turn's text is a text - this one is {type(text).__name__}")
    _check_unicode(text, "text")
    if not text.strip() and not _string(fields, "caption"):
        extra = fields.get("metadata")
        names = ", ".join(cast("Mapping[str, Any]", extra)) if isinstance(extra, Mapping) else ""
        raise InvalidTurn(f"a turn needs a text or a caption - this one {f'has only {names}' if names else 'is empty'}")
    return text


def _check_unicode(value: str, name: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidTurn(f"the {name} is not Unicode ({error.reason} at {error.start}) - decode it first") from error


def _string(fields: Mapping[str, Any], name: str) -> str | None:
    value = fields.get(name)
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        if name in ("session", "message_id") and isinstance(value, int):
            return str(value)
        raise InvalidTurn(f"a turn's {name} is a text - this one is {type(value).__name__}")
    _check_unicode(value, name)
    return value


def _name(fields: Mapping[str, Any], name: str) -> str | None:
    """Return an identifying text, or None. An empty one raises: it would be taken for somebody or something else."""
    value = fields.get(name)
    if isinstance(value, str) and not value.strip():
        raise InvalidTurn(f"a turn's {name} is empty - give one, or leave it out")
    return _string(fields, name)


def _strings(fields: Mapping[str, Any], name: str) -> list[str]:
    values: Any = fields.get(name) or []
    if not isinstance(values, list | tuple) or not all(isinstance(value, str) for value in cast("list[Any]", values)):
        raise InvalidTurn(f"a turn's {name} are a list - give a list of texts")
    for value in cast("Sequence[str]", values):
        _check_unicode(value, name)
    return list(cast("Sequence[str]", values))


def _choice(fields: Mapping[str, Any], name: str) -> Role | None:
    value = _string(fields, name)
    if value is not None and value not in _ROLES:
        raise InvalidTurn(f"{value!r} is no {name} - use one of {', '.join(_ROLES)}")
    return cast("Role | None", value)


def _metadata(fields: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the metadata, and as JSON."""
    value: Any = fields.get("metadata") or {}
    if not isinstance(value, Mapping):
        raise InvalidTurn("a turn's metadata is a JSON object - give a mapping")
    metadata = dict(cast("Mapping[str, Any]", value))
    if deeper_than(metadata, _DEPTH):
        raise InvalidTurn(f"a turn's metadata is nested more than {_DEPTH} deep - make it flatter")
    try:
        encoded = json.dumps(metadata, allow_nan=False, ensure_ascii=False)
        encoded.encode()
    except (TypeError, ValueError) as error:
        raise InvalidTurn(
            f"a turn's metadata is not JSON ({error}) - use texts, numbers, lists and mappings"
        ) from error
    return metadata, encoded if metadata else ""
