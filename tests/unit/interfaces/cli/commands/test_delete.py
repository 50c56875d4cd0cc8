"""`hmem delete`."""

from pathlib import Path

import pytest
from tests.unit.interfaces.cli.conftest import Run

from hmem import Memory


@pytest.fixture
def coco(filled: Path) -> str:
    """The id of the turn about Coco."""
    with Memory(filled) as memory:
        return memory.search("Coco", 1)[0].id


def held(path: Path) -> int:
    with Memory(path, create=False) as memory:
        return memory.stats().turns


def test_delete_takes_a_turn_away_when_told_not_to_ask(run: Run, filled: Path, coco: str) -> None:
    result = run("delete", coco, "--yes", "--memory", filled)
    assert (result.code, result.out, result.err) == (0, "deleted 1 turn and 1 vector\n", "")
    assert held(filled) == 2


def test_delete_shows_the_turn_and_asks_on_stderr(run: Run, filled: Path, coco: str) -> None:
    result = run("delete", coco, "--memory", filled, "--json", typed="y\n")
    assert result.json == {"turns": 1, "vectors": 1}
    assert "Maria: I adopted a puppy named Coco" in result.err
    assert "[y/N]" in result.err


@pytest.mark.parametrize("typed", ["n\n", "\n", ""])
def test_delete_leaves_everything_without_a_yes(run: Run, filled: Path, coco: str, typed: str) -> None:
    result = run("delete", coco, "--memory", filled, typed=typed)
    assert (result.code, result.out) == (1, "")
    assert result.err.endswith("nothing was deleted\n")
    assert held(filled) == 3


@pytest.mark.parametrize("options", [(), ("--yes",)])
def test_delete_takes_nothing_away_when_an_id_is_unknown(
    run: Run, filled: Path, coco: str, options: tuple[str, ...]
) -> None:
    result = run("delete", coco, "turn_unknown", *options, "--memory", filled, "--json")
    assert (result.code, result.json["error"]["name"]) == (2, "UnknownId")
    assert held(filled) == 3
