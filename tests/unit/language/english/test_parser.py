"""Parses of texts."""

from dataclasses import astuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.errors import UnknownName
from hmem.language.english.parser import MOST_CHARACTERS, MOST_SENTENCES, Parser, lemma, parse, parser
from hmem.language.english.tree import Parse


def trees(parsed: Parse) -> list[list[tuple[object, ...]]]:
    return [[astuple(token) for token in sentence] for sentence in parsed.sentences]


def test_tokens_stand_where_they_stand_in_the_text() -> None:
    text = "I'm fine.  She didn't call\nback."
    [parsed] = parse([text])
    for sentence in parsed.sentences:
        assert all(text[token.start : token.end] == token.text for token in sentence)
    assert "".join(token.text for sentence in parsed.sentences for token in sentence) == "".join(text.split())


def test_a_text_has_the_same_trees_alone_and_among_others() -> None:
    texts = ["Tom sold his car.", "", "We moved to Oslo in May. It rains.", "Tom sold his car."]
    alone = [Parser().parse([text])[0] for text in texts]
    together = Parser().parse(texts)
    assert [trees(one) for one in alone] == [trees(one) for one in together]


def test_code_is_not_parsed() -> None:
    [parsed] = parse(["Run this:\n```\nimport os\n```\nIt works."])
    assert not any("import" in sentence.words for sentence in parsed.sentences)


@pytest.mark.parametrize("text", ["word " * MOST_CHARACTERS, "Go. " * (MOST_SENTENCES + 1)])
def test_of_a_long_text_only_the_beginning_is_read(text: str) -> None:
    [parsed] = parse([text])
    assert parsed.unread
    assert len(parsed.sentences) >= 1
    assert not parse(["Go."])[0].unread


def test_of_the_middle_of_a_long_text_only_headings_and_heads_of_items_are_parsed() -> None:
    items = "\n".join(f"{i}. **Museum {i}**: A guide shows all visitors the old town of region {i}." for i in range(30))
    text = f"We loved it. Here is the list.\n\n{items}\n\nAnna drove us home."
    [parsed] = parse([text])
    said = [sentence.words for sentence in parsed.sentences]
    assert said[0] == "We loved it."
    assert "**Museum 15**" in said
    assert not any("region 15" in each for each in said)
    assert "Anna drove us home." in said
    assert not parsed.unread


@given(st.text(max_size=60))
def test_any_text_can_be_parsed(text: str) -> None:
    [parsed] = parse([text])
    assert all(0 <= token.head < len(sentence) for sentence in parsed.sentences for token in sentence)


@pytest.mark.parametrize(
    ("word", "upos", "base"),
    [
        ("sold", "VERB", "sell"),
        ("Wives", "NOUN", "wife"),
        ("'s", "AUX", "be"),
        ("n't", "PART", "not"),
        ("Anna", "PROPN", "anna"),
    ],
)
def test_words_have_a_base_form(word: str, upos: str, base: str) -> None:
    assert lemma(word, upos) == base


def test_a_parser_is_shared_and_names_its_version() -> None:
    assert parser() is parser()
    assert parser().version.startswith("hmem_english-")
    assert parser().universal


def test_a_pipeline_that_is_missing_is_named() -> None:
    with pytest.raises(UnknownName, match="no_such_pipeline"):
        Parser("no_such_pipeline").parse(["Hello."])
