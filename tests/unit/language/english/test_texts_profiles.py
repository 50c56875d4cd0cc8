from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from hmem.language.analyst.base import Excerpt, ProfileText, Subject
from hmem.language.english.texts import profile
from hmem.language.tokens import count_tokens

BEGIN = datetime(2025, 1, 12, tzinfo=UTC)


def lines(*texts: str) -> tuple[Excerpt, ...]:
    return tuple(Excerpt(text, "Nadia", BEGIN + timedelta(weeks=i)) for i, text in enumerate(texts))


def test_what_lasts_and_what_is_recent_are_told_apart() -> None:
    told = lines(
        "Nadia works as a paper conservator at the archive.",
        "Nadia walked past the bakery on the corner.",
        "Nadia bought oranges at the market.",
        "Nadia repaired the leaking window.",
    )
    made = profile(Subject("Nadia", "person", told), 24)
    assert made.persistent == "Nadia works as a paper conservator at the archive."
    assert made.recent == "2 February 2025 - Nadia repaired the leaking window."


def test_what_is_about_others_counts_less() -> None:
    told = lines("Nadia met the famous Anya Melnyk of the choir.", "Tomas built a trailer for the donkey called Rada.")
    assert "Anya" in profile(Subject("Anya", "person", told), 16).persistent


def test_of_a_single_line_both_parts_tell_it() -> None:
    made = profile(Subject("Lisbon", "location", lines("Nadia lives in Lisbon.")), 40)
    assert made == ProfileText("Nadia lives in Lisbon.", "12 January 2025 - Nadia lives in Lisbon.")


def test_nothing_known_is_nothing_told() -> None:
    assert profile(Subject("Nadia", "person", ()), 40) == ProfileText("", "")


@given(st.lists(st.text(max_size=80), max_size=8), st.integers(1, 50))
def test_the_bound_holds_for_both_parts(texts: list[str], tokens: int) -> None:
    subject = Subject("Nadia", "person", lines(*texts))
    made = profile(subject, tokens)
    assert count_tokens(made.persistent) <= tokens
    assert count_tokens(made.recent) <= tokens
    assert made == profile(subject, tokens)
