from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from hmem.language.analyst import Claim, Excerpt
from hmem.language.analyst.base import Subject
from hmem.language.tokens import count_tokens
from hmem.language.verbatim.texts import persona, profile, summarise
from hmem.model.note import THREAD


def line(text: str, day: int, importance: float = 5.0, speaker: str | None = "Maria") -> Excerpt:
    return Excerpt(text, speaker, datetime(2026, 5, day, tzinfo=UTC), importance)


def test_a_summary_quotes_the_most_important_lines_in_the_order_of_time() -> None:
    lines = [line("I moved to Lisbon.", 9, 9), line("The soup was fine.", 4, 2), line("I quit the bank.", 2, 8)]
    assert summarise(lines, 40) == "2 May 2026 - Maria: “I quit the bank.”\n9 May 2026 - Maria: “I moved to Lisbon.”"


def test_what_was_said_twice_is_quoted_once() -> None:
    assert summarise([line("I moved to Lisbon.", 9), line("I moved to Lisbon!", 10)], 200).count("Lisbon") == 1


def test_lines_of_earlier_summaries_are_quoted_as_they_are() -> None:
    made = summarise([line("2 May 2026 - Maria: “I quit the bank.”", 2, speaker=None)], 100)
    assert made == "2 May 2026 - Maria: “I quit the bank.”"


@given(
    st.lists(st.tuples(st.text(max_size=60), st.integers(1, 28), st.integers(1, 10)), max_size=12), st.integers(0, 60)
)
def test_no_text_is_longer_than_its_limit(said: list[tuple[str, int, int]], tokens: int) -> None:
    lines = [line(text, day, importance) for text, day, importance in said]
    made = profile(Subject("Maria", "person", tuple(lines)), tokens)
    assert max(map(count_tokens, (summarise(lines, tokens), made.persistent, made.recent))) <= max(tokens, 0)


def test_a_profile_quotes_what_names_its_subject() -> None:
    lines = (line("Coco is a rabbit.", 2), line("The soup was fine.", 3))
    assert profile(Subject("Coco", "other", lines), 60).persistent == "2 May 2026 - Maria: “Coco is a rabbit.”"


def test_a_persona_has_the_values_of_slots_and_then_sentences_the_newest_first() -> None:
    claims = [
        Claim("profile", "Maria", "home", "Porto", "I live in Porto."),
        Claim("preference", "Maria", THREAD, "", "I never eat meat."),
        Claim("fact", "Maria", THREAD, "", "The knee is better."),
    ]
    made = persona(claims, 100)
    assert made.text == "home: Porto\n“The knee is better.”\n“I never eat meat.”"
    assert made.traits == ("Porto",)
