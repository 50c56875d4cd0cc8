import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hmem import Memory
from hmem.errors import InvalidFile
from hmem_evals.longmemeval import load

REAL = Path("../shared/data/longmemeval-s-dev.json.gz")
on_the_real_file = pytest.mark.skipif(not REAL.exists(), reason=f"needs {REAL}")


def said(content, role="user", **more):
    return {"role": role, "content": content, **more}


def entry(**more):
    return {
        "question_id": "q1",
        "question_type": "multi-session",
        "question": "What is the dog called?",
        "question_date": "2023/06/09 (Fri) 01:44",
        "answer": "Coco",
        "answer_session_ids": ["answer_77_1"],
        "haystack_dates": ["2023/04/24 (Mon) 05:03", "2023/04/26 (Wed) 23:25"],
        "haystack_session_ids": ["sharegpt_1", "answer_77_1"],
        "haystack_sessions": [
            [said("Hi"), said("Hello", "assistant")],
            [said("I got a dog, Coco", has_answer=True), said("Lovely", "assistant", has_answer=False)],
        ],
        **more,
    }


def write(folder, *entries):
    file = folder / "longmemeval.json.gz"
    file.write_bytes(gzip.compress(json.dumps(entries or [entry()]).encode()))
    return file


def test_each_question_is_a_conversation_with_its_own_haystack(tmp_path):
    first, second = load(write(tmp_path, entry(), entry(question_id="q2", answer=3)))
    (question,) = first.questions
    assert (first.id, second.id, len(first.messages)) == ("q1", "q2", 4)
    assert (question.text, question.answer, question.category) == ("What is the dog called?", "Coco", "multi-session")
    assert question.at == datetime(2023, 6, 9, 1, 44, tzinfo=UTC)
    assert second.questions[0].answer == "3"


def test_a_turn_is_ready_for_a_memory(tmp_path):
    assert load(write(tmp_path))[0].messages[3] == {
        "text": "Lovely",
        "speaker": "assistant",
        "role": "assistant",
        "at": datetime(2023, 4, 26, 23, 25, tzinfo=UTC),
        "session": "s1",
        "message_id": "1:1",
    }


def test_evidence_is_the_turns_that_have_the_answer_and_the_gold_sessions(tmp_path):
    (question,) = load(write(tmp_path))[0].questions
    assert (question.evidence, question.sessions, question.unanswerable) == (("1:0",), ("s1",), False)


def test_a_repeated_session_id_makes_two_sittings_that_are_both_gold(tmp_path):
    repeated = entry(haystack_session_ids=["answer_77_1", "answer_77_1"])
    (conversation,) = load(write(tmp_path, repeated))
    assert conversation.questions[0].sessions == ("s0", "s1")
    assert [message["session"] for message in conversation.messages] == ["s0", "s0", "s1", "s1"]


def test_evidence_later_than_the_question_on_the_same_day_still_counts(tmp_path):
    late = entry(question_date="2023/04/26 (Wed) 07:00")
    (question,) = load(write(tmp_path, late))[0].questions
    assert question.evidence == ("1:0",)


def test_sessions_keep_their_order_though_their_times_do_not_rise_within_a_day(tmp_path):
    (conversation,) = load(write(tmp_path, entry(haystack_dates=["2023/04/26 (Wed) 23:25", "2023/04/26 (Wed) 05:03"])))
    assert [message["at"].hour for message in conversation.messages] == [23, 23, 5, 5]


def test_empty_turns_are_skipped_and_the_ids_of_the_others_do_not_move(tmp_path):
    holed = entry(haystack_sessions=[[said(""), said(" \n"), said("Hello", has_answer=True)], []])
    (conversation,) = load(write(tmp_path, holed))
    assert [message["message_id"] for message in conversation.messages] == ["0:2"]
    assert conversation.questions[0].evidence == ("0:2",)


def test_a_question_about_what_was_never_said_is_unanswerable(tmp_path):
    (question,) = load(write(tmp_path, entry(question_id="q1_abs")))[0].questions
    assert question.unanswerable


def test_a_session_id_of_the_file_is_nowhere_in_the_memory(tmp_path):
    (conversation,) = load(write(tmp_path))
    assert "answer_" not in repr(conversation.messages)
    assert "sharegpt" not in repr(conversation.messages)
    path = tmp_path / "alice.hmem"
    with Memory(path) as memory:
        memory.add(conversation.messages)
        memory.flush()
    files = [path, *(file for file in Path(f"{path}-index").rglob("*") if file.is_file())]
    assert not any(b"answer_77" in file.read_bytes() for file in files)


def test_a_turn_of_76_560_characters_is_kept_whole(tmp_path):
    long = entry(haystack_sessions=[[said("word " * 15_312)], []])
    (conversation,) = load(write(tmp_path, long))
    with Memory(tmp_path / "alice.hmem") as memory:
        (receipt,) = memory.add(conversation.messages)
        assert len(memory.get(receipt.id).text) == 76_560


@pytest.mark.parametrize("content", [b'{"a": 1}', b"[1]", b'[{"question_id": "x"}]', b"null"])
def test_a_file_of_another_format_is_named(tmp_path, content):
    file = tmp_path / "other.json"
    file.write_bytes(content)
    with pytest.raises(InvalidFile, match=r"other\.json is not in the format of LongMemEval"):
        load(file)


def test_a_haystack_that_miscounts_its_dates_is_refused(tmp_path):
    with pytest.raises(InvalidFile, match="LongMemEval"):
        load(write(tmp_path, entry(haystack_dates=["2023/04/24 (Mon) 05:03"])))


@pytest.fixture(scope="module")
def real():
    return load(REAL)


@pytest.mark.data
@on_the_real_file
def test_the_real_file_is_read_whole(real):
    assert len(real) == 101
    assert sum(len(conversation.messages) for conversation in real) == 49_705 - 6
    assert sum(conversation.questions[0].unanswerable for conversation in real) == 5
    assert max(len(message["text"]) for conversation in real for message in conversation.messages) == 76_560
    assert all(message["text"].strip() for conversation in real for message in conversation.messages)


@pytest.mark.data
@on_the_real_file
def test_every_answerable_question_of_the_real_file_has_evidence_in_its_gold_sessions(real):
    for conversation in real:
        (question,) = conversation.questions
        sessions = {message["message_id"]: message["session"] for message in conversation.messages}
        assert len(sessions) == len(conversation.messages)
        assert {sessions[name] for name in question.evidence} <= set(question.sessions)
        assert question.unanswerable or question.evidence


@pytest.mark.data
@on_the_real_file
def test_no_session_id_of_the_real_file_reaches_what_a_memory_is_given(real):
    for conversation in real:
        for message in conversation.messages:
            index, _ = message["message_id"].split(":")
            assert message["session"] == f"s{index}"
            assert set(message) == {"text", "speaker", "role", "at", "session", "message_id"}


@pytest.mark.data
@on_the_real_file
def test_the_real_file_has_evidence_later_than_its_question(real):
    late = [
        conversation.id
        for conversation in real
        if any(
            message["at"] > conversation.questions[0].at
            for message in conversation.messages
            if message["message_id"] in conversation.questions[0].evidence
        )
    ]
    assert late
