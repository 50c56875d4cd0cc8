from hmem.language.english.curation import telling
from hmem.language.english.wording import content_stems


def test_the_words_of_formulas_tell_nothing() -> None:
    assert telling(content_stems("Thanks, that sounds really amazing! Inspiring, keep going.")) == ()


def test_what_is_praised_tells_something() -> None:
    assert telling(content_stems("Amazing violin!")) == ("violin",)
