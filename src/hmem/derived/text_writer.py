"""Text writer: writes summaries, names, profiles and personas on demand.

Formation only marks texts as outdated. A text is written from the current state when needed, once for any number of
changes before. ``consolidate`` writes and stores all that is missing; a recall or a view writes what it shows.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from typing import Final

import numpy as np

from hmem.corpus.corpus import Corpus
from hmem.corpus.embedding import vectors_of_texts
from hmem.derived.chunks import turn_of
from hmem.derived.note_states import Authority, NoteStates, is_shown, validity
from hmem.derived.notes import KeptNote
from hmem.derived.personas import KeptPersona, PersonaEdit, edit_of, renewal
from hmem.derived.slot_timeline import NoteState
from hmem.derived.speaker_names import ScopedPerson
from hmem.derived.state import EVENT_TREES, DerivedState
from hmem.derived.texts import KeptText
from hmem.language.analyst import Analyst, Claim, Excerpt, Lexicon, PersonaText, Subject
from hmem.language.containment import Fault, contained
from hmem.model.scope import owner_of
from hmem.model.span import from_stored
from hmem.model.turn import Turn

# Most lines that a text is written from; a larger node uses the summaries of its children.
LINES: Final = 200
# Number of siblings named at a time: others wait for this piece of work.
_NAMED_AT_ONCE: Final = 32
_TEXTS_A_NAME: Final = 60
# Number of notes that a persona is made of, and of newest notes that they are chosen from.
_NOTES_A_PERSONA: Final = 200
_NOTES_READ: Final = 500
_SALIENT_TYPES: Final = ("person", "animal", "organization", "location")


@dataclass(frozen=True, slots=True)
class TextWriterOptions:
    """Texts that are written, and their greatest length in tokens.

    An entity that is no person, organisation or place gets a profile when ``salient`` turns name it.
    """

    summaries: bool = True
    profiles: bool = True
    persona: bool = True
    summary_tokens: int = 96
    profile_tokens: int = 96
    salient: int = 5


class TextWriter:
    """Writer of summaries, names, profiles and personas of one memory. Use it inside ``corpus.reading()``."""

    def __init__(
        self,
        corpus: Corpus,
        derived: DerivedState,
        analyst: Analyst,
        options: TextWriterOptions,
        are_visible: Callable[[Sequence[int]], Sequence[bool]] | None = None,
        recorded_until: int | None = None,
        *,
        shared_labels: bool = True,
    ) -> None:
        self._corpus = corpus
        self._derived = derived
        self._analyst = analyst
        self.options = options
        # If set, texts are written for another standpoint, from what is visible there, and not kept.
        self._shown = are_visible
        self._note_states: NoteStates | None = None
        self._known = recorded_until
        self._shared_labels = shared_labels

    def viewed_from(
        self,
        are_visible: Callable[[Sequence[int]], Sequence[bool]],
        recorded_until: int | None = None,
        *,
        shared_labels: bool = True,
    ) -> "TextWriter":
        """Return a writer for another standpoint: of turns that are visible, by the decisions until a time (µs).

        It keeps nothing that it writes. Without ``shared_labels`` it names layers, too, after these turns.
        """
        return TextWriter(
            self._corpus,
            self._derived,
            self._analyst,
            self.options,
            are_visible,
            recorded_until,
            shared_labels=shared_labels,
        )

    @property
    def recorded_until(self) -> int | None:
        """Time (µs) of the decisions that it writes by; None for now."""
        return self._known

    @property
    def persists(self) -> bool:
        """True if it keeps what it writes."""
        return self._shown is None

    @property
    def lexicon(self) -> Lexicon:
        """Words and sentences of the analyst's language."""
        return self._analyst.lexicon

    @property
    def made_by(self) -> str:
        """Maker of what the analyst forms without a model."""
        return self._analyst.made_by

    @property
    def note_states(self) -> NoteStates:
        """States of the notes at this writer's standpoint."""
        if self.persists:
            return self._derived.note_states
        if self._note_states is None:
            self._note_states = self._derived.note_states.viewed_from(
                self._unseen, self._derived.decisions.active_changes(self._known).of_notes
            )
        return self._note_states

    def _unseen(self) -> tuple[Container[int], Container[int]]:
        return _Unseen(self), self._derived.absent_notes(self._known)

    # Lines.

    def visible(self, seqs: Sequence[int]) -> list[int]:
        """Return the turns, of some by sequence number, that texts may be written from: none withdrawn."""
        if self._shown is not None:
            return [seq for seq, shown in zip(seqs, self._shown(seqs), strict=True) if shown]
        absent = self._derived.decisions.absent()
        return [seq for seq in seqs if seq not in absent] if absent else list(seqs)

    def turns(self, seqs: Sequence[int], *, with_withdrawn: bool = False) -> dict[int, Turn]:
        """Return turns by sequence number; withdrawn ones only if ``withdrawn``."""
        visible = list(seqs) if with_withdrawn else self.visible(seqs)
        rows = self._corpus.columns.rows_of(visible)
        by_row = self._corpus.turns(rows[rows >= 0])
        return {seq: by_row[int(row)] for seq, row in zip(visible, rows, strict=True) if int(row) in by_row}

    @property
    def absent_events(self) -> frozenset[int]:
        """Events that were themselves withdrawn, by number."""
        return self._derived.decisions.absent_events(self._known)

    def lines(self, seqs: Sequence[int]) -> list[Excerpt]:
        """Return a line for each statement of these turns, in their order."""
        lines: list[Excerpt] = []
        unsaid = self.absent_events
        for seq, turn in self.turns(seqs).items():
            judgement = self._derived.judgements.get(seq)
            importance = float(judgement.importance) if judgement else 5.0
            events = self._derived.events.of_turn(seq)
            texts = [event.text for event in events if event.number not in unsaid] if events else [turn.content]
            speaker = self._derived.names.first_spelling(owner_of(turn), turn.speaker)
            lines += [Excerpt(text, speaker, turn.at, importance) for text in texts]
        return lines

    def _event_lines(self, events: Sequence[int]) -> list[Excerpt]:
        turns = self.turns(list(dict.fromkeys(turn_of(event) for event in events)))
        lines: list[Excerpt] = []
        unsaid = self.absent_events
        for event in events:
            record, turn = self._derived.events.get(event), turns.get(turn_of(event))
            judgement = self._derived.judgements.get(turn_of(event))
            if record is not None and turn is not None and event not in unsaid:
                speaker = self._derived.names.first_spelling(owner_of(turn), turn.speaker)
                lines.append(Excerpt(record.text, speaker, turn.at, float(judgement.importance) if judgement else 5.0))
        return lines

    def leaf_lines(self, tree: str, leaves: Sequence[int]) -> list[Excerpt]:
        """Return the lines of a tree's leaves."""
        return self._event_lines(leaves) if tree in EVENT_TREES else self.lines(leaves)

    # Nodes.

    def summary(self, tree: str, node: int) -> KeptText:
        """Return the summary of a node; write and keep one if there is none."""
        texts = self._derived.written[tree].summaries
        text = texts.get(node) if self.persists else None
        if text is None:
            lines = self.lines_below(tree, node)
            output = self._analyst.attributed_summaries([lines], self.options.summary_tokens)[0]
            text = KeptText(output.text, made_by=output.made_by)
            if self.persists:
                texts.replace(node, text)
        return text

    def summary_of(self, seqs: Sequence[int]) -> str:
        """Summarise some turns; the summary is not kept."""
        return self._analyst.summarise([self.lines(seqs)], self.options.summary_tokens)[0]

    def lines_below(self, tree: str, node: int) -> list[Excerpt]:
        """Return the lines that the summary of a node is written from."""
        branches = self._derived.trees[tree]
        if branches.size(node) <= LINES:
            return self.leaf_lines(tree, sorted(branches.leaves_below(node)))
        lines = self.leaf_lines(tree, sorted(branches.leaves(node))[-LINES:])
        largest = self._largest(tree, node)
        starts = self._start_times(tree, [min(branches.leaves_below(child)) for child in largest])
        for child, start in zip(largest, starts, strict=True):
            lines.append(Excerpt(self.summary(tree, child).text, None, start, min(float(branches.size(child)), 10.0)))
        return lines

    def _largest(self, tree: str, node: int) -> list[int]:
        """Return the largest children of a node, the largest first."""
        branches = self._derived.trees[tree]
        children = [int(child) for child in branches.children(node)]
        return sorted(children, key=lambda child: (-branches.size(child), child))[:LINES]

    def unwritten_below(self, tree: str, node: int) -> list[int]:
        """Return the nodes whose summaries the summary of a node needs and that have none yet."""
        summaries = self._derived.written[tree].summaries
        return [child for child in self.summarised_below(tree, node) if summaries.get(child) is None]

    def summarised_below(self, tree: str, node: int) -> list[int]:
        """Return the nodes whose summaries the summary of a node needs; none if it needs only leaves."""
        return [] if self._derived.trees[tree].size(node) <= LINES else self._largest(tree, node)

    def _start_times(self, tree: str, leaves: Sequence[int]) -> list[datetime]:
        """Return when these leaves of a tree were said; the time of the first turn for a leaf that is not shown."""
        unsaid = self.absent_events if tree in EVENT_TREES else ()
        seqs = [turn_of(leaf) for leaf in leaves] if tree in EVENT_TREES else leaves
        turns = self.turns(list(dict.fromkeys(seqs)))
        times = self._corpus.columns.said
        beginning = from_stored(int(times.min()) if len(times) else 0, 0)
        pairs = ((turns.get(seq), leaf not in unsaid) for seq, leaf in zip(seqs, leaves, strict=True))
        return [turn.at if turn is not None and is_present else beginning for turn, is_present in pairs]

    def name(self, tree: str, node: int) -> str:
        """Return the name that people gave a node, its label, or a name that differs from its siblings'.

        This names some siblings too.
        """
        # Names may tell what others said.
        chosen_name = self._derived.given_names(tree, self._known).get(node) if self._shared_labels else None
        if chosen_name is not None:
            return chosen_name
        branches, names = self._derived.trees[tree], self._derived.written[tree].names
        label, parent = self._derived.label_of(tree, node), branches.parent(node)
        if parent is None or (label and (self._shared_labels or tree != "layers")):
            return label
        if not self.persists:
            speakers = [speaker.name for speaker in self._corpus.speakers]
            return self._analyst.name_topics([self.texts_below(tree, node)], speakers)[0]
        text = names.get(node)
        if text is None:
            self._name_some(tree, node, [int(child) for child in branches.children(parent)])
            text = names.get(node)
        return text.text if text else ""

    def _name_some(self, tree: str, node: int, siblings: Sequence[int]) -> None:
        """Name a node and some of its siblings at once, each unlike all others."""
        names = self._derived.written[tree].names
        speakers = [speaker.name for speaker in self._corpus.speakers]
        first = siblings.index(node) // _NAMED_AT_ONCE * _NAMED_AT_ONCE
        batch = siblings[first : first + _NAMED_AT_ONCE]
        used_names = {text.text for sibling in siblings if (text := names.get(sibling)) is not None}
        groups = [self.texts_below(tree, sibling) for sibling in batch]
        for sibling, output in zip(batch, self._analyst.attributed_names(groups, speakers), strict=True):
            if names.get(sibling) is None:
                # A topic without words of its own has no name, and one that is like a sibling's has none either.
                title = "" if output.text in used_names else output.text
                names.replace(sibling, KeptText(title, made_by=output.made_by))
                used_names.add(title)

    def lines_named(self, tree: str, node: int) -> list[Excerpt]:
        """Return the lines that a node is named from."""
        return self.leaf_lines(tree, sorted(self._derived.trees[tree].leaves_below(node))[:_TEXTS_A_NAME])

    def texts_below(self, tree: str, node: int) -> list[str]:
        """Return the texts that a node is named from."""
        leaves = sorted(self._derived.trees[tree].leaves_below(node))[:_TEXTS_A_NAME]
        seqs = list(dict.fromkeys(turn_of(leaf) if tree in EVENT_TREES else leaf for leaf in leaves))
        rows = self._corpus.columns.rows_of(visible := self.visible(seqs))
        present = {seq for seq, row in zip(visible, rows.tolist(), strict=True) if row >= 0}
        events, unsaid = self._derived.events, self.absent_events
        if tree in EVENT_TREES:
            stated = (events.get(leaf) for leaf in leaves if turn_of(leaf) in present and leaf not in unsaid)
            return [event.text for event in stated if event is not None]
        # Only what nothing was stated of is read.
        texts_of = {
            seq: [event.text for event in events.of_turn(seq) if event.number not in unsaid]
            for seq in seqs
            if seq in present
        }
        without_events = [seq for seq in texts_of if not events.of_turn(seq)]
        texts_of |= {seq: [turn.content] for seq, turn in self.turns(without_events).items()}
        return [text for texts in texts_of.values() for text in texts]

    # Entities.

    def salient(self, entity: int) -> bool:
        """Tell if an entity deserves a profile: certain, and a person, organisation or place or named in many turns."""
        graph = self._derived.graph
        salient = graph.type(entity) in _SALIENT_TYPES or len(graph.mentions(entity)) >= self.options.salient
        return salient and graph.is_certain(entity)

    def profile(self, entity: int) -> KeptText:
        """Return the profile of an entity, a lasting and a recent part; write and keep one if there is none."""
        text = self._derived.profiles.get(entity) if self.persists else None
        if text is None:
            output = self._analyst.profiles([self.subject(entity)], self.options.profile_tokens)[0]
            text = KeptText(output.persistent, output.recent, output.made_by or self._analyst.made_by)
            if self.persists:
                self._derived.profiles.replace(entity, text)
        return text

    def subject(self, entity: int) -> Subject:
        """Return what the profile of an entity is written from."""
        graph = self._derived.graph
        lines = self.lines(self.visible(graph.mentions(entity))[-LINES:])
        return Subject(graph.name(entity), graph.type(entity), tuple(lines))

    # People.

    def persona(self, person: ScopedPerson, *, embed: bool = False) -> KeptPersona | None:
        """Return a person's persona by the current notes: the stored version if its words are the same, else a new one.

        A new one has a vector if ``embed``, else zeros.

        Raises:
            EmbedderUnavailable: no vectors can be made now.
        """
        name, target = self._derived.names.scoped(person), self._derived.names.target(person)
        notes = self._derived.notes
        previous = self._derived.personas.get(person) if self.persists else None
        recent, claims, basis = self._persona_notes(person)
        edit = edit_of(self._derived.decisions.active_changes(self._known), target)
        if not basis and edit is None:
            return None
        moment = datetime.fromtimestamp(self._time_of(recent[-1].turn), UTC) if recent else None
        output = self._persona_text(self._derived.names.name(person), claims, edit, moment)
        if not output.text:
            return None
        sources = tuple(note.number for note in basis)
        newest = recent[-1].number if recent else -1
        if previous is not None and (previous.text, previous.traits) == (output.text, output.traits):
            return replace(previous, notes=sources, newest_note=newest, made_by=output.made_by or self._analyst.made_by)
        time = self._time_of(basis[-1].turn) if basis else 0
        embedder = self._corpus.embedder
        vector = vectors_of_texts(embedder, [output.text])[0] if embed else np.zeros(embedder.dimension, np.float32)
        count = notes.count(name) if self.persists else sum(self.note_states.state_of(note).stands for note in recent)
        return KeptPersona(
            version=count + self._derived.decisions.edits(target),
            text=output.text,
            traits=output.traits,
            vector=vector,
            timestamp=time if edit is None else max(time, edit.timestamp // 1_000_000),
            notes=sources,
            newest_note=newest,
            made_by=output.made_by or self._analyst.made_by,
        )

    def written_persona(self, person: ScopedPerson) -> PersonaText:
        """Return the persona of a person by the present notes, without what people edited."""
        recent, claims, _ = self._persona_notes(person)
        moment = datetime.fromtimestamp(self._time_of(recent[-1].turn), UTC) if recent else None
        return self._persona_text(self._derived.names.name(person), claims, None, moment)

    def persona_claims(self, person: ScopedPerson) -> tuple[str, list[Claim]]:
        """Return a person's name, and the claims that the persona is written from."""
        return self._derived.names.name(person), self._persona_notes(person)[1]

    def _persona_notes(self, person: ScopedPerson) -> tuple[list[KeptNote], list[Claim], list[KeptNote]]:
        """Return a person's newest notes of their own words, and those that the persona is made of, also as claims."""
        current = self.current_notes(self._derived.notes.recent(self._derived.names.scoped(person), _NOTES_READ))
        recent = [note for note in current if self._derived.authority(note) is Authority.OWN]
        pairs = self._standing_notes(note for note in reversed(recent) if note.kind != "fact") or self._standing_notes(
            reversed(recent)
        )
        notes = [note for note, _ in pairs]
        edit = edit_of(self._derived.decisions.active_changes(self._known), self._derived.names.target(person))
        if edit is not None:
            notes = [note for note in notes if note.number > edit.newest_note]
        states = {note.number: state for note, state in pairs}
        claims = [
            Claim(n.kind, n.subject, n.slot, n.value, n.text, n.positive, validity(n, states[n.number])) for n in notes
        ]
        return recent, claims, notes

    def _standing_notes(self, newest: Iterable[KeptNote]) -> list[tuple[KeptNote, NoteState]]:
        """Return the first current notes, as many as a persona is made of, in reverse order."""
        pairs = ((note, self.note_states.state_of(note)) for note in newest)
        visible = ((note, state) for note, state in pairs if state.stands and is_shown(note, state))
        return list(islice(visible, _NOTES_A_PERSONA))[::-1]

    def _persona_text(
        self, name: str, claims: Sequence[Claim], edit: PersonaEdit | None, moment: datetime | None
    ) -> PersonaText:
        """Write a persona from claims, after the text and traits of people's edit, if there is one."""
        output = PersonaText("", ())
        if claims:
            output = self._analyst.personas([name], [claims], self.options.profile_tokens, [moment])[0]
        if edit is None:
            return output
        traits = tuple(dict.fromkeys((*edit.traits, *output.traits)))
        return PersonaText(f"{edit.text} {output.text}".strip(), traits, output.made_by)

    def renew(self, person: ScopedPerson, *, is_logged: bool = True) -> None:
        """Keep a person's current persona; log its change if ``told`` and it has notes."""
        personas = self._derived.personas
        before, outcome = personas.get(person), contained(lambda: self.persona(person, embed=True))
        # What cannot be written is left out, and tried again with the next session.
        after = None if isinstance(outcome, Fault) else outcome
        personas.replace(person, after)
        entry = renewal(self._derived.names.target(person), before, after, self.newest_note(person))
        # A persona without notes is people's edit, which the log already has.
        if is_logged and entry is not None and after is not None and after.notes:
            self._derived.journal.append(entry)

    def newest_note(self, person: ScopedPerson) -> str | None:
        """Return the id of the newest note about a person; None if there is none."""
        newest = self._derived.notes.latest(self._derived.names.scoped(person))
        return None if newest < 0 else self._derived.note_id(newest)

    def current_notes(self, notes: Sequence[KeptNote]) -> list[KeptNote]:
        """Return the notes whose turns are visible and that were not themselves withdrawn."""
        visible = set(self.visible([note.turn for note in notes]))
        absent = self._derived.absent_notes(self._known)
        return [note for note in notes if note.turn in visible and note.number not in absent]

    def _time_of(self, seq: int) -> int:
        """Return when a turn was said, in seconds since 1970."""
        return int(self._corpus.columns.said[self._corpus.columns.rows_of([seq])[0]]) // 1_000_000


class _Unseen:
    """Container of the turns that a text writer does not see."""

    def __init__(self, text_writer: TextWriter) -> None:
        self._text_writer = text_writer

    def __contains__(self, seq: object) -> bool:
        return isinstance(seq, int) and not self._text_writer.visible([seq])
