from itertools import pairwise

import pytest
from hypothesis import given, settings, strategies

from hmem import Memory
from hmem.language.analyzer import stems
from hmem_evals.synthetic import generate
from hmem_evals.synthetic.asking import SHARES

KINDS = ("friends", "assistant")
SHORT = 8


def texts(conversation):
    return {
        message["message_id"]: f"{message['text']} {message.get('caption') or ''}" for message in conversation.messages
    }


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_gives_the_same_conversation_each_time(kind):
    assert generate(7, sessions=SHORT, kind=kind) == generate(7, sessions=SHORT, kind=kind)


@pytest.mark.parametrize("kind", KINDS)
def test_other_seeds_give_other_lives(kind):
    first, second = generate(1, sessions=SHORT, kind=kind), generate(2, sessions=SHORT, kind=kind)
    assert first.id != second.id
    said = {message["text"] for message in first.messages}
    repeated = [message for message in second.messages if len(message["text"]) > 80 and message["text"] in said]
    assert len(repeated) < len(second.messages) / 20


@pytest.mark.parametrize("kind", KINDS)
def test_a_whole_life_has_questions_of_all_five_kinds(kind):
    conversation = generate(3, kind=kind)
    assert {question.category for question in conversation.questions} == set(SHARES)
    assert len({question.id for question in conversation.questions}) == len(conversation.questions)


def test_friends_of_25_sessions_talk_and_are_asked_as_much_as_real_ones():
    conversation = generate(4)
    assert 450 <= len(conversation.messages) <= 750
    assert 140 <= len(conversation.questions) <= 200


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15)
@given(seed=strategies.integers(0, 10_000), sessions=strategies.integers(0, 12))
def test_gold_turns_exist_and_nothing_is_left_unfilled(kind, seed, sessions):
    conversation = generate(seed, sessions=sessions, kind=kind)
    turns = texts(conversation)
    assert len(turns) == len(conversation.messages)
    for text in (*turns.values(), *(question.text + question.answer for question in conversation.questions)):
        assert not set(text) & set("{}[]|~"), text
    for question in conversation.questions:
        assert set(question.evidence) <= set(turns)
        assert question.unanswerable == (question.category == "adversarial") == (not question.answer)
        assert question.evidence or question.unanswerable


@pytest.mark.parametrize("kind", KINDS)
def test_sessions_follow_each_other_in_time(kind):
    conversation = generate(5, kind=kind)
    times = [message["at"] for message in conversation.messages]
    assert all(before <= after for before, after in pairwise(times))
    assert len({message["session"] for message in conversation.messages}) == len(set(times)) == 25


def test_friends_take_turns_and_are_the_ones_who_are_asked_about():
    conversation = generate(6)
    speakers = [message["speaker"] for message in conversation.messages]
    names = set(speakers)
    assert len(names) == 2
    assert all(
        before["speaker"] != after["speaker"]
        for before, after in pairwise(conversation.messages)
        if before["session"] == after["session"]
    )
    assert all(any(name in question.text for name in names) for question in conversation.questions)


def test_a_user_is_answered_by_the_assistant_at_length():
    conversation = generate(6, kind="assistant")
    roles = [message["role"] for message in conversation.messages]
    assert roles == ["user", "assistant"] * (len(roles) // 2)
    said = {role: [len(m["text"]) for m in conversation.messages if m["role"] == role] for role in set(roles)}
    assert sum(said["assistant"]) > 2 * sum(said["user"])
    assert any("you" in question.text and "assistant" not in question.text for question in conversation.questions)


@pytest.mark.parametrize("kind", KINDS)
def test_quoted_answers_of_one_turn_stand_in_their_gold_turns(kind):
    conversation = generate(8, kind=kind)
    turns = texts(conversation)
    quoted = [
        question
        for question in conversation.questions
        if question.answer.startswith('"') and len(question.evidence) == 1
    ]
    assert quoted
    for question in quoted:
        assert question.answer.strip('"') in turns[question.evidence[0]]


@pytest.mark.parametrize("kind", KINDS)
def test_no_question_has_two_answers(kind):
    asked = [question.text for question in generate(9, kind=kind).questions]
    assert len(asked) == len(set(asked))


@pytest.mark.parametrize("kind", KINDS)
def test_a_memory_takes_all_that_was_said(kind, tmp_path):
    conversation = generate(10, sessions=3, kind=kind)
    with Memory(tmp_path / "life.hmem") as memory:
        receipts = memory.add(conversation.messages)
    assert {receipt.fate for receipt in receipts} == {"stored"}


@pytest.mark.parametrize("kind", KINDS)
def test_the_words_of_an_answer_stand_in_its_gold_turns(kind):
    conversation = generate(12, kind=kind)
    turns = texts(conversation)
    shares = []
    for question in conversation.questions:
        if question.category == "single-hop":
            gold = set(stems(" ".join(turns[turn] for turn in question.evidence)))
            said = set(stems(question.answer))
            shares.append(len(said & gold) / max(1, len(said)))
    assert sum(shares) / len(shares) > 0.85


def test_what_only_a_photo_shows_is_always_shown():
    for seed in range(3):
        conversation = generate(seed)
        turns = texts(conversation)
        asked = [question for question in conversation.questions if "is the subject of" in question.text]
        for question in asked:
            if not question.unanswerable:
                assert question.answer in " ".join(turns[turn] for turn in question.evidence)
