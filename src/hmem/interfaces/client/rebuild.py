"""Values from the JSON that a server wrote of them."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

from hmem.errors import ServerFault
from hmem.model.entity import Entity, KnowledgeGraph, Profile, Relation
from hmem.model.episode import Episode
from hmem.model.node import Branch, Node
from hmem.model.persona import Persona
from hmem.model.span import Span

Value = TypeVar("Value")
Make = Callable[[Any], Any]


def rebuild(kind: type[Value], said: Any) -> Value:
    """A value of a kind, from its JSON.

    Raises:
        ServerFault: it is not of this kind.
    """
    try:
        return _maker(kind)(said)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ServerFault(
            f"the server's answer is no {kind.__name__} ({type(error).__name__}) - see whether it is of this version"
        ) from error


@cache
def _maker(kind: Any) -> Make:
    """What makes a value of a kind; it is found once for each."""
    if kind in _OWN:
        return _OWN[kind]
    if kind is datetime:
        return datetime.fromisoformat
    if kind is float:
        return float
    if isinstance(kind, type) and is_dataclass(kind):
        return _dataclass(kind)
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _optional([part for part in parts if part is not NoneType])
    if origin is tuple:
        return _tuple(parts)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        make = _maker(parts[1])
        return lambda said: {name: make(value) for name, value in said.items()}
    return _as_it_is


def _as_it_is(said: Any) -> Any:
    return said


def _optional(parts: list[Any]) -> Make:
    make = _maker(parts[0]) if len(parts) == 1 else _as_it_is
    return lambda said: None if said is None else make(said)


def _tuple(parts: tuple[Any, ...]) -> Make:
    if len(parts) == 2 and parts[1] is Ellipsis:
        make = _maker(parts[0])
        return lambda said: tuple([make(each) for each in said])
    makers = [_maker(part) for part in parts]
    return lambda said: tuple([make(each) for make, each in zip(makers, said, strict=True)])


def _dataclass(kind: type[Any]) -> Make:
    hints = get_type_hints(kind)
    known = [(each.name, each.default is MISSING and each.default_factory is MISSING) for each in fields(kind)]
    # Made when first used: a kind may have parts of its own kind.
    makers: dict[str, Make] = {}

    def make(said: Mapping[str, Any]) -> Any:
        if not makers:
            makers.update({name: _maker(hints[name]) for name, _ in known})
        return kind(**{name: makers[name](said[name]) for name, needed in known if needed or name in said})

    return make


# What is told otherwise than by its own fields, in ``interfaces/shapes.py``.


def _span(said: Mapping[str, str]) -> Span:
    return Span(datetime.fromisoformat(said["start"]), datetime.fromisoformat(said["end"]))


def _episode(said: Mapping[str, Any]) -> Episode:
    return Episode(
        said["id"],
        said["session"],
        tuple(said["turns"]),
        _span(said),
        said["cut"],
        said["summary"],
        tuple(said["notes"]),
    )


def _persona(said: Mapping[str, Any]) -> Persona:
    """A persona without its vector, which is not sent."""
    return Persona(
        said["id"], said["version"], said["text"], tuple(said["traits"]), (), datetime.fromisoformat(said["at"]),
        tuple(said["sources"]), said["speaker"], said["made_by"],
    )  # fmt: skip


def _graph(said: Mapping[str, Any]) -> KnowledgeGraph:
    return KnowledgeGraph(
        tuple(_maker(Entity)(each) for each in said["entities"]),
        {each["id"]: each["mentions"] for each in said["entities"]},
        tuple(_maker(Relation)(each) for each in said["relations"]),
        tuple((first, second) for first, second in said["overlaps"]),
        tuple(_maker(Profile)(each) for each in said["profiles"]),
    )


_OWN: Final[Mapping[Any, Make]] = {Span: _span, Episode: _episode, Persona: _persona, KnowledgeGraph: _graph}


def branch(tree: str, said: Mapping[str, Any], parent: str | None = None) -> Branch:
    """A node of a tree with what is below it; without its centroid, which is not sent.

    Raises:
        ServerFault: it is none.
    """
    try:
        node = Node(
            said["id"], tree, said["level"], said["label"], _span(said), parent, said["summary"], (), said["size"]
        )
        children = tuple(branch(tree, child, node.id) for child in said["children"])
        return Branch(node, children, tuple(said["leaves"]))
    except (KeyError, TypeError, ValueError) as error:
        raise ServerFault("the server's answer is no tree - see whether it is of this version") from error
