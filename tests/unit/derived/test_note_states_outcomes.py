"""Outcomes of slots, as they are kept: they tell the same as folding every slot from its first note on."""

from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest
from tests.unit.derived.test_slot_timeline import fold

from hmem.derived.changes import Revisions
from hmem.derived.chunks import Part, decode, encode, number_in_turn
from hmem.derived.note_states import NoteStates, ReconcileOptions, SlotOutcomes
from hmem.derived.notes import KeptNote, Notes
from hmem.derived.slot_timeline import NoteState, SlotDecisions
from hmem.language.analyst import analyst

VERBATIM = analyst("verbatim")
# Kind, slot, value, and what is said, of a speaker's turns.
SAYINGS = (
    ("profile", "home", "Porto", "I live in Porto now."),
    ("profile", "home", "Lisbon", "I moved to Lisbon."),
    ("profile", "home", "Portugal", "I live in Portugal."),
    ("profile", "job", "nurse", "I work as a nurse."),
    ("profile", "job", "head nurse", "I am the head nurse."),
    ("profile", "pet", "a dog named Rex", "My dog Rex is old."),
    ("profile", "pet", "a dog", "I have a dog."),
    ("preference", "likes", "hiking", "I like hiking."),
    ("preference", "likes", "hiking in the hills", "I like hiking in the hills."),
    ("preference", "likes", "the hills", "I like the hills."),
    ("profile", "owns", "a Honda", "I own a Honda."),
    ("fact", "take", "the garden", "I took the garden."),
)
CHANGES = ("drop", "withdraw", "bring back", "retire", "keep", "rule", "part", "store", "reload")


@dataclass
class World:
    """Notes with their outcomes, and what people decided."""

    options: ReconcileOptions = field(default_factory=ReconcileOptions)
    said: dict[int, int] = field(default_factory=dict[int, int])
    absent: set[int] = field(default_factory=set[int])
    resolved: dict[int, Any] = field(default_factory=dict[int, Any])
    rules: dict[str, str] = field(default_factory=dict[str, str])
    parted: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])

    def __post_init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self.notes, self.revisions, self.outcomes = Notes(), Revisions(), SlotOutcomes()
        self.states = NoteStates(
            self.notes, self.revisions, lambda seqs: [self.said[seq] for seq in seqs], lambda note: note.text, VERBATIM,
            self.options, lambda: (frozenset(self.absent), frozenset()), self.outcomes,
        )  # fmt: skip
        self.notes.watch = self.states.on_note_changed

    @property
    def parts(self) -> tuple[Part, ...]:
        return *self.notes.parts, self.revisions, *self.outcomes.parts

    @property
    def decided(self) -> SlotDecisions:
        return SlotDecisions(dict(self.resolved), {}, dict(self.rules), frozenset(self.parted))

    def keep(self, saying: int, at: int, *, positive: bool) -> None:
        self.tell(*SAYINGS[saying], at, positive=positive)

    def tell(self, kind: str, slot: str, value: str, text: str, at: int, *, positive: bool = True) -> None:
        seq = len(self.said) + 1
        self.said[seq] = at
        self.notes.replace(seq, [KeptNote(number_in_turn(seq, 0), kind, "Maria", slot, value, text, positive)])  # type: ignore[arg-type]

    def change(self, what: str, place: int) -> None:
        seqs = [note.turn for note in self.notes.all()]
        seq = seqs[place % len(seqs)] if seqs else None
        number = None if seq is None else number_in_turn(seq, 0)
        match what:
            case "store":
                self.states.settle()
            case "reload":
                self.reload()
            case "drop" if seq is not None:
                self.notes.replace(seq, [])
            case "withdraw" if seq is not None:
                self.absent.add(seq)
            case "bring back":
                self.absent.clear()
            case "retire" | "keep" if number is not None:
                self.resolved[number] = what
            case "rule":
                self.rules["home"] = ("ask", "first", "most-frequent", "newest")[place % 4]
            case "part" if seq is not None and number is not None:
                self.parted |= {(number_in_turn(seqs[0], 0), number), (number, number_in_turn(seqs[0], 0))}
        if what not in ("store", "reload", "drop"):
            self.states.decide(self.decided)

    def reload(self) -> None:
        """Read everything back from its chunks, as another process does."""
        self.states.settle()
        stored = {part.name: self.chunks(part) for part in self.parts}
        self.begin()
        for part in self.parts:
            part.fill(stored[part.name])
        self.states.decide(self.decided)

    def chunks(self, part: Any) -> list[tuple[int, bytes]]:
        told = [(number, part.dump(number)) for number in range(8)]
        assert all(decode(encode(content)) == content for _, content in told if content is not None)
        return [(number, encode(content)) for number, content in told if content is not None]

    def check(self) -> None:
        view = self.states.viewed_from(lambda: (frozenset(self.absent), frozenset()), self.decided)
        folded: dict[int, NoteState] = {}
        for subject in self.notes.subjects():
            for slot in self.notes.slots(subject):
                entries = self.states._entries(self.notes.of_subject(subject, slot))
                rule = self.states.rule(subject, slot)
                folded |= fold(entries, self.states._judge, rule=rule, decided=self.decided)
        for note in self.notes.all():
            state = folded.get(note.number)
            assert self.states.state_of(note) == view.state_of(note), note
            assert self.states.state_of(note) == state or (state, self.states.state_of(note).status) == (
                None,
                "retracted",
            ), note


@pytest.mark.parametrize("rule", ["newest", "ask", "most-frequent", "first"])
@pytest.mark.parametrize("seed", range(6))
def test_outcomes_tell_the_same_as_folding(rule: str, seed: int) -> None:
    random, world = Random(f"{rule} {seed}"), World(ReconcileOptions(rule=rule))
    few = random.sample(range(len(SAYINGS)), 5)
    for number in range(50):
        if random.random() < 0.8:
            # One of ten is told of a time before.
            at = number * 100 - (random.random() < 0.1) * random.randrange(1_000) + 1_000
            world.keep(random.choice(few), at, positive=random.random() < 0.8)
        else:
            world.change(random.choice(CHANGES), random.randrange(50))
        if random.random() < 0.7:
            world.check()
    world.reload()
    world.check()


def filled(*sayings: int) -> World:
    world = World()
    for number, saying in enumerate(sayings):
        world.keep(saying, 1_000 + number, positive=True)
    world.states.settle()
    return world


def test_what_is_loaded_is_not_judged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    world = filled(*range(11), *range(11))
    judged: list[int] = []
    reconcile = VERBATIM.reconcile
    monkeypatch.setattr(VERBATIM, "reconcile", lambda pairs: judged.append(len(pairs)) or reconcile(pairs))
    world.reload()
    states = [world.states.state_of(note) for note in world.notes.all()]
    assert {state.status for state in states} == {"current", "merged", "superseded"}
    assert judged == []
    world.keep(2, 2_000, positive=True)
    assert world.states.state_of(world.notes.all()[-1]).status == "merged"
    assert 0 < len(judged) <= 3


def test_forgotten_notes_leave_no_outcome() -> None:
    world = filled(0, 1, 11, 9)
    for seq in range(1, 5):
        world.notes.replace(seq, [])
    world.states.settle()
    assert [world.chunks(part) for part in world.outcomes.parts if part.name != "slot-contexts"] == [[], [], []]
