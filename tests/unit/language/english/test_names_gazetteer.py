"""What is known of names beforehand."""

import pytest

from hmem.language.english.gazetteer import given_names, known_names, known_pairs
from hmem.language.english.names import is_common


@pytest.mark.parametrize("word", ["the", "wonder", "wondering", "stopped", "berries", "happiest", "woah", "monday"])
def test_words_that_are_usually_written_small_are_common_in_all_their_forms(word: str) -> None:
    assert is_common(word)


@pytest.mark.parametrize("word", ["lisbon", "coco", "severance!", "ngozi", ""])
def test_other_words_are_not(word: str) -> None:
    assert not is_common(word)


def test_the_lists_are_small_letters_without_blanks_around_them() -> None:
    assert {"maria", "tomas", "priya"} <= given_names()
    assert known_names()["new york city"] == "location"
    assert known_names()["kindle"] == "product"
    assert all(name == name.strip().lower() and name for name in (*given_names(), *known_names()))
    assert ("new", "york") in known_pairs()
