import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.formation.topic_text import topic_text

NAMES = ("Ana", "Will Ferris", "user")


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("Ana adopted a puppy.", "adopted a puppy."),
        ("Ana\u2019s puppy likes Will's sofa, Ana!", "puppy likes sofa, !"),
        ("Analog cameras, a user guide and users", "Analog cameras, a guide and users"),
        ("The User will call Ferris", "The will call"),
        ("Ana", "Ana"),
        ("Ana, Will!", "Ana, Will!"),
        ("", ""),
    ],
)
def test_the_names_of_speakers_are_no_topic(said: str, left: str) -> None:
    assert topic_text(said, NAMES) == left


@pytest.mark.parametrize("names", [(), ("",), ("?",), ("A",)])
def test_names_that_are_none_take_nothing_away(names: tuple[str, ...]) -> None:
    assert topic_text("A plan for June?", names) == "A plan for June?"


@given(st.text(max_size=200), st.lists(st.text(max_size=8), max_size=3))
def test_something_is_left_of_any_text(text: str, names: list[str]) -> None:
    left = topic_text(text, tuple(names))
    assert bool(left) == bool(text) or not any(map(str.isalnum, text)) or any(map(str.isalnum, left))
    assert len(left) <= 1_200
