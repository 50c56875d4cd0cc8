"""Names of memories cannot leave the root, nor stand for another memory."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.errors import InvalidName, MemoryExists, MemoryNotFound, NotAllowed
from hmem.interfaces.rest import names
from hmem.storage.catalog import open_catalog
from hmem.storage.location import Location
from hmem.storage.sqlite.folder import FolderCatalog

ROOT = Path("/srv/memories")


@pytest.mark.parametrize("name", ["alice", "a", "Team-7_notes.v2", "Zoë", "山田", "x" * 64, "9"])
def test_an_ordinary_name_is_a_name(name: str) -> None:
    assert names.normalise(name) == name


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "...", "a..b", ".hidden", "a.", "-a", "a-", "a/b", "a\\b", "../a", "/etc/passwd", "a\0b", "a\nb",
     "a b", "a:b", "a%2fb", "CON", "con.txt", "nul", "LPT1", "COM1.a", "x" * 65, "山" * 65, "\u202ea", "a\u200bb",
     "\ud800", "a*", "~", "a;b", "é" * 60 + "\u0301" * 5, "\uff0e\uff0e", "a\uff0fb", "\uff0e\uff0e\uff0fetc"],
)  # fmt: skip
def test_what_could_leave_the_root_is_no_name(name: str) -> None:
    with pytest.raises(InvalidName, match=" - "):
        names.normalise(name)


def test_a_name_is_the_same_however_unicode_writes_it() -> None:
    assert names.normalise("Zoe\u0308") == names.normalise("Zoë") == "Zoë"
    assert names.normalise("\uff46\uff55\uff4c\uff4c") == "full"


@given(st.text(max_size=80))
def test_whatever_is_given_stays_in_the_root(given: str) -> None:
    try:
        name = names.normalise(given)
    except InvalidName:
        return
    place = FolderCatalog(Location.parse(ROOT)).locate(name).path
    assert place is not None
    assert place.parent == ROOT
    assert Path(str(place)).resolve().parent == ROOT.resolve()
    assert names.normalise(name) == name


def test_a_name_that_differs_in_case_is_taken(tmp_path: Path) -> None:
    (tmp_path / "Alice.hmem").touch()
    with pytest.raises(MemoryExists):
        names.free(open_catalog(tmp_path), "aLICE")
    with pytest.raises(MemoryNotFound):
        names.find(open_catalog(tmp_path), "alice")
    assert names.find(open_catalog(tmp_path), "Alice") == "Alice"


def test_only_memories_are_listed(tmp_path: Path) -> None:
    for file in ("b.hmem", "a.hmem", "a.hmem-wal", ".keys.json", "..hmem", "notes.txt", "con.hmem"):
        (tmp_path / file).touch()
    (tmp_path / "folder.hmem").mkdir()
    (tmp_path / "link.hmem").symlink_to(tmp_path / "a.hmem")
    catalog = open_catalog(tmp_path)
    assert names.visible_names(catalog, "", 100, lambda _: True) == ["a", "b"]
    assert names.visible_names(catalog, "", 1, lambda name: name != "a") == ["b"]
    assert names.visible_names(catalog, "a", 100, lambda _: True) == ["b"]


def test_all_of_many_memories_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "_AT_ONCE", 2)
    for name in "edcba":
        (tmp_path / f"{name}.hmem").touch()
    catalog = open_catalog(tmp_path)
    assert names.visible_names(catalog, "", 100, lambda _: True) == ["a", "b", "c", "d", "e"]
    assert names.visible_names(catalog, "", 3, lambda name: name != "b") == ["a", "c", "d"]


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
    assert names.name_of(Location.parse(place)) == name
    assert names.is_name(name)


def test_it_holds_one_memory_and_no_other() -> None:
    place = Location.parse(Path("alice.hmem"))
    catalog = names.OneMemory(place)
    assert (catalog.names(), catalog.names(after="alice"), catalog.count()) == (["alice"], [], 1)
    assert (catalog.spelled("Alice"), catalog.spelled("bob")) == ("alice", None)
    assert catalog.locate("alice") == place
    with pytest.raises(MemoryNotFound):
        catalog.locate("bob")
    with pytest.raises(NotAllowed):
        catalog.drop("alice")
