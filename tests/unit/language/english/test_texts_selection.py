from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from hmem.language.analyst.base import Excerpt
from hmem.language.english.texts import choose, cut, pieces, tell, weigh
from hmem.language.tokens import count_tokens

DAY = datetime(2023, 5, 7, tzinfo=UTC)


def test_a_word_of_many_lines_weighs_more_and_a_name_more_than_a_word() -> None:
    weights = weigh(
        pieces([Excerpt("I saw herons with Ortiz.", "Maria", DAY), Excerpt("Herons and egrets.", "Maria", DAY)])
    )
    assert weights["heron"] > weights["egret"]
    assert weights["ortiz"] > weights["egret"]


def test_by_day_the_words_of_one_day_count_once() -> None:
    lines = [Excerpt("Herons at dawn.", "Maria", DAY), Excerpt("Herons and egrets.", "Maria", DAY)]
    weights = weigh(pieces(lines), by_day=True)
    assert weights["heron"] == weights["egret"]


def test_what_another_day_tells_is_chosen_before_more_of_the_same_day() -> None:
    lines = [
        Excerpt("Maria bought copper kettles.", "Maria", DAY),
        Excerpt("Maria bought woollen mittens.", "Maria", DAY),
        Excerpt("Maria bought walnut timber.", "Maria", DAY + timedelta(days=1)),
    ]
    assert [piece.line for piece in choose(pieces(lines), 200)] == [0, 2, 1]


def test_the_last_chosen_give_way_until_the_text_fits() -> None:
    told = pieces(
        [Excerpt("Maria bought copper kettles.", "Maria", DAY), Excerpt("Maria sold the boat.", "Maria", DAY)]
    )
    assert tell(told, 18) == "7 May 2023 - Maria bought copper kettles."
    assert tell(told, 100, dated=False) == "Maria bought copper kettles. Maria sold the boat."


@given(st.text(max_size=200), st.integers(0, 40))
def test_a_cut_text_is_within_the_bound_and_ends_after_a_word(text: str, tokens: int) -> None:
    short = cut(text, tokens)
    assert short == text or short == "" or (short.endswith("…") and text.startswith(short.removesuffix("…").rstrip()))
    assert count_tokens(short) <= tokens or short == ""
