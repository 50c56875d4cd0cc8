"""Looking at what was formed: trees, episodes, events, notes, graph, personas and tiers, as values."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.corpus import Corpus
from hmem.derived.active_changes import change_id
from hmem.derived.chunks import turn_of
from hmem.derived.episodes import EpisodeRun, Episodes
from hmem.derived.events import KeptEvent
from hmem.derived.notes import KeptNote
from hmem.derived.personas import EDIT, RENEW, KeptPersona, read, through_of
from hmem.derived.state import EVENT_TREES, TREES, DerivedState
from hmem.derived.text_writer import TextWriter
from hmem.derived.tiers import TierColumns, TierOptions, UpperTiers, standing, upper_tiers
from hmem.errors import UnknownId
from hmem.model.entity import KnowledgeGraph, Profile, Relation
from hmem.model.episode import Episode
from hmem.model.event import Event
from hmem.model.ids import number_of, numbered, relation_id
from hmem.model.node import Branch, Node
from hmem.model.note import Conflict, Note
from hmem.model.persona import Persona, PersonaVersion
from hmem.model.span import Span, from_stored, to_stored
from hmem.model.tier import Record, TierName, Tiers
from hmem.model.turn import Turn

_INSTANT: Final = timedelta(microseconds=1)


class Browser:
    """Gives values of what formation keeps. Use it inside ``corpus.reading()``, with the derived state caught up."""

    def __init__(self, corpus: Corpus, derived: DerivedState, text_writer: TextWriter) -> None:
        self._corpus = corpus
        self._derived = derived
        self._text_writer = text_writer
        self._options = text_writer.options

    def seen(self, visible: NDArray[np.bool_] | None, known: int | None = None) -> "Browser":
        """One that shows only what stands on these rows, with texts written of no others, by what had been decided at
        the time ``known`` (µs)."""
        if visible is None:
            return self
        columns = self._corpus.columns

        def shown(seqs: Sequence[int]) -> list[bool]:
            rows = columns.rows_of(np.array(seqs, np.int64))
            return ((rows >= 0) & visible[rows]).tolist()

        return Browser(self._corpus, self._derived, self._text_writer.seen(shown, known))

    # Trees.

    def branch(self, tree: str, *, summaries: bool = False) -> Branch:
        """A tree from its root, with names; with every summary, or with those that are written already."""
        return self._branch(tree, 0, self._times(tree), None, summaries=summaries)

    def _times(self, tree: str) -> dict[int, tuple[int, str]]:
        """When each leaf of a tree was said, in microseconds, and its id."""
        leaves = self._derived.trees[tree].under(0)
        seqs = [turn_of(leaf) for leaf in leaves] if tree in EVENT_TREES else leaves
        turns = self._text_writer.turns(list(dict.fromkeys(seqs)))
        times = {seq: to_stored(turn.at)[0] for seq, turn in turns.items()}
        if tree in EVENT_TREES:
            absent = self._text_writer.absent_events
            return {
                leaf: (times[seq], numbered("event", times[seq] // 1000, leaf))
                for leaf, seq in zip(leaves, seqs, strict=True)
                if seq in times and leaf not in absent
            }
        return {seq: (times[seq], turns[seq].id) for seq in seqs if seq in times}

    def _branch(
        self, tree: str, node: int, times: Mapping[int, tuple[int, str]], parent: str | None, *, summaries: bool
    ) -> Branch:
        branches = self._derived.trees[tree]
        below = [times[leaf][0] for leaf in branches.under(node) if leaf in times]
        size, below = len(below), below or [0]
        span = Span(from_stored(min(below), 0), from_stored(max(below), 0) + _INSTANT)
        # The root's time moves as memories come, so its id is not made from it.
        moment = min(below) // 1000 if node else 0
        own = numbered("node", moment, node, TREES.index(tree))
        value = Node(
            own, tree, branches.level(node), self._text_writer.name(tree, node), span, parent,
            self._summary(tree, node, write=summaries), (), size,
        )  # fmt: skip
        children = [int(child) for child in branches.children(node)]
        shown = [child for child in children if any(leaf in times for leaf in branches.under(child))]
        made = [self._branch(tree, child, times, own, summaries=summaries) for child in shown]
        made.sort(key=lambda branch: (branch.node.span.start, branch.node.id))
        return Branch(value, tuple(made), tuple(times[leaf][1] for leaf in branches.leaves(node) if leaf in times))

    def _summary(self, tree: str, node: int, *, write: bool) -> str:
        kept = self._derived.written[tree].summaries.of(node) if self._text_writer.lasting else None
        if kept is not None or not (write and self._options.summaries) or self._derived.trees[tree].size(node) < 2:
            return kept.text if kept is not None else ""
        return self._text_writer.summary(tree, node).text

    # Episodes.

    def episodes(self, session: str | None, limit: int, offset: int) -> list[Episode]:
        """Episodes by time, of one session or of all."""
        runs = Episodes(self._corpus, self._derived.judgements).runs
        if session is not None:
            wanted = {stored.seq for stored in self._corpus.storage.page(0, 1, session=session)}
            numbers = {run.session for run in runs if run.turns[0] in wanted or wanted & set(run.turns)}
            runs = [run for run in runs if run.session in numbers]
        seen = [run._replace(turns=turns) for run in runs if (turns := tuple(self._text_writer.visible(run.turns)))]
        return [self._episode(run) for run in seen[offset : offset + limit]]

    def _episode(self, run: EpisodeRun) -> Episode:
        turns = self._text_writer.turns(run.turns)
        first, last = turns[min(turns)], turns[max(turns)]
        start, end = min(first.at, last.at), max(first.at, last.at)
        return Episode(
            id=episode_id(run.turns[0], first.at),
            session=first.session,
            turns=tuple(turn.id for turn in turns.values()),
            span=Span(start, end + _INSTANT),
            cut=run.cut,
            summary=self._text_writer.summary_of(run.turns) if self._options.summaries else "",
            notes=tuple(
                note_id(note, turns[seq].at)
                for seq in run.turns
                if seq in turns
                for note in self._derived.notes.of(seq)
            ),
        )

    # Events and notes.

    def events(self, session: str | None, limit: int, offset: int) -> list[Event]:
        """Events in the order of their turns, of one session or of all."""
        seqs = self._text_writer.visible(self._derived.events.turns())
        if session is not None:
            inside = {stored.seq for stored in self._corpus.storage.page(0, -1, session=session)}
            seqs = [seq for seq in seqs if seq in inside]
        absent = self._text_writer.absent_events
        held = (event for seq in seqs for event in self._derived.events.of(seq))
        chosen = [event for event in held if event.number not in absent][offset : offset + limit]
        turns = self._text_writer.turns(list(dict.fromkeys(turn_of(event.number) for event in chosen)))
        return [self._event(event, turns) for event in chosen if turn_of(event.number) in turns]

    def _event(self, event: KeptEvent, turns: Mapping[int, Turn]) -> Event:
        turn = turns[turn_of(event.number)]
        happened = None
        if event.start is not None and event.end is not None:
            start, end = (from_stored(bound * 1_000_000, event.offset) for bound in (event.start, event.end))
            happened = Span(start, end)
        before = self._before(turn_of(event.number), event.context)
        own = numbered("event", to_stored(turn.at)[0] // 1000, event.number)
        return Event(own, event.text, (*before, turn.id), turn.at, happened, event.made_by)

    def _before(self, seq: int, count: int) -> tuple[str, ...]:
        """The ids of the turns just before one, in its session."""
        if not count:
            return ()
        columns = self._corpus.columns
        row = self._corpus.columns.rows_of([seq])[0]
        rows = np.flatnonzero((columns.session == columns.session[row]) & (columns.seq < seq) & columns.alive)
        rows = rows[np.argsort(columns.seq[rows])][-count:]
        kept = self._corpus.turns(rows)
        return tuple(kept[int(each)].id for each in rows if int(each) in kept)

    def event(self, id: str) -> Event:
        """An event by its id.

        Raises:
            UnknownId: this memory does not hold it.
        """
        found = number_of("event", id)
        event = self._derived.events.get(found[1]) if found else None
        turns = self._text_writer.turns([turn_of(event.number)]) if event else {}
        if event is None or not turns:
            raise UnknownId(f"this memory has no event {id!r} - `hmem search` shows ids")
        return self._event(event, turns)

    def notes(self, subject: str | None, slot: str | None, kind: str | None, limit: int, offset: int) -> list[Note]:
        """Notes oldest first, about one subject, in one slot, or of one kind."""
        kept = self._derived.notes.all() if subject is None else self._derived.notes.about(subject, slot)
        kept = self._text_writer.standing(kept)
        chosen = [note for note in kept if (slot is None or note.slot == slot) and (kind is None or note.kind == kind)][
            offset : offset + limit
        ]
        turns = self._turns_about(chosen)
        episodes = Episodes(self._corpus, self._derived.judgements)
        return [self._note(note, turns, episodes) for note in chosen if note.turn in turns]

    def conflicts(self) -> list[Conflict]:
        """The notes that contradict each other until somebody decides, by subject and slot."""
        known, note_states = self._derived.notes, self._text_writer.note_states
        asked = [(name, slot) for name in known.subjects() for slot in known.slots(name)]
        found: list[Conflict] = []
        episodes = Episodes(self._corpus, self._derived.judgements)
        for name, slot in asked:
            if note_states.rule(name, slot) != "ask":
                continue
            notes = {note.number: note for note in self._text_writer.standing(known.about(name, slot))}
            rivals = {number: note_states.of(note).rivals for number, note in notes.items()}
            for group in _together(rivals):
                turns = self._turns_about([notes[number] for number in group])
                told = tuple(self._note(notes[number], turns, episodes) for number in group)
                found.append(Conflict(name, slot, told, told[-1].why))
        return found

    def note(self, id: str) -> Note:
        """A note by its id.

        Raises:
            UnknownId: this memory does not hold it.
        """
        found = number_of("note", id)
        note = self._derived.notes.get(found[1]) if found else None
        turns = self._turns_about([note] if note else [], withdrawn=True)
        if note is None or note.turn not in turns:
            raise UnknownId(f"this memory has no note {id!r} - `hmem show notes` shows ids")
        return self._note(note, turns, Episodes(self._corpus, self._derived.judgements))

    def _turns_about(self, notes: Sequence[KeptNote], *, withdrawn: bool = False) -> dict[int, Turn]:
        """The turns that notes stand on, and those of the notes that they are tied to."""
        seqs: dict[int, None] = {}
        for note in notes:
            holding = self._text_writer.note_states.of(note)
            seqs |= dict.fromkeys((note.turn, *holding.turns))
            seqs |= {turn_of(number): None for number in (*holding.predecessors, holding.successor or note.number)}
        return self._text_writer.turns(list(seqs), withdrawn=withdrawn)

    def _note(self, note: KeptNote, turns: Mapping[int, Turn], episodes: Episodes) -> Note:
        turn, holding = turns[note.turn], self._text_writer.note_states.of(note)
        others = [self._derived.notes.get(number) for number in holding.predecessors]
        successor = None if holding.successor is None else self._derived.notes.get(holding.successor)
        event = self._derived.events.of(note.turn)[note.event : note.event + 1]
        before = self._before(note.turn, event[0].context) if event else ()
        firsts = [episodes.first_of(seq) for seq in holding.turns]
        begun = self._text_writer.turns([first for first in dict.fromkeys(firsts) if first is not None])
        start, end = (
            None if bound is None else from_stored(bound * 1_000_000, to_stored(turn.at)[1])
            for bound in (holding.start, holding.end)
        )
        return Note(
            id=note_id(note, turn.at), kind=note.kind, subject=note.subject, slot=note.slot, value=note.value,
            text=note.text, sources=_ids(before, note.turn, holding.turns, turns), recorded=turn.at,
            valid_from=start, valid_to=end, positive=note.positive, made_by=note.made_by,
            status=holding.status, why=holding.why,
            predecessors=tuple(note_id(each, turns[each.turn].at) for each in others if each and each.turn in turns),
            successor=note_id(successor, turns[successor.turn].at) if successor and successor.turn in turns else None,
            reinforcements=holding.reinforcements,
            last_reinforced=from_stored(holding.last * 1_000_000, 0) if holding.reinforcements else None,
            episodes=tuple(episode_id(seq, each.at) for seq, each in begun.items()),
        )  # fmt: skip

    # The graph.

    def graph(self, entity: str | None, limit: int) -> KnowledgeGraph:
        """The entities that most turns name, or those around one, with what relates them.

        Raises:
            UnknownId: no entity has this id, or is known by this name.
        """
        graph = self._derived.graph
        if entity is None:
            numbers = graph.salient(limit) if self._text_writer.lasting else self._most_named(limit)
        else:
            centre = self._entity(entity)
            numbers = [centre, *graph.neighbours(centre)][:limit]
        numbers = [number for number in numbers if self._mentions(number)]
        inside = set(numbers)
        edges = sorted({edge.source: None for number in numbers for edge in graph.relations(number)})
        relations = {(e.source, e.target, e.label): e for number in edges for e in graph.relations(number)}
        chosen = [e for e in relations.values() if e.source in inside and e.target in inside]
        turns = self._text_writer.turns(sorted({seq for e in chosen for seq in e.evidence}))
        chosen = [e for e in chosen if any(seq in turns for seq in e.evidence)]
        salient = [n for n in numbers if self._options.profiles and self._text_writer.salient(n)]
        return KnowledgeGraph(
            entities=tuple(filter(None, (graph.value(number, self._entity_id) for number in numbers))),
            mentions={self._entity_id(number): len(self._mentions(number)) for number in numbers},
            relations=tuple(
                Relation(
                    id=relation_id(e.source, e.label, e.target),
                    source=self._entity_id(e.source),
                    target=self._entity_id(e.target),
                    label=e.label,
                    evidence=tuple(turns[seq].id for seq in e.evidence if seq in turns),
                    confidence=e.confidence,
                    at=e.at,
                )
                for e in chosen
            ),
            overlaps=tuple(
                (self._entity_id(one), self._entity_id(other))
                for one, other in sorted({pair for number in numbers for pair in graph.overlaps(number)})
                if one in inside and other in inside
            ),
            profiles=tuple(self._profile(number) for number in salient),
        )

    def _mentions(self, number: int) -> list[int]:
        return self._text_writer.visible(self._derived.graph.mentions(number))

    def _most_named(self, limit: int) -> list[int]:
        """The entities that most of the turns that are seen name."""
        counts = {number: len(self._mentions(number)) for number in self._derived.graph.entities()}
        return sorted(counts, key=lambda number: (-counts[number], number))[:limit]

    def _entity(self, text: str) -> int:
        found = number_of("entity", text)
        graph = self._derived.graph
        if found is not None and graph.value(found[1]) is not None:
            return found[1]
        named = graph.find(text)
        if not named:
            raise UnknownId(f"this memory knows no entity {text!r} - `hmem show graph` shows those it knows")
        return named[0]

    def _entity_id(self, number: int) -> str:
        seqs = self._derived.graph.mentions(number)
        row = self._corpus.columns.rows_of(seqs[:1])[0] if seqs else -1
        return numbered("entity", int(self._corpus.columns.said[row]) // 1000 if row >= 0 else 0, number)

    def _profile(self, number: int) -> Profile:
        text = self._text_writer.profile(number)
        seqs = self._derived.graph.mentions(number)
        return Profile(
            id=numbered("profile", 0, number),
            entity=self._entity_id(number),
            persistent=text.text,
            recent=text.more,
            sources=tuple(turn.id for turn in self._text_writer.turns(seqs).values()),
            made_by=text.made_by,
        )

    # People.

    def personas(self) -> list[Persona]:
        """The persona of everyone of whom something is known, by the order of their first turns."""
        found = [self.persona(speaker.name) for speaker in self._corpus.speakers]
        return [persona for persona in found if persona is not None]

    def persona(self, speaker: str) -> Persona | None:
        """The persona of a speaker as the notes stand now; None when nothing is known.

        Raises:
            UnknownId: nobody of this name has spoken.
        """
        number = self._corpus.speaker_number(speaker)
        if number is None:
            raise UnknownId(f"nobody called {speaker!r} has spoken in this memory - `hmem show persona` lists them")
        kept = self._text_writer.persona(number) if self._options.persona else None
        return None if kept is None else self._persona(speaker, number, kept)

    def persona_history(self, speaker: str) -> list[PersonaVersion]:
        """The versions of a speaker's persona, oldest first; the last that was not taken back is the present one.

        Raises:
            UnknownId: nobody of this name has spoken.
        """
        present = self.persona(speaker)
        standing = self._derived.decisions.standing(self._text_writer.known)
        made: list[PersonaVersion] = []
        through = -1
        for entry in self._corpus.storage.recorded(about=speaker):
            if entry.verb not in (EDIT, RENEW) or entry.target != speaker:
                continue
            # What was forgotten is in no version any more.
            if entry.after is None or (self._text_writer.known is not None and entry.at > self._text_writer.known):
                continue
            text, traits = read(entry.after)
            newest = max(through, through_of(entry))
            made.append(
                PersonaVersion(
                    speaker, text, traits, from_stored(entry.at, 0), entry.by, entry.why,
                    self._came(speaker, through, newest), change_id(entry), entry.number in standing.undone,
                )
            )  # fmt: skip
            through = newest
        last = next((version for version in reversed(made) if not version.undone), None)
        if present is not None and (last is None or (last.text, last.traits) != (present.text, present.traits)):
            came = self._came(speaker, through, self._derived.notes.latest(speaker))
            made.append(PersonaVersion(speaker, present.text, present.traits, present.at, present.made_by, notes=came))
        return made

    def _came(self, speaker: str, after: int, through: int) -> tuple[str, ...]:
        """The ids of the notes about a speaker behind one number, up to another."""
        notes = [note for note in self._derived.notes.about(speaker) if after < note.number <= through]
        turns = self._text_writer.turns([note.turn for note in notes])
        return tuple(note_id(note, turns[note.turn].at) for note in notes if note.turn in turns)

    def _persona(self, speaker: str, number: int, kept: KeptPersona) -> Persona:
        notes = [note for note in map(self._derived.notes.get, kept.notes) if note is not None]
        turns = self._text_writer.turns([note.turn for note in notes])
        return Persona(
            id=numbered("persona", kept.at * 1000, number, min(kept.version, 0xFFFF)),
            version=kept.version,
            text=kept.text,
            traits=kept.traits,
            vector=tuple(kept.vector.tolist()),
            at=from_stored(kept.at * 1_000_000, 0),
            sources=tuple(note_id(note, turns[note.turn].at) for note in notes if note.turn in turns),
            speaker=speaker,
            made_by=kept.made_by,
        )

    # Tiers.

    def tiers(self, options: TierOptions) -> Tiers:
        """The tiers as recall has them, or else as they stand at the time of the newest turn."""
        upper = upper_tiers(self._corpus, self._derived, options)
        upper.refresh()
        rows = np.concatenate([upper.cache, upper.buffer])
        seqs = self._corpus.columns.seq[rows].tolist()
        stands = standing(self._corpus, self._derived, seqs, personas=upper.anchors)[1]
        turns = self._corpus.turns(rows)
        made = [
            self._record(upper, row, turns[row], stands, place)
            for place, row in enumerate(rows.tolist())
            if row in turns
        ]
        names = {int(self._corpus.columns.session[row]): turn.session for row, turn in turns.items()}
        counts: dict[TierName, int] = {"cache": len(upper.cache), "buffer": len(upper.buffer)}
        return Tiers(
            cache=tuple(record for record in made if record.tier == "cache"),
            buffer=tuple(record for record in made if record.tier == "buffer"),
            sessions=tuple(names[number] for number in upper.sessions if number in names),
            counts={**counts, "archive": upper.records - len(rows)},
        )

    def _record(self, upper: UpperTiers, row: int, turn: Turn, stands: TierColumns, place: int) -> Record:
        return Record(
            id=turn.id,
            tier=upper.tier(row),
            text=turn.content,
            speaker=turn.speaker,
            when=turn.at,
            importance=int(stands.importance[place]),
            similarity=float(stands.similarity[place]),
            uses=int(stands.uses[place]),
            score=upper.score(row),
            pivotal=row in upper.pivotal,
        )


def _ids(before: Sequence[str], own: int, seqs: Sequence[int], turns: Mapping[int, Turn]) -> tuple[str, ...]:
    """The ids of the turns that a note stands on, its own last, behind those that complete it."""
    others = [turns[seq].id for seq in seqs if seq != own and seq in turns]
    return tuple(dict.fromkeys((*others, *before, turns[own].id)))


def _together(rivals: Mapping[int, Sequence[int]]) -> Iterator[list[int]]:
    """Those that are tied to each other, directly or by others; none that is tied to nothing."""
    left = {number for number, tied in rivals.items() if tied}
    while left:
        ahead, group = [min(left)], set[int]()
        while ahead:
            number = ahead.pop()
            if number in left:
                left.remove(number)
                group.add(number)
                ahead += rivals[number]
        yield sorted(group)


def note_id(note: KeptNote, said: datetime) -> str:
    """The id of a note."""
    return numbered("note", to_stored(said)[0] // 1000, note.number)


def episode_id(first: int, said: datetime) -> str:
    """The id of an episode, from its first turn."""
    return numbered("episode", to_stored(said)[0] // 1000, first)
