"""The list of peers."""

import ast
from pathlib import Path

import pytest

from hmem.errors import UnknownName
from hmem_evals.peers import adapters
from hmem_evals.peers.catalogue import MINILM, PEERS, Peer, select_peers

EACH = pytest.mark.parametrize("peer", [*PEERS, MINILM], ids=lambda peer: peer.name)


@EACH
def test_each_peer_has_an_adapter_that_opens_it(peer: Peer) -> None:
    file = Path(adapters.__file__).with_name(f"{peer.adapter}.py")
    body = ast.parse(file.read_text("utf-8")).body
    assigned = [ast.unparse(target) for node in body if isinstance(node, ast.Assign) for target in node.targets]
    assert "open_peer" in assigned


@EACH
def test_the_version_of_each_peer_is_fixed(peer: Peer) -> None:
    # Figures are of a version.
    assert not peer.requirements or any("==" in each for each in peer.requirements)


def test_ours_are_among_them_and_need_no_environment() -> None:
    assert [peer.name for peer in PEERS if not peer.requirements] == ["fusion", "flat"]


def test_peers_are_named_in_the_order_that_is_asked_for() -> None:
    assert [peer.name for peer in select_peers(["chroma", "fusion"])] == ["chroma", "fusion"]
    assert select_peers(None) == PEERS


def test_an_unknown_peer_is_refused() -> None:
    with pytest.raises(UnknownName, match="no peer is called 'soup' - choose of: fusion, flat"):
        select_peers(["flat", "soup"])
