import pytest

from hmem.errors import EmbedderUnavailable, UnknownName
from hmem.language.embed.advice import AbsentEmbedder, advice, unread_languages


@pytest.mark.parametrize("embedder", ["minilm", "wordllama", "wordllama:64"])
def test_an_embedder_of_english_is_to_be_replaced_where_other_languages_are_spoken(embedder: str) -> None:
    assert unread_languages(embedder, ["en", "de", "ja", "de"]) == ["de", "ja"]
    told = advice(embedder, ["en", "de", "ja", "de"])
    assert told is not None
    assert told.startswith(f"{embedder} knows English, and there are turns in other languages (de, ja)")
    assert told.endswith("run `pip install 'hmem[multilingual]'`, then `hmem reembed --embedder multilingual`")


@pytest.mark.parametrize(
    ("embedder", "languages"),
    [("minilm", ["en"]), ("minilm", []), ("minilm", [""]), ("multilingual", ["de"]), ("openai:small", ["de"])],
)
def test_nothing_is_advised_where_languages_are_known_or_may_be(embedder: str, languages: list[str]) -> None:
    assert advice(embedder, languages) is None


ABSENT = AbsentEmbedder("letters", "letters/26/0123456789ab", UnknownName("no embedder is called 'letters'"))


def test_it_has_the_name_the_fingerprint_and_the_dimension_that_the_memory_keeps() -> None:
    assert (ABSENT.name, ABSENT.fingerprint, ABSENT.dimension) == ("letters", "letters/26/0123456789ab", 26)


def test_it_makes_no_vectors_and_names_both_ways_on() -> None:
    for make in (ABSENT.embed, ABSENT.embed_query):
        with pytest.raises(EmbedderUnavailable, match=r"install it, or .*`hmem reembed --embedder minilm`"):
            make(["a text"])
