"""Vectors for turns that have none, and the switch to another embedder."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.errors import EmbedderUnavailable
from hmem.language.containment import Fault, contained
from hmem.language.embed import Embedder
from hmem.model.turn import Turn
from hmem.storage.base import GENERATION, Storage, StoredTurn

EMBEDDER: Final = "embedder.name"
FINGERPRINT: Final = "embedder.fingerprint"
_PENDING: Final = "embedder.pending"
_PROGRESS: Final = "embedder.pending.made"
# Turns and characters that are embedded before their vectors are kept. An endpoint takes as much in one call, so an
# interrupted run loses only the call in progress.
_TURNS: Final = 256
_CHARACTERS: Final = 100_000

Progress = Callable[[int, int], None]


def reembed(storage: Storage, embedder: Embedder, progress: Progress | None = None) -> int:
    """Make a vector of another embedder for every turn, then switch in one transaction; return their number.

    The next run with the same embedder uses the vectors of an interrupted one. Other processes read and write on with
    the old vectors; after the switch they are told to open the memory again. If an embedder only has a new name for
    the same vectors, as an endpoint that has moved, only the name is noted.

    Raises:
        EmbedderUnavailable: the run can be continued later.
    """
    settings = storage.state().settings
    if settings.get(FINGERPRINT) == embedder.fingerprint:
        if settings.get(EMBEDDER) != embedder.name:
            storage.put_settings({EMBEDDER: embedder.name})
        return 0
    generation, before = _begin(storage, embedder)
    facts = {EMBEDDER: embedder.name, FINGERPRINT: embedder.fingerprint, _PENDING: None, _PROGRESS: None}
    embedded_count = 0

    def advance(count: int, total: int) -> None:
        storage.put_settings({_PROGRESS: str(min(before + embedded_count + count, total))})
        if progress is not None:
            progress(min(before + embedded_count + count, total), total)

    while True:
        try:
            embedded_count += fill_vectors(storage, embedder, generation, advance)
        except EmbedderUnavailable as error:
            raise EmbedderUnavailable(f"{error} - what was made is kept, the next run goes on from there") from error
        # A turn that was added just before the switch is embedded in another round.
        if storage.switch_generation(generation, facts):
            return embedded_count


def _begin(storage: Storage, embedder: Embedder) -> tuple[int, int]:
    """Return the generation to fill, and the number of vectors that an interrupted run made for it."""
    settings = storage.state().settings
    present = int(settings.get(GENERATION, "0"))
    pending, _, number = settings.get(_PENDING, " 0").rpartition(" ")
    if pending == embedder.fingerprint:
        return int(number), int(settings.get(_PROGRESS) or 0)
    generation = max(present, int(number)) + 1
    storage.put_settings({_PENDING: f"{embedder.fingerprint} {generation}", _PROGRESS: None})
    return generation, 0


def fill_vectors(storage: Storage, embedder: Embedder, generation: int, progress: Progress | None) -> int:
    """Make the vectors that turns lack in a generation, and keep them batch by batch; return their number."""
    total, count = storage.counts().turns, 0
    while missing := storage.without_vector(generation, _TURNS):
        batch = _next_batch(missing)
        vectors = vectors_of(embedder, [row.turn for row in batch])
        storage.put_vectors([row.seq for row in batch], vectors, generation)
        count += len(batch)
        if progress is not None:
            progress(min(count, total), total)
    return count


def vectors_of(embedder: Embedder, turns: Sequence[Turn]) -> NDArray[np.float32]:
    """Embed turns as ``vectors_of_texts`` does."""
    return vectors_of_texts(embedder, [embedded(turn) for turn in turns])


def vectors_of_texts(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """Embed texts; one that the embedder cannot read gets zeros, and the others their vectors.

    Raises:
        EmbedderUnavailable: no vectors can be made now.
    """
    vectors = contained(lambda: embedder.embed(texts))
    if not isinstance(vectors, Fault):
        return vectors
    if vectors.of_surroundings:
        raise EmbedderUnavailable(f"the embedder failed ({vectors}) - try again later") from vectors.error
    if len(texts) <= 1:
        return np.zeros((len(texts), embedder.dimension), np.float32)
    half = len(texts) // 2
    return np.concatenate([vectors_of_texts(embedder, texts[:half]), vectors_of_texts(embedder, texts[half:])])


def _next_batch(missing: Sequence[StoredTurn]) -> Sequence[StoredTurn]:
    """Return the first of these turns, at least one, as many as fit the characters embedded at once."""
    lengths = list(accumulate(len(embedded(row.turn)) for row in missing))
    return missing[: max(1, bisect_right(lengths, _CHARACTERS))]


def embedded(turn: Turn) -> str:
    """Return the text of a turn that is embedded: its speaker and its content."""
    return f"{turn.speaker}: {turn.content}"
