"""The public names, methods, parameters and errors are those of ``public_api.json``.

A change of the interface is seen there in its commit: ``python -m tests.unit.api.test_api`` writes the file anew.
"""

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hmem
from hmem import errors
from hmem.interfaces.client.remote import RemoteAsOf, RemoteMemory

FILE = Path(__file__).parent / "public_api.json"
SPECIAL = {"__init__", "__enter__", "__exit__", "__aenter__", "__aexit__"}


def default_of(value: Any) -> str:
    return repr(value) if isinstance(value, str | int | float | tuple | None) else type(value).__name__


def signature(function: Callable[..., Any]) -> str:
    shown, starred = list[str](), False
    for each in inspect.signature(function).parameters.values():
        if each.kind is each.KEYWORD_ONLY and not starred:
            starred = True
            shown.append("*")
        starred |= each.kind is each.VAR_POSITIONAL
        mark = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        shown.append(f"{mark}{each.name}" + ("" if each.default is each.empty else f"={default_of(each.default)}"))
    return f"({', '.join(shown)})"


def told(owner: type[Any], name: str) -> str:
    value = inspect.getattr_static(owner, name)
    value = value.__func__ if isinstance(value, classmethod | staticmethod) else value
    if isinstance(value, property):
        return "property"
    if not inspect.isfunction(value):
        return "attribute"
    return ("async " if inspect.iscoroutinefunction(value) else "") + signature(value)


def members(owner: type[Any]) -> dict[str, str]:
    names = [name for name in dir(owner) if not name.startswith("_") or name in SPECIAL]
    own = [name for name in names if inspect.getattr_static(owner, name) is not getattr(object, name, None)]
    return {name: told(owner, name) for name in own}


def classes() -> dict[str, type[Any]]:
    found = {name: getattr(hmem, name) for name in hmem.__all__ if inspect.isclass(getattr(hmem, name))}
    return {**found, "RemoteMemory": RemoteMemory, "RemoteAsOf": RemoteAsOf}


def interface() -> dict[str, Any]:
    """The public names, the members of each class, the functions, and the errors with their bases and exit codes."""
    return {
        "names": sorted(hmem.__all__),
        "classes": {name: members(owner) for name, owner in classes().items()},
        "functions": {name: signature(getattr(hmem, name)) for name in ("connect", "reembed", "rekey")},
        "errors": {
            name: [error.__bases__[0].__name__, error.exit_code]
            for name, error in vars(errors).items()
            if inspect.isclass(error)
        },
    }


def test_the_public_interface_is_as_it_is_written_down() -> None:
    assert interface() == json.loads(FILE.read_text("utf-8"))


if __name__ == "__main__":
    FILE.write_text(f"{json.dumps(interface(), indent=1, sort_keys=True)}\n", "utf-8")
