import json
import re
from collections import Counter
from itertools import pairwise

import pytest

from hmem.errors import InvalidFile
from hmem_evals import talks
from hmem_evals.talks import DATA, IMPLICIT, KINDS, NAMES, NEVER_SAID, load, questions

each = pytest.mark.parametrize("name", NAMES)

# An answer of these kinds is in the words of the turns that tell it.
QUOTED = {"single-hop", "knowledge-update", "earlier-state", "assistant"}


def only(name):
    (conversation,) = load(name)
    return conversation


def words(text):
    return re.findall(r"\w+", text.casefold())


def test_all_six_are_loaded_in_the_order_of_their_names():
    assert tuple(conversation.id for conversation in load()) == NAMES
    assert {file.stem for file in DATA.glob("*.json")} == {*NAMES, "drawn"}


@each
def test_a_conversation_has_the_length_that_was_asked_for(name):
    conversation = only(name)
    assert 200 <= len(conversation.messages) <= 400
    assert 12 <= len({message["session"] for message in conversation.messages}) <= 25
    assert 60 <= len(conversation.questions) <= 80


@each
def test_turns_are_told_apart_and_follow_each_other_in_time(name):
    messages = only(name).messages
    assert [message["message_id"] for message in messages] == [f"t{number + 1}" for number in range(len(messages))]
    assert all(one["at"] < other["at"] for one, other in pairwise(messages))
    assert all(one["session"] <= other["session"] for one, other in pairwise(messages))
    assert all(message["text"].strip() for message in messages)


@each
def test_questions_are_told_apart_and_asked_after_the_last_turn(name):
    conversation = only(name)
    asked = questions(conversation)
    assert len(asked) == len(conversation.questions)
    assert len({question.id for question in asked}) == len({question.text for question in asked}) == len(asked)
    assert all(question.at > conversation.messages[-1]["at"] for question in asked)


@each
def test_each_question_has_evidence_or_was_never_said(name):
    conversation = only(name)
    turns = [message["message_id"] for message in conversation.messages]
    for question in questions(conversation):
        assert question.right, question.id
        assert bool(question.answer) is bool(question.evidence) is not question.unanswerable, question.id
        for ids in (question.evidence, question.near):
            assert list(ids) == sorted(set(ids), key=turns.index), question.id
        assert question.unanswerable or not question.near


@each
def test_each_kind_has_questions(name):
    conversation = only(name)
    counts = Counter(question.category for question in conversation.questions)
    with_assistant = any(message["role"] == "assistant" for message in conversation.messages)
    assert set(counts) == set(KINDS) - (set() if with_assistant else {"assistant"})
    assert counts[NEVER_SAID] >= 10
    assert min(counts.values()) >= 3


@each
def test_the_words_of_a_quoted_answer_stand_in_its_evidence(name):
    conversation = only(name)
    turns = {message["message_id"]: message for message in conversation.messages}
    for question in conversation.questions:
        if question.category in QUOTED:
            told = [turns[turn] for turn in question.evidence]
            said = words(" ".join(f"{turn['speaker']} {turn['text']} {turn['caption'] or ''}" for turn in told))
            strange = [
                word
                for word in words(question.answer)
                if (len(word) > 3 or word.isdigit()) and not any(other.startswith(word[:5]) for other in said)
            ]
            assert not strange, (question.id, strange)


@each
def test_an_implicit_cue_is_said_by_one_of_the_conversation_and_asks_nothing(name):
    conversation = only(name)
    speakers = {message["speaker"] for message in conversation.messages}
    for question in questions(conversation):
        assert (question.speaker in speakers) is (question.category == IMPLICIT), question.id
        assert question.text.endswith("?") is (question.category != IMPLICIT), question.id


@pytest.mark.parametrize("name", ["coding", "household"])
def test_the_words_of_an_assistant_are_asked_where_it_said_them(name):
    conversation = only(name)
    roles = {message["message_id"]: message["role"] for message in conversation.messages}
    asked = [question for question in conversation.questions if question.category == "assistant"]
    assert len(asked) >= 10
    assert all(roles[turn] == "assistant" for question in asked for turn in question.evidence)


def test_an_answer_of_what_was_never_said_is_empty_and_a_judge_knows_what_counts():
    never = [question for question in questions(only("texting")) if question.unanswerable]
    assert {question.answer for question in never} == {""}
    assert all(question.right for question in never)


def test_a_caption_of_a_picture_is_read():
    captions = [message["caption"] for message in only("texting").messages if message["caption"]]
    assert captions[0] == "a fat grey cat asleep in a laundry basket"


def test_an_unknown_conversation_is_an_error():
    with pytest.raises(InvalidFile, match="there is no file"):
        load("weather")


def test_a_broken_file_is_an_error(tmp_path, monkeypatch):
    written = json.loads((DATA / "german.json").read_text("utf-8"))
    del written["turns"][3]["at"]
    (tmp_path / "german.json").write_text(json.dumps(written), "utf-8")
    monkeypatch.setattr(talks, "DATA", tmp_path)
    with pytest.raises(InvalidFile, match="no 'at'"):
        load("german")
