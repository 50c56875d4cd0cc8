"""Where what was read of a turn goes: into judgements, events, notes, graph and trees, and out of them again."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from hmem.corpus import Corpus
from hmem.hierarchy.arrangement import EVENT_TREES, TREES, TURN_TREES, Arrangement
from hmem.hierarchy.events import KeptEvent
from hmem.hierarchy.judgements import Judgement
from hmem.hierarchy.notes import KeptNote, note_of, seconds_of
from hmem.hierarchy.part import event_number
from hmem.hierarchy.placement import Placement
from hmem.hierarchy.placement.base import Leaf
from hmem.hierarchy.placement.calendar import CalendarPlacement
from hmem.hierarchy.placement.evolution import EvolutionPlacement
from hmem.hierarchy.placement.layers import LayersPlacement
from hmem.hierarchy.placement.topic import TopicPlacement
from hmem.hierarchy.scribe import Scribe
from hmem.language.analyst import Analyst, Labels, Statement
from hmem.write.material import Material
from hmem.write.options import Writing
from hmem.write.rename import rename_outdated

# The importance of a turn that could not be judged.
_MIDDLING: Final = 5


# Keeps all the notes of a turn, by its sequence number: those that it has, and behind them those that are new.
Keep = Callable[[int, Sequence[KeptNote]], None]


class Organiser:
    """Puts turns into the arrangement one by one, in the order of their numbers, and takes them out."""

    def __init__(
        self, corpus: Corpus, arrangement: Arrangement, analyst: Analyst, writing: Writing, keep: Keep | None = None
    ) -> None:
        self._corpus = corpus
        self._arrangement = arrangement
        self._analyst = analyst
        self._writing = writing
        self._keep = keep or self._keep_all
        self._scribe = Scribe(corpus, arrangement, analyst, writing.scribing)
        calibration = corpus.embedder.calibration
        placements: dict[str, Placement] = {
            "calendar": CalendarPlacement(),
            "topic": TopicPlacement(writing.topics, calibration),
            "evolution": EvolutionPlacement(writing.evolving, calibration),
            "layers": LayersPlacement(writing.layering, calibration),
        }
        chosen = {name: place for name, place in placements.items() if getattr(writing, name)}
        self._of_turns = [(name, chosen[name]) for name in TURN_TREES if name in chosen]
        self._of_events = [(name, chosen[name]) for name in EVENT_TREES if name in chosen]

    def put(self, item: Material) -> None:
        """Put a turn in."""
        if item.opens_session:
            self._renew_personas()
        arrangement, seq, made_by = self._arrangement, item.seq, item.made_by or self._analyst.maker(item.turn)
        importance = _MIDDLING if item.made_by else self._importance(item)
        arrangement.judgements.put(seq, Judgement(item.session, item.curation.memorable, importance, item.cut, made_by))
        events = [_event(seq, i, each, made_by) for i, each in enumerate(item.statements)]
        if events:
            arrangement.events.put(seq, events)
        if item.claims:
            self._keep(seq, [note_of(seq, i, each, made_by) for i, each in enumerate(item.claims)])
        if self._writing.graph:
            for entity in arrangement.graph.add(seq, item.extraction, item.turn.at):
                arrangement.profiles.outdate(entity)
        if item.curation.memorable:
            self._place(item)

    def _keep_all(self, seq: int, notes: Sequence[KeptNote]) -> None:
        self._arrangement.notes.put(seq, notes)

    def _importance(self, item: Material) -> int:
        curations = [[item.curation]] if self._writing.curation else None
        return self._analyst.importance([item.passage], [self._persona(item)], curations)[0][0]

    def _place(self, item: Material) -> None:
        turn, trees = item.turn, self._arrangement.trees
        leaf = Leaf(item.seq, turn.at, item.vector, None, turn.speaker)
        for name, placement in self._of_turns:
            placement.place(trees[name], leaf)
        if not self._of_events:
            return
        numbers = [event_number(item.seq, i) for i in range(len(item.statements))]
        labels: list[Labels | None] = [*item.labels] or [None] * len(numbers)
        for number, vector, label in zip(numbers, item.vectors, labels, strict=False):
            leaf = Leaf(number, turn.at, vector, label, turn.speaker)
            for name, placement in self._of_events:
                placement.place(trees[name], leaf)

    def _persona(self, item: Material) -> str:
        number = self._corpus.speaker_number(item.turn.speaker)
        kept = None if number is None else self._arrangement.personas.of(number)
        return kept.text if kept else ""

    def _renew_personas(self) -> None:
        """A persona is renewed when a session begins, so that turns are judged alike however they arrive."""
        for name in self._arrangement.notes.take_news():
            number = self._corpus.speaker_number(name)
            if number is not None and self._writing.persona:
                kept = self._arrangement.personas.of(number)
                if kept is None or kept.through != self._arrangement.notes.latest(name):
                    self._scribe.renew(number)

    def take(self, seqs: Iterable[int]) -> None:
        """Take turns out, with all that was made of them."""
        subjects = dict[str, None]()
        for seq in seqs:
            subjects |= dict.fromkeys(note.subject for note in self._arrangement.notes.of(seq))
            self._take(seq)
        # A persona must not say another day what is taken away now.
        self._write_personas(subjects)

    def _take(self, seq: int) -> None:
        arrangement = self._arrangement
        events = [event.number for event in arrangement.events.of(seq)]
        for name in TREES:
            tree = arrangement.trees[name]
            for leaf in [seq] if name in TURN_TREES else events:
                if tree.node_of(leaf) is not None:
                    # The vector went with the turn, so what stands on it is computed again from those that stay.
                    tree.take(leaf)
        for entity in arrangement.graph.entities_of(seq):
            arrangement.profiles.outdate(entity)
        arrangement.graph.remove(seq)
        arrangement.notes.put(seq, ())
        arrangement.revisions.take(seq)
        arrangement.learnt.take(seq)
        arrangement.event_vectors.take(events)
        arrangement.events.put(seq, ())
        arrangement.judgements.take(seq)

    def _write_personas(self, subjects: Iterable[str]) -> None:
        """Write personas anew of which something was taken or came back: the log tells of that already."""
        for subject in subjects:
            number = self._corpus.speaker_number(subject)
            if number is not None and self._arrangement.personas.of(number) is not None:
                self._scribe.renew(number, told=False)

    def edited(self, name: str) -> None:
        """A person's persona was edited, or an edit taken back, which the log tells already."""
        number = self._corpus.speaker_number(name)
        if number is not None and self._writing.persona:
            self._scribe.renew(number, told=False)

    def outdate(self, seq: int) -> None:
        """Mark all that was written of a turn as untrue: it was withdrawn, or has come back."""
        arrangement = self._arrangement
        events = [event.number for event in arrangement.events.of(seq)]
        for name, tree in arrangement.trees.items():
            for leaf in [seq] if name in TURN_TREES else events:
                node = tree.node_of(leaf)
                while node is not None:
                    arrangement.written[name].summaries.outdate(node)
                    arrangement.written[name].names.outdate(node)
                    node = tree.parent(node)
        for entity in arrangement.graph.entities_of(seq):
            arrangement.profiles.outdate(entity)
        self._write_personas(dict.fromkeys(note.subject for note in arrangement.notes.of(seq)))

    def part(self) -> None:
        """After turns were taken out: nothing that stays is called by their words, and nobody is who never spoke."""
        for name, placement in self._of_events:
            if isinstance(placement, LayersPlacement):
                rename_outdated(self._arrangement, self._scribe, self._analyst, name, self._writing.layering.layers)
        speaking = {speaker.number for speaker in self._corpus.speakers}
        for number in self._arrangement.personas.speakers():
            if number not in speaking:
                self._arrangement.personas.put(number, None)

    def finish(self) -> None:
        """Mark the texts that have become untrue, once for all that was put in and taken out."""
        self._arrangement.outdate_texts()


def _event(seq: int, ordinal: int, statement: Statement, made_by: str) -> KeptEvent:
    start, end, offset = seconds_of(statement.happened)
    return KeptEvent(event_number(seq, ordinal), statement.text, start, end, offset, statement.context, made_by)
