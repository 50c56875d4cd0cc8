"""Re-embedding: replacing the embedder of a memory, and the vectors of all its turns."""

from pathlib import Path

from hmem.api.memory import Memory
from hmem.corpus.embedding import Progress
from hmem.corpus.embedding import reembed as reembed_storage
from hmem.errors import EmbedderUnavailable, StorageFull
from hmem.language.embed import embedder as load_embedder
from hmem.model.key import MemoryKey
from hmem.storage import Location, open_storage


def reembed(
    path: str | Path | Location,
    embedder: str,
    *,
    progress: Progress | None = None,
    busy_seconds: float = 10.0,
    key: str | bytes | MemoryKey | None = None,
) -> int:
    """Make vectors of another embedder for every turn, then switch to them; return the number of vectors made.

    An interrupted run is continued by the next one, and no vector is made twice. Other processes work on with the old
    vectors until the switch, and are then told to open the memory again.

    Raises:
        UnknownName, EmbedderUnavailable: there is no such embedder, or it fails; vectors that were made are kept.
        MemoryNotFound, NotAMemory, KeyNeeded, WrongKey, StorageError: the file cannot be used.
    """
    given = MemoryKey.parse(key)
    chosen = load_embedder(embedder)
    storage = open_storage(path, create=False, busy_seconds=busy_seconds, key=given)
    try:
        made = reembed_storage(storage, chosen, progress)
    except StorageFull as error:
        told = "the memory has its vectors of before, and those made so far wait for another run"
        raise error.but_kept(told) from error
    finally:
        storage.close()
    if made:
        _form_anew(path, busy_seconds, given)
    return made


def _form_anew(path: str | Path | Location, busy_seconds: float, key: MemoryKey | None) -> None:
    """Form the turns anew, since trees are built from the vectors."""
    with Memory(path, create=False, busy_seconds=busy_seconds, key=key) as memory:
        try:
            memory.consolidate()
        except EmbedderUnavailable as error:
            told, _, _ = str(error).rpartition(" - ")
            raise EmbedderUnavailable(
                f"the memory has gone over to {memory.stats().embedder}, but is not formed anew ({told}) - "
                "run `hmem consolidate` when the embedder is to be had"
            ) from error
