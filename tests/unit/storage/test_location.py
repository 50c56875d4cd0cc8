"""Where a memory lies: parsed once, printed without a password, and no path by accident."""

from pathlib import Path
from types import ModuleType

import pytest

from hmem import Memory, storage
from hmem.errors import ExtraMissing, InputError, UnknownName
from hmem.storage import Location, catalog, open_storage

SECRET = "s3cr3t"  # noqa: S105 - nobody's
URLS = [
    f"oracle://u:{SECRET}@h/db",
    f"oracleql://user:{SECRET}@host:5432/db?memory=alice",
    f"oracleql+psycopg://user:{SECRET}@[::1]:5432/db",
    f"oracle://u:{SECRET}@{SECRET}/{SECRET}?{SECRET}@h/db",
    f"oracle://u:{SECRET}/{SECRET}@h/db",
    f"oracle://u:{SECRET}",
    f"oracle://h/db?user=u&password={SECRET}",
    f"oracle://h/db?sslpassword={SECRET}&memory=a",
    f"oracle://:{SECRET}@h/db",
]


@pytest.mark.parametrize("url", URLS)
def test_a_location_never_shows_its_password(url: str) -> None:
    location = Location.parse(url)
    assert SECRET not in f"{location} {location!r} {[location]} {location.index_folder}"
    assert location.url == url
    assert (location.path, location.index_folder) == (None, None)


def test_a_location_without_a_password_is_printed_as_it_is() -> None:
    for url in ("postgresql://user@host:5432/db?memory=alice", "postgres://host/db", "x-y.z://h:1", ":memory:", "a b"):
        assert str(Location.parse(url)) == url


@pytest.mark.parametrize("url", URLS)
def test_an_unknown_scheme_is_one_error_without_the_password(url: str) -> None:
    for open_it in (lambda: open_storage(url), lambda: Memory(url)):
        with pytest.raises(UnknownName, match="no storage answers to oracle") as caught:
            open_it()
        assert SECRET not in str(caught.value)
        assert caught.value.__cause__ is None


@pytest.mark.parametrize("opened", [storage, catalog])
def test_a_database_without_its_distribution_says_what_to_install(
    opened: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened, "entry_points", lambda **_: ())
    opened._loader.cache_clear()
    with pytest.raises(ExtraMissing, match=r"pip install 'hmem\[postgres\]'"):
        (storage.open_storage if opened is storage else catalog.open_catalog)("postgresql://host/database")
    opened._loader.cache_clear()


def test_a_file_has_a_folder_for_its_indices_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.hmem"
    for given in (path, str(path), f"sqlite://{path}", Location.parse(path)):
        location = Location.parse(given)
        assert (location.scheme, location.path) == ("sqlite", path)
        assert location.index_folder == tmp_path / "a.hmem-index"


def test_the_process_has_no_folder_for_indices() -> None:
    location = Location.parse(":memory:")
    assert (location.scheme, location.path, location.index_folder, str(location)) == ("sqlite", None, None, ":memory:")


def test_a_path_that_was_made_of_a_url_is_refused_without_its_password() -> None:
    with pytest.raises(InputError, match="URL of oracle://") as caught:
        Memory(Path(URLS[0]))
    assert SECRET not in str(caught.value)


def test_a_url_of_sqlite_opens_its_file(tmp_path: Path) -> None:
    with Memory(f"sqlite://{tmp_path}/a.hmem") as memory:
        memory.add("The kiln is hot.")
    with Memory(tmp_path / "a.hmem", create=False) as memory:
        assert memory.stats().turns == 1


def test_a_url_leaves_no_folder_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnknownName):
        Memory(URLS[0])
    assert list(tmp_path.iterdir()) == []
