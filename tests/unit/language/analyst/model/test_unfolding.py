"""A field of an object that is still being said."""

import json

import pytest

from hmem.language.analyst.model.unfolding import Unfolding

SAID = {
    "parts": [{"n": 1, "answer": "not this one"}],
    "sufficient": False,
    "answer": 'Łódź 🎨 "x"\n{"answer": 1}\\',
    "citations": [1, 2],
    "confidence": 0.5,
}


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("size", [1, 2, 7, 1_000])
def test_the_text_of_a_field_comes_as_it_is_said(size: int, ascii_only: bool) -> None:
    text, unfolding = json.dumps(SAID, ensure_ascii=ascii_only), Unfolding("answer")
    pieces = [unfolding.feed(text[i : i + size]) for i in range(0, len(text), size)]
    assert "".join(pieces) == SAID["answer"]
    assert unfolding.settled == {"sufficient": "false", "confidence": "0.5"}


def test_a_field_that_is_not_its_own_is_none_of_it() -> None:
    assert Unfolding("answer").feed('[{"answer": "within a list"}]') == ""


def test_what_is_no_json_is_no_error() -> None:
    unfolding = Unfolding("answer")
    assert unfolding.feed('Sure! ]] {"answer": "\\ud83c\\uZZZZ half') == ""
    assert unfolding.settled == {}
