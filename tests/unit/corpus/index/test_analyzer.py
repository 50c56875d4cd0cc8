import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.corpus.index.analyzer import stems, words


def test_forms_of_a_word_have_one_stem() -> None:
    assert len({stems(form)[0] for form in ("run", "runs", "Running", "RUN")}) == 1


def test_accents_case_and_width_do_not_matter() -> None:
    assert stems("Café") == stems("cafe") == stems("CAFE\u0301") == stems("ｃａｆé")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("東京に行く", ["東", "京", "に", "行", "く"]),
        ("한국어", ["한", "국", "어"]),
        ("GPT-4は", ["GPT", "4", "は"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("שָׁלוֹם עולם", ["שָׁלוֹם", "עולם"]),
        ("don't a_b 3.5", ["don", "t", "a", "b", "3", "5"]),
        ("🙂👍", []),
    ],
)
def test_words_of_every_script(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_encoded_data_is_left_out() -> None:
    assert stems("before " + "x" * 100 + " after") == ("befor", "after")


@given(st.text(max_size=200))
def test_stems_have_no_blanks_so_that_they_can_be_joined_by_them(text: str) -> None:
    assert all(stem and not any(letter.isspace() for letter in stem) for stem in stems(text))


@given(st.text(alphabet=st.characters(codec="ascii"), max_size=100))
def test_ascii_is_read_as_any_other_text(text: str) -> None:
    assert words(text) == words(text + "\u00e9")[: len(words(text))] or text[-1:].isalnum()
