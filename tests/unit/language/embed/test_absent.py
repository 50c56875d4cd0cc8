import pytest

from hmem.errors import EmbedderUnavailable, UnknownName
from hmem.language.embed.absent import AbsentEmbedder

ABSENT = AbsentEmbedder("letters", "letters/26/0123456789ab", UnknownName("no embedder is called 'letters'"))


def test_it_has_the_name_the_fingerprint_and_the_dimension_that_the_memory_keeps() -> None:
    assert (ABSENT.name, ABSENT.fingerprint, ABSENT.dimension) == ("letters", "letters/26/0123456789ab", 26)


def test_it_makes_no_vectors_and_names_both_ways_on() -> None:
    for make in (ABSENT.embed, ABSENT.embed_query):
        with pytest.raises(EmbedderUnavailable, match=r"install it, or .*`hmem reembed --embedder minilm`"):
            make(["a text"])
