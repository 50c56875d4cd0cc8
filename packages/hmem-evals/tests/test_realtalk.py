import gzip
import json
from datetime import UTC, datetime

import pytest

from hmem.errors import InvalidFile
from hmem_evals.realtalk import load


def turn(id, text="Hello there", at="29.12.2023, 17:05:09", **more):
    return {"clean_text": text, "speaker": "Ana Reis", "date_time": at, "dia_id": id, **more}


def chat(**more):
    return {
        "name": {"speaker_1": "Ana", "speaker_2": "Bruno"},
        "session_1": [turn("D1:1"), turn("D1:4", speaker="B. Costa")],
        "session_1_date_time": "29.12.2023, 17:05:09",
        "events_session_1": {"agent_a": []},
        "qa": [{"question": "When did Annie run?", "answer": 2022, "evidence": ["D3:7 D1:4"], "category": 2}],
        **more,
    }


def write(folder, name="Chat_1_Ana_Bruno.json", **more):
    (folder / name).write_text(json.dumps(chat(**more)))
    return folder


def only(folder):
    (conversation,) = load(folder)
    return conversation


def test_a_turn_is_ready_for_a_memory(tmp_path):
    folder = write(tmp_path, session_1=[turn("D1:1", "Look!", blip_caption="a lake")])
    conversation = only(folder)
    assert conversation.id == "Chat_1_Ana_Bruno"
    assert conversation.messages == (
        {
            "text": "Look!",
            "speaker": "Ana Reis",
            "at": datetime(2023, 12, 29, 17, 5, 9, tzinfo=UTC),
            "session": "session_1",
            "caption": "a lake",
            "message_id": "D1:1",
        },
    )


def test_ids_keep_their_gaps_and_need_not_agree_with_the_session(tmp_path):
    folder = write(tmp_path, session_2=[turn("D5:2"), turn("D5:9")], session_10=[turn("D3:7")])
    kept = [(message["session"], message["message_id"]) for message in only(folder).messages]
    assert kept == [
        ("session_1", "D1:1"),
        ("session_1", "D1:4"),
        ("session_2", "D5:2"),
        ("session_2", "D5:9"),
        ("session_10", "D3:7"),
    ]


def test_questions_have_text_answers_repaired_evidence_and_a_named_category(tmp_path):
    (question,) = only(write(tmp_path)).questions
    assert (question.answer, question.evidence, question.category) == ("2022", ("D3:7", "D1:4"), "temporal")


def test_speakers_keep_the_names_of_their_turns_and_questions_theirs(tmp_path):
    conversation = only(write(tmp_path))
    assert [message["speaker"] for message in conversation.messages] == ["Ana Reis", "B. Costa"]
    assert "Annie" in conversation.questions[0].text


def test_a_turn_without_a_time_has_its_sessions(tmp_path):
    folder = write(tmp_path, session_1=[turn("D1:1", at=None)])
    assert only(folder).messages[0]["at"] == datetime(2023, 12, 29, 17, 5, 9, tzinfo=UTC)


def test_a_turn_with_neither_text_nor_caption_is_skipped(tmp_path):
    folder = write(tmp_path, session_1=[turn("D1:1", ""), turn("D1:2", "", blip_caption="a cat"), turn("D1:3", None)])
    assert [message["message_id"] for message in only(folder).messages] == ["D1:2"]


def test_a_repeated_id_stays_with_its_first_turn(tmp_path):
    folder = write(tmp_path, session_1=[turn("D1:1", "one"), turn("D1:1", "two")])
    assert [message["message_id"] for message in only(folder).messages] == ["D1:1", "D1:1#2"]


def test_a_folder_gives_a_conversation_for_each_json_file_by_name(tmp_path):
    write(tmp_path, "b.json")
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(json.dumps(chat()).encode()))
    (tmp_path / "README.md").write_text("not data")
    assert [conversation.id for conversation in load(tmp_path)] == ["a", "b"]


def test_a_folder_that_is_missing_or_has_no_data_is_named(tmp_path):
    with pytest.raises(InvalidFile, match="there is no folder"):
        load(tmp_path / "nowhere")
    with pytest.raises(InvalidFile, match="has no JSON file"):
        load(tmp_path)


@pytest.mark.parametrize(
    "more",
    [
        {"session_1": []},
        {"session_1": [{"clean_text": "x"}]},
        {"session_1": [turn("D1:1", at="2023-12-29")]},
        {"session_1": [turn("D1:1", at=None)], "session_1_date_time": None},
        {"qa": [{"question": "x", "category": 9}]},
    ],
)
def test_a_file_of_another_format_is_named(tmp_path, more):
    with pytest.raises(InvalidFile, match=r"Chat_1_Ana_Bruno\.json is not in the format of REALTALK"):
        load(write(tmp_path, **more))
