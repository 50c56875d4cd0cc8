"""Going over to another embedder."""

from pathlib import Path

from hmem.embedding import Progress
from hmem.embedding import reembed as reembed_storage
from hmem.language.embed import embedder as load_embedder
from hmem.memory import Memory
from hmem.storage import open_storage


def reembed(path: str | Path, embedder: str, *, progress: Progress | None = None, busy_seconds: float = 10.0) -> int:
    """Go over to another embedder: new vectors for every turn, then one switch; how many were made.

    An interrupted run is taken up by the next one. Other processes keep working with the old vectors until
    the switch, and are then told to open the memory again.

    Raises:
        UnknownName, EmbedderUnavailable: the embedder is not to be had.
        MemoryNotFound, NotAMemory, StorageError: the file cannot be used.
    """
    chosen = load_embedder(embedder)
    storage = open_storage(str(path), create=False, busy_seconds=busy_seconds)
    try:
        made = reembed_storage(storage, chosen, progress)
    finally:
        storage.close()
    if made:
        # Trees stand on the vectors, so they are formed anew.
        with Memory(path, create=False, busy_seconds=busy_seconds) as memory:
            memory.consolidate()
    return made
