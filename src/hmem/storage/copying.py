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
from hmem.storage.base import COPYING, OWN_SETTINGS, CopyBatch, State, Storage
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


def _batches(storage: Storage, state: State, since: _Cursor) -> Iterator[tuple[_Cursor, CopyBatch]]:
    """Yield the pieces of a memory behind a place, each with the place behind it."""
    for stage, read in enumerate(_STAGES):
        if stage >= since.stage:
            for after, batch in read(storage, state, since.after if stage == since.stage else 0):
                yield _Cursor(stage, after), batch


def _turns(storage: Storage, state: State, after: int) -> Iterator[tuple[int, CopyBatch]]:
    """Yield whole blocks with their turns and vectors, in the order of their numbers."""
    generation, dimension = int(state.settings.get(GENERATION, "1")), _dimension(state)
    speakers = storage.speakers()
    blocks = sorted(block for block in storage.changed_blocks(0) if block.turns and block.number > after)
    for portion in _portions(blocks, _BLOCKS_AT_ONCE):
        members = sorted(storage.members([block.number for block in portion]), key=lambda member: member.seq)
        numbers = [member.seq for member in members]
        seqs, vectors = storage.vectors(numbers, generation, dimension)
        turns = storage.turns(numbers)
        batch = CopyBatch(
            speakers=speakers, blocks=portion, members=members, turns=turns, seqs=seqs, vectors=vectors,
            generation=generation,
        )  # fmt: skip
        yield portion[-1].number, batch
        speakers = ()


def _dimension(state: State) -> int:
    return int(state.settings[_FINGERPRINT].rsplit("/", 2)[1]) if _FINGERPRINT in state.settings else 0


def _chunks(storage: Storage, state: State, after: int) -> Iterator[tuple[int, CopyBatch]]:
    """Yield the chunks of what was formed, counted from 1."""
    # Each storage has its own order of parts.
    chunks = sorted(chunk for chunk in storage.chunks() if chunk.content is not None)
    portion: list[Chunk] = []
    for number, chunk in enumerate(chunks[after:], after + 1):
        portion.append(chunk)
        if number == len(chunks) or sum(len(chunk.content or b"") for chunk in portion) >= _BYTES_AT_ONCE:
            yield number, CopyBatch(chunks=portion, progress=state.progress)
            portion = []


def _entries(storage: Storage, state: State, after: int) -> Iterator[tuple[int, CopyBatch]]:  # noqa: ARG001 - a stage
    while portion := storage.recorded(since=after, limit=_ROWS_AT_ONCE):
        after = portion[-1].number
        yield after, CopyBatch(entries=portion)


def _readings(storage: Storage, state: State, after: int) -> Iterator[tuple[int, CopyBatch]]:  # noqa: ARG001 - a stage
    queue = storage.model_queue
    while queue is not None and (portion := queue.readings(since=after, limit=_ROWS_AT_ONCE)):
        after = portion[-1].number
        yield after, CopyBatch(readings=portion)


def _other_data(storage: Storage, state: State, after: int) -> Iterator[tuple[int, CopyBatch]]:
    """Yield at once what may change beside the turns, and the counters and settings."""
    if after:
        return
    queue, settings = storage.model_queue, {**state.settings}
    batch = CopyBatch(
        uses=storage.uses(),
        answers=[] if queue is None else queue.answers(),
        reactions=[] if queue is None else queue.pending_reactions(),
        spending=[] if queue is None else queue.spending(),
        memory=storage.memory,
        change=state.change,
        used=state.used,
        progress=state.progress,
        settings={name: value for name, value in settings.items() if name not in OWN_SETTINGS},
    )
    yield 1, batch


_STAGES: Final = (_turns, _chunks, _entries, _readings, _other_data)


def _portions(items: Sequence[Any], size: int) -> Generator[list[Any]]:
    iterator = iter(items)
    while portion := list(islice(iterator, size)):
        yield portion


# Digests.


@dataclass(frozen=True, slots=True)
class Digest:
    """Counts by kind of all that a storage keeps of its memory, and the digest of each kind."""

    counts: Mapping[str, int]
    sums: Mapping[str, str]

    @property
    def total(self) -> str:
        """One digest of everything."""
        return sha256(
            "".join(f"{kind} {self.counts[kind]} {self.sums[kind]}\n" for kind in _KINDS).encode()
        ).hexdigest()

    def differing(self, second: "Digest") -> list[str]:
        """Return the kinds in which two memories differ."""
        return [kind for kind in _KINDS if self.sums[kind] != second.sums[kind]]


def digest(storage: Storage) -> Digest:
    """Return the digest of a memory, which does not depend on its storage.

    Vectors count as their bytes: so do all storages keep them. Settings of the storage itself do not count, nor the
    state of work in hand: who holds a turn, and how often it was tried.
    """
    counts = dict.fromkeys(_KINDS, 0)
    sums = {kind: sha256() for kind in _KINDS}
    for _, batch in _batches(storage, storage.state(), _Cursor()):
        for kind, items in _items(batch).items():
            counts[kind] += len(items)
            for item in items:
                sums[kind].update(_ENCODER.encode(item))
                sums[kind].update(b"\n")
    return Digest(counts, {kind: kind_sum.hexdigest() for kind, kind_sum in sums.items()})


_KINDS: Final[tuple[str, ...]] = (
    "turns", "blocks", "speakers", "vectors", "chunks", "entries", "uses", "readings", "answers", "unjudged",
    "spending", "settings", "counters",
)  # fmt: skip


def _items(batch: CopyBatch) -> dict[str, Sequence[Any]]:
    """Return what a piece brings, by kind."""
    codes, _ = to_bytes(batch.vectors) if len(batch.seqs) else (batch.vectors, None)
    has_counters = batch.memory is not None
    return {
        "turns": list(zip(batch.members, batch.turns, strict=True)),
        "blocks": batch.blocks,
        "speakers": batch.speakers,
        "vectors": [(int(seq), row.tobytes()) for seq, row in zip(batch.seqs, codes, strict=True)],
        "chunks": batch.chunks,
        "entries": batch.entries,
        "uses": batch.uses,
        "readings": batch.readings,
        "answers": batch.answers,
        "unjudged": [reaction[:2] for reaction in batch.reactions],
        "spending": batch.spending,
        "settings": sorted(batch.settings.items()),
        "counters": [(batch.memory, batch.change, batch.used, batch.progress)] if has_counters else [],
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
    source_storage = open_storage(source, create=False, key=key)
    try:
        return copy_storage(source_storage, target, new_key=new_key, progress=progress)
    finally:
        source_storage.close()


def copy_storage(
    source: Storage,
    target: str | Path | Location,
    *,
    new_key: MemoryKey | None = None,
    progress: Progress | None = None,
) -> Copied:
    """Copy a memory by its open storage, as ``copy_memory``."""
    with source.snapshot(), ExitStack() as closing:
        state = source.state()
        if COPYING in state.settings:
            raise StorageError(f"{source.location} is not copied whole itself - run `hmem copy` for it again")
        stamp = _stamp(source, state)
        copy = _target(target, new_key, stamp)
        closing.callback(copy.close)
        before = _is_used(copy.state())
        if before and copy.memory != source.memory:
            raise MemoryExists(f"there is another memory at {copy.location} - give another target")
        if not before:
            _continue(source, state, copy, stamp, progress)
        source_digest, copy_digest = digest(source), digest(copy)
        if source_digest != copy_digest and before:
            raise MemoryExists(f"{copy.location} is an earlier copy, and one of the two has changed - delete it first")
        if source_digest != copy_digest:
            copy.restore(CopyBatch(settings={COPYING: "anew"}))
            wrong = ", ".join(source_digest.differing(copy_digest))
            raise MemoryDamaged(f"{copy.location} differs from {source.location} in its {wrong} - copy it again, anew")
        if not before:
            copy.restore(CopyBatch(settings={COPYING: None}))
        return Copied(str(source.location), str(copy.location), source_digest.counts, source_digest.total, before)


def _target(target: str | Path | Location, key: MemoryKey | None, stamp: str) -> Storage:
    """Open the target; empty it of a copy that was begun from an earlier state of the source."""
    storage = open_storage(target, key=key)
    if storage.state().settings.get(COPYING, "").partition(" ")[0] in ("", stamp):
        return storage
    storage.discard({})
    return open_storage(target, key=key)


def _stamp(storage: Storage, state: State) -> str:
    """Return a digest that changes with each write to a memory, except of the data that are copied last."""
    counters = (storage.memory, state.change, state.progress, state.recorded, state.settings.get(READINGS))
    return sha256(repr(counters).encode()).hexdigest()


def _is_used(state: State) -> bool:
    return COPYING not in state.settings and bool(state.change or state.recorded or state.progress.step)


def _continue(source: Storage, state: State, copy: Storage, stamp: str, progress: Progress | None) -> None:
    """Copy the pieces behind the place that the target notes."""
    _, _, position = copy.state().settings.get(COPYING, "").partition(" ")
    since = _Cursor(*json.loads(position)) if position else _Cursor()
    total = source.counts().turns
    copied = copy.counts().turns
    for cursor, batch in _batches(source, state, since):
        next_position = json.dumps([cursor.stage, cursor.after])
        copy.restore(replace(batch, settings={**batch.settings, COPYING: f"{stamp} {next_position}"}))
        copied += len(batch.turns)
        if progress is not None:
            progress(copied, total)


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
