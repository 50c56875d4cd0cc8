"""Which names mean the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.derived.graph.entity_resolution import CANDIDATES, NameIndex, compatible, normal, overlapping


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("The Grand Canyon", "grand canyon"),
        ("Melanie's", "melanie"),
        ("Melanie’s  Dog", "melanie dog"),
        ("Dr. Okafor", "okafor"),
        ("AT&T", "at&t"),
        ("C++", "c++"),
        ("pottery classes", "pottery class"),
        ("adoption agencies", "adoption agency"),
        ("Chess", "chess"),
        ("The The", "the"),
        ("東京", "東京"),
        ("☃", "☃"),
        ("...", "..."),
    ],
)
def test_names_are_compared_in_a_normal_form(name: str, expected: str) -> None:
    assert normal(name) == expected


@given(st.text(max_size=30))
def test_a_name_that_is_not_blank_has_a_normal_form(name: str) -> None:
    assert bool(normal(name)) == bool(name.strip())


def test_types_are_compatible_with_themselves_with_other_and_with_what_is_near() -> None:
    assert compatible("person", "person")
    assert compatible("person", "other")
    assert compatible("organization", "location")
    assert not compatible("person", "location")


def names(*known: str) -> NameIndex:
    made = NameIndex()
    for number, name in enumerate(known):
        made.set(number, "other", [name])
    return made


@pytest.mark.parametrize(
    ("known", "name", "same"),
    [
        ("Xeonoblade Chronicles", "Xenoblade Chronicles", True),
        ("Night Train to Lisbon", "Night Trian to Lisbon", True),
        ("local animal rescue shelter home", "local animal rescue shelter", True),
        ("art class", "pottery class", False),
        ("Fantasy VII", "Fantasy VIII", True),
        ("PlayStation 4", "PlayStation 5", False),
        ("support group", "LGBTQ support group", False),
        ("Jon", "John", False),
    ],
)
def test_names_that_are_almost_the_same_are(known: str, name: str, same: bool) -> None:
    assert names(known).resolve(name, "other") == (0 if same else None)


def test_short_names_of_persons_are_never_taken_for_misspelt() -> None:
    made = NameIndex()
    made.set(0, "person", ["Joanna"])
    assert made.resolve("Johanna", "person") is None
    made.set(1, "person", ["Christopher"])
    assert made.resolve("Cristopher", "person") == 1


def test_a_bounded_number_of_names_is_compared() -> None:
    made = names(*(f"pottery class {chr(97 + n % 26)}{chr(97 + n // 26)}q" for n in range(500)))
    assert len(made._candidates("pottery class")) <= CANDIDATES


def test_a_name_that_is_taken_away_is_not_found_again() -> None:
    made = names("Lisbon", "Oslo")
    made.set(0, "other", [])
    assert made.exact("Lisbon") == []
    assert made.find("Lisbon") == []
    assert made.exact("Oslo") == [1]


@pytest.mark.parametrize(
    ("one", "other", "letters", "expected"),
    [
        ("mel", "melanie", True, True),
        ("potter", "harry potter", False, True),
        ("mel", "melanie", False, False),
        ("beth", "elizabeth", True, True),
        ("mel", "mel", True, False),
        ("new york", "new york city", True, False),
    ],
)
def test_short_forms_overlap_their_long_ones(one: str, other: str, letters: bool, expected: bool) -> None:
    assert overlapping(one, other, letters=letters) == overlapping(other, one, letters=letters) == expected
