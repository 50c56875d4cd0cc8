"""Stored outputs of language models: extractions of turns, and texts and verdicts by digest."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec

from hmem.derived.chunks import MOST, decode, encode
from hmem.errors import MemoryDamaged
from hmem.language.analyst import Claim
from hmem.language.analyst.base import TurnExtraction
from hmem.language.analyst.cached_model import AnswerKind, ModelOutput
from hmem.storage.base import Storage
from hmem.storage.model_queue import READINGS, KeptAnswer, KeptReading

# Number of turns whose extraction, or lack of one, is cached; formation asks several times for each.
_REMEMBERED: Final = 4_096


class ModelOutputs:
    """Stored outputs of models, for ``CachedModelAnalyst``. Use it inside ``corpus.reading()``."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._queue = storage.model_queue
        self._of: dict[str, TurnExtraction | None] = {}
        self._number: str | None = None

    @property
    def active(self) -> bool:
        """True if a model ever read a turn."""
        return self._number is not None

    @property
    def number(self) -> int:
        """Number of the last extraction, as of the last ``catch_up``."""
        return int(self._number or 0)

    def catch_up(self, settings: Mapping[str, str]) -> None:
        """Drop cached extractions if there are newer ones, by this process or another."""
        number = settings.get(READINGS)
        if number != self._number:
            self._number = number
            self._of.clear()

    def extractions(self, ids: Sequence[str]) -> dict[str, TurnExtraction]:
        """Return the extractions of turns, by the ids of those that have one."""
        if len(self._of) + len(ids) > _REMEMBERED:
            self._of.clear()
        unknown = [each for each in dict.fromkeys(ids) if each not in self._of]
        if unknown and self._queue is not None:
            located = self._storage.locate(unknown)
            kept = {each.seq: each for each in self._queue.readings(seqs=list(located.values()))}
            for each in unknown:
                self._of[each] = extraction_of(kept.get(located.get(each, -1)))
        return {each: found for each in ids if (found := self._of.get(each)) is not None}

    def answers(self, digests: Sequence[bytes]) -> dict[bytes, ModelOutput]:
        """Return the texts and verdicts for digests, by those that have one."""
        found = [] if self._queue is None else self._queue.answers(list(dict.fromkeys(digests)))
        return {
            each.digest: ModelOutput(each.made_by, _decoded(each.content)) for each in found if each.content is not None
        }


def answered(digest: bytes, kind: AnswerKind, made_by: str, value: Any | None) -> KeptAnswer:
    """Encode a text or verdict for storage; None as value if the model could not give one."""
    return KeptAnswer(digest, kind, made_by, None if value is None else encode(value))


def kept_extraction(seq: int, reading: TurnExtraction, first: int, last: int) -> KeptReading:
    """Encode a turn's extraction for storage. The call was shown turns from ``first`` to ``last``."""
    return KeptReading(seq, first, last, reading.made_by, encode(_dump(sound(reading))))


def extraction_of(kept: KeptReading | None) -> TurnExtraction | None:
    """Decode an extraction; return None if it is missing, was taken back, or has the form of version 0.1, a list."""
    content = None if kept is None or kept.content is None else _decoded(kept.content)
    return None if kept is None or content is None or isinstance(content, list) else _load(kept.made_by, content)


def texts_of_models(storage: Storage) -> Iterable[tuple[str, Any]]:
    """Yield all outputs of models, each with a name for where it is kept."""
    queue = storage.model_queue
    if queue is None:
        return
    for reading in queue.readings():
        if reading.content is not None:
            yield "readings", _decoded(reading.content)
    for answer in queue.answers():
        if answer.content is not None:
            yield f"{answer.kind} by a model", _decoded(answer.content)


def sound(reading: TurnExtraction) -> TurnExtraction:
    """Truncate an extraction to what formation can hold, and assign each stray claim to the first statement."""
    statements, labels = reading.statements[:MOST], reading.labels[:MOST]
    return TurnExtraction(
        reading.made_by,
        reading.curation,
        statements,
        tuple(
            claim if 0 <= claim.statement < max(len(statements), 1) else _of_first(claim)
            for claim in reading.claims[:MOST]
        ),
        reading.extraction,
        labels if len(labels) == len(statements) else (),
        None if reading.importance is None else min(max(reading.importance, 1), 10),
        reading.cues,
    )


def _of_first(claim: Claim) -> Claim:
    return replace(claim, statement=0)


def _decoded(content: bytes) -> Any:
    try:
        return decode(content)
    except ValueError as error:
        raise _damaged(error) from error


def _damaged(error: Exception) -> MemoryDamaged:
    return MemoryDamaged(f"what a model said cannot be read ({error}) - run `hmem reanalyse`")


def _dump(extraction: TurnExtraction) -> dict[str, Any]:
    """Return the fields as values of JSON; ``made_by`` is kept beside them."""
    fields: dict[str, Any] = msgspec.to_builtins(extraction)
    del fields["made_by"]
    return fields


def _load(made_by: str, content: Any) -> TurnExtraction:
    try:
        return msgspec.convert({**content, "made_by": made_by}, TurnExtraction)
    except msgspec.ValidationError as error:
        raise _damaged(error) from error
