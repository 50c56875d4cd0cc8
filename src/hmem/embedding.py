"""Vectors for turns that have none, and going over to another embedder's."""

from collections.abc import Callable
from typing import Final

from hmem.language.embed import Embedder
from hmem.model.turn import Turn
from hmem.storage.base import GENERATION, Storage

EMBEDDER: Final = "embedder.name"
FINGERPRINT: Final = "embedder.fingerprint"
_PENDING: Final = "embedder.pending"
_EMBEDDED_AT_ONCE: Final = 512

Progress = Callable[[int, int], None]


def reembed(storage: Storage, embedder: Embedder, progress: Progress | None = None) -> int:
    """Give every turn a vector of another embedder, then go over to them in one transaction; how many were made.

    What an interrupted run made is used by the next one with the same embedder. Other processes read and
    write on meanwhile with the old vectors; after the switch they are told to open the memory again.

    Raises:
        EmbedderUnavailable: the run can be taken up later.
    """
    settings = storage.settings()
    if settings.get(FINGERPRINT) == embedder.fingerprint:
        return 0
    present, (pending, number) = int(settings.get(GENERATION, "0")), settings.get(_PENDING, " 0").split(" ")
    generation = int(number) if pending == embedder.fingerprint else max(present, int(number)) + 1
    storage.put_settings({_PENDING: f"{embedder.fingerprint} {generation}"})
    facts = {EMBEDDER: embedder.name, FINGERPRINT: embedder.fingerprint, _PENDING: None}
    made = 0
    while True:
        made += fill_vectors(storage, embedder, generation, progress)
        # A turn that came between the last look and the switch is embedded in another round.
        if storage.switch_generation(generation, facts):
            return made


def fill_vectors(storage: Storage, embedder: Embedder, generation: int, progress: Progress | None) -> int:
    """Make the vectors that turns lack in a generation, a batch at a time; how many."""
    total, made = storage.counts().turns, 0
    while missing := storage.without_vector(generation, _EMBEDDED_AT_ONCE):
        vectors = embedder.embed([embedded(stored.turn) for stored in missing])
        storage.put_vectors([stored.seq for stored in missing], vectors, generation)
        made += len(missing)
        if progress is not None:
            progress(min(made, total), total)
    return made


def embedded(turn: Turn) -> str:
    """What of a turn is embedded: who says what."""
    return f"{turn.speaker}: {turn.content}"
