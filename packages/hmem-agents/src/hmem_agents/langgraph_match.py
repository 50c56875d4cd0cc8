"""Matching of values and namespaces against conditions, with the semantics of LangGraph's own stores."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, cast

from langgraph.store.base import ListNamespacesOp, MatchCondition

from hmem.errors import InvalidQuery

Namespace = tuple[str, ...]

_ANY: Final = "*"
_ORDERED: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "$gt": lambda value, bound: value > bound,
    "$gte": lambda value, bound: value >= bound,
    "$lt": lambda value, bound: value < bound,
    "$lte": lambda value, bound: value <= bound,
}


def meets(value: Mapping[str, Any], conditions: Mapping[str, Any] | None) -> bool:
    """Tell if a value meets each condition: a field's value, or operators such as ``{"$gte": 3}``.

    Raises:
        InvalidQuery: there is no such operator.
    """
    return all(_equals(value.get(field), wanted) for field, wanted in (conditions or {}).items())


def _equals(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        parts = cast("Mapping[str, Any]", wanted)
        if any(name.startswith("$") for name in parts):
            return all(_holds(value, operator, bound) for operator, bound in parts.items())
        return isinstance(value, Mapping) and meets(cast("Mapping[str, Any]", value), parts)
    if isinstance(wanted, list | tuple):
        items = cast("Sequence[Any]", wanted)
        return (
            isinstance(value, list | tuple)
            and len(cast("Sequence[Any]", value)) == len(items)
            and all(map(_equals, cast("Sequence[Any]", value), items))
        )
    return bool(value == wanted)


def _holds(value: Any, operator: str, bound: Any) -> bool:
    if operator == "$eq":
        return bool(value == bound)
    if operator == "$ne":
        return bool(value != bound)
    if operator not in _ORDERED:
        raise InvalidQuery(f"there is no operator {operator!r} - use $eq, $ne, {', '.join(_ORDERED)}")
    number, limit = _number(value), _number(bound)
    if limit is None:
        raise InvalidQuery(f"{operator} compares numbers, not {bound!r} - give a number")
    # A value that is no number meets no comparison.
    return number is not None and _ORDERED[operator](number, limit)


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def listed(namespaces: Iterable[Namespace], wanted: ListNamespacesOp) -> list[Namespace]:
    """Return a page of the matching namespaces, cut to the maximal depth, each once, sorted."""
    conditions = wanted.match_conditions or ()
    found = {each[: wanted.max_depth] for each in namespaces if all(_matches(each, part) for part in conditions)}
    return sorted(found)[wanted.offset : wanted.offset + wanted.limit]


def _matches(namespace: Namespace, condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if condition.match_type not in ("prefix", "suffix"):
        raise InvalidQuery(f"a namespace has no {condition.match_type!r} - match its prefix or its suffix")
    if len(namespace) < len(path):
        return False
    end = len(namespace)
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[end - len(path) :]
    return all(wanted in (_ANY, label) for label, wanted in zip(part, path, strict=True))
