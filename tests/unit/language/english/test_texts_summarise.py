from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from hmem.language.analyst.base import Excerpt
from hmem.language.english.texts import summarise
from hmem.language.tokens import count_tokens

DAY = datetime(2023, 5, 7, 14, 0, tzinfo=UTC)
LINES = st.builds(
    Excerpt,
    text=st.text(max_size=120)
    | st.sampled_from(["I adopted a puppy.", "We hiked up Mount Rainier!", "Hey! How are you?"]),
    speaker=st.sampled_from(["Maria", "John", None]),
    when=st.integers(0, 90).map(lambda days: DAY + timedelta(days=days)),
    importance=st.floats(1, 10),
)


def test_a_summary_says_who_and_when_a_line_for_each_day() -> None:
    group = [
        Excerpt("Hey John! I went to a pottery class on Friday.", "Maria", DAY),
        Excerpt("I signed up for the marathon in Boston.", "John", DAY),
        Excerpt("My marathon training starts with Coach Ortiz.", "John", DAY + timedelta(days=2)),
    ]
    assert summarise(group, 100).splitlines() == [
        "7 May 2023 - Maria: I went to a pottery class on Friday. John: I signed up for the marathon in Boston.",
        "9 May 2023 - John: My marathon training starts with Coach Ortiz.",
    ]


def test_a_statement_that_names_its_speaker_needs_no_name_before_it() -> None:
    assert summarise([Excerpt("Maria adopted a puppy.", "Maria", DAY)], 50) == "7 May 2023 - Maria adopted a puppy."


def test_what_says_nothing_is_left_out() -> None:
    group = [
        Excerpt("Hello there! Wow, that is so great!", "John", DAY),
        Excerpt("I bought a telescope.", "Maria", DAY),
    ]
    assert summarise(group, 100) == "7 May 2023 - Maria: I bought a telescope."


def test_the_same_is_not_told_twice() -> None:
    group = [Excerpt("I bought a telescope in Lisbon.", "Maria", DAY + timedelta(days=i)) for i in range(3)]
    assert summarise(group, 200).count("telescope") == 1


def test_what_many_lines_speak_of_and_what_matters_comes_first() -> None:
    group = [
        Excerpt("The bakery closes on Mondays.", "John", DAY),
        Excerpt("My sister Ifeoma expects a baby in June.", "Maria", DAY, 9.0),
        Excerpt("I booked a flight to see Ifeoma and the baby.", "Maria", DAY),
        Excerpt("I knitted a blanket for the baby.", "Maria", DAY),
    ]
    assert "Ifeoma expects a baby" in summarise(group, 26)
    assert "bakery" not in summarise(group, 34)


def test_a_bound_that_is_too_small_for_any_line_cuts_one_after_a_word() -> None:
    text = "I restored an eighteenth century harbour chart with wheat starch paste and Japanese paper"
    summary = summarise([Excerpt(text, "Maria", DAY)], 20)
    assert summary.endswith("…")
    cut = summary.removesuffix("…").removeprefix("7 May 2023 - Maria: ")
    assert text.startswith(cut + " ")
    assert count_tokens(summary) <= 20


def test_a_summary_of_summaries_keeps_their_days() -> None:
    below = "7 May 2023 - Maria adopted a puppy in Porto.\n9 May 2023 - John: I sold the house."
    assert summarise([Excerpt(below, None, DAY + timedelta(days=30))], 100) == below


def test_a_word_without_end_is_left_out() -> None:
    assert summarise([Excerpt("x" * 5_000, "Maria", DAY)], 50) == ""


def test_nothing_gives_nothing() -> None:
    assert summarise([], 50) == ""
    assert summarise([Excerpt("I adopted a puppy.", "Maria", DAY)], 0) == ""


@given(st.lists(LINES, max_size=12), st.integers(0, 60))
def test_the_bound_holds_and_the_summary_is_the_same_each_time(group: list[Excerpt], tokens: int) -> None:
    summary = summarise(group, tokens)
    assert count_tokens(summary) <= tokens or summary == ""
    assert summarise(group, tokens) == summary


def test_hundreds_of_lines_come_to_a_summary_of_the_weightiest() -> None:
    group = [
        Excerpt(f"I counted {i} herons at pond {i * 7}.", "Maria", DAY + timedelta(hours=i), 2.0) for i in range(500)
    ]
    group[250] = Excerpt("I got married to Tomas in Viseu.", "Maria", DAY + timedelta(hours=250), 10.0)
    summary = summarise(group, 80)
    assert "married to Tomas" in summary
    assert count_tokens(summary) <= 80


def test_a_summary_holds_no_courtesies() -> None:
    said = ["Hey John! I moved to Porto.", "Thanks, John! Take care!", "That sounds amazing!", "Talk to you soon!"]
    assert summarise([Excerpt(text, "Maria", DAY) for text in said], 60) == "7 May 2023 - Maria: I moved to Porto."


def test_a_summary_covers_each_subject_before_it_repeats_one() -> None:
    puppies = [f"The puppy chewed the {what} of the sofa." for what in ("leg", "seat", "back", "cushion", "arm")]
    other = ["My exam at the university went well.", "The train to Leeds was late."]
    told = summarise([Excerpt(text, "Maria", DAY) for text in [*puppies, *other]], 48)
    assert told.count("puppy") == 1
    assert "exam" in told
    assert "train" in told
