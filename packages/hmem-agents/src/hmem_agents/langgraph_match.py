"""Matching of values and namespaces against conditions, with the semantics of LangGraph's own stores."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, cast

from langgraph.store.base import ListNamespacesOp, MatchCondition

from hmem.errors import InvalidQuery

Namespace = tuple[str, ...]

_WILDCARD: Final = "*"
_COMPARISONS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "$gt": lambda value, operand: value > operand,
    "$gte": lambda value, operand: value >= operand,
    "$lt": lambda value, operand: value < operand,
    "$lte": lambda value, operand: value <= operand,
}


def meets(value: Mapping[str, Any], conditions: Mapping[str, Any] | None) -> bool:
    """Tell if a value meets each condition: a field's value, or operators such as ``{"$gte": 3}``.

    Raises:
        InvalidQuery: there is no such operator.
    """
    return all(_equals(value.get(field), condition) for field, condition in (conditions or {}).items())


def _equals(value: Any, condition: Any) -> bool:
    if isinstance(condition, Mapping):
        operators = cast("Mapping[str, Any]", condition)
        if any(name.startswith("$") for name in operators):
            return all(_holds(value, operator, operand) for operator, operand in operators.items())
        return isinstance(value, Mapping) and meets(cast("Mapping[str, Any]", value), operators)
    if isinstance(condition, list | tuple):
        items = cast("Sequence[Any]", condition)
        return (
            isinstance(value, list | tuple)
            and len(cast("Sequence[Any]", value)) == len(items)
            and all(map(_equals, cast("Sequence[Any]", value), items))
        )
    return bool(value == condition)


def _holds(value: Any, operator: str, operand: Any) -> bool:
    if operator == "$eq":
        return bool(value == operand)
    if operator == "$ne":
        return bool(value != operand)
    if operator not in _COMPARISONS:
        raise InvalidQuery(f"there is no operator {operator!r} - use $eq, $ne, {', '.join(_COMPARISONS)}")
    number, limit = _number(value), _number(operand)
    if limit is None:
        raise InvalidQuery(f"{operator} compares numbers, not {operand!r} - give a number")
    # A value that is no number meets no comparison.
    return number is not None and _COMPARISONS[operator](number, limit)


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def namespace_page(namespaces: Iterable[Namespace], op: ListNamespacesOp) -> list[Namespace]:
    """Return a page of the matching namespaces, cut to the maximal depth, each once, sorted."""
    conditions = op.match_conditions or ()
    matches = {
        namespace[: op.max_depth]
        for namespace in namespaces
        if all(_matches(namespace, condition) for condition in conditions)
    }
    return sorted(matches)[op.offset : op.offset + op.limit]


def _matches(namespace: Namespace, condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if condition.match_type not in ("prefix", "suffix"):
        raise InvalidQuery(f"a namespace has no {condition.match_type!r} - match its prefix or its suffix")
    if len(namespace) < len(path):
        return False
    end = len(namespace)
    segment = namespace[: len(path)] if condition.match_type == "prefix" else namespace[end - len(path) :]
    return all(pattern in (_WILDCARD, label) for label, pattern in zip(segment, path, strict=True))
