"""Which memory a server opens."""

from pathlib import Path
from threading import Thread

import pytest

from hmem.errors import NotAMemory, UnknownName
from hmem.interfaces.mcp.memories import Locations, Memories, folder_of
from hmem.interfaces.paths import project_memory, user_memory


def test_a_root_has_a_memory_for_each_project_and_one_for_the_user(tmp_path: Path) -> None:
    places = Locations(root=tmp_path, folder=tmp_path / "one")
    assert places.locate("project").path == project_memory(tmp_path, tmp_path / "one")
    assert places.locate("project", tmp_path / "two").path == project_memory(tmp_path, tmp_path / "two")
    assert places.locate("user").path == user_memory(tmp_path)


def test_one_memory_has_none_of_the_user_beside_it_unless_it_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="--user-memory"):
        Locations(project=tmp_path / "a.hmem").locate("user")
    assert Locations(project=tmp_path / "a.hmem", user=tmp_path / "u.hmem").locate("user").path == tmp_path / "u.hmem"


def test_a_memory_is_opened_once_for_all_threads(tmp_path: Path) -> None:
    memories = Memories(Locations(root=tmp_path, folder=tmp_path))
    opened: list[int] = []
    threads = [Thread(target=lambda: opened.append(id(memories.get()))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(opened)) == 1
    memories.close()


def test_a_file_that_is_no_memory_is_told_of_when_it_is_asked(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine" * 500)
    with pytest.raises(NotAMemory):
        Memories(Locations(project=tmp_path / "notes.txt")).get()


@pytest.mark.parametrize(
    ("uri", "folder"),
    [
        ("file:///home/ana/my%20shop", Path("/home/ana/my shop")),
        ("file://localhost/srv", Path("/srv")),
        ("https://example.org/x", None),
        ("file://elsewhere/srv", None),
    ],
)
def test_a_root_of_the_client_names_a_folder_of_this_machine(uri: str, folder: Path | None) -> None:
    assert folder_of(uri) == folder
