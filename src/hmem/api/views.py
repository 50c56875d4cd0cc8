"""Views of a memory's derived state, as values."""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager

from hmem.derived.tiers import TierOptions
from hmem.model.entity import KnowledgeGraph
from hmem.model.episode import Episode
from hmem.model.event import Event
from hmem.model.node import Branch
from hmem.model.note import Conflict, Note, NoteKind
from hmem.model.persona import Persona, PersonaVersion
from hmem.model.tier import Tiers
from hmem.retrieval.browse import Browser


class Views:
    """The trees, episodes, events, notes, graph, personas and tiers of a memory; with ``user``, what belongs to them.

    Args:
        browsing: returns a block in which all turns are formed, and held still.
        tiering: returns the constants of the tiers.
    """

    def __init__(
        self, browsing: Callable[[], AbstractContextManager[Browser]], tiering: Callable[[], TierOptions]
    ) -> None:
        self._browsing = browsing
        self._tiering = tiering

    @contextmanager
    def _browser(self, user: str | None) -> Generator[Browser]:
        with self._browsing() as browser:
            yield browser.limited_to(user)

    def timeline(self, *, summaries: bool = False, user: str | None = None) -> Branch:
        """Return the calendar tree: year, month, day, and memorable turns; with every summary if asked for."""
        return self._tree("calendar", summaries=summaries, user=user)

    def topics(self, *, summaries: bool = False, user: str | None = None) -> Branch:
        """Return the topic tree: categories by name, and their memorable turns."""
        return self._tree("topic", summaries=summaries, user=user)

    def layers(self, *, summaries: bool = False, user: str | None = None) -> Branch:
        """Return the layers: domain, category, trace, and their events."""
        return self._tree("layers", summaries=summaries, user=user)

    def evolution(self, *, summaries: bool = False, user: str | None = None) -> Branch:
        """Return the evolution tree: clusters of similar turns within a week, a month, a year."""
        return self._tree("evolution", summaries=summaries, user=user)

    def _tree(self, name: str, *, summaries: bool, user: str | None) -> Branch:
        with self._browser(user) as browser:
            return browser.branch(name, summaries=summaries)

    def episodes(
        self, *, session: str | None = None, user: str | None = None, limit: int = 100, offset: int = 0
    ) -> tuple[Episode, ...]:
        """Return coherent runs of turns, by time."""
        with self._browser(user) as browser:
            return tuple(browser.episodes(session, max(limit, 0), max(offset, 0)))

    def events(
        self, *, session: str | None = None, user: str | None = None, limit: int = 100, offset: int = 0
    ) -> tuple[Event, ...]:
        """Return self-contained statements, in the order of their turns."""
        with self._browser(user) as browser:
            return tuple(browser.events(session, max(limit, 0), max(offset, 0)))

    def notes(
        self,
        *,
        subject: str | None = None,
        slot: str | None = None,
        kind: NoteKind | None = None,
        user: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[Note, ...]:
        """Return distilled knowledge, oldest first: about a subject (in any spelling), in a slot, of a kind."""
        with self._browser(user) as browser:
            return tuple(browser.notes(subject, slot, kind, max(limit, 0), max(offset, 0)))

    def conflicts(self, *, user: str | None = None) -> tuple[Conflict, ...]:
        """Return undecided notes that contradict each other in slots whose rule is to ask."""
        with self._browser(user) as browser:
            return tuple(browser.conflicts())

    def graph(self, entity: str | None = None, *, limit: int = 50, user: str | None = None) -> KnowledgeGraph:
        """Return the most mentioned entities, or one (by id or name) with its neighbours, and their relations.

        Raises:
            UnknownId: no entity has this id or name.
        """
        with self._browser(user) as browser:
            return browser.graph(entity, max(limit, 0))

    def persona(self, speaker: str, *, user: str | None = None) -> Persona | None:
        """Return the knowledge about a speaker; None when there is none.

        Raises:
            UnknownId: nobody of this name has spoken.
            InvalidQuery: turns of several users, and none of no user, are by a speaker of this name.
        """
        with self._browser(user) as browser:
            return browser.persona(speaker)

    def persona_history(self, speaker: str, *, user: str | None = None) -> tuple[PersonaVersion, ...]:
        """Return the versions of a persona, oldest first: text, time, author, reason and new notes.

        Raises:
            UnknownId: nobody of this name has spoken.
            InvalidQuery: turns of several users, and none of no user, are by a speaker of this name.
        """
        with self._browser(user) as browser:
            return tuple(browser.persona_history(speaker))

    def personas(self, *, user: str | None = None) -> tuple[Persona, ...]:
        """Return the knowledge about every speaker."""
        with self._browser(user) as browser:
            return tuple(browser.personas())

    def tiers(self, *, user: str | None = None) -> Tiers:
        """Return the turns in the cache, the buffer and the archive, with reasons."""
        with self._browser(user) as browser:
            return browser.tiers(self._tiering())
