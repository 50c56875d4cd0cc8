from pathlib import Path

from hmem import Memory
from hmem.evolution.learn import MissingNotes
from hmem.storage.base import LogEntry

ASKED = "What does Maria love doing?"


def told(memory: Memory) -> None:
    reply = {"text": "Such a long dinner with Anna and her brother!", "role": "assistant", "speaker": "Tom"}
    memory.add({**reply, "at": "2024-01-05T10:00:00Z", "session": "a"})
    memory.add("I love hiking.", speaker="Maria", at="2024-01-05T10:01:00Z", session="a")


def test_what_a_recall_found_in_episodes_becomes_a_note_at_the_next_consolidation(path: Path) -> None:
    with Memory(path, recipe="notes-episodes") as memory:
        told(memory)
        assert memory.notes() == ()
        memory.search(ASKED)
        assert memory.history() == ()
    with Memory(path, recipe="notes-episodes") as memory:
        assert {change.verb for change in memory.history()} == {"learn"}
        memory.consolidate()
        assert [note.text for note in memory.notes()] == ["I love hiking."]
        assert [item.text for item in memory.search(ASKED, kinds=("note",))] == ["I love hiking."]
        assert memory.verify()


def test_nothing_is_learnt_from_a_document() -> None:
    with Memory(":memory:", recipe="notes-episodes") as memory:
        memory.add({"text": "I love hiking.", "speaker": "Maria", "role": "document", "session": "document:Maria"})
        assert memory.search(ASKED)
        memory.consolidate()
        assert (memory.notes(), memory.history()) == ((), ())


def test_a_turn_is_learnt_once() -> None:
    with Memory(":memory:", recipe="notes-episodes") as memory:
        told(memory)
        for _ in range(3):
            memory.search(ASKED)
            memory.consolidate()
        assert len(memory.notes()) == 1
        targets = [change.target for change in memory.history()]
        assert len(targets) == len(set(targets)) > 0


def test_a_rebuilt_memory_learns_again() -> None:
    with Memory(":memory:", recipe="notes-episodes") as memory:
        told(memory)
        memory.search(ASKED)
        memory.consolidate()
        memory.rebuild()
        assert memory.notes() == ()
        memory.consolidate()
        assert len(memory.notes()) == 1


def test_what_was_learnt_goes_when_that_is_taken_back_and_is_learnt_again_when_it_is_not() -> None:
    with Memory(":memory:", recipe="notes-episodes") as memory:
        told(memory)
        memory.search(ASKED)
        memory.consolidate()
        assert len(memory.notes()) == 1
        undone = [memory.undo(change.id) for change in memory.history()]
        assert memory.notes() == ()
        memory.consolidate()
        assert memory.notes() == ()
        for change in undone:
            memory.undo(change.id)
        memory.consolidate()
        assert len(memory.notes()) == 1


def test_what_corrects_a_note_is_learnt_nothing_else_from() -> None:
    with Memory(":memory:") as memory:
        memory.add("I live in Lisbon.", speaker="Maria", at="2024-01-05T10:00:00Z", session="a")
        made = memory.correct(memory.notes()[0].id, "I live in Porto, and I love hiking.").link
        memory.corpus.storage.record([LogEntry(0, "recall", "learn", made or "", key="learn")])
        memory.consolidate()
        assert [(note.slot, note.value) for note in memory.notes()] == [("home", "Porto")]


def test_learning_can_be_left_out() -> None:
    with Memory(":memory:", recipe="notes-episodes", settings={"reconcile.learn": "false"}) as memory:
        told(memory)
        memory.search(ASKED)
        memory.consolidate()
        assert memory.notes() == memory.history() == ()


def test_what_is_remembered_is_bounded_and_what_cannot_be_written_is_kept_for_later() -> None:
    missing_notes = MissingNotes()
    memory = Memory(":memory:")
    told(memory)
    missing_notes.notice("hiking", [2])
    memory.close()
    missing_notes.write(memory.corpus)
    with Memory(":memory:") as other:
        told(other)
        missing_notes.notice("topics", range(1, 1_000))
        missing_notes.write(other.corpus)
        assert len(other.history()) <= 2


def test_a_consolidation_without_time_leaves_what_is_to_be_learnt_for_the_next() -> None:
    with Memory(":memory:", recipe="notes-episodes") as memory:
        told(memory)
        memory.consolidate()
        memory.search(ASKED)
        assert not memory.consolidate(budget=0).complete
        assert memory.notes() == ()
        assert memory.consolidate().complete
        assert len(memory.notes()) == 1
