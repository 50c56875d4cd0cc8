"""Derived state of a memory: all that formation keeps, in sync with storage, and its consistency check.

The chunks are read when the state is first needed, all of one step, and each part is made of them when it is first
looked at. Vectors, which nothing refers to, are only read then, chunk by chunk in a large memory, and so are the keys
of notes: only who writes needs them, and a step that another has overtaken is not stored. The state takes up the
chunks that other processes stored since, and stores its own changes in one transaction with the watermark of the turns
that they take into account.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.corpus import Corpus
from hmem.corpus.index.runs import RUNS
from hmem.derived.changes import RENAME, Decisions, Revisions, given_names
from hmem.derived.chunks import (
    COMPANIONS,
    EVENT_BITS,
    Part,
    content_of,
    encode,
    number_in_turn,
    turn_of,
    with_companions,
)
from hmem.derived.episodes import TurnJudgements
from hmem.derived.events import Events, EventVectors, mean_of
from hmem.derived.graph.graph import Graph
from hmem.derived.note_states import Authority, NoteStates, ReconcileOptions, SlotOutcomes, authority
from hmem.derived.notes import KeptNote, Notes, RelearntTurns
from hmem.derived.personas import Personas
from hmem.derived.speaker_names import SpeakerNames
from hmem.derived.texts import Texts
from hmem.derived.trees.tree import LEAF_BITS, Tree
from hmem.language.analyst import Analyst
from hmem.language.analyzer import VERSION
from hmem.model.ids import numbered
from hmem.model.note import THREAD
from hmem.storage.base import Chunk, FormationProgress, LogEntry, State
from hmem.util.amounts import amount
from hmem.util.sizes import collection_paused

# A memory of more turns reads the vectors of events as they are asked for.
READ_WHOLE: int = 10_000

TURN_TREES: Final = ("calendar", "topic")
EVENT_TREES: Final = ("evolution", "layers")
# Trees whose nodes without a label are named from what is in them.
NAMED_TREES: Final = ("topic", "layers")
TREES: Final = (*TURN_TREES, *EVENT_TREES)
# Maker of threads, and of labels that are not shown.
_VERBATIM: Final = "verbatim"

# Setting that tells by which rules a memory is formed, and its value for the present ones. Without it they are those of
# before the first release.
RULES: Final = "formation.sentences"
PRESENT: Final = "4"

Values = NDArray[np.float32]
Kind = TypeVar("Kind")


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
        self.at = FormationProgress(0, 0, 0)
        self.decisions = Decisions(corpus.storage, corpus.news)
        # Whether what changed here since the last step was refused or could not be stored, and is to be undone.
        self._refused = False
        self._begin()

    def _begin(self) -> None:
        dimension = self._corpus.embedder.dimension
        self._judgements = TurnJudgements()
        self._names = SpeakerNames(self._corpus, self._judgements)
        self._events = Events()
        self._event_vectors = EventVectors(dimension)
        # What is said without who says it: the vectors that trees are built from.
        self._notes = Notes()
        self._revisions = Revisions()
        self._outcomes = SlotOutcomes(lambda part: self._awake(part, part))
        self._note_states = NoteStates(
            self._notes, self._revisions, self.times_of, self.statement, self._analyst, self._reconciling,
            self._withdrawn_numbers, self._outcomes, self.authority,
        )  # fmt: skip
        self._notes.watch = self._note_states.on_note_changed
        self._decided = -1
        self._learnt = RelearntTurns()
        self._graph = Graph()
        self._personas = Personas()
        # Sequence numbers of turns that were asked for by their ids.
        self._seqs: dict[str, int] = {}
        # Log entries to be written with the next store.
        self.journal: list[LogEntry] = []
        self._profiles = Texts("profiles")
        # Days and months are told by time alone.
        trees = {name: Tree(name, self.topics_of_turns, summed=name != "calendar") for name in TURN_TREES}
        trees |= {name: Tree(name, self.vectors_of_events, LEAF_BITS + EVENT_BITS) for name in EVENT_TREES}
        by_tree = {name: NodeTexts(Texts(f"{name}-summaries"), Texts(f"{name}-names")) for name in TREES}
        self.trees = _Awoken(trees, lambda tree: self._awake(tree, *tree.parts))
        self.written: Mapping[str, NodeTexts] = _Awoken(
            by_tree, lambda texts: self._awake(texts, texts.summaries, texts.names)
        )
        self._texts = [self._profiles, *(part for pair in by_tree.values() for part in (pair.summaries, pair.names))]
        parts: list[Part] = [
            self._judgements, self._events, self._event_vectors,
            *self._notes.parts, self._revisions, *self._outcomes.parts, self._learnt, self._personas,
            *self._graph.parts, *(part for tree in trees.values() for part in tree.parts), *self._texts,
        ]  # fmt: skip
        self._parts: Mapping[str, Part] = {part.name: part for part in parts}
        # Parts that nobody has looked at yet, with the chunks that they are made of; None where they were not read.
        later = (self._event_vectors, self._outcomes.parts[-1])
        self._asleep: dict[str, dict[int, bytes] | None] = {part.name: None if part in later else {} for part in parts}

    # Parts, each loaded when it is first looked at.

    @property
    def judgements(self) -> TurnJudgements:
        """Judgements of all formed turns."""
        return self._awake(self._judgements, self._judgements)

    @property
    def names(self) -> SpeakerNames:
        """Names of the speakers of formed turns."""
        return self._awake(self._names, self._judgements)

    @property
    def events(self) -> Events:
        """Events of all turns."""
        return self._awake(self._events, self._events)

    @property
    def event_vectors(self) -> EventVectors:
        """Vectors of the events that have their own."""
        return self._awake(self._event_vectors, self._event_vectors)

    @property
    def notes(self) -> Notes:
        """Notes of all turns."""
        return self._awake(self._notes, *self._notes.parts)

    @property
    def revisions(self) -> Revisions:
        """Verdicts on pairs of notes."""
        return self._awake(self._revisions, self._revisions)

    @property
    def note_states(self) -> NoteStates:
        """States of the notes."""
        return self._awake(self._note_states, *self._notes.parts, self._revisions, *self._outcomes.parts[:-1])

    @property
    def learnt(self) -> RelearntTurns:
        """Turns that were read again because a recall lacked notes of them."""
        return self._awake(self._learnt, self._learnt)

    @property
    def graph(self) -> Graph:
        """Knowledge graph."""
        return self._awake(self._graph, *self._graph.parts)

    @property
    def entity_count(self) -> int:
        """Number of entities; what turns say of them is not loaded for that."""
        return self._awake(self._graph, self._graph.parts[0]).count()

    @property
    def personas(self) -> Personas:
        """Personas of all people."""
        return self._awake(self._personas, self._personas)

    @property
    def profiles(self) -> Texts:
        """Profiles of entities."""
        return self._awake(self._profiles, self._profiles)

    def _awake(self, view: Kind, *parts: Part) -> Kind:
        """Return an object made of parts, once these are loaded."""
        if self._asleep:
            for part in parts:
                if part.name in self._asleep:
                    self._wake(part)
        return view

    @collection_paused()
    def _wake(self, part: Part) -> None:
        chunks = self._asleep.pop(part.name)
        if chunks is None and isinstance(part, EventVectors) and self._corpus.columns.alive_count > READ_WHOLE:
            part.fill_later(partial(self._stored_chunks, part.name))
            return
        if chunks is None:
            read = self._corpus.storage.chunks(parts=[part.name]) if self.at.step else ()
            chunks = {number: content for _, number, content in read if content is not None}
        part.fill(sorted(chunks.items()))

    def _stored_chunks(self, name: str, numbers: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """Yield some chunks of a part, as they are stored."""
        keys = [(name, number) for number in numbers] if self.at.step else []
        for _, number, content in self._corpus.storage.chunks(parts=[], also=keys) if keys else ():
            if content is not None:
                yield number, content

    def _load(self, chunks: Sequence[Chunk]) -> None:
        """Load chunks; those of a part that nobody has looked at are kept for it."""
        for name, number, content in with_companions(chunks):
            if name not in self._asleep:
                if (part := self._parts.get(name)) is not None:
                    part.load(number, None if content is None else content_of(content))
            elif (waiting_chunks := self._asleep[name]) is not None:
                if content is None:
                    waiting_chunks.pop(number, None)
                else:
                    waiting_chunks[number] = content

    # Vectors.

    def vectors_of_events(self, events: Sequence[int]) -> Values:
        """Return the unit vectors of events, a row each: their own, or their turn's."""
        return self.event_vectors.rows(events, lambda missing: self._corpus.vectors_of(list(map(turn_of, missing))))

    def topics_of_turns(self, seqs: Sequence[int]) -> Values:
        """Return a unit vector of each turn's matter: the mean of its events' vectors, or the turn's own."""
        events = [[event.number for event in self.events.of_turn(seq)] for seq in seqs]
        rows = np.array(self._corpus.vectors_of(seqs))
        vectors = iter(self.vectors_of_events([number for numbers in events for number in numbers]))
        for row, numbers in enumerate(events):
            if numbers:
                rows[row] = mean_of([next(vectors) for _ in numbers])
        return rows

    def name_of(self, tree: str, node: int) -> str:
        """Return the name that people gave a node, its label, or its written name; empty if it has none of them."""
        name = self.given_names(tree).get(node)
        if name is not None:
            return name
        text = self.written[tree].names.get(node)
        return self.label_of(tree, node) or ("" if text is None else text.text)

    def has_names(self, tree: str) -> bool:
        """Tell if any node of a tree may have a name; of a tree without one only its nodes are read for that."""
        unread = self.trees.things[tree]
        return (
            self._awake(unread, unread).is_labelled
            or len(self.written[tree].names) > 0
            or bool(self.decisions.active_changes().by_verb.get(RENAME))
        )

    def label_of(self, tree: str, node: int) -> str:
        """Return the label of a node; empty for one of the layers that no model gave.

        The likeness to a list of words serves to place a statement, and is too often wrong to be said.
        """
        label = self.trees[tree].label(node)
        if not label or tree != "layers":
            return label
        event = self.events.get(self.trees[tree].first_leaf(node))
        return "" if event is None or event.made_by.startswith(_VERBATIM) else label

    def given_names(self, tree: str, moment: int | None = None) -> Mapping[int, str]:
        """Return the names that people gave to nodes of a tree, by the changes in force now, or at a time (µs)."""
        entries = self.decisions.active_changes(moment).by_verb.get(RENAME, ())
        return given_names(entries, tree, self.trees[tree], self.seq_of) if entries else {}

    def seq_of(self, turn: str) -> int | None:
        """Return the sequence number of a turn by its id; None if it is gone."""
        if turn not in self._seqs:
            self._seqs |= self._corpus.storage.locate([turn])
        return self._seqs.get(turn)

    # Notes.

    def time_of(self, seq: int) -> int:
        """Return when a turn was said, in seconds since 1970; 0 for one that is gone."""
        row = int(self._corpus.columns.rows_of([seq])[0])
        return int(self._corpus.columns.said[row]) // 1_000_000 if row >= 0 else 0

    def times_of(self, seqs: Sequence[int]) -> list[int]:
        """Return when turns were said, in seconds since 1970; 0 for one that is gone."""
        if not seqs:
            return []
        rows, times = self._corpus.columns.rows_of(seqs), self._corpus.columns.said
        return np.where(rows >= 0, times[rows] // 1_000_000, 0).tolist()

    def authority(self, note: KeptNote) -> Authority:
        """Return how much the speaker of a note may say of its subject."""
        # A thread has its speaker's own words only, and many notes: no turn is read for that.
        if note.slot == THREAD and note.made_by.startswith(_VERBATIM):
            return Authority.OWN
        turn = self._corpus.turn_cache.get([note.turn]).get(note.turn)
        return Authority.NOBODY if turn is None else authority(turn, note.scoped_subject)

    def note_id(self, number: int) -> str:
        """Return the id of a note."""
        return self.note_ids([number])[0]

    def note_ids(self, numbers: Sequence[int]) -> list[str]:
        """Return the ids of notes."""
        rows, times = self._corpus.columns.rows_of(list(map(turn_of, numbers))), self._corpus.columns.said
        milliseconds: list[int] = np.where(rows >= 0, times[rows] // 1_000, 0).tolist() if numbers else []
        return [numbered("note", time, number) for time, number in zip(milliseconds, numbers, strict=True)]

    def _withdrawn_numbers(self) -> tuple[frozenset[int], frozenset[int]]:
        """Return the turns and the notes that were withdrawn, by number."""
        return self.decisions.absent(), self.absent_notes()

    def absent_notes(self, moment: int | None = None) -> frozenset[int]:
        """Return the notes that were withdrawn, alone or with their statement, by number.

        The notes withdrawn now, or at a time (µs) by the decisions made until then.
        """
        notes, events = self.decisions.absent_notes(moment), self.decisions.absent_events(moment)
        if not events:
            return notes
        candidates = (note for event in events for note in self.notes.of_turn(turn_of(event)))
        return notes.union(note.number for note in candidates if number_in_turn(note.turn, note.event) in events)

    def statement(self, note: KeptNote) -> str:
        """Return the statement that a note was read from."""
        events = self.events.of_turn(note.turn)[note.event : note.event + 1]
        return events[0].text if events else note.text

    # Synchronisation with storage.

    def outdate_texts(self) -> None:
        """Outdate the texts of nodes that changed since the last call, once for all their changes."""
        # No node of a tree that nobody has looked at was changed.
        for name, tree in self.trees.things.items():
            for node in tree.take_touched():
                self.written[name].summaries.outdate(node)
                self.written[name].names.outdate(node)

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
            self._note_states.decide(self.decisions.active_changes().of_notes)
            self._graph.edits = self.decisions.active_changes().of_entities
            self._decided = self.decisions.decided

    @collection_paused()
    def _take_up(self) -> None:
        version = self._corpus.state.progress
        if version == self.at and not self._refused:
            return
        if is_older(self._corpus.state):
            # Nothing of it is used.
            return
        if self.at.step < version.cleared:
            self.forget()
        changed = self._changed_chunks() if self._refused else self._outcomes_of_its_own()
        if changed:
            chunks: Sequence[Chunk] = self._corpus.storage.chunks(since=self.at.step, also=changed)
        elif self.at.step:
            chunks = self._corpus.news.chunks(self.at.step)
        else:
            names = [name for name in self._parts if self._asleep.get(name, {}) is not None]
            chunks = self._corpus.storage.chunks(parts=names)
        unknown = {*changed}.difference((chunk.part, chunk.number) for chunk in chunks)
        if self._refused:
            self._undo(unknown)
        else:
            for name, number in unknown:
                self._parts[name].load(number, None)
            self._drop_unstored_texts()
        self._load(chunks)
        self._note_states.reload()
        self._stand_at(version)

    def _stand_at(self, version: FormationProgress) -> None:
        self.at = version
        self._corpus.news.follow_formation(version.step)

    def _changed_chunks(self) -> list[tuple[str, int]]:
        """Return the chunks that differ here from what is stored, and those stored together, by part and number."""
        keys = {(part.name, number) for part in self._parts.values() for number in part.changed}
        for names in COMPANIONS.items():
            numbers = {number for name in names for number in self._parts[name].changed}
            keys |= {(name, number) for name in names for number in numbers}
        return sorted(keys)

    def _chunks_to_store(self) -> Iterator[Chunk]:
        """Yield the changed chunks, and those that are stored together with one; encoded."""
        keys, encoded = self._changed_chunks(), dict[tuple[str, int], bytes]()
        for name, number in keys:
            if name in self._asleep:
                # All that is stored together is looked at.
                self._awake(self._notes, self._events, *self._notes.parts)
            content = self._parts[name].dump(number)
            if content is not None:
                encoded[name, number] = encode(content, encoded.get((COMPANIONS.get(name, ""), number)))
            if content is not None or number in self._parts[name].changed:
                yield Chunk(name, number, encoded.get((name, number)))

    def _outcomes_of_its_own(self) -> list[tuple[str, int]]:
        """Return the chunks of slots that were folded here for want of outcomes: they are read again as stored."""
        keys = [(part.name, number) for part in self._outcomes.parts for number in sorted(part.changed)]
        for part in self._outcomes.parts:
            part.changed.clear()
        return keys

    def _undo(self, unknown: Iterable[tuple[str, int]]) -> None:
        """Drop unstored changes; the changed chunks are loaded from the storage next.

        It knows nothing of some of them.
        """
        for name, number in unknown:
            if name not in self._asleep:
                self._parts[name].load(number, None)
        for part in self._parts.values():
            part.changed.clear()
        self._notes.renew_news()
        self.journal.clear()
        self._refused = False

    def _drop_unstored_texts(self) -> None:
        """Drop texts that were written but not stored: they may describe nodes as they were."""
        for part in self._texts:
            for number in part.changed:
                part.load(number, None)
            part.changed.clear()

    def store(
        self,
        watermark: int,
        settings: Mapping[str, str | None] | None = None,
        entries: Sequence[LogEntry] = (),
        gone: Iterable[int] = (),
    ) -> bool:
        """Store what changed, with entries of the log, as the next step, and runs of turns without those ``gone``.

        Return False if another process took that step: the changes here have to be made again, and the next
        ``catch_up`` undoes them, chunk by chunk; the rest stays loaded.

        Raises:
            MemoryBusy, StorageFull, StorageError: nothing was stored; what changed here is undone likewise.
        """
        if self._notes.name not in self._asleep:
            self.note_states.settle()
        chunks = list(self._chunks_to_store())
        self._refused = True
        present, analysis = self._corpus.state.settings, str(VERSION)
        after = self.at.watermark if present.get(RUNS) == analysis else 0
        chunks += self._corpus.chunks_of_runs(after, watermark, gone)
        rules = {} if RULES in present else {RULES: PRESENT}
        changes = {**(settings or {}), **rules, **({} if present.get(RUNS) == analysis else {RUNS: analysis})}
        version = self._corpus.storage.form(chunks, self.at, watermark, changes, [*self.journal, *entries])
        if version is None:
            self._corpus.look_again()
            return False
        self._refused = False
        self._stand_at(version)
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
        self.at = FormationProgress(0, 0, 0)


def is_older(state: State) -> bool:
    """Tell if what is formed of a memory is of before the first release."""
    return state.progress.step > 0 and state.settings.get(RULES) != PRESENT


class _Awoken(Mapping[str, Kind]):
    """Objects by name, each loaded when it is looked at."""

    def __init__(self, things: Mapping[str, Kind], awake: Callable[[Kind], Kind]) -> None:
        # As they are, awake or not.
        self.things = things
        self._awake = awake

    def __getitem__(self, name: str) -> Kind:
        return self._awake(self.things[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self.things)

    def __len__(self) -> int:
        return len(self.things)


_MEND = "run `hmem rebuild`"


def problems(corpus: Corpus, derived: DerivedState) -> list[str]:
    """List inconsistencies. Call it inside ``corpus.reading()``, the derived state caught up; a backlog is fine."""
    columns, judgements = corpus.columns, derived.judgements
    alive = set(columns.seq[columns.alive].tolist())
    formed_seqs = set(judgements.seqs())
    events = {event.number for seq in derived.events.turns() for event in derived.events.of_turn(seq)}
    memorable = {seq for seq in formed_seqs if (judgement := judgements.get(seq)) is not None and judgement.memorable}
    messages = [
        *_strange("what was formed", formed_seqs, alive),
        *_strange("events", {turn_of(event) for event in events}, memorable),
        *_strange("notes", {note.turn for note in derived.notes.all()}, {*memorable, *derived.learnt.seqs()}),
        *_strange("entities", _named_turns(derived), formed_seqs),
    ]
    for name, tree in derived.trees.items():
        leaves = set(tree.leaves_below(0))
        if leaves and name in TURN_TREES:
            messages += _differ(f"{name} tree and the memorable turns", leaves, memorable)
        if leaves and name in EVENT_TREES:
            messages += _differ(f"{name} tree and the events", leaves, events)
    return messages


def _named_turns(derived: DerivedState) -> set[int]:
    return {seq for entity in derived.graph.entities() for seq in derived.graph.mentions(entity)}


def _differ(subject: str, first: set[int], second: set[int]) -> Iterator[str]:
    if wrong := len(first ^ second):
        yield f"the {subject} differ in {wrong} - {_MEND}"


def _strange(subject: str, turns: Iterable[int], expected: set[int]) -> Iterator[str]:
    if wrong := len(set(turns) - expected):
        turns_text = amount(wrong, "turn that is", "turns that are")
        yield f"{subject} is of {turns_text} not there, or not memorable - {_MEND}"
