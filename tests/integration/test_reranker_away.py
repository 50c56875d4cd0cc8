"""A reranker that fails while it is asked takes no recall away; one that cannot be loaded is told of when named."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hmem import Memory
from hmem.errors import ExtraMissing
from hmem_testing.fake_llm import StandIn

QUESTION = "Who adopted the puppy?"
TALK = [
    {"text": "We sailed to Malta in the spring", "speaker": "Tom"},
    {"text": "I adopted a puppy named Coco", "speaker": "Maria"},
    {"text": "Coco chewed up my slippers", "speaker": "Maria"},
]


class Failing:
    """A cross-encoder whose library fails, as long as it is told to."""

    error: Exception | None = RuntimeError("CUDA out of memory.\nTried to allocate 2 GiB")

    def __init__(self, model: str, local_files_only: bool) -> None:
        assert local_files_only

    def predict(self, sentences: list[tuple[str, str]], *, show_progress_bar: bool) -> list[float]:
        if self.error is not None:
            raise self.error
        return [float("slippers" in text) for _, text in sentences]


def told(memory: Memory) -> tuple[list[str], Any, tuple[str, ...]]:
    """What a search finds, what its trace tells of the reranker, and what lacked for the best."""
    found = memory.search(QUESTION, 3, trace=True)
    assert found.trace is not None
    return [item.text for item in found], found.trace.steps["rerank"], found[0].why.lacking


def test_while_a_local_model_fails_the_order_before_it_stands_and_the_trace_tells(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory(path) as memory:
        memory.add(TALK)
        before = [item.text for item in memory.search(QUESTION, 3)]
    library = ModuleType("sentence_transformers")
    vars(library)["CrossEncoder"] = Failing
    monkeypatch.setitem(sys.modules, "sentence_transformers", library)
    with Memory(path, settings={"retrieval.rerank": "cross-encoder:test/failing"}) as memory:
        texts, step, lacking = told(memory)
        assert texts == before
        assert step["by"] == "cross-encoder:test/failing"
        assert "RuntimeError: CUDA out of memory. Tried to allocate 2 GiB" in step["unavailable"]
        assert "retrieval.rerank_depth" in step["unavailable"]
        assert lacking == ("reranker",)
        best = memory.search(QUESTION, 1)[0]
        assert str(best.why).endswith("; without reranker")
        assert "rerank" not in best.why.terms
        assert memory.ask(QUESTION, trace=True).evidence[0].why.lacking == ("reranker",)
        assert "Coco" in memory.context(QUESTION, 200).text
        monkeypatch.setattr(Failing, "error", None)
        texts, step, lacking = told(memory)
        assert (texts[0], lacking) == ("Coco chewed up my slippers", ())
        assert "unavailable" not in step


def test_while_an_endpoint_is_away_the_order_before_it_stands(path: Path) -> None:
    with StandIn() as server:
        settings = {"retrieval.rerank": f"endpoint:small@{server.url}"}
        with Memory(path, settings=settings) as memory:
            memory.add(TALK)
            assert told(memory)[2] == ()
    with Memory(path, settings=settings) as memory:
        texts, step, lacking = told(memory)
        assert (texts[0], lacking) == ("I adopted a puppy named Coco", ("reranker",))
        assert "cannot be reached" in step["unavailable"]


def test_one_whose_package_is_missing_is_told_of_when_it_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ExtraMissing, match=r"pip install 'hmem\[rerank\]'"):
        Memory(path, settings={"retrieval.rerank": "cross-encoder:test/missing"})
    with Memory(path) as memory:
        memory.add(TALK)
