"""`hmem eval peers` and `hmem bench peers`."""

import json
from pathlib import Path

import pytest
from tests.benchmark_files import LOCOMO
from tests.unit.interfaces.cli.conftest import Run

from hmem_evals.commands.peers import growth_table, quality_table


def test_ours_is_measured_without_any_environment(run: Run, locomo: Path, tmp_path: Path) -> None:
    home = tmp_path / "environments"
    result = run("eval", "peers", locomo, "--peers", "flat", "--environments", home)
    assert (result.code, result.err) == (0, "")
    row = next(line for line in result.out.splitlines() if line.startswith("flat"))
    assert row.split()[1:4] == ["100.0", "100.0", "100.0"]
    assert "cores" in result.out
    assert not home.exists()


def test_a_part_of_a_file_is_spread_over_it(run: Run, tmp_path: Path) -> None:
    asked = [
        {"question": f"What did Maria adopt in {name}?", "answer": "a puppy", "category": 4, "evidence": ["D1:1"]}
        for name in range(5)
    ]
    file = tmp_path / "locomo.json"
    # The number of its questions tells a conversation.
    file.write_text(json.dumps([LOCOMO[0] | {"sample_id": f"c{n}", "qa": asked[: n + 1]} for n in range(5)]))
    measured = run("eval", "peers", file, "--peers", "flat", "--limit", 2, "--environments", tmp_path, "--json").json
    assert (measured["conversations"], measured["questions"]) == (2, 1 + 3)


def test_figures_are_kept_in_a_file(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    result = run("bench", "peers", "--turns", "20", "--peers", "flat", "--queries", 5, "--json", out)
    assert (result.code, result.out, result.err) == (0, "", f"written to {out}\n")
    assert json.loads(out.read_text())["rows"][0]["turns"] == 20


def test_growth_is_measured_by_size(run: Run, tmp_path: Path) -> None:
    options = ("--turns", "20,40", "--peers", "flat", "--queries", 5, "--environments", tmp_path, "--json")
    measured = run("bench", "peers", *options).json
    assert [(row["name"], row["turns"]) for row in measured["rows"]] == [("flat", 20), ("flat", 40)]
    assert measured["queries"] == 5


def drawn(table: str) -> list[list[str]]:
    return [line.split() for line in table.splitlines()]


def test_a_peer_that_failed_has_a_row_without_figures() -> None:
    *_, row = drawn(quality_table([{"name": "soup", "failed": "soup failed"}]))
    assert row == ["soup", *"-" * 12]


def test_what_was_not_measured_is_a_dash() -> None:
    *_, row = drawn(growth_table([{"name": "soup", "turns": 20_000, "add_one_ms": {"p50": None, "p95": None}}]))
    assert row == ["soup", "20,000", *"-" * 9]


@pytest.mark.parametrize(
    ("command", "options", "name"),
    [
        ("eval", ("--peers", "soup"), "UnknownName"),
        ("eval", ("--embedder", "soup"), "UsageError"),
        ("eval", ("--dataset", "soup"), "UsageError"),
        ("bench", ("--peers", "soup"), "UnknownName"),
        ("bench", ("--turns", "20,many"), "UsageError"),
        ("bench", ("--turns", "1"), "UsageError"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    run: Run, locomo: Path, command: str, options: tuple[str, ...], name: str
) -> None:
    given = (locomo,) if command == "eval" else ()
    result = run(command, "peers", *given, *options, "--json")
    assert (result.code, result.json["error"]["name"]) == (2, name)
