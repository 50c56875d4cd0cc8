import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from hmem.language.function_words import function_words
from hmem.language.stemming import is_function_word, language_by_letters, language_of, stem_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("wo wohnt lena jetzt", "german"),
        ("cuánto cuesta la entrada", "spanish"),
        ("où est ce que tu habites", "french"),
        ("quanto cobra o marceneiro para ir olhar isso", "portuguese"),
        ("dove abita adesso la nonna di marco che", "italian"),
        ("waar woont het meisje nu ook", "dutch"),
        ("var bor hon nu och när", "swedish"),
        ("gdzie jest mój kot się pytam", "polish"),
        ("where does lena live now", ""),
        ("puppy", ""),
        ("", ""),
    ],
)
def test_function_words_tell_the_language_of_a_text(text: str, expected: str) -> None:
    assert language_of(text.split()) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [("книги", "russian"), ("किताब", "hindi"), ("كتاب", "arabic"), ("βιβλίο", "greek"), ("word", ""), ("été", "")],
)
def test_letters_tell_the_language_of_a_word(word: str, expected: str) -> None:
    assert language_by_letters(word) == expected


@pytest.mark.parametrize("word", ["їжа", "گربه", "ہے"])
def test_letters_of_a_language_that_shares_its_script_are_not_stemmed_as_another(word: str) -> None:
    assert language_by_letters(word) == ""


def test_every_language_has_a_stemmer_and_function_words_of_its_own() -> None:
    known = function_words()
    telling = {language for _, languages in known.indicators.values() for language in languages}
    assert telling <= set(known.by_language)
    for language in known.by_language:
        assert stem_of("a", language) == "a"


def test_function_words_are_those_of_a_words_letters_else_of_its_text() -> None:
    assert is_function_word("welche", "german")
    assert not is_function_word("welche", "")
    assert is_function_word("कितने", "")
    assert not is_function_word("किताब", "german")


def test_english_words_tell_no_other_language_by_themselves() -> None:
    known = function_words()
    assert all(weight == 1 for word, (weight, _) in known.indicators.items() if word in known.english)


def test_threads_do_not_disturb_each_other() -> None:
    words = [f"{start}{end}" for start in ("büch", "gärt", "häus") for end in ("er", "ern", "en", "chen")] * 50
    stem_of.cache_clear()
    expected = [stem_of(word, "german") for word in words]
    stem_of.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda word: stem_of(word, "german"), words)) == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_child_stems_too() -> None:
    assert stem_of("bücher", "german") == "buch"
    if (child := os.fork()) == 0:
        stem_of.cache_clear()
        os._exit(0 if stem_of("bücher", "german") == "buch" else 1)
    assert os.waitpid(child, 0)[1] == 0
