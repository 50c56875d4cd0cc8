"""Derived state of a memory: all that formation keeps, in sync with storage, and its consistency check.

The state is loaded when first needed and takes up the chunks that other processes stored since. It stores its own
changes in one transaction with the watermark of the turns that they take into account.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.corpus import Corpus
from hmem.derived.active_changes import Decisions
from hmem.derived.chunks import EVENT_BITS, Part, decode, encode, event_number, turn_of
from hmem.derived.episodes import TurnJudgements
from hmem.derived.events import Events, EventVectors
from hmem.derived.graph.graph import Graph
from hmem.derived.note_states import NoteStates, ReconcileOptions, Revisions
from hmem.derived.notes import KeptNote, Notes, RelearntTurns, turn_of_note
from hmem.derived.personas import Personas
from hmem.derived.speaker_names import SpeakerNames
from hmem.derived.texts import Texts
from hmem.derived.trees.tree import LEAF_BITS, Tree
from hmem.errors import MemoryDamaged
from hmem.language.analyst import Analyst
from hmem.model.ids import numbered
from hmem.storage.base import Chunk, Formed, LogEntry

TURN_TREES: Final = ("calendar", "topic")
EVENT_TREES: Final = ("evolution", "layers")
# Trees whose nodes without a label are named from what is in them.
NAMED_TREES: Final = ("topic", "layers")
TREES: Final = (*TURN_TREES, *EVENT_TREES)

Values = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class NodeTexts:
    """Texts of a tree's nodes: their summaries, and the names of those without a label."""

    summaries: Texts
    names: Texts


class DerivedState:
    """Everything formed from one memory's turns. Use it inside ``corpus.reading()``."""

    def __init__(self, corpus: Corpus, analyst: Analyst, reconciling: ReconcileOptions | None = None) -> None:
        """Begin with nothing; ``analyst`` judges notes that no kept verdict compares."""
        self._corpus = corpus
        self._analyst = analyst
        self._reconciling = reconciling
        self.at = Formed(0, 0, 0)
        self.decisions = Decisions(corpus.storage, corpus.news)
        # Whether what changed here since the last step was refused or could not be stored, and is to be undone.
        self._refused = False
        self._begin()

    def _begin(self) -> None:
        dimension = self._corpus.embedder.dimension
        self.judgements = TurnJudgements()
        self.names = SpeakerNames(self._corpus, self.judgements)
        self.events = Events()
        self.event_vectors = EventVectors(dimension)
        # What is said without who says it: the vectors that trees are built from.
        self.turn_topics = EventVectors(dimension, "turn-topics")
        self.event_topics = EventVectors(dimension, "event-topics")
        self.notes = Notes()
        self.revisions = Revisions()
        self.note_states = NoteStates(
            self.notes, self.revisions, self.said, self.statement, self._analyst, self._reconciling, self._withdrawn
        )
        self.notes.watch = self.note_states.on_note_changed
        self._decided = -1
        self.learnt = RelearntTurns()
        self.graph = Graph()
        self.personas = Personas()
        # Log entries to be written with the next store.
        self.journal: list[LogEntry] = []
        self.profiles = Texts("profiles")
        self.trees = {name: Tree(name, self.topics_of_turns) for name in TURN_TREES}
        self.trees |= {name: Tree(name, self.topics_of_events, LEAF_BITS + EVENT_BITS) for name in EVENT_TREES}
        self.written = {name: NodeTexts(Texts(f"{name}-summaries"), Texts(f"{name}-names")) for name in TREES}
        parts: list[Part] = [
            self.judgements, self.events, self.event_vectors, self.turn_topics, self.event_topics, self.notes,
            self.revisions, self.learnt, self.personas, self.profiles, *self.graph.parts,
            *(part for tree in self.trees.values() for part in tree.parts),
            *(part for texts in self.written.values() for part in (texts.summaries, texts.names)),
        ]  # fmt: skip
        self._parts: Mapping[str, Part] = {part.name: part for part in parts}

    # Vectors.

    def vectors_of_events(self, events: Sequence[int]) -> Values:
        """Return the unit vectors of events, a row each: their own, or their turn's."""
        return _with_own(self._corpus.vectors_of([turn_of(event) for event in events]), events, self.event_vectors)

    def topics_of_turns(self, seqs: Sequence[int]) -> Values:
        """Return the topic vectors of turns, a row each: their own, or those that are searched."""
        return _with_own(self._corpus.vectors_of(seqs), [event_number(seq, 0) for seq in seqs], self.turn_topics)

    def topics_of_events(self, events: Sequence[int]) -> Values:
        """Return the topic vectors of events, a row each: their own, or those that are searched."""
        if all(event in self.event_topics for event in events) and events:
            return self.event_topics.rows(events)
        return _with_own(self.vectors_of_events(events), events, self.event_topics)

    def name_of(self, tree: str, node: int) -> str:
        """Return the label of a node, or the name that was written for it; empty if it has neither."""
        written = self.written[tree].names.of(node)
        return self.trees[tree].label(node) or ("" if written is None else written.text)

    # Notes.

    def said(self, seq: int) -> int:
        """Return when a turn was said, in seconds since 1970; 0 for one that is gone."""
        row = int(self._corpus.columns.rows_of([seq])[0])
        return int(self._corpus.columns.said[row]) // 1_000_000 if row >= 0 else 0

    def note_id(self, number: int) -> str:
        """Return the id of a note."""
        row = int(self._corpus.columns.rows_of([turn_of_note(number)])[0])
        return numbered("note", int(self._corpus.columns.said[row]) // 1_000 if row >= 0 else 0, number)

    def _withdrawn(self) -> tuple[frozenset[int], frozenset[int]]:
        """Return the turns and the notes that were withdrawn, by number."""
        return self.decisions.absent(), self.absent_notes()

    def absent_notes(self, known: int | None = None) -> frozenset[int]:
        """Return the notes that were withdrawn, alone or with their statement, by number.

        The notes withdrawn now, or at a time (µs) by the decisions made until then.
        """
        notes, events = self.decisions.absent_notes(known), self.decisions.absent_events(known)
        if not events:
            return notes
        stated = (note for event in events for note in self.notes.of(turn_of(event)))
        return notes.union(note.number for note in stated if event_number(note.turn, note.event) in events)

    def statement(self, note: KeptNote) -> str:
        """Return the statement that a note was read from."""
        stated = self.events.of(note.turn)[note.event : note.event + 1]
        return stated[0].text if stated else note.text

    # Synchronisation with storage.

    def outdate_texts(self) -> None:
        """Outdate the texts of nodes that changed since the last call, once for all their changes."""
        for name, tree in self.trees.items():
            texts = self.written[name]
            for node in tree.take_touched():
                texts.summaries.outdate(node)
                texts.names.outdate(node)

    def catch_up(self) -> None:
        """Take up what was stored since, by this process or another.

        Raises:
            MemoryDamaged: what was stored cannot be read.
        """
        self.decisions.catch_up()
        self.take_up()

    def take_up(self) -> None:
        """Take up what was stored since, as ``catch_up``, when the decisions are already up to date."""
        self._take_up()
        if self._decided != self.decisions.decided:
            self.note_states.decide(self.decisions.active_changes().of_notes)
            self.graph.edits = self.decisions.active_changes().of_entities
            self._decided = self.decisions.decided

    def _take_up(self) -> None:
        formed = self._corpus.state.formed
        if formed == self.at and not self._refused:
            return
        if self.at.step < formed.cleared:
            self.forget()
        own = self._changed() if self._refused else []
        news = self._corpus.news
        chunks = self._corpus.storage.chunks(since=self.at.step, also=own) if own else news.chunks(self.at.step)
        if self._refused:
            self._undo({*own}.difference((chunk.part, chunk.number) for chunk in chunks))
        else:
            self._drop_unstored_texts()
        for chunk in chunks:
            part = self._parts.get(chunk.part)
            if part is not None:
                part.load(chunk.number, self._content(chunk))
        self._stand_at(formed)

    def _stand_at(self, formed: Formed) -> None:
        self.at = formed
        self._corpus.news.formed(formed.step)

    def _changed(self) -> list[tuple[str, int]]:
        """The chunks that differ here from what is stored, by part and number."""
        return [(part.name, number) for part in self._parts.values() for number in sorted(part.changed)]

    def _undo(self, unknown: Iterable[tuple[str, int]]) -> None:
        """Let go of what was changed and not stored; what the storage has of those chunks is loaded next.

        It knows nothing of some of them.
        """
        for name, number in unknown:
            self._parts[name].load(number, None)
        for part in self._parts.values():
            part.changed.clear()
        self.notes.renew_news()
        self.journal.clear()
        self._refused = False

    def _drop_unstored_texts(self) -> None:
        """Drop texts that were written but not stored: they may describe nodes as they were."""
        texts = [self.profiles, *(part for each in self.written.values() for part in (each.summaries, each.names))]
        for part in texts:
            for number in part.changed:
                part.load(number, None)
            part.changed.clear()

    def _content(self, chunk: Chunk) -> object:
        if chunk.content is None:
            return None
        try:
            return decode(chunk.content)
        except ValueError as error:
            raise MemoryDamaged(f"what was formed cannot be read ({error}) - run `hmem rebuild`") from error

    def store(
        self, watermark: int, settings: Mapping[str, str | None] | None = None, entries: Sequence[LogEntry] = ()
    ) -> bool:
        """Store what changed, with entries of the log, as the next step.

        False, and everything is to be done again, when another took that step. What changed here is then undone when
        it is caught up, chunk by chunk; the rest stays loaded.

        Raises:
            MemoryBusy, StorageFull, StorageError: nothing was stored; what changed here is undone likewise.
        """
        chunks = [
            Chunk(name, number, None if content is None else encode(content))
            for name, number in self._changed()
            for content in [self._parts[name].dump(number)]
        ]
        self._refused = True
        formed = self._corpus.storage.form(chunks, self.at, watermark, settings, [*self.journal, *entries])
        if formed is None:
            self._corpus.look_again()
            return False
        self._refused = False
        self._stand_at(formed)
        self.journal.clear()
        for part in self._parts.values():
            part.changed.clear()
        return True

    def undo(self) -> None:
        """Have the next ``catch_up`` undo what changed here since the last step."""
        self._refused = True

    def forget(self) -> None:
        """Drop what is in memory; it is loaded again when next needed."""
        self._begin()
        self._refused = False
        self.at = Formed(0, 0, 0)


def _with_own(rows: Values, events: Sequence[int], vectors: EventVectors) -> Values:
    """Put the vectors that events have of their own into their rows."""
    own = [i for i, event in enumerate(events) if event in vectors]
    if own:
        rows[own] = vectors.rows([events[i] for i in own])
    return rows


_MEND = "run `hmem rebuild`"


def problems(corpus: Corpus, derived: DerivedState) -> list[str]:
    """List inconsistencies. Call it inside ``corpus.reading()``, the derived state caught up; a backlog is fine."""
    columns, judgements = corpus.columns, derived.judgements
    alive = set(columns.seq[columns.alive].tolist())
    formed = set(judgements.seqs())
    events = {event.number for seq in derived.events.turns() for event in derived.events.of(seq)}
    memorable = {seq for seq in formed if (kept := judgements.of(seq)) is not None and kept.memorable}
    found = [
        *_strange("what was formed", formed, alive),
        *_strange("events", {turn_of(event) for event in events}, memorable),
        *_strange("notes", {note.turn for note in derived.notes.all()}, {*memorable, *derived.learnt.seqs()}),
        *_strange("entities", _named(derived), formed),
    ]
    for name, tree in derived.trees.items():
        leaves = set(tree.under(0))
        if leaves and name in TURN_TREES:
            found += _differ(f"{name} tree and the memorable turns", leaves, memorable)
        if leaves and name in EVENT_TREES:
            found += _differ(f"{name} tree and the events", leaves, events)
    return found


def _named(derived: DerivedState) -> set[int]:
    return {seq for entity in derived.graph.entities() for seq in derived.graph.mentions(entity)}


def _differ(what: str, one: set[int], other: set[int]) -> Iterator[str]:
    if wrong := len(one ^ other):
        yield f"the {what} differ in {wrong} - {_MEND}"


def _strange(what: str, turns: Iterable[int], known: set[int]) -> Iterator[str]:
    if wrong := len(set(turns) - known):
        yield f"{what} is of {wrong} turns that are not there, or not memorable - {_MEND}"
