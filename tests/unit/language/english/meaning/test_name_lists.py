"""Lists of names."""

from hmem.language.english.gazetteer import given_names, known_names
from hmem.language.english.meaning.name_lists import is_common, known_small, variants_of


def test_the_lists_are_in_small_letters_and_not_empty() -> None:
    assert len(given_names()) > 1_000
    assert all(name == name.lower() for name in (*given_names(), *known_names()))


def test_a_name_that_is_a_word_is_not_known_in_small_letters() -> None:
    assert known_small("japan") == "location"
    assert known_small("tom") == "person"
    assert [known_small(word) for word in ("turkey", "max", "may", "will", "pottery")] == [None] * 5


def test_a_word_is_common_in_any_of_its_forms() -> None:
    assert is_common("books")
    assert is_common("going", "go")
    assert not is_common("lucy")


def test_short_forms_of_a_name_go_both_ways() -> None:
    assert "robert" in variants_of("Bob")
    assert "bob" in variants_of("Robert Smith")
    assert variants_of("Zog") == ()
