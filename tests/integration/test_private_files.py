"""Every file of a memory, and beside it, is for its owner only; what stands in the place of a file is refused."""

import json
import os
import shutil
import stat
from collections.abc import Generator
from pathlib import Path

import pytest

from hmem import Memory
from hmem.corpus import corpus
from hmem.errors import MemoryNotFound, NotAMemory
from hmem.interfaces.cli import main
from hmem.interfaces.mcp.memories import Locations, Memories
from hmem.interfaces.rest.idempotency import IdempotencyStore
from hmem.interfaces.rest.keys import Keys
from hmem.storage.sqlite.folder import erase
from hmem.util.files import tree
from hmem_agents.hooks.capture import Capture, enqueue
from hmem_agents.hooks.settings import HookSettings, note

SAID = [{"text": f"Walk {number} led past {number + 3} herons", "speaker": "Ana"} for number in range(120)]


@pytest.fixture(autouse=True)
def umask() -> Generator[None]:
    """A umask that leaves everything to everyone."""
    before = os.umask(0)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> list[str]:
    return sorted(str(each.relative_to(folder)) for each in tree(folder) if each.lstat().st_mode & 0o077)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder for its owner only, so that it is no find."""
    (made := tmp_path / "root").mkdir(mode=0o700)
    return made


@pytest.fixture
def filled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memory with index files."""
    for name in ("ALONE_TURNS", "SAVE_TURNS"):
        monkeypatch.setattr(corpus, name, 40)
    with Memory(folder / "a.hmem") as memory:
        memory.add(SAID)
        memory.flush()
    assert list((folder / "a.hmem-index").glob("*.npz"))
    return folder / "a.hmem"


def test_a_memory_its_log_and_its_indices_are_for_their_owner(filled: Path) -> None:
    with Memory(filled) as memory:
        memory.add("One more", speaker="Ben")
        assert (filled.parent / "a.hmem-wal").exists()
        assert open_to_others(filled.parent) == []
        assert memory.forget(speaker="Ben").pending is None
        memory.rebuild()
        assert open_to_others(filled.parent) == []


def test_what_was_open_to_others_is_mended_with_a_word(filled: Path, caplog: pytest.LogCaptureFixture) -> None:
    for each in (filled, filled.parent / "a.hmem-index", *tree(filled.parent / "a.hmem-index")):
        each.chmod(0o755 if each.is_dir() else 0o644)
    with Memory(filled) as memory:
        assert memory.stats().turns == len(SAID)
    assert open_to_others(filled.parent) == []
    told = [message.partition(" was open to other users")[0] for message in caplog.messages]
    assert told == [str(filled), f"{filled}-index"]


def test_a_memory_that_is_only_read_is_left_as_it_is(filled: Path) -> None:
    filled.chmod(0o644)
    with Memory(filled, read_only=True) as memory:
        assert memory.stats().turns == len(SAID)
    assert stat.S_IMODE(filled.stat().st_mode) == 0o644


def test_exports_reports_keys_and_answers_are_for_their_owner(filled: Path, folder: Path) -> None:
    (folder / "all.jsonl.gz.part").touch(mode=0o666)
    (folder / "report.json").touch(mode=0o666)
    for command in (
        ["export", folder / "all.jsonl.gz"],
        ["forget", "--query", "Walk 7", "--yes", "--report", folder / "report.json"],
    ):
        assert main([*map(str, command), "--memory", str(filled)]) == 0
    assert json.loads((folder / "report.json").read_text())["turns"] == 2
    Keys(folder / ".keys.json").create("ana", ["read"], ["*"])
    IdempotencyStore(folder / ".server" / "repeats.db").close()
    assert open_to_others(folder) == []


def test_the_files_of_the_hooks_are_for_their_owner(folder: Path) -> None:
    settings = HookSettings(folder / ".hmem")
    enqueue(settings, Capture("s", "/nowhere", "/"))
    note(settings, "a line")
    assert open_to_others(folder) == []


def test_mcp_makes_and_mends_its_root(folder: Path) -> None:
    root = folder / "memories"
    places = Locations(root=root, folder=folder)
    for _ in range(2):
        served = Memories(places)
        served.get("project").add("Hello")
        served.get("user").add("Hello")
        assert open_to_others(folder) == []
        served.close()
        root.chmod(0o755)


def test_mcp_tells_once_of_a_memory_that_was_deleted(folder: Path) -> None:
    served = Memories(Locations(project=folder / "a.hmem"))
    served.get().add("Hello")
    erase(folder / "a.hmem")
    with pytest.raises(MemoryNotFound, match="deleted or replaced"):
        served.get()
    assert served.get().stats().turns == 0
    served.close()


# What is no file.


@pytest.mark.parametrize("kind", ["pipe", "link", "dangling link", "device", "folder", "foreign"])
@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
def test_what_is_no_memory_is_refused_at_once(folder: Path, kind: str, suffix: str) -> None:
    place = folder / f"b.hmem{suffix}"
    if suffix:
        with Memory(folder / "b.hmem") as memory:
            memory.add("Hello")
        if kind in ("device", "foreign"):
            pytest.skip("only in the place of the memory itself")
    path = folder / "b.hmem"
    match kind:
        case "pipe":
            os.mkfifo(place)
        case "folder":
            place.mkdir()
        case "device":
            path = Path("/dev/zero")
        case "foreign":
            place.write_bytes(b"\x7fELF" + bytes(5_000))
        case _:
            with Memory(folder / "c.hmem") as memory:
                memory.add("Hello")
            place.symlink_to(folder / ("c.hmem" if kind == "link" else "nowhere"))
    with pytest.raises(NotAMemory):
        Memory(path)
    with pytest.raises(NotAMemory):
        Memory(path, read_only=True)
    shutil.rmtree(folder)
