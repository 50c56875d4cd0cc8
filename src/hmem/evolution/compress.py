"""Compressor: has a model compress long turns, one by one, beside the text as it was said (HMO).

The answer is stored under the digest of the text; a context without room for the turn shows it in the turn's place.
Without a model long turns are cut to the sentences that match the question.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, TypeVar

from hmem.corpus.corpus import Corpus
from hmem.derived.changes import encode_answer
from hmem.derived.text_writer import TextWriter
from hmem.evolution.analyse import ModelWorker, Progress
from hmem.language.analyst.base import ContentType
from hmem.language.analyst.cached_model import digest
from hmem.language.analyst.language_model import ToCompress, WorkerModel
from hmem.language.containment import Fault
from hmem.language.prompt_text import lines_of
from hmem.language.tokens import count_tokens
from hmem.storage.model_queue import ERASURES, READ_FROM, KeptAnswer

_Reply = TypeVar("_Reply")

# Words from which on a turn is long.
LONG_WORDS: Final = 100
# Number of turns that are looked at with the memory locked.
_AT_ONCE: Final = 32

_CODE: Final = re.compile(
    r"^\s*(?:(?:def|class|import|from|return|if|for|while|func|fn|const|let|var|public|private|SELECT|CREATE)\b.*"
    r"|.*[{}]|[\w.]+\s*=\s*\S+|</?\w[^>]*>.*)$"
)
_ROW: Final = re.compile(r"^\s*\||\S(?:\t|\s{2,})\S.*(?:\t|\s{2,})\S")
_LOGGED: Final = re.compile(
    r"^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d|\[?\d\d:\d\d:\d\d|[$>#] \S|Traceback|\S*(?:Error|ERROR|WARN|INFO|FAIL)\b)"
)
# Share of the lines that make a text code, a table or a log.
_SHARE: Final = 0.4
_FENCE: Final = "```"


def content_type(text: str) -> ContentType:
    """Return the type of a long text's content, by the form of its lines."""
    lines = [line for line in text.splitlines() if line.strip()]

    def mostly(form: re.Pattern[str]) -> bool:
        return sum(bool(form.search(line)) for line in lines) >= _SHARE * len(lines)

    if len(lines) > 1 and mostly(_LOGGED):
        return "log"
    if len(lines) > 1 and mostly(_ROW):
        return "table"
    return "code" if _FENCE in text or (len(lines) > 1 and mostly(_CODE)) else "essay"


def request(
    worker: ModelWorker, call: Callable[[], _Reply | None], progress: Progress, limit: int | None
) -> tuple[_Reply | None] | None:
    """Return a model's reply, which is None if it has no usable one; None itself if the call could not be made."""
    reply = worker.ask(lambda: (call(),), progress, limit)
    if isinstance(reply, Fault):
        progress.count_call("failed", 0, str(reply), worker.options.failures)
        return (None,)
    if reply is not None:
        progress.count_call("read", 0)
    return reply


class Compressor:
    """Compressor of one memory's long turns by a model, in a run of a worker."""

    def __init__(self, corpus: Corpus, text_writer: TextWriter, worker: ModelWorker) -> None:
        self._corpus = corpus
        self._text_writer = text_writer
        self._worker = worker

    def run(self, model: WorkerModel, progress: Progress, limit: int | None = None) -> int:
        """Have each long turn compressed, within a limit of calls; return the number of those that were.

        Raises:
            MemoryBusy, StorageFull, StorageError: what was compressed so far is kept.
        """
        with self._corpus.reading():
            erasure_mark = self._corpus.storage.state().settings.get(ERASURES)
        count = 0
        for text in self._missing(model.room.input_tokens):
            answer = self._request(model, text, progress, limit)
            if answer is None:
                continue
            with self._corpus.reading():
                if not self._corpus.model_queue.keep_answers([answer], erasure_mark):
                    return count
            count += answer.content is not None
        return count

    def _request(self, model: WorkerModel, text: str, progress: Progress, limit: int | None) -> KeptAnswer | None:
        """Return the answer about a text, without content if the model has no usable one; None if it was not asked."""
        work = ToCompress(content_type(text), tuple(lines_of(text)))
        reply = request(self._worker, partial(model.compress, work), progress, limit)
        if reply is None:
            return None
        value = [reply[0].line_numbers, reply[0].abstract] if reply[0] is not None else None
        return encode_answer(digest("compression", text), "compression", model.made_by, value)

    def _missing(self, room: int) -> Iterator[str]:
        """Yield the texts of long turns that have no answer yet and fit into a call, the oldest first."""
        with self._corpus.reading():
            columns = self._corpus.columns
            since = int(self._corpus.storage.state().settings.get(READ_FROM, "0"))
            long = columns.alive & (columns.words >= LONG_WORDS) & (columns.seq > since)
            seqs: list[int] = columns.seq[long].tolist()
        for start in range(0, len(seqs), _AT_ONCE):
            with self._corpus.reading():
                turns = self._text_writer.turns(seqs[start : start + _AT_ONCE]).values()
                texts = {digest("compression", turn.text): turn.text for turn in turns}
                cached_digests = {answer.digest for answer in self._corpus.model_queue.answers(list(texts))}
            yield from (text for key, text in texts.items() if key not in cached_digests and count_tokens(text) <= room)
