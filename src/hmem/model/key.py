"""Keys of encrypted memories: from a caller, a file, a command or the environment, and never shown."""

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from hmem.errors import KeyUnavailable

VARIABLE: Final = "HMEM_KEY"
FILE_VARIABLE: Final = "HMEM_KEY_FILE"
COMMAND_VARIABLE: Final = "HMEM_KEY_COMMAND"

_COMMAND_SECONDS: Final = 120.0
# 256 bits, used as they are; anything else is a passphrase, from which the key is derived.
_BITS: Final = re.compile(rb"[0-9A-Fa-f]{64}")


class MemoryKey:
    """A key. Its printed form shows nothing of it.

    64 hexadecimal digits are 256 random bits and used as they are. Any other text is a passphrase: the key is derived
    from it with the file's salt, by PBKDF2 with 64,007 rounds of SHA-256.

    Raises:
        KeyUnavailable: the text is empty.
    """

    __slots__ = ("_secret",)

    def __init__(self, secret: str | bytes) -> None:
        self._secret: bytes = secret.encode("utf-8", "surrogatepass") if isinstance(secret, str) else bytes(secret)
        if not self._secret:
            raise KeyUnavailable("the key is empty - give one")

    @classmethod
    def parse(cls, key: "str | bytes | MemoryKey | None") -> "MemoryKey | None":
        """Return the key of a text; a key is returned as it is."""
        return key if key is None or isinstance(key, MemoryKey) else cls(key)

    @classmethod
    def from_file(cls, path: str | Path) -> "MemoryKey":
        """Return the key in a file, without the end of its line.

        Raises:
            KeyUnavailable: the file is empty or cannot be read.
        """
        try:
            return cls(Path(path).expanduser().read_bytes().rstrip(b"\r\n"))
        except OSError as error:
            raise KeyUnavailable(f"{path} with the key cannot be read ({error.strerror}) - check it") from error

    @classmethod
    def from_command(cls, command: str) -> "MemoryKey":
        """Return the key that a command writes to its standard output, without the end of the line.

        Raises:
            KeyUnavailable: the command fails, or writes nothing.
        """
        import shlex  # noqa: PLC0415 - few need it, and commands load this module
        import subprocess  # noqa: PLC0415

        try:
            words = shlex.split(command, posix=os.name != "nt")
            process = subprocess.run(  # noqa: S603 - the caller's own command
                words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=_COMMAND_SECONDS, check=False
            )
        except (OSError, ValueError, IndexError, subprocess.TimeoutExpired) as error:
            # The error of a timeout holds what was written so far.
            raise KeyUnavailable(
                f"the command for the key cannot be run ({type(error).__name__}) - try it by hand"
            ) from None
        if process.returncode:
            raise KeyUnavailable(f"the command for the key failed with exit code {process.returncode} - try it by hand")
        return cls(process.stdout.rstrip(b"\r\n"))

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "MemoryKey | None":
        """Return the key that the environment names by ``HMEM_KEY``, a file or a command, in this order; else None.

        Raises:
            KeyUnavailable: the file or the command gives none.
        """
        ways: tuple[tuple[str, Callable[[str], MemoryKey]], ...] = (
            (VARIABLE, cls), (FILE_VARIABLE, cls.from_file), (COMMAND_VARIABLE, cls.from_command),
        )  # fmt: skip
        return next((way(value) for name, way in ways if (value := environment.get(name))), None)

    def material(self) -> str:
        """Return the key as SQLite takes it, in hexadecimal digits. Show it to nobody."""
        return (b"raw:" + self._secret if _BITS.fullmatch(self._secret) else self._secret).hex()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MemoryKey) and self._secret == other._secret

    def __hash__(self) -> int:
        return hash(self._secret)

    def __repr__(self) -> str:
        return "MemoryKey(***)"
