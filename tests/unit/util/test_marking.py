"""Which words of a text are marked."""

import pytest

from hmem.util.marking import mark_words


def shown(text: str, *words: str) -> str:
    return "".join(f"[{part}]" if mark else part for part, mark in mark_words(text, words))


@pytest.mark.parametrize(
    ("text", "word", "told"),
    [
        ("I adopted a puppy", "adopt", "I [adopted] a puppy"),
        ("Dogs, dogs and a dog.", "dog", "[Dogs], [dogs] and a [dog]."),
        ("She lives here; living is dear", "live", "She [lives] here; [living] is dear"),
        ("studies", "study", "[studies]"),
        ("We painted the fence", "painting", "We [painted] the fence"),
        ("a car and a cat", "cat", "a car and a [cat]"),
        ("Привет, мир", "мир", "Привет, [мир]"),
        ("adoptionism", "adopt", "adoptionism"),
        ("go", "go", "[go]"),
        ("gone", "go", "gone"),
    ],
)
def test_forms_of_a_word_are_marked(text: str, word: str, told: str) -> None:
    assert shown(text, word) == told


def test_nothing_is_lost_between_the_marks() -> None:
    assert shown("") == ""
    assert shown("a\n b\t<c>") == "a\n b\t<c>"
    assert shown("dog dog", "dog", "dogs") == "[dog] [dog]"
