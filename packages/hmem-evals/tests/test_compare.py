import json
from dataclasses import replace
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
from hmem_evals.talks import load

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
    assert row.built_recipe.name == row.recipe
    assert row in ABLATIONS[row.recipe]


def test_all_recipes_and_the_baselines_are_compared_each_with_its_ablations_below_it():
    found = rows()
    assert [row.recipe for row in found if not row.name] == list(RECIPES)
    assert {"bm25", "vector"} <= set(RECIPES)
    names = [(row.recipe, row.name) for row in found]
    assert names.index(("layered", "")) + 1 == names.index(("layered", "without routing"))


def test_an_ablation_that_changes_nothing_is_left_out():
    assert all(row.built_recipe != recipe(row.recipe) for row in rows() if row.name)


def test_recipes_can_be_chosen_and_ablations_left_out():
    assert rows(["flat", "layered"], ablations=False) == [Row("flat"), Row("layered")]
    assert len(rows(["layered"])) == 1 + len(ABLATIONS["layered"])


def test_an_unknown_recipe_is_refused():
    with pytest.raises(UnknownName, match="no recipe is called 'soup' - choose one of: fusion"):
        rows(["flat", "soup"])


def test_a_row_has_the_evidence_that_it_finds():
    [row] = compare("made-up", [conversation("a"), conversation("b")], recipes=["flat"])["rows"]
    alone = evaluate("made-up", [conversation("a"), conversation("b")], recipe="flat")
    # One that is not answered by what was said counts for nothing.
    assert (row["questions"], row["difference"]) == (2, None)
    assert row["recall"] == alone["recall"]["10"]
    assert row["in_context"]["1272"] == alone["budget"]["recall"]
    assert {kind: part["questions"] for kind, part in row["by_kind"].items()} == {"temporal": 2}


def test_a_recipe_is_compared_with_flat_and_an_ablation_with_its_recipe():
    flat, layered, *parts = compare("made-up", [conversation()], recipes=["flat", "layered"])["rows"]
    low, high = layered["difference"]["recall"][1:]
    assert low <= layered["recall"] - flat["recall"] <= high
    for part in parts:
        mean, low, high = part["difference"]["in_context"]["600"]
        assert mean == pytest.approx(part["in_context"]["600"] - layered["in_context"]["600"], abs=1e-3)
        assert low <= mean <= high


def test_more_tokens_hold_no_less_evidence():
    whole = load("texting")[0]
    [row] = compare("talks", [replace(whole, questions=whole.questions[:10])], recipes=["bm25"])["rows"]
    shares = list(row["in_context"].values())
    assert shares == sorted(shares)
    assert shares[-1] > 0


def test_what_was_never_said_has_no_evidence_and_is_not_asked():
    whole = load("texting")[0]
    never = replace(whole, questions=tuple(each for each in whole.questions if each.unanswerable))
    [row] = compare("talks", [never], recipes=["bm25"])["rows"]
    assert (row["questions"], row["recall"], row["by_kind"]) == (0, None, {})


def test_rows_say_what_they_are():
    made = compare("made-up", [conversation()], recipes=["layered"])
    assert (made["dataset"], made["conversations"], made["recorded"]) == ("made-up", ["c"], False)
    whole, *parts = made["rows"]
    assert (whole["name"], whole["ablates"], whole["without"]) == ("layered", None, [])
    assert [part["ablates"] for part in parts] == ["layered"] * len(parts)
    assert parts[0]["without"] == ["routing"]
    assert [part["settings"] for part in parts[-2:]] == [
        {"routing.beam": "per-parent"}, {"routing.similarity": "semantic", "context.filled": "false"},
    ]  # fmt: skip
    assert json.loads(json.dumps(made)) == made


def test_every_ablation_of_a_paper_has_a_row():
    named = {recipe: {row.name for row in rows([recipe])} for recipe in RECIPES}
    assert named["notes-episodes"] >= {
        "without reconcile", "without hierarchy", "without notes", "without episodes", "without topic-channel",
        "without surprise-channel",
    }  # fmt: skip
    assert "graph-based" in named["orchestrated"]
    assert all("as published" in named[name] for name in named if name not in ("fusion", "flat", "bm25", "vector"))


def test_rows_that_recall_differently_share_what_was_formed(monkeypatch: pytest.MonkeyPatch):
    formed: list[str] = []
    fill = module._fill

    def counted(folder: Path, made: Conversation, row: Row, *more: Any) -> None:
        formed.append(row.name or row.recipe)
        fill(folder, made, row, *more)

    monkeypatch.setattr(module, "_fill", counted)
    compare("made-up", [conversation()], recipes=["layered"])
    assert formed == ["layered", "without layers"]


def test_no_row_sees_the_uses_of_another():
    first = compare("made-up", [conversation()], recipes=["orchestrated"])["rows"]
    [alone] = compare("made-up", [conversation()], recipes=["orchestrated"], ablations=False)["rows"]
    assert first[0]["recall"] == alone["recall"]


def test_progress_is_told_of_every_question_of_every_row():
    told = []
    compare(
        "made-up", [conversation()], recipes=["flat", "bm25"], progress=lambda done, total: told.append((done, total))
    )
    assert told == [(1, 2), (2, 2)]
