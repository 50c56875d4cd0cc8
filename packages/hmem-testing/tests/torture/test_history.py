"""The history of what was done to a memory: it tells what is lost, altered or there again, and nothing else."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from hmem.model.turn import Turn
from hmem_testing.torture.history import History, OfferedTurn

AT = datetime(2025, 3, 14, tzinfo=UTC)


def turn(token: str, **fields: str) -> Turn:
    return replace(Turn(id=f"turn_{token}", text=f"We spoke of {token}.", speaker="Ada", at=AT, session="s"), **fields)


def offered(history: History, *tokens: str, kept: bool = True, old: bool = False) -> None:
    for token in tokens:
        history.offer(OfferedTurn(token, f"We spoke of {token}.", "Ada", "s", f"batch of {tokens}", old))
    for token in tokens if kept else ():
        history.acknowledge(token, f"turn_{token}")


def told(history: History, *found: Turn) -> list[str]:
    return [failure.problem for failure in history.check(found, ())]


def test_a_memory_that_holds_what_was_acknowledged_is_sound() -> None:
    history = History()
    offered(history, "zqalpha", "zqbeta")
    assert told(history, turn("zqalpha"), turn("zqbeta")) == []


def test_a_missing_turn_is_told_with_all_that_was_done_to_it() -> None:
    history = History()
    offered(history, "zqalpha")
    (failure,) = history.check([], ())
    assert failure.problem == "zqalpha was acknowledged, and is missing"
    assert [line.partition(": ")[2] for line in failure.history] == [
        "offered in batch of ('zqalpha',)",
        "acknowledged as turn_zqalpha",
    ]


def test_what_was_not_acknowledged_may_be_there_or_not_but_stays_so() -> None:
    history = History()
    offered(history, "zqalpha", kept=False)
    offered(history, "zqbeta", kept=False)
    assert told(history, turn("zqbeta")) == []
    assert told(history, turn("zqalpha")) == [
        "zqalpha is gone, and there again",
        "zqbeta was acknowledged, and is missing",
    ]


def test_a_batch_that_was_kept_in_part_is_told() -> None:
    history = History()
    offered(history, "zqalpha", "zqbeta", kept=False)
    assert told(history, turn("zqalpha")) == ["batch of ('zqalpha', 'zqbeta') was kept in part"]


def test_a_batch_whose_forgetting_was_refused_may_have_lost_turns_to_a_rule_of_retention() -> None:
    history = History()
    for token, old in (("zqalpha", False), ("zqbeta", True)):
        history.offer(OfferedTurn(token, f"We spoke of {token}.", "Ada", "s", "import", old))
        history.acknowledge(token, None)
    history.forgetting(["zqalpha", "zqbeta"], "forget")
    assert told(history, turn("zqalpha")) == []


@pytest.mark.parametrize(
    ("found", "what"),
    [
        ([turn("zqalpha"), turn("zqalpha", id="turn_2")], "zqalpha is there 2 times"),
        ([turn("zqalpha", speaker="Ben")], "zqalpha was altered: "),
        ([turn("zqalpha"), turn("zqother")], "zqother was never offered, and is there"),
    ],
)
def test_what_is_wrong_with_a_turn_is_told(found: list[Turn], what: str) -> None:
    history = History()
    offered(history, "zqalpha")
    (only,) = told(history, *found)
    assert only.startswith(what)


def test_a_forgotten_turn_must_not_be_there_and_no_byte_of_it() -> None:
    history = History()
    offered(history, "zqalpha", "zqbeta")
    history.acknowledge_erasure(history.forgetting(["zqalpha"], "forget"), "forget")
    assert history.erased_tokens() == ["zqalpha"]
    assert told(history, turn("zqalpha"), turn("zqbeta")) == ["zqalpha is gone, and there again"]


def test_a_correction_is_forgotten_with_what_it_corrects() -> None:
    history = History()
    offered(history, "zqalpha")
    history.offer(OfferedTurn("zqbeta", "We spoke of zqbeta.", "Ada", "s", "correction", corrects="zqalpha"))
    history.acknowledge("zqbeta", "turn_zqbeta")
    history.acknowledge_erasure(history.forgetting(["zqalpha"], "forget"), "forget")
    assert told(history) == []


def test_a_correction_that_is_acknowledged_after_the_forgetting_began_may_be_gone() -> None:
    history = History()
    offered(history, "zqalpha")
    history.offer(OfferedTurn("zqbeta", "We spoke of zqbeta.", "Ada", "s", "correction", corrects="zqalpha"))
    chosen = history.forgetting(["zqalpha"], "forget")
    history.acknowledge("zqbeta", "turn_zqbeta")
    history.acknowledge_erasure(chosen, "forget")
    assert told(history) == []


def test_a_rule_of_retention_may_take_old_turns_until_it_is_lifted() -> None:
    history = History()
    offered(history, "zqalpha", "zqbeta", old=True)
    offered(history, "zqgamma")
    history.retain(active=True, acknowledged=False)
    history.retain(active=True, acknowledged=True)
    assert told(history, turn("zqbeta"), turn("zqgamma")) == []
    history.retain(active=False, acknowledged=True)
    assert told(history, turn("zqbeta"), turn("zqgamma")) == []
    assert told(history, turn("zqgamma")) == ["zqbeta was acknowledged, and is missing"]


def test_a_change_that_was_acknowledged_and_is_missing_is_told() -> None:
    history = History()
    offered(history, "zqalpha")
    history.acknowledge_change("zqalpha", "change_1", undo=False)
    assert told(history, turn("zqalpha")) == ["change_1 was acknowledged, and is missing"]
