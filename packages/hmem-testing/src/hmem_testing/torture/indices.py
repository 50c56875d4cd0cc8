"""Indices that are damaged, deleted, foreign or older than the memory beside them, FAISS files among them.

A large index has a score of segments whose files are alike: of each kind, one segment's file is damaged.

They are derived, so the worst that may happen to them costs time: the memory opens and finds the same. It is sound, or
`verify` says what is damaged, and `rebuild` mends it.
"""

import random
import re
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from hmem import Memory
from hmem.errors import HmemError
from hmem_testing.torture.history import Failure

BATCH: Final = 5_000
QUESTIONS: Final = 6

_SEGMENT: Final = re.compile(r"[0-9a-f]{32}|\d+")

DAMAGES: Final[dict[str, Callable[[bytes, random.Random], bytes]]] = {
    "emptied": lambda _content, _rng: b"",
    "cut": lambda content, rng: content[: rng.randrange(len(content) or 1)],
    "a bit flipped": lambda content, rng: _replaced(content, rng, None),
    "a page of zeros": lambda content, rng: _replaced(content, rng, bytes(4_096)),
    "a page of noise": lambda content, rng: _replaced(content, rng, rng.randbytes(4_096)),
    "noise": lambda content, rng: rng.randbytes(len(content)),
}


def damaged(folder: Path, seed: int, turns: int) -> tuple[int, list[Failure]]:
    """Damage each file of the indices of a memory of so many turns in each way, and the folder as a whole."""
    rng = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    memory_path, foreign_path = folder / "one.hmem", folder / "other.hmem"
    _fill(memory_path, turns, "zqa")
    _fill(foreign_path, turns // 4, "zqb")
    sound, questions = folder / "sound", [f"zqa{rng.randrange(turns)}q" for _ in range(QUESTIONS)]
    shutil.copytree(_index(memory_path), sound)
    answers, _ = _answers(memory_path, questions)
    failures, tries = list[Failure](), 0
    for kind, damage in _ways(_index(memory_path), _index(foreign_path), rng):
        shutil.rmtree(_index(memory_path), ignore_errors=True)
        shutil.copytree(sound, _index(memory_path))
        damage()
        tries += 1
        try:
            results, problems = _answers(memory_path, questions)
        except HmemError as error:
            results, problems = [], (f"{type(error).__name__}: {error}",)
        if results != answers or problems:
            failures.append(Failure(0, f"{kind}: {'; '.join(problems) or 'other answers'}"))
    return tries, failures


def _fill(path: Path, turns: int, word: str) -> None:
    with Memory(path, recipe="flat") as memory:
        for start in range(0, turns, BATCH):
            memory.add(
                [
                    {
                        "text": f"We spoke of {word}{i}q and of topic{i % 97}.",
                        "speaker": "Ada",
                        "session": f"s{i // 40}",
                    }
                    for i in range(start, min(start + BATCH, turns))
                ]
            )
        memory.flush()


def _answers(path: Path, questions: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return the best turn for each question, and the problems that are left after mending."""
    with Memory(path, create=False) as memory:
        results = [memory.search(question, k=1)[0].text for question in questions]
        report = memory.verify()
        if not report:
            memory.rebuild()
            report = memory.verify()
        return results, report.problems


def _ways(index: Path, foreign: Path, rng: random.Random) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the ways to damage an index: what, and how."""
    for name in _one_of_each_kind(index, rng):
        for kind, damage in DAMAGES.items():
            yield f"{name} {kind}", partial(_rewrite, index / name, damage, rng)
        yield f"{name} deleted", (index / name).unlink
        yield f"{name} a folder", partial(_as_folder, index / name)
        if (foreign / name).is_file():
            yield f"{name} of another memory", partial(shutil.copy, foreign / name, index / name)
    yield "all deleted", partial(shutil.rmtree, index)
    yield "all of another memory", partial(_as_other, index, foreign)
    yield "a file", partial(_as_file, index)


def _one_of_each_kind(index: Path, rng: random.Random) -> list[Path]:
    """Return a file of each kind: their names differ by the segment and its number only."""
    kinds: dict[str, list[Path]] = {}
    for name in sorted(file.relative_to(index) for file in index.rglob("*") if file.is_file()):
        kinds.setdefault(_SEGMENT.sub("", name.as_posix()), []).append(name)
    return [rng.choice(alike) for alike in kinds.values()]


def _index(path: Path) -> Path:
    return path.with_name(f"{path.name}-index")


def _rewrite(file: Path, damage: Callable[[bytes, random.Random], bytes], rng: random.Random) -> None:
    file.write_bytes(damage(file.read_bytes(), rng))


def _as_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _as_file(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_bytes(b"no folder")


def _as_other(folder: Path, foreign: Path) -> None:
    shutil.rmtree(folder)
    shutil.copytree(foreign, folder)


def _replaced(content: bytes, rng: random.Random, page: bytes | None) -> bytes:
    """Return content with a page put over some part of it, or with one bit flipped."""
    if not content:
        return content
    offset = rng.randrange(len(content))
    if page is None:
        page = bytes([content[offset] ^ 1 << rng.randrange(8)])
    return (content[:offset] + page + content[offset + len(page) :])[: len(content)]
