"""A model judges what was said next after something was recalled, later, in the place of the rules."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tests.models import Derived, open_with

from hmem import Memory
from hmem.errors import BudgetSpent, ModelGarbled, ModelUnavailable
from hmem.evolution.analyse import WorkOptions
from hmem.evolution.judge import QUEUE_LIMIT, PrecedingRecall, let_judge
from hmem.language.analyst.language_model import Room
from hmem.model.evidence import Reaction

ASKED = datetime(2026, 3, 1, 12, tzinfo=UTC)
QUESTION = "Where does Maria live?"
SOON = WorkOptions(backoff=0.001, patience=5.0)


class Judge(Derived):
    """Says of every reply the same."""

    def __init__(self, verdict: Reaction = "approve", **options: Any) -> None:
        super().__init__("openai:small/1", **options)
        self.verdict = verdict
        self.judged: list[tuple[str, str, str]] = []

    def feedback(self, question: str, answer: str, reply: str) -> Reaction:
        self.judged.append((question, answer, reply))
        return self.verdict


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.hmem"


def asked(memory: Memory, reply: str = "No, that's wrong.", *, text: str = "I live in Lisbon.") -> None:
    """Something is told, asked for, and replied to."""
    memory.add(text, speaker="Maria", at="2026-02-01T10:00Z", session="s1")
    memory.ask(QUESTION, at=ASKED, analyst="rules")
    memory.add(reply, speaker="Tom", at=ASKED + timedelta(minutes=1), session="s9")


def verdicts(memory: Memory) -> list[tuple[str, str | None, bool]]:
    return [(each.by, each.after, each.undone) for each in memory.history() if each.verb == "feedback"]


def waiting(memory: Memory) -> int:
    told = memory.stats().model
    assert told is not None
    return told.unjudged


@pytest.fixture
def judge() -> Judge:
    return Judge()


@pytest.fixture
def memory(path: Path, judge: Judge) -> Iterator[Memory]:
    with open_with(path, judge, working=SOON) as opened:
        yield opened


RULES = ("analyst:verbatim", "reject")
MODEL = ("analyst:openai:small", "approve")


def test_rules_judge_at_once_and_the_model_s_verdict_takes_the_place_of_theirs(memory: Memory, judge: Judge) -> None:
    asked(memory)
    assert judge.judged == []
    assert verdicts(memory) == [(*RULES, False)]
    assert waiting(memory) == 1
    assert memory.model.run_jobs().judged == 1
    assert judge.judged == [(QUESTION, "Maria, 1 Feb 2026: “I live in Lisbon.”", "No, that's wrong.")]
    assert verdicts(memory) == [(*RULES, True), (*MODEL, False)]
    assert waiting(memory) == 0
    assert memory.model.run_jobs().calls == 0
    reply = memory.list()[-1].id
    assert {change.why for change in memory.history() if change.verb in ("feedback", "undo")} == {reply}


def test_the_model_s_verdict_can_be_taken_back_and_so_can_what_it_did_to_that_of_the_rules(memory: Memory) -> None:
    asked(memory)
    memory.model.run_jobs()
    undo, fresh = memory.history()[-2:]
    assert (undo.verb, fresh.verb) == ("undo", "feedback")
    memory.undo(fresh.id)
    memory.undo(undo.id)
    assert verdicts(memory) == [(*RULES, False), (*MODEL, True)]


def test_a_verdict_that_is_the_same_is_not_told_twice(memory: Memory, judge: Judge) -> None:
    judge.verdict = "reject"
    asked(memory)
    assert memory.model.run_jobs().judged == 1
    assert verdicts(memory) == [(*RULES, False)]


def test_what_is_no_reaction_after_all_weighs_nothing(memory: Memory, judge: Judge) -> None:
    judge.verdict = "none"
    asked(memory)
    memory.model.run_jobs()
    assert verdicts(memory) == [(*RULES, True)]


def test_a_reaction_that_rules_do_not_understand_is_found(memory: Memory) -> None:
    asked(memory, "Tja, stimmt.")
    assert verdicts(memory) == []
    memory.model.run_jobs()
    assert verdicts(memory) == [(*MODEL, False)]


def test_what_somebody_took_back_stays_so(memory: Memory) -> None:
    asked(memory)
    memory.undo(memory.history()[-1].id)
    assert memory.model.run_jobs().judged == 1
    assert verdicts(memory) == [(*RULES, True)]


def test_where_nobody_is_to_be_judged_nothing_waits(path: Path, judge: Judge) -> None:
    with open_with(path, judge, settings={"strength.judged": "false"}) as memory:
        asked(memory)
        assert waiting(memory) == 0
    with Memory(":memory:") as memory:
        asked(memory)
        assert memory.corpus.model_queue.pending_reactions() == []


def test_an_answer_that_cannot_be_used_leaves_it_to_the_rules(path: Path) -> None:
    def garbled(_: int, what: Any) -> None:
        if isinstance(what, tuple):
            raise ModelGarbled("it said nothing")

    with open_with(path, Judge(fails=garbled), working=SOON) as memory:
        asked(memory)
        done = memory.model.run_jobs()
        assert (done.judged, done.failures) == (0, SOON.garbled)
        assert verdicts(memory) == [(*RULES, False)]
        assert waiting(memory) == 0


def test_a_model_that_is_away_is_asked_again(path: Path) -> None:
    tried = list[int]()

    def away(_: int, what: Any) -> None:
        if isinstance(what, tuple):
            tried.append(1)
            if len(tried) < 3:
                raise ModelUnavailable("nobody is there")

    with open_with(path, Judge(fails=away), working=SOON) as memory:
        asked(memory)
        done = memory.model.run_jobs()
        assert (done.judged, done.failures) == (1, 2)
        assert verdicts(memory) == [(*RULES, True), (*MODEL, False)]


AWAY = (ModelUnavailable("nobody is there", 60.0), ModelUnavailable("no key", lasting=True), BudgetSpent("no room"))


@pytest.mark.parametrize("error", AWAY)
def test_a_model_that_stays_away_or_a_budget_that_is_spent_leaves_it_waiting(path: Path, error: Exception) -> None:
    def fails(_: int, what: Any) -> None:
        if isinstance(what, tuple):
            raise error

    with open_with(path, Judge(fails=fails), working=SOON) as memory:
        asked(memory)
        assert memory.model.run_jobs().failures <= 1
        assert verdicts(memory) == [(*RULES, False)]
        assert waiting(memory) == 1
        assert memory.corpus.model_queue.holders(0) == []


def test_of_two_workers_one_judges(path: Path, judge: Judge) -> None:
    with open_with(path, judge, working=SOON) as memory, open_with(path, Judge(), working=SOON) as other:
        asked(memory)
        threads = [Thread(target=each.model.run_jobs) for each in (memory, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        memory.model.run_jobs()
        assert verdicts(memory) == [(*RULES, True), (*MODEL, False)]
        assert waiting(memory) == 0


def test_what_is_held_by_another_is_left_to_it_and_what_it_brings_too_late_is_refused(path: Path, judge: Judge) -> None:
    taken = list[bool]()

    with open_with(path, judge, working=SOON) as memory:
        asked(memory)

        def stolen(_: int, what: Any) -> None:
            if isinstance(what, tuple):
                (one,) = memory.corpus.model_queue.pending_reactions()
                far = 1 << 61
                taken.append(memory.corpus.model_queue.lease_reaction(one.seq, "somewhere 1 x", far, far + 1))

        judge.fails = stolen
        assert memory.model.run_jobs().judged == 0
        assert taken == [True]
        assert verdicts(memory) == [(*RULES, False)]
        assert waiting(memory) == 1


def test_whatever_is_forgotten_nothing_waits_that_may_repeat_it(memory: Memory, judge: Judge) -> None:
    asked(memory, text="I live in Quillonia.")
    memory.add("Something else.", speaker="Tom", session="s1")
    memory.forget(memory.list()[2].id)
    assert waiting(memory) == 0
    assert memory.model.run_jobs().judged == 0
    assert judge.judged == []


def test_what_was_recalled_before_another_process_forgot_is_not_kept(path: Path, memory: Memory) -> None:
    memory.add("I live in Quillonia.", speaker="Maria", at="2026-02-01T10:00Z", session="s1")
    memory.ask(QUESTION, at=ASKED, analyst="rules")
    with Memory(path) as other:
        other.forget(other.list()[0].id)
    memory.add("No, that's wrong.", speaker="Tom", at=ASKED + timedelta(minutes=1), session="s9")
    assert waiting(memory) == 0


def test_a_bounded_number_waits(memory: Memory) -> None:
    memory.add([{"text": f"Reply {i}", "speaker": "Tom"} for i in range(3)])
    with memory.corpus.reading():
        for turn in memory.list():
            let_judge(memory.corpus, turn.id, PrecedingRecall("q", "a" * 10_000, (turn.id,)))
        assert len(memory.corpus.model_queue.pending_reactions()) == 3 <= QUEUE_LIMIT


def test_a_verdict_is_on_notes_too(memory: Memory) -> None:
    memory.add("I live in Lisbon.", speaker="Maria", at="2026-02-01T10:00Z", session="s1")
    memory.search(QUESTION, kinds=("note",), at=ASKED)
    memory.add("No, that's wrong.", speaker="Tom", at=ASKED + timedelta(minutes=1), session="s9")
    assert verdicts(memory) == [(*RULES, False)]
    memory.model.run_jobs()
    assert verdicts(memory) == [(*RULES, True), (*MODEL, False)]


def several(memory: Memory, replies: Sequence[str]) -> None:
    """Replies in one sitting that rules take for approvals, and the model for rejections."""
    model: Any = memory._model_work.model()
    model.verdict = "reject"
    memory.add("I live in Lisbon.", speaker="Maria", at="2026-02-01T10:00Z", session="s1")
    for i, reply in enumerate(replies):
        memory.ask(QUESTION, at=ASKED + timedelta(minutes=2 * i), analyst="rules")
        memory.add(reply, speaker="Tom", at=ASKED + timedelta(minutes=2 * i + 1), session="s9")


REPLIES = ("Exactly, thank you!", "Yes, that's right.", "Yes, thank you!", "That's correct.", "Correct!")
APPROVED, REJECTED = ("analyst:verbatim", "approve", True), ("analyst:openai:small", "reject", False)


def calls_of(judge: Judge) -> list[int]:
    """How many replies each call was to judge."""
    sizes = list[int]()
    judge.fails = lambda _, what: sizes.append(len(what)) if isinstance(what, tuple) else None
    return sizes


def test_replies_are_judged_together_in_the_order_in_which_they_were_said(memory: Memory, judge: Judge) -> None:
    sizes = calls_of(judge)
    several(memory, REPLIES)
    assert memory.model.run_jobs().judged == len(REPLIES)
    assert sizes == [len(REPLIES)]
    assert [reply for _, _, reply in judge.judged] == list(REPLIES)
    assert verdicts(memory) == [APPROVED] * len(REPLIES) + [REJECTED] * len(REPLIES)
    said = [turn.id for turn in memory.list()[1:]]
    assert [change.why for change in memory.history() if change.by == MODEL[0] and change.verb == "feedback"] == said
    assert memory.model.run_jobs().calls == 0


def test_replies_that_do_not_go_into_one_call_are_judged_by_several(memory: Memory, judge: Judge) -> None:
    sizes = calls_of(judge)
    judge.room = Room(170, 1_000)
    several(memory, REPLIES)
    assert memory.model.run_jobs().judged == len(REPLIES)
    assert sizes == [2, 2, 1]


def test_a_reply_that_was_left_out_is_judged_by_itself(memory: Memory, judge: Judge) -> None:
    sizes = calls_of(judge)
    usual = judge.reactions
    judge.reactions = lambda replies: [  # type: ignore[method-assign] - says nothing of the second of several
        None if len(replies) > 1 and i == 1 else each for i, each in enumerate(usual(replies))
    ]
    several(memory, REPLIES)
    done = memory.model.run_jobs()
    assert (done.judged, done.failures) == (len(REPLIES), 0)
    assert sizes == [len(REPLIES), 1]
    assert verdicts(memory) == [APPROVED] * len(REPLIES) + [REJECTED] * len(REPLIES)


def test_a_reply_that_spoils_an_answer_costs_no_other_its_verdict(path: Path) -> None:
    def garbled(_: int, what: Any) -> None:
        if isinstance(what, tuple) and any(each.reply == REPLIES[2] for each in what):
            raise ModelGarbled("it said nothing")

    with open_with(path, Judge(fails=garbled), working=SOON) as memory:
        several(memory, REPLIES)
        done = memory.model.run_jobs()
        assert done.judged == len(REPLIES) - 1
        assert [verdicts(memory).count(each) for each in (APPROVED, REJECTED)] == [len(REPLIES) - 1] * 2
        assert waiting(memory) == 0
