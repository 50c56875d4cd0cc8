"""What the process remembers."""

from hmem import Memory
from hmem.language.embed import embedder
from hmem.util.caches import caches


def test_no_text_is_remembered_after_a_forgetting(memory: Memory) -> None:
    memory.add("Quillon eats plankton", speaker="Nadia")
    memory.search("Quillon")
    loaded = embedder("wordllama")
    assert sum(cache.cache_info().currsize for cache in caches()) > 10
    memory.add("I live in Porto", speaker="Tom")
    assert memory.forget(query="Quillon").turns == 1
    assert sum(cache.cache_info().currsize for cache in caches()) == 0
    # What was loaded from packages stays.
    assert embedder("wordllama") is loaded
    assert [item.text for item in memory.search("Quillon")] == ["I live in Porto"]
