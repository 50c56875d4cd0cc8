from datetime import UTC, datetime

import pytest

from hmem import Memory
from hmem.evals.asking import ask, gold_of
from hmem.evals.dataset import Conversation, Question

AT = datetime(2023, 5, 8, tzinfo=UTC)


def message(id, text, session, caption=None):
    return {"text": text, "speaker": "Ana", "at": AT, "session": session, "caption": caption, "message_id": id}


MESSAGES = (
    message("1:1", "Coco is a puppy\nfrom  Lisbon", "a"),
    message("1:2", "Nothing more today", "a"),
    message("2:1", "", "b", caption="a photo of a puppy"),
)


def conversation(**more):
    fields = {"id": "q", "text": "Who is the puppy?", "answer": "Coco", "category": "x", "evidence": ("1:1",), **more}
    return Conversation("c", MESSAGES, (Question(**fields),))


def outcome_of(asked, tmp_path, tokens=200):
    with Memory(tmp_path / "c.hmem") as memory:
        memory.add(asked.messages)
        return ask(memory, asked.questions[0], gold_of(asked)[0], depth=10, tokens=tokens)


def test_evidence_that_names_no_turn_is_dropped():
    (gold,) = gold_of(conversation(evidence=("9:9", "2:1", "1:1")))
    assert (gold.evidence, gold.sessions) == (("2:1", "1:1"), ("b", "a"))


def test_gold_sessions_that_the_benchmark_names_come_before_those_of_the_evidence():
    (gold,) = gold_of(conversation(sessions=("a", "b")))
    assert gold.sessions == ("a", "b")


def test_turns_and_their_sessions_are_ranked_each_once(tmp_path):
    outcome = outcome_of(conversation(), tmp_path)
    assert set(outcome.ranked) <= {"1:1", "1:2", "2:1"}
    assert outcome.ranked[0] in ("1:1", "2:1")
    assert sorted(outcome.ranked_sessions) == ["a", "b"]
    assert outcome.search_ms > 0


def test_a_turn_counts_as_in_the_context_whatever_its_white_space(tmp_path):
    outcome = outcome_of(conversation(), tmp_path)
    assert outcome.in_context == 1
    assert 0 < outcome.context_tokens <= 200


def test_a_turn_without_text_is_in_the_context_when_its_caption_is(tmp_path):
    assert outcome_of(conversation(evidence=("2:1",)), tmp_path).in_context == 1


def test_a_context_without_room_has_no_evidence(tmp_path):
    assert outcome_of(conversation(evidence=("1:1", "2:1")), tmp_path, tokens=1).in_context == 0


@pytest.mark.parametrize(
    ("more", "measured"),
    [({}, True), ({"evidence": ()}, False), ({"evidence": ("9:9",)}, False), ({"unanswerable": True}, False)],
)
def test_only_an_answerable_question_with_evidence_is_measured(tmp_path, more, measured):
    assert outcome_of(conversation(**more), tmp_path).measured is measured


def test_without_evidence_there_is_no_fraction_in_the_context(tmp_path):
    assert outcome_of(conversation(evidence=()), tmp_path).in_context is None
