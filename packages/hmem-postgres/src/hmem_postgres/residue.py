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
_LEAST: Final = 5

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
    wanted = set(scanner.words)
    memory = transactions.memory
    statements: list[Statement] = [
        ("SELECT texts FROM hmem.block WHERE memory = %s", (memory,)),
        ("SELECT settings FROM hmem.memory WHERE memory = %s", (memory,)),
    ]
    statements += [(f"SELECT {', '.join(names)} FROM hmem.{table} WHERE memory = %s", (memory,))
                   for table, names in _TEXTS.items()]  # fmt: skip
    statements += [(f"SELECT {name} FROM hmem.{table} WHERE memory = %s", (memory,)) for table, name in _BYTES.items()]
    blocks, settings, *rest = transactions.read(*statements)
    found: dict[Residue, None] = {}
    kept = [("block.texts", blocks_texts(blocks)), ("memory.settings", _settings_texts(settings))]
    kept += [(f"{table}.{name}", _column(rows, place))
             for (table, names), rows in zip(_TEXTS.items(), rest, strict=False)
             for place, name in enumerate(names)]  # fmt: skip
    for place, texts in kept:
        for text in texts:
            found.update(dict.fromkeys(Residue(word, place) for word in sorted(wanted & words_in(text))))
    opaque = ByteScanner(wanted - {trace.word for trace in found})
    for (table, name), rows in zip(_BYTES.items(), rest[len(_TEXTS) :], strict=True):
        for (content,) in rows:
            hits = opaque.find(content or b"", _LEAST)
            found.update(dict.fromkeys(Residue(word, f"{table}.{name}") for _, word, _ in hits))
    return list(found)


def blocks_texts(rows: Rows) -> Iterator[str]:
    """Yield every text of the turns of blocks."""
    for (texts,) in rows:
        for packed in texts:
            yield from packing.texts(packed)


def _settings_texts(rows: Rows) -> Iterator[str]:
    for (settings,) in rows:
        yield json.dumps(settings, ensure_ascii=False)


def _column(rows: Rows, place: int) -> Iterator[str]:
    return (row[place] for row in rows if row[place] is not None)
