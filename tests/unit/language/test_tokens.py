from hypothesis import given
from hypothesis import strategies as st

from hmem.language.tokens import count_tokens


def test_nothing_has_no_tokens() -> None:
    assert count_tokens("") == 0


@given(st.text(min_size=1, max_size=60))
def test_counting_twice_gives_the_same(text: str) -> None:
    assert count_tokens(text) == count_tokens(text) > 0


def test_a_longer_text_has_more_tokens() -> None:
    assert count_tokens("one two three four") > count_tokens("one two")
