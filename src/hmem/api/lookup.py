"""Lookup of turns, events, notes and sessions: by id or page by page."""

from collections.abc import Sequence

import numpy as np

from hmem.api.components import Components
from hmem.corpus.corpus import Corpus
from hmem.errors import UnknownId
from hmem.model.event import Event, FormedItems
from hmem.model.ids import kind_of
from hmem.model.note import Note
from hmem.model.scope import spelled
from hmem.model.turn import Session, Turn


class Lookup:
    """Turns, events and notes by id, turns in the order of their arrival, and sessions."""

    def __init__(self, components: Components) -> None:
        self._components = components
        self._corpus = components.corpus

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

    def _page(
        self, after: str | None, limit: int, session: str | None, speaker: str | None, allowed: set[int] | None = None
    ) -> list[Turn]:
        storage = self._corpus.storage
        start = 0 if after is None else storage.locate([after]).get(after)
        if start is None:
            raise UnknownId(f"this memory has no turn {after!r} - begin again without 'after'")
        names = [name.name for name in self._corpus.speakers if speaker and spelled(name.name) == spelled(speaker)]
        if len(names) < 2 and allowed is None:
            page = storage.page(start, limit, session=session, speaker=names[0] if names else speaker)
        else:
            seqs = _turns_by(self._corpus, names if speaker else None, start, session)
            page = storage.turns([seq for seq in seqs if allowed is None or seq in allowed][:limit])
        return [row.turn for row in page]

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
        after: str | None = None,
        limit: int = 100,
    ) -> list[Turn]:
        """Return turns in the order of their arrival; ``after`` is the last id of the page before.

        A speaker is meant in any spelling. ``entity`` limits to turns that name it, ``node`` to those below the node of
        a tree; none of these was withdrawn.

        Raises:
            UnknownId: ``after``, the entity or the node is not there.
        """
        if entity is None and node is None:
            with self._corpus.reading():
                return self._page(after, max(limit, 0), session, speaker)
        with self._components.browsing() as browser:
            turn_sets = [*([browser.turns_naming(entity)] if entity is not None else [])]
            turn_sets += [browser.turns_under(node)] if node is not None else []
            allowed = set(turn_sets[0]).intersection(*turn_sets[1:])
            return self._page(after, max(limit, 0), session, speaker, allowed)

    def sessions(self, *, limit: int | None = None, offset: int = 0) -> tuple[Session, ...]:
        """Return the sessions, by the time of their first turn."""
        with self._corpus.reading():
            limit = None if limit is None else max(limit, 0)
            return tuple(self._corpus.storage.sessions(limit=limit, offset=max(offset, 0)))


def _turns_by(corpus: Corpus, names: Sequence[str] | None, start: int, session: str | None) -> list[int]:
    """Return the turns after a sequence number, of a session and by a speaker of several spellings, if given."""
    columns = corpus.columns
    mask = columns.alive & (columns.seq > start)
    if names is not None:
        mask &= np.isin(columns.speaker, [speaker.number for speaker in corpus.speakers if speaker.name in names])
    seqs = np.sort(columns.seq[mask])
    if session is not None:
        seqs = np.intersect1d(seqs, corpus.storage.matching(session=session))
    return seqs.tolist()
