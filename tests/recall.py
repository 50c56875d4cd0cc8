"""What strategies take, for tests that call one by itself."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from hmem import Memory
from hmem.hierarchy.arrangement import Arrangement
from hmem.hierarchy.scribe import Scribe, ScribeOptions
from hmem.language.analyst import analyst
from hmem.read.pipeline import Recall
from hmem.read.plan import Query
from hmem.read.reading import Reading
from hmem.read.sources import Sources

ASKED = datetime(2024, 1, 1, tzinfo=UTC)


@contextmanager
def sources(memory: Memory) -> Generator[Sources]:
    """What recall reads of a memory, held still."""
    rules, kept = analyst("rules"), Arrangement(memory.corpus)
    with memory.corpus.reading():
        yield Sources(memory.corpus, kept, Scribe(memory.corpus, kept, rules, ScribeOptions()), rules)


def query(held: Sources, question: str, asked: datetime = ASKED, **changes: Any) -> Query:
    """A question as strategies use it, with some of its fields changed."""
    held.begin()
    return replace(Recall(held, Reading()).read(question, asked)[1], **changes)
