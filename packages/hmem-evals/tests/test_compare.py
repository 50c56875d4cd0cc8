import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hmem.errors import UnknownName
from hmem.recipes import RECIPES, recipe
from hmem_evals import compare as module
from hmem_evals.compare import ABLATIONS, Row, compare, rows
from hmem_evals.conversations import Conversation, Question
from hmem_evals.run import evaluate

AT = datetime(2023, 5, 8, tzinfo=UTC)
SUBJECTS = ("puppy", "violin", "bicycle", "lighthouse")


def conversation(name="c"):
    messages = tuple(
        {"text": f"I spent the day with the {subject}.", "speaker": "Ana", "at": AT + timedelta(days=day),
         "session": f"s{day}", "caption": None, "message_id": f"{day}:0"}
        for day, subject in enumerate(SUBJECTS)
    )  # fmt: skip
    questions = (
        Question(f"{name}:0", "When was Ana busy with a violin?", "9 May 2023", "temporal", ("1:0",)),
        Question(f"{name}:1", "Who sold the yacht?", "", "adversarial", ("2:0",), unanswerable=True),
    )
    return Conversation(name, messages, questions)


@pytest.mark.parametrize("row", [row for of_one in ABLATIONS.values() for row in of_one], ids=str)
def test_each_ablation_can_be_made_of_its_recipe(row):
    assert row.made.name == row.recipe
    assert row in ABLATIONS[row.recipe]


def test_all_recipes_and_the_baselines_are_compared_each_with_its_ablations_below_it():
    found = rows()
    assert [row.recipe for row in found if not row.name] == list(RECIPES)
    assert {"bm25", "vector"} <= set(RECIPES)
    names = [(row.recipe, row.name) for row in found]
    assert names.index(("layered", "")) + 1 == names.index(("layered", "without routing"))


def test_an_ablation_that_changes_nothing_is_left_out():
    assert all(row.made != recipe(row.recipe) for row in rows() if row.name)


def test_recipes_can_be_chosen_and_ablations_left_out():
    assert rows(["flat", "layered"], ablations=False) == [Row("flat"), Row("layered")]
    assert len(rows(["layered"])) == 1 + len(ABLATIONS["layered"])


def test_an_unknown_recipe_is_refused():
    with pytest.raises(UnknownName, match="no recipe is called 'soup' - choose one of: fusion"):
        rows(["flat", "soup"])


def test_a_row_has_the_figures_of_an_evaluation():
    [row] = compare("made-up", [conversation("a"), conversation("b")], recipes=["flat"])["rows"]
    alone = evaluate("made-up", [conversation("a"), conversation("b")], recipe="flat")
    assert set(row) == {*alone, "name", "ablates", "settings"}
    for name in ("recall", "session", "mrr", "questions", "embedder", "by_category", "budget"):
        assert row[name] == alone[name]
    assert row["answer"]["f1"] == alone["answer"]["f1"]
    assert row["ingest"]["turns"] == 8


def test_rows_say_what_they_are():
    made = compare("made-up", [conversation()], recipes=["layered"])
    assert made["dataset"] == "made-up"
    whole, *parts = made["rows"]
    assert (whole["name"], whole["ablates"], whole["without"]) == ("layered", None, [])
    assert [part["ablates"] for part in parts] == ["layered"] * len(parts)
    assert parts[0]["without"] == ["routing"]
    assert [part["settings"] for part in parts[-2:]] == [
        {"routing.beam": "per-parent"}, {"routing.similarity": "semantic"},
    ]  # fmt: skip
    assert json.loads(json.dumps(made)) == made


def test_every_ablation_of_a_paper_has_a_row():
    named = {recipe: {row.name for row in rows([recipe])} for recipe in RECIPES}
    assert named["notes-episodes"] >= {
        "without reconcile", "without hierarchy", "without notes", "without episodes", "without topic-channel",
        "without surprise-channel",
    }  # fmt: skip
    assert "graph-based" in named["orchestrated"]
    assert "graph.similarity=semantic" in named["evolving"]


def test_rows_that_recall_differently_share_what_was_formed(monkeypatch: pytest.MonkeyPatch):
    shared: list[set[str]] = []
    fill = module._fill

    def counted(folder: Path, made: Conversation, sharing: Any) -> None:
        shared.append({run.row.name or run.row.recipe for run in sharing})
        fill(folder, made, sharing)

    monkeypatch.setattr(module, "_fill", counted)
    whole, routing, layers, beam, meaning = compare("made-up", [conversation()], recipes=["layered"])["rows"]
    assert whole["ingest"] == routing["ingest"] == beam["ingest"]
    assert sorted(shared, key=len) == [{layers["name"]}, {each["name"] for each in (whole, routing, beam, meaning)}]


def test_no_row_sees_the_uses_of_another():
    first = compare("made-up", [conversation()], recipes=["orchestrated"])["rows"]
    [alone] = compare("made-up", [conversation()], recipes=["orchestrated"], ablations=False)["rows"]
    assert first[0]["tiers"] == alone["tiers"]
    assert first[0]["recall"] == alone["recall"]


def test_progress_is_told_of_every_question_of_every_row():
    told = []
    compare(
        "made-up", [conversation()], recipes=["flat", "bm25"], progress=lambda done, total: told.append((done, total))
    )
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
