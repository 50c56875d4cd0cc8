"""The smallest value that a JSON schema allows: an answer to a task that the stand-in does not know."""

from collections.abc import Mapping
from typing import Any, Final, cast

from hmem_testing.fake_llm.wire import as_mapping

_DEEPEST: Final = 24


def fill(schema: Mapping[str, Any], text: str) -> Any:
    """A value that follows a schema; ``text`` stands wherever any text may stand."""
    return _fill(schema, text, schema, 0)


def _fill(schema: Mapping[str, Any], text: str, root: Mapping[str, Any], depth: int) -> Any:
    if depth > _DEEPEST:
        return None
    if isinstance(schema.get("$ref"), str):
        return _fill(_referred(str(schema["$ref"]), root), text, root, depth + 1)
    for name in ("const", "default"):
        if name in schema:
            return schema[name]
    if schema.get("enum"):
        return schema["enum"][0]
    for name in ("anyOf", "oneOf", "allOf"):
        if schema.get(name):
            return _fill(as_mapping(schema[name][0]), text, root, depth + 1)
    return _of_type(schema, text, root, depth)


def _of_type(schema: Mapping[str, Any], text: str, root: Mapping[str, Any], depth: int) -> Any:
    kind: Any = schema.get("type", "object" if "properties" in schema else "string")
    kind = cast("list[str]", kind)[0] if isinstance(kind, list) else kind
    if kind == "object":
        properties = as_mapping(schema.get("properties"))
        wanted = [str(name) for name in schema.get("required", properties)]
        return {name: _fill(as_mapping(properties.get(name)), text, root, depth + 1) for name in wanted}
    if kind == "array":
        return [_fill(as_mapping(schema.get("items")), text, root, depth + 1)] * int(schema.get("minItems", 0))
    if kind in ("integer", "number"):
        least = schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
        return int(least) if kind == "integer" else float(least)
    return {"boolean": False, "null": None}.get(kind, text[: int(schema.get("maxLength", len(text)))])


def _referred(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = root
    for part in reference.removeprefix("#/").split("/"):
        found = as_mapping(found.get(part))
    return found
