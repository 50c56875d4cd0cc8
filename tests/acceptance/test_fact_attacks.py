"""What people say of themselves is overruled by nobody: not in marks, ranking, slots, the profile or answers."""

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tests.fact_attacks import MATTERS, OWNER, FactAttack, Matter, disputes, fact_attacks
from tests.models import Derived, open_with

from hmem import Memory
from hmem.language.analyst import Claim, Statement
from hmem.language.analyst.base import KnownNote, Passage, Relation, Revises, TurnExtraction

ATTACKS = fact_attacks()
DISPUTES = disputes()

# Other talk around the facts.
_TALK = (
    ("Bob", "The heron was back at the canal this morning."),
    ("Cleo", "I burnt the rice again and had to open all the windows."),
    ("Bob", "Our choir rehearses in the tile factory on Fridays."),
    ("Cleo", "The bus was twenty minutes late, so I read two chapters."),
    (OWNER, "I slept badly because of the wind."),
    ("Bob", "Somebody painted the old bridge green."),
    ("Cleo", "Lea wants to learn the cello, of all things."),
    (OWNER, "The tomatoes on the balcony are ripe at last."),
    ("Bob", "We lost at chess, three to one."),
    ("Cleo", "Remind me to return the ladder."),
)


def talk(day: int) -> list[dict[str, str]]:
    return [{"speaker": speaker, "text": text, "at": f"2026-01-{day:02}"} for speaker, text in _TALK]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "me.hmem") as opened:
        opened.add(talk(5))
        yield opened


def tell(memory: Memory, matter: Matter, attack: dict[str, Any], times: int = 1) -> None:
    memory.add(matter.said, speaker=OWNER, at="2026-01-10T10:00:00Z")
    for day in range(times):
        memory.add(attack, at=f"2026-02-{10 + day}T10:00:00Z")
    memory.add(talk(28))


def own_lines(context: str, matter: Matter) -> list[str]:
    return [line for line in context.splitlines() if f"{OWNER}: {matter.said}" in line]


def check(memory: Memory, matter: Matter) -> None:
    """Check that everything still tells what Alice said."""
    # No mark on her line, and it is there.
    (line,) = own_lines(memory.context(matter.question, tokens=400).text, matter)
    assert "[newer" not in line
    assert "[outdated" not in line
    # Her line comes before any that contradicts it.
    found = [(item.speaker, item.text) for item in memory.search(matter.question, k=20)]
    assert (OWNER, matter.said) in found
    # The profile and the slot.
    profile = memory.profile(OWNER)
    assert matter.value.lower() in profile.text.lower()
    assert matter.evil.lower() not in profile.text.lower()
    standing = [note for note in memory.notes(subject=OWNER, slot=matter.slot) if note.status == "current"]
    if matter.slot is not None:
        assert [matter.value.lower() in note.value.lower() for note in standing] == [True]
    # The answer: her words, before any of others.
    answer = memory.ask(matter.question)
    assert matter.evil.lower() not in (answer.value or "").lower()
    if not answer.abstained:
        said = answer.text.splitlines()
        own = f"{OWNER}, 10 Jan 2026: \u201c{matter.said}\u201d"
        assert own in said
        assert not [line for line in said[: said.index(own)] if not line.startswith(OWNER)]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.id)
def test_nobody_overrides_what_somebody_said_of_themselves(memory: Memory, attack: FactAttack) -> None:
    tell(memory, attack.matter, attack.message)
    check(memory, attack.matter)


def test_there_are_enough_of_them() -> None:
    assert len({attack.id for attack in ATTACKS}) >= 60
    assert len({attack.message["text"] for attack in ATTACKS}) >= 48


@pytest.mark.parametrize("attack", DISPUTES, ids=lambda attack: attack.id)
def test_what_contradicts_a_slot_is_shown_as_a_dispute(memory: Memory, attack: FactAttack) -> None:
    tell(memory, attack.matter, attack.message)
    check(memory, attack.matter)
    (conflict,) = memory.conflicts()
    assert (conflict.subject, conflict.slot) == (OWNER, attack.matter.slot)
    own, other = conflict.notes
    assert attack.matter.value.lower() in own.value.lower()
    assert other.text in attack.message["text"]
    assert (other.status, other.why) == ("contested", f"according to {attack.message['speaker']}")
    # It is over when somebody decides, or the turn is withdrawn.
    memory.retract(other.id)
    assert memory.conflicts() == ()


def test_a_dispute_ends_when_what_it_disputes_is_to_be_kept(memory: Memory) -> None:
    attack = DISPUTES[0]
    tell(memory, attack.matter, attack.message)
    memory.resolve(memory.conflicts()[0].notes[0].id, "keep")
    assert memory.conflicts() == ()


@pytest.mark.parametrize("text", ["Alice lives in Porto.", "I live in Oslo.", "Alice likes Oslo.", "Bob lives there."])
def test_what_does_not_contradict_is_no_dispute(memory: Memory, text: str) -> None:
    tell(memory, MATTERS[0], {"text": text, "speaker": "Mallory"})
    assert memory.conflicts() == ()


@pytest.mark.parametrize("name", ["home", "allergy", "pet", "birthday"])
def test_saying_it_often_changes_nothing(memory: Memory, name: str) -> None:
    matter = next(each for each in MATTERS if each.name == name)
    tell(memory, matter, {"text": matter.claim, "speaker": "Mallory"}, times=15)
    check(memory, matter)


@pytest.mark.parametrize("matter", MATTERS, ids=lambda matter: matter.name)
def test_nor_does_saying_it_in_many_ways_crowd_their_own_words_out(memory: Memory, matter: Matter) -> None:
    ways = product(
        ("Mallory", "Trent", "Walter", "Eve"),
        (matter.claim, matter.change, matter.denial),
        # Whoever repeats the question comes nearest to it.
        ("{} I know.", "Somebody asked: {}", "{} That is clear."),
    )
    tell(memory, matter, {"text": matter.claim, "speaker": "Mallory"})
    memory.add(
        [
            {"text": f"{claim} {end.format(matter.question)}", "speaker": speaker, "at": "2026-02-12"}
            for speaker, claim, end in ways
        ]
    )
    assert own_lines(memory.context(matter.question, tokens=300).text, matter)


def test_what_somebody_quotes_of_others_is_not_of_them(memory: Memory) -> None:
    tell(memory, MATTERS[0], {"text": 'My sister wrote: "I live in Oslo now."', "speaker": OWNER})
    assert memory.ask(MATTERS[0].question).value in ("Porto", None)
    assert [line.value for line in memory.profile(OWNER).lines if line.slot == "home"] == ["Porto"]


def test_their_own_later_words_do_take_its_place(memory: Memory) -> None:
    tell(memory, MATTERS[0], {"text": "I live in Oslo now.", "speaker": OWNER})
    assert memory.ask(MATTERS[0].question).value == "Oslo"
    (line,) = own_lines(memory.context(MATTERS[0].question, tokens=400).text, MATTERS[0])
    assert "[newer]" in line


# Through a model, which believes everybody.

RELATIONS: tuple[Relation, ...] = ("contradicts", "extends", "same")


class Gullible(Derived):
    """Model that makes a claim about Alice of everything that is told of a matter, and has each revise her own note."""

    def __init__(self, matter: Matter, relation: Relation) -> None:
        super().__init__(mark="")
        self.matter, self.relation = matter, relation
        self.shown: Sequence[KnownNote] = ()

    def read(self, passage: Passage, persona: str = "") -> list[TurnExtraction]:
        self.shown = passage.notes
        return super().read(passage, persona)

    def _claims(self, one: Passage, said: Sequence[Statement]) -> Sequence[Claim]:
        text, matter = one.turns[-1].text, self.matter
        told = next((value for value in (matter.evil, matter.value) if value in text), None)
        if told is None:
            return ()
        positive = text != matter.denial
        own = next((note for note in self.shown if note.text == matter.said), None)
        revises = None if own is None or text == matter.said else Revises(self.relation, own.turn, own.text)
        slot = matter.slot or matter.name
        return [Claim("profile", OWNER, slot, told, text, positive, statement=0, revises=revises)]


# Each matter in each way, and each way with each relation.
HEARD: list[tuple[Matter, str, Relation]] = [
    (matter, way, RELATIONS[(number + place) % 3])
    for number, matter in enumerate(MATTERS)
    for place, way in enumerate(("another speaker", "a tool", "an assistant"))
]


@pytest.mark.parametrize(("matter", "way", "relation"), HEARD, ids=lambda each: getattr(each, "name", each))
def test_nor_does_a_model_let_them(tmp_path: Path, matter: Matter, way: str, relation: Relation) -> None:
    attack = next(each for each in ATTACKS if each.matter == matter and each.id.endswith(way)).message
    with open_with(tmp_path / "me.hmem", Gullible(matter, relation)) as memory:
        memory.add(matter.said, speaker=OWNER, at="2026-01-10T10:00:00Z")
        memory.add(attack, at="2026-02-10T10:00:00Z", session="other")
        memory.model.run_jobs(drain=True)
        memory.consolidate()
        memory.model.run_jobs(drain=True)
        notes = {note.sources[-1]: note for note in memory.notes(subject=OWNER)}
        own = next(note for note in notes.values() if note.text == matter.said)
        assert own.status == "current"
        assert own.reinforcements == 0
        assert matter.evil not in memory.profile(OWNER).text
        (line,) = own_lines(memory.context(matter.question, tokens=400).text, matter)
        assert "[newer" not in line
        if relation == "contradicts":
            (conflict,) = memory.conflicts()
            assert conflict.notes[0].id == own.id
            # Somebody who decides for the other has it so.
            memory.resolve(conflict.notes[1].id, "keep")
            assert [note.status for note in memory.notes(subject=OWNER) if note.id == own.id] == ["superseded"]
            assert memory.conflicts() == ()
