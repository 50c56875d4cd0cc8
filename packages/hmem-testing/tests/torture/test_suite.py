"""A short run of each test of ``hmem torture``, and what it says of a memory that loses something."""

import json
import os
import random
from dataclasses import replace
from pathlib import Path
from pkgutil import resolve_name

import pytest
from click.testing import CliRunner

from hmem import Branch, Memory
from hmem.model.node import TreeName
from hmem_testing.torture import faults
from hmem_testing.torture.command import torture
from hmem_testing.torture.contention import LocalWorker
from hmem_testing.torture.formed import _leaves
from hmem_testing.torture.kills import Kills
from hmem_testing.torture.mix import Mix
from hmem_testing.torture.suite import ATTACKS, Attack, run
from hmem_testing.torture.worker import Refused

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that forks")


# Of a short run; what each attack is about has tests of its own besides.
SCALE = 0.4


# What `inputs` runs, test_fuzz.py runs.
@pytest.mark.parametrize("attack", [each for each in ATTACKS if each.name != "inputs"], ids=lambda attack: attack.name)
def test_nothing_is_lost(attack: Attack, tmp_path: Path) -> None:
    (outcome,) = run([attack], tmp_path, 1, night=False, scale=SCALE)
    if outcome.skipped:
        pytest.skip(outcome.skipped)
    assert outcome.failures == ()
    assert outcome.tries


@pytest.mark.parametrize("function", faults.FUNCTIONS)
def test_what_an_error_is_raised_in_exists(function: str) -> None:
    assert callable(resolve_name(function))


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
    assert any("was acknowledged, and is missing" in failure.problem for failure in kills.failures)
    assert list(tmp_path.glob("memory*/after*/memory.hmem"))


# Each property is broken once: the harness must tell it.


@pytest.fixture
def mix(tmp_path: Path) -> Mix:
    """A mix after some operations, whose memory is sound."""
    made = Mix(tmp_path, random.Random(2))
    with Memory(made.path) as memory:
        here = LocalWorker(memory)
        for verb in ("batch", "batch", "add", "correct", "forget"):
            made.attempt(verb, here, made.rng)
    return made


@pytest.fixture
def unerased(tmp_path: Path) -> Mix:
    """The same of a memory in which nothing was erased."""
    made = Mix(tmp_path / "unerased", random.Random(2))
    with Memory(made.path) as memory:
        here = LocalWorker(memory)
        for verb in ("batch", "batch", "add", "correct", "consolidate", "batch"):
            made.attempt(verb, here, made.rng)
    return made


def told(mix: Mix) -> str:
    return "; ".join(failure.problem for failure in mix.check(keep=False))


def test_the_talk_of_the_mix_is_formed(mix: Mix) -> None:
    assert told(mix) == ""
    with Memory(mix.path) as memory:
        assert len(memory.notes(limit=100)) >= 3
        assert memory.events()


def test_lost_notes_are_told_by_verify_and_by_the_twin(mix: Mix) -> None:
    with Memory(mix.path) as memory, memory.corpus.reading():
        derived = memory._components.formation.derived
        derived.catch_up()
        for note in derived.notes.all()[::2]:
            derived.notes.replace(note.turn, ())
        assert derived.store(derived.at.watermark)
    assert "the notes of" in (what := told(mix))
    assert "notes formed otherwise" in what


def test_a_tree_that_is_formed_otherwise_is_told_by_the_twin(mix: Mix, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Memory.tree

    def less(memory: Memory, name: TreeName) -> Branch:
        branch = shown(memory, name)
        return replace(branch, children=()) if name == "calendar" and "twin" in memory.stats().path else branch

    monkeypatch.setattr(Memory, "tree", less)
    assert "calendar formed otherwise" in told(mix)


@pytest.mark.parametrize("tree", ["topic", "layers", "evolution"])
def test_a_tree_of_another_form_is_told_where_nothing_was_erased(
    tree: str, unerased: Mix, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = Memory.tree

    def flat(memory: Memory, name: TreeName) -> Branch:
        branch = shown(memory, name)
        other = name == tree and "twin" in memory.stats().path
        return replace(branch, leaves=sorted(_leaves(branch)), children=()) if other else branch

    assert told(unerased) == ""
    monkeypatch.setattr(Memory, "tree", flat)
    assert f"{tree} formed otherwise" in told(unerased)


def test_another_label_of_a_layer_is_told_where_nothing_was_erased(
    unerased: Mix, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = Memory.tree

    def relabelled(memory: Memory, name: TreeName) -> Branch:
        branch = shown(memory, name)
        if name != "layers" or "twin" not in memory.stats().path:
            return branch
        first, *others = branch.children
        other = replace(first, node=replace(first.node, label="another domain"))
        return replace(branch, children=(other, *others))

    monkeypatch.setattr(Memory, "tree", relabelled)
    assert "layers formed otherwise" in told(unerased)


def test_an_erased_word_in_any_file_is_told(mix: Mix) -> None:
    assert told(mix) == ""
    (erased, *_) = mix.history.erased_tokens()
    mix.path.with_name(f"{mix.path.name}-left").write_text(f"of {erased.upper()}")
    assert f"{erased} is erased, and stands in memory.hmem-left" in told(mix)


def test_a_turn_that_is_there_and_not_found_is_told(mix: Mix, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Memory, "search", lambda *_, **__: ())
    assert "is there, and not found" in told(mix)


def test_an_error_that_is_not_hmems_is_told(mix: Mix) -> None:
    class Raw:
        def order(self, verb: str, *arguments: object) -> object:
            raise Refused("KeyError: 'raw'")

    assert not mix.attempt("add", Raw(), mix.rng)
    assert "add: KeyError: 'raw'" in told(mix)


def test_a_process_that_dies_of_an_error_within_formation_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # An operation itself, which nothing contains.
    monkeypatch.setattr(faults, "FUNCTIONS", ("hmem.api.memory:Memory.add",))
    monkeypatch.setattr(faults, "INTERVALS", (1,))
    monkeypatch.setattr(faults, "ERRORS", ("ValueError",))
    _, failures = faults.raised_errors(tmp_path, 1, 1)
    assert any("died of a ValueError in hmem.api.memory:Memory.add" in failure.problem for failure in failures)


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
