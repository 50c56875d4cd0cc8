"""Search for words in all rows of a memory: in kept texts whole, in opaque contents only what cannot be chance.

What the database keeps of deleted rows until ``VACUUM``, in its write-ahead log, in replicas and in backups, no
statement can see.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Final

from hmem.util.residue import ByteScanner, Residue, words_in
from hmem_postgres import packing
from hmem_postgres.transactions import Rows, Statement, Transactions

# As in a file: shorter words may occur by chance in bytes.
_MIN_BYTES: Final = 5

# Texts by table and column; blocks, chunks and the contents of models come apart.
_TEXTS: Final = {
    "speaker": ("name", "role"),
    "session": ("name",),
    "log": ("by", "verb", "target", "why", "before", "after", "link", "key"),
    "reading": ("made_by",),
    "work": ("holder", "error"),
    "answer": ("kind", "made_by"),
    "reaction": ("holder",),
    "spending": ("day", "purpose", "model"),
}
_BYTES: Final = {"chunk": "content", "reading": "content", "answer": "content", "reaction": "content"}


def find_residue(transactions: Transactions, words: Sequence[str]) -> list[Residue]:
    """Return the places of words in the rows of a memory."""
    scanner = ByteScanner(words)
    if not scanner.words:
        return []
    word_set = set(scanner.words)
    memory = transactions.memory
    statements: list[Statement] = [
        ("SELECT texts FROM hmem.text WHERE memory = %s", (memory,)),
        ("SELECT settings FROM hmem.memory WHERE memory = %s", (memory,)),
    ]
    statements += [(f"SELECT {', '.join(names)} FROM hmem.{table} WHERE memory = %s", (memory,))
                   for table, names in _TEXTS.items()]  # fmt: skip
    statements += [(f"SELECT {name} FROM hmem.{table} WHERE memory = %s", (memory,)) for table, name in _BYTES.items()]
    blocks, settings, *other_rows = transactions.read(*statements)
    traces: dict[Residue, None] = {}
    columns = [("text.texts", blocks_texts(blocks)), ("memory.settings", _settings_texts(settings))]
    columns += [(f"{table}.{name}", _column(rows, index))
             for (table, names), rows in zip(_TEXTS.items(), other_rows[: len(_TEXTS)], strict=True)
             for index, name in enumerate(names)]  # fmt: skip
    for column, texts in columns:
        for text in texts:
            traces.update(dict.fromkeys(Residue(word, column) for word in sorted(word_set & words_in(text))))
    opaque = ByteScanner(word_set - {trace.word for trace in traces})
    for (table, name), rows in zip(_BYTES.items(), other_rows[len(_TEXTS) :], strict=True):
        for (content,) in rows:
            hits = opaque.find(content or b"", _MIN_BYTES)
            traces.update(dict.fromkeys(Residue(word, f"{table}.{name}") for _, word, _ in hits))
    return list(traces)


def blocks_texts(rows: Rows) -> Iterator[str]:
    """Yield every text of the turns of blocks."""
    for (texts,) in rows:
        for data in texts:
            yield from packing.texts(data)


def _settings_texts(rows: Rows) -> Iterator[str]:
    for (settings,) in rows:
        yield json.dumps(settings, ensure_ascii=False)


def _column(rows: Rows, index: int) -> Iterator[str]:
    return (row[index] for row in rows if row[index] is not None)
