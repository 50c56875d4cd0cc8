"""Views of the derived state as values: trees, episodes, events, notes, graph, personas and tiers."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from importlib import import_module
from itertools import accumulate, islice
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.corpus import Corpus
from hmem.derived.changes import change_id
from hmem.derived.chunks import turn_of
from hmem.derived.episodes import EpisodeRun, Episodes
from hmem.derived.events import KeptEvent
from hmem.derived.graph.past_relations import PastRelations
from hmem.derived.note_states import Authority, earlier, is_shown, newest_turns
from hmem.derived.notes import KeptNote
from hmem.derived.personas import EDIT, RENEW, KeptPersona, from_log_text, newest_note_of, persona_id
from hmem.derived.speaker_names import ScopedPerson
from hmem.derived.state import EVENT_TREES, TREES, DerivedState
from hmem.derived.text_writer import LINES, TextWriter
from hmem.derived.texts import KeptText
from hmem.derived.trees.tree import Tree
from hmem.errors import InvalidQuery, UnknownId
from hmem.language.containment import attempted
from hmem.model.entity import Entity, EntityProfile, KnowledgeGraph, Relation
from hmem.model.event import Episode, Event, FormedItems
from hmem.model.ids import number_of, numbered, relation_id
from hmem.model.node import Branch, Node
from hmem.model.note import NOTE_KINDS, THREAD, Conflict, EarlierSentence, Note
from hmem.model.overview import Overview
from hmem.model.persona import Persona, PersonaVersion, Profile
from hmem.model.scope import COMMON
from hmem.model.span import Span, from_stored, to_stored
from hmem.model.tier import TierOptions, Tiers
from hmem.model.turn import Turn
from hmem.retrieval.later import disputes
from hmem.retrieval.overview import OverviewReader
from hmem.retrieval.profile import ProfileWriter
from hmem.storage.base import LogEntry
from hmem.util.suggesting import did_you_mean

_INSTANT: Final = timedelta(microseconds=1)
_SECOND: Final = 1_000_000
# A time, in µs since 1970: start included, end not.
TimeRange = tuple[int, int]
ALWAYS: Final[TimeRange] = (-(1 << 63), (1 << 63) - 1)
# Module of the tiers, which one paper recalls by; it is loaded when somebody looks at them.
_TIERS: Final = "hmem.papers.tiers"
# Sources that are named where there is little room, and children of a node on a screen.
_SOURCES: Final = 64
_WIDTH: Final = 24
# Notes that are looked at together for a page.
_NOTES_AT_ONCE: Final = 512


class Browser:
    """Reader of the derived state. Use it inside ``corpus.reading()``, with the derived state caught up.

    With an ``owner`` it shows only what belongs to them. Owners share the trees; ``tree_writer`` writes their texts.
    """

    def __init__(
        self,
        corpus: Corpus,
        derived: DerivedState,
        text_writer: TextWriter,
        owner: str | None = None,
        tree_writer: TextWriter | None = None,
        visible: NDArray[np.bool_] | None = None,
    ) -> None:
        self._corpus = corpus
        self._derived = derived
        self._text_writer = text_writer
        self._tree_writer = tree_writer or text_writer
        self._owner = owner
        self._visible = visible
        self._options = text_writer.options

    def viewed_from(self, visible: NDArray[np.bool_] | None, recorded_until: int | None = None) -> "Browser":
        """Return a browser that shows only what was formed of the visible rows.

        Its texts are written from these rows alone, under the changes up to ``recorded_until`` (µs since 1970).
        """
        if visible is None:
            return self
        columns = self._corpus.columns

        def are_visible(seqs: Sequence[int]) -> list[bool]:
            rows = columns.rows_of(np.array(seqs, np.int64))
            return ((rows >= 0) & visible[rows]).tolist()

        return Browser(
            self._corpus, self._derived, self._text_writer.viewed_from(are_visible, recorded_until), visible=visible
        )

    def limited_to(self, owner: str | None) -> "Browser":
        """Return a browser that shows only what belongs to an owner; everything for None.

        Raises:
            InvalidQuery: the owner is no name.
        """
        if owner is None:
            return self
        if not isinstance(owner, str) or not owner.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidQuery(f"a user is a name or an id, not {owner!r} - give one, or leave it out")
        if self._derived.judgements.only(owner):
            return Browser(self._corpus, self._derived, self._text_writer, owner, visible=self._visible)
        owner_of, writer = self._derived.judgements.owner, self._text_writer

        def are_visible(seqs: Sequence[int]) -> list[bool]:
            visible_seqs = set(writer.visible(seqs))
            return [seq in visible_seqs and owner_of(seq) == owner for seq in seqs]

        of_owner = writer.viewed_from(are_visible, writer.recorded_until, shared_labels=False)
        return Browser(self._corpus, self._derived, writer, owner, of_owner, self._visible)

    # Trees.

    def branch(
        self,
        tree: str,
        *,
        summaries: bool = False,
        node: str | None = None,
        turn: str | None = None,
        depth: int | None = None,
        brief: bool = False,
    ) -> Branch:
        """Return a tree from its root, with names; with every summary, or only with those already written.

        ``node`` limits it to that node's ancestors and what is below the node; ``turn`` to the ancestors of that turn.
        ``depth`` is the number of levels below the root, or below the node. ``brief`` leaves out what takes long, or no
        screen shows: leaves, all but the largest children, names below the first level, and summaries of many leaves.

        Raises:
            UnknownId: the tree has no such node, or the memory no such turn.
        """
        branches = self._derived.trees[tree]
        end = 0 if node is None else self._node(tree, node)
        leaves = None if turn is None else self._leaves_of(tree, turn)
        ancestors = frozenset((0, *branches.up(end)[1:]) if end else ())
        paths = None if leaves is None else frozenset(ancestor for leaf in leaves for ancestor in branches.path(leaf))
        times = self._times(tree)
        shown_leaves = [] if brief else [leaf for leaf in _leaves_below(branches, end, depth) if leaf in times]
        ids = self._leaf_ids(tree, [leaf for leaf in shown_leaves if leaves is None or leaf in leaves], times)
        return self._branch(tree, 0, _Cut(times, ids, end, ancestors, paths, summaries, brief), None, depth)

    def _node(self, tree: str, id: str) -> int:
        """Return the number of a node by its id.

        Raises:
            UnknownId: the tree does not have it.
        """
        parsed_id, branches = number_of("node", id), self._derived.trees[tree]
        if parsed_id is None or parsed_id[0] != TREES.index(tree) or parsed_id[1] not in branches:
            raise UnknownId(f"the tree {tree!r} has no node {id!r} - ask for the tree to see those it has")
        return parsed_id[1]

    def _leaves_of(self, tree: str, turn: str) -> frozenset[int]:
        """Return the leaves of a tree that are a turn or its events; none if the tree leaves the turn out.

        Raises:
            UnknownId: this memory does not hold the turn.
        """
        seq = self._corpus.storage.locate([turn]).get(turn)
        if seq is None:
            raise UnknownId(f"this memory has no turn {turn!r} - `hmem search` shows ids")
        leaves = [event.number for event in self._derived.events.of_turn(seq)] if tree in EVENT_TREES else [seq]
        return frozenset(leaf for leaf in leaves if self._derived.trees[tree].node_of(leaf) is not None)

    def turns_under(self, node: str) -> list[int]:
        """Return the visible turns below a node of any tree, ascending by sequence number.

        Raises:
            UnknownId: no tree has this node.
        """
        parsed_id = number_of("node", node)
        tree = TREES[parsed_id[0]] if parsed_id is not None and parsed_id[0] < len(TREES) else TREES[0]
        leaves = self._derived.trees[tree].leaves_below(self._node(tree, node))
        absent = self._text_writer.absent_events if tree in EVENT_TREES else frozenset[int]()
        turns = (turn_of(leaf) for leaf in leaves if leaf not in absent) if tree in EVENT_TREES else leaves
        return [seq for seq in self._tree_writer.visible(sorted(set(turns))) if self._shows(seq)]

    def _times(self, tree: str) -> dict[int, int]:
        """Return for each visible leaf of a tree when it was said (µs since 1970)."""
        leaves = self._derived.trees[tree].leaves_below(0)
        events = tree in EVENT_TREES
        seqs = [turn_of(leaf) for leaf in leaves] if events else leaves
        visible_seqs = self._tree_writer.visible(list(dict.fromkeys(seqs)))
        columns = self._corpus.columns
        rows = columns.rows_of(np.array(visible_seqs, np.int64))
        times = {
            seq: said_time
            for seq, row, said_time in zip(visible_seqs, rows.tolist(), columns.said[rows].tolist(), strict=True)
            if row >= 0
        }
        absent = self._text_writer.absent_events if events else frozenset[int]()
        return {leaf: times[seq] for leaf, seq in zip(leaves, seqs, strict=True) if seq in times and leaf not in absent}

    def _leaf_ids(self, tree: str, leaves: Sequence[int], times: Mapping[int, int]) -> dict[int, str]:
        if tree in EVENT_TREES:
            return {leaf: numbered("event", times[leaf] // 1000, leaf) for leaf in leaves}
        return {seq: turn.id for seq, turn in self._tree_writer.turns(leaves).items()}

    def _branch(
        self, tree: str, node: int, cut: "_Cut", parent: str | None, depth: int | None, *, is_named: bool = True
    ) -> Branch:
        self._corpus.give_way()
        branches, times = self._derived.trees[tree], cut.times
        leaf_times = [times[leaf] for leaf in branches.leaves_below(node) if leaf in times]
        size, leaf_times = len(leaf_times), leaf_times or [0]
        span = Span(from_stored(min(leaf_times), 0), from_stored(max(leaf_times), 0) + _INSTANT)
        # The root's start may change as memories come, so its id does not depend on it.
        moment = min(leaf_times) // 1000 if node else 0
        node_id = numbered("node", moment, node, TREES.index(tree))
        name = attempted(lambda: self._name(tree, node, write=is_named), "")
        writes_summary = cut.summaries and not (cut.brief and branches.size(node) > LINES)
        value = Node(
            node_id, tree, branches.level(node), name, span, parent,
            self._summary(tree, node, write=writes_summary), (), size,
        )  # fmt: skip
        is_ancestor = node in cut.ancestors
        if depth == 0 and not is_ancestor:
            return Branch(value)
        children = [int(child) for child in branches.children(node) if cut.shows(node, int(child))]
        visible_children = [child for child in children if any(leaf in times for leaf in branches.leaves_below(child))]
        folded = max(len(visible_children) - _WIDTH, 0) if cut.brief else 0
        if folded:
            visible_children = sorted(visible_children, key=lambda child: (-branches.size(child), child))[:_WIDTH]
        further = depth if depth is None or is_ancestor else depth - 1
        names_children = not cut.brief or is_ancestor or node == cut.end
        child_branches = [
            self._branch(tree, child, cut, node_id, further, is_named=names_children) for child in visible_children
        ]
        child_branches.sort(key=lambda branch: (branch.node.span.start, branch.node.id))
        leaves = tuple(cut.ids[leaf] for leaf in branches.leaves(node) if leaf in cut.ids)
        return Branch(value, tuple(child_branches), leaves, folded)

    def _name(self, tree: str, node: int, *, write: bool) -> str:
        if write:
            return self._tree_writer.name(tree, node)
        # Those of another standpoint are not kept.
        return self._derived.name_of(tree, node) if self._tree_writer.persists else ""

    def _summary(self, tree: str, node: int, *, write: bool) -> str:
        summary = self._derived.written[tree].summaries.get(node) if self._tree_writer.persists else None
        if summary is not None or not (write and self._options.summaries) or self._derived.trees[tree].size(node) < 2:
            return summary.text if summary is not None else ""
        return attempted(lambda: self._tree_writer.summary(tree, node).text, "")

    # Episodes.

    def episodes(self, session: str | None, limit: int, offset: int, time_range: TimeRange = ALWAYS) -> list[Episode]:
        """Return episodes by time, of one session or of all, of which a turn was said within a time."""
        runs = Episodes(self._corpus, self._derived.judgements).runs
        if time_range != ALWAYS:
            in_range = self._turns_in_range([seq for run in runs for seq in run.turns], time_range)
            runs = [run for run in runs if not in_range.isdisjoint(run.turns)]
        if session is not None:
            session_turns = set(self._corpus.storage.matching(session=session).tolist())
            runs = [run for run in runs if not session_turns.isdisjoint(run.turns)]
        runs = [run for run in runs if self._owner in (None, run.owner)]
        visible_runs = (
            run._replace(turns=turns) for run in runs if (turns := tuple(self._text_writer.visible(run.turns)))
        )
        page = list(islice(visible_runs, offset, offset + limit))
        self._corpus.turn_cache.get([seq for run in page for seq in run.turns])
        return [self._episode(run) for run in page]

    def _notes_from(self, turns: Mapping[int, Turn]) -> tuple[str, ...]:
        """Return the ids of the notes that state what turns said; a note stands for those merged into it."""
        states = self._text_writer.note_states
        notes_of_turns = (
            note
            for seq in turns
            for stated_note in self._derived.notes.of_turn(seq)
            for note in (stated_note, states.canonical(stated_note))
        )
        note_of_number = {note.number: note for note in notes_of_turns if is_shown(note, states.state_of(note))}
        notes = self._text_writer.current_notes(list(note_of_number.values()))
        turn_of_seq = {**turns, **self._text_writer.turns([note.turn for note in notes if note.turn not in turns])}
        return tuple(note_id(note, turn_of_seq[note.turn].at) for note in notes)

    def _episode(self, run: EpisodeRun) -> Episode:
        self._corpus.give_way()
        turns = self._text_writer.turns(run.turns)
        first, last = turns[min(turns)], turns[max(turns)]
        start, end = min(first.at, last.at), max(first.at, last.at)
        summary = attempted(lambda: self._text_writer.summary_of(run.turns), "") if self._options.summaries else ""
        return Episode(
            id=episode_id(run.turns[0], first.at),
            session=first.session,
            turns=tuple(turn.id for turn in turns.values()),
            span=Span(start, end + _INSTANT),
            cut=run.cut,
            summary=summary,
            notes=self._notes_from(turns),
        )

    # Events and notes.

    def events(self, session: str | None, limit: int, offset: int, time_range: TimeRange = ALWAYS) -> list[Event]:
        """Return events in the order of their turns, of one session or of all, told or happening within a time."""
        session_turns = None if session is None else set(self._corpus.storage.matching(session=session).tolist())
        # A page needs no more of a large memory than its own events and those before.
        seqs = (
            seq
            for batch in self._derived.events.iterate_turns()
            for seq in self._text_writer.visible(batch)
            if self._shows(seq) and (session_turns is None or seq in session_turns)
        )
        absent = self._text_writer.absent_events
        all_events = (event for seq in seqs for event in self._derived.events.of_turn(seq))
        matching_events = (event for event in all_events if event.number not in absent)
        if time_range != ALWAYS:
            present_events = list(matching_events)
            turns_in_range = self._turns_in_range([turn_of(event.number) for event in present_events], time_range)
            matching_events = (
                event
                for event in present_events
                if turn_of(event.number) in turns_in_range or _event_overlaps(event, time_range)
            )
        page = list(islice(matching_events, offset, offset + limit))
        seqs_of_page = list(dict.fromkeys(turn_of(event.number) for event in page))
        self._corpus.turn_cache.get([*seqs_of_page, *self._seqs_before(page)])
        turns = self._text_writer.turns(seqs_of_page)
        return [self._event(event, turns) for event in page if turn_of(event.number) in turns]

    def _turns_in_range(self, seqs: Sequence[int], time_range: TimeRange) -> frozenset[int]:
        """Return which of some turns were said within a time."""
        turns = np.unique(np.array(seqs, np.int64))
        rows = self._corpus.columns.rows_of(turns)
        said_times = self._corpus.columns.said[rows]
        return frozenset(turns[(rows >= 0) & (said_times >= time_range[0]) & (said_times < time_range[1])].tolist())

    def _event(self, event: KeptEvent, turns: Mapping[int, Turn]) -> Event:
        self._corpus.give_way()
        turn = turns[turn_of(event.number)]
        event_span = None
        if event.start is not None and event.end is not None:
            start, end = (from_stored(moment * 1_000_000, event.offset) for moment in (event.start, event.end))
            event_span = Span(start, end)
        before = self._before(turn_of(event.number), event.context)
        event_id = numbered("event", to_stored(turn.at)[0] // 1000, event.number)
        return Event(event_id, event.text, (*before, turn.id), turn.at, event_span, event.made_by)

    def _before(self, seq: int, count: int) -> tuple[str, ...]:
        """Return the ids of the ``count`` turns just before one, in its session."""
        rows = self._rows_before(seq, count)
        turns = self._corpus.turns(rows)
        return tuple(turns[int(row)].id for row in rows if int(row) in turns)

    def _seqs_before(self, events: Sequence[KeptEvent]) -> list[int]:
        """Return the numbers of the turns before those of events, as many as each event stands on."""
        rows = [self._rows_before(turn_of(event.number), event.context) for event in events if event.context]
        return self._corpus.columns.seq[np.concatenate(rows)].tolist() if rows else []

    def _rows_before(self, seq: int, count: int) -> NDArray[np.int64]:
        """The rows of its owner's turns just before one, at most ``count``, in its session."""
        columns = self._corpus.columns
        if not count:
            return np.zeros(0, np.int64)
        row = columns.rows_of([seq])[0]
        rows = np.flatnonzero((columns.session == columns.session[row]) & (columns.seq < seq) & columns.alive)
        rows, owner = rows[np.argsort(columns.seq[rows])], self._derived.judgements.owner
        if self._derived.judgements.owned:
            rows = rows[[owner(earlier_seq) == owner(seq) for earlier_seq in columns.seq[rows].tolist()]]
        return rows[-count:]

    def _shows(self, seq: int) -> bool:
        """Tell if what is formed from a turn belongs to the owner."""
        return self._owner is None or self._owner == self._derived.judgements.owner(seq)

    def event(self, id: str) -> Event:
        """Return the event with this id.

        Raises:
            UnknownId: this memory does not hold it.
        """
        parsed_id = number_of("event", id)
        event = self._derived.events.get(parsed_id[1]) if parsed_id else None
        turns = self._text_writer.turns([turn_of(event.number)]) if event else {}
        if event is None or not turns:
            raise UnknownId(f"this memory has no event {id!r} - `hmem search` shows ids")
        return self._event(event, turns)

    def notes(self, subject: str | None, slot: str | None, kind: str | None, limit: int, offset: int) -> list[Note]:
        """Notes oldest first, about one subject, in one slot, or of one kind.

        Raises:
            InvalidQuery: no kind of note is called so.
        """
        if kind is not None and kind not in NOTE_KINDS:
            raise InvalidQuery(f"no kind of note is called {kind!r} - choose from: {', '.join(NOTE_KINDS)}")
        note_store = self._derived.notes
        people = [] if subject is None else note_store.subjects_named(subject)
        candidates = (
            note_store.iterate_without(self._text_writer.note_states.merged_sentences())
            if subject is None
            else (note for person in people for note in note_store.of_subject(person, slot))
        )
        notes_of_owner = (note for note in candidates if self._owner in (None, note.owner))
        states = self._text_writer.note_states
        of_kind = (note for note in notes_of_owner if slot in (None, note.slot) and kind in (None, note.kind))
        shown_notes = (note for note in of_kind if is_shown(note, states.state_of(note)))
        # A page needs no more of a large memory than its own notes and those before.
        current_notes = (note for batch in iter(lambda: list(islice(shown_notes, _NOTES_AT_ONCE)), [])
                 for note in self._text_writer.current_notes(batch))  # fmt: skip
        return self._note_values(list(islice(current_notes, offset, offset + limit)))

    def _note_values(self, page: Sequence[KeptNote]) -> list[Note]:
        """Return notes as values, without those whose turns are not seen."""
        episodes = Episodes(self._corpus, self._derived.judgements, self._seqs_about(page))
        self._fetch(page, episodes)
        turns = self._turns_about(page)
        return [self._note(note, turns, episodes) for note in page if note.turn in turns]

    def overview(self, after: int, limit: int) -> Overview:
        """Return who speaks, what was replaced, and what came after the turn of a number."""
        reader = OverviewReader(self._corpus, self._derived, self._text_writer, self._owner, self._note_values)
        return reader.read(after, limit, self._entity_id)

    def conflicts(self) -> list[Conflict]:
        """Return the notes that contradict each other and wait for a decision, by subject and slot.

        They are those of slots whose rule is to ask, and those that somebody with less authority disputes: in a note of
        a model, or in a turn, which is shown as a note.
        """
        note_store, note_states = self._derived.notes, self._text_writer.note_states
        subjects = [subject for subject in note_store.subjects() if self._owner in (None, subject.owner)]
        slots = [(subject, slot) for subject in subjects for slot in note_store.slots(subject)]
        all_conflicts: list[Conflict] = []
        for name, slot in slots:
            if slot == THREAD and note_states.rule(name, slot) != "ask":
                continue
            self._corpus.give_way()
            notes = {note.number: note for note in self._text_writer.current_notes(note_store.of_subject(name, slot))}
            rivals = {number: [*note_states.state_of(note).rivals] for number, note in notes.items()}
            for number, disputed in [
                (claim, rival) for claim, rival_numbers in rivals.items() for rival in rival_numbers
            ]:
                if disputed in rivals and number not in rivals[disputed]:
                    rivals[disputed].append(number)
            groups = [*_components(rivals)]
            disputed_in_turns = {number: self._disputes(note) for number, note in notes.items() if not rivals[number]}
            groups += [[number] for number, disputing in disputed_in_turns.items() if disputing]
            for group in groups:
                group_notes = self._note_values([notes[number] for number in group])
                values = (
                    *group_notes,
                    *(disputing_note for number in group for disputing_note in disputed_in_turns.get(number, ())),
                )
                all_conflicts.append(Conflict(group_notes[-1].subject, slot, values, values[-1].why))
        return all_conflicts

    def _disputes(self, note: KeptNote) -> list[Note]:
        """Return what others say against a current note of the subject's own words, each as a note."""
        state = self._text_writer.note_states.state_of(note)
        resolved_notes = self._derived.decisions.active_changes(self._text_writer.recorded_until).of_notes.resolved
        is_disputable = state.stands and note.value and note.positive and note.number not in resolved_notes
        if not is_disputable or self._derived.authority(note) is not Authority.OWN:
            return []
        visible = self._visible
        disputing_turns = disputes(self._corpus, self._text_writer.lexicon, note, visible)
        withdrawn_ids = self._derived.decisions.active_changes(self._text_writer.recorded_until).withdrawn
        return [
            Note(
                id=dispute.turn.id, kind=note.kind, subject=note.subject, slot=note.slot, value=dispute.value,
                text=dispute.sentence, sources=(dispute.turn.id,), recorded=dispute.turn.at, status="contested",
                positive=dispute.positive, made_by=self._text_writer.made_by,
                why=f"according to {dispute.turn.speaker}", user=dispute.turn.user,
            )
            for dispute in disputing_turns
            if dispute.turn.id not in withdrawn_ids
        ]  # fmt: skip

    def note(self, id: str) -> Note:
        """Return the note with this id.

        Raises:
            UnknownId: this memory does not hold it.
        """
        parsed_id = number_of("note", id)
        note = self._derived.notes.get(parsed_id[1]) if parsed_id else None
        turns = self._turns_about([note] if note else [], include_withdrawn=True)
        if note is None or note.turn not in turns:
            raise UnknownId(f"this memory has no note {id!r} - `hmem notes` shows ids")
        return self._note(note, turns, Episodes(self._corpus, self._derived.judgements, self._seqs_about([note])))

    def _turns_about(self, notes: Sequence[KeptNote], *, include_withdrawn: bool = False) -> dict[int, Turn]:
        """Return the source turns of notes, and those of their predecessors and successors, by sequence number."""
        return self._text_writer.turns(self._seqs_about(notes), with_withdrawn=include_withdrawn)

    def _seqs_about(self, notes: Sequence[KeptNote]) -> list[int]:
        """Return the numbers of the source turns of notes, and of those of their predecessors and successors."""
        seqs: dict[int, None] = {}
        for note in notes:
            state = self._text_writer.note_states.state_of(note)
            seqs |= dict.fromkeys((note.turn, *newest_turns(state)))
            seqs |= {turn_of(number): None for number in (*state.predecessors, state.successor or note.number)}
        return list(seqs)

    def _fetch(self, notes: Sequence[KeptNote], episodes: Episodes) -> None:
        """Fetch all turns that notes tell of, in one call."""
        note_states, seqs = self._text_writer.note_states, self._seqs_about(notes)
        for note in notes:
            seqs += self._seqs_before(self._derived.events.of_turn(note.turn)[note.event : note.event + 1])
            firsts = (episodes.first_of(seq) for seq in newest_turns(note_states.state_of(note)))
            seqs += [first for first in firsts if first is not None]
        self._corpus.turn_cache.get(seqs)

    def _note(self, note: KeptNote, turns: Mapping[int, Turn], episodes: Episodes) -> Note:
        self._corpus.give_way()
        turn, state = turns[note.turn], self._text_writer.note_states.state_of(note)
        predecessors = [self._derived.notes.get(number) for number in state.predecessors]
        successor = None if state.successor is None else self._derived.notes.get(state.successor)
        event = self._derived.events.of_turn(note.turn)[note.event : note.event + 1]
        before = self._before(note.turn, event[0].context) if event else ()
        source_seqs = newest_turns(state)
        firsts = [episodes.first_of(seq) for seq in source_seqs]
        first_turns = self._text_writer.turns([first for first in dict.fromkeys(firsts) if first is not None])
        start, end = (
            None if moment is None else from_stored(moment * 1_000_000, to_stored(turn.at)[1])
            for moment in (state.start, state.end)
        )
        return Note(
            id=note_id(note, turn.at), kind=note.kind, subject=note.subject, slot=note.slot, value=note.value,
            text=note.text, sources=_ids(before, note.turn, source_seqs, turns), recorded=turn.at,
            valid_from=start, valid_to=end, positive=note.positive, made_by=note.made_by,
            status=state.status, why=state.reason,
            predecessors=tuple(
                note_id(note, turns[note.turn].at) for note in predecessors if note and note.turn in turns
            ),
            successor=note_id(successor, turns[successor.turn].at) if successor and successor.turn in turns else None,
            reinforcements=state.reinforcements,
            last_reinforced=from_stored(state.last * 1_000_000, 0) if state.reinforcements else None,
            episodes=tuple(episode_id(seq, first_turn.at) for seq, first_turn in first_turns.items()),
            user=note.owner or None, earlier=self._earlier(note, turns),
        )  # fmt: skip

    def _earlier(self, note: KeptNote, turns: Mapping[int, Turn]) -> tuple[EarlierSentence, ...]:
        """Return the earlier sentences of a note's thread, of turns that are visible."""
        if note.slot != THREAD:
            return ()
        older = earlier(note, self._derived.notes.get, self._text_writer.note_states.state_of)
        return tuple(
            EarlierSentence(earlier_note.text, turns[earlier_note.turn].at, turns[earlier_note.turn].id)
            for earlier_note in older
            if earlier_note.turn in turns
        )

    def formed_items(self, id: str) -> FormedItems:
        """Return what was formed of the turn with this id.

        Raises:
            UnknownId: this memory does not hold it.
        """
        seq = self._corpus.storage.locate([id]).get(id)
        if seq is None or not self._text_writer.visible([seq]):
            raise UnknownId(f"this memory has no turn {id!r} - `hmem search` shows ids")
        turns, episodes = self._text_writer.turns([seq]), Episodes(self._corpus, self._derived.judgements)
        absent = self._text_writer.absent_events
        notes = self._text_writer.current_notes(list(self._derived.notes.of_turn(seq)))
        source_turns, graph = self._turns_about(notes), self._derived.graph
        runs = [run for run in episodes.runs if seq in run.turns]
        visible_runs = [run._replace(turns=tuple(self._text_writer.visible(run.turns))) for run in runs]
        named_entities = filter(graph.is_certain, graph.entities_of(seq))
        return FormedItems(
            tuple(
                self._event(event, turns) for event in self._derived.events.of_turn(seq) if event.number not in absent
            ),
            tuple(self._note(note, source_turns, episodes) for note in notes if note.turn in source_turns),
            tuple(filter(None, (graph.value(number, self._entity_id) for number in named_entities))),
            self._episode(visible_runs[0]) if visible_runs else None,
        )

    # The graph.

    def graph(self, entity: str | None, limit: int, *, brief: bool = False) -> KnowledgeGraph:
        """Return the entities that most turns name, or those around one, with the relations between them.

        ``brief`` writes only the profile of the one that is asked for, and names the newest of many sources.

        Raises:
            UnknownId: no entity has this id, or is known by this name.
        """
        graph, centre = self._derived.graph, None
        if entity is None:
            salient = self._text_writer.persists
            numbers = graph.salient(limit, owner=self._owner) if salient else self._most_mentioned(limit)
        else:
            centre = self._entity(entity)
            numbers = [centre, *filter(graph.is_certain, graph.neighbours(centre))][:limit]
        numbers = [number for number in numbers if self._mentions(number)]
        shown_numbers = set(numbers)
        shown_edges = graph.relations_among(shown_numbers)
        newest = slice(-_SOURCES if brief else None, None)
        turns = self._text_writer.turns(sorted({seq for e in shown_edges for seq in e.evidence[newest]}))
        shown_edges = [e for e in shown_edges if any(seq in turns for seq in e.evidence)]
        past_relations = PastRelations(
            graph, self._derived.notes, self._text_writer.note_states, self._text_writer.lexicon.stop_words
        )
        salient = [n for n in numbers if self._options.profiles and self._text_writer.salient(n)]
        if brief:
            salient = [n for n in salient if n == centre or self._derived.profiles.get(n) is not None]
        return KnowledgeGraph(
            entities=tuple(filter(None, (graph.value(number, self._entity_id) for number in numbers))),
            mentions={self._entity_id(number): len(self._mentions(number)) for number in numbers},
            relations=tuple(
                Relation(
                    id=relation_id(e.source, e.label, e.target),
                    source=self._entity_id(e.source),
                    target=self._entity_id(e.target),
                    label=e.label,
                    evidence=tuple(turns[seq].id for seq in e.evidence[newest] if seq in turns),
                    confidence=e.confidence,
                    at=e.at,
                    past=past_relations.is_past(e),
                )
                for e in shown_edges
            ),
            overlaps=tuple(
                (self._entity_id(first), self._entity_id(second))
                for first, second in sorted({pair for number in numbers for pair in graph.overlaps(number)})
                if first in shown_numbers and second in shown_numbers
            ),
            profiles=tuple(self._profile(number, newest) for number in salient),
        )

    def entities(self, name: str | None, limit: int, offset: int) -> list[Entity]:
        """Return the entities that most turns name; with ``name``, those of which a name contains it."""
        graph, letters = self._derived.graph, "" if name is None else name.strip().casefold()
        counts = {number: len(self._mentions(number)) for number in graph.entities(self._owner)}
        matches = [number for number in counts if counts[number] and (not letters or self._is_called(number, letters))]
        page = sorted(matches, key=lambda number: (-counts[number], number))[offset : offset + limit]
        return list(filter(None, (graph.value(number, self._entity_id) for number in page)))

    def _is_called(self, number: int, letters: str) -> bool:
        """Tell if a name of an entity contains some letters, in any case."""
        graph = self._derived.graph
        return any(letters in name.casefold() for name in (graph.name(number), *graph.aliases(number)))

    def turns_naming(self, entity: str) -> list[int]:
        """Return the visible turns that name an entity, ascending by sequence number.

        Raises:
            UnknownId: no entity has this id, or is known by this name.
        """
        return self._mentions(self._entity(entity))

    def _mentions(self, number: int) -> list[int]:
        return self._text_writer.visible(self._derived.graph.mentions(number))

    def _most_mentioned(self, limit: int) -> list[int]:
        """Return the entities that most visible turns name."""
        counts = {number: len(self._mentions(number)) for number in self._derived.graph.entities(self._owner)}
        return sorted(counts, key=lambda number: (-counts[number], number))[:limit]

    def _entity(self, text: str) -> int:
        parsed_id = number_of("entity", text)
        graph = self._derived.graph
        if (
            parsed_id is not None
            and graph.value(parsed_id[1]) is not None
            and self._owner in (None, graph.owner(parsed_id[1]))
        ):
            return parsed_id[1]
        matches = graph.find(text, self._owner)
        if not matches:
            names = (entity.name for entity in self.entities(None, len(graph.entities()), 0))
            suggestion = f"{did_you_mean(text, names)} `hmem show graph` shows those it knows".lstrip()
            raise UnknownId(f"this memory knows no entity {text!r} - {suggestion}")
        return matches[0]

    def _entity_id(self, number: int) -> str:
        self._corpus.give_way()
        seqs = self._derived.graph.mentions(number)
        row = self._corpus.columns.rows_of(seqs[:1])[0] if seqs else -1
        return numbered("entity", int(self._corpus.columns.said[row]) // 1000 if row >= 0 else 0, number)

    def _profile(self, number: int, shown: slice) -> EntityProfile:
        self._corpus.give_way()
        text = attempted(lambda: self._text_writer.profile(number), KeptText(""))
        seqs = self._derived.graph.mentions(number)
        return EntityProfile(
            id=numbered("profile", 0, number),
            entity=self._entity_id(number),
            persistent=text.text,
            recent=text.recent,
            sources=tuple(turn.id for turn in self._text_writer.turns(seqs[shown]).values()),
            made_by=text.made_by,
        )

    # People.

    def personas(self) -> list[Persona]:
        """Return the persona of every speaker about whom something is known, by the order of their first turns."""
        all_personas = map(self._persona_of, self._derived.names.people(self._owner))
        return [persona for persona in all_personas if persona is not None]

    def persona(self, speaker: str) -> Persona | None:
        """Return the current persona of a speaker, or None if nothing is known.

        Raises:
            UnknownId: nobody of this name has spoken.
            InvalidQuery: several users' turns are by a speaker of this name.
        """
        return self._persona_of(self.person(speaker))

    def person(self, speaker: str) -> ScopedPerson:
        """Return the person of a name in any spelling: in the owner's scope, else in the common one, else in any.

        Raises:
            UnknownId: nobody of this name has spoken.
            InvalidQuery: several users' turns are by a speaker of this name.
        """
        people = [
            candidate
            for candidate in self._derived.names.people_named(speaker)
            if self._owner in (None, candidate.owner)
        ]
        if not people:
            names = map(self._derived.names.name, self._derived.names.people(self._owner))
            suggestion = f"{did_you_mean(speaker, names)} `hmem show persona` lists them".lstrip()
            raise UnknownId(f"nobody called {speaker!r} has spoken in this memory - {suggestion}")
        if len(people) > 1 and people[0].owner != COMMON:
            raise InvalidQuery(f"several users' turns are by {speaker!r} - say by `user` whose persona is meant")
        return people[0]

    def _persona_of(self, person: ScopedPerson) -> Persona | None:
        persona = attempted(lambda: self._text_writer.persona(person), None) if self._options.persona else None
        return None if persona is None else self._persona(person, persona)

    def profile(self, person: str | None, tokens: int) -> Profile:
        """Return the profile of a person, by default of who said most, in at most so many tokens.

        Raises:
            UnknownId: nobody of this name has spoken.
            InvalidQuery: several users' turns are by a speaker of this name, or by people if nobody is named.
        """
        writer = ProfileWriter(self._corpus, self._derived, self._text_writer, self._visible)
        subject = self._heard(writer) if person is None else self.person(person)
        return Profile("", (), 0, "", self._owner) if subject is None else writer.write(subject, tokens)

    def _heard(self, writer: ProfileWriter) -> ScopedPerson | None:
        """Return the person who said most; None if nobody has spoken."""
        people = [person for person in self._derived.names.people(self._owner) if writer.is_person(person)]
        if len({person.owner for person in people}) > 1:
            raise InvalidQuery("this memory is of several users - say by `user` whose profile is meant")
        return writer.most_heard(people)

    def persona_history(self, speaker: str, limit: int | None = None) -> list[PersonaVersion]:
        """Return the versions of a speaker's persona, or the newest so many; the oldest of them first.

        The last one not undone is current.

        Raises:
            UnknownId: nobody of this name has spoken.
            InvalidQuery: several users' turns are by a speaker of this name.
        """
        person = self.person(speaker)
        present, target = self._persona_of(person), self._derived.names.target(person)
        speaker, subject = self._derived.names.name(person), self._derived.names.scoped(person)
        undone = self._derived.decisions.active_changes(self._text_writer.recorded_until).undone
        entries = self._logged_personas(target)
        last = next(
            (from_log_text(entry.after or "") for entry in reversed(entries) if entry.number not in undone), None
        )
        is_newer = present is not None and last != (present.text, present.traits)
        numbers = self._derived.notes.numbers(subject)
        newest = list(accumulate(map(newest_note_of, entries), max, initial=-1))
        first = 0 if limit is None else max(len(entries) + is_newer - limit, 0)
        versions: list[PersonaVersion] = []
        for place, entry in islice(enumerate(entries), first, None):
            self._corpus.give_way()
            text, traits = from_log_text(entry.after or "")
            new_notes = self._new_notes(numbers, newest[place], newest[place + 1])
            versions.append(
                PersonaVersion(
                    speaker, text, traits, from_stored(entry.at, 0), entry.by, entry.why, new_notes,
                    change_id(entry), entry.number in undone, place + 1,
                )
            )  # fmt: skip
        if present is not None and is_newer and limit != 0:
            versions.append(
                PersonaVersion(
                    speaker, present.text, present.traits, present.at, present.made_by, number=len(entries) + 1,
                    notes=self._new_notes(numbers, newest[-1], self._derived.notes.latest(subject)),
                )
            )  # fmt: skip
        return versions

    def _logged_personas(self, target: str) -> list[LogEntry]:
        """Return the entries of the log that kept a persona, without erased ones, whose text is gone."""
        until = self._text_writer.recorded_until
        return [
            entry
            for entry in self._corpus.storage.recorded(item=target)
            if entry.verb in (EDIT, RENEW)
            and entry.target == target
            and entry.after is not None
            and (until is None or entry.at <= until)
        ]

    def _new_notes(self, numbers: Sequence[int], after: int, last_number: int) -> tuple[str, ...]:
        """Return the ids of the notes of ascending numbers above ``after``, up to ``last_number``."""
        new_numbers = numbers[bisect_right(numbers, after) : bisect_right(numbers, last_number)]
        visible = set(self._text_writer.visible(list(dict.fromkeys(map(turn_of, new_numbers)))))
        return tuple(self._derived.note_ids([number for number in new_numbers if turn_of(number) in visible]))

    def _persona(self, person: ScopedPerson, persona: KeptPersona) -> Persona:
        notes = [note for note in map(self._derived.notes.get, persona.notes) if note is not None]
        turns = self._text_writer.turns([note.turn for note in notes])
        return Persona(
            id=persona_id(person, persona),
            version=persona.version,
            text=persona.text,
            traits=persona.traits,
            vector=tuple(persona.vector.tolist()),
            at=from_stored(persona.timestamp * 1_000_000, 0),
            sources=tuple(note_id(note, turns[note.turn].at) for note in notes if note.turn in turns),
            speaker=self._derived.names.name(person),
            made_by=persona.made_by,
            user=person.owner or None,
        )

    # Tiers.

    def tiers(self, options: TierOptions) -> Tiers:
        """Return the tiers as the last recall saw them; before any recall, at the time of the newest turn."""
        tiers_of: Callable[..., Tiers] = import_module(_TIERS).tiers_of
        return tiers_of(self._corpus, self._derived, options, self._owner)


class _Cut(NamedTuple):
    """Part of a tree that is shown: below ``end``, and of its ``ancestors`` only the way to it.

    ``times`` has the visible leaves, ``ids`` those that are shown. With ``paths`` only these nodes are shown. ``brief``
    leaves out what no screen shows.
    """

    times: Mapping[int, int]
    ids: Mapping[int, str]
    end: int
    ancestors: frozenset[int]
    paths: frozenset[int] | None
    summaries: bool
    brief: bool

    def shows(self, node: int, child: int) -> bool:
        """Tell if a child of a node is shown."""
        on_the_way = node not in self.ancestors or child == self.end or child in self.ancestors
        return on_the_way and (self.paths is None or child in self.paths)


def _leaves_below(branches: Tree, node: int, depth: int | None) -> list[int]:
    """Return the leaves of a node and of those less than ``depth`` levels below it; all of them for None."""
    if depth is None:
        return branches.leaves_below(node)
    leaf_numbers, nodes = list[int](), [node]
    for _ in range(depth):
        leaf_numbers += [leaf for parent in nodes for leaf in branches.leaves(parent)]
        nodes = [int(child) for parent in nodes for child in branches.children(parent)]
    return leaf_numbers


def _event_overlaps(event: KeptEvent, time_range: TimeRange) -> bool:
    """Tell if what an event tells overlaps a time."""
    if event.start is None or event.end is None:
        return False
    return event.start * _SECOND < time_range[1] and event.end * _SECOND > time_range[0]


def _ids(before: Sequence[str], own_seq: int, seqs: Sequence[int], turns: Mapping[int, Turn]) -> tuple[str, ...]:
    """Return the ids of a note's source turns: other turns, the turns before its own, then its own."""
    other_ids = [turns[seq].id for seq in seqs if seq != own_seq and seq in turns]
    return tuple(dict.fromkeys((*other_ids, *before, turns[own_seq].id)))


def _components(rivals: Mapping[int, Sequence[int]]) -> Iterator[list[int]]:
    """Yield the connected groups of conflicting notes, each sorted; notes without rivals are left out."""
    remaining = {number for number, tied in rivals.items() if tied}
    while remaining:
        stack, group = [min(remaining)], set[int]()
        while stack:
            number = stack.pop()
            if number in remaining:
                remaining.remove(number)
                group.add(number)
                stack += rivals[number]
        yield sorted(group)


def note_id(note: KeptNote, turn_time: datetime) -> str:
    """Return the public id of a note, from its number and the time of its turn."""
    return numbered("note", to_stored(turn_time)[0] // 1000, note.number)


def episode_id(first: int, turn_time: datetime) -> str:
    """Return the public id of an episode, from the number and the time of its first turn."""
    return numbered("episode", to_stored(turn_time)[0] // 1000, first)
