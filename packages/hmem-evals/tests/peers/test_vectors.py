"""The embedder that peers share."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from hmem.language.embed import embedder
from hmem_evals.peers.process import PeerProcess
from hmem_evals.peers.vectors import ENCODER, TOKENS, Vectors, vectors_of


class Model:
    """Stands in for the process of a model: the vector of a text is its length."""

    def __init__(self) -> None:
        self.asked: list[Sequence[str]] = []

    def ask(self, do: str, **request: Any) -> dict[str, Any]:
        if do == "about":
            return {"result": {"versions": {"model": "1"}}}
        self.asked.append(request["texts"])
        return {"result": [[float(len(text))] for text in request["texts"]], "cpu_ms": 10.0}


def test_token_vectors_are_told_by_their_files(tmp_path: Path) -> None:
    with vectors_of(TOKENS, tmp_path) as vectors:
        assert all(Path(vectors.description[kind]).is_file() for kind in ("weights", "tokenizer"))
        assert vectors.summary == {"name": "wordllama"}


def test_the_encoder_runs_in_a_process_of_its_own(tmp_path: Path) -> None:
    texts = ["Maria adopted a puppy.", ""]
    with vectors_of(ENCODER, tmp_path) as vectors:
        np.testing.assert_array_equal(np.array(vectors.embed(texts), np.float32), embedder(ENCODER).embed(texts))
        assert "hmem-encoder" in vectors.summary["versions"]


def test_a_model_embeds_each_text_once() -> None:
    model = Model()
    vectors = Vectors("minilm", {"dimension": 1}, cast("PeerProcess", model))
    assert vectors.embed(["a", "bb", "a"]) == [[1.0], [2.0], [1.0]]
    assert vectors.embed(["bb", "ccc"]) == [[2.0], [3.0]]
    assert model.asked == [["a", "bb"], ["ccc"]]
    assert vectors.summary == {"name": "minilm", "versions": {"model": "1"}, "cpu_ms_per_text": 6.67}
