"""Values as JSON and back, with their schemas: one form for the commands, the server and its client."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Generic, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import msgspec

from hmem.errors import InvalidTime, ServerFault
from hmem.model.answer import Answer
from hmem.model.entity import Entity, EntityType, KnowledgeGraph, Profile, Relation
from hmem.model.episode import Cut, Episode
from hmem.model.event import Event
from hmem.model.evidence import Evidence, Found, Why
from hmem.model.formed_items import FormedItems
from hmem.model.node import Branch, Node
from hmem.model.note import Note
from hmem.model.persona import Persona
from hmem.model.span import Span

Value = TypeVar("Value")
Item = TypeVar("Item")
_REF: Final = "#/components/schemas/{name}"


# Forms of values that are not written by their own fields.


@dataclass(frozen=True, slots=True)
class NodeShape:
    """Node of a tree with its subtree, without centroids."""

    id: str
    level: int
    label: str
    start: datetime
    end: datetime
    size: int
    summary: str
    children: list["NodeShape"]
    leaves: list[str]

    @classmethod
    def of(cls, tree: Branch, depth: int | None = None) -> "NodeShape":
        """Return the form of a tree, cut after ``depth`` levels; None for all."""
        node, cut = tree.node, depth is not None and depth <= 0
        children = [] if cut else [cls.of(child, None if depth is None else depth - 1) for child in tree.children]
        leaves = [] if cut else list(tree.leaves)
        span = node.span
        return cls(node.id, node.level, node.label, span.start, span.end, node.size, node.summary, children, leaves)

    def value(self, tree: str, parent: str | None = None) -> Branch:
        """Return the tree, as that of a given name."""
        span = Span(self.start, self.end)
        node = Node(self.id, tree, self.level, self.label, span, parent, self.summary, (), self.size)
        return Branch(node, tuple(child.value(tree, self.id) for child in self.children), tuple(self.leaves))


@dataclass(frozen=True, slots=True)
class EpisodeShape:
    """Coherent run of turns."""

    id: str
    session: str
    start: datetime
    end: datetime
    cut: Cut
    turns: list[str]
    summary: str
    notes: list[str]

    @classmethod
    def of(cls, it: Episode) -> "EpisodeShape":
        """Return the form of an episode."""
        bounds = it.span.start, it.span.end
        return cls(it.id, it.session, *bounds, it.cut, list(it.turns), it.summary, list(it.notes))

    def value(self) -> Episode:
        """Return the episode."""
        span = Span(self.start, self.end)
        return Episode(self.id, self.session, tuple(self.turns), span, self.cut, self.summary, tuple(self.notes))


@dataclass(frozen=True, slots=True)
class EntityShape:
    """Entity, with the number of turns that name it."""

    id: str
    name: str
    type: EntityType
    aliases: list[str]
    mentions: int
    user: str | None = None


@dataclass(frozen=True, slots=True)
class GraphShape:
    """Entities and the relations between them."""

    entities: list[EntityShape]
    relations: list[Relation]
    overlaps: list[tuple[str, str]]
    profiles: list[Profile]

    @classmethod
    def of(cls, it: KnowledgeGraph) -> "GraphShape":
        """Return the form of a graph."""
        named = [
            EntityShape(e.id, e.name, e.type, list(e.aliases), it.mentions.get(e.id, 0), e.user) for e in it.entities
        ]
        return cls(named, list(it.relations), list(it.overlaps), list(it.profiles))

    def value(self) -> KnowledgeGraph:
        """Return the graph."""
        return KnowledgeGraph(
            tuple(Entity(e.id, e.name, e.type, tuple(e.aliases), e.user) for e in self.entities),
            {e.id: e.mentions for e in self.entities},
            tuple(self.relations), tuple(self.overlaps), tuple(self.profiles),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class FormedShape:
    """Items derived from a turn."""

    events: list[Event]
    notes: list[Note]
    entities: list[Entity]
    episode: EpisodeShape | None

    @classmethod
    def of(cls, it: FormedItems) -> "FormedShape":
        """Return the form of what was formed."""
        episode = None if it.episode is None else EpisodeShape.of(it.episode)
        return cls(list(it.events), list(it.notes), list(it.entities), episode)

    def value(self) -> FormedItems:
        """Return what was formed."""
        episode = None if self.episode is None else self.episode.value()
        return FormedItems(tuple(self.events), tuple(self.notes), tuple(self.entities), episode)


@dataclass(frozen=True, slots=True)
class PersonaShape:
    """Persona of a speaker, without its vector."""

    id: str
    speaker: str
    version: int
    text: str
    traits: list[str]
    at: datetime
    sources: list[str]
    made_by: str
    user: str | None = None

    @classmethod
    def of(cls, it: Persona) -> "PersonaShape":
        """Return the form of a persona."""
        traits, sources = list(it.traits), list(it.sources)
        return cls(it.id, it.speaker, it.version, it.text, traits, it.at, sources, it.made_by, it.user)

    def value(self) -> Persona:
        """Return the persona, without a vector."""
        traits, sources = tuple(self.traits), tuple(self.sources)
        made = Persona(self.id, self.version, self.text, traits, (), self.at, sources, self.speaker, self.made_by)
        return replace(made, user=self.user)


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """Page of a list, with the cursor of the next page; null on the last."""

    items: list[Item]
    next: str | None


# Writing.

_SHAPES: Final[Mapping[type, Callable[[Any], Any]]] = {
    Branch: NodeShape.of, Episode: EpisodeShape.of, FormedItems: FormedShape.of, KnowledgeGraph: GraphShape.of,
    Persona: PersonaShape.of,
}  # fmt: skip
_AS_IT_IS: Final = frozenset({str, int, float, bool, NoneType})


def plain(value: Any) -> Any:
    """Return a value as JSON types: dataclasses by their fields and properties, times in ISO 8601."""
    kind: Any = value.__class__
    return value if kind in _AS_IT_IS else _writer(kind)(value)


@cache
def _writer(kind: type[Any]) -> Callable[[Any], Any]:
    """Return the function that writes values of a type, cached by type."""
    if kind in _SHAPES:
        shaped = _SHAPES[kind]
        return lambda value: plain(shaped(value))
    if issubclass(kind, datetime):
        return kind.isoformat
    if is_dataclass(kind):
        return _dataclass_writer(kind)
    if issubclass(kind, Mapping):
        return lambda value: {str(name): plain(part) for name, part in value.items()}
    if issubclass(kind, Sequence) and not issubclass(kind, str):
        return _list
    return str if issubclass(kind, Path) else lambda value: value


@cache
def _dataclass_writer(kind: type[Any], as_they_are: tuple[str, ...] = ()) -> Callable[[Any], Any]:
    """Return a compiled writer of a dataclass; answers over HTTP have hundreds of fields, most of them plain."""
    told = {
        name: f"it.{name}" if name in as_they_are or _is_plain(hint) else f"plain(it.{name})"
        for name, hint in _hints(kind).items()
    }
    parts = ", ".join(f"{name!r}: {part}" for name, part in told.items())
    return eval(f"lambda it: {{{parts}}}", {"plain": plain})  # noqa: S307 - of names of fields alone


def briefly(recalled: Found | Answer, terms: int) -> dict[str, Any]:
    """Return recalled evidence as ``plain`` does, with the ``terms`` greatest terms of each score."""
    told: dict[str, Any] = _dataclass_writer(type(recalled), ("evidence",))(recalled)
    told["evidence"] = [_brief(item, terms) for item in recalled.evidence]
    return told


def _brief(item: Evidence, terms: int) -> dict[str, Any]:
    told: dict[str, Any] = _dataclass_writer(Evidence, ("why",))(item)
    told["why"] = _dataclass_writer(Why, ("terms",))(item.why)
    told["why"]["terms"] = {name: plain(term) for name, term in item.why.greatest(terms)}
    return told


def by_fields(value: Any) -> dict[str, Any]:
    """Return a dataclass by its own fields and properties, without its registered form."""
    return _dataclass_writer(value.__class__)(value)


def _is_plain(hint: Any) -> bool:
    """Tell if every value of a type is a JSON scalar."""
    if get_origin(hint) in (Union, UnionType):
        return all(map(_is_plain, get_args(hint)))
    return hint in _AS_IT_IS or get_origin(hint) is Literal


def _list(value: Iterable[Any]) -> list[Any]:
    return [part if type(part) in _AS_IT_IS else plain(part) for part in value]


def _hints(kind: type[Any]) -> dict[str, Any]:
    """Return the types of the fields and properties of a dataclass that are written.

    The length of a span is left out: it follows from the bounds.
    """
    hints = get_type_hints(kind)
    told = {each.name: hints[each.name] for each in fields(kind)}
    for name, part in vars(kind).items() if kind is not Span else ():
        if isinstance(part, property):
            told[name] = get_type_hints(part.fget)["return"]
    return told


def to_bytes(value: Any) -> bytes:
    """Return plain values as JSON; an unpaired surrogate becomes a question mark."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_encodable(value))


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_encodable(name): _encodable(part) for name, part in cast("dict[str, Any]", value).items()}
    return [_encodable(part) for part in cast("list[Any]", value)] if isinstance(value, list) else value


# Reading.


def value_of(kind: type[Value] | Any, said: Any) -> Value:
    """Return a value of a type from its JSON; unknown fields are ignored.

    Raises:
        ServerFault: it is not of this type.
    """
    try:
        return msgspec.convert(said, kind)
    except (msgspec.ValidationError, InvalidTime) as error:
        name = getattr(kind, "__name__", str(kind))
        raise ServerFault(f"the server's answer is no {name} ({error}) - see whether it is of this version") from error


# Schemas.


def schemas_of(kinds: Iterable[Any]) -> tuple[list[dict[str, Any]], dict[str, dict[str, Any]]]:
    """Return the JSON schema of each type, and the components that they refer to, by name."""
    wanted = list(kinds)
    told, components = msgspec.json.schema_components(wanted, ref_template=_REF)
    for kind in {kind: None for each in wanted for kind in _dataclasses(each, set())}:
        part = components[kind.__name__]
        part["description"] = " ".join((kind.__doc__ or "").split("\n\n")[0].split())
        for name, hint in _hints(kind).items():
            told_of = part["properties"].setdefault(name, msgspec.json.schema(hint) if _is_plain(hint) else {})
            _mark_times(told_of, hint)
    return list(told), components


def _mark_times(schema: dict[str, Any], hint: Any) -> None:
    """Add ``format: date-time`` to times; msgspec does so only for those that must have an offset."""
    if datetime in (hint, *get_args(hint)):
        next(each for each in (schema, *schema.get("anyOf", ())) if each.get("type") == "string")["format"] = (
            "date-time"
        )


def _dataclasses(kind: Any, seen: set[Any]) -> Iterator[type]:
    """Yield the dataclasses that a type contains, type arguments included."""
    if kind in seen:
        return
    seen.add(kind)
    if isinstance(kind, type) and is_dataclass(kind):
        yield kind
        for hint in get_type_hints(kind).values():
            yield from _dataclasses(hint, seen)
    for part in get_args(kind):
        if not isinstance(part, str):
            yield from _dataclasses(part, seen)


def form_of(kind: Any, above: tuple[Any, ...] = ()) -> str:
    """Return a type's form in words, for help texts: its fields by name, nested."""
    if kind in above:
        return "the same"
    if is_dataclass(kind):
        hints = _hints(cast("type[Any]", kind))
        forms = {name: form_of(hint, (*above, kind)) for name, hint in hints.items()}
        told = (f'"{name}": {form}' if form else f'"{name}"' for name, form in forms.items())
        return f"{{{', '.join(told)}}}"
    origin, parts = get_origin(kind), get_args(kind)
    if not parts or origin is Literal:
        return ""
    mapped = isinstance(origin, type) and issubclass(cast("type[Any]", origin), Mapping)
    inner = form_of(parts[-1 if mapped else 0], above)
    if origin in (Union, UnionType):
        return f"null or {inner}" if inner else ""
    return f"{{name: {inner or '...'}}}" if mapped else f"[{inner or '...'}]"
