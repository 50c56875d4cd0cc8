from collections.abc import Iterator

import pytest
from tests.formation import example

from hmem import Memory


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as memory:
        yield memory


def tell(memory: Memory, *texts: str, speaker: str = "Ann", user: str | None = None, month: int = 1) -> None:
    for day, text in enumerate(texts, 1):
        memory.add(text, speaker=speaker, user=user, at=f"2024-{month:02}-{day:02}", session=f"{speaker}{month}")


def test_an_overview_has_the_people_who_said_most_with_their_profiles(memory: Memory) -> None:
    tell(memory, "I live in Porto.", "I love swimming in the sea.", "I am allergic to nuts.")
    tell(memory, "I work as a carpenter.", speaker="Ben")
    memory.add({"role": "assistant", "content": "You live in Paris, as you said. Your name is Ann."})
    overview = memory.overview()
    assert [(brief.person, brief.turns) for brief in overview.people] == [("Ann", 3), ("Ben", 1)]
    assert overview.speakers == 3
    assert [line.value for line in overview.people[0].lines if line.slot == "home"] == ["Porto"]
    assert all(line.turn_id is not None for brief in overview.people for line in brief.lines)


def test_what_came_since_a_look_is_new_and_nothing_else(memory: Memory) -> None:
    tell(memory, "I live in Porto.", "My sister Mia sings.")
    look = memory.overview()
    assert look.turns == 2
    assert memory.overview(seen=look.newest).turns == 0
    assert memory.overview(seen=look.newest).latest == memory.overview(seen=look.newest).notes == ()
    tell(memory, "I adopted a kitten named Coco.", "I am allergic to nuts.", month=2)
    later = memory.overview(seen=look.newest)
    assert [turn.text for turn in later.latest] == ["I am allergic to nuts.", "I adopted a kitten named Coco."]
    assert later.turns == 2
    assert {note.recorded.month for note in later.notes} == {2}
    assert [entity.name for entity in later.entities] == ["Coco"]
    assert memory.overview(seen=look.newest, limit=1).latest == later.latest[:1]


def test_a_replaced_note_stands_beside_the_one_that_holds_now(memory: Memory) -> None:
    tell(memory, "I live in Porto.")
    assert memory.overview().replacements == ()
    tell(memory, "I live in Lisbon.", month=3)
    (replacement,) = memory.overview().replacements
    assert (replacement.older.value, replacement.newer.value) == ("Porto", "Lisbon")
    assert (replacement.older.status, replacement.newer.status) == ("superseded", "current")
    memory.retract(replacement.newer.id)
    assert memory.overview().replacements == ()


def test_an_overview_for_a_user_shows_nothing_of_others(memory: Memory) -> None:
    tell(memory, "I live in Porto.", user="ann")
    tell(memory, "I live in Oslo.", speaker="Ben", user="ben")
    tell(memory, "I live in Rome.", speaker="Ben", user="ben", month=2)
    overview = memory.overview(user="ann")
    assert [(brief.person, brief.user) for brief in overview.people] == [("Ann", "ann")]
    assert overview.turns == 1
    assert overview.replacements == ()
    assert [note.value for note in overview.notes] == ["Porto"]
    assert len(memory.overview().people) == 2


def test_an_overview_of_nothing_is_empty_and_one_of_much_is_short(memory: Memory) -> None:
    empty = memory.overview()
    assert (empty.newest, empty.turns, empty.people, empty.notes) == (0, 0, (), ())
    memory.add(example(120))
    overview = memory.overview(limit=4)
    assert overview.turns == 120
    assert len(overview.latest) == len(overview.notes) == 4
    assert list(overview.notes) == sorted(overview.notes, key=lambda note: note.recorded, reverse=True)
