"""Out of a memory and into another one: the same turns, and the same decisions."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem import Memory, Note
from hmem.derived.chunks import turn_of
from hmem.errors import InputError, InvalidFile
from hmem.interfaces.bundle import Restoring, lines, looks_like
from hmem.model.ids import number_of

BY_ITSELF = ("renew", "revise")
TOLD = (
    "I live in Porto", "I moved to Lisbon", "I work as a baker", "My sister is called Inês", "I like tea",
    "I hate rain", "The oven broke", "I adopted a puppy named Coco", "I live in Faro now", "We painted the fence green",
)  # fmt: skip


def through_json(memory: Memory, *, derived: bool = True) -> list[Any]:
    return [json.loads(json.dumps(line)) for line in lines(memory, derived=derived)]


def restored(into: Memory, held: list[Any], size: int = 3) -> list[str | None]:
    restoring = Restoring(into)
    receipts = [each for start in range(0, len(held), size) for each in restoring.take(held[start : start + size])]
    return [None if receipt is None else receipt.fate for receipt in receipts]


def said(memory: Memory) -> list[Any]:
    return memory.list(limit=10_000)


def decided(memory: Memory) -> list[Any]:
    """The changes that people made, without the numbers in their ids."""
    changes = [change for change in memory.history() if change.verb not in BY_ITSELF]
    place = {change.id: i for i, change in enumerate(changes)}

    def named(id: str | None) -> Any:
        if id is None or not id.startswith(("note_", "change_")):
            return id
        if id.startswith("change_"):
            return place.get(id)
        held = note_of(memory, id)
        return held and (held.text, held.status)

    return [
        (
            each.at,
            each.by,
            each.verb,
            named(each.target),
            each.why,
            each.before,
            each.after,
            named(each.link),
            each.undone,
        )
        for each in changes
    ]


def logged(held: list[Any]) -> list[Any]:
    """Every entry of the log in an export, without what an import gives anew: its number, its key, ids of notes."""
    numbers = [line["number"] for line in held if line["type"] == "change"]
    turns = {line["number"]: line["id"] for line in held if line["type"] == "turn"}

    def named(id: str | None) -> Any:
        for kind in ("note", "event"):
            if (found := number_of(kind, id or "")) is not None:
                return turns.get(turn_of(found[1])), found[1] % 64
        if (found := number_of("change", id or "")) is not None:
            return numbers.index(found[1])
        return id

    return [
        {**line, "number": 0, "key": None, "target": named(line["target"]), "link": named(line.get("link"))}
        for line in held
        if line["type"] == "change"
    ]


def note_of(memory: Memory, id: str) -> Note | None:
    try:
        held = memory.get(id)
    except InputError:
        return None
    return held if isinstance(held, Note) else None


def known(memory: Memory) -> Any:
    notes = [(note.subject, note.slot, note.text, note.status, note.recorded) for note in memory.notes(limit=10_000)]
    # Who spoke first may be forgotten; an import numbers people by what is left.
    return notes, sorted((each.speaker, each.text, each.traits) for each in memory.personas())


def found(memory: Memory) -> Any:
    """What is found, without its order: where turns were forgotten, scores differ a little from those without them."""
    return [{item.id for item in memory.search(text, 20)} for text in ("Porto or Lisbon", "tea")]


def act(memory: Memory, step: tuple[str, int, int]) -> None:  # noqa: C901 - a case for each thing that people do
    """Do something to a memory; what it refuses is not done."""
    what, one, other = step
    turns, notes = said(memory), memory.notes(limit=1_000)
    changes = [change for change in memory.history() if change.verb not in BY_ITSELF]

    def pick(held: Any) -> str:
        return held[one % len(held)].id if held else "nothing"

    try:
        match what:
            case "add":
                memory.add(
                    TOLD[one], speaker=("Ana", "Ben")[other % 2], session=f"s{other % 3}",
                    message_id=f"m{one}" if other % 3 else None, metadata={"n": other} if other % 5 == 0 else None,
                    ttl="30000d" if other % 7 == 0 else None, at=datetime(2026, 1, 1 + other, tzinfo=UTC),
                    user=("alice", None)[one % 2] if other % 4 == 0 else None,
                )  # fmt: skip
            case "correct":
                memory.correct(pick((turns, notes)[other % 2]), TOLD[other], why="wrong", by="Eve")
            case "retract":
                memory.retract(pick((turns, notes)[other % 2]), why="no")
            case "feedback":
                memory.feedback(pick((turns, notes)[other % 2]), ("approve", "reject", 1.5)[other % 3])
            case "persona":
                memory.edit.persona(("Ana", "Ben")[one % 2], text=TOLD[other])
            case "undo":
                memory.undo(pick((changes, memory.history())[other % 2]))
            case "rule":
                memory.edit.set_conflict_rule(
                    ("home", "likes", "job")[one % 3], ("first", "most-frequent", "ask")[other % 3]
                )
            case "resolve":
                memory.resolve(pick(notes), "keep")
            case "pin":
                (memory.pin, memory.unpin)[other % 2](pick((turns, notes)[one % 2]))
            case "join":
                entities = memory.graph().entities
                memory.edit.merge_entities(
                    pick(entities), entities[other % len(entities)].id if entities else "nothing"
                )
            case "retain":
                memory.retain(30_000 + other)
            case "consolidate":
                memory.consolidate()
            case _:
                memory.forget(pick(turns))
    except InputError:
        return


STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["add", "add", "add", "add", "correct", "retract", "feedback", "persona", "undo", "forget", "rule",
             "resolve", "pin", "join", "retain", "consolidate"]
        ), st.integers(0, 9), st.integers(0, 9),
    ),
    min_size=1, max_size=14,
)  # fmt: skip


@given(STEPS)
def test_whatever_was_said_and_decided_another_memory_made_of_it_says_the_same(
    steps: list[tuple[str, int, int]],
) -> None:
    with Memory(":memory:") as memory, Memory(":memory:") as other:
        for step in steps:
            act(memory, step)
        held = through_json(memory)
        restored(other, held)
        assert logged(through_json(other))[: len(logged(held))] == logged(held)
        # Both are formed at once then, of the same turns and decisions.
        memory.rebuild()
        assert said(other) == said(memory)
        assert decided(other) == decided(memory)
        assert known(other) == known(memory)
        assert found(other) == found(memory)
        again = restored(other, held)
        assert "stored" not in again
        assert "rejected" not in again
        assert said(other) == said(memory)
        third = through_json(other, derived=False)
        assert [line["type"] for line in third if line.get("verb") not in BY_ITSELF] == [
            line["type"] for line in through_json(memory, derived=False) if line.get("verb") not in BY_ITSELF
        ]


def test_a_turn_comes_back_with_all_its_fields(tmp_path: Path, memory: Memory) -> None:
    memory.add(
        {"text": "Look \U0001f600", "caption": "a red boat", "attachments": ["a.png"], "role": "user", "speaker": "Ana",
         "user": "u", "agent": "g", "metadata": {"deep": [1, {"x": None}]}, "message_id": "m1",
         "at": "2026-03-01T10:00:00.123456+05:30", "expires": "2999-01-01T00:00:00Z", "session": "s"}
    )  # fmt: skip
    memory.search("boat")
    memory.add("A red boat, a red boat with sails is what you said: Look", speaker="assistant")
    with Memory(tmp_path / "other.hmem") as other:
        restored(other, through_json(memory))
        assert said(other) == said(memory)


def test_what_is_there_already_is_kept_and_the_rest_is_added(tmp_path: Path, memory: Memory) -> None:
    memory.add("I live in Porto", speaker="Ana", message_id="m1")
    wrong = memory.add("I live in Faro", speaker="Ana")
    assert wrong.id is not None
    memory.retract(wrong.id)
    with Memory(tmp_path / "other.hmem") as other:
        mine = other.add("I live in Porto", speaker="Ana", message_id="m1")
        other.add("Mine", speaker="Ben")
        assert restored(other, through_json(memory))[:3] == [None, "duplicate", "stored"]
        assert [turn.text for turn in said(other)] == ["I live in Porto", "Mine", "I live in Faro"]
        assert said(other)[0].id == mine.id
        assert "Faro" not in str([item.text for item in other.search("Where does Ana live?")])


def test_for_how_long_turns_are_kept_comes_along_into_a_new_memory(tmp_path: Path, memory: Memory) -> None:
    memory.add("Hello")
    memory.retain(10_000)
    with Memory(tmp_path / "other.hmem") as other:
        restored(other, through_json(memory))
        assert other.stats().retain_days == 10_000


def test_the_first_line_says_what_it_is_and_what_was_formed_is_told_with_its_sources(memory: Memory) -> None:
    memory.add("I live in Porto", speaker="Ana")
    held = through_json(memory)
    assert looks_like(held[0])
    assert (held[0]["version"], held[0]["turns"]) == (1, 1)
    assert {line["type"] for line in held} >= {"turn", "event", "note"}
    note = next(line for line in held if line["type"] == "note")
    assert note["sources"] == [held[1]["id"]]
    assert {line["type"] for line in through_json(memory, derived=False)} <= {"hmem-export", "turn", "change"}


@pytest.mark.parametrize(
    "broken",
    [
        None, 3, [], {}, {"type": 3}, {"type": "turn"}, {"type": "turn", "text": "x"},
        {"type": "turn", "text": "x", "id": "a"}, {"type": "change"},
        {"type": "turn", "text": "", "id": "turn_01M7Z6S4HYW8Y3WEBA0ZRPA40G"},
        {"type": "turn", "text": "x", "at": "never", "id": "turn_01M7Z6S4HYW8Y3WEBA0ZRPA40G"},
        {"type": "change", "number": 1, "by": "a", "verb": "explode", "target": "x", "at": "2026-01-01"},
        {"type": "change", "number": 1, "by": "a", "verb": "retract", "target": "x", "at": "never"},
        {"type": "change", "number": 1, "by": "a", "verb": "retract", "target": "x", "at": "2026-01-01", "why": 3},
    ],
)  # fmt: skip
def test_a_broken_line_is_told_of_and_the_rest_is_kept(memory: Memory, broken: Any) -> None:
    good = {
        "type": "turn",
        "text": "Hello",
        "id": "turn_01M7Z6S4HYW8Y3WEBA0ZRPA40K",
        "echoes": [[0, 99, "x"], "y", None],
    }
    assert restored(memory, [broken, good]) == ["rejected", "stored"]
    assert [turn.text for turn in said(memory)] == ["Hello"]


def test_an_export_of_a_newer_hmem_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidFile, match="newer"):
        restored(memory, [{"type": "hmem-export", "version": 2}])
