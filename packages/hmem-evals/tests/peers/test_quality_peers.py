"""Each real peer, in its environment under out/peers; `make hosts` installs what is missing."""

import os
from pathlib import Path

import pytest

from hmem_evals.conversations import Conversation
from hmem_evals.peers.catalogue import PEERS, Peer
from hmem_evals.peers.environment import folder_of
from hmem_evals.peers.quality import compare

HOME = Path(__file__).resolve().parents[4] / "out" / "peers"


@pytest.mark.hosts
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("peer", [peer for peer in PEERS if peer.requirements], ids=lambda peer: peer.name)
def test_a_real_peer_finds_what_it_was_told(peer: Peer, conversation: Conversation) -> None:
    if os.environ.get("HMEM_HOSTS") != "install" and not folder_of(peer, HOME).exists():
        pytest.skip(f"{', '.join(peer.requirements)}: not installed - run `make hosts`")
    [row] = compare("locomo", [conversation], [peer], home=HOME, embedder="wordllama")["rows"]
    assert row.get("failed") is None
    assert row["recall"]["5"] == 1.0
    assert row["add"]["turns"] == 3
    assert row["disk_bytes"] > 0
