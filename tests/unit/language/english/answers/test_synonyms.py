import pytest

from hmem.language.english.answers.synonyms import alike
from hmem.language.english.inflection import root


@pytest.mark.parametrize(("word", "other"), [("win", "get"), ("teacher", "teach"), ("smoker", "smoke")])
def test_words_that_mean_the_same_share_a_root(word: str, other: str) -> None:
    assert root(other) in alike(root(word)) or alike(root(word)) & alike(root(other))


def test_other_words_share_none() -> None:
    assert not alike(root("bread")) & alike(root("butter"))
    assert alike(root("or")) == {root("or")}
