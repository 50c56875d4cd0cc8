"""Sentences that are told of a speaker."""

import pytest

from hmem.language.english.meaning.clauses import clauses
from hmem.language.english.meaning.reference import Speech
from hmem.language.english.meaning.telling import Teller, quoted, sentence_of
from hmem.language.english.parser import parse


def told(text: str) -> str:
    [sentence] = parse([text])[0].sentences
    return sentence_of(Teller(Speech("Maria", "Tom"), sentence, clauses(sentence)).tell(sentence.tokens))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I have a cat.", "Maria has a cat."),
        ("I don't eat meat.", "Maria doesn't eat meat."),
        ("I am tired.", "Maria is tired."),
        ("I visited you in May.", "Maria visited Tom in May."),
        ("I try to run every day.", "Maria tries to run every day."),
    ],
)
def test_i_and_you_are_named_and_verbs_agree(text: str, expected: str) -> None:
    assert told(text) == expected


def test_a_quotation_names_who_said_it_and_nests_no_marks() -> None:
    said = quoted("Maria", 'a "fine" day')
    assert said.startswith('Maria: "')
    assert said.count('"') == 2


def test_a_sentence_begins_large_and_ends_with_a_mark() -> None:
    assert sentence_of("the cat sleeps") == "The cat sleeps."
