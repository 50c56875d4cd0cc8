"""Views of what was formed, as values, and look-up of turns and sessions: page by page, or by id."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import tzinfo
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from hmem.api.components import Components
from hmem.api.queries import instant
from hmem.corpus.corpus import CorpusMoved
from hmem.derived.state import TREES
from hmem.errors import UnknownId, UnknownName
from hmem.language.analyzer import required_stems
from hmem.model.entity import Entity, KnowledgeGraph
from hmem.model.event import Episode, Event, FormedItems
from hmem.model.ids import kind_of
from hmem.model.node import Branch, TreeName
from hmem.model.note import Conflict, Note, NoteKind
from hmem.model.overview import Overview
from hmem.model.persona import PROFILE_TOKENS, Persona, PersonaVersion, Profile
from hmem.model.tier import TierOptions, Tiers
from hmem.model.turn import Session, Turn
from hmem.model.value import Listed
from hmem.retrieval.browse import ALWAYS, Browser, TimeRange
from hmem.retrieval.context import check_tokens
from hmem.retrieval.filter import Moment

_Seen = TypeVar("_Seen")
_Bound = TypeVar("_Bound", int, None)


def time_range(since: Moment | None, until: Moment | None, zone: tzinfo) -> TimeRange:
    """Return the time from a moment on until before another.

    Raises:
        InvalidTime: one of them is no time.
    """
    start, end = ALWAYS
    return start if since is None else instant(since, zone), end if until is None else instant(until, zone)


class Browsing(Protocol):
    """Function that returns a block with a browser; see ``Components.browsing``."""

    def __call__(self, *, patient: bool) -> AbstractContextManager[Browser]: ...


def _page(limit: int, offset: int) -> tuple[int, int]:
    return max(limit, 0), max(offset, 0)


class Views:
    """The trees, episodes, events, notes, graph, people and tiers of a memory; with ``user``, what belongs to them.

    Args:
        browsing: returns a block in which all turns are formed, and held still; a patient one lets others go first.
        tiering: returns the constants of the tiers.
        zone: time zone of times without an offset.
    """

    def __init__(
        self,
        browsing: Browsing,
        tiering: Callable[[], TierOptions],
        zone: tzinfo,
    ) -> None:
        self._browsing = browsing
        self._tiering = tiering
        self._zone = zone

    def _look(self, user: str | None, read: Callable[[Browser], _Seen]) -> _Seen:
        """Return what is read of a browser: of one moment, but such that other calls need not wait for all of it."""
        try:
            with self._browsing(patient=True) as browser:
                return read(browser.limited_to(user))
        except CorpusMoved:
            with self._browsing(patient=False) as browser:
                return read(browser.limited_to(user))

    def tree(
        self,
        name: TreeName,
        *,
        summaries: bool = False,
        user: str | None = None,
        node: str | None = None,
        turn: str | None = None,
        depth: int | None = None,
        brief: bool = False,
    ) -> Branch:
        """Return a tree of the memory.

        Args:
            name: ``calendar`` (year, month, day), ``topic`` (categories by name), ``evolution`` (clusters of similar
                events within a week, a month, a year) or ``layers`` (domain, category, trace). The leaves of the first
                two are memorable turns, those of the others events.
            summaries: True to have every summary written; otherwise only those already written are there.
            user: only what belongs to this user.
            node: id of a node: only its ancestors and what is below it.
            turn: id of a turn: only its ancestors.
            depth: number of levels below the root, or below ``node``; all by default.
            brief: only as much as a screen shows, in a time that hardly grows with the memory: of each node the largest
                children, without leaves; below the first level only names that are written already, and of summaries
                also those of few leaves.

        Raises:
            UnknownName: there is no such tree.
            UnknownId: the tree has no such node, or the memory no such turn.
        """
        if name not in TREES:
            raise UnknownName(f"there is no tree {name!r} - choose from: {', '.join(TREES)}")
        return self._look(
            user,
            lambda browser: browser.branch(name, summaries=summaries, node=node, turn=turn, depth=depth, brief=brief),
        )

    def episodes(
        self,
        *,
        session: str | None = None,
        user: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[Episode, ...]:
        """Return coherent runs of turns, by time.

        ``since`` (included) and ``until`` (not) limit them to those with a turn said within this time.

        Raises:
            InvalidTime: one of them is no time.
        """
        period = time_range(since, until, self._zone)
        return self._look(user, lambda browser: Listed(browser.episodes(session, *_page(limit, offset), period)))

    def events(
        self,
        *,
        session: str | None = None,
        user: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[Event, ...]:
        """Return self-contained statements, in the order of their turns.

        ``since`` (included) and ``until`` (not) limit them to those told, or happening, within this time.

        Raises:
            InvalidTime: one of them is no time.
        """
        period = time_range(since, until, self._zone)
        return self._look(user, lambda browser: Listed(browser.events(session, *_page(limit, offset), period)))

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
        return self._look(user, lambda browser: Listed(browser.notes(subject, slot, kind, *_page(limit, offset))))

    def conflicts(self, *, user: str | None = None) -> tuple[Conflict, ...]:
        """Return undecided notes that contradict each other in slots whose rule is to ask, and disputes.

        A dispute is a note of a person's own words with what others, tools, documents or assistants say against it: a
        note, or a turn that is shown as one.
        """
        return self._look(user, lambda browser: Listed(browser.conflicts()))

    def overview(self, *, seen: int = 0, user: str | None = None, limit: int = 6) -> Overview:
        """Return who speaks in the memory, what was replaced last, and what came since an earlier look.

        Args:
            seen: ``newest`` of the overview of that look; by default everything is new.
            user: only what belongs to this user.
            limit: most items of each kind.
        """
        return self._look(user, lambda browser: browser.overview(seen, max(limit, 0)))

    def graph(
        self, entity: str | None = None, *, limit: int = 50, user: str | None = None, brief: bool = False
    ) -> KnowledgeGraph:
        """Return the most mentioned entities, or one (by id or name) with its neighbours, and their relations.

        ``brief`` is for a screen: it has the profile of the one that is asked for, others only if they are written
        already, and names the newest of many sources.

        Raises:
            UnknownId: no entity has this id or name.
        """
        return self._look(user, lambda browser: browser.graph(entity, max(limit, 0), brief=brief))

    def entities(
        self, *, name: str | None = None, user: str | None = None, limit: int = 100, offset: int = 0
    ) -> tuple[Entity, ...]:
        """Return entities, those that most turns name first; with ``name``, those with a name that contains it."""
        return self._look(user, lambda browser: tuple(browser.entities(name, *_page(limit, offset))))

    def persona(self, speaker: str, *, user: str | None = None) -> Persona | None:
        """Return the knowledge about a speaker; None when there is none.

        Raises:
            UnknownId: nobody of this name has spoken.
            InvalidQuery: turns of several users, and none of no user, are by a speaker of this name.
        """
        return self._look(user, lambda browser: browser.persona(speaker))

    def persona_history(
        self, speaker: str, *, user: str | None = None, limit: int | None = None
    ) -> tuple[PersonaVersion, ...]:
        """Return the versions of a persona, oldest first: text, time, author, reason and new notes.

        ``limit`` leaves out all but the newest so many.

        Raises:
            UnknownId: nobody of this name has spoken.
            InvalidQuery: turns of several users, and none of no user, are by a speaker of this name.
        """
        most = None if limit is None else max(limit, 0)
        return self._look(user, lambda browser: Listed(browser.persona_history(speaker, most)))

    def personas(self, *, user: str | None = None) -> tuple[Persona, ...]:
        """Return the knowledge about every speaker."""
        return self._look(user, lambda browser: Listed(browser.personas()))

    def profile(self, person: str | None = None, *, user: str | None = None, tokens: int = PROFILE_TOKENS) -> Profile:
        """Return what a person said of themselves that holds now and is most telling, each line with its turn.

        Args:
            person: name of a speaker, in any spelling; by default the person who said most.
            user: only what belongs to this user.
            tokens: most tokens of the profile's text.

        Raises:
            UnknownId: nobody of this name has spoken.
            InvalidQuery: the memory is of several users, and it is not clear whose profile is meant; or ``tokens`` is
                no whole number from 1.
        """
        check_tokens(tokens)
        return self._look(user, lambda browser: browser.profile(person, tokens))

    def tiers(self, *, user: str | None = None) -> Tiers:
        """Return the turns in the cache, the buffer and the archive, with reasons."""
        return self._look(user, lambda browser: browser.tiers(self._tiering()))


class _Conditions(NamedTuple):
    """Conditions of a list of turns."""

    session: str | None
    speaker: str | None
    query: str | None
    period: TimeRange
    before: str | None
    after: str | None


class Lookup:
    """Turns, events and notes by id, turns in the order of their arrival, and sessions."""

    def __init__(self, components: Components, zone: tzinfo) -> None:
        self._components = components
        self._corpus = components.corpus
        self._zone = zone

    def get(self, id: str) -> Turn | Event | Note:
        """Return a turn, an event or a note by its id.

        Raises:
            UnknownId: this memory does not hold it.
        """
        kind = kind_of(id)
        if kind in ("event", "note"):
            with self._components.browsing() as browser:
                return browser.event(id) if kind == "event" else browser.note(id)
        with self._corpus.reading():
            rows = self._corpus.storage.turns([*self._corpus.storage.locate([id]).values()])
        if not rows:
            raise UnknownId(f"this memory has no turn, event or note {id!r} - `hmem search` shows ids")
        return rows[0].turn

    def formed(self, id: str) -> FormedItems:
        """Return what was formed of a turn: its events, notes, entities and episode.

        Raises:
            UnknownId: this memory does not hold it.
        """
        with self._components.browsing() as browser:
            return browser.formed_items(id)

    def list(
        self,
        *,
        session: str | None = None,
        speaker: str | None = None,
        entity: str | None = None,
        node: str | None = None,
        query: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        before: str | None = None,
        after: str | None = None,
        limit: int = 100,
    ) -> list[Turn]:
        """Return turns in the order of their arrival: the first behind ``after``, or the last before ``before``, an id.

        A speaker is meant in any spelling. ``query`` limits to turns with every word of a text, in any form, ``since``
        (included) and ``until`` (not) to those said within a time. ``entity`` limits to turns that name it, ``node`` to
        those below the node of a tree; none of these was withdrawn.

        Raises:
            UnknownId: ``after``, ``before``, the entity or the node is not there.
            InvalidTime: ``since`` or ``until`` is no time.
        """
        period = time_range(since, until, self._zone)
        conditions = _Conditions(session, speaker, query, period, before, after)
        if entity is None and node is None:
            with self._corpus.reading():
                return self._page(conditions, max(limit, 0))
        with self._components.browsing() as browser:
            turn_sets = [*([browser.turns_naming(entity)] if entity is not None else [])]
            turn_sets += [browser.turns_under(node)] if node is not None else []
            allowed = set(turn_sets[0]).intersection(*turn_sets[1:])
            return self._page(conditions, max(limit, 0), allowed)

    def _page(self, conditions: "_Conditions", limit: int, allowed: set[int] | None = None) -> "list[Turn]":
        start, end = self._seq_of("after", conditions.after, 0), self._seq_of("before", conditions.before, None)
        seqs = self._matching(conditions, start, end)
        if allowed is not None:
            seqs = seqs[np.isin(seqs, list(allowed))]
        is_backwards = end is not None and conditions.after is None
        page = seqs[max(len(seqs) - limit, 0) :] if is_backwards else seqs[:limit]
        return [row.turn for row in self._corpus.storage.turns(page.tolist())]

    def _seq_of(self, name: str, id: str | None, default: _Bound) -> int | _Bound:
        if id is None:
            return default
        seq = self._corpus.storage.locate([id]).get(id)
        if seq is None:
            raise UnknownId(f"this memory has no turn {id!r} - begin again without {name!r}")
        return seq

    def _matching(self, conditions: "_Conditions", start: int, end: int | None) -> NDArray[np.int64]:
        """Return the turns after and before sequence numbers that meet the conditions, ascending."""
        columns, (first, last) = self._corpus.columns, conditions.period
        mask = columns.alive & (columns.seq > start)
        if end is not None:
            mask &= columns.seq < end
        if conditions.speaker:
            mask &= np.isin(columns.speaker, self._corpus.speaker_numbers(conditions.speaker))
        if conditions.period != ALWAYS:
            mask &= (columns.said >= first) & (columns.said < last)
        seqs = np.sort(columns.seq[mask])
        if conditions.query is not None and (stems := required_stems(conditions.query)):
            seqs = np.intersect1d(seqs, self._corpus.turns_with_all(stems))
        if conditions.session is not None:
            seqs = np.intersect1d(seqs, self._corpus.storage.matching(session=conditions.session))
        return seqs

    def sessions(self, *, limit: int | None = None, offset: int = 0) -> tuple[Session, ...]:
        """Return the sessions, by the time of their first turn."""
        with self._corpus.reading():
            limit = None if limit is None else max(limit, 0)
            return tuple(self._corpus.storage.sessions(limit=limit, offset=max(offset, 0)))
