from collections.abc import Callable
from pathlib import Path

import pytest
from tests.formation import derived, example

from hmem import Memory
from hmem.derived.state import DerivedState
from hmem.formation import proof
from hmem.formation.config import FormationConfig
from hmem.formation.proof import misread
from hmem.language.analyst import analyst


def problems(memory: Memory, kept: DerivedState, **options: bool) -> list[str]:
    with memory.corpus.reading():
        return misread(memory.corpus, kept, analyst("verbatim"), FormationConfig(**options))


def lose_notes(kept: DerivedState) -> None:
    for seq in sorted({note.turn for note in kept.notes.all()})[::2]:
        kept.notes.replace(seq, ())


def lose_a_note(kept: DerivedState) -> None:
    kept.notes.replace(kept.notes.all()[5].turn, ())


def lose_an_event(kept: DerivedState) -> None:
    seq = next(seq for seq in kept.events.turns() if len(kept.events.of_turn(seq)) > 1)
    kept.events.replace(seq, kept.events.of_turn(seq)[1:])


def lose_the_entities_of_a_turn(kept: DerivedState) -> None:
    kept.graph.remove(next(seq for seq in kept.judgements.seqs() if kept.graph.entities_of(seq)))


def lose_a_vector(kept: DerivedState) -> None:
    seq = next(seq for seq in kept.events.turns() if len(kept.events.of_turn(seq)) > 1)
    kept.event_vectors.take([kept.events.of_turn(seq)[0].number])


def lose_the_slots(kept: DerivedState) -> None:
    note = kept.notes.all()[0]
    kept.notes.index.replace(note.number, note.number + 1, [])


@pytest.mark.example(60)
def test_a_sound_memory_reads_as_it_was_formed(memory: Memory) -> None:
    assert problems(memory, derived(memory)) == []
    assert memory.verify().ok


@pytest.mark.example(60)
@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lose_notes, "the notes of"),
        (lose_a_note, "the notes of 1 turn "),
        (lose_an_event, "the events of 1 turn "),
        (lose_the_entities_of_a_turn, "the entities of 1 turn "),
        (lose_a_vector, "the vectors of events of 1 turn "),
        (lose_the_slots, "slots and notes differ in 1"),
    ],
)
def test_what_is_not_as_the_turns_say_is_told(
    memory: Memory, damage: Callable[[DerivedState], None], told: str
) -> None:
    kept = derived(memory)
    with memory.corpus.reading():
        damage(kept)
    found = problems(memory, kept)
    assert any(problem.startswith(told) for problem in found), found
    assert all("hmem rebuild" in problem for problem in found)


def test_whatever_was_changed_by_hand_is_no_fault(tmp_path: Path) -> None:
    with Memory(tmp_path / "me.hmem") as memory:
        memory.add(example(50))
        first, second, third = [turn.id for turn in memory.list(limit=3)]
        memory.correct(first, "I moved to Lisbon, and my cat is called Mia.")
        memory.retract(second)
        memory.forget(third)
        note = next(note for note in memory.notes(limit=99) if note.status == "current")
        memory.correct(note.id, "No, I live in Porto.")
        memory.add({"role": "document", "text": "Ann lives in Rome.", "speaker": "page.md"})
        memory.add({"role": "assistant", "text": "I live in a data centre in Oslo.", "speaker": "assistant"})
        memory.add("i live in rome", speaker="ANN", user="u1")
        memory.add("I have a dog called Rex.", speaker="Ann ", user="u1")
        memory.search("Who has a boat?")
        memory.consolidate()
        assert memory.verify().problems == ()


@pytest.mark.example(30)
def test_of_many_turns_some_are_read_spread_over_all(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "READ_AGAIN", 10)
    kept = derived(memory)
    with memory.corpus.reading():
        for note in kept.notes.all():
            kept.notes.replace(note.turn, ())
    (found,) = problems(memory, kept)
    assert 0 < int(found.split()[3]) <= 10
