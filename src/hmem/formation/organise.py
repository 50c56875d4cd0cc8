"""Organiser: puts analysed turns into judgements, events, notes, graph and trees, and takes them out again.

It also renames layers after turns were taken out. Events similar to those of a node are put under it whatever their
labels are, so a node's name may outlive the event that brought it. The node then gets its first event's name.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from hmem.corpus.corpus import Corpus
from hmem.derived.chunks import number_in_turn, turn_of
from hmem.derived.episodes import TurnJudgement
from hmem.derived.events import KeptEvent
from hmem.derived.graph.entity_edits import edit_of
from hmem.derived.notes import KeptNote, by_model, note_of, seconds_of
from hmem.derived.speaker_names import ScopedPerson
from hmem.derived.state import EVENT_TREES, TREES, TURN_TREES, DerivedState
from hmem.derived.text_writer import TextWriter
from hmem.derived.trees import Placement
from hmem.derived.trees.calendar import CalendarPlacement
from hmem.derived.trees.evolution import EvolutionPlacement
from hmem.derived.trees.layers import LayersPlacement, path_of
from hmem.derived.trees.nodes import plain
from hmem.derived.trees.placement import Leaf
from hmem.derived.trees.topic import TopicPlacement
from hmem.formation.config import FormationConfig
from hmem.formation.revision import revise
from hmem.formation.turn_analysis import UNREADABLE, VERBATIM, TurnAnalysis
from hmem.language.analyst import Analyst, Labels, Statement
from hmem.language.containment import Fault, contained
from hmem.model.scope import ScopedName, owner_of, scoped
from hmem.model.turn import Turn
from hmem.storage.base import LogEntry

# Number of events that are searched for a node's name before it counts as gone.
_LEAVES_A_NAME: Final = 32


def rename_outdated(derived: DerivedState, text_writer: TextWriter, analyst: Analyst, name: str, layers: int) -> None:
    """Rename the nodes of the layers below which something was taken out and whose name no event has now."""
    tree = derived.trees[name]
    for node in sorted(tree.touched):
        parent = tree.parent(node) if node in tree and tree.label(node) else None
        if parent is None:
            continue
        depth = 0
        while parent:
            depth, parent = depth + 1, tree.parent(parent) or 0
        if depth >= len(path_of(None, layers)):
            # Traces had labels once, after an event of theirs; now they are named from what is in them.
            tree.rename(node, "")
            continue
        leaves = tree.leaves_below(node)[:_LEAVES_A_NAME]
        # Mostly the first event has the name.
        for events in (leaves[:1], leaves):
            names = [path_of(labels, layers)[depth] for labels in _labels(derived, text_writer, analyst, events)]
            if plain(tree.label(node)) in map(plain, names):
                break
        else:
            tree.rename(node, names[0])


def _labels(
    derived: DerivedState, text_writer: TextWriter, analyst: Analyst, events: Sequence[int]
) -> list[Labels] | list[None]:
    turns = text_writer.turns(list(dict.fromkeys(map(turn_of, events))))
    sources = [(derived.events.get(event), turns.get(turn_of(event))) for event in events]
    statements = [Statement(event.text if event else "") for event, _ in sources]
    labels = contained(lambda: analyst.labels_of(statements, [turn for _, turn in sources]))
    return [None] * len(events) if isinstance(labels, Fault) else labels


# The importance of a turn that could not be judged.
_MIDDLING: Final = 5


# Keeps all the notes of a turn, by its sequence number: the present ones, then the new ones.
Keep = Callable[[int, Sequence[KeptNote]], None]


class Organiser:
    """Writer of turns into the derived state, one by one in the order of their numbers. It also removes them."""

    def __init__(
        self,
        corpus: Corpus,
        derived: DerivedState,
        analyst: Analyst,
        config: FormationConfig,
        keep: Keep | None = None,
    ) -> None:
        self._corpus = corpus
        self._derived = derived
        self._analyst = analyst
        self._config = config
        self._keep = keep or self._keep_all
        self._text_writer = TextWriter(corpus, derived, analyst, config.text_options)
        calibration = corpus.embedder.calibration
        placements: dict[str, Placement] = {
            "calendar": CalendarPlacement(),
            "topic": TopicPlacement(config.topics, calibration),
            "evolution": EvolutionPlacement(config.evolving, calibration),
            "layers": LayersPlacement(config.layering, calibration),
        }
        active = {name: placement for name, placement in placements.items() if getattr(config, name)}
        self._of_turns = [(name, active[name]) for name in TURN_TREES if name in active]
        self._of_events = [(name, active[name]) for name in EVENT_TREES if name in active]

    def add(self, item: TurnAnalysis) -> None:
        """Add a turn."""
        if item.opens_session:
            self._renew_personas(owner_of(item.turn))
        derived, seq, producer = self._derived, item.seq, self._analyst.maker(item.turn)
        owner, importance = owner_of(item.turn), self._importance(item)
        language, gaps = item.coverage.language, item.coverage.skip_reasons
        memorable = item.curation.memorable
        judgement = TurnJudgement(item.session, memorable, importance, item.cut, producer, owner, language, gaps)
        derived.judgements.replace(seq, judgement)
        events = [_event(seq, i, statement, producer) for i, statement in enumerate(item.statements)]
        if events:
            derived.events.replace(seq, events)
        if item.claims:
            if by_model(producer) and derived.note_states.options.reconcile:
                for ordinal, older, verdict in revise(item, derived, producer, self._speaker):
                    derived.revisions.replace(older, number_in_turn(seq, ordinal), verdict)
            self._keep(seq, [note_of(seq, i, claim, producer, owner) for i, claim in enumerate(item.claims)])
        if self._config.graph:
            extraction = item.extraction
            if by_model(producer) and not memorable:
                # The rules read its names, for a model that found it empty was not asked for any.
                extraction = derived.graph.known_names(extraction, owner, seq)
            for entity in derived.graph.add(seq, extraction, item.turn.at, owner):
                derived.profiles.outdate(entity)
        if memorable:
            self._place_in_trees(item)

    def set_aside(self, seq: int, turn: Turn, session: int, *, begins: bool) -> None:
        """Judge a turn of which nothing can be formed: it is kept and found as it was said, and nothing is made of it.

        ``begins`` tells that it is the first of its session.
        """
        cut = "session" if begins else None
        judgement = TurnJudgement(
            session, memorable=False, importance=_MIDDLING, cut=cut, made_by=VERBATIM, owner=owner_of(turn),
            unread=(UNREADABLE,),
        )  # fmt: skip
        self._derived.judgements.replace(seq, judgement)

    def _speaker(self, seq: int) -> str:
        """Return who said a turn, by the name that they are called now."""
        turn = self._text_writer.turns([seq], with_withdrawn=True).get(seq)
        return "" if turn is None else self._derived.names.first_spelling(owner_of(turn), turn.speaker)

    def _keep_all(self, seq: int, notes: Sequence[KeptNote]) -> None:
        self._derived.notes.replace(seq, notes)

    def _importance(self, item: TurnAnalysis) -> int:
        curations = [[item.curation]] if self._config.curation else None
        claims = [[item.claims]] if self._config.notes else None
        return self._analyst.importance([item.passage], [self._persona(item)], curations, claims)[0][0]

    def _place_in_trees(self, item: TurnAnalysis) -> None:
        turn, trees = item.turn, self._derived.trees
        leaf = Leaf(item.seq, turn.at, item.vector if item.topic is None else item.topic, None, turn.speaker)
        for name, placement in self._of_turns:
            placement.insert(trees[name], leaf)
        if not self._of_events:
            return
        numbers = [number_in_turn(item.seq, i) for i in range(len(item.statements))]
        labels: list[Labels | None] = [*item.labels] or [None] * len(numbers)
        for number, vector, label in zip(numbers, item.topics, labels, strict=False):
            leaf = Leaf(number, turn.at, vector, label, turn.speaker)
            for name, placement in self._of_events:
                placement.insert(trees[name], leaf)

    def _persona(self, item: TurnAnalysis) -> str:
        person = self._derived.names.find(scoped(owner_of(item.turn), item.turn.speaker))
        persona = None if person is None else self._derived.personas.get(person)
        return persona.text if persona else ""

    def _renew_personas(self, owner: str) -> None:
        """Renew an owner's personas with new notes when a session begins, in batches as for single turns."""
        for name in self._derived.notes.take_news(owner):
            person = self._derived.names.find(name)
            if person is not None and self._config.persona:
                persona = self._derived.personas.get(person)
                if persona is None or persona.newest_note != self._derived.notes.latest(name):
                    self._text_writer.renew(person)

    def take(self, seqs: Iterable[int]) -> None:
        """Remove turns and all that was made of them."""
        subjects = dict[ScopedName, None]()
        for seq in seqs:
            subjects |= dict.fromkeys(note.scoped_subject for note in self._derived.notes.of_turn(seq))
            self._take(seq)
        # A persona must not repeat later what is removed now.
        self._write_personas(subjects)

    def _take(self, seq: int) -> None:
        derived = self._derived
        events = [event.number for event in derived.events.of_turn(seq)]
        for name in TREES:
            tree = derived.trees[name]
            for leaf in [seq] if name in TURN_TREES else events:
                if tree.node_of(leaf) is not None:
                    # The vector is gone with the turn, so sums are computed again from the turns that stay.
                    tree.take(leaf)
        for entity in derived.graph.entities_of(seq):
            derived.profiles.outdate(entity)
        derived.graph.remove(seq)
        derived.notes.replace(seq, ())
        derived.revisions.take(seq)
        derived.learnt.take(seq)
        derived.event_vectors.take(events)
        derived.events.replace(seq, ())
        derived.judgements.take(seq)

    def _write_personas(self, subjects: Iterable[ScopedName]) -> None:
        """Rewrite personas whose notes were removed or came back; the log has the reason already."""
        for subject in subjects:
            person = self._derived.names.find(subject)
            if person is not None and self._derived.personas.get(person) is not None:
                self._text_writer.renew(person, is_logged=False)

    def rewrite_persona(self, person: ScopedPerson) -> None:
        """Rewrite a persona that was edited, or whose edit was undone; the log has that already."""
        if self._config.persona:
            self._text_writer.renew(person, is_logged=False)

    def apply_entity_edit(self, entry: LogEntry, *, in_force: bool) -> None:
        """Merge or split entities as an entry of the log says, or take that back."""
        edit = edit_of(entry)
        for entity in self._derived.graph.settle(edit, in_force=in_force) if edit is not None else ():
            self._derived.profiles.outdate(entity)

    def outdate(self, seq: int) -> None:
        """Outdate all texts about a turn that was withdrawn or has come back."""
        derived = self._derived
        events = [event.number for event in derived.events.of_turn(seq)]
        for name, tree in derived.trees.items():
            for leaf in [seq] if name in TURN_TREES else events:
                node = tree.node_of(leaf)
                while node is not None:
                    derived.written[name].summaries.outdate(node)
                    derived.written[name].names.outdate(node)
                    node = tree.parent(node)
        for entity in derived.graph.entities_of(seq):
            derived.profiles.outdate(entity)
        self._write_personas(dict.fromkeys(note.scoped_subject for note in derived.notes.of_turn(seq)))

    def remove_traces(self) -> None:
        """Remove the last traces of turns that were taken out: names of layers, and personas of former speakers."""
        for name, placement in self._of_events:
            if isinstance(placement, LayersPlacement):
                rename_outdated(self._derived, self._text_writer, self._analyst, name, self._config.layering.layers)
        speaking = set(self._derived.names.people())
        for person in self._derived.personas.people():
            if person not in speaking:
                self._derived.personas.replace(person, None)

    def finish(self) -> None:
        """Outdate the texts of all nodes that were changed by puts and takes, once each."""
        self._derived.outdate_texts()


def _event(seq: int, ordinal: int, statement: Statement, producer: str) -> KeptEvent:
    start, end, offset = seconds_of(statement.happened)
    return KeptEvent(number_in_turn(seq, ordinal), statement.text, start, end, offset, statement.context, producer)
