"""Outdated evidence: turns whose statement on the question does not hold at the time asked about.

A turn says many things. It is outdated only if all that the question matches in it stands in statements whose notes do
not hold at that time. It ranks behind the turn that replaced it, and says so; an answer is read from the other one.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from hmem.derived.note_states import NoteStates
from hmem.derived.notes import KeptNote
from hmem.language.analyzer import stems
from hmem.model.evidence import Evidence, Outdated, Why
from hmem.model.span import from_stored
from hmem.retrieval.evidence import turn_evidence
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import Scored
from hmem.retrieval.visibility import AskedTime, asked_about, note_states_of, present

# Strategy name of evidence that replaced outdated evidence.
NAME: Final = "reconciled"
# Term that puts an outdated turn behind the one that replaced it.
TERM: Final = "outdated"

# Number of best turns whose statements are checked.
_CHECKED: Final = 32
_BEHIND: Final = np.float32(1e-3)
_SECOND: Final = 1_000_000


class _Replaced(NamedTuple):
    """Notes of an outdated turn that the question is about, and the note that is read instead, if any."""

    about: list[KeptNote]
    instead: KeptNote | None


class Replacements:
    """Outdated turns of one query, each looked up once. Use it inside ``corpus.reading()``."""

    def __init__(self, sources: Sources, query: Query) -> None:
        self.sources = sources
        self.query = query
        self._known: dict[int, _Replaced | None] = {}

    @cached_property
    def _asked(self) -> AskedTime:
        """Time that the question asks about; few questions find anything outdated."""
        return asked_about(self.sources.analyst.lexicon, self.query)

    def of_rows(self, rows: Sequence[int]) -> dict[int, _Replaced]:
        """Return the outdated turns of some rows, by row."""
        unknown = [row for row in rows if row not in self._known]
        if unknown:
            self._known |= dict.fromkeys(unknown) | self._replaced(unknown)
        return {row: found for row in rows if (found := self._known[row]) is not None}

    def of(self, found: Sequence[Evidence]) -> dict[str, _Replaced]:
        """Return the outdated turns among evidence, by id."""
        turned = [item.id for item in found if item.kind == "turn"]
        rows = self.sources.corpus.rows_of_ids(turned).tolist()
        ids = {row: each for each, row in zip(turned, rows, strict=True) if row >= 0}
        return {ids[row]: each for row, each in self.of_rows(list(ids)).items()}

    def told(self, found: _Replaced, by: str | None) -> Outdated | None:
        """Return since when a turn is outdated; None for one that came after the time asked about."""
        if self._asked.past:
            return None
        ends = [end for note in found.about if (end := self._states.of(note).end) is not None]
        return Outdated(from_stored(max(ends) * _SECOND, 0) if ends else None, by)

    def _replaced(self, rows: Sequence[int]) -> dict[int, _Replaced]:
        corpus, terms = self.sources.corpus, frozenset(self.query.terms)
        seqs: list[int] = corpus.columns.seq[np.array(rows, np.int64)].tolist()
        changed = self.sources.cached(_Changed(self.query.standpoint.known))
        # Of most turns it is known that nothing of them has changed, whatever is asked.
        open_ = [(row, seq) for row, seq in zip(rows, seqs, strict=True) if changed.get(seq) is not False]
        turns = corpus.kept.of([seq for _, seq in open_])
        made: dict[int, _Replaced] = {}
        for row, seq in open_:
            said = terms.intersection(stems(turns[seq].content)) if seq in turns else None
            if said and (closed := self._closed(said, seq, changed)):
                made[row] = _Replaced(closed, self._instead(closed))
        return made

    def _closed(self, said: frozenset[str], seq: int, changed: "_KnownChanges") -> list[KeptNote]:
        """Return the notes of a turn with the words said that the question may not find."""
        notes = self.sources.derived.notes.of(seq)
        if changed.get(seq) is None:
            # The state of a note takes longer than its words, so it is looked up for words that match, or the second
            # time that the turn is found.
            again = seq in changed
            changed[seq] = _has_changed(self._states, notes) if not notes or again or self._about(said, notes) else None
        about = self._about(said, notes) if changed[seq] else []
        return self._closed_about(said, notes, about) if about else []

    def _about(self, said: frozenset[str], notes: Sequence[KeptNote]) -> list[KeptNote]:
        """Return the notes whose words, or those of their statements, include the words said."""
        statement = self.sources.derived.statement
        return [note for note in notes if said.issubset(stems(f"{note.text} {statement(note)}"))]

    @property
    def _states(self) -> NoteStates:
        return note_states_of(self.sources, self.query)

    def _closed_about(
        self, said: frozenset[str], notes: Sequence[KeptNote], about: Sequence[KeptNote]
    ) -> list[KeptNote]:
        """Return the notes ``about`` the words said that the question may not find, if no other statement has them.

        Several notes are read from one statement, and only one of them says what changed: "lives in Porto, near a
        river".
        """
        closed = [note for note in about if not any(True for _ in self._present([note]))]
        if len(closed) < len(about):
            closed = [note for note in closed if said <= set(stems(note.text))]
        statements = {note.event for note in closed}
        if not closed or not all(note.event in statements for note in about):
            return []
        # Of a statement that tells of two things, the one asked about counts: "I live in Porto and my brother sings".
        named = [len(said & set(stems(f"{note.subject} {note.slot} {note.value}"))) for note in closed]
        rest = [note for note in notes if note.event in statements and note not in closed]
        return (
            [] if any(len(said & set(stems(f"{n.subject} {n.slot} {n.value}"))) > max(named) for n in rest) else closed
        )

    def _instead(self, notes: Sequence[KeptNote]) -> KeptNote | None:
        """Return the first allowed note that replaced one of these, or that one of these replaced, or None."""
        kept, query = self.sources.derived, self.query
        for note in notes:
            holding = self._states.of(note)
            numbers = [*holding.predecessors, *([] if holding.successor is None else [holding.successor])]
            others = [other for other in map(kept.notes.get, numbers) if other is not None]
            for other in self._present(others):
                row = int(self.sources.corpus.columns.rows_of([other.turn])[0])
                if row >= 0 and (query.allowed is None or bool(query.allowed[row])):
                    return other
        return None

    def _present(self, notes: Iterable[KeptNote]) -> Iterator[KeptNote]:
        return present(self.sources, self.query, notes, self._asked)


def outdated_last(replacements: Replacements, scored: Scored) -> Scored:
    """Return candidates with each outdated turn behind the one that replaced it; ``TERM`` is what that cost it.

    Only the best turns are checked. Call it inside ``corpus.reading()``.
    """
    replaced, columns = replacements.of_rows(scored.rows[:_CHECKED].tolist()), replacements.sources.corpus.columns
    if not replaced:
        return scored
    places = {row: place for place, row in enumerate(scored.rows.tolist())}
    values = np.zeros(len(scored.rows), np.float32)
    for row, found in replaced.items():
        other = -1 if found.instead is None else int(columns.rows_of([found.instead.turn])[0])
        if places.get(other, -1) > places[row]:
            values[places[row]] = scored.scores[places[other]] - scored.scores[places[row]] - _BEHIND
    if not values.any():
        return scored
    scores = scored.scores + values
    order = np.argsort(-scores, kind="stable")
    terms = {name: each[order] for name, each in {**scored.terms, TERM: values}.items()}
    return replace(
        scored, rows=scored.rows[order], scores=scores[order], terms=terms, weights={**scored.weights, TERM: 1.0}
    )


def marked(replacements: Replacements, found: Sequence[Evidence]) -> list[Evidence]:
    """Return evidence, best first, where each outdated turn tells since when, and by what it was replaced.

    A turn that replaced one of them and was not found comes before it. Call it inside ``corpus.reading()``.
    """
    replaced = replacements.of(found)
    if not replaced:
        return list(found)
    others = replacements.sources.text_writer.turns(
        [each.instead.turn for each in replaced.values() if each.instead is not None]
    )
    shown = {item.id for item in found}
    made: list[Evidence] = []
    for item in found:
        each = replaced.get(item.id)
        if each is None:
            made.append(item)
            continue
        other = others.get(each.instead.turn) if each.instead is not None else None
        if other is not None and other.id not in shown:
            shown.add(other.id)
            made.append(turn_evidence(other, item.score, Why((NAME,), {})))
        told = replacements.told(each, None if other is None else other.id)
        made.append(replace(item, why=replace(item.why, outdated=told)))
    return made


_KnownChanges = dict[int, bool | None]


@dataclass(frozen=True, slots=True)
class _Changed:
    """Turns by sequence number, with whether one of its notes was replaced or replaced another, as known at a time.

    None stands for a turn that was found and whose notes are not looked up yet. The sources cache it: few notes change
    between two searches.
    """

    known: int | None

    def __call__(self, _: Sources) -> _KnownChanges:
        return {}


def _has_changed(states: NoteStates, notes: Sequence[KeptNote]) -> bool:
    return not all(state.stands and not state.predecessors for state in map(states.of, notes))
