"""The right answers: what the verbatim analyst says, in the schemas of the tasks."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.fake_llm_client import EPISODE, PLAN

from hmem.language.analyst import Passage, analyst
from hmem.model.turn import Turn
from hmem_testing.fake_llm.tasks import TASKS, claim_json, claim_of

CLAIM = {
    "kind": "profile", "subject": "Maria", "slot": "home", "value": "Lisbon", "text": "Maria lives in Lisbon.",
    "positive": True, "valid_from": None, "valid_to": None,
}  # fmt: skip
LINE = {
    "when": "2023-08-11T10:00:00+00:00",
    "speaker": "Maria",
    "text": "I adopted a puppy named Coco.",
    "importance": 7,
}
WRITE: dict[str, Any] = {
    "task": "write_texts",
    "lines": [
        {"day": "2023-08-11", "said": [[1, "Maria", 7, LINE["text"]], [2, "Ben", 3, "The train was late"]]},
        {"day": "2023-08-12", "said": [[3, "", 3, "I missed my train"]]},
    ],
    "people": ["Ben"],
    "summaries": [{"n": 1, "tokens": 40, "lines": [1]}, {"n": 2, "tokens": 40, "lines": [2], "of": [1]}],
    "topics": [{"n": 1, "siblings": ["Soup is good"], "lines": [2, 3]}],
    "profiles": [{"n": 1, "tokens": 40, "name": "Coco", "type": "other", "lines": [1]}],
    "personas": [{"n": 1, "tokens": 40, "person": "Maria", "claims": [CLAIM]}],
}
ANSWER: dict[str, Any] = {
    "task": "answer",
    "question": "What is Maria's puppy called?",
    "asked": "2023-09-11T10:00:00+00:00",
    "people": ["Maria", "Ben"],
    "parts": [{"n": 1, "question": "What is Maria's puppy called?", "needs": []}],
    "evidence": [
        {"n": 4, "when": LINE["when"], "speaker": "Ben", "text": "The weather was fine in Faro."},
        {"n": 7, "when": LINE["when"], "speaker": "Maria", "text": LINE["text"]},
    ],
}


def right(task: str, data: Mapping[str, Any]) -> dict[str, Any]:
    return TASKS[task](data)


def test_an_episode_is_read_as_the_verbatim_analyst_reads_it() -> None:
    (first,) = right("read_turns", EPISODE)["turns"]
    text = EPISODE["days"][0]["said"][1][3]
    kept = Turn("1", "Maria", text, datetime(2023, 8, 11, 10, tzinfo=UTC), "s")
    statements = analyst("verbatim").events([Passage((kept,), speakers=("Maria", "Ben"))])[0][0]
    assert [each["text"] for each in first["statements"]] == [each.text for each in statements]
    assert first["statements"][0]["when"] == "2023-07-24/2023-07-30"
    assert "profile | Maria | home | Lisbon" in [claim for each in first["statements"] for claim in each["claims"]]
    assert {name.partition(" =")[0] for name in first["names"]} == {"Coco", "Lisbon"}
    assert (first["n"], right("read_turns", EPISODE)["filler"]) == (1, [2])


def test_what_still_holds_has_no_end() -> None:
    said = claim_of(CLAIM | {"valid_from": "2023-08-11T00:00:00+00:00"})
    assert claim_json(said)["valid_from"] == "2023-08-11"
    assert claim_json(said)["valid_to"] is None


def test_turns_before_are_context_and_are_not_read() -> None:
    (day,) = EPISODE["days"]
    said = [[0, "09:59", "Ben", "I moved to Faro."], *day["said"][1:]]
    assert [turn["n"] for turn in right("read_turns", EPISODE | {"days": [day | {"said": said}]})["turns"]] == [1]


def test_texts_are_written_by_their_numbers() -> None:
    made = right("write_texts", WRITE)
    assert {name: [each["n"] for each in made[name]] for name in made} == {
        "summaries": [1, 2], "topics": [1], "profiles": [1], "personas": [1]
    }  # fmt: skip
    assert all("Coco" in each["text"] for each in made["summaries"])
    assert "train" in made["topics"][0]["text"].lower()
    assert "Lisbon" in made["personas"][0]["text"]


def test_nothing_to_write_is_written_as_nothing() -> None:
    assert not any(right("write_texts", {"task": "write_texts"}).values())


def test_a_question_is_planned_in_parts_with_its_time_frame() -> None:
    parts = right("plan", PLAN | {"question": "When did Maria move to Lisbon in 2023?"})["parts"]
    assert parts[0]["answer_type"] == "time"
    assert parts[0]["entities"][0] == "Maria"
    assert parts[0]["time_from"] == "2023-01-01"
    assert parts[0]["time_to"] == "2023-12-31"
    assert parts[0]["absolute"] is True


@pytest.mark.parametrize(
    ("reply", "reaction"), [("Exactly, thank you!", "approve"), ("No, that's wrong.", "reject"), ("Lunch?", "none")]
)
def test_feedback_is_judged_by_its_words(reply: str, reaction: str) -> None:
    assert right("feedback", {"question": "Q?", "answer": "A.", "reply": reply})["reaction"] == reaction


def test_several_replies_are_judged_by_their_numbers() -> None:
    some = [{"n": n, "question": "Q?", "answer": "A.", "reply": reply} for n, reply in ((4, "Exactly!"), (7, "Lunch?"))]
    made = right("judge_replies", {"replies": some})["reactions"]
    assert [(each["n"], each["reaction"]) for each in made] == [(4, "approve"), (7, "none")]


def test_an_answer_cites_the_numbers_of_its_lines() -> None:
    made = right("answer", ANSWER)
    assert "I adopted a puppy named Coco." in made["answer"]
    assert (made["citations"], made["abstained"]) == ([7], False)
    assert made["parts"] == [{"n": 1, "answer": made["answer"], "citations": [7]}]
    assert 0 <= made["confidence"] <= 1


@pytest.mark.parametrize("evidence", [[], ANSWER["evidence"][:1]])
def test_what_the_lines_do_not_tell_is_not_answered(evidence: list[Any]) -> None:
    made = right("answer", ANSWER | {"evidence": evidence})
    assert (made["citations"], made["abstained"]) == ([], True)


@pytest.mark.parametrize(
    ("kind", "gold", "answer", "correct"),
    [
        ("single-hop", "Coco", "Her puppy is called Coco.", True),
        ("single-hop", "Coco", "Bello", False),
        ("temporal", "7 May 2023", "on 7 May 2023", True),
        ("adversarial", "", "The memory does not tell.", True),
        ("adversarial", "", "In Lisbon", False),
        ("abstention", "Not mentioned", "I don't know", True),
    ],
)
def test_an_answer_is_judged_by_the_words_it_shares(kind: str, gold: str, answer: str, correct: bool) -> None:
    data = {"question": "Q?", "gold": gold, "answer": answer, "kind": kind}
    assert right("judge_answer", data)["correct"] is correct


def test_an_answer_is_cut_to_what_answers() -> None:
    data = {
        "question": "When did Maria adopt Coco?",
        "answer": "As far as I can see, Maria adopted Coco on 28 July 2023.",
    }
    assert right("simplify_answer", data)["answer"] == "28 July 2023"
    assert right("simplify_answer", {"question": "Who?", "answer": ""})["answer"] == ""
