"""Where the memories of projects and of their user are: in files, or in a database under names of their own."""

from pathlib import Path

import pytest

from hmem.errors import StorageUnavailable
from hmem.interfaces.paths import project_memory, user_memory
from hmem.interfaces.places import await_catalog, make_folders, memory_in
from hmem.storage.catalog import Catalog, open_catalog
from hmem.storage.location import Location
from hmem.storage.sqlite.folder import FolderCatalog


class Database(FolderCatalog):
    """A place that is no folder, whose memories have locations of its own."""

    def __init__(self, location: Location) -> None:
        super().__init__(Location.parse("anywhere"))
        self._place = location

    def locate(self, name: str) -> Location:
        return Location.parse(f"{self._place.url}?memory={name}")


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> str:
    def opened(place: Location) -> Catalog:
        return Database(place) if place.path is None else open_catalog(place)

    monkeypatch.setattr("hmem.interfaces.places.open_catalog", opened)
    return "elsewhere://me:s3cr3t@host/memories"


def test_a_folder_has_them_in_files(tmp_path: Path) -> None:
    root = Location.parse(tmp_path)
    assert memory_in(root, user_memory).path == user_memory(tmp_path)
    place = memory_in(root, lambda below: project_memory(below, tmp_path))
    assert place.path == project_memory(tmp_path, tmp_path)
    make_folders(place, root)
    assert place.path is not None
    assert place.path.parent.stat().st_mode & 0o077 == 0


def test_a_database_has_them_under_names_made_of_their_paths(database: str, tmp_path: Path) -> None:
    root = Location.parse(database)
    assert memory_in(root, user_memory).url == f"{database}?memory=user"
    name = project_memory(tmp_path, tmp_path).stem
    place = memory_in(root, lambda below: project_memory(below, tmp_path))
    assert place.url == f"{database}?memory=projects.{name}"
    make_folders(place, root)
    assert "s3cr3t" not in f"{place} {place!r}"


@pytest.mark.parametrize(("away", "waits"), [(2, True), (1_000, False)])
def test_a_database_that_is_away_is_awaited_but_not_for_ever(
    monkeypatch: pytest.MonkeyPatch, away: int, waits: bool
) -> None:
    tried: list[Location] = []
    told: list[str] = []

    def opened(place: Location) -> Catalog:
        tried.append(place)
        if len(tried) <= away:
            raise StorageUnavailable("the database is away - try again")
        return Database(place)

    monkeypatch.setattr("hmem.interfaces.places.open_catalog", opened)
    place = Location.parse("elsewhere://host/memories")
    if waits:
        assert isinstance(await_catalog(place, 30.0, told.append), Database)
    else:
        with pytest.raises(StorageUnavailable, match="is away"):
            await_catalog(place, 0.1, told.append)
    assert told
    assert len(told) == 1
    assert "the database is away" in told[0]
