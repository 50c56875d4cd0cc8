"""Values as JSON types: one form for ``to_dict``, the commands and the server."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Kind = TypeVar("Kind", bound=type[Any])

_SCALARS: Final = frozenset({str, int, float, bool, NoneType})
_FORMS: Final[dict[type[Any], Callable[[Any], Any]]] = {}
# Properties that follow from other fields.
_WITHOUT_PROPERTIES: Final[set[type[Any]]] = set()


def written_as(form: Callable[[Any], Any]) -> Callable[[Kind], Kind]:
    """Return a class decorator: values of the class are written in another form than by their own fields."""

    def decorate(kind: Kind) -> Kind:
        _FORMS[kind] = form
        return kind

    return decorate


def by_fields_alone(kind: Kind) -> Kind:
    """Mark a class whose properties follow from its fields, so that they are not written."""
    _WITHOUT_PROPERTIES.add(kind)
    return kind


def plain(value: Any) -> Any:
    """Return a value as JSON types: dataclasses by their fields and properties, times in ISO 8601."""
    kind: Any = value.__class__
    return value if kind in _SCALARS else _writer(kind)(value)


@cache
def _writer(kind: type[Any]) -> Callable[[Any], Any]:
    """Return the function that writes values of a type, cached by type."""
    if kind in _FORMS:
        form = _FORMS[kind]
        return lambda value: plain(form(value))
    if issubclass(kind, datetime):
        return kind.isoformat
    if is_dataclass(kind):
        return dataclass_writer(kind)
    if issubclass(kind, Mapping):
        return lambda value: {str(name): plain(element) for name, element in value.items()}
    if issubclass(kind, Sequence) and not issubclass(kind, str):
        return _list
    return str if issubclass(kind, Path) else lambda value: value


@cache
def dataclass_writer(kind: type[Any], verbatim: tuple[str, ...] = ()) -> Callable[[Any], Any]:
    """Return a compiled writer of a dataclass; answers over HTTP have hundreds of fields, most of them plain.

    Fields named in ``verbatim`` are not converted.
    """
    sources = {
        name: f"it.{name}" if name in verbatim or is_scalar(hint) else f"plain(it.{name})"
        for name, hint in written_hints(kind).items()
    }
    pairs = ", ".join(f"{name!r}: {source}" for name, source in sources.items())
    return eval(f"lambda it: {{{pairs}}}", {"plain": plain})  # noqa: S307 - of names of fields alone


def is_scalar(hint: Any) -> bool:
    """Tell if every value of a type is a JSON scalar."""
    if get_origin(hint) in (Union, UnionType):
        return all(map(is_scalar, get_args(hint)))
    return hint in _SCALARS or get_origin(hint) is Literal


def _list(value: Iterable[Any]) -> list[Any]:
    return [element if type(element) in _SCALARS else plain(element) for element in value]


def written_hints(kind: type[Any]) -> dict[str, Any]:
    """Return the types of the fields and properties of a dataclass that are written, by name."""
    hints = get_type_hints(kind)
    types = {field.name: hints[field.name] for field in fields(kind)}
    for name, member in vars(kind).items() if kind not in _WITHOUT_PROPERTIES else ():
        if isinstance(member, property):
            types[name] = get_type_hints(member.fget)["return"]
    return types


def to_bytes(value: Any) -> bytes:
    """Return plain values as JSON; an unpaired surrogate becomes a question mark."""
    import msgspec  # noqa: PLC0415 - hooks load the values and write none

    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_encodable(value))


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_encodable(name): _encodable(element) for name, element in cast("dict[str, Any]", value).items()}
    return [_encodable(element) for element in cast("list[Any]", value)] if isinstance(value, list) else value
