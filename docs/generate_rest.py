"""Write the routes and shapes in docs/rest.md, from the server's OpenAPI description; ``--check`` only compares."""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from marked import keep

from hmem import __version__
from hmem.interfaces.rest.openapi import describe

COMMAND = "python docs/generate_rest.py"
METHODS = ("get", "post", "put", "patch", "delete")


def name_of(schema: Mapping[str, Any]) -> str:
    """Return the type that a schema describes, in a word or two; shapes are links to their tables."""
    if "$ref" in schema:
        shape = schema["$ref"].rpartition("/")[2]
        return f"[{shape}](#{re.sub(r'[^a-z0-9_-]', '', shape.lower())})"
    if parts := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
        return " or ".join(dict.fromkeys(name_of(part) for part in parts))
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    kind = schema.get("type", "anything")
    if kind == "array":
        items = schema.get("prefixItems") or [schema.get("items") or {}]
        return f"list of {' or '.join(dict.fromkeys(map(name_of, items)))}"
    if kind == "object" and isinstance(values := schema.get("additionalProperties"), Mapping):
        return f"object of {name_of(values)}"
    return {"string": "time" if schema.get("format") == "date-time" else "text", "boolean": "true or false"}.get(
        kind, kind
    )


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def operations(description: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the group and the row of each operation."""
    for path, methods in description["paths"].items():
        for method in METHODS:
            if operation := methods.get(method):
                yield operation["tags"][0], row(method, path.removeprefix("/v1/memories/{memory}/"), operation)


def row(method: str, path: str, operation: Mapping[str, Any]) -> str:
    """Return the row of an operation: what it does, what it takes and what it answers."""
    asked = [f"`{each['name']}`" for each in operation.get("parameters", ()) if each["in"] == "query"]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    takes = [*([name_of(body)] if body else []), *asked]
    (done,) = (answer for code, answer in operation["responses"].items() if code.startswith("2"))
    media = [name_of(each["schema"]) if "schema" in each else kind for kind, each in done.get("content", {}).items()]
    about = cell(operation.get("description") or operation["summary"])
    if operation.get("description") and not about.startswith(cell(operation["summary"])):
        about = f"{cell(operation['summary'])} {about}"
    return f"| `{method.upper()} {path}` | {about} | {', '.join(takes)} | {', '.join(media)} |"


def shape(name: str, schema: Mapping[str, Any]) -> str:
    """Return the section of a shape: its fields, which of them must be there, and what they mean."""
    lines = [f"### {name}", ""]
    if about := schema.get("description"):
        lines += [" ".join(about.split()), ""]
    if not schema.get("properties"):
        return "\n".join([*lines, name_of(schema)])
    lines += ["| field | is | means |", "|---|---|---|"]
    required = set(schema.get("required", ()))
    for field, each in schema["properties"].items():
        told = cell(each.get("description", ""))
        default = each.get("default")
        told += f" Default: `{json.dumps(default)}`." if default not in (None, [], {}) else ""
        lines.append(f"| `{field}`{'' if field in required else '?'} | {cell(name_of(each))} | {told.strip()} |")
    return "\n".join(lines)


def page() -> str:
    """Return the generated part of the page."""
    description = describe(__version__)
    groups: dict[str, list[str]] = {}
    for group, line in operations(description):
        groups.setdefault(group, []).append(line)
    parts: list[str] = []
    for group, lines in groups.items():
        parts.append(f"## {group.capitalize()}")
        parts.append("\n".join(["| request | does | takes | answers |", "|---|---|---|---|", *lines]))
    parts.append(
        "## Shapes\n\nA field with `?` may be left out of a request, or is null in an answer where there is none."
    )
    parts += [shape(name, schema) for name, schema in sorted(description["components"]["schemas"].items())]
    return "\n\n".join(parts)


if __name__ == "__main__":
    sys.exit(keep(Path(__file__).parent / "rest.md", page(), COMMAND))
