import pytest

from hmem.language.analyst import word_classes as c
from hmem.language.english.answers.word_classes import class_of


@pytest.mark.parametrize(
    ("word", "capital", "kind"),
    [
        ("the", False, c.ARTICLE),
        ("my", False, c.POSSESSIVE),
        ("bought", False, c.PAST),
        ("running", False, c.ING),
        ("helps", False, c.VERB),
        ("proud", False, c.QUALITY),
        ("teapot", False, c.WORD),
        ("maria", True, c.PERSON),
        ("1984", False, c.NUMBER),
        ("$20", False, c.NUMBER),
        ("monday", True, c.DATE),
        ("may", False, c.AUXILIARY),
        ("...", False, c.MARK),
    ],
)
def test_a_word_has_a_class(word: str, capital: bool, kind: int) -> None:
    assert class_of(word, capital=capital) == kind
