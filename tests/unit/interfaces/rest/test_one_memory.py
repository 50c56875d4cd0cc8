"""The catalog of one memory, and the name that it gives to it."""

from pathlib import Path

import pytest

from hmem.errors import MemoryNotFound, NotAllowed
from hmem.interfaces.rest import names
from hmem.interfaces.rest.one_memory import OneMemory, name_of
from hmem.storage.location import Location


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("/home/ann/alice.hmem", "alice"),
        ("my notes, 2024.hmem", "my-notes-2024"),
        ("Übung.v1.hmem", "Übung.v1"),
        ("con.hmem", "memory"),
        ("...hmem", "memory"),
        ("postgresql://ann:secret@host/db?memory=team.a", "team.a"),
        ("postgresql://ann:secret@host/db", "memory"),
        (f"{'long' * 40}.hmem", ("long" * 40)[:64]),
    ],
)
def test_a_memory_has_the_name_of_its_place_as_far_as_it_can(place: str, name: str) -> None:
    assert name_of(Location.parse(place)) == name
    assert names.is_name(name)


def test_it_holds_one_memory_and_no_other() -> None:
    place = Location.parse(Path("alice.hmem"))
    catalog = OneMemory(place)
    assert (catalog.names(), catalog.names(after="alice"), catalog.count()) == (["alice"], [], 1)
    assert (catalog.spelled("Alice"), catalog.spelled("bob")) == ("alice", None)
    assert catalog.locate("alice") == place
    with pytest.raises(MemoryNotFound):
        catalog.locate("bob")
    with pytest.raises(NotAllowed):
        catalog.drop("alice")
