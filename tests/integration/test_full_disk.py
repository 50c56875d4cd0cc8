"""A full disk: a limit on the size of a process's files, and, where it may be mounted, a small file system.

A write that does not fit is undone whole, what was acknowledged stays, and writing goes on when there is room.
"""

import contextlib
import io
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.processes import exit_code, started
from tests.support import chatter

from hmem import Memory
from hmem.corpus import corpus
from hmem.errors import StorageFull
from hmem.interfaces.cli import main

BATCH = 20


def in_a_process(task: Callable[..., None], *arguments: Any) -> None:
    """Run it in a process of its own, whose limits and whose death are not ours."""
    process = started(task, *arguments)
    try:
        assert exit_code(process) == 0
    finally:
        process.kill()


@contextmanager
def files_of_at_most(size: int) -> Generator[None]:
    """No file of this process grows beyond so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def batch(number: int) -> list[dict[str, str]]:
    return [
        message | {"message_id": f"m{number}.{i}", "text": f"word{number}x{i} {message['text']} " + "and so on " * 20}
        for i, message in enumerate(chatter(BATCH, seed=number))
    ]


def add_until_full(memory: Memory, batches: range) -> int:
    """The number of the batch that no longer fitted."""
    for number in batches:
        try:
            memory.add(batch(number))
        except StorageFull:
            return number
    raise AssertionError("the disk was never full")


def check(memory: Memory, batches: int) -> None:
    """So many batches are there, whole, found, and nothing else."""
    kept = [turn.message_id for turn in memory.list(limit=100_000)]
    assert kept == [message["message_id"] for number in range(batches) for message in batch(number)]
    for number in (0, batches // 2, batches - 1):
        assert memory.search(f"word{number}x7", k=1)[0].message_id == f"m{number}.7"
    assert memory.verify().problems == ()


def fill_a_limited_file(path: str) -> None:
    with Memory(path) as memory:
        with files_of_at_most(600_000):
            full = add_until_full(memory, range(200))
            assert full > 3
            # Again, and other writes: refused too, and the memory stays readable.
            assert add_until_full(memory, range(full, full + 1)) == full
            check(memory, full)
        for number in range(full, full + 3):
            assert {receipt.fate for receipt in memory.add(batch(number))} == {"stored"}
        check(memory, full + 3)
    with Memory(path) as memory:
        check(memory, full + 3)


def test_a_limit_on_the_size_of_files_refuses_a_batch_whole(tmp_path: Path) -> None:
    in_a_process(fill_a_limited_file, str(tmp_path / "a.hmem"))


def fill_and_die(path: str) -> None:
    with Memory(path) as memory, files_of_at_most(600_000):
        full = add_until_full(memory, range(200))
        Path(f"{path}.full").write_text(str(full))
        os._exit(0)


def test_what_was_acknowledged_before_the_disk_was_full_is_there_for_the_next_process(tmp_path: Path) -> None:
    in_a_process(fill_and_die, str(tmp_path / "a.hmem"))
    with Memory(tmp_path / "a.hmem", create=False) as memory:
        check(memory, int((tmp_path / "a.hmem.full").read_text()))


def open_a_full_memory(path: str) -> None:
    with files_of_at_most(0):
        try:
            with Memory(path) as memory:
                check(memory, 3)
                add_until_full(memory, range(3, 4))
        except StorageFull:
            pass
    with Memory(path) as memory:
        check(memory, 3)


def test_a_memory_on_a_full_disk_opens_or_says_that_it_is_full(tmp_path: Path) -> None:
    with Memory(tmp_path / "a.hmem") as memory:
        for number in range(3):
            memory.add(batch(number))
    in_a_process(open_a_full_memory, str(tmp_path / "a.hmem"))


def make_on_a_full_disk(path: str) -> None:
    with files_of_at_most(0), pytest.raises(StorageFull):
        Memory(path)
    with Memory(path) as memory:
        memory.add(batch(0))
        check(memory, 1)


def test_a_memory_that_cannot_be_made_for_want_of_space_can_be_made_later(tmp_path: Path) -> None:
    in_a_process(make_on_a_full_disk, str(tmp_path / "a.hmem"))


@contextmanager
def small_disk(folder: Path, size: str) -> Generator[None]:
    """A file system of this size in the folder, where it may be mounted."""
    mount, unmount = shutil.which("mount"), shutil.which("umount")
    if os.geteuid() != 0 or mount is None or unmount is None or not sys.platform.startswith("linux"):
        pytest.skip("only root may mount a small file system")
    folder.mkdir()
    command = [mount, "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("a small file system may not be mounted here")
    try:
        yield
    finally:
        subprocess.run([unmount, "-l", str(folder)], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Generator[Path]:
    """The folder of a file system of 3 MB."""
    with small_disk(tmp_path / "disk", "3m"):
        yield tmp_path / "disk"


def fill_the_disk(folder: Path, *, leaving: int) -> Path:
    """Take up all but so many bytes of it."""
    ballast = folder / "ballast"
    with ballast.open("wb") as file:
        while shutil.disk_usage(folder).free > leaving:
            file.write(b"x" * 4096)
            file.flush()
    return ballast


def test_a_full_file_system_refuses_a_batch_whole(disk: Path) -> None:
    path = disk / "a.hmem"
    with Memory(path) as memory:
        memory.add(batch(0))
        ballast = fill_the_disk(disk, leaving=400_000)
        full = add_until_full(memory, range(1, 500))
        check(memory, full)
        ballast.unlink()
        for number in range(full, full + 3):
            memory.add(batch(number))
        check(memory, full + 3)
        memory.flush()
        check(memory, full + 3)
    with Memory(path) as memory:
        check(memory, full + 3)
        assert memory.stats().index_problem is None


def test_indices_without_room_only_come_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "SAVE_TURNS", 40)
    # The truth lies on a disk with room, and the indices on one without.
    path, indices = tmp_path / "a.hmem", tmp_path / "a.hmem-index"
    with small_disk(indices, "600k"):
        with Memory(path) as memory:
            memory.add(batch(0))
            memory.flush()
            ballast = fill_the_disk(indices, leaving=8_192)
            for number in range(1, 10):
                assert {receipt.fate for receipt in memory.add(batch(number))} == {"stored"}
                assert memory.search(f"word{number}x7", k=1)[0].message_id == f"m{number}.7"
            assert memory.stats().index_problem is not None
            check(memory, 10)
        with Memory(path) as memory:
            check(memory, 10)
            ballast.unlink()
            memory.flush()
            assert memory.stats().index_problem is None
            assert memory.stats().tail == 0
            check(memory, 10)
        with Memory(path) as memory:
            check(memory, 10)
            assert memory.stats().index_problem is None


def test_opening_where_no_index_can_be_written_serves_from_the_process(disk: Path) -> None:
    path = disk / "a.hmem"
    with Memory(path) as memory:
        for number in range(5):
            memory.add(batch(number))
        memory.flush()
    shutil.rmtree(f"{path}-index")
    # Opening the truth takes a few pages for its log.
    ballast = fill_the_disk(disk, leaving=45_000)
    with Memory(path) as memory:
        check(memory, 5)
    ballast.unlink()
    with Memory(path) as memory:
        memory.flush()
        check(memory, 5)
        assert memory.stats().index_problem is None


# What an error says is kept is what is kept.


def kept_by(error: BaseException) -> str:
    return str(error).rpartition("; ")[2]


def what_is_said_to_be_kept(path: str) -> None:
    lines = [json.dumps(message) for number in range(30) for message in batch(number)]
    Path(f"{path}.jsonl").write_text("\n".join(lines))
    told = io.StringIO()
    with files_of_at_most(400_000), contextlib.redirect_stderr(told):
        assert main(["import", f"{path}.jsonl", "--memory", path, "--batch", "50"]) == StorageFull.exit_code
    with Memory(path) as memory:
        turns = memory.stats().turns
        assert turns % 50 == 0
        assert turns > 0
        assert told.getvalue().strip().endswith(f"; {turns:,} of the file are kept - import it again to go on")
        # A write of its own is kept whole, or not at all.
        size = Path(path).stat().st_size
        with files_of_at_most(size):
            full = add_until_full(memory, range(50, 300))
            with pytest.raises(StorageFull) as caught:
                memory.add(batch(full))
        turns += (full - 50) * BATCH
        assert kept_by(caught.value) == "nothing of this write was kept"
        assert memory.stats().turns == turns
        memory.flush()
        # The log has room for the forgetting, and not for the file made anew.
        with files_of_at_most(Path(path).stat().st_size * 9 // 10):
            pending = str(memory.forget(memory.list(limit=1)[0].id).pending)
        assert pending.endswith("; the turns are forgotten, and the files are wiped later")
        assert memory.stats().turns == turns - 1
        with files_of_at_most(1_000), pytest.raises(StorageFull) as caught:
            memory.rebuild()
        counted = memory.stats()
        assert kept_by(caught.value).startswith(f"all {counted.turns:,} turns are kept, ")
        memory.consolidate()
        assert memory.verify().ok


def test_an_error_of_a_full_disk_says_what_is_kept(tmp_path: Path) -> None:
    in_a_process(what_is_said_to_be_kept, str(tmp_path / "a.hmem"))
