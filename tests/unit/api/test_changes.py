"""Correct, retract, undo: what was said stays, what is recalled is right, and everything can be taken back."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hmem import Memory
from hmem.errors import HmemError, InvalidQuery, InvalidTime, InvalidTurn, UnknownId

PUPPY = "I adopted a puppy named Coco."
LISBON = "I live in Lisbon."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "a.hmem") as opened:
        opened.add(PUPPY, speaker="Maria", at="2023-08-11T10:00:00Z", session="s1", message_id="m1")
        opened.add("Lovely!", speaker="Tom", at="2023-08-11T10:01:00Z", session="s1")
        opened.add(LISBON, speaker="Maria", at="2023-08-12T10:00:00Z", session="s2")
        yield opened


def ids(memory: Memory) -> dict[str, str]:
    return {turn.text: turn.id for turn in memory.list()}


def shown(memory: Memory) -> list[Any]:
    """What a user sees, without the times and numbers of writing."""
    return [
        [item.text for item in memory.search("What about the puppy and Lisbon?", 9)],
        sorted(note.text for note in memory.notes()),
        sorted(event.text for event in memory.events()),
        [persona.text for persona in memory.personas()],
        sorted(entity.name for entity in memory.graph().entities),
        [branch.node.size for branch in memory.tree("calendar", summaries=True).children],
        memory.ask("What is the name of Maria's puppy?").text,
    ]


def test_a_corrected_turn_is_recalled_as_it_should_have_been(memory: Memory) -> None:
    turn = ids(memory)[PUPPY]
    change = memory.correct(turn, "I adopted a puppy named Kona.", why="a slip", by="Maria")
    found = memory.search("What is Maria's puppy called?")
    assert [item.text for item in found if "puppy" in item.text] == ["I adopted a puppy named Kona."]
    assert found[0].id == change.link
    assert "Kona" in memory.ask("What is the name of Maria's puppy?").text
    assert not [note for note in memory.notes() if "Coco" in note.text]
    assert "Kona" in (memory.persona("Maria") or change).__str__()
    assert "Coco" not in memory.context("puppy").text
    kept = memory.get(turn)
    assert getattr(kept, "text", "") == PUPPY


def test_the_correction_stands_where_the_wrong_turn_stood(memory: Memory) -> None:
    turn = memory.get(ids(memory)[PUPPY])
    made = memory.get(memory.correct(turn.id, "I adopted a kitten.").link or "")
    for field in ("speaker", "at", "session"):
        assert getattr(made, field) == getattr(turn, field)


def test_a_corrected_note_keeps_its_subject_and_slot(memory: Memory) -> None:
    note = next(note for note in memory.notes() if "Lisbon" in note.text)
    memory.correct(note.id, "I live in Porto.")
    told = list(memory.notes(subject="Maria", slot=note.slot))
    assert [each.text for each in told] == ["I live in Porto."]
    assert (told[0].subject, told[0].slot, told[0].value) == (note.subject, note.slot, "Porto")
    assert "Lisbon" not in str(memory.persona("Maria"))
    assert LISBON in ids(memory)


def test_what_is_retracted_is_recalled_no_more_and_kept(memory: Memory) -> None:
    turn = ids(memory)[LISBON]
    memory.consolidate()
    memory.retract(turn, why="a joke")
    for found in (memory.search("Lisbon", kinds=("turn", "event", "note", "summary", "episode", "profile")),):
        assert not [item.text for item in found if "Lisbon" in item.text]
    assert "Lisbon" not in memory.context("Where does Maria live?").text
    assert memory.ask("Where does Maria live?").text != "Lisbon"
    assert "Lisbon" not in str(shown(memory))
    assert turn in {each.id for each in memory.list()}


def test_a_retracted_note_leaves_its_turn(memory: Memory) -> None:
    note = next(note for note in memory.notes() if "Lisbon" in note.text)
    memory.retract(note.id)
    assert not [each for each in memory.notes() if "Lisbon" in each.text]
    assert not [item for item in memory.search("Lisbon", kinds=("note",)) if "Lisbon" in item.text]
    assert LISBON in [item.text for item in memory.search("Lisbon")]


@pytest.fixture
def told_thrice() -> Iterator[Memory]:
    with Memory(":memory:") as memory:
        for month, text in enumerate([LISBON, "I still live in Lisbon, it is lovely.", LISBON], 1):
            memory.add(text, speaker="Maria", at=f"2023-{month:02d}-11T10:00:00Z", session=f"s{month}")
        yield memory


def homes(memory: Memory) -> list[tuple[str, str, int]]:
    return [(note.value, note.status, len(note.sources)) for note in memory.notes(subject="Maria", slot="home")]


@pytest.mark.parametrize("verb", ["correct", "retract"])
def test_what_was_said_several_times_is_withdrawn_with_its_note_and_comes_back_with_it(
    told_thrice: Memory, verb: str
) -> None:
    before = homes(told_thrice)
    assert before[0] == ("Lisbon", "current", 3)
    note = told_thrice.notes()[0]
    assert note.reinforcements == 2
    if verb == "correct":
        change = told_thrice.correct(note.id, "I live in Porto.")
        after = [("Porto", "current", 1)]
    else:
        change, after = told_thrice.retract(note.id, why="a joke"), []
    assert homes(told_thrice) == after
    assert "Lisbon" not in str(told_thrice.persona("Maria"))
    withdrawn = [each for each in told_thrice.history(note.id) if each.by == "user"]
    assert len(withdrawn) == 3
    assert {each.why for each in withdrawn} == {change.why}
    undone = told_thrice.undo(change.id)
    assert homes(told_thrice) == before
    again = told_thrice.undo(undone.id)
    assert homes(told_thrice) == after
    told_thrice.undo(again.id)
    assert homes(told_thrice) == before


def test_what_is_said_after_its_note_was_withdrawn_is_news(told_thrice: Memory) -> None:
    told_thrice.retract(told_thrice.notes()[0].id)
    told_thrice.add(LISBON, speaker="Maria", at="2024-01-11T10:00:00Z", session="s9")
    assert homes(told_thrice) == [("Lisbon", "current", 1)]


def test_one_saying_of_several_can_be_withdrawn_and_what_is_withdrawn_with_others_brought_back_alone(
    told_thrice: Memory,
) -> None:
    told_thrice.retract(told_thrice.notes()[1].id)
    assert homes(told_thrice)[0] == ("Lisbon", "current", 2)
    told_thrice.retract(told_thrice.notes()[0].id)
    assert homes(told_thrice) == []
    told_thrice.undo(told_thrice.history()[-1].id)
    assert homes(told_thrice) == [("Lisbon", "current", 1)]


def test_another_process_sees_it_at_once(memory: Memory) -> None:
    with Memory(memory.stats().path, create=False) as other:
        assert PUPPY in [item.text for item in other.search("puppy")]
        memory.retract(ids(memory)[PUPPY])
        assert PUPPY not in [item.text for item in other.search("puppy")]
        assert not [note for note in other.notes() if "Coco" in note.text]


def test_a_batch_of_changes_is_told_in_order_by_whom_when_and_why(memory: Memory) -> None:
    turn = ids(memory)[PUPPY]
    corrected = memory.correct(turn, "I adopted a kitten.", why="a slip", by="Maria")
    undone = memory.undo(corrected.id, by="Tom")
    history = memory.history(turn)
    assert [(each.verb, each.by, each.why) for each in history] == [
        ("correct", "Maria", "a slip"),
        ("undo", "Tom", None),
    ]
    assert [each.undone for each in history] == [True, False]
    assert (history[0].before, history[0].after) == (PUPPY, "I adopted a kitten.")
    assert history[1] == undone
    assert memory.history(corrected.link) == history[:1]
    assert memory.history(limit=1) == history[:1]
    assert memory.history(ids(memory)[LISBON]) == ()


def test_a_history_goes_on_behind_a_change_and_from_a_time_on(memory: Memory) -> None:
    turn = ids(memory)[PUPPY]
    first = memory.retract(turn)
    others = (memory.undo(first.id), memory.retract(ids(memory)[LISBON]))
    assert memory.history(since=first.id) == others
    assert memory.history(since=first.id, limit=1) == others[:1]
    assert memory.history(turn, since=first.id) == others[:1]
    assert memory.history(since=others[-1].id) == memory.history(since="2999-01-01") == ()
    assert memory.history(turn, since=others[-1].id) == ()
    assert memory.history(since=others[0].at)[-1] == others[-1]
    assert len(memory.history(since="2023-08-12", limit=2)) == 2
    for foreign in ("change_01H8J0KR800000000000000001", "change_1"):
        with pytest.raises(UnknownId, match="there is no change"):
            memory.history(since=foreign)
    with pytest.raises(InvalidTime):
        memory.history(since="yesteryear")


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(verbs=st.lists(st.sampled_from(["correct", "retract", "note"]), min_size=1, max_size=3))
def test_to_undo_restores(memory: Memory, verbs: list[str]) -> None:
    before = shown(memory)
    made: list[str] = []
    for verb, turn in zip(verbs, [PUPPY, LISBON, "Lovely!"], strict=False):
        target = ids(memory)[turn]
        if verb == "correct":
            made.append(memory.correct(target, "I keep bees in Madrid.").id)
        elif verb == "retract":
            made.append(memory.retract(target).id)
        elif memory.notes():
            made.append(memory.retract(memory.notes()[0].id).id)
    changed = shown(memory)
    for change in made[::-1]:
        memory.undo(change)
    assert shown(memory) == before
    again = [memory.undo(change.id) for change in memory.history()[-len(made) :]]
    assert len(again) == len(made)
    assert shown(memory) == changed
    for change in memory.history()[-len(made) :]:
        memory.undo(change.id)


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda memory: memory.correct(ids(memory)[PUPPY], "  "), InvalidTurn, "empty"),
        (lambda memory: memory.retract("turn_01H7J0KR800000000000000020"), UnknownId, "no turn"),
        (lambda memory: memory.retract("note_01H7J0KR8000000000000ZZZZ0"), UnknownId, "no note"),
        (lambda memory: memory.retract("episode_01H7J0KR800000000000000020"), InvalidQuery, "neither"),
        (lambda memory: memory.undo("change_01H7J0KR800000000000000020"), UnknownId, "no change"),
        (lambda memory: memory.history("turn_01H7J0KR800000000000000020"), UnknownId, "no turn"),
        (lambda memory: [memory.retract(ids(memory)[PUPPY]) for _ in range(2)], InvalidQuery, "before"),
        (lambda memory: [memory.undo(memory.history()[0].id) for _ in range(2)], InvalidQuery, "already"),
    ],
)
def test_what_cannot_be_done_is_told_and_changes_nothing(
    memory: Memory, act: Callable[[Memory], object], error: type[HmemError], message: str
) -> None:
    if message == "already":
        memory.retract(ids(memory)[LISBON])
    turns = len(memory.list())
    with pytest.raises(error, match=message):
        act(memory)
    assert len(memory.list()) == turns


def test_a_memory_that_is_formed_anew_holds_to_what_was_decided(memory: Memory) -> None:
    note = next(note for note in memory.notes() if "Lisbon" in note.text)
    memory.correct(note.id, "I live in Porto.")
    memory.retract(ids(memory)[PUPPY])
    before = shown(memory)
    memory.rebuild()
    assert shown(memory) == before


TWO = "I adopted a kitten named Pixel. I also bought a red bicycle last week."


def test_a_statement_is_retracted_by_itself_and_its_turn_stays(memory: Memory) -> None:
    memory.add(TWO, speaker="Maria", at="2023-08-13T10:00:00Z", session="s3")

    def told(view: Any) -> list[Any]:
        return [
            sorted(event.text for event in view.events()),
            sorted(item.text for item in view.search("kitten or bicycle?", kinds=("event",))),
            sorted(note.text for note in view.notes() if note.status == "current"),
            sorted(item.text for item in view.search("kitten or bicycle?", kinds=("note",))),
            view.tree("evolution", summaries=True).node.size,
            view.tree("calendar", summaries=True).children[0].node.summary,
        ]

    before = told(memory)
    event = next(each for each in memory.events() if "Pixel" in each.text)
    change = memory.retract(event.id, why="it was a joke")
    assert (change.verb, change.target, change.before) == ("retract", event.id, event.text)
    assert "Pixel" not in str(told(memory))
    assert "bicycle" in str(told(memory))
    assert TWO in [item.text for item in memory.search("kitten Pixel")]
    assert told(memory.as_of("2023-08-20"))[0] == before[0]
    assert "Pixel" in str(told(memory.as_of("2023-08-20"))[1:4])
    assert memory.history(event.id) == (change,)
    with pytest.raises(InvalidQuery, match="retracted before"):
        memory.retract(event.id)
    memory.undo(change.id)
    assert told(memory) == before


def test_all_statements_of_a_turn_may_be_retracted(memory: Memory) -> None:
    for event in memory.events():
        memory.retract(event.id)
    assert memory.events() == ()
    assert not [note for note in memory.notes() if note.status == "current"]
    assert "puppy" not in str(memory.tree("calendar", summaries=True))
