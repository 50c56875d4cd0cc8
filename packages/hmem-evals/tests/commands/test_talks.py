"""`hmem eval talks`."""

from pathlib import Path

from tests.unit.interfaces.cli.conftest import Run


def test_evidence_stands_in_one_table_by_recipe_and_kind(run: Run) -> None:
    result = run("eval", "talks", "--recipes", "bm25", "--conversations", "texting")
    assert (result.code, result.err) == (0, "")
    rows = [line.split() for line in result.out.splitlines()]
    assert rows[1][:2] == ["bm25", "all"]
    assert "in 1,272 tokens" in result.out
    assert sorted(row[1] for row in rows if row[1] in ("implicit", "temporal")) == ["implicit", "temporal"]


def test_the_json_has_the_same_figures(run: Run) -> None:
    made = run("eval", "talks", "--recipes", "bm25", "--conversations", "texting", "--json").json
    assert (made["dataset"], made["conversations"], made["k"]) == ("talks", ["texting"], 10)
    [row] = made["rows"]
    assert 0 < row["recall"] < 1
    assert "adversarial" not in row["by_kind"]


def test_an_unknown_recipe_or_conversation_is_refused(run: Run, tmp_path: Path) -> None:
    assert run("eval", "talks", "--recipes", "soup", "--json").json["error"]["name"] == "UnknownName"
    assert run("eval", "talks", "--conversations", "weather", "--json").json["error"]["name"] == "InvalidFile"
