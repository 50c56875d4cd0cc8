"""``Memory`` and ``AsyncMemory``: wiring only."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, Final, ParamSpec, Self, TypeVar, overload

from hmem.corpus import EMBEDDER, Corpus, Progress
from hmem.corpus import reembed as reembed_storage
from hmem.errors import UnknownId
from hmem.language.embed import DEFAULT as DEFAULT_EMBEDDER
from hmem.language.embed import embedder as load_embedder
from hmem.model.evidence import Context, Found
from hmem.model.report import Deletion, Stats, Verification
from hmem.model.span import zone as load_zone
from hmem.model.turn import Receipt, Session, Turn
from hmem.read import pipeline
from hmem.recipes import DEFAULT as DEFAULT_RECIPE
from hmem.recipes import recipe as load_recipe
from hmem.storage import open_storage
from hmem.write.capture import Defaults, Message, capture, capture_one

IN_MEMORY: Final = ":memory:"
_ZONE: Final = "zone"

_P = ParamSpec("_P")
_R = TypeVar("_R")


class Memory:
    """Everything that one agent or user remembers, in one file. Thread-safe; a context manager.

    Args:
        path: the memory's file, made when it is not there; ``:memory:`` for one that ends with the process.
        recipe: how memories are recalled.
        settings: constants of the recipe to change, such as ``{"flat.weights.speaker": "0"}``.
        embedder: what turns text into vectors, such as ``wordllama``; by default the one that the memory has.
        zone: the IANA time zone that times without an offset are in, kept with the memory; UTC by default.
        create: whether to make the memory when it is not there.
        busy_seconds: how long a write waits for another process's.

    Raises:
        MemoryNotFound, NotAMemory, SchemaTooNew, MemoryDamaged, MemoryBusy, StorageError: the file cannot be used.
        EmbedderMismatch: the memory's vectors come from another embedder; ``hmem reembed`` makes new ones.
        UnknownName, InvalidTime: no such recipe, constant, embedder or zone.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        recipe: str = DEFAULT_RECIPE,
        settings: Mapping[str, str] | None = None,
        embedder: str | None = None,
        zone: str | None = None,
        create: bool = True,
        busy_seconds: float = 10.0,
    ) -> None:
        self._path = str(path)
        self._recipe = load_recipe(recipe, settings)
        if zone is not None:
            load_zone(zone)
        storage = open_storage(self._path, create=create, busy_seconds=busy_seconds)
        with ExitStack() as unless_open:
            unless_open.callback(storage.close)
            kept = storage.settings()
            if zone is not None and kept.get(_ZONE) != zone:
                storage.put_settings({_ZONE: zone})
            self._zone = zone or kept.get(_ZONE, "UTC")
            chosen = load_embedder(embedder or kept.get(EMBEDDER, DEFAULT_EMBEDDER))
            self._corpus = Corpus(storage, chosen, _index_folder(self._path))
            unless_open.pop_all()

    # Writing.

    @overload
    def add(
        self, message: str | Mapping[str, Any], *, speaker: str | None = None,
        at: datetime | str | float | None = None, session: str | None = None, caption: str | None = None,
        message_id: str | None = None, metadata: Mapping[str, Any] | None = None, user: str | None = None,
        agent: str | None = None,
    ) -> Receipt: ...  # fmt: skip
    @overload
    def add(
        self, message: Sequence[Message], *, speaker: str | None = None,
        at: datetime | str | float | None = None, session: str | None = None, user: str | None = None,
        agent: str | None = None,
    ) -> list[Receipt]: ...  # fmt: skip
    def add(
        self,
        message: Message | Sequence[Message],
        *,
        speaker: str | None = None,
        at: datetime | str | float | None = None,
        session: str | None = None,
        caption: str | None = None,
        message_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        user: str | None = None,
        agent: str | None = None,
    ) -> Receipt | list[Receipt]:
        """Keep a message, or a list of them in one transaction: durable and searchable on return.

        A message is a text, a mapping with ``text`` and the fields of a turn, or an OpenAI-style message. What
        it does not say itself is taken from the arguments. Without a time it was said now; without a speaker,
        by its role, else by ``user``; without a session, in one for the day.

        Returns:
            A receipt, or for a list a receipt for each. In a list, what cannot be kept is ``rejected`` with
            its reason, and the rest is kept.

        Raises:
            InvalidTurn, InvalidTime, MessageConflict: a single message cannot be kept.
            MemoryBusy, StorageFull, StorageError: nothing was kept.
        """
        defaults = Defaults(load_zone(self._zone), speaker, at, session, user, agent).checked()
        if isinstance(message, Sequence) and not isinstance(message, str):
            return capture(self._corpus, message, defaults)
        given = {"caption": caption, "message_id": message_id, "metadata": metadata}
        return capture_one(self._corpus, message, {k: v for k, v in given.items() if v is not None}, defaults)

    def delete(self, *ids: str) -> Deletion:
        """Take turns away, and their vectors.

        Raises:
            UnknownId: one of them is not kept; none was taken away.
        """
        with self._corpus.reading():
            if missing := set(ids) - self._corpus.storage.locate(ids).keys():
                raise UnknownId(f"this memory has no turn {min(missing)!r} - `hmem search` shows ids")
            return self._corpus.delete(ids)

    # Reading.

    def search(self, question: str, k: int = 10, *, trace: bool = False) -> Found:
        """The ``k`` best pieces of evidence for a question, best first, each with its source and its reasons.

        Raises:
            InvalidQuery: the question is empty, or k is below 1.
        """
        return pipeline.search(self._corpus, self._recipe.reading, question, k, trace=trace)

    def context(self, question: str, tokens: int = 1_200) -> Context:
        """What answers the question, written for a prompt in at most ``tokens`` tokens, with citations.

        Raises:
            InvalidQuery: the question is empty, or the budget is below 1.
        """
        return pipeline.context(self._corpus, self._recipe.reading, question, tokens)

    def get(self, id: str) -> Turn:
        """A turn by its id.

        Raises:
            UnknownId: this memory does not hold it.
        """
        with self._corpus.reading():
            found = self._corpus.storage.turns(list(self._corpus.storage.locate([id]).values()))
        if not found:
            raise UnknownId(f"this memory has no turn {id!r} - `hmem search` shows ids")
        return found[0].turn

    def list(
        self, *, session: str | None = None, speaker: str | None = None, after: str | None = None, limit: int = 100
    ) -> list[Turn]:
        """Turns in the order of their arrival, a page at a time: the next page is ``after`` the last id of this.

        Raises:
            UnknownId: ``after`` is not kept.
        """
        with self._corpus.reading():
            storage = self._corpus.storage
            start = 0 if after is None else storage.locate([after]).get(after)
            if start is None:
                raise UnknownId(f"this memory has no turn {after!r} - begin again without 'after'")
            return [stored.turn for stored in storage.page(start, max(limit, 0), session=session, speaker=speaker)]

    def sessions(self, *, limit: int | None = None, offset: int = 0) -> tuple[Session, ...]:
        """The sessions, by the time of their first turn."""
        with self._corpus.reading():
            return tuple(self._corpus.storage.sessions(limit=limit, offset=offset))

    # Upkeep.

    @property
    def corpus(self) -> Corpus:
        """The storage and the indices beneath, for tools that measure or repair them."""
        return self._corpus

    def stats(self) -> Stats:
        """Counts, times and sizes."""
        with self._corpus.reading():
            storage, counts = self._corpus.storage, self._corpus.storage.counts()
            return Stats(
                memory=storage.memory,
                path=self._path,
                schema=storage.schema,
                embedder=self._corpus.embedder.name,
                zone=self._zone,
                turns=counts.turns,
                sessions=counts.sessions,
                speakers=counts.speakers,
                first=counts.first,
                last=counts.last,
                vectors=counts.vectors,
                tail=self._corpus.tail_turns,
                truth_bytes=counts.size_bytes,
                index_bytes=self._corpus.index_bytes(),
                index_problem=self._corpus.index_problem,
            )

    def verify(self) -> Verification:
        """Prove that the file is sound and that the indices agree with it."""
        return self._corpus.verify()

    def rebuild(self, progress: Progress | None = None) -> None:
        """Make the indices anew from the turns."""
        self._corpus.rebuild(progress)

    def flush(self) -> None:
        """Bring the indices up to date and save them now, rather than when enough has gathered."""
        self._corpus.flush()

    def close(self) -> None:
        """Let go of the file. Every later call raises ``MemoryClosed``."""
        self._corpus.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


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
        return reembed_storage(storage, chosen, progress)
    finally:
        storage.close()


def _index_folder(path: str) -> Path | None:
    return None if path == IN_MEMORY else Path(f"{path}-index")


def _in_thread(
    method: Callable[Concatenate[Memory, _P], _R],
) -> Callable[Concatenate["AsyncMemory", _P], Coroutine[Any, Any, _R]]:
    """The asynchronous twin of a method: the same, in a thread."""

    @wraps(method)
    async def twin(self: "AsyncMemory", /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        return await asyncio.to_thread(method, self.memory, *args, **kwargs)

    return twin


class AsyncMemory:
    """``Memory`` for asynchronous code: the same methods, to be awaited. ``memory`` is what it wraps."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    @classmethod
    async def open(cls, path: str | Path, **options: Any) -> Self:
        """Open a memory with the arguments of ``Memory``."""
        return cls(await asyncio.to_thread(Memory, path, **options))

    add = _in_thread(Memory.add)
    delete = _in_thread(Memory.delete)
    search = _in_thread(Memory.search)
    context = _in_thread(Memory.context)
    get = _in_thread(Memory.get)
    list = _in_thread(Memory.list)
    sessions = _in_thread(Memory.sessions)
    stats = _in_thread(Memory.stats)
    verify = _in_thread(Memory.verify)
    rebuild = _in_thread(Memory.rebuild)
    flush = _in_thread(Memory.flush)
    close = _in_thread(Memory.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()
