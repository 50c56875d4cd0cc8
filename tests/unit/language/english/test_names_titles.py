"""What is written like a title."""

import pytest

from hmem.language.english.names import titles


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('I read "The Long Way Home" twice.', {"The Long Way Home": "work"}),
        ("I read “A Dance with Dragons.”", {"A Dance with Dragons": "work"}),
        ('We watched "Elf" again.', {"Elf": "work"}),
        ("Have you read *Middlemarch*?", {"Middlemarch": "work"}),
        ('Our group, called "Wild Hearts", met.', {"Wild Hearts": "organization"}),
        ('She said "Hello" and "Never give up" and "Stop It Now!"', {}),
        ("This is *Very Important* and **Bold Words**.", {}),
        ('an unclosed "Quote', {}),
        ("", {}),
    ],
)
def test_titles_are_told_from_what_somebody_says(text: str, expected: dict[str, str]) -> None:
    assert {naming.surface: naming.type for naming in titles(text)} == expected


def test_offsets_leave_out_quotes_and_the_stop_before_them() -> None:
    text = "I read “A Dance with Dragons.”"
    [naming] = titles(text)
    assert text[naming.start : naming.end] == naming.surface
