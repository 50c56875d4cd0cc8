"""Counts of words that another version of the analysis made are made anew."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from hmem import Memory
from hmem.corpus import corpus
from hmem.corpus.index import rows
from hmem.language.analyzer import VERSION
from hmem.storage.sqlite.connection import APPLICATION_ID, SCHEMA

TEXTS = ("The kiln is hot.", "The boat leaks, and the pump is broken.", "Tea?")


def letters(text: str) -> Sequence[str]:
    """Another analysis: every letter is a word."""
    return tuple(text)


def counted(memory: Memory) -> list[int]:
    with memory.corpus.reading():
        return memory.corpus.columns.words.tolist()


@pytest.mark.any_storage
@pytest.mark.parametrize("alone", [0, 4_096])
def test_a_raised_version_of_the_analysis_recounts(
    path: Path | str, monkeypatch: pytest.MonkeyPatch, alone: int
) -> None:
    monkeypatch.setattr(corpus, "ALONE_TURNS", alone)
    with Memory(path) as memory:
        memory.add([{"text": text, "speaker": "Ada"} for text in TEXTS])
        memory.flush()
        before = counted(memory)
    if isinstance(path, Path):
        assert (path.with_name(f"{path.name}-index") / "columns.npz").exists() == (alone == 0)
    for module in (corpus, rows):
        monkeypatch.setattr(module, "VERSION", VERSION + 1)
    monkeypatch.setattr(corpus, "stems", letters)
    with Memory(path) as memory:
        assert counted(memory) == [len(text) for text in TEXTS] != before
        memory.add("abc", speaker="Ada")
        assert counted(memory)[-1] == 3
        assert memory.verify().problems == ()
    with Memory(path) as memory:
        assert counted(memory) == [*map(len, TEXTS), 3]


def test_a_memory_of_schema_6_has_counts_of_the_first_analysis(path: Path) -> None:
    with Memory(path) as memory:
        memory.add("The kiln is hot.", speaker="Ada")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE turn DROP COLUMN analysis")
        for table in ("turn", "log", "setting", "vector", "chunk"):
            connection.execute(f"ALTER TABLE {table} DROP COLUMN checksum")
        connection.execute("DROP TABLE vector_run")
        connection.execute("PRAGMA user_version = 6")
        assert connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
    with Memory(path) as memory:
        assert memory.stats().schema == SCHEMA
        blocks = [block.number for block in memory.corpus.storage.changed_blocks(0)]
        assert [member.analysis for member in memory.corpus.storage.members(blocks)] == [1]
        assert memory.search("kiln")[0].text == "The kiln is hot."
