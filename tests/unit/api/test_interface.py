"""The memories have the same methods, with the same parameters; pyright holds their types (tests/typed)."""

import inspect
from typing import Any

import pytest

from hmem import AsOf, AsyncAsOf, AsyncMemory, Memory, MemoryLike, ViewLike
from hmem.api.interface import (
    AsyncEdits,
    AsyncModelJobs,
    Edits,
    LocalModelJobs,
    MemoryOperations,
    ModelJobs,
    ServiceMethod,
)
from hmem.interfaces.client.remote import RemoteAsOf, RemoteMemory
from hmem.interfaces.operations import OPERATIONS

# Of what is in this process alone.
OWN = {"corpus", "backup", "unformed"}
# What users need most stands first.
FIRST = ["search", "context", "ask", "notes", "profile", "correct", "forget", "undo", "list", "get"]


def methods(of: type[Any]) -> dict[str, list[tuple[str, Any, Any]]]:
    """The public methods, and the parameters of each: name, kind and default."""
    return {
        name: [(each.name, each.kind, each.default) for each in inspect.signature(method).parameters.values()]
        for name, method in inspect.getmembers(of, inspect.isfunction)
        if not name.startswith("_")
    }


def named(of: type[Any]) -> set[str]:
    return {name for name in dir(of) if not name.startswith("_")}


@pytest.mark.parametrize("memory", [Memory, RemoteMemory, AsyncMemory])
def test_a_memory_has_the_methods_of_the_interface_with_the_same_parameters(memory: type[Any]) -> None:
    assert {name: found for name, found in methods(memory).items() if name in methods(MemoryLike)} == methods(
        MemoryLike
    )
    assert named(memory) - OWN - {"open"} == named(MemoryLike)


@pytest.mark.parametrize("view", [AsOf, RemoteAsOf, AsyncAsOf])
def test_a_view_has_the_methods_of_the_interface_with_the_same_parameters(view: type[Any]) -> None:
    assert methods(view) == methods(ViewLike)


@pytest.mark.parametrize(("group", "twin"), [(Edits, AsyncEdits), (LocalModelJobs, AsyncModelJobs)])
def test_a_group_has_the_same_methods_for_asynchronous_code(group: type[Any], twin: type[Any]) -> None:
    assert methods(group) == methods(twin)


def test_what_is_awaited_is_a_coroutine() -> None:
    plain = {"as_of", "valid_at", "edit", "model"}
    for twin in (AsyncMemory, AsyncAsOf, AsyncEdits, AsyncModelJobs):
        waits = {name for name, method in inspect.getmembers(twin, inspect.iscoroutinefunction)}
        assert named(twin) - plain <= waits


def test_what_users_need_most_stands_first() -> None:
    assert [name for name, value in vars(MemoryOperations).items() if isinstance(value, ServiceMethod)][:10] == FIRST


def test_each_operation_of_the_table_is_a_method_of_a_memory() -> None:
    server = {"list_memories", "create_memory", "rights", "list_keys", "delete_memory", "recall_latencies"}
    other = {"add_batch": "add", "stats_of": "stats", "reanalyse": "model.reanalyse", "budget": "model.budget",
             "set_budget": "model.budget"}  # fmt: skip
    rows = {other.get(row.name, row.call or row.name) for row in OPERATIONS.values() if row.name not in server}
    grouped = {f"edit.{name}" for name in methods(Edits)} | {f"model.{name}" for name in methods(ModelJobs)}
    assert rows | {"ask_stream", "as_of", "valid_at", "close", "delete"} == {*methods(MemoryLike)} | grouped
