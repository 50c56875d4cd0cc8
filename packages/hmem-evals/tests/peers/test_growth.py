"""Speed of peers by their number of turns."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hmem.errors import InvalidQuery
from hmem_evals.peers.catalogue import Peer
from hmem_evals.peers.growth import run


def test_each_peer_is_measured_at_each_size(fake: Callable[..., Peer], tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    peers = [fake("one"), replace(fake("two"), at_once=False)]
    measured = run([20, 40], peers, home=tmp_path, queries=5, progress=lambda done, total: told.append((done, total)))
    rows = measured["rows"]
    assert [(row["name"], row["turns"]) for row in rows] == [("one", 20), ("two", 20), ("one", 40), ("two", 40)]
    assert told == [(20, 120), (40, 120), (80, 120), (120, 120)]
    for row in rows:
        assert row["add"]["turns"] == row["turns"]
        assert row["search_ms"]["p50"] > 0
        assert row["add_one_ms"]["p50"] > 0
        assert row["disk_bytes"] > row["text_bytes"] > 0
    # A question has words of its turn alone.
    assert rows[0]["found"] > 0.5


def test_a_peer_that_fails_is_told(fake: Callable[..., Peer], tmp_path: Path) -> None:
    kept: list[int] = []
    peers = [fake(breaks="add")]
    [row] = run([20], peers, home=tmp_path, queries=5, keep=lambda figures: kept.append(len(figures["rows"])))["rows"]
    assert kept == [1]
    assert (row["name"], row["turns"]) == ("fake", 20)
    assert "it takes no turns" in row["failed"]


@pytest.mark.parametrize(("sizes", "queries"), [([1], 5), ([20], 1)])
def test_too_few_turns_or_queries_are_refused(
    fake: Callable[..., Peer], tmp_path: Path, sizes: list[int], queries: int
) -> None:
    with pytest.raises(InvalidQuery, match="at least 2 turns and 2 queries - raise them"):
        run(sizes, [fake()], home=tmp_path, queries=queries)
