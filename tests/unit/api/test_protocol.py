"""The memories have the same methods, with the same parameters; pyright holds their types (tests/typed)."""

import inspect
from typing import Any

import pytest

from hmem import AsOf, AsyncAsOf, AsyncMemory, AsyncMemoryLike, AsyncViewLike, Memory, MemoryLike, ViewLike
from hmem.interfaces.client.remote import RemoteAsOf, RemoteMemory

# Of what is in this process alone.
OWN = {"corpus", "halt", "backup", "write_requests", "take_responses"}


def methods(of: type[Any]) -> dict[str, list[tuple[str, Any, Any]]]:
    """The public methods, and the parameters of each: name, kind and default."""
    return {
        name: [(each.name, each.kind, each.default) for each in inspect.signature(method).parameters.values()]
        for name, method in inspect.getmembers(of, inspect.isfunction)
        if not name.startswith("_") and name != "add"
    }


def named(of: type[Any]) -> set[str]:
    return {name for name in dir(of) if not name.startswith("_")}


@pytest.mark.parametrize("memory", [Memory, RemoteMemory, AsyncMemory, AsyncMemoryLike])
def test_a_memory_has_the_methods_of_the_protocol_with_the_same_parameters(memory: type[Any]) -> None:
    assert {name: found for name, found in methods(memory).items() if name in methods(MemoryLike)} == methods(
        MemoryLike
    )
    assert named(memory) - OWN - {"open", "memory"} == named(MemoryLike)


@pytest.mark.parametrize("view", [AsOf, RemoteAsOf, AsyncAsOf, AsyncViewLike])
def test_a_view_has_the_methods_of_the_protocol_with_the_same_parameters(view: type[Any]) -> None:
    assert methods(view) == methods(ViewLike)


def test_a_message_is_added_alike_everywhere() -> None:
    first, *others = [list(inspect.signature(each.add).parameters) for each in (Memory, RemoteMemory, AsyncMemory)]
    assert others == [first, first]


def test_what_is_awaited_is_a_coroutine() -> None:
    plain = {"as_of", "valid_at"}
    for twin in (AsyncMemory, AsyncAsOf):
        waits = {name for name, method in inspect.getmembers(twin, inspect.iscoroutinefunction)}
        assert named(twin) - plain - {"memory"} <= waits
