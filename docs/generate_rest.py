"""Write the routes in docs/rest.md, from the server's OpenAPI description; ``--check`` only compares."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from marked import keep

from hmem import __version__
from hmem.interfaces.rest.openapi import describe

COMMAND = "python docs/generate_rest.py"
# Arguments that many operations take, under one name.
SHARED = {
    "at speaker session since until entity metadata user agent": "FILTERS",
    "?as_of ?valid_at": "TIMES",
    "?limit ?cursor": "PAGE",
}
METHODS = ("get", "post", "put", "patch", "delete")


def name_of(schema: Mapping[str, Any]) -> str:
    """Return the name of a shape, or the kind of a value."""
    if parts := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
        return " or ".join(dict.fromkeys(name_of(part) for part in parts))
    if schema.get("type") == "array":
        return f"list of {name_of(schema.get('items') or {})}"
    return schema["$ref"].rpartition("/")[2] if "$ref" in schema else str(schema.get("type", "anything"))


def operations(description: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the group and the line of each operation."""
    for path, methods in description["paths"].items():
        for method in METHODS:
            if operation := methods.get(method):
                where = path.removeprefix("/v1/memories/{memory}/")
                yield operation["tags"][0], line(method, where, operation, description["components"]["schemas"])


def line(method: str, path: str, operation: Mapping[str, Any], shapes: Mapping[str, Any]) -> str:
    """Return the line of an operation: what it does, the fields of its body and query."""
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    shape = shapes.get(name_of(body), {}) if body else {}
    required = set(shape.get("required", ()))
    fields = [f"**{name}**" if name in required else name for name in shape.get("properties", ())]
    query = [each["name"] for each in operation.get("parameters", ()) if each["in"] == "query"]
    takes = " ".join([*fields, *(f"?{name}" for name in query if name not in fields)])
    for names, together in SHARED.items():
        takes = takes.replace(names, together)
    about = " ".join(operation["summary"].split())
    return f"- `{method.upper()} {path}`: {about}{f' *{takes}*' if takes else ''}"


def page() -> str:
    """Return the generated part of the page."""
    groups: dict[str, list[str]] = {}
    for group, text in operations(describe(__version__)):
        groups.setdefault(group, []).append(text)
    return "\n\n".join("\n".join([f"## {group.capitalize()}\n", *texts]) for group, texts in groups.items())


if __name__ == "__main__":
    sys.exit(keep(Path(__file__).parent / "rest.md", page(), COMMAND))
