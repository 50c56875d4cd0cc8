"""Which of the notes that contradict each other holds, and by which rule that is settled."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from hmem import Memory
from hmem.errors import InvalidQuery, UnknownId

TOLD = [
    ("I live in Porto.", "2024-01-05"),
    ("I live in Lisbon now.", "2024-03-12"),
    ("I live in Rome now.", "2024-05-12"),
]


def tell(memory: Memory, *places: int) -> None:
    for text, day in (TOLD[place] for place in places):
        memory.add(text, speaker="Maria", at=f"{day}T10:00:00Z", session=day)


@pytest.fixture
def asking(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "a.hmem", settings={"reconcile.rules": "home=ask"}) as memory:
        tell(memory, 0, 1)
        yield memory


def statuses(memory: Any) -> list[str]:
    return [note.status for note in memory.notes(subject="Maria", slot="home")]


def ids(memory: Memory) -> list[str]:
    return [note.id for note in memory.notes(subject="Maria", slot="home")]


def test_a_conflict_is_listed_until_somebody_decides(asking: Memory) -> None:
    conflict = asking.conflicts()[0]
    assert (conflict.subject, conflict.slot, [note.value for note in conflict.notes]) == (
        "Maria", "home", ["Porto", "Lisbon"],
    )  # fmt: skip
    change = asking.resolve(conflict.notes[0].id, "keep", why="only a visit", by="Maria")
    assert (change.verb, change.before, change.after, change.why, change.by) == (
        "resolve", None, "keep", "only a visit", "Maria",
    )  # fmt: skip
    assert asking.conflicts() == ()
    assert statuses(asking) == ["current", "superseded"]
    assert asking.ask("Where does Maria live?").value == "Porto"
    assert "Porto" in str(asking.persona("Maria"))


def test_what_is_retired_is_recalled_no_more(asking: Memory) -> None:
    asking.resolve(ids(asking)[0], "retire")
    assert statuses(asking) == ["retracted", "current"]
    assert asking.conflicts() == ()
    found = asking.search("Where does Maria live?", kinds=("note",))
    assert [item.text for item in found] == ["I live in Lisbon now."]


def test_both_may_be_kept(asking: Memory) -> None:
    for note in ids(asking):
        asking.resolve(note, "keep")
    assert statuses(asking) == ["current", "current"]


def test_what_is_told_after_a_decision_is_asked_again(asking: Memory) -> None:
    asking.resolve(ids(asking)[0], "keep")
    tell(asking, 2)
    assert statuses(asking) == ["contested", "superseded", "contested"]
    assert [note.value for note in asking.conflicts()[0].notes] == ["Porto", "Rome"]
    asking.resolve(ids(asking)[0], "keep")
    assert statuses(asking) == ["current", "superseded", "superseded"]


def test_undoing_a_decision_asks_again(asking: Memory) -> None:
    change = asking.resolve(ids(asking)[1], "keep")
    assert statuses(asking) == ["superseded", "current"]
    undoing = asking.undo(change.id)
    assert statuses(asking) == ["contested", "contested"]
    asking.undo(undoing.id)
    assert statuses(asking) == ["superseded", "current"]


def test_a_rule_settles_what_is_there_and_is_taken_back() -> None:
    with Memory(":memory:") as memory:
        tell(memory, 0, 1)
        assert memory.conflict_rules() == {"*": "newest"}
        assert statuses(memory) == ["superseded", "current"]
        change = memory.edit.set_conflict_rule("home", "first")
        assert statuses(memory) == ["current", "superseded"]
        assert "Porto" in str(memory.persona("Maria"))
        memory.edit.set_conflict_rule("Maria:home", "ask")
        assert statuses(memory) == ["contested", "contested"]
        assert memory.conflict_rules() == {"home": "first", "Maria:home": "ask", "*": "newest"}
        memory.undo(memory.history("Maria:home")[0].id)
        memory.undo(change.id)
        assert statuses(memory) == ["superseded", "current"]
        assert "Lisbon" in str(memory.persona("Maria"))


def test_decisions_count_from_when_they_were_made(asking: Memory) -> None:
    change = asking.resolve(ids(asking)[0], "keep")
    before = asking.as_of("2024-04-01")
    assert [len(each.notes) for each in before.conflicts()] == [2]
    assert statuses(before) == ["contested", "contested"]
    assert statuses(asking.as_of(change.at)) == ["current", "superseded"]


def test_a_decision_outlives_what_it_was_made_against(asking: Memory, tmp_path: Path) -> None:
    tell(asking, 2)
    porto, lisbon, _ = ids(asking)
    asking.resolve(lisbon, "retire")
    asking.resolve(porto, "keep")
    asking.forget(asking.notes(slot="home")[2].sources[-1])
    assert statuses(asking) == ["current", "retracted"]
    asking.close()
    with Memory(tmp_path / "a.hmem") as memory:
        assert statuses(memory) == ["current", "retracted"]
        memory.rebuild()
        assert statuses(memory) == ["current", "retracted"]


def test_what_cannot_be_decided_is_refused(asking: Memory) -> None:
    note = ids(asking)[0]
    with pytest.raises(UnknownId):
        asking.resolve("note_00000000000000000000000000", "keep")
    with pytest.raises(InvalidQuery, match="keep, retire"):
        asking.resolve(note, cast("Any", "drop"))
    asking.resolve(note, "keep")
    with pytest.raises(InvalidQuery, match="already"):
        asking.resolve(note, "keep")
    asking.retract(ids(asking)[1])
    with pytest.raises(InvalidQuery, match="retracted before"):
        asking.resolve(asking.history()[-1].target, "keep")
    for slot, rule in (("home", "loudest"), ("", "newest"), ("Maria:", "newest"), ("*", "newest")):
        with pytest.raises(InvalidQuery):
            asking.edit.set_conflict_rule(slot, cast("Any", rule))
    with pytest.raises(InvalidQuery, match="already"):
        asking.edit.set_conflict_rule("home", "ask")
