from datetime import UTC, datetime, timedelta

import pytest

from hmem import Memory
from hmem_evals.asking import Handles, ask, gold_of
from hmem_evals.conversations import Conversation, Question

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


def outcome_of(asked, tmp_path, tokens=200, recipe=None, at=None):
    with Memory(tmp_path / "c.hmem", recipe=recipe) as memory:
        memory.add(asked.messages)
        return ask(Handles(memory, memory), asked.questions[0], gold_of(asked)[0], depth=10, tokens=tokens, time=at)


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
    assert outcome_of(conversation(**more), tmp_path).counts_for_recall is measured


def test_without_evidence_there_is_no_fraction_in_the_context(tmp_path):
    assert outcome_of(conversation(evidence=()), tmp_path).in_context is None


def test_a_question_is_answered_and_the_answer_timed(tmp_path):
    said = outcome_of(conversation(), tmp_path).said
    assert 0 <= said.confidence <= 1
    assert said.ask_ms > 0
    assert said.text


def test_a_question_goes_by_the_time_at_which_it_is_asked(tmp_path):
    told = Conversation(
        "c",
        (
            message("1:1", "I adopted a puppy", "a"),
            {**message("1:2", "We sold the car", "b"), "at": AT - timedelta(30)},
        ),
        (Question("q", "What did Ana say last month?", "We sold the car", "x", ("1:2",)),),
    )
    asked_later = outcome_of(told, tmp_path, at=AT)
    assert asked_later.ranked[0] == "1:2"


@pytest.mark.parametrize(("recipe", "tier"), [("orchestrated", "cache"), ("flat", None)])
def test_the_tier_in_which_a_search_ended_is_noted_where_there_are_tiers(tmp_path, recipe, tier):
    found = outcome_of(conversation(), tmp_path, recipe=recipe).tier
    assert (found in ("cache", "buffer", "archive")) if tier else (found is None)
