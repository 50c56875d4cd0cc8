"""Recorded readings of contexts."""

import json

import pytest
from click.testing import CliRunner

from hmem import Memory
from hmem.errors import InvalidFile
from hmem_evals.talks import NAMES, NEVER_SAID, load, questions
from hmem_evals.talks.drawing import drawn_ids
from hmem_evals.talks.reading import (
    READINGS,
    RECIPES,
    RECORDINGS,
    contexts,
    digest,
    interval,
    main,
    read,
    sheet,
    verdicts_by_recipe,
)

ANSWERS, VERDICTS = (READINGS / f"claude-2026-11-28-{name}.jsonl" for name in ("answers", "verdicts"))
CONTEXTS = READINGS / "claude-2026-11-28-contexts.jsonl"


def test_the_figures_are_printed_from_the_recorded_readings():
    result = CliRunner().invoke(main, ["judged", str(ANSWERS), str(VERDICTS)], catch_exceptions=False)
    lines = result.output.splitlines()
    assert [line for line in lines if line.startswith("  right:")] == [
        "  right: 93 of 104 (89.4 %); rightly declined: 16 of 16 (100.0 %)",
        "  right: 89 of 104 (85.6 %); rightly declined: 16 of 16 (100.0 %)",
    ]
    assert lines[-2] == "fusion - flat, right: -3.8 points [-9.6, +1.0], 104 questions"
    assert "  implicit                  11         7         2         0         2" in lines


def test_each_drawn_question_was_read_in_the_context_of_each_recipe():
    expected = {digest(question, recipe) for question in drawn_ids() for recipe in RECIPES}
    assert set(read(CONTEXTS)) == set(read(ANSWERS)) == set(read(VERDICTS)) == expected


def test_what_a_reader_gets_tells_neither_kind_nor_recipe_nor_answer():
    records = read(CONTEXTS).values()
    assert {name for record in records for name in record} == {"id", "speaker", "asked", "at", "context"}
    assert list(read(CONTEXTS)) == sorted(read(CONTEXTS))


def test_a_context_is_that_of_its_recipe(monkeypatch):
    monkeypatch.setattr("hmem_evals.talks.reading.load", lambda: load("texting"))
    made = {record["id"]: record for record in contexts(("bm25",), tokens=200)}
    asked = [question for question in questions(load("texting")[0]) if question.id in drawn_ids()]
    assert set(made) == {digest(question.id, "bm25") for question in asked}
    assert all(record["at"].startswith("2025-07-05T12:00") for record in made.values())


def test_a_judge_gets_the_reference_and_what_is_right_beside_the_answer():
    rows = {row["id"]: row for row in sheet(read(ANSWERS), RECIPES)}
    by_id = {question.id: question for each in load() for question in questions(each) if question.id in drawn_ids()}
    for question in by_id.values():
        row = rows[digest(question.id, "fusion")]
        assert row["right"] == question.right
        assert row["reference"] == ("(never said)" if question.category == NEVER_SAID else question.answer)
        assert "kind" not in row


def test_a_context_without_a_verdict_is_refused():
    verdicts = read(VERDICTS)
    with pytest.raises(InvalidFile, match="the verdict on"):
        verdicts_by_recipe({name: verdicts[name] for name in list(verdicts)[1:]}, RECIPES)


def test_a_verdict_that_there_is_not_is_refused():
    verdicts = {**read(VERDICTS), next(iter(read(VERDICTS))): {"verdict": "good"}}
    with pytest.raises(InvalidFile, match="is 'good'"):
        verdicts_by_recipe(verdicts, RECIPES)


def test_an_interval_holds_the_mean_and_narrows_to_it_where_all_pairs_differ_alike():
    low, high = interval([0.0] * 50 + [1.0] * 50)
    assert low < 0.5 < high
    assert interval([1.0] * 20) == (1.0, 1.0)


def test_a_file_that_is_no_json_lines_is_refused(tmp_path):
    file = tmp_path / "answers.jsonl"
    file.write_text(json.dumps({"answer": "a cat"}))
    with pytest.raises(InvalidFile, match="JSON lines"):
        read(file)


# What a model read, recorded.


# One with an assistant, and one in another language than English.
@pytest.mark.parametrize("name", ["coding", "german"])
def test_each_turn_has_a_reading_whatever_embeds_it(name):
    [conversation] = load(name)
    with Memory(":memory:", analyst=f"recorded:{RECORDINGS / name}", embedder="wordllama:64") as memory:
        memory.add(conversation.messages)
        worked = memory.model.run_jobs()
        assert (worked.turns, worked.failures, worked.left) == (len(conversation.messages), 0, 0)
        read = memory.stats().model.read
        assert (
            sum(count for made, count in read.items() if made.startswith("recorded:")) >= len(conversation.messages) - 2
        )
        assert len(memory.notes(limit=10_000)) > len(conversation.messages) / 10
        assert memory.verify().problems == ()


@pytest.mark.parametrize("name", NAMES)
def test_each_response_answers_a_request_of_its_own(name):
    requests, responses = (
        [
            json.loads(line)["custom_id"]
            for line in (RECORDINGS / name / f"{kind}.jsonl").read_text("utf-8").splitlines()
        ]
        for kind in ("requests", "responses")
    )
    assert requests == responses
    assert len(set(requests)) == len(requests)
