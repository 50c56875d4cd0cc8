import pytest

from hmem.language.english.answers.facts import hedged


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Yes", "Probably yes"),
        ("Likely no", "Likely no"),
        ("The Friday before 15 July 2023", "Probably the Friday before 15 July 2023"),
        ("Ghent", "Probably Ghent"),
        ("a blue teapot", "Probably a blue teapot"),
    ],
)
def test_an_unsure_answer_says_so_once(text: str, wanted: str) -> None:
    assert hedged(text) == wanted
