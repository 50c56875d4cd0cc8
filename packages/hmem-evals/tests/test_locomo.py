import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hmem.errors import InvalidFile
from hmem_evals.locomo import CATEGORIES, load

REAL = Path("../shared/data/locomo-dev.json")
on_the_real_file = pytest.mark.skipif(not REAL.exists(), reason=f"needs {REAL}")


def turn(id, text="Hello there", **more):
    return {"speaker": "Maria", "dia_id": id, "text": text, **more}


def asked(category=4, evidence=("D1:1",), answer="Coco", **more):
    return {"question": "What?", "answer": answer, "category": category, "evidence": list(evidence), **more}


def write(folder, turns=None, questions=(), **sessions):
    spoken = {
        "speaker_a": "Maria",
        "speaker_b": "John",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": turns or [turn("D1:1")],
        **sessions,
    }
    file = folder / "locomo.json"
    file.write_text(json.dumps([{"sample_id": "conv-1", "conversation": spoken, "qa": list(questions)}]))
    return file


def only(path):
    (conversation,) = load(path)
    return conversation


def test_a_turn_is_ready_for_a_memory(tmp_path):
    (message,) = only(write(tmp_path, [turn("D1:01", "Look!", blip_caption="a photo of a puppy")])).messages
    assert message == {
        "text": "Look!",
        "speaker": "Maria",
        "at": datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
        "session": "session_1",
        "caption": "a photo of a puppy",
        "message_id": "D1:1",
    }


def test_a_date_at_noon_or_midnight_is_read_by_the_twelve_hour_clock(tmp_path):
    second = {"session_2_date_time": "12:09 am on 13 September, 2023", "session_2": [turn("D2:1")]}
    assert only(write(tmp_path, **second)).messages[1]["at"] == datetime(2023, 9, 13, 0, 9, tzinfo=UTC)


def test_sessions_come_by_number_and_those_without_turns_are_skipped(tmp_path):
    sessions = {
        "session_10_date_time": "1:00 pm on 10 May, 2023",
        "session_10": [turn("D10:1")],
        "session_2_date_time": "1:00 pm on 9 May, 2023",
        "session_2": [turn("D2:1")],
        "session_3_date_time": "1:00 pm on 11 May, 2023",
        "session_4_date_time": "1:00 pm on 12 May, 2023",
        "session_4": [],
    }
    kept = [message["session"] for message in only(write(tmp_path, **sessions)).messages]
    assert kept == ["session_1", "session_2", "session_10"]


def test_a_turn_with_only_a_caption_is_kept_and_one_with_nothing_is_not(tmp_path):
    turns = [turn("D1:1", "", blip_caption="a lake"), turn("D1:2", " "), turn("D1:3", "Yes")]
    assert [message["message_id"] for message in only(write(tmp_path, turns)).messages] == ["D1:1", "D1:3"]


def test_evidence_is_repaired_and_a_question_may_have_none(tmp_path):
    questions = [asked(evidence=["D8:6; D9:17", "D:11:26", "D30:05"]), asked(evidence=["D"]), asked(evidence=[])]
    found = [question.evidence for question in only(write(tmp_path, questions=questions)).questions]
    assert found == [("D8:6", "D9:17", "D11:26", "D30:5"), (), ()]


def test_the_five_categories_have_the_names_of_the_paper(tmp_path):
    questions = [asked(category=number) for number in range(1, 6)]
    names = [question.category for question in only(write(tmp_path, questions=questions)).questions]
    assert names == ["multi-hop", "temporal", "open-domain", "single-hop", "adversarial"]


def test_an_integer_answer_becomes_text(tmp_path):
    (question,) = only(write(tmp_path, questions=[asked(answer=2022)])).questions
    assert question.answer == "2022"


def test_an_adversarial_question_is_unanswerable_whatever_it_lures_to(tmp_path):
    lure = {"question": "What?", "adversarial_answer": "tea", "category": 5, "evidence": ["D1:1"]}
    for written in (lure, {**lure, "answer": "tea"}):
        (question,) = only(write(tmp_path, questions=[written])).questions
        assert (question.answer, question.unanswerable, question.evidence) == ("", True, ("D1:1",))


@pytest.mark.parametrize(
    "content",
    [
        '{"a": 1}',
        "[1]",
        '[{"sample_id": "x"}]',
        "7",
        '[{"sample_id": "x", "conversation": {"session_1": [{}]}, "qa": []}]',
    ],
)
def test_a_file_of_another_format_is_named(tmp_path, content):
    file = tmp_path / "other.json"
    file.write_text(content)
    with pytest.raises(InvalidFile, match=r"other\.json is not in the format of LoCoMo"):
        load(file)


def test_a_date_of_another_form_and_an_unknown_category_are_named(tmp_path):
    with pytest.raises(InvalidFile, match="2023-05-08"):
        load(write(tmp_path, session_1_date_time="2023-05-08"))
    with pytest.raises(InvalidFile, match="no 6"):
        load(write(tmp_path, questions=[asked(category=6)]))


@pytest.mark.data
@on_the_real_file
def test_the_real_file_is_read_whole():
    conversations = load(REAL)
    assert [conversation.id for conversation in conversations] == [
        "conv-26",
        "conv-30",
        "conv-41",
        "conv-42",
        "conv-43",
    ]
    messages = [message for conversation in conversations for message in conversation.messages]
    questions = [question for conversation in conversations for question in conversation.questions]
    assert (len(messages), len(questions)) == (2_760, 999)
    assert sum(message["caption"] is not None for message in messages) == 602
    assert {question.category for question in questions} == set(CATEGORIES.values())
    assert all(isinstance(question.answer, str) for question in questions)
    assert sum(question.unanswerable for question in questions) == 237


@pytest.mark.data
@on_the_real_file
def test_all_evidence_of_the_real_file_names_turns_but_for_two_questions():
    answerable = 0
    for conversation in load(REAL):
        ids = [message["message_id"] for message in conversation.messages]
        assert len(set(ids)) == len(ids)
        known = set(ids)
        answerable += sum(
            bool(known.intersection(question.evidence))
            for question in conversation.questions
            if not question.unanswerable
        )
    assert answerable == 760
