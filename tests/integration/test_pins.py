"""What is pinned stands first in every context, within a share of its budget."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hmem import Memory
from hmem.errors import InvalidQuery, UnknownId

STORY = [
    {"text": "I adopted a puppy named Coco", "speaker": "Maria", "at": "2023-08-11T10:00:00Z", "session": "s1"},
    {"text": "My favorite food is sushi", "speaker": "Maria", "at": "2023-09-02T18:00:00Z", "session": "s2"},
    {"text": "I live in Porto. I work as a baker.", "speaker": "Ben", "at": "2023-09-02T18:02:00Z", "session": "s2"},
    *(
        {"text": f"I painted fence number {number} in Porto", "speaker": "Ben", "session": f"f{number}",
         "at": f"2023-10-{number + 1:02}T08:00:00Z"}
        for number in range(20)
    ),
]  # fmt: skip
QUESTION = "Which fences did Ben paint?"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "a.hmem") as made:
        made.add(STORY)
        yield made


def turn(memory: Memory, text: str) -> str:
    return next(each.id for each in memory.list() if text in each.text)


def test_a_context_begins_with_what_is_pinned_whatever_is_asked(memory: Memory) -> None:
    food = turn(memory, "sushi")
    before = memory.context(QUESTION, 120)
    assert food not in before.citations.values()
    memory.pin(food)
    made = memory.context(QUESTION, 120)
    assert made.text.splitlines()[1:3] == ["Pinned:", "1 Maria: My favorite food is sushi (Sat 2 Sep 2023)"]
    assert made.citations["1"] == made.evidence[0].id == food
    assert made.tokens <= 120
    assert made.lacking == ()
    assert made.text.count("sushi") == 1


def test_without_a_pin_a_context_is_what_it_was(memory: Memory) -> None:
    before = memory.context(QUESTION, 200)
    memory.unpin(memory.pin(turn(memory, "sushi")).target)
    assert memory.context(QUESTION, 200) == before


def test_notes_and_events_can_be_pinned(memory: Memory) -> None:
    (note,) = (each for each in memory.notes(subject="Maria") if "Coco" in each.text)
    (event,) = (each for each in memory.events() if "Coco" in each.text)
    assert memory.pin(note.id).after == note.text
    memory.pin(event.id)
    made = memory.context(QUESTION, 400)
    assert list(made.citations.values())[:2] == [event.id, note.id]


def test_what_is_pinned_stays_beside_the_turn_that_states_it(memory: Memory) -> None:
    (event,) = (each for each in memory.events() if "Coco" in each.text)
    memory.pin(event.id)
    assert {event.id, turn(memory, "Coco")} <= set(memory.context("Who is Coco?", 400).citations.values())


def test_a_note_that_was_retracted_is_not_carried(memory: Memory) -> None:
    (note,) = (each for each in memory.notes(subject="Maria") if "Coco" in each.text)
    memory.pin(note.id)
    memory.retract(note.id)
    assert note.id not in memory.context(QUESTION, 400).citations.values()


def test_pins_take_a_share_of_the_budget_and_what_has_no_room_is_told(memory: Memory) -> None:
    ids = [each.id for each in memory.list()[3:13]]
    for each in ids:
        memory.pin(each)
    made = memory.context("What is the favorite food?", 160)
    pinned = made.text.partition("Pinned:")[2].partition("\n2023")[0]
    assert 1 <= len(pinned.strip().splitlines()) < 4
    assert "sushi" in made.text
    assert set(made.lacking) == set(ids) - set(made.citations.values())
    assert made.lacking


def test_the_share_is_a_setting(tmp_path: Path) -> None:
    with Memory(tmp_path / "b.hmem", settings={"context.pinned": 0.0}) as memory:
        memory.add(STORY)
        food = turn(memory, "sushi")
        memory.pin(food)
        assert memory.context(QUESTION, 120).lacking == (food,)


def test_a_pin_is_a_change_that_is_told_and_taken_back(memory: Memory) -> None:
    food = turn(memory, "sushi")
    made = memory.pin(food, why="a rule", by="Maria")
    assert (made.verb, made.target, made.why, made.by) == ("pin", food, "a rule", "Maria")
    assert memory.pins() == (made,)
    memory.undo(made.id)
    assert memory.pins() == ()
    again = memory.pin(food)
    assert memory.unpin(food).link == again.id
    assert [each.verb for each in memory.history(food)] == ["pin", "undo", "pin", "undo"]


def test_a_pin_is_kept_with_the_memory(tmp_path: Path) -> None:
    with Memory(tmp_path / "b.hmem") as memory:
        memory.add(STORY)
        food = turn(memory, "sushi")
        memory.pin(food)
    with Memory(tmp_path / "b.hmem") as memory:
        assert [each.target for each in memory.pins()] == [food]
        assert food in memory.context(QUESTION, 120).citations.values()


def test_with_what_is_forgotten_its_pin_goes(memory: Memory) -> None:
    (event,) = (each for each in memory.events() if "Coco" in each.text)
    for each in (turn(memory, "Coco"), event.id, turn(memory, "sushi")):
        memory.pin(each)
    gone = memory.forget(turn(memory, "Coco"))
    assert [each.target for each in memory.pins()] == [turn(memory, "sushi")]
    made = memory.context(QUESTION, 400)
    assert made.lacking == ()
    assert "Coco" not in made.text
    assert memory.verify(gone.words)


def test_what_is_withdrawn_or_does_not_meet_the_conditions_is_not_carried(memory: Memory) -> None:
    food = turn(memory, "sushi")
    memory.pin(food)
    assert food not in memory.context(QUESTION, 200, speaker="Ben").citations.values()
    retracted = memory.retract(food)
    assert "sushi" not in memory.context(QUESTION, 200).text
    memory.undo(retracted.id)
    assert food in memory.context(QUESTION, 200).citations.values()
    assert food not in memory.as_of("2023-08-20").context("Who is Coco?", 200).citations.values()


def test_what_cannot_be_pinned_is_refused(memory: Memory) -> None:
    food = turn(memory, "sushi")
    with pytest.raises(InvalidQuery):
        memory.unpin(food)
    memory.pin(food)
    for wrong, error in ((food, InvalidQuery), ("s1", InvalidQuery), (food[:-5] + "00000", UnknownId)):
        with pytest.raises(error):
            memory.pin(wrong)
    coco = turn(memory, "Coco")
    memory.retract(coco)
    with pytest.raises(InvalidQuery):
        memory.pin(coco)
