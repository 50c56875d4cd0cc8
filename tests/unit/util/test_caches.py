"""What the process remembers."""

import subprocess
import sys
from datetime import UTC, datetime

from hmem.language.analyst import Passage
from hmem.language.verbatim import VerbatimAnalyst
from hmem.model.turn import Turn
from hmem.util.caches import clear_caches, register_cache
from hmem_encoder import encoder


class Held:
    """An object with a cache."""

    def __init__(self) -> None:
        self.texts = ["Quillon"]

    def cache_clear(self) -> None:
        self.texts.clear()


# In a process of its own: threads of other tests may fill a cache at any time.
FORGETTING = """
from hmem import Memory
from hmem.language.embed import embedder
from hmem.util.caches import caches

with Memory(":memory:") as memory:
    memory.add("Quillon eats plankton", speaker="Nadia")
    memory.search("What does Quillon eat?")
    loaded = embedder("wordllama")
    assert sum(cache.cache_info().currsize for cache in caches()) > 10
    memory.add("I live in Porto", speaker="Tom")
    assert memory.forget(query="Quillon").turns == 1
    left = {cache.__name__: size for cache in caches() if (size := cache.cache_info().currsize)}
    assert left == {}, left
    # What was loaded from packages stays.
    assert embedder("wordllama") is loaded
    assert [item.text for item in memory.search("Quillon", min_score=0)] == ["I live in Porto"]
"""


def test_no_text_is_remembered_after_a_forgetting() -> None:
    done = subprocess.run([sys.executable, "-c", FORGETTING], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_cache_of_an_object_is_emptied_too() -> None:
    held = Held()
    register_cache(held)
    clear_caches()
    assert held.texts == []


def test_nothing_that_was_read_is_remembered_after_a_forgetting() -> None:
    said = datetime(2024, 5, 1, tzinfo=UTC)
    turn = Turn(id="t", speaker="Nadia", text="Quillonara eats plankton.", at=said, session="s")
    analyst = VerbatimAnalyst()
    analyst.events([Passage((turn,), 0, ("Nadia",))])
    assert analyst._reader._kept
    assert encoder()._kept
    clear_caches()
    assert not analyst._reader._kept
    assert not encoder()._kept
