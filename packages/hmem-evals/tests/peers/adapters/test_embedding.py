"""The embedders of peers."""

import numpy as np
import pytest

from hmem.language.embed import embedder
from hmem_evals.peers.adapters.embedding import embedder_of
from hmem_evals.peers.vectors import TOKENS, vectors_of

TEXTS = ["Maria adopted a puppy.", "", "Das kostet 12 €.", "kite " * 9_000]


def test_peers_get_our_token_vectors(tmp_path) -> None:
    with vectors_of(TOKENS, tmp_path) as vectors:
        theirs = embedder_of(dict(vectors.description), lambda texts: pytest.fail(f"asked for {texts}"))
    ours = embedder("wordllama")
    assert theirs.dimension == ours.dimension
    np.testing.assert_allclose(theirs(TEXTS), ours.embed(TEXTS), atol=1e-6)
    assert theirs([]).shape == (0, 256)


def test_vectors_can_be_asked_for() -> None:
    theirs = embedder_of({"name": "lengths", "dimension": 2}, lambda texts: [[1.0, len(text)] for text in texts])
    np.testing.assert_array_equal(theirs(("a", "bb")), [[1, 1], [1, 2]])
    assert theirs([]).shape == (0, 2)
    assert theirs(["a"]).dtype == np.float32
