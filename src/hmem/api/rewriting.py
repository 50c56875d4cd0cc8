"""Rewrite a whole memory: for another embedder, or under another key."""

from pathlib import Path

from hmem.api.memory import Memory
from hmem.corpus.embedding import Progress
from hmem.corpus.embedding import reembed as reembed_storage
from hmem.errors import EmbedderUnavailable, InputError, StorageError, StorageFull
from hmem.language.embed import embedder as load_embedder
from hmem.model.key import MemoryKey
from hmem.storage import Location, open_storage
from hmem.storage.sqlite.copying import change_key


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
    memory_key = MemoryKey.parse(key)
    model = load_embedder(embedder)
    storage = open_storage(path, create=False, busy_seconds=busy_seconds, key=memory_key)
    try:
        count = reembed_storage(storage, model, progress)
    except StorageFull as error:
        remark = "the memory has its vectors of before, and those made so far wait for another run"
        raise error.but_kept(remark) from error
    finally:
        storage.close()
    if count:
        _form_anew(path, busy_seconds, memory_key)
    return count


def _form_anew(path: str | Path | Location, busy_seconds: float, key: MemoryKey | None) -> None:
    """Form the turns anew, since trees are built from the vectors."""
    with Memory(path, create=False, busy_seconds=busy_seconds, key=key) as memory:
        try:
            memory.consolidate()
        except EmbedderUnavailable as error:
            reason, _, _ = str(error).rpartition(" - ")
            raise EmbedderUnavailable(
                f"the memory has gone over to {memory.stats().embedder}, but is not formed anew ({reason}) - "
                "run `hmem consolidate` when the embedder is to be had"
            ) from error


def rekey(
    path: str | Path | Location, *, key: str | bytes | MemoryKey | None, new_key: str | bytes | MemoryKey | None
) -> None:
    """Rewrite a memory under another key; None stands for a memory in the clear.

    The new file is written beside the old one, compared with it row by row and put in its place in one step. The old
    file and its indices are overwritten, as far as the disk writes in place. An interrupted change leaves the memory as
    it was, or as it was to be.

    Raises:
        InputError: both keys are the same.
        MemoryBusy: the memory is open, here or in another process.
        KeyNeeded, WrongKey: ``key`` is not that of the memory.
        MemoryNotFound, NotAMemory, StorageFull, StorageError: the file cannot be used or replaced.
    """
    old, new, location = MemoryKey.parse(key), MemoryKey.parse(new_key), Location.parse(path)
    if old == new:
        raise InputError("the key and the new key are the same - give two, or one of them as None")
    if location.path is None:
        raise StorageError(f"{location} is no file, and has no key - encrypt its database")
    change_key(location.path, old, new)
