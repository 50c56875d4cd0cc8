"""Depth of lists and objects within each other."""

from collections.abc import Mapping
from typing import Any, cast


def deeper_than(value: Any, depth: int) -> bool:
    """Tell if lists and mappings are nested more than ``depth`` deep; a text is no list."""
    # By identity, so that one that stands in many places, or in itself, is looked at once on each level.
    level = _containers([value])
    for _ in range(depth):
        level = {
            name: container
            for outer in level.values()
            for name, container in _containers(
                cast("Mapping[Any, Any]", outer).values() if isinstance(outer, Mapping) else outer
            ).items()
        }
        if not level:
            return False
    return bool(level)


def _containers(values: Any) -> dict[int, Any]:
    containers: list[Any] = [value for value in values if isinstance(value, Mapping | list | tuple)]
    return {id(container): container for container in containers}
