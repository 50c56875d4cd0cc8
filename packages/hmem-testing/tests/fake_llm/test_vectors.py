"""Embeddings and rerankings."""

import base64
from typing import Any

import numpy as np
import pytest
from tests.fake_llm_client import Asker

from hmem.language.embed import embedder
from hmem_testing.fake_llm import ReplyRule, StandIn


def embedded(asker: Asker, **body: Any) -> Any:
    status, made = asker.post("/v1/embeddings", {"model": "m", **body})
    assert status == 200, made
    return made


def test_vectors_are_those_of_the_bundled_embedder_in_the_order_of_the_texts(asker: Asker) -> None:
    texts = ["Maria adopted a puppy", "It rained all day"]
    made = embedded(asker, input=texts)
    assert [each["index"] for each in made["data"]] == [0, 1]
    assert np.allclose([each["embedding"] for each in made["data"]], embedder("wordllama").embed(texts), atol=1e-6)
    assert made["usage"]["total_tokens"] > 0


def test_base64_holds_the_same_numbers(asker: Asker) -> None:
    plain = embedded(asker, input="a puppy")["data"][0]["embedding"]
    packed = embedded(asker, input="a puppy", encoding_format="base64")["data"][0]["embedding"]
    assert np.allclose(np.frombuffer(base64.b64decode(packed), "<f4"), plain)


@pytest.mark.parametrize("dimensions", [64, 256, 1_536])
def test_dimensions_are_cut_or_filled_up_and_the_length_stays_one(asker: Asker, dimensions: int) -> None:
    made = np.array(embedded(asker, input="a puppy", dimensions=dimensions)["data"][0]["embedding"])
    assert made.shape == (dimensions,)
    assert np.linalg.norm(made) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    "body",
    [{"input": ""}, {"input": ["a", ""]}, {"input": []}, {"input": [[1, 2]]}, {"input": ["a"] * 2_049},
     {"input": "a", "dimensions": 0}, {"input": "a", "dimensions": "8"}],
)  # fmt: skip
def test_what_a_real_endpoint_refuses_is_refused(asker: Asker, body: dict[str, Any]) -> None:
    assert asker.post("/v1/embeddings", body)[0] == 400


@pytest.mark.parametrize("path", ["/v1/rerank", "/v2/rerank", "/rerank"])
def test_documents_are_ranked_by_their_likeness_to_the_question(asker: Asker, path: str) -> None:
    documents = ["It rained all day", "Maria has a young dog", {"text": "We painted the fence"}]
    made = asker.post(path, {"query": "a puppy", "documents": documents, "top_n": 2})[1]
    assert made["results"][0]["index"] == 1
    assert len(made["results"]) == 2
    assert 0 <= made["results"][1]["relevance_score"] <= made["results"][0]["relevance_score"] <= 1


def test_texts_are_answered_as_text_embeddings_inference_answers(asker: Asker) -> None:
    made = asker.post("/rerank", {"query": "a puppy", "texts": ["rain", "a young dog"]})[1]
    assert [each["index"] for each in made] == [1, 0]
    assert set(made[0]) == {"index", "score"}


def test_rankings_without_a_question_or_texts_are_refused(asker: Asker) -> None:
    assert asker.post("/v1/rerank", {"documents": ["a"]})[0] == 400
    assert asker.post("/v1/rerank", {"query": "a"})[0] == 400


def test_a_script_makes_them_fail_too() -> None:
    rules = [ReplyRule("error", task="embeddings", calls="1"), ReplyRule("wrong-schema", task="rerank")]
    with StandIn(rules) as server, Asker(server) as asker:
        assert [asker.post("/v1/embeddings", {"input": "a"})[0] for _ in range(2)] == [500, 200]
        assert asker.post("/v1/rerank", {"query": "a", "documents": ["b"]})[1] == {"unexpected": [1]}
        assert [call.task for call in server.calls] == ["embeddings", "embeddings", "rerank"]
