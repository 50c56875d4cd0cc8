"""Each service stands by itself, over the parts of a memory and without ``Memory``."""

from collections.abc import Iterator
from datetime import UTC

import pytest

from hmem import Memory
from hmem.api.components import Components
from hmem.corpus.corpus import Corpus
from hmem.derived.changes import ModelOutputs
from hmem.formation.capture import Defaults, capture
from hmem.language.analyst import analyst
from hmem.language.analyst.cached_model import CachedModelAnalyst
from hmem.language.embed import embedder
from hmem.recipes import recipe
from hmem.storage import open_storage

SAID = ["I adopted a puppy named Coco.", "I live in Lisbon."]


@pytest.fixture
def components() -> Iterator[Components]:
    """The parts of a memory with two turns, put together by hand."""
    storage = open_storage(":memory:", create=True, busy_seconds=1)
    corpus = Corpus(storage, embedder("minilm"), None)
    readings, made = ModelOutputs(storage), recipe("fusion")
    reading = CachedModelAnalyst(analyst("verbatim"), readings)
    yield Components(corpus, reading, readings, made.retrieval, made.formation, made.capture)
    corpus.close()


@pytest.fixture
def turns(components: Components) -> list[str]:
    kept = capture(components.corpus, SAID, Defaults(UTC, speaker="Maria", at="2023-08-11T10:00:00Z", session="s1"))
    return [receipt.id or "" for receipt in kept]


def test_a_memory_is_its_services_and_little_else() -> None:
    with Memory(":memory:") as memory:
        assert len(vars(memory)) <= 12


def test_what_another_process_forgets_is_not_remembered_in_this_one(components: Components, turns: list[str]) -> None:
    storage = components.corpus.storage
    assert storage.erasure is not None
    gone, stays = storage.locate(turns[:1])[turns[0]], storage.locate(turns[1:])[turns[1]]
    components.recall(include_formed=True).search("What is the puppy called?", 5)
    components.retrieval.missing_notes.notice("what is the puppy called", [stays])
    storage.erasure.forget([gone])
    with components.corpus.reading():
        components.retrieval.missing_notes.write(components.corpus)
    assert not [each for each in storage.recorded() if "puppy" in str(each)]
    assert components.retrieval.last is None
