"""What becomes of a memory in whose file one bit has flipped.

    python benchmarks/flipped_bits.py [--flips 120] [--turns 200] [--key KEY]

Each flip is made in a copy of one memory. It is told on opening or by ``verify``, or it is silent: harmless where every
row is the same, as in free room. A memory that is told of is rebuilt, and then mended (sound, with every turn as it
was), left (something is named still) or unusable by name.
"""

import argparse
import random
import shutil
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

from hmem import Memory, MemoryKey
from hmem.errors import HmemError
from hmem.storage.sqlite.store import SQLiteStorage

SAID = ("The spare key is under pot {}.", "I moved to flat {}.", "Rex is {} months old.", "We leave at {} o'clock.")
TABLES = ("turn", "log", "setting", "vector", "chunk", "speaker", "session", "block", "part", "turn_use", "counter")


def rows(storage: SQLiteStorage) -> list[Any]:
    """Return every row that tells something."""
    return [storage._connection.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES]


def kept(memory: Memory) -> list[Any]:
    """Return every turn."""
    return [(turn.id, turn.text, turn.speaker, turn.session, turn.at) for turn in memory.list(limit=100_000)]


def outcome(path: Path, key: str | None, before: list[Any], turns: list[Any]) -> str:
    """Return what became of a flip."""
    try:
        with closing(SQLiteStorage(str(path), key=MemoryKey.parse(key))) as storage:
            if not storage.problems():
                return "silent, harmless" if rows(storage) == before else "silent, altered"
    except HmemError:
        return "told on opening"
    try:
        with Memory(path, key=key) as memory:
            memory.rebuild()
            if not memory.verify().ok:
                return "told by verify, left"
            return "told by verify, mended" if kept(memory) == turns else "told by verify, turns altered"
    except HmemError:
        return "told by verify, unusable by name"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flips", type=int, default=120)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--key")
    options = parser.parse_args()
    chance, found = random.Random(5), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.hmem")
        with Memory(path, key=options.key) as memory:
            memory.add([
                {"text": SAID[i % 4].format(i), "speaker": ("Maria", "Tom")[i % 2], "session": f"s{i // 20}"}
                for i in range(options.turns)
            ])  # fmt: skip
            memory.consolidate()
            memory.correct(memory.list()[0].id, "The spare key is under the third pot.", why="a slip")
            turns = kept(memory)
        with closing(SQLiteStorage(str(path), key=MemoryKey.parse(options.key))) as storage:
            before = rows(storage)
        content = path.read_bytes()
        for number in range(options.flips):
            bit = chance.randrange(len(content) * 8)
            altered = bytearray(content)
            altered[bit // 8] ^= 1 << bit % 8
            (copy := Path(folder, str(number), "b.hmem")).parent.mkdir()
            copy.write_bytes(altered)
            found[outcome(copy, options.key, before, turns)] += 1
            shutil.rmtree(copy.parent)
    print("| what became of the flip | files |\n|---|---|")
    for what, count in sorted(found.items()):
        print(f"| {what} | {count} |")


if __name__ == "__main__":
    main()
