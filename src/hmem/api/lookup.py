"""Lookup of turns, events, notes and sessions: by id or page by page."""

from collections.abc import Sequence

import numpy as np

from hmem.api.components import Components
from hmem.corpus.corpus import Corpus
from hmem.errors import UnknownId
from hmem.model.event import Event
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
            found = self._corpus.storage.turns([*self._corpus.storage.locate([id]).values()])
        if not found:
            raise UnknownId(f"this memory has no turn {id!r} - `hmem search` shows ids")
        return found[0].turn

    def list(
        self, *, session: str | None = None, speaker: str | None = None, after: str | None = None, limit: int = 100
    ) -> list[Turn]:
        """Return turns in the order of their arrival; ``after`` is the last id of the page before.

        A speaker is meant in any spelling.

        Raises:
            UnknownId: ``after`` is not kept.
        """
        with self._corpus.reading():
            storage = self._corpus.storage
            start = 0 if after is None else storage.locate([after]).get(after)
            if start is None:
                raise UnknownId(f"this memory has no turn {after!r} - begin again without 'after'")
            names = [each.name for each in self._corpus.speakers if speaker and spelled(each.name) == spelled(speaker)]
            if len(names) < 2:
                page = storage.page(start, max(limit, 0), session=session, speaker=names[0] if names else speaker)
            else:
                page = storage.turns(_said(self._corpus, names, start, session)[: max(limit, 0)])
            return [stored.turn for stored in page]

    def sessions(self, *, limit: int | None = None, offset: int = 0) -> tuple[Session, ...]:
        """Return the sessions, by the time of their first turn."""
        with self._corpus.reading():
            limit = None if limit is None else max(limit, 0)
            return tuple(self._corpus.storage.sessions(limit=limit, offset=max(offset, 0)))


def _said(corpus: Corpus, names: Sequence[str], start: int, session: str | None) -> list[int]:
    """Return the turns after a sequence number that are by a speaker, whose name has several spellings."""
    columns = corpus.columns
    numbers = [each.number for each in corpus.speakers if each.name in names]
    seqs = np.sort(columns.seq[np.isin(columns.speaker, numbers) & columns.alive & (columns.seq > start)])
    if session is not None:
        seqs = np.intersect1d(seqs, corpus.storage.matching(session=session))
    return seqs.tolist()
