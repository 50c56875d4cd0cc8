"""Feedback: by a call, and by what a person says next."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.formation import example

from hmem import Memory
from hmem.errors import InvalidQuery

ASKED = datetime(2026, 3, 1, 12, tzinfo=UTC)
QUESTION = "Where does Maria live?"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Memory(tmp_path / "a.hmem") as memory:
        memory.add("I live in Lisbon.", speaker="Maria", at="2026-02-01T10:00Z", session="s1")
        memory.add("I live in a small flat.", speaker="Tom", at="2026-02-01T10:01Z", session="s1")
        memory.add("Maria has lived near Porto before.", speaker="Tom", at="2026-02-01T10:02Z", session="s1")
    return tmp_path / "a.hmem"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with Memory(path) as opened:
        yield opened


def said(memory: Memory, text: str = "No, that's wrong.", after: float = 1, **fields: Any) -> None:
    memory.add({"text": text, "speaker": "Maria", "session": "s9", "at": ASKED + timedelta(minutes=after), **fields})


def verdicts(memory: Memory) -> list[tuple[str, str | None]]:
    return [(change.by, change.after) for change in memory.history() if change.verb == "feedback"]


@pytest.mark.parametrize("recipe", ["fusion", "layered"])
def test_what_was_rejected_weighs_less_and_why_says_so_until_it_is_undone(recipe: str) -> None:
    with Memory(":memory:", recipe=recipe) as memory:
        memory.add(example(200))
        before = memory.search("Which race did Nadia run?", 5)
        changes = memory.feedback(before[0], "reject", why="another one", by="Nadia")
        assert [(each.verb, each.target, each.after, each.by, each.why) for each in changes] == [
            ("feedback", before[0].id, "reject", "Nadia", "another one")
        ]
        after = {item.id: item for item in memory.search("Which race did Nadia run?", 40)}
        lower = after.get(before[0].id)
        assert lower is not None
        assert lower.score < before[0].score
        assert "feedback" in lower.why.terms
        assert "feedback -" in str(lower.why)
        assert sum(term.contribution for term in lower.why.terms.values()) == pytest.approx(lower.score, abs=1e-3)
        assert not any("feedback" in item.why.terms for name, item in after.items() if name != before[0].id)
        memory.undo(changes[0].id)
        again = memory.search("Which race did Nadia run?", 5)
        assert [(item.id, item.score) for item in again] == [(item.id, item.score) for item in before]


def test_an_approved_answer_makes_what_it_stands_on_rise(memory: Memory) -> None:
    answer = memory.ask(QUESTION, at=ASKED)
    changes = memory.feedback(answer, "approve")
    assert [change.target for change in changes] == [item.id for item in answer.evidence]
    again = memory.ask(QUESTION, at=ASKED)
    assert again.evidence[0].score > answer.evidence[0].score


def test_evidence_that_was_rejected_often_gives_way_to_other(memory: Memory) -> None:
    first = memory.search(QUESTION)[0]
    memory.feedback(first.id, 0.1)
    assert memory.search(QUESTION)[0].id != first.id
    assert memory.as_of("2026-02-02").search(QUESTION)[0].id == first.id


def test_feedback_on_a_list_is_on_its_first_and_on_a_note_on_its_turn(memory: Memory) -> None:
    found = memory.search(QUESTION)
    assert len(memory.feedback(found, "approve")) == 3
    note = next(each for each in memory.notes() if "Lisbon" in each.text)
    assert memory.feedback(note.id, 1.5)[0].link == note.id
    assert memory.feedback(memory.search(QUESTION, kinds=("note",))[0], "none")[0].after == "none"
    assert len(memory.feedback(memory.context(QUESTION), "none")) == 3


def test_other_kinds_and_words_are_refused(memory: Memory) -> None:
    with pytest.raises(InvalidQuery, match="is no verdict - give one of"):
        memory.feedback(memory.search(QUESTION)[0], "good")  # type: ignore[arg-type]
    with pytest.raises(InvalidQuery, match="give what it stands on"):
        memory.feedback("person", "approve")


def test_another_process_sees_feedback_at_its_next_recall(path: Path, memory: Memory) -> None:
    with Memory(path) as other:
        before = other.search(QUESTION)
        memory.feedback(before[0], 0.1)
        assert other.search(QUESTION)[0].id != before[0].id


# What is said next.


@pytest.mark.parametrize("recall", ["ask", "search", "context"])
def test_the_next_message_of_a_person_is_feedback_once(memory: Memory, recall: str) -> None:
    getattr(memory, recall)(QUESTION, at=ASKED)
    said(memory, "Noted: Lisbon.", role="assistant", speaker="Bot")
    assert verdicts(memory) == []
    said(memory, "No, that's wrong.", after=2)
    told = verdicts(memory)
    assert set(told) == {("analyst:verbatim", "reject")}
    turn = memory.list()[-1]
    assert {change.why for change in memory.history()} == {turn.id}
    said(memory, "No, that's wrong.", after=3)
    assert verdicts(memory) == told


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("Exactly!", {"after": 16}),
        ("What is for dinner?", {}),
        ("No idea how she does it.", {}),
    ],
)
def test_what_comes_late_or_is_about_something_else_is_no_feedback(
    memory: Memory, text: str, fields: dict[str, Any]
) -> None:
    memory.ask(QUESTION, at=ASKED)
    said(memory, text, **fields)
    assert verdicts(memory) == []
    said(memory, "Exactly!")
    assert verdicts(memory) == []


def test_what_is_kept_late_is_no_reply_and_does_not_take_its_place(memory: Memory) -> None:
    memory.ask(QUESTION, at=ASKED)
    said(memory, "Exactly!", after=-1)
    assert verdicts(memory) == []
    said(memory, after=1)
    assert set(verdicts(memory)) == {("analyst:verbatim", "reject")}


def test_a_reply_is_said_in_the_sitting_in_which_it_was_asked(memory: Memory) -> None:
    said(memory, "Let me think where she is.", after=-2)
    said(memory, "What a day!", after=-1, session="s7", speaker="Tom")
    said(memory, "Let me see.", after=-0.5, role="assistant", speaker="Bot")
    memory.ask(QUESTION, at=ASKED)
    said(memory, "Exactly!", after=1, session="s7", speaker="Tom")
    assert verdicts(memory) == []
    said(memory, after=2)
    assert set(verdicts(memory)) == {("analyst:verbatim", "reject")}


def test_a_question_that_is_kept_after_it_was_recalled_for_is_no_reply(memory: Memory) -> None:
    memory.ask(QUESTION, at=ASKED)
    said(memory, QUESTION, after=0)
    said(memory, "Lisbon.", after=1, role="assistant", speaker="Bot")
    said(memory, "Exactly!", after=2)
    assert set(verdicts(memory)) == {("analyst:verbatim", "approve")}


def test_of_a_list_only_what_was_said_after_the_recall_is_a_reply(memory: Memory) -> None:
    memory.ask(QUESTION, at=ASKED)
    memory.add(
        [
            {"text": text, "speaker": "Maria", "session": "s9", "at": ASKED + timedelta(minutes=after)}
            for text, after in (("Exactly!", -3), ("No, that's wrong.", 1))
        ]
    )
    assert set(verdicts(memory)) == {("analyst:verbatim", "reject")}


def test_a_list_of_messages_is_looked_through_for_the_first_of_a_person(memory: Memory) -> None:
    memory.ask(QUESTION, at=ASKED)
    moment = ASKED + timedelta(minutes=1)
    memory.add([{"role": "assistant", "content": "Lisbon."}, {"role": "user", "content": "That's right."}], at=moment)
    assert set(verdicts(memory)) == {("analyst:verbatim", "approve")}


def test_a_question_about_one_session_is_judged_by_what_is_said_in_it(memory: Memory) -> None:
    memory.ask(QUESTION, at=ASKED, session="s1")
    said(memory)
    assert verdicts(memory) == []
    memory.ask(QUESTION, at=ASKED, session="s1")
    said(memory, session="s1")
    assert set(verdicts(memory)) == {("analyst:verbatim", "reject")}


def test_judging_can_be_switched_off_and_a_look_back_is_not_judged(path: Path) -> None:
    with Memory(path, settings={"strength.judged": "false"}) as memory:
        memory.ask(QUESTION, at=ASKED)
        said(memory)
        assert verdicts(memory) == []
    with Memory(path) as memory:
        memory.as_of("2026-02-10").ask(QUESTION)
        said(memory)
        assert verdicts(memory) == []


def test_what_was_deleted_meanwhile_gets_no_feedback(memory: Memory) -> None:
    answer = memory.ask(QUESTION, at=ASKED)
    memory.delete(*[item.id for item in answer.evidence])
    said(memory)
    assert verdicts(memory) == []
