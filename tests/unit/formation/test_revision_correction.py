"""A turn that corrects a note is about what that note was about, whatever is formed before and beside it."""

from tests.formation import formation

from hmem import Memory
from hmem.storage.base import LogEntry

LISBON = "I live in Lisbon."
ELSEWHERE = "Porto is a nice place."


def slots(memory: Memory) -> list[tuple[str, str, str]]:
    return [(note.subject, note.slot, note.text) for note in memory.notes()]


def at_home(memory: Memory, text: str) -> str:
    """Add a turn that tells where Maria lives; the id of its note."""
    receipt = memory.add(text, speaker="Maria", at="2023-08-12T10:00:00Z", session="s2")
    return next(note.id for note in memory.notes() if receipt.id in note.sources)


def correction_of(memory: Memory, text: str) -> str:
    return next(note.id for note in memory.notes() if note.text == text)


def test_a_correction_formed_in_one_batch_with_its_note_keeps_the_slot(memory: Memory) -> None:
    memory.correct(at_home(memory, LISBON), ELSEWHERE)
    before = slots(memory)
    assert before == [("Maria", "home", ELSEWHERE)]
    memory.rebuild()
    assert slots(memory) == before


def test_a_correction_keeps_the_slot_when_the_turn_beneath_is_retracted(memory: Memory) -> None:
    note = at_home(memory, LISBON)
    memory.correct(note, ELSEWHERE)
    memory.retract(memory.list()[0].id)
    before = slots(memory)
    memory.rebuild()
    assert slots(memory) == before == [("Maria", "home", ELSEWHERE)]


def test_what_corrects_a_correction_goes_with_what_is_forgotten_beneath_both(memory: Memory) -> None:
    memory.correct(at_home(memory, LISBON), ELSEWHERE)
    memory.correct(correction_of(memory, ELSEWHERE), "I adopted a puppy named Coco.")
    memory.forget(memory.list()[0].id)
    before = slots(memory)
    assert "home" not in str(before)
    memory.rebuild()
    assert slots(memory) == before


def test_a_correction_that_is_about_the_right_thing_is_not_formed_again(memory: Memory) -> None:
    memory.correct(at_home(memory, LISBON), ELSEWHERE)
    assert formation(memory).correct_again() == 0
    memory.forget(memory.list()[0].id)
    assert formation(memory).correct_again() == 0


def test_a_correction_of_a_learnt_note_keeps_the_slot_when_the_note_is_learnt_again() -> None:
    with Memory(":memory:", recipe="notes-episodes") as memory:
        memory.add(
            {"text": "Wow, such a long dinner!", "speaker": "Tom", "role": "assistant"},
            at="2024-01-05T10:00:00Z", session="a",
        )  # fmt: skip
        memory.add("I love hiking.", speaker="Maria", at="2024-01-05T10:01:00Z", session="a")
        hiking = memory.list()[1].id
        memory.corpus.storage.record([LogEntry(0, "recall", "learn", hiking, key=f"learn {hiking}")])
        memory.consolidate()
        memory.correct(correction_of(memory, "I love hiking."), "Cats are nice.")
        before = slots(memory)
        assert before == [("Maria", "thread", "Cats are nice.")]
        memory.rebuild()
        assert slots(memory) != before
        memory.consolidate()
        assert slots(memory) == before
        assert memory.verify()
