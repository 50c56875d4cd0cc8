"""Write the routes in docs/rest.md, from the server's OpenAPI description; ``--check`` only compares."""

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


def operations(description: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the group and the line of each operation."""
    for path, methods in description["paths"].items():
        for method in METHODS:
            if operation := methods.get(method):
                where = path.removeprefix("/v1/memories/{memory}/")
                yield operation["tags"][0], line(method, where, operation, description["components"]["schemas"])


def line(method: str, path: str, operation: Mapping[str, Any], shapes: Mapping[str, Any]) -> str:
    """Return the line of an operation: what it does, and what it must be given beside the memory's name."""
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    required = list(shapes[body["$ref"].rpartition("/")[2]].get("required", ())) if "$ref" in body else []
    query = operation.get("parameters", ())
    required += [f"?{each['name']}" for each in query if each["in"] == "query" and each.get("required")]
    given = f" *{' '.join(required)}*" if required else ""
    about = re.split(r"[:;.](?: |$)", " ".join(operation["summary"].split()))[0]
    return f"- `{method.upper()} {path}`: {about}{given}"


def page() -> str:
    """Return the generated part of the page."""
    groups: dict[str, list[str]] = {}
    for group, text in operations(describe(__version__)):
        groups.setdefault(group, []).append(text)
    return "\n\n".join("\n".join([f"## {group.capitalize()}\n", *texts]) for group, texts in groups.items())


if __name__ == "__main__":
    sys.exit(keep(Path(__file__).parent / "rest.md", page(), COMMAND))
