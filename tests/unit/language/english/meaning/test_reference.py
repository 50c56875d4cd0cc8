"""Who is meant."""

import pytest

from hmem.language.english.meaning.reference import hearer_of, possessive, shown


@pytest.mark.parametrize(
    ("name", "expected"), [("Maria", "Maria"), ("user", "the user"), ("Assistant", "the assistant")]
)
def test_a_role_is_shown_with_an_article(name: str, expected: str) -> None:
    assert shown(name) == expected


def test_of_two_the_other_one_is_spoken_to() -> None:
    assert hearer_of("Maria", ("Maria", "Tom")) == "Tom"
    assert hearer_of("Maria", ("Maria", "Tom", "Ann")) is None
    assert hearer_of("Maria", ("Maria",)) is None


def test_a_possessive_is_a_name_with_its_ending() -> None:
    assert possessive("Maria") == "Maria's"
