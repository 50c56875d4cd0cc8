"""Copies of memories from any storage to any other: piece by piece, continued where they stopped, and compared."""

import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from secrets import token_hex
from typing import Any, Final

import msgspec

from hmem.errors import InvalidFile, MemoryDamaged, MemoryExists, StorageError
from hmem.model.key import MemoryKey
from hmem.model.vector import to_bytes
from hmem.storage import Location, open_storage
from hmem.storage.base import COPYING, OWN_SETTINGS, Piece, State, Storage
from hmem.storage.capabilities import GENERATION, Chunk
from hmem.storage.catalog import Catalog
from hmem.storage.model_queue import READINGS
from hmem.storage.sqlite.folder import erase

Progress = Callable[[int, int], None]

# Setting with the embedder's fingerprint, "name/dimension/digest".
_FINGERPRINT: Final = "embedder.fingerprint"
_BLOCKS_AT_ONCE: Final = 32
_ROWS_AT_ONCE: Final = 2_000
_BYTES_AT_ONCE: Final = 8_000_000
_ENCODER: Final = msgspec.json.Encoder(order="deterministic")


@dataclass(frozen=True, slots=True)
class Copied:
    """A memory that is copied: its counts by kind, and the digest that both storages have of it.

    ``before`` is True if the copy was there already.
    """

    source: str
    target: str
    counts: Mapping[str, int]
    digest: str
    before: bool = False


# Pieces.


@dataclass(frozen=True, slots=True)
class _Cursor:
    """Place in a memory: a stage of the copy, and what was read last in it."""

    stage: int = 0
    after: int = 0


def _pieces(storage: Storage, state: State, since: _Cursor) -> Iterator[tuple[_Cursor, Piece]]:
    """Yield the pieces of a memory behind a place, each with the place behind it."""
    for stage, read in enumerate(_STAGES):
        if stage >= since.stage:
            for after, piece in read(storage, state, since.after if stage == since.stage else 0):
                yield _Cursor(stage, after), piece


def _turns(storage: Storage, state: State, after: int) -> Iterator[tuple[int, Piece]]:
    """Yield whole blocks with their turns and vectors, in the order of their numbers."""
    generation, dimension = int(state.settings.get(GENERATION, "1")), _dimension(state)
    speakers = storage.speakers()
    blocks = sorted(block for block in storage.changed_blocks(0) if block.turns and block.number > after)
    for some in _portions(blocks, _BLOCKS_AT_ONCE):
        members = sorted(storage.members([block.number for block in some]), key=lambda member: member.seq)
        numbers = [member.seq for member in members]
        seqs, vectors = storage.vectors(numbers, generation, dimension)
        turns = storage.turns(numbers)
        piece = Piece(
            speakers=speakers, blocks=some, members=members, turns=turns, seqs=seqs, vectors=vectors,
            generation=generation,
        )  # fmt: skip
        yield some[-1].number, piece
        speakers = ()


def _dimension(state: State) -> int:
    return int(state.settings[_FINGERPRINT].rsplit("/", 2)[1]) if _FINGERPRINT in state.settings else 0


def _chunks(storage: Storage, state: State, after: int) -> Iterator[tuple[int, Piece]]:
    """Yield the chunks of what was formed, counted from 1."""
    # Each storage has its own order of parts.
    chunks = sorted(chunk for chunk in storage.chunks() if chunk.content is not None)
    some: list[Chunk] = []
    for number, chunk in enumerate(chunks[after:], after + 1):
        some.append(chunk)
        if number == len(chunks) or sum(len(each.content or b"") for each in some) >= _BYTES_AT_ONCE:
            yield number, Piece(chunks=some, formed=state.formed)
            some = []


def _entries(storage: Storage, state: State, after: int) -> Iterator[tuple[int, Piece]]:  # noqa: ARG001 - a stage
    while some := storage.recorded(since=after, limit=_ROWS_AT_ONCE):
        after = some[-1].number
        yield after, Piece(entries=some)


def _readings(storage: Storage, state: State, after: int) -> Iterator[tuple[int, Piece]]:  # noqa: ARG001 - a stage
    queue = storage.model_queue
    while queue is not None and (some := queue.readings(since=after, limit=_ROWS_AT_ONCE)):
        after = some[-1].number
        yield after, Piece(readings=some)


def _rest(storage: Storage, state: State, after: int) -> Iterator[tuple[int, Piece]]:
    """Yield at once what may change beside the turns, and the counters and settings."""
    if after:
        return
    queue, settings = storage.model_queue, {**state.settings}
    piece = Piece(
        uses=storage.uses(),
        answers=[] if queue is None else queue.answers(),
        unjudged=[] if queue is None else queue.unjudged(),
        spending=[] if queue is None else queue.spending(),
        memory=storage.memory,
        change=state.change,
        used=state.used,
        formed=state.formed,
        settings={name: value for name, value in settings.items() if name not in OWN_SETTINGS},
    )
    yield 1, piece


_STAGES: Final = (_turns, _chunks, _entries, _readings, _rest)


def _portions(items: Sequence[Any], size: int) -> Generator[list[Any]]:
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some


# Digests.


@dataclass(frozen=True, slots=True)
class Digest:
    """Counts by kind of all that a storage keeps of its memory, and the digest of each kind."""

    counts: Mapping[str, int]
    sums: Mapping[str, str]

    @property
    def whole(self) -> str:
        """One digest of everything."""
        return sha256(
            "".join(f"{kind} {self.counts[kind]} {self.sums[kind]}\n" for kind in _KINDS).encode()
        ).hexdigest()

    def differing(self, other: "Digest") -> list[str]:
        """Return the kinds in which two memories differ."""
        return [kind for kind in _KINDS if self.sums[kind] != other.sums[kind]]


def digest(storage: Storage) -> Digest:
    """Return the digest of a memory, which does not depend on its storage.

    Vectors count as their bytes: so do all storages keep them. Settings of the storage itself do not count, nor the
    state of work in hand: who holds a turn, and how often it was tried.
    """
    counts = dict.fromkeys(_KINDS, 0)
    sums = {kind: sha256() for kind in _KINDS}
    for _, piece in _pieces(storage, storage.state(), _Cursor()):
        for kind, items in _items(piece).items():
            counts[kind] += len(items)
            for item in items:
                sums[kind].update(_ENCODER.encode(item))
                sums[kind].update(b"\n")
    return Digest(counts, {kind: each.hexdigest() for kind, each in sums.items()})


_KINDS: Final[tuple[str, ...]] = (
    "turns", "blocks", "speakers", "vectors", "chunks", "entries", "uses", "readings", "answers", "unjudged",
    "spending", "settings", "counters",
)  # fmt: skip


def _items(piece: Piece) -> dict[str, Sequence[Any]]:
    """Return what a piece brings, by kind."""
    codes, _ = to_bytes(piece.vectors) if len(piece.seqs) else (piece.vectors, None)
    told = piece.memory is not None
    return {
        "turns": list(zip(piece.members, piece.turns, strict=True)),
        "blocks": piece.blocks,
        "speakers": piece.speakers,
        "vectors": [(int(seq), row.tobytes()) for seq, row in zip(piece.seqs, codes, strict=True)],
        "chunks": piece.chunks,
        "entries": piece.entries,
        "uses": piece.uses,
        "readings": piece.readings,
        "answers": piece.answers,
        "unjudged": [each[:2] for each in piece.unjudged],
        "spending": piece.spending,
        "settings": sorted(piece.settings.items()),
        "counters": [(piece.memory, piece.change, piece.used, piece.formed)] if told else [],
    }


# Copies.


def copy_memory(
    source: str | Path | Location,
    target: str | Path | Location,
    *,
    key: MemoryKey | None = None,
    new_key: MemoryKey | None = None,
    progress: Progress | None = None,
) -> Copied:
    """Copy a memory, all that is kept of it, into another storage, and compare the two.

    The source is read as it is at one moment and may be used meanwhile. A copy that was interrupted is continued, or
    begun anew if the source has changed since. The target cannot be opened before it is whole.

    Args:
        source: the location of the memory.
        target: where no memory is yet, or an unfinished or finished copy of this one.
        key: the key of an encrypted source.
        new_key: the key to encrypt the target with.
        progress: called with the number of turns copied and the number to copy.

    Raises:
        MemoryNotFound, NotAMemory, KeyNeeded, WrongKey, StorageError: one of them cannot be used.
        MemoryExists: another memory is at the target.
        MemoryDamaged: the copy is not equal to its source.
    """
    given = open_storage(source, create=False, key=key)
    try:
        return copy_storage(given, target, new_key=new_key, progress=progress)
    finally:
        given.close()


def copy_storage(
    given: Storage,
    target: str | Path | Location,
    *,
    new_key: MemoryKey | None = None,
    progress: Progress | None = None,
) -> Copied:
    """Copy a memory by its open storage, as ``copy_memory``."""
    with given.snapshot(), ExitStack() as closing:
        state = given.state()
        if COPYING in state.settings:
            raise StorageError(f"{given.location} is not copied whole itself - run `hmem copy` for it again")
        stamp = _stamp(given, state)
        taken = _target(target, new_key, stamp)
        closing.callback(taken.close)
        before = _is_used(taken.state())
        if before and taken.memory != given.memory:
            raise MemoryExists(f"there is another memory at {taken.location} - give another target")
        if not before:
            _continue(given, state, taken, stamp, progress)
        mine, theirs = digest(given), digest(taken)
        if mine != theirs and before:
            raise MemoryExists(f"{taken.location} is an earlier copy, and one of the two has changed - delete it first")
        if mine != theirs:
            taken.restore(Piece(settings={COPYING: "anew"}))
            wrong = ", ".join(mine.differing(theirs))
            raise MemoryDamaged(f"{taken.location} differs from {given.location} in its {wrong} - copy it again, anew")
        if not before:
            taken.restore(Piece(settings={COPYING: None}))
        return Copied(str(given.location), str(taken.location), mine.counts, mine.whole, before)


def _target(target: str | Path | Location, key: MemoryKey | None, stamp: str) -> Storage:
    """Open the target, emptied of a copy that began when the source was another."""
    taken = open_storage(target, key=key)
    if taken.state().settings.get(COPYING, "").partition(" ")[0] in ("", stamp):
        return taken
    taken.discard({})
    return open_storage(target, key=key)


def _stamp(storage: Storage, state: State) -> str:
    """Return what changes whenever something is written to a memory that is not copied last."""
    told = (storage.memory, state.change, state.formed, state.recorded, state.settings.get(READINGS))
    return sha256(repr(told).encode()).hexdigest()


def _is_used(state: State) -> bool:
    return COPYING not in state.settings and bool(state.change or state.recorded or state.formed.step)


def _continue(given: Storage, state: State, taken: Storage, stamp: str, progress: Progress | None) -> None:
    """Copy the pieces behind the place that the target notes."""
    _, _, noted = taken.state().settings.get(COPYING, "").partition(" ")
    since = _Cursor(*json.loads(noted)) if noted else _Cursor()
    total = given.counts().turns
    done = taken.counts().turns
    for cursor, piece in _pieces(given, state, since):
        place = json.dumps([cursor.stage, cursor.after])
        taken.restore(replace(piece, settings={**piece.settings, COPYING: f"{stamp} {place}"}))
        done += len(piece.turns)
        if progress is not None:
            progress(done, total)


def copy_all(
    source: Catalog,
    target: Catalog,
    *,
    key: MemoryKey | None = None,
    new_key: MemoryKey | None = None,
    progress: Progress | None = None,
) -> Iterator[Copied]:
    """Copy every memory of a place to another place, by name; yield each when it is copied.

    Raises:
        HmemError: as ``copy_memory``; those that were copied before stay.
    """
    after: str = ""
    while names := source.names(after=after, limit=1_000):
        for after in names:
            yield copy_memory(source.locate(after), target.locate(after), key=key, new_key=new_key, progress=progress)


def write_file(storage: Storage, target: Path, key: MemoryKey | None) -> None:
    """Write a copy of a memory into a new file, which appears when it is whole.

    Raises:
        InvalidFile: the file exists, or cannot be written.
    """
    if target.exists():
        raise InvalidFile(f"{target} exists - give another path")
    draft = target.with_name(f"{target.name}.{token_hex(8)}.part")
    try:
        copy_storage(storage, draft, new_key=key)
        draft.replace(target)
    except OSError as error:
        raise InvalidFile(f"{target} cannot be written ({error.strerror}) - check the folder and its rights") from error
    finally:
        erase(draft)
