"""Arguments of strategies, for tests that call one directly."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from hmem import Memory
from hmem.derived.state import DerivedState
from hmem.derived.text_writer import TextWriter, TextWriterOptions
from hmem.language.analyst import analyst
from hmem.model.answer import Answer
from hmem.retrieval.answer.quoting import QuotedAnswer
from hmem.retrieval.config import RetrievalConfig
from hmem.retrieval.pipeline import RetrievalPipeline
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources

ASKED = datetime(2024, 1, 1, tzinfo=UTC)


@contextmanager
def sources(memory: Memory) -> Generator[Sources]:
    """Yield the sources of a memory for recall, under one read lock, after what was added is formed."""
    memory._components.worker.finish()
    language = analyst("verbatim")
    kept = DerivedState(memory.corpus, language)
    with memory.corpus.reading():
        yield Sources(memory.corpus, kept, TextWriter(memory.corpus, kept, language, TextWriterOptions()), language)


def query(held: Sources, question: str, asked: datetime = ASKED, **changes: Any) -> Query:
    """Return a question as strategies use it, with some of its fields changed."""
    held.begin()
    return replace(RetrievalPipeline(held, RetrievalConfig()).read(question, asked)[1], **changes)


def plain(answer: Answer | QuotedAnswer) -> str:
    """Return the text of an answer in lower case, without the hedge of an unsure one."""
    return answer.text.lower().removeprefix("probably ")
