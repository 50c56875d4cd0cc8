"""Keys: who may do what with which memories.

A key is ``hmem_ID_SECRET``. The file keeps its id, its rights and its SHA-256. It is replaced atomically, and only its
owner may read it. A revoked key stays in it.
"""

import hmac
import json
import os
import secrets
import stat
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from hashlib import sha256
from math import inf
from pathlib import Path
from threading import Lock
from typing import Any, Final, cast, get_args

from hmem.errors import InvalidFile, InvalidRequest, KeyRefused, UnknownId, Unprotected
from hmem.interfaces.operations import Scope
from hmem.model.span import now
from hmem.util.files import private_folder

SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
ANY_MEMORY: Final = "*"
_PREFIX: Final = "hmem"
_EMPTY_DIGEST: Final = sha256(b"").hexdigest()
_VERSION: Final = 1
_OTHERS_MAY_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True, slots=True)
class Key:
    """Record of a key, without the key itself. Times are in ISO 8601; ``memories`` are names or patterns.

    ``rate`` is how many requests it may make in a second, None for as many as any.
    """

    id: str
    name: str
    hash: str
    scopes: tuple[Scope, ...]
    memories: tuple[str, ...]
    created: str
    expires: str | None = None
    revoked: str | None = None
    rate: float | None = None

    def allows(self, scope: Scope, memory: str | None) -> bool:
        """Tell if it has a scope on a memory; None stands for the server, which needs a key for every memory."""
        if scope not in self.scopes and "admin" not in self.scopes:
            return False
        if memory is None:
            return ANY_MEMORY in self.memories
        return any(fnmatchcase(memory, pattern) for pattern in self.memories)

    def reaches(self, memory: str) -> bool:
        """Tell if it is for a memory, with any scope."""
        return any(fnmatchcase(memory, pattern) for pattern in self.memories)

    def check_current(self) -> None:
        """Refuse it if it is no longer valid.

        Raises:
            KeyRefused: it was revoked, or has expired.
        """
        if self.revoked is not None:
            raise KeyRefused("this key was revoked - ask for another one")
        if self.expires is not None and datetime.fromisoformat(self.expires) <= now():
            raise KeyRefused("this key has expired - ask for another one")


# Client of a server that listens to its own machine only and has no keys.
ANYONE: Final = Key("anyone", "anyone", "", SCOPES, (ANY_MEMORY,), "")
# The page that `hmem explore` opened.
LOCAL: Final = replace(ANYONE, id="local", name="this machine")


class Keys:
    """Keys in a file, which is read again when it changes. Thread-safe.

    Raises:
        Unprotected: other users of the machine may write the file.
        InvalidFile: it is no file of keys.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._version: tuple[int, ...] | None = None
        self._keys: dict[str, Key] = {}
        self.records()

    def records(self) -> tuple[Key, ...]:
        """Return all keys by the time of their creation, also revoked and expired ones."""
        with self._lock:
            self._read_again()
            return tuple(self._keys.values())

    def find(self, secret: str) -> Key:
        """Return the record of a given key.

        Raises:
            KeyRefused: it is unknown, was revoked or has expired.
        """
        with self._lock:
            self._read_again()
            key = self._keys.get(_id_of(secret))
        # An unknown id is compared too, so that the time does not reveal which ids exist.
        matches = hmac.compare_digest(_digest(secret), key.hash if key else _EMPTY_DIGEST)
        if key is None or not matches:
            raise KeyRefused("this key is not known here - see `hmem keys list`")
        key.check_current()
        return key

    def check(self, key: Key) -> None:
        """Refuse a key that was valid before, if it is valid no more.

        Raises:
            KeyRefused: it was revoked, has expired, or is needed by now.
        """
        if key is LOCAL:
            return
        with self._lock:
            self._read_again()
            record = self._keys.get(key.id)
            keys_exist = bool(self._keys)
        if record is not None:
            record.check_current()
        elif key is not ANYONE or keys_exist:
            raise KeyRefused("this key is not known here any more - ask for another one")

    def create(
        self,
        name: str,
        scopes: Iterable[str],
        memories: Iterable[str],
        expires: datetime | None = None,
        rate: float | None = None,
    ) -> tuple[str, Key]:
        """Return a new key, which cannot be shown again, and its record.

        Raises:
            InvalidRequest: there is no such scope, or nothing that it is for.
        """
        scope_names, patterns = tuple(scopes), tuple(memories)
        if not scope_names or any(scope not in SCOPES for scope in scope_names):
            raise InvalidRequest(
                f"a key is for some of {', '.join(SCOPES)} - not for {', '.join(scope_names) or 'nothing'}"
            )
        if not patterns or not all(patterns):
            raise InvalidRequest("a key is for some memories - give names or patterns, such as 'team-*'")
        if rate is not None and not 0 < rate < inf:
            raise InvalidRequest("a key's rate is a number of requests a second above 0 - give another one")
        identity, secret = _new()
        until = None if expires is None else expires.isoformat()
        scopes_of = cast("tuple[Scope, ...]", scope_names)
        key = Key(identity, name, _digest(secret), scopes_of, patterns, _time(), until, rate=rate)
        with self._writing() as keys:
            keys[identity] = key
        return secret, key

    def rotate(self, identity: str, grace: timedelta, expires: datetime | None = None) -> tuple[str, Key]:
        """Return a new key with the rights of another one, which is valid for no longer than a ``grace`` from now on.

        The new key ends when the old one would have, unless a time is given.

        Raises:
            UnknownId: there is no such key.
            KeyRefused: it is no longer valid.
        """
        with self._writing() as keys:
            old = _record_of(keys, identity)
            old.check_current()
            fresh, secret = _new()
            until = old.expires if expires is None else expires.isoformat()
            key = replace(old, id=fresh, hash=_digest(secret), created=_time(), expires=until)
            end = now() + grace
            if old.expires is None or datetime.fromisoformat(old.expires) > end:
                keys[identity] = replace(old, expires=end.isoformat())
            keys[fresh] = key
        return secret, key

    def revoke(self, identity: str) -> Key:
        """Revoke a key by its id and return its record.

        Raises:
            UnknownId: there is no such key.
        """
        with self._writing() as keys:
            old = _record_of(keys, identity)
            revoked = replace(old, revoked=old.revoked or _time())
            keys[identity] = revoked
        return revoked

    def _read_again(self) -> None:
        try:
            status = self._path.stat()
        except FileNotFoundError:
            self._version, self._keys = None, {}
            return
        version = (status.st_mtime_ns, status.st_size, status.st_ino)
        if version == self._version:
            return
        if os.name == "posix" and status.st_mode & _OTHERS_MAY_WRITE:
            raise Unprotected("other users may write the file of keys - take that from them: chmod 600")
        self._keys = {key.id: key for key in _parsed(self._path)}
        self._version = version

    @contextmanager
    def _writing(self) -> Generator[dict[str, Key]]:
        with self._lock, _file_lock(self._path):
            self._read_again()
            keys = dict(self._keys)
            yield keys
            text = json.dumps({"version": _VERSION, "keys": [asdict(key) for key in keys.values()]}, indent=1)
            _replace(self._path, text)
            self._read_again()


def _new() -> tuple[str, str]:
    """Return the id of a new key, and the key."""
    identity = secrets.token_hex(6)
    return identity, f"{_PREFIX}_{identity}_{secrets.token_urlsafe(32)}"


def _record_of(keys: Mapping[str, Key], identity: str) -> Key:
    if identity not in keys:
        raise UnknownId(f"there is no key {identity!r} - see `hmem keys list`")
    return keys[identity]


def _digest(key: str) -> str:
    return sha256(key.encode("utf-8", "replace")).hexdigest()


def _id_of(key: str) -> str:
    fields = key.split("_", 2)
    return fields[1] if len(fields) == 3 and fields[0] == _PREFIX else ""


def _time() -> str:
    return now().isoformat(timespec="seconds")


def _key(*, scopes: list[Scope], memories: list[str], **fields: Any) -> Key:
    return Key(scopes=tuple(scopes), memories=tuple(memories), **fields)


def _parsed(path: Path) -> list[Key]:
    try:
        data: Any = json.loads(path.read_text("utf-8"))
        return [_key(**record) for record in data["keys"]]
    except (ValueError, TypeError, KeyError, UnicodeDecodeError) as error:
        raise InvalidFile(f"{path.name} is no file of keys - restore it, or take it away to begin anew") from error


@contextmanager
def _file_lock(path: Path) -> Generator[None]:
    """Hold a lock beside a file, so that writers take turns."""
    private_folder(path.parent)
    descriptor = os.open(path.with_name(f"{path.name}.lock"), os.O_CREAT | os.O_RDWR, 0o600)
    try:
        if os.name == "posix":
            import fcntl  # noqa: PLC0415 - Windows has none

            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _replace(path: Path, text: str) -> None:
    """Replace the text of a file, durably, readable by its owner only."""
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
