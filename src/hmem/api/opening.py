"""Opening of a memory: storage, indices, analyst and recipe, by its settings and by what is asked for."""

import json
import shutil
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field
from datetime import tzinfo
from pathlib import Path
from typing import Any, Final

from hmem.api.components import Components
from hmem.corpus.corpus import Corpus
from hmem.corpus.embedding import EMBEDDER, FINGERPRINT
from hmem.derived.changes import ModelOutputs
from hmem.errors import (
    EmbedderMismatch,
    EmbedderUnavailable,
    ExtraMissing,
    InputError,
    MemoryClosed,
    MemoryNotFound,
    StorageError,
    UnknownName,
)
from hmem.language.analyst import DEFAULT as DEFAULT_ANALYST
from hmem.language.analyst import Analyst
from hmem.language.analyst import analyst as load_analyst
from hmem.language.analyst.cached_model import CachedModelAnalyst
from hmem.language.analyst.language_model import worker_model
from hmem.language.embed import Embedder, default_embedder
from hmem.language.embed import embedder as load_embedder
from hmem.language.embed.advice import AbsentEmbedder
from hmem.model.span import zone as load_zone
from hmem.recipes import DEFAULT as DEFAULT_RECIPE
from hmem.recipes import Recipe, current, from_text, to_text
from hmem.recipes import recipe as load_recipe
from hmem.storage import Location, OpenOptions, Storage, open_storage
from hmem.storage.base import COPYING
from hmem.storage.model_queue import READ_FROM

# Settings kept with a memory: time zone, configuration of formation, recipe, and analyst.
_ZONE: Final = "zone"
WRITING: Final = "formation.writing"
RECIPE: Final = "recipe"
_ANALYST: Final = "formation.analyst"


@dataclass(frozen=True, slots=True)
class Choice:
    """A recipe by its name, and its changed constants."""

    name: str = DEFAULT_RECIPE
    settings: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def recipe(self) -> Recipe:
        """The recipe with the constants changed.

        Raises:
            UnknownName: there is no such recipe or constant.
        """
        return load_recipe(self.name, self.settings)

    def text(self) -> str:
        """Return the form in which a memory keeps it, JSON."""
        return json.dumps({"name": self.name, "settings": dict(self.settings)}, sort_keys=True)

    @classmethod
    def from_text(cls, text: str | None) -> "Choice":
        """Parse the kept form, without settings of another version, which warn; return the default for None."""
        if text is None:
            return cls()
        record: dict[str, Any] = json.loads(text)
        return cls(record["name"], current(record["settings"]))


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """Options given on opening; None means the kept value, or the default."""

    recipe: str | None = None
    settings: Mapping[str, str] | None = None
    embedder: str | None = None
    analyst: str | None = None
    zone: str | None = None

    def load(self) -> tuple[Embedder | None, Analyst | None]:
        """Return the embedder and the analyst that are named; check the other names. No file is touched.

        Raises:
            UnknownName, InvalidTime: there is no such recipe, constant, embedder, analyst or zone.
        """
        if self.recipe is not None:
            load_recipe(self.recipe, self.settings)
        if self.zone is not None:
            load_zone(self.zone)
        embedder = None if self.embedder is None else load_embedder(self.embedder)
        return embedder, None if self.analyst is None else load_analyst(self.analyst)

    def choice(self, saved: Choice) -> Choice:
        """Return the recipe to recall by: the one that is asked for, or the kept one with some constants changed."""
        if self.recipe is not None:
            return Choice(self.recipe, self.settings or {})
        return Choice(saved.name, {**saved.settings, **self.settings}) if self.settings else saved


@dataclass(frozen=True, slots=True)
class OpenedMemory:
    """An opened memory: its components, its time zone, and the recipe that was asked for, if any."""

    components: Components
    zone: tzinfo
    asked_for: Choice | None
    _folder: Path | None
    _settings: Mapping[str, str]

    def discard(self) -> None:
        """Delete the memory's files if this made it, it never kept anything, and nobody else has it open."""
        corpus = self.components.corpus
        if corpus.storage.created:
            with suppress(MemoryClosed, MemoryNotFound), corpus.reading():
                _discard(corpus.storage, self._settings, self._folder)


def storage_of(path: str | Path | Location | None, storage: Storage | None, options: OpenOptions) -> Storage:
    """Return the storage that is given, or open the one at a path.

    Raises:
        InputError: both are given, or neither; or a key with a storage.
        MemoryNotFound, NotAMemory, SchemaTooNew, MemoryDamaged, MemoryBusy, StorageError: the file cannot be used.
        UnknownName: no installed package offers a storage for such a location.
    """
    if (path is None) == (storage is None):
        raise InputError("a memory is opened by a path or by a storage - give one of them")
    if storage is not None and options.key is not None:
        raise InputError("an open storage has its key already - give the key with a path")
    return storage or open_storage(path or "", **asdict(options))


def open_parts(opening: Callable[[], Storage], request: OpenRequest) -> OpenedMemory:
    """Open a memory; on failure, leave no file that this made.

    Names are looked up before ``opening`` is called, so that a wrong name makes no file.

    Raises:
        MemoryNotFound, NotAMemory, SchemaTooNew, MemoryDamaged, MemoryBusy, StorageError: the file cannot be used.
        ReadOnlyMemory: it can only be read, and would have to be brought to a newer schema first.
        EmbedderMismatch: the memory's vectors come from another embedder.
        UnknownName, InvalidTime: what is named, or what the memory keeps, is unknown here.
    """
    embedder, analyst = request.load()
    storage = opening()
    # Indices hold words, so those of an encrypted memory stay in the process.
    folder = None if storage.encrypted else storage.location.index_folder
    with ExitStack() as unless_open:
        unless_open.callback(_give_up, storage, folder)
        settings = dict(storage.state().settings)
        if COPYING in settings:
            raise StorageError(f"{storage.location} is not copied whole yet - run `hmem copy` again, to its end")
        zone = settings.get(_ZONE, "UTC") if request.zone is None else request.zone
        _keep(storage, settings, {_ZONE: request.zone} if request.zone is not None else {})
        analyst = load_analyst(settings.get(_ANALYST, DEFAULT_ANALYST)) if analyst is None else analyst
        if worker_model(analyst) is not None and storage.model_queue is None:
            raise StorageError(f"{storage.location} keeps no work of language models - use another analyst")
        _keep(storage, settings, _analyst_settings(storage, settings, request.analyst, analyst))
        corpus = _open_corpus(storage, embedder, folder)
        readings = ModelOutputs(storage)
        readings.catch_up(settings)
        choice = request.choice(Choice.from_text(settings.get(RECIPE)))
        recipe = choice.recipe
        _keep(storage, settings, _formation_settings(storage, settings, choice))
        components = Components(
            corpus,
            CachedModelAnalyst(analyst, readings),
            readings,
            recipe.retrieval,
            from_text(settings[WRITING]),
            recipe.capture,
        )
        asked_for = choice if request.recipe is not None or request.settings else None
        memory = OpenedMemory(components, load_zone(zone), asked_for, folder, storage.state().settings)
        unless_open.pop_all()
    return memory


def _open_corpus(storage: Storage, embedder: Embedder | None, folder: Path | None) -> Corpus:
    """Open the corpus with an embedder, or with the memory's own.

    Another process may switch the memory's own between the look at its name and that at its vectors; then it is looked
    up again.
    """
    while True:
        name = storage.state().settings.get(EMBEDDER, default_embedder())
        try:
            return Corpus(storage, _own_embedder(storage) if embedder is None else embedder, folder)
        except EmbedderMismatch:
            if embedder is not None or storage.state().settings.get(EMBEDDER, default_embedder()) == name:
                raise


def _own_embedder(storage: Storage) -> Embedder:
    """Return the embedder of a memory, or what stands for it where it is not installed."""
    settings = storage.state().settings
    name = settings.get(EMBEDDER, default_embedder())
    try:
        return load_embedder(name)
    except (EmbedderUnavailable, ExtraMissing, UnknownName) as error:
        if FINGERPRINT not in settings:
            raise
        return AbsentEmbedder(name, settings[FINGERPRINT], error)


def _keep(storage: Storage, settings: dict[str, str], changes: Mapping[str, str | None]) -> None:
    """Apply changes to a memory's settings, and store them if they differ and it can be written."""
    if any(settings.get(name) != value for name, value in changes.items()) and not storage.read_only:
        storage.put_settings(changes)
    settings |= {name: value for name, value in changes.items() if value is not None}


def _analyst_settings(
    storage: Storage, settings: Mapping[str, str], name: str | None, analyst: Analyst
) -> dict[str, str | None]:
    if name is None or settings.get(_ANALYST) == name:
        return {}
    # A model reads the turns that are added from now on.
    since = settings.get(READ_FROM, str(storage.state().change)) if worker_model(analyst) is not None else None
    return {_ANALYST: name, READ_FROM: since}


def _formation_settings(storage: Storage, settings: Mapping[str, str], choice: Choice) -> dict[str, str | None]:
    """Return the settings of formation and recipe that a memory still lacks.

    A memory with turns from before formation existed is formed by the default recipe and recalls by the chosen one.
    """
    if WRITING in settings:
        return {}
    if storage.state().change:
        return {WRITING: to_text(load_recipe(DEFAULT_RECIPE).formation)}
    return {WRITING: to_text(choice.recipe.formation), RECIPE: choice.text()}


def _give_up(storage: Storage, folder: Path | None) -> None:
    if storage.created:
        _discard(storage, storage.state().settings, folder)
    storage.close()


def _discard(storage: Storage, settings: Mapping[str, str], folder: Path | None) -> None:
    if storage.discard(settings) and folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
