"""Schemas of values as JSON, values from their JSON, and brief results; ``hmem.model.plain`` writes values."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from datetime import datetime
from types import UnionType
from typing import Any, Final, Generic, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import msgspec

from hmem.errors import InvalidTime, ServerFault
from hmem.model.answer import Answer
from hmem.model.evidence import Evidence, Found, Why
from hmem.model.plain import dataclass_writer, is_scalar, plain, written_hints

Value = TypeVar("Value")
Item = TypeVar("Item")
_REF: Final = "#/components/schemas/{name}"


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """Page of a list, with the cursor of the next page; null on the last."""

    items: list[Item]
    next: str | None


# Writing.


def briefly(result: Found | Answer, terms: int) -> dict[str, Any]:
    """Return recalled evidence as ``plain`` does, with the ``terms`` greatest terms of each score."""
    fields: dict[str, Any] = dataclass_writer(type(result), ("evidence",))(result)
    fields["evidence"] = [_brief(item, terms) for item in result.evidence]
    return fields


def _brief(item: Evidence, terms: int) -> dict[str, Any]:
    fields: dict[str, Any] = dataclass_writer(Evidence, ("why",))(item)
    fields["why"] = dataclass_writer(Why, ("terms",))(item.why)
    fields["why"]["terms"] = {name: plain(term) for name, term in item.why.greatest(terms)}
    return fields


def by_fields(value: Any) -> dict[str, Any]:
    """Return a dataclass by its own fields and properties, without its registered form."""
    return dataclass_writer(value.__class__)(value)


# Reading.


def value_of(kind: type[Value] | Any, data: Any) -> Value:
    """Return a value of a type from its JSON; unknown fields are ignored.

    Raises:
        ServerFault: it is not of this type.
    """
    try:
        return msgspec.convert(data, kind)
    except (msgspec.ValidationError, InvalidTime) as error:
        name = getattr(kind, "__name__", str(kind))
        raise ServerFault(f"the server's answer is no {name} ({error}) - see whether it is of this version") from error


# Schemas.


def schemas_of(kinds: Iterable[Any]) -> tuple[list[dict[str, Any]], dict[str, dict[str, Any]]]:
    """Return the JSON schema of each type, and the components that they refer to, by name."""
    types = list(kinds)
    schemas, components = msgspec.json.schema_components(types, ref_template=_REF)
    for kind in {kind: None for root in types for kind in _dataclasses(root, set())}:
        component = components[kind.__name__]
        component["description"] = " ".join((kind.__doc__ or "").split("\n\n")[0].split())
        for name, hint in written_hints(kind).items():
            property_schema = component["properties"].setdefault(
                name, msgspec.json.schema(hint) if is_scalar(hint) else {}
            )
            _mark_times(property_schema, hint)
    return list(schemas), components


def _mark_times(schema: dict[str, Any], hint: Any) -> None:
    """Add ``format: date-time`` to times; msgspec does so only for those that must have an offset."""
    if datetime in (hint, *get_args(hint)):
        next(option for option in (schema, *schema.get("anyOf", ())) if option.get("type") == "string")["format"] = (
            "date-time"
        )


def _dataclasses(kind: Any, visited: set[Any]) -> Iterator[type]:
    """Yield the dataclasses that a type contains, type arguments included."""
    if kind in visited:
        return
    visited.add(kind)
    if isinstance(kind, type) and is_dataclass(kind):
        yield kind
        for hint in get_type_hints(kind).values():
            yield from _dataclasses(hint, visited)
    for argument in get_args(kind):
        if not isinstance(argument, str):
            yield from _dataclasses(argument, visited)


def form_of(kind: Any, ancestors: tuple[Any, ...] = ()) -> str:
    """Return a type's form in words, for help texts: its fields by name, nested."""
    if kind in ancestors:
        return "the same"
    if is_dataclass(kind):
        hints = written_hints(cast("type[Any]", kind))
        forms = {name: form_of(hint, (*ancestors, kind)) for name, hint in hints.items()}
        members = (f'"{name}": {form}' if form else f'"{name}"' for name, form in forms.items())
        return f"{{{', '.join(members)}}}"
    origin, type_arguments = get_origin(kind), get_args(kind)
    if not type_arguments or origin is Literal:
        return ""
    mapped = isinstance(origin, type) and issubclass(cast("type[Any]", origin), Mapping)
    inner = form_of(type_arguments[-1 if mapped else 0], ancestors)
    if origin in (Union, UnionType):
        return f"null or {inner}" if inner else ""
    return f"{{name: {inner or '...'}}}" if mapped else f"[{inner or '...'}]"
