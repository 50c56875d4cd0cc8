"""The attack on the log tells what it is for: each property is broken once."""

import os
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from hmem import Memory
from hmem.errors import MemoryDamaged
from hmem.model.report import Verification
from hmem.model.turn import Turn
from hmem_testing.torture.contention import LocalWorker
from hmem_testing.torture.history import Fate
from hmem_testing.torture.mix import Mix
from hmem_testing.torture.wal import Checkpointed, damaged_logs, problems_of

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that forks")


@pytest.fixture
def mix(tmp_path: Path) -> Mix:
    """A mix whose memory has two transactions, and is closed."""
    made = Mix(tmp_path / "memory", random.Random(4))
    with Memory(made.path) as memory:
        for _ in range(2):
            made.attempt("batch", LocalWorker(memory), made.rng)
    return made


def told(mix: Mix, *, checkpointed: bool = True, sound: bool = True) -> str:
    known = Checkpointed(b"", mix.history.fates() if checkpointed else {})
    return "; ".join(what for what, _ in problems_of(mix.path, mix, known, sound=sound))


def without(places: slice, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the memory list all turns but some, in the order in which they were added."""
    listed = Memory.list

    def less(memory: Memory, *, limit: int) -> Sequence[Turn]:
        turns = sorted(listed(memory, limit=limit), key=lambda turn: turn.id)
        del turns[places]
        return turns

    monkeypatch.setattr(Memory, "list", less)


def test_a_sound_memory_is_sound(mix: Mix) -> None:
    assert told(mix) == ""


def test_a_lost_turn_that_was_checkpointed_is_told(mix: Mix, monkeypatch: pytest.MonkeyPatch) -> None:
    without(slice(0, 1), monkeypatch)
    assert "was checkpointed, and is missing" in told(mix)


def test_a_damaged_file_must_be_told_by_hmem(mix: Mix, monkeypatch: pytest.MonkeyPatch) -> None:
    without(slice(0, 1), monkeypatch)
    assert "was checkpointed, and is missing, and nothing tells it" in told(mix, sound=False)
    monkeypatch.setattr(Memory, "verify", lambda _: Verification(("the file is damaged",), {}))
    assert told(mix, sound=False) == ""
    assert "the file is damaged" in told(mix)


def test_a_turn_without_those_before_it_is_told(mix: Mix, monkeypatch: pytest.MonkeyPatch) -> None:
    (first, *_) = mix.history.turns()
    count = len([turn for turn in mix.history.turns() if turn.batch == first.batch])
    without(slice(0, count), monkeypatch)
    what = told(mix, checkpointed=False)
    assert f"is there, and {first.token} before it is not" in what
    assert "in part" not in what


def test_a_batch_of_which_a_part_is_left_is_told(mix: Mix, monkeypatch: pytest.MonkeyPatch) -> None:
    without(slice(-1, None), monkeypatch)
    assert told(mix, checkpointed=False) == f"{mix.history.turns()[-1].batch} was kept in part"


def test_a_turn_that_was_gone_and_is_there_is_told(mix: Mix) -> None:
    turn = mix.history.turns()[0]
    turn.erased, turn.fate = True, Fate.ERASED
    assert told(mix) == f"{turn.token} is gone, and there again"


def test_a_raw_error_is_told(mix: Mix, monkeypatch: pytest.MonkeyPatch) -> None:
    def raw(_: Memory) -> None:
        raise KeyError("raw")

    monkeypatch.setattr(Memory, "verify", raw)
    assert told(mix, sound=False) == "KeyError: 'raw'"


def test_a_memory_that_does_not_open_is_told_unless_its_file_is_damaged(
    mix: Mix, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(_: Memory) -> None:
        raise MemoryDamaged("it is damaged")

    monkeypatch.setattr(Memory, "verify", damaged)
    assert told(mix, sound=False) == ""
    assert told(mix) == "MemoryDamaged: it is damaged"


def test_a_log_that_is_not_taken_up_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The damage of this test loses what was checkpointed as well.
    def everything_lost(mix: Mix, folder: Path, *, checkpointed: bool) -> Path:
        folder.mkdir()
        with Memory(folder / "memory.hmem") as memory:
            memory.add("Another memory.")
        (folder / "memory.hmem-wal").write_bytes(bytes(100))
        return folder / "memory.hmem"

    monkeypatch.setattr("hmem_testing.torture.wal._copy", everything_lost)
    _, failures = damaged_logs(tmp_path, 1, 1)
    assert any("is missing, and nothing tells it" in failure.problem for failure in failures)
    assert failures[0].history
    assert list(tmp_path.glob("memory0-*/memory.hmem"))
