"""Change of a memory's key: encryption, decryption, or another key."""

from pathlib import Path

from hmem.errors import InputError, StorageError
from hmem.model.key import MemoryKey
from hmem.storage import Location
from hmem.storage.sqlite.copying import change_key


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
