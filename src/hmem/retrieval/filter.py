"""Filters of a recall, and the rows that pass them.

Turns are matched directly. A derived item passes only if all its source turns do, so that nothing of the others leaks.
An unknown speaker or session matches no turn, without an error; an unknown id is an error.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from typing import Any, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from hmem.errors import InvalidQuery, InvalidTime, UnknownId
from hmem.model.ids import number_of
from hmem.model.span import PRESENT, Standpoint, parse_time, to_stored
from hmem.retrieval.sources import Sources
from hmem.retrieval.visibility import rows_visible
from hmem.storage.base import Scalar, Speaker

Allowed = NDArray[np.bool_]
Moment = datetime | str | float


class Conditions(TypedDict, total=False):
    """Conditions of a filter as keyword arguments; see ``Filter``."""

    speaker: str | None
    session: str | None
    since: Moment | None
    until: Moment | None
    entity: str | None
    metadata: Mapping[str, Any]
    user: str | None
    agent: str | None


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions that all must hold; None is no condition.

    ``since`` is included, ``until`` is not; they bound the time at which a turn was said, or an event happened, where
    known. ``entity`` is an id or a name. ``metadata`` maps a field to its value, or to a list of allowed values.
    ``standpoint`` is the point in time from which the memory is seen.
    """

    speaker: str | None = None
    session: str | None = None
    since: Moment | None = None
    until: Moment | None = None
    entity: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    user: str | None = None
    agent: str | None = None
    standpoint: Standpoint = PRESENT

    @classmethod
    def from_conditions(cls, conditions: Conditions, zone: tzinfo, standpoint: Standpoint = PRESENT) -> "Filter | None":
        """Return a checked filter of conditions and a standpoint, or None if there are none."""
        if unknown := [name for name in conditions if name not in Conditions.__annotations__]:
            condition_names = ", ".join(Conditions.__annotations__)
            raise InvalidQuery(f"there is no condition {unknown[0]!r} - choose from: {condition_names}")
        values = {name: value for name, value in conditions.items() if value not in (None, {})}
        if not values and not standpoint:
            return None
        return cls(**values, standpoint=standpoint).validate(zone)  # pyright: ignore[reportArgumentType]

    def validate(self, zone: tzinfo) -> "Filter":
        """Return the filter with aware times; times without an offset are in ``zone``.

        Raises:
            InvalidQuery: a name is no text or empty, or a metadata value is no text, number, boolean or None.
            InvalidTime: a time does not parse, or the end is not after the start.
        """
        for name in ("speaker", "session", "entity", "user", "agent"):
            value = getattr(self, name)
            if value is not None and not (_is_text(value) and value.strip()):
                raise InvalidQuery(f"the filter {name} is a name or an id, not {value!r} - give one, or leave it out")
        _allowed_values(self.metadata)
        since, until = (None if moment is None else parse_time(moment, zone) for moment in (self.since, self.until))
        if since is not None and until is not None and until <= since:
            raise InvalidTime(f"nothing lies since {since} and until {until} - give an end after the start")
        return replace(self, since=since, until=until)

    @property
    def timeless(self) -> "Filter":
        """The filter without bounds of time."""
        return replace(self, since=None, until=None)

    @property
    def bounds(self) -> tuple[int | None, int | None]:
        """Bounds of time of a checked filter, in microseconds since 1970."""
        since, until = (
            to_stored(moment)[0] if isinstance(moment, datetime) else None for moment in (self.since, self.until)
        )
        return since, until

    def __bool__(self) -> bool:
        return self != Filter()


@dataclass(frozen=True, slots=True)
class _Matching:
    """Rows that the storage finds for a session, a user, an agent and metadata; cached by the sources."""

    session: str | None
    user: str | None
    agent: str | None
    metadata: tuple[tuple[str, tuple[tuple[str, Scalar], ...]], ...]

    def __call__(self, sources: Sources) -> Allowed:
        metadata = {name: [value for _, value in values] for name, values in self.metadata}
        seqs = sources.corpus.storage.matching(
            session=self.session, user=self.user, agent=self.agent, metadata=metadata
        )
        return _rows(sources, seqs)


def rows_allowed(sources: Sources, filter: Filter | None) -> Allowed | None:
    """Return a boolean per row: it may be recalled and passes a checked filter. None: all rows do.

    Call it inside ``reading()``.

    Raises:
        UnknownId: the filter names an entity by an id that does not exist.
    """
    visible = rows_visible(sources, filter.standpoint if filter else PRESENT)
    if not filter:
        return visible
    meeting = rows_meeting(sources, filter)
    return meeting if visible is None else meeting & visible


def rows_meeting(sources: Sources, filter: Filter) -> Allowed:
    """Return a boolean per row: it meets the conditions of a checked filter, even if it is withdrawn.

    Raises:
        UnknownId: the filter names an entity by an id that does not exist.
    """
    columns = sources.corpus.columns
    allowed = columns.alive.copy()
    if filter.speaker is not None:
        allowed &= np.isin(columns.speaker, sources.corpus.speaker_numbers(filter.speaker))
    since, until = filter.bounds
    if since is not None:
        allowed &= columns.said >= since
    if until is not None:
        allowed &= columns.said < until
    if filter.entity is not None:
        allowed &= _naming(sources, filter.entity, filter.user)
    if filter.metadata or any(condition is not None for condition in (filter.session, filter.user, filter.agent)):
        allowed &= sources.cached(
            _Matching(filter.session, filter.user, filter.agent, _allowed_values(filter.metadata))
        )
    return allowed


def _naming(sources: Sources, entity: str, user: str | None) -> Allowed:
    """Return the rows that name an entity; a name is looked up in the user's scope, if there is a user."""
    graph = sources.derived.graph
    parsed_id = number_of("entity", entity)
    if parsed_id is not None and graph.value(parsed_id[1]) is None:
        raise UnknownId(f"this memory has no entity {entity!r} - `hmem show graph` shows those it knows")
    numbers = graph.best_matches(entity, user) if parsed_id is None else [parsed_id[1]]
    return _rows(sources, np.array([seq for number in numbers for seq in graph.mentions(number)], np.int64))


def speakers_of(sources: Sources, user: str | None) -> list[Speaker]:
    """Return the speakers of a user's turns; all for None."""
    if user is None:
        return sources.corpus.speakers
    numbers = {*sources.corpus.columns.keys_of(rows_of_user(sources, user), "speaker").tolist()}
    return [speaker for speaker in sources.corpus.speakers if speaker.number in numbers]


def rows_of_user(sources: Sources, user: str) -> Allowed:
    """Return a boolean per row: it is a turn of a user."""
    return sources.cached(_Matching(None, user, None, ()))


def _rows(sources: Sources, seqs: NDArray[np.int64]) -> Allowed:
    columns = sources.corpus.columns
    allowed = np.zeros(len(columns), np.bool_)
    rows = columns.rows_of(seqs)
    allowed[rows[rows >= 0]] = True
    return allowed


def _is_text(value: object) -> bool:
    """Tell if a value is a text without lone surrogates."""
    return isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value)


def _allowed_values(metadata: Mapping[str, Any]) -> tuple[tuple[str, tuple[tuple[str, Scalar], ...]], ...]:
    """Return the fields with their allowed values and the types of these.

    The types matter, since values that are equal in Python (1, True) may differ in JSON.

    Raises:
        InvalidQuery: it is no mapping, or a value cannot be compared.
    """
    if not isinstance(metadata, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidQuery(f"the filter metadata maps fields to values, not {metadata!r} - give a mapping")
    fields: list[tuple[str, tuple[tuple[str, Scalar], ...]]] = []
    for name, value in metadata.items():
        values = cast("list[Any]", list(value) if isinstance(value, list | tuple | set | frozenset) else [value])  # pyright: ignore[reportUnknownArgumentType]
        for allowed_value in values:
            if not (
                _is_text(name) and (_is_text(allowed_value) or isinstance(allowed_value, int | float | bool | None))
            ):
                raise InvalidQuery(
                    f"metadata {name!r} cannot be filtered by {allowed_value!r} - "
                    "give a text, a number, true, false or none"
                )
        fields.append(
            (name, tuple(sorted(((type(allowed_value).__name__, allowed_value) for allowed_value in values), key=str)))
        )
    return tuple(fields)
