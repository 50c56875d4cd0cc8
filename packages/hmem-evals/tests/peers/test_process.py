"""A peer in a process of its own."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hmem.errors import HmemError
from hmem_evals.peers.catalogue import Peer
from hmem_evals.peers.process import PeerProcess

PYTHON = Path(sys.executable)
TURN = {"id": "D1:1", "said": "Maria: adopted a puppy"}

FAKE = {"name": "fake", "dimension": 2}


def test_a_peer_keeps_turns_and_finds_them(fake: Callable[..., Peer], tmp_path: Path) -> None:
    with PeerProcess(fake(), PYTHON, tmp_path) as process:
        process.ask("open", folder=str(tmp_path / "peer"))
        process.ask("add", turns=[TURN])
        process.ask("finish")
        reply = process.ask("search", query="who adopted a puppy", k=5, at=None)
        about = process.ask("about", packages=["numpy"])["result"]
    assert reply["result"] == ["D1:1"]
    assert reply["ms"] > 0
    assert reply["cpu_ms"] >= 0
    assert (tmp_path / "peer" / "turns.json").exists()
    assert about["rss_bytes"] > 1_000_000
    assert set(about["versions"]) == {"numpy"}


def test_what_a_peer_prints_is_no_reply(fake: Callable[..., Peer], tmp_path: Path) -> None:
    with PeerProcess(fake(loud=True), PYTHON, tmp_path) as process:
        assert process.ask("open", folder=str(tmp_path))["result"] is None


def test_a_peer_that_fails_is_told_with_its_last_words(fake: Callable[..., Peer], tmp_path: Path) -> None:
    with PeerProcess(fake(breaks="add"), PYTHON, tmp_path) as process:
        process.ask("open", folder=str(tmp_path))
        with pytest.raises(HmemError, match=r"fake failed \(ValueError: it takes no turns\) - leave it out"):
            process.ask("add", turns=[TURN])
        with pytest.raises(HmemError, match="fake failed"):
            process.ask("finish")


def test_a_peer_gets_the_vectors_that_it_asks_for(fake: Callable[..., Peer], tmp_path: Path) -> None:
    asked: list[list[str]] = []

    def embed(texts: list[str]) -> list[list[float]]:
        asked.append(texts)
        return [[0.0, 1.0] for _ in texts]

    with PeerProcess(fake(embeds=True), PYTHON, tmp_path, embedder=FAKE, embed=embed) as process:
        process.ask("open", folder=str(tmp_path))
        process.ask("search", query="who", k=1, at=None)
    assert asked == [["who"]]


def test_a_peer_that_asks_for_vectors_nobody_has_is_told(fake: Callable[..., Peer], tmp_path: Path) -> None:
    with PeerProcess(fake(embeds=True), PYTHON, tmp_path, embedder=FAKE) as process:
        process.ask("open", folder=str(tmp_path))
        with pytest.raises(HmemError, match="fake asked for vectors of a model - give it an embedder"):
            process.ask("search", query="who", k=1, at=None)
