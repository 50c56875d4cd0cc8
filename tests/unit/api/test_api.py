"""The public names, methods, parameters and errors stay as they were released; what is new is said here."""

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hmem
from hmem import errors
from hmem.interfaces.client.remote import RemoteAsOf, RemoteMemory
from hmem.model.value import Value

FROZEN: dict[str, Any] = json.loads((Path(__file__).parent / "public_api.json").read_text("utf-8"))
NEW_NAMES = {
    "AsyncAsOf", "AsyncMemoryLike", "AsyncViewLike", "KeptReceipt", "MemoryKey", "MemoryLike", "Outdated", "Profile",
    "ProfileLine", "ViewLike", "rekey",
}  # fmt: skip
NEW_ERRORS = {
    "NumberTooLarge": ["StorageError", 3],
    "ReadOnlyMemory": ["StorageError", 3],
    "KeyNeeded": ["StorageError", 3],
    "WrongKey": ["StorageError", 3],
    "KeyUnavailable": ["StorageError", 3],
    "StorageUnavailable": ["StorageError", 4],
    "FormationDelayed": ["HmemError", 12],
    "ModelPending": ["ModelUnavailable", 10],
}
# Members that a class has besides, and signatures that took no more than they do now, with what they took.
CHANGES = {"pin", "unpin", "pins", "merge_entities", "split_entity", "rename_node"}
BATCHES = {"write_requests", "take_responses"}
NEW_MEMBERS = {
    "Memory": CHANGES | BATCHES | {"backup", "entities", "formed", "profile"},
    "AsyncMemory": CHANGES | BATCHES | {"backup", "entities", "formed", "profile"},
    "RemoteMemory": CHANGES | {"entities", "formed", "profile"},
    "AsOf": {"entities", "profile"},
    "RemoteAsOf": {"entities", "profile"},
    "Context": {"lacking", "remark"},
    "Evidence": {"relevance", "place"},
    "Stats": {"languages", "unread", "formed_by", "encrypted", "turn_characters", "resident_bytes"},
    "Verification": {"remarks"},
    "Why": {"outdated", "confidence"},
    "Note": {"earlier"},
}
NEW_MEMBERS |= {name: NEW_MEMBERS.get(name, set[str]()) | {"user"} for name in ("Note", "Persona", "Entity")}
# Members of every result.
OF_RESULTS = {"to_dict", "to_json"}
WIDENED = {
    ("Memory", "__init__"): [
        ("path=None", "path"),
        ("storage=None, ", ""),
        ("form_later=True", "form_later=False"),
        (", read_only=False", ""),
        (", key=None", ""),
    ],
    ("AsyncMemory", "open"): [("path=None", "path")],
    ("Context", "__init__"): [(", lacking=()", ""), (", remark=''", "")],
    ("Evidence", "__init__"): [(", relevance=None", ""), (", place=None", "")],
    **{
        (name, method): [(", recipe=None", "")]
        for name in ("Memory", "AsyncMemory", "RemoteMemory", "AsOf", "RemoteAsOf")
        for method in ("context", "ask", "ask_stream")
    },
    **{
        (name, "search"): [(", min_score=None", ""), (", recipe=None", "")]
        for name in ("Memory", "AsyncMemory", "RemoteMemory", "AsOf", "RemoteAsOf")
    },
    **{(name, "__init__"): [(", user=None", "")] for name in ("Persona", "Entity")},
    ("Note", "__init__"): [(", earlier=()", ""), (", user=None", "")],
    ("Stats", "__init__"): [
        (", languages=<factory>, unread=<factory>, formed_by=<factory>, encrypted=False, turn_characters=0", ""),
        (", resident_bytes=0", ""),
    ],
    ("Verification", "__init__"): [(", remarks=()", "")],
    ("Why", "__init__"): [(", outdated=None, confidence=None", "")],
}
MEMORIES = ("Memory", "AsyncMemory", "RemoteMemory", "AsOf", "RemoteAsOf")
WIDENED |= {
    (name, tree): [(", node=None, turn=None, depth=None", "")]
    for name in MEMORIES
    for tree in ("timeline", "topics", "layers", "evolution")
}
WIDENED |= {(name, view): [(", since=None, until=None", "")] for name in MEMORIES for view in ("episodes", "events")}
WIDENED |= {(name, "list"): [(", entity=None, node=None", "")] for name in MEMORIES[:3]}
# What may be asked of one user alone.
OF_USER = {
    "timeline", "topics", "layers", "evolution", "episodes", "events", "notes", "conflicts", "graph", "persona",
    "persona_history", "personas", "tiers", "edit_persona", "forget",
}  # fmt: skip
# Given at once, with nothing to wait for, and awaited all the same.
AWAITABLE = {("AsyncMemory", "as_of"), ("AsyncMemory", "valid_at")}
SPECIAL = {"__init__", "__enter__", "__exit__", "__aenter__", "__aexit__"}


def signature(function: Callable[..., Any]) -> str:
    shown, starred = list[str](), False
    for each in inspect.signature(function).parameters.values():
        if each.kind is each.KEYWORD_ONLY and not starred:
            starred = True
            shown.append("*")
        starred |= each.kind is each.VAR_POSITIONAL
        mark = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        shown.append(f"{mark}{each.name}" + ("" if each.default is each.empty else f"={each.default!r}"))
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
    found = {name: getattr(hmem, name) for name in FROZEN["names"] if inspect.isclass(getattr(hmem, name))}
    return {**found, "RemoteMemory": RemoteMemory, "RemoteAsOf": RemoteAsOf}


def test_the_names_are_those_that_were_and_the_new_ones() -> None:
    assert {*hmem.__all__} == {*FROZEN["names"]} | NEW_NAMES


def test_each_class_has_the_members_that_it_had_with_the_same_parameters() -> None:
    now = {name: members(owner) for name, owner in classes().items()}
    for name, more in NEW_MEMBERS.items():
        for member in more:
            now[name].pop(member)
    for name, owner in classes().items():
        for member in OF_RESULTS if issubclass(owner, Value) else ():
            now[name].pop(member)
    for (name, method), changes in WIDENED.items():
        for present, before in changes:
            assert present in now[name][method]
            now[name][method] = now[name][method].replace(present, before, 1)
    for name in MEMORIES:
        for method in OF_USER & now[name].keys():
            assert ", user=None" in now[name][method]
            now[name][method] = now[name][method].replace(", user=None", "", 1).replace(", *)", ")")
    for name, method in AWAITABLE:
        now[name][method] = f"async {now[name][method]}"
    assert now == FROZEN["classes"]


def test_each_function_takes_what_it_took() -> None:
    now = {name: signature(getattr(hmem, name)) for name in FROZEN["functions"]}
    assert ", key=None)" in now["reembed"]
    now["reembed"] = now["reembed"].replace(", key=None)", ")")
    assert now == FROZEN["functions"]


def test_each_error_is_where_it_was_in_the_tree() -> None:
    found = {
        name: [error.__bases__[0].__name__, error.exit_code]
        for name, error in vars(errors).items()
        if inspect.isclass(error)
    }
    assert found == FROZEN["errors"] | NEW_ERRORS
