import pytest

from hmem.language.embed.advice import advice, unread_languages


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
