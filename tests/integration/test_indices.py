"""Indices that are deleted, damaged, foreign or out of step: opening succeeds, and nothing is lost.

The indices are derived, so the worst that may happen to them costs time.
"""

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support import chatter

from hmem import Memory
from hmem.corpus import corpus

FLUSHED, IN_TAIL = 150, 5
PARTS = ["columns.npz", "vectors-*.lexical.npz"]
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "emptied": lambda content: b"",
    "cut to half": lambda content: content[: len(content) // 2],
    "cut by a byte": lambda content: content[:-1],
    "garbage": lambda content: random.Random(1).randbytes(len(content)),
    "zeros": lambda content: bytes(len(content)),
    "garbage in its middle": lambda content: (
        content[: len(content) // 2] + b"\xa5" * 9 + content[len(content) // 2 + 9 :]
    ),
}


def index_of(path: Path) -> Path:
    return Path(f"{path}-index")


def fill(path: Path, name: str) -> None:
    """A memory with turns in its indices and in its tail."""
    with Memory(path) as memory:
        said = chatter(FLUSHED, seed=len(name))
        memory.add([message | {"text": f"{name}{i} {message['text']}"} for i, message in enumerate(said)])
        memory.flush()
        memory.add([f"{name}{FLUSHED + i} was said last" for i in range(IN_TAIL)], session="last", speaker="Ben")


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a memory, ``a.hmem``, to copy."""
    folder = tmp_path_factory.mktemp("filled")
    fill(folder / "a.hmem", "word")
    return folder


@pytest.fixture
def copied(filled: Path, tmp_path: Path) -> Path:
    """A copy of the memory, with its indices."""
    shutil.copytree(filled, tmp_path / "copy")
    return tmp_path / "copy" / "a.hmem"


def check(memory: Memory, name: str = "word", count: int = FLUSHED + IN_TAIL) -> None:
    """Nothing is lost and all is found."""
    for number in (0, 7, FLUSHED - 1, FLUSHED, FLUSHED + IN_TAIL - 1):
        assert memory.search(f"{name}{number}", k=1)[0].text.split()[0] == f"{name}{number}"
    assert memory.stats().turns == count
    assert memory.verify().problems == ()


def check_on(path: Path) -> None:
    """It opens, and works on: now, after more was written, and when it is opened again."""
    with Memory(path, recipe="flat") as memory:
        check(memory)
        memory.add("a turn of afterwards", session="last", speaker="Ben")
        memory.flush()
        check(memory, count=FLUSHED + IN_TAIL + 1)
    with Memory(path, recipe="flat") as memory:
        check(memory, count=FLUSHED + IN_TAIL + 1)
        assert memory.stats().index_problem is None


class TestDamagedWhileClosed:
    def test_a_deleted_folder_is_made_anew(self, copied: Path) -> None:
        shutil.rmtree(index_of(copied))
        check_on(copied)

    @pytest.mark.parametrize("part", PARTS)
    def test_a_deleted_part_is_made_anew(self, copied: Path, part: str) -> None:
        (target,) = index_of(copied).glob(part)
        target.unlink()
        check_on(copied)

    @pytest.mark.parametrize(
        ("part", "damage"),
        [(part, damage) for part in PARTS for damage in DAMAGES],
    )
    def test_a_damaged_file_is_mended_or_does_no_harm(self, copied: Path, part: str, damage: str) -> None:
        (target,) = index_of(copied).glob(part)
        target.write_bytes(DAMAGES[damage](target.read_bytes()))
        if damage == "garbage in its middle":
            # What no search comes across, only a proof can tell.
            with Memory(copied, recipe="flat") as memory:
                if not memory.verify().ok:
                    memory.rebuild()
        check_on(copied)

    @pytest.mark.parametrize("seed", range(4))
    def test_files_that_are_cut_anywhere_are_mended(self, copied: Path, seed: int) -> None:
        chance = random.Random(seed)
        files = sorted(file for file in index_of(copied).rglob("*") if file.is_file() and file.stat().st_size)
        for file in chance.sample(files, chance.randint(1, len(files))):
            file.write_bytes(file.read_bytes()[: chance.randrange(file.stat().st_size)])
        check_on(copied)

    @pytest.mark.parametrize("seed", range(4))
    def test_a_wrong_byte_is_mended_or_told_and_a_rebuild_mends_it(self, copied: Path, seed: int) -> None:
        chance = random.Random(seed)
        files = sorted(file for file in index_of(copied).rglob("*") if file.is_file() and file.stat().st_size)
        for file in files:
            content = bytearray(file.read_bytes())
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
            file.write_bytes(content)
        with Memory(copied, recipe="flat") as memory:
            memory.search("word7", k=1)
            memory.verify()
            memory.add("a turn of afterwards", session="last", speaker="Ben")
            memory.flush()
            memory.rebuild()
            check(memory, count=FLUSHED + IN_TAIL + 1)

    def test_a_file_in_place_of_the_folder_leaves_the_memory_usable(self, copied: Path) -> None:
        shutil.rmtree(index_of(copied))
        index_of(copied).write_text("mine")
        with Memory(copied, recipe="flat") as memory:
            memory.flush()
            check(memory)
            assert memory.stats().index_problem is not None
        assert index_of(copied).read_text() == "mine"

    def test_foreign_files_in_the_folder_do_no_harm(self, copied: Path) -> None:
        (index_of(copied) / "notes.txt").write_text("mine")
        check_on(copied)


class TestDeletedWhileOpen:
    def test_the_memory_works_on(self, copied: Path) -> None:
        with Memory(copied, recipe="flat") as memory:
            check(memory)
            shutil.rmtree(index_of(copied))
            check(memory)
            memory.add("a turn of afterwards", session="last", speaker="Ben")
            check(memory, count=FLUSHED + IN_TAIL + 1)
            shutil.rmtree(index_of(copied), ignore_errors=True)
            memory.flush()
            check(memory, count=FLUSHED + IN_TAIL + 1)
        with Memory(copied, recipe="flat") as memory:
            check(memory, count=FLUSHED + IN_TAIL + 1)

    def test_a_save_that_comes_first_does_not_lose_a_turn(self, copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(corpus, "SAVE_TURNS", 20)
        with Memory(copied, recipe="flat") as memory:
            shutil.rmtree(index_of(copied))
            for i in range(50):
                memory.add(f"more{i} was said", session="more", speaker="Ben")
            check(memory, count=FLUSHED + IN_TAIL + 50)
        with Memory(copied, recipe="flat") as memory:
            check(memory, count=FLUSHED + IN_TAIL + 50)

    @pytest.mark.parametrize("damage", ["emptied", "garbage"])
    def test_files_that_are_damaged_under_an_open_memory_are_mended(self, copied: Path, damage: str) -> None:
        with Memory(copied, recipe="flat") as memory:
            check(memory)
            for target in index_of(copied).iterdir():
                target.write_bytes(DAMAGES[damage](target.read_bytes()))
            check(memory)
            memory.add("a turn of afterwards", session="last", speaker="Ben")
            memory.flush()
            check(memory, count=FLUSHED + IN_TAIL + 1)

    def test_another_who_rebuilds_does_no_harm(self, copied: Path) -> None:
        with Memory(copied, recipe="flat") as memory, Memory(copied, recipe="flat") as other:
            check(memory)
            other.rebuild()
            check(memory)
            memory.add("a turn of afterwards", session="last", speaker="Ben")
            memory.flush()
            check(memory, count=FLUSHED + IN_TAIL + 1)
            check(other, count=FLUSHED + IN_TAIL + 1)


class TestOutOfStep:
    @pytest.mark.parametrize("part", ["", "columns.npz"])
    def test_the_indices_of_another_memory_are_not_used(self, copied: Path, tmp_path: Path, part: str) -> None:
        fill(tmp_path / "other.hmem", "foreign")
        theirs, ours = index_of(tmp_path / "other.hmem") / part, index_of(copied) / part
        shutil.rmtree(ours) if ours.is_dir() else ours.unlink()
        (shutil.copytree if theirs.is_dir() else shutil.copy)(theirs, ours)
        check_on(copied)
        with Memory(copied, recipe="flat") as memory:
            assert "foreign" not in " ".join(evidence.text for evidence in memory.search("foreign7", k=100))

    def test_indices_that_are_newer_than_a_restored_backup_are_not_used(self, copied: Path, tmp_path: Path) -> None:
        shutil.copy(copied, backup := tmp_path / "backup.hmem")
        with Memory(copied, recipe="flat") as memory:
            memory.add([f"unwanted{i} was said" for i in range(20)], session="last", speaker="Ben")
            memory.flush()
        shutil.copy(backup, copied)
        with Memory(copied, recipe="flat") as memory:
            found = [evidence.text for evidence in memory.search("unwanted7 or word7", k=100)]
            assert found[0].split()[0] == "word7"
            assert "unwanted" not in " ".join(found)
        check_on(copied)

    def test_indices_that_are_older_than_a_restored_backup_catch_up(self, copied: Path, tmp_path: Path) -> None:
        shutil.copytree(index_of(copied), older := tmp_path / "older")
        with Memory(copied, recipe="flat") as memory:
            memory.add([f"wanted{i} was said" for i in range(20)], session="last", speaker="Ben")
            memory.delete(memory.list()[3].id)
            memory.flush()
        shutil.rmtree(index_of(copied))
        shutil.copytree(older, index_of(copied))
        with Memory(copied, recipe="flat") as memory:
            assert memory.search("wanted7", k=1)[0].text == "wanted7 was said"
            check(memory, count=FLUSHED + IN_TAIL + 20 - 1)

    def test_indices_of_a_copy_that_went_its_own_way_are_not_used(self, copied: Path, tmp_path: Path) -> None:
        shutil.copy(copied, elsewhere := tmp_path / "elsewhere.hmem")
        with Memory(copied, recipe="flat") as memory:
            memory.add([f"unwanted{i} was said" for i in range(20)], session="last", speaker="Ben")
            memory.flush()
        with Memory(elsewhere) as memory:
            memory.add([f"wanted{i} was said" for i in range(40)], session="last", speaker="Ben")
        shutil.copy(elsewhere, copied)
        with Memory(copied, recipe="flat") as memory:
            for number in (0, 7, 19, 20, 39):
                assert memory.search(f"wanted{number}", k=1)[0].text == f"wanted{number} was said"
            check(memory, count=FLUSHED + IN_TAIL + 40)

    def test_many_sessions_that_went_on_are_caught_up_with(self, path: Path) -> None:
        def said(number: int) -> dict[str, str]:
            return {"text": f"word{number} was said", "speaker": "Ben", "session": f"s{number % 300}"}

        with Memory(path, recipe="flat") as memory, Memory(path, recipe="flat") as other:
            memory.add([said(number) for number in range(FLUSHED + IN_TAIL)])
            check(other)
            memory.add([said(number) for number in range(FLUSHED + IN_TAIL, 900)])
            # The oldest session is the last to change, and comes last when it is read in parts.
            memory.add(said(900))
            for each in (memory, other):
                check(each, count=901)
                for number in (299, 300, 599, 600, 899, 900):
                    assert each.search(f"word{number}", k=1)[0].text == f"word{number} was said"
            memory.flush()
        with Memory(path, recipe="flat") as memory:
            check(memory, count=901)
            memory.rebuild()
            check(memory, count=901)

    def test_the_memory_may_be_moved_without_its_indices(self, copied: Path, tmp_path: Path) -> None:
        shutil.move(copied, moved := tmp_path / "moved.hmem")
        check_on(moved)
