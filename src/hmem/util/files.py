"""Files: those that other processes may delete at any moment, what is no regular file, and files of one owner."""

import logging
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

PRIVATE_FILE: Final = 0o600
PRIVATE_FOLDER: Final = 0o700

LOGGER: Final = logging.getLogger("hmem.files")
# What a folder of memories holds: memories with what lies beside them, the server's own, the hooks' and the projects'.
_MEMORY_FILES: Final = re.compile(r".*\.hmem([-.].*)?|\.keys\.json.*|\.server|hooks|projects")
_KINDS: Final = {
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_OTHER_USERS: Final = 0o077
# Windows has neither; its files have no such modes either.
_AT_ONCE: Final = getattr(os, "O_NONBLOCK", 0)
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_BINARY: Final = getattr(os, "O_BINARY", 0)


def files_under(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder and its subfolders; skip those that vanish meanwhile."""
    for directory, _, names in os.walk(folder):
        for name in names:
            yield Path(directory, name)


def size_of(files: Iterable[Path]) -> int:
    """Return the total size in bytes; a missing file counts 0."""
    total = 0
    for file in files:
        with suppress(FileNotFoundError):
            total += file.stat().st_size
    return total


# What is no regular file.


class IrregularFileError(OSError):
    """A pipe, a device, a socket, a folder or a symbolic link in the place of a file; ``strerror`` says which."""


def irregular(path: Path) -> str | None:
    """Return what stands at a path instead of a regular file, such as "a pipe"; None for a file or nothing.

    Raises:
        OSError: it cannot be told.
    """
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return None
    return _kind(mode)


def _kind(mode: int) -> str | None:
    return None if stat.S_ISREG(mode) else _KINDS.get(stat.S_IFMT(mode), "no file")


def open_regular(path: Path) -> IO[bytes]:
    """Open a regular file for reading. Anything else is refused at once: no pipe is waited for, no link followed.

    Raises:
        IrregularFileError: it is no regular file.
        OSError: it cannot be opened.
    """
    if (kind := irregular(path)) is not None:
        raise IrregularFileError(0, f"it is {kind}", str(path))
    # Something else may have come to its place since, so nothing here waits or follows.
    descriptor = os.open(path, os.O_RDONLY | _AT_ONCE | _NO_LINK | _BINARY)
    if (kind := _kind(os.fstat(descriptor).st_mode)) is not None:
        os.close(descriptor)
        raise IrregularFileError(0, f"it is {kind}", str(path))
    return os.fdopen(descriptor, "rb")


# Files of one owner.


def private_folder(folder: Path) -> None:
    """Make a folder with those above it that are missing, each for its owner only, whatever the umask.

    One that is there keeps its mode; ``make_private`` changes it.

    Raises:
        OSError: it cannot be made.
    """
    missing: list[Path] = []
    ancestor = folder
    while not ancestor.exists():
        missing.append(ancestor)
        ancestor = ancestor.parent
    for directory in reversed(missing):
        directory.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
        # The umask may have taken rights from the owner.
        directory.chmod(PRIVATE_FOLDER)


def private_file(path: Path) -> bool:
    """Make an empty file for its owner only, whatever the umask; return False, without a change, if there is one.

    Raises:
        OSError: it cannot be made.
    """
    try:
        if sys.platform == "linux":
            # Nothing is opened: to close a file drops the locks that other threads of the process have of it.
            os.mknod(path, stat.S_IFREG | PRIVATE_FILE)
        else:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | _NO_LINK, PRIVATE_FILE))
    except FileExistsError:
        return False
    # Another process may have deleted it again.
    with suppress(FileNotFoundError):
        path.chmod(PRIVATE_FILE)
    return True


def open_private(path: Path, *, append: bool = False) -> IO[bytes]:
    """Open a file to be written, anew or at its end: for its owner only, whatever the umask. No link is followed.

    Raises:
        OSError: it cannot be opened.
    """
    way = os.O_APPEND if append else os.O_TRUNC
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | way | _NO_LINK | _BINARY, PRIVATE_FILE)
    if os.name == "posix":
        os.fchmod(descriptor, PRIVATE_FILE)
    return os.fdopen(descriptor, "ab" if append else "wb")


def make_private(paths: Iterable[Path]) -> list[Path]:
    """Take the rights of others from files and folders of this user; return those that others had rights to.

    Missing ones, those of other users and symbolic links are left alone.
    """
    return [path for path in paths if os.name == "posix" and _restrict(path)]


def _restrict(path: Path) -> bool:
    with suppress(OSError):
        status = path.lstat()
        if status.st_mode & _OTHER_USERS and status.st_uid == os.geteuid() and not stat.S_ISLNK(status.st_mode):
            path.chmod(stat.S_IMODE(status.st_mode) & ~_OTHER_USERS)
            return True
    return False


def restrict_permissions(paths: Iterable[Path]) -> None:
    """Take the rights of others from files and folders of this user, and say in the log to which they had any."""
    for path in make_private(paths):
        LOGGER.warning("%s was open to other users - it is for its owner only now", path)


def private_root(root: Path) -> None:
    """Make a folder of memories, or take the rights of others from it, and say so in the log.

    A folder that holds other things as well may be meant for others: it is left as it is, and told of.

    Raises:
        OSError: it cannot be made or listed.
    """
    private_folder(root)
    if all(_MEMORY_FILES.fullmatch(entry.name) for entry in root.iterdir()):
        restrict_permissions([root])
    elif os.name == "posix" and root.stat().st_mode & _OTHER_USERS:
        LOGGER.warning("%s is open to other users and holds more than memories - chmod 700, or take another", root)


def tree(folder: Path) -> Iterator[Path]:
    """Yield a folder and all in it; links are not followed."""
    yield folder
    for directory, folders, names in os.walk(folder):
        for name in (*folders, *names):
            yield Path(directory, name)
