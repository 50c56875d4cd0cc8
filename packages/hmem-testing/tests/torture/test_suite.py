"""A short run of each test of ``hmem torture``, and what it says of a memory that loses something."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from hmem import Memory
from hmem_testing.torture.command import torture
from hmem_testing.torture.kills import Kills
from hmem_testing.torture.mix import Mix
from hmem_testing.torture.suite import ATTACKS, Attack, run

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that forks")


# What `inputs` runs, test_fuzz.py runs.
@pytest.mark.parametrize("attack", [each for each in ATTACKS if each.name != "inputs"], ids=lambda attack: attack.name)
def test_nothing_is_lost(attack: Attack, tmp_path: Path) -> None:
    (outcome,) = run([attack], tmp_path, 1, night=False)
    if outcome.skipped:
        pytest.skip(outcome.skipped)
    assert outcome.failures == ()
    assert outcome.tries


def test_what_is_lost_is_told_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check = Mix.check

    def lose(mix: Mix) -> object:
        with Memory(mix.path) as memory:
            for turn in memory.list(limit=1):
                memory.forget(turn.id)
        return check(mix)

    monkeypatch.setattr(Mix, "check", lose)
    kills = Kills(tmp_path, 3)
    kills.run(100, lambda: bool(kills.failures))
    assert any("was acknowledged, and is missing" in failure.what for failure in kills.failures)
    assert list(tmp_path.glob("memory*/after*/memory.hmem"))


def test_the_command_prints_a_line_for_each_test() -> None:
    result = CliRunner().invoke(torture, ["forks", "--scale", "0.2", "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout) | {"seconds": 0} == {
        "test": "forks",
        "tries": 1,
        "unit": "forks",
        "failures": [],
        "seconds": 0,
        "skipped": None,
    }
