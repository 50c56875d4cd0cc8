"""Relations that hold no more: of what their turns tell about both ends, nothing stands.

A model that reads a turn states its relations beside its notes. A relation stands on those notes of its turn that are
about both ends and, if its label has content words, have one of them: "is a colleague of" stands on a note of
colleagues, and not on one of neighbours. It is past when all of them are superseded or retracted, in every turn that
states it. A relation without such notes is not past.
"""

from collections.abc import Iterator
from typing import Final

from hmem.derived.graph.graph import Edge, Graph
from hmem.derived.note_states import NoteStates
from hmem.derived.notes import KeptNote, Notes, by_model
from hmem.language.analyzer import stems, words

# Statuses of notes that hold no more.
_ENDED_STATUSES: Final = ("superseded", "retracted")


class PastRelations:
    """Finder of relations that hold no more, by the states of notes from a standpoint."""

    def __init__(self, graph: Graph, notes: Notes, states: NoteStates, stop_words: frozenset[str]) -> None:
        self._graph = graph
        self._notes = notes
        self._states = states
        self._stop_words = stop_words

    def is_past(self, edge: Edge) -> bool:
        """Tell if a relation holds no more. The newest turns are looked at first, and rarely more than one."""
        return all(self._is_over(edge, turn) for turn in reversed(edge.evidence))

    def _is_over(self, edge: Edge, turn: int) -> bool:
        """Tell if nothing stands that a turn tells of a relation; False where it tells nothing."""
        notes = [self._states.canonical(note) for note in self._notes_on(edge, turn)]
        return bool(notes) and all(self._states.state_of(note).status in _ENDED_STATUSES for note in notes)

    def _notes_on(self, edge: Edge, turn: int) -> Iterator[KeptNote]:
        label_stems = self._content(edge.label)
        for note in self._notes.of_turn(turn):
            claim = f"{note.subject} {note.slot} {note.value}"
            if (
                by_model(note.made_by)
                and self._names(edge.source, claim)
                and self._names(edge.target, claim)
                and (not label_stems or not label_stems.isdisjoint(self._content(f"{claim} {note.text}")))
            ):
                yield note

    def _names(self, entity: int, text: str) -> bool:
        """Tell if a text has all words of a name of an entity."""
        present_words = set(map(str.casefold, words(text)))
        names = (self._graph.name(entity), *self._graph.aliases(entity))
        return any(present_words.issuperset(map(str.casefold, words(name))) for name in names)

    def _content(self, text: str) -> frozenset[str]:
        """Return the stems of the content words of a text."""
        content_words = (word for word in words(text) if word.casefold() not in self._stop_words)
        return frozenset(stem for word in content_words for stem in stems(word))
