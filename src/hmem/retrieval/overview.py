"""Overview of a memory, from the state that formation keeps: nothing of it is computed for the whole memory."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.corpus import Corpus
from hmem.derived.note_states import is_shown
from hmem.derived.notes import KeptNote
from hmem.derived.speaker_names import ScopedPerson
from hmem.derived.state import DerivedState
from hmem.derived.text_writer import TextWriter
from hmem.model.note import THREAD, Note
from hmem.model.overview import Overview, PersonBrief, Replacement
from hmem.model.scope import COMMON, scoped
from hmem.retrieval.profile import ProfileWriter

_PEOPLE: Final = 6
_PROFILE_TOKENS: Final = 120
# Notes that are looked at for those to show, so that a large memory costs no more than a small one.
_READ: Final = 400
_NOTES_AT_ONCE: Final = 64


class OverviewReader:
    """Reader of what a browser sees, at a glance. Use it inside ``corpus.reading()``.

    ``owner`` limits it to what belongs to a user; ``note_values`` returns kept notes as values, without those whose
    turns are not seen.
    """

    def __init__(
        self,
        corpus: Corpus,
        derived: DerivedState,
        text_writer: TextWriter,
        owner: str | None,
        note_values: Callable[[Sequence[KeptNote]], list[Note]],
    ) -> None:
        self._corpus = corpus
        self._derived = derived
        self._text_writer = text_writer
        self._owner = owner
        self._note_values = note_values

    def read(self, after: int, limit: int, entity_id: Callable[[int], str]) -> Overview:
        """Return the overview, with what came after the turn of a number; at most ``limit`` items of each kind."""
        seqs = self._seqs_after(after)
        latest = self._text_writer.turns(sorted(seqs, reverse=True)[:limit])
        speakers, people = self._people()
        return Overview(
            newest=int(self._corpus.columns.seq.max(initial=0)),
            turns=len(seqs),
            speakers=speakers,
            people=tuple(people),
            latest=tuple(latest[seq] for seq in sorted(latest, reverse=True)),
            notes=tuple(self._note_values(list(islice(self._notes_after(after), limit)))),
            entities=tuple(
                entity
                for number in self._entities_after(after, limit)
                if (entity := self._derived.graph.value(number, entity_id)) is not None
            ),
            replacements=tuple(islice(self._replacements(), limit)),
        )

    # What is new.

    def _seqs_after(self, after: int) -> list[int]:
        columns = self._corpus.columns
        seqs: list[int] = columns.seq[columns.alive & (columns.seq > after)].tolist()
        if self._owner is None:
            return seqs
        return [seq for seq in seqs if self._derived.judgements.owner(seq) == self._owner]

    def _notes_after(self, after: int) -> Iterator[KeptNote]:
        """Yield the notes that stand, of turns after a number, newest first."""
        states, newest = self._text_writer.note_states, islice(self._derived.notes.newest_first(), _READ)
        while batch := list(islice(newest, _NOTES_AT_ONCE)):
            for note in self._text_writer.current_notes(batch):
                if note.turn <= after:
                    return
                state = states.state_of(note)
                if self._owner in (None, note.owner) and state.stands and is_shown(note, state):
                    yield note

    def _entities_after(self, after: int, limit: int) -> list[int]:
        """Return the entities first named after a number, those named most first; none of a first look."""
        if after <= 0:
            return []
        graph, counts = self._derived.graph, Counter[int]()
        for number in graph.entities(self._owner):
            mentions = self._text_writer.visible(graph.mentions(number))
            if mentions and mentions[0] > after:
                counts[number] = len(mentions)
        return [number for number, _ in counts.most_common(limit)]

    def _replacements(self) -> Iterator[Replacement]:
        """Yield notes that replaced others and stand, those of the newest turns first."""
        states, notes = self._text_writer.note_states, self._derived.notes
        for number in states.linked_numbers()[: -_READ - 1 : -1]:
            newer = notes.get(number)
            if newer is None or newer.slot == THREAD or self._owner not in (None, newer.owner):
                continue
            state = states.state_of(newer)
            older_notes = [note for note in map(notes.get, state.predecessors) if note is not None]
            if not state.stands or not self._text_writer.current_notes([newer]):
                continue
            for older in self._text_writer.current_notes(older_notes):
                values = self._note_values([older, newer])
                if len(values) == 2 and values[0].status == "superseded":
                    yield Replacement(values[0], values[1])

    # People.

    def _people(self) -> tuple[int, list[PersonBrief]]:
        """Return the number of speakers, and those people who said most with the beginning of their profiles."""
        names, writer = self._derived.names, ProfileWriter(self._corpus, self._derived, self._text_writer)
        counts = self._counts()
        people: list[PersonBrief] = []
        for person, count in counts.most_common():
            if len(people) == _PEOPLE:
                break
            self._corpus.give_way()
            if writer.is_person(person):
                lines = writer.write(person, _PROFILE_TOKENS).lines
                people.append(PersonBrief(names.name(person), count, lines, person.owner or None))
        return len(counts), people

    def _counts(self) -> Counter[ScopedPerson]:
        """Count the turns of each person."""
        columns, judgements, names = self._corpus.columns, self._derived.judgements, self._derived.names
        spellings = {speaker.number: speaker.name for speaker in self._corpus.speakers}
        counts = Counter[ScopedPerson]()
        for owner in [self._owner] if self._owner is not None else [COMMON, *sorted(judgements.owned)]:
            for number, count in self._spoken(columns.speaker[columns.alive & self._is_of(owner)]):
                person = names.find(scoped(owner, spellings[number]))
                if person is not None:
                    counts[person] += count
        return counts

    def _is_of(self, owner: str) -> NDArray[np.bool_]:
        """Return a boolean per row: its turn belongs to an owner."""
        columns, judgements = self._corpus.columns, self._derived.judgements
        if judgements.only(owner):
            return np.ones(len(columns), np.bool_)
        return np.array([judgements.owner(seq) == owner for seq in columns.seq.tolist()], np.bool_)

    @staticmethod
    def _spoken(speakers: NDArray[np.int32]) -> Iterator[tuple[int, int]]:
        numbers, counts = np.unique(speakers, return_counts=True)
        yield from zip(numbers.tolist(), counts.tolist(), strict=True)
