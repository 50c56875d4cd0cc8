"""While the endpoint of an embedder is away, what was said is still kept and found, by its words."""

from pathlib import Path

import pytest

from hmem import Memory
from hmem_testing.fake_llm import StandIn


@pytest.mark.parametrize("recipe", ["fusion", "evolving", "flat"])
def test_a_memory_whose_embedder_is_away_recalls_by_words(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: str
) -> None:
    monkeypatch.setenv("HMEM_CACHE", str(tmp_path / "cache"))
    with StandIn() as server, Memory(path, embedder=f"openai:small@{server.url}") as memory:
        memory.add("We sailed to Malta in the spring", speaker="Tom")
        memory.add("I adopted a puppy named Coco", speaker="Maria")
    with Memory(path, recipe=recipe) as memory:
        assert memory.add("Coco chewed up my slippers", speaker="Maria").fate == "stored"
        found = memory.search("Who adopted the puppy?", 1, trace=True)
        assert [item.text for item in found] == ["I adopted a puppy named Coco"]
        assert found.trace is not None
        assert "cannot be reached" in found.trace.steps["embedder"]["unavailable"]
        assert "Malta" in memory.context("Where did Tom sail in spring?", 200).text
        assert memory.search("slippers", 1)[0].text == "Coco chewed up my slippers"
        assert [item.relevance for item in memory.search("slippers", 1, min_score=0.9)] == [None]
        answer = memory.ask("Who adopted the puppy?", trace=True)
        assert "I adopted a puppy named Coco" in [item.text for item in answer.evidence]
        assert answer.trace is not None
        assert "check that it runs" in answer.trace.steps["embedder"]["unavailable"]
        assert memory.ask("Who flew to the moon?").abstained
        for kind in ("event", "note", "summary", "profile", "episode", "session"):
            assert "unavailable" in str(memory.search("Coco the puppy", 3, kinds=(kind,), trace=True).trace), kind
