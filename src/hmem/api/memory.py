"""``Memory``: wiring only."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime, tzinfo
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, overload

from hmem.api.as_of import AsOf, instant
from hmem.api.erasure import Forgetting
from hmem.api.feedback import Feedback
from hmem.api.maintenance import Upkeep
from hmem.api.model_work import Analysing
from hmem.api.views import Views
from hmem.corpus.corpus import Corpus
from hmem.corpus.embedding import EMBEDDER, Progress
from hmem.derived.model_results import ModelResults
from hmem.derived.state import DerivedState
from hmem.derived.text_writer import TextWriter
from hmem.derived.tiers import TierOptions
from hmem.derived.trees.evolution import EvolutionPlacement
from hmem.errors import InputError, StorageError, UnknownId
from hmem.evolution.analyse import FROM, WorkOptions
from hmem.evolution.consolidate import Consolidator
from hmem.evolution.learn import MissingNotes
from hmem.evolution.reconcile import Reconciler
from hmem.formation.capture import Defaults, Hear, Message, capture, capture_one
from hmem.formation.config import FormationConfig
from hmem.formation.echo import RecentRecalls
from hmem.formation.pipeline import FormationPipeline
from hmem.language.analyst import DEFAULT as DEFAULT_ANALYST
from hmem.language.analyst import Analyst
from hmem.language.analyst import analyst as load_analyst
from hmem.language.analyst.answering import Answerer, answerer_of
from hmem.language.analyst.overlay import Overlay
from hmem.language.analyst.reader import model_of
from hmem.language.embed import DEFAULT as DEFAULT_EMBEDDER
from hmem.language.embed import embedder as load_embedder
from hmem.model.event import Event
from hmem.model.ids import kind_of
from hmem.model.note import Note
from hmem.model.span import Duration
from hmem.model.span import zone as load_zone
from hmem.model.standpoint import NOW, Standpoint
from hmem.model.turn import Receipt, Session, Turn
from hmem.recipes import DEFAULT as DEFAULT_RECIPE
from hmem.recipes import from_text, to_text
from hmem.recipes import recipe as load_recipe
from hmem.retrieval.browse import Browser
from hmem.retrieval.filter import Moment
from hmem.retrieval.pipeline import RetrievalPipeline
from hmem.retrieval.sources import Sources
from hmem.retrieval.visibility import rows_visible
from hmem.storage import Location, Storage, open_storage
from hmem.storage.model_queue import PAIRED

_ZONE: Final = "zone"
_WRITING: Final = "formation.writing"
_ANALYST: Final = "formation.analyst"
# So many turns may wait to be formed, where that is left to later.
LATER_TURNS: Final = 512


class Memory(Views, Feedback, Forgetting, Analysing, Upkeep):
    """Everything that one agent or user remembers, in one file. Thread-safe; a context manager.

    Args:
        path: the memory's file, made when it is not there; ``:memory:`` for one that ends with the process; or the URL
            of a database that an installed package offers a storage for.
        storage: a storage that is open, in the place of a path; it is closed with the memory.
        recipe: how turns are formed and recalled. The way of forming is kept with a new memory and stays; of a
            memory that is there, the recipe changes the recall only, until ``rebuild`` forms it anew.
        settings: constants of the recipe to change, such as ``{"flat.weights.speaker": "0"}``.
        embedder: what turns text into vectors, such as ``wordllama``; by default the one that the memory has.
        analyst: what reads and writes language for it, kept with the memory; ``rules`` by default, which needs no
            language model, ``spacy:MODEL`` for names found by an installed model of spaCy, or a language model such
            as ``openai:gpt-4o-mini``, which reads later what is added from then on (``work``, ``hmem worker``).
        zone: the IANA time zone that times without an offset are in, kept with the memory; UTC by default.
        create: whether to make the memory when it is not there.
        busy_seconds: how long a write waits for another process's.
        background: whether to consolidate in a thread of its own, in small pieces, whenever it has been left alone,
            and to have a language model work in another.
        form_later: whether ``add`` leaves it to the background, or to whoever asks for what was formed, to form turns,
            as long as no more than 512 wait for it. They are durable and searchable on its return all the same.
        working: how a language model works: how many calls at once, how long to wait, when to give up.

    Raises:
        MemoryNotFound, NotAMemory, SchemaTooNew, MemoryDamaged, MemoryBusy, StorageError: the file cannot be used.
        EmbedderMismatch: the memory's vectors come from another embedder; ``hmem reembed`` makes new ones.
        UnknownName, InvalidTime: no such recipe, constant, embedder, analyst or zone.
    """

    def __init__(
        self,
        path: str | Path | Location | None = None,
        *,
        storage: Storage | None = None,
        recipe: str | None = None,
        settings: Mapping[str, str] | None = None,
        embedder: str | None = None,
        analyst: str | None = None,
        zone: str | None = None,
        create: bool = True,
        busy_seconds: float = 10.0,
        background: bool = False,
        form_later: bool = False,
        working: WorkOptions | None = None,
    ) -> None:
        self._later, self._waiting = (LATER_TURNS if form_later else 0), 0
        self._recipe = load_recipe(DEFAULT_RECIPE if recipe is None else recipe, settings)
        self._chosen = recipe is not None or bool(settings)
        if zone is not None:
            load_zone(zone)
        # What is named wrongly leaves no file.
        chosen = None if embedder is None else load_embedder(embedder)
        reading = None if analyst is None else load_analyst(analyst)
        storage = _opened(path, storage, create=create, busy_seconds=busy_seconds)
        self._path = str(storage.location)
        with ExitStack() as unless_open:
            unless_open.callback(storage.close)
            kept = dict(storage.state().settings)
            if zone is not None and kept.get(_ZONE) != zone:
                storage.put_settings({_ZONE: zone})
            self._zone = zone or kept.get(_ZONE, "UTC")
            chosen = load_embedder(kept.get(EMBEDDER, DEFAULT_EMBEDDER)) if chosen is None else chosen
            reading = load_analyst(kept.get(_ANALYST, DEFAULT_ANALYST)) if reading is None else reading
            if model_of(reading) is not None and storage.model_queue is None:
                raise StorageError(f"{storage.location} keeps no work of language models - use another analyst")
            if analyst is not None and kept.get(_ANALYST) != analyst:
                # A model reads what is said from now on.
                since = kept.get(FROM, str(storage.state().change)) if model_of(reading) is not None else None
                storage.put_settings({_ANALYST: analyst, FROM: since})
            self._corpus = Corpus(storage, chosen, storage.location.index_folder)
            self._readings = ModelResults(storage)
            self._readings.catch_up(kept)
            self._analyst = self._overlay = Overlay(reading, self._readings)
            self._begin_analysing(working)
            if _WRITING not in kept:
                # A memory from before formation existed is formed by default, whatever recalls from it now.
                made = self._recipe if storage.state().change == 0 else load_recipe(DEFAULT_RECIPE)
                kept[_WRITING] = to_text(made.writing)
                storage.put_settings({_WRITING: kept[_WRITING]})
            self._arrange(from_text(kept[_WRITING]))
            self._finish_forgetting()
            unless_open.pop_all()
        if background:
            self._begin_background()
            self._begin_working()

    def _arrange(self, writing: FormationConfig) -> None:
        """What forms the turns, and what shows it."""
        self._writing = writing
        self._derived = DerivedState(self._corpus, writing.reconciling)
        self._reconciler = Reconciler(self._derived, self._analyst)
        self._formation = FormationPipeline(
            self._corpus, self._derived, self._analyst, writing, self._reconciler.keep, self._readings
        )
        self._text_writer = TextWriter(self._corpus, self._derived, self._analyst, writing.text_options)
        evolving = (
            EvolutionPlacement(writing.evolving, self._corpus.embedder.calibration) if writing.evolution else None
        )
        self._consolidator = Consolidator(self._corpus, self._derived, self._text_writer, evolving)
        self._browser = Browser(self._corpus, self._derived, self._text_writer)
        self._begin_recall()

    def _begin_recall(self) -> None:
        self._sources = Sources(self._corpus, self._derived, self._text_writer, self._analyst)
        reading = self._recipe.reading
        # What is in which tier is settled when turns are formed.
        tiering = replace(reading.tiered, tiering=self._writing.tiering)
        # Nothing that was recalled is remembered beyond what is forgotten.
        self._last = None
        self._lacks = MissingNotes()
        self._recent_recalls = RecentRecalls(self._corpus)
        self._hear: Hear = self._recent_recalls.heard if self._writing.echo else list
        lacked = self._lacks.notice if self._writing.notes and self._writing.reconciling.learn else None
        self._recall = RetrievalPipeline(
            self._sources, replace(reading, tiered=tiering), self._recent_recalls.show, lacked
        )

    # Writing.

    @overload
    def add(
        self, message: str | Mapping[str, Any], *, speaker: str | None = None,
        at: datetime | str | float | None = None, session: str | None = None, caption: str | None = None,
        message_id: str | None = None, metadata: Mapping[str, Any] | None = None, user: str | None = None,
        agent: str | None = None, ttl: Duration | None = None, wait: bool = False,
    ) -> Receipt: ...  # fmt: skip
    @overload
    def add(
        self, message: Sequence[Message], *, speaker: str | None = None,
        at: datetime | str | float | None = None, session: str | None = None, user: str | None = None,
        agent: str | None = None, ttl: Duration | None = None, wait: bool = False,
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
        ttl: Duration | None = None,
        wait: bool = False,
    ) -> Receipt | list[Receipt]:
        """Keep a message, or a list of them in one transaction: durable and searchable on return.

        A message is a text, a mapping with ``text`` and the fields of a turn, or an OpenAI-style message. What
        it does not say itself is taken from the arguments. Without a time it was said now; without a speaker,
        by its role, else by ``user``; without a session, in one for the day. ``ttl``, such as ``"30d"``, is how long
        after it was said it is recalled; then it is forgotten. With ``wait`` a language model, if there is
        one, reads the sessions first; what it cannot read now waits in its queue.

        Returns:
            A receipt, or for a list a receipt for each. In a list, what cannot be kept is ``rejected`` with
            its reason, and the rest is kept.

        Raises:
            InvalidTurn, InvalidTime, MessageConflict: a single message cannot be kept.
            MemoryBusy, StorageFull, StorageError: nothing was kept.
        """
        defaults = Defaults(load_zone(self._zone), speaker, at, session, user, agent, ttl).checked()
        if isinstance(message, Sequence) and not isinstance(message, str):
            receipts = capture(self._corpus, message, defaults, self._hear)
            self._kept(receipts, wait=wait)
            return receipts
        given = {"caption": caption, "message_id": message_id, "metadata": metadata}
        receipt = capture_one(
            self._corpus, message, {k: v for k, v in given.items() if v is not None}, defaults, self._hear
        )
        self._kept([receipt], wait=wait)
        return receipt

    def _kept(self, receipts: Sequence[Receipt], *, wait: bool) -> None:
        self._form(sum(receipt.fate == "stored" for receipt in receipts))
        self._lacks.write(self._corpus)
        self._react(receipts)
        if wait:
            self._formation.catch_up()
            self._read_now(receipts)

    def _form(self, stored: int) -> None:
        """Form what was stored, unless that can wait."""
        self._waiting += stored
        if self._waiting > self._later:
            self._formation.catch_up(stored)
            self._waiting = self._formation.behind() if self._later else 0

    # Reading; ``Recalling`` asks, from now.

    def _recalls(self, *, formed: bool) -> RetrievalPipeline:
        if formed:
            self._formation.catch_up()
        return self._recall

    def _answerer(self, analyst: str | None) -> Answerer | None:
        model = answerer_of(self._analyst if analyst is None else load_analyst(analyst))
        return None if model is None else model.charged(self._accounts, self._budget())

    @property
    def _times(self) -> tzinfo:
        return load_zone(self._zone)

    def as_of(self, moment: Moment) -> AsOf:
        """The memory as it was known at a time: when it had been said, and before what was decided later.

        Raises:
            InvalidTime: the moment is none.
        """
        return self._from(Standpoint(known=instant(moment, self._times)))

    def valid_at(self, moment: Moment) -> AsOf:
        """What was true at a time, as far as it is known now.

        Raises:
            InvalidTime: the moment is none.
        """
        return self._from(Standpoint(valid=instant(moment, self._times)))

    def _from(self, standpoint: Standpoint) -> AsOf:
        return AsOf(standpoint, self._times, lambda: self._recalls(formed=True), self._browsing, self._answerer)

    def get(self, id: str) -> Turn | Event | Note:
        """A turn, an event or a note by its id.

        Raises:
            UnknownId: this memory does not hold it.
        """
        kind = kind_of(id)
        if kind in ("event", "note"):
            with self._browsing() as browser:
                return browser.event(id) if kind == "event" else browser.note(id)
        with self._corpus.reading():
            found = self._corpus.storage.turns([*self._corpus.storage.locate([id]).values()])
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
            limit = None if limit is None else max(limit, 0)
            return tuple(self._corpus.storage.sessions(limit=limit, offset=max(offset, 0)))

    # What was formed; ``Views`` shows it.

    @property
    def _tiering(self) -> TierOptions:
        return self._writing.tiering

    @contextmanager
    def _browsing(self, standpoint: Standpoint = NOW) -> Generator[Browser]:
        """Everything formed that can be, held still, as it is seen from a standpoint."""
        self._formation.catch_up()
        with self._corpus.reading():
            self._corpus.access_log.flush()
            self._derived.catch_up()
            self._sources.begin()
            visible = rows_visible(self._sources, standpoint) if standpoint else None
            yield self._browser.seen(visible, standpoint.known)

    # What people decide; ``Changes`` does it.

    def _formed(self) -> DerivedState:
        self._formation.catch_up()
        self._derived.catch_up()
        return self._derived

    @property
    def _writer(self) -> TextWriter:
        return self._text_writer

    @property
    def _judge(self) -> Analyst | None:
        return self._analyst if self._recipe.reading.strength.judged else None

    @property
    def _judged_later(self) -> bool:
        return model_of(self._overlay) is not None

    # Upkeep.

    @property
    def corpus(self) -> Corpus:
        """The storage and the indices beneath, for tools that measure or repair them."""
        return self._corpus

    def rebuild(self, progress: Progress | None = None) -> None:
        """Make the indices anew from the turns, and form them anew: by the recipe, if one was given on opening."""
        self._corpus.rebuild(progress)
        with self._corpus.reading():
            writing = self._recipe.writing if self._chosen else self._writing
            self._corpus.storage.clear_formed({_WRITING: to_text(writing), PAIRED: None})
            self._arrange(writing)
        self._formation.form(progress=progress)

    def flush(self) -> None:
        """Bring the indices up to date and save them now, rather than when enough has gathered."""
        self._corpus.flush()

    def close(self) -> None:
        """Let go of the file. Every later call raises ``MemoryClosed``."""
        self._end_analysing()
        if self._background is not None:
            self._background.stop()
        self._lacks.write(self._corpus)
        self._corpus.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _opened(
    path: str | Path | Location | None, storage: Storage | None, *, create: bool, busy_seconds: float
) -> Storage:
    """Return the storage that is given, or the one at a path.

    Raises:
        InputError: both are given, or neither.
    """
    if (path is None) == (storage is None):
        raise InputError("a memory is opened by a path or by a storage - give one of them")
    return storage or open_storage(path or "", create=create, busy_seconds=busy_seconds)
