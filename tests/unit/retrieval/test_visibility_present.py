from collections.abc import Iterator

import pytest

from hmem import Memory

QUESTION = "Where does Maria live?"


MOVED = "I live in Lisbon now."


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as made:
        made.add("I live in Porto.", speaker="Maria", at="2024-01-05T10:00:00Z", session="a")
        made.add(MOVED, speaker="Maria", at="2024-03-12T10:00:00Z", session="b")
        made.add("I live in Lisbon.", speaker="Maria", at="2024-05-12T10:00:00Z", session="c")
        yield made


def told(memory: Memory, question: str, **conditions: object) -> list[str]:
    found = memory.search(question, kinds=("note",), at="2024-06-01T00:00:00Z", **conditions)  # type: ignore[arg-type]
    return [item.text for item in found]


def test_a_question_finds_what_holds_now_and_each_thing_once(memory: Memory) -> None:
    assert told(memory, QUESTION) == [MOVED]


@pytest.mark.parametrize(
    "question",
    ["Where did Maria originally live?", "Where did Maria use to live?", "Where did Maria live before?",
     "Where did Maria live in January 2024?"],
)  # fmt: skip
def test_a_question_about_the_past_finds_what_held_then(memory: Memory, question: str) -> None:
    assert told(memory, question) == ["I live in Porto."]


def test_a_question_about_changes_finds_all_of_them(memory: Memory) -> None:
    assert set(told(memory, "How has where Maria lives changed?")) == {
        "I live in Porto.",
        MOVED,
    }


def test_what_may_not_be_found_ends_nothing(memory: Memory) -> None:
    assert told(memory, QUESTION, session="a") == ["I live in Porto."]
    assert told(memory, QUESTION, session="c") == ["I live in Lisbon."]


def test_what_was_known_and_what_was_true_at_a_time_is_found_from_there(memory: Memory) -> None:
    for view in (memory.as_of("2024-02-01"), memory.valid_at("2024-02-01")):
        assert [item.text for item in view.search(QUESTION, kinds=("note",))] == ["I live in Porto."]


def test_best_effort_recall_finds_what_holds_now(memory: Memory) -> None:
    with Memory(":memory:", recipe="notes-episodes") as other:
        for turn in memory.list():
            other.add(turn.text, speaker=turn.speaker, at=turn.at, session=turn.session)
        step = other.search(QUESTION, trace=True).trace
        assert step is not None
        assert step.steps["best_effort"]["notes"] == 1
