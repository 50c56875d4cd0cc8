"""Texts in Postgres: every character comes back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem_postgres.texts import escape, unescape


@given(st.text(st.sampled_from("ab01\0\x1a")))
def test_a_text_comes_back_and_was_without_nul(text: str) -> None:
    assert unescape(escape(text)) == text
    assert "\0" not in escape(text)


@pytest.mark.parametrize(("one", "other"), [("\0", "\x1a0"), ("\x1a", "\x1a1"), ("\x1a0", "\x1a10")])
def test_different_texts_stay_different(one: str, other: str) -> None:
    assert escape(one) != escape(other)
