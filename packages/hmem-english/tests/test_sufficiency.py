from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.language.analyst.base import Excerpt
from hmem.model.plan import FollowUp, SubQuestion, Sufficiency
from hmem.model.span import Span
from hmem_english.questions import plan
from hmem_english.sufficiency import missing, sufficiency

ASKED = datetime(2025, 3, 14, 12, tzinfo=UTC)
TUESDAY = datetime(2025, 3, 11, 9, tzinfo=UTC)


def told(question: str, *lines: str, speaker: str = "Maria", when: datetime = TUESDAY) -> Sufficiency:
    found = [Excerpt(text, speaker, when + timedelta(hours=i)) for i, text in enumerate(lines)]
    (part,) = plan(question, ASKED, ("Maria", "Tom")).parts
    return sufficiency(part, found, ASKED)


def test_nothing_answers_nothing() -> None:
    assert told("Where does Maria live?") == Sufficiency(0.0, 0.0, 0.0, 0.0)


def test_a_note_that_lacks_what_is_asked_is_insufficient_and_says_what_it_lacks() -> None:
    """HiMem's worked case."""
    question = "What color did I ask you to use for the dashboard buttons last Tuesday?"
    short = told(question, "Maria prefers blue.", when=TUESDAY - timedelta(days=90))
    assert {"dashboard", "buttons"} <= set(short.lacking)
    assert (short.recency, short.confidence < 0.2) == (0.0, True)
    whole = told(question, "Please use blue as the color for the dashboard buttons.", speaker="user")
    assert whole.confidence > 3 * short.confidence
    assert (whole.recency, whole.lacking) == (1.0, ())


def test_a_line_that_holds_all_at_once_is_surer_than_several_that_hold_a_part_each() -> None:
    question = "When did Maria adopt the puppy from the shelter?"
    together = told(question, "I adopted a puppy from the shelter on 3 March.", "It rained all day.")
    apart = told(question, "We adopted a plan on 3 March.", "A puppy barked.", "The shelter was full.")
    assert together.confidence > apart.confidence
    assert together.coverage > apart.coverage


@pytest.mark.parametrize(
    ("question", "holds", "lacks"),
    [
        ("When did Maria visit the museum?", "We visited the museum on 4 May 2024.", "We visited the museum again."),
        ("Where is the sculpture museum?", "The sculpture museum is in Porto.", "The sculpture museum is large."),
        ("Who came to the museum?", "To the museum came Tom.", "It came to the museum in a large box."),
        ("How long was the lecture?", "The lecture took two hours.", "The lecture took us far away."),
        ("How many sculptures were there?", "There were twelve sculptures.", "There were sculptures of all sizes."),
    ],
)  # fmt: skip
def test_what_could_be_the_answer_makes_a_line_more_specific(question: str, holds: str, lacks: str) -> None:
    assert told(question, holds).specificity > told(question, lacks).specificity


def test_the_kind_of_answer_that_the_plan_tells_goes_before_the_wording() -> None:
    line = [Excerpt("The choir sang for two hours.", "Maria", TUESDAY)]
    timed = sufficiency(SubQuestion("Tell me of the choir", answer_type="duration"), line, ASKED)
    placed = sufficiency(SubQuestion("Tell me of the choir", answer_type="place"), line, ASKED)
    assert timed.specificity > placed.specificity


def test_words_of_another_language_are_compared_by_their_stems() -> None:
    part = SubQuestion("Welche Katzen haben die Kinder von dem Nachbarn mir gezeigt?")
    near = [Excerpt("Die Kinder von nebenan haben uns ihre Katze gezeigt.", "Maria", TUESDAY)]
    far = [Excerpt("Der Garten ist heute leider zu nass und zu kalt.", "Maria", TUESDAY)]
    assert sufficiency(part, near, ASKED).coverage > 0.5
    assert sufficiency(part, far, ASKED).coverage == 0


def test_what_another_says_of_other_things_is_worth_less() -> None:
    question = "What instrument does Maria play?"
    lines = [Excerpt("I play an instrument, the cello.", "Maria", TUESDAY), Excerpt("Nice!", "Tom", TUESDAY)]
    other = [Excerpt("I play an instrument, the cello.", "Tom", TUESDAY), Excerpt("Nice!", "Maria", TUESDAY)]
    part = SubQuestion(question)
    assert sufficiency(part, lines, ASKED).confidence > sufficiency(part, other, ASKED).confidence


def test_lines_of_another_time_than_the_one_asked_about_are_not_current() -> None:
    part = SubQuestion("What did Maria cook?", spans=(Span(TUESDAY - timedelta(days=1), TUESDAY + timedelta(days=1)),))
    early, late = (
        [Excerpt("I cooked a stew.", "Maria", when)] for when in (TUESDAY - timedelta(days=60), TUESDAY)
    )  # fmt: skip
    assert sufficiency(part, early, ASKED).recency == 0
    assert sufficiency(part, late, ASKED).recency == 1


@pytest.mark.parametrize(
    ("question", "line", "name"),
    [
        ("What did Maria say about Porto?", "I like the sea.", "Porto"),
        ("What did Maria say about Porto?", "I like the sea of Porto.", None),
        ("What did Maria say about Porto to Elena Costa?", "I like the sea.", None),
        ("What did Maria say?", "I like the sea.", None),
        ("What did I say about Porto?", "I like the sea.", "Porto"),
    ],
)
def test_the_one_name_that_no_line_has_is_looked_up(question: str, line: str, name: str | None) -> None:
    (part,) = plan(question, ASKED, ("Maria", "Tom")).parts
    found = missing(part, [Excerpt(line, "Maria", TUESDAY)])
    assert found == (None if name is None else FollowUp(name, "name", name))
    assert missing(part, []) is None


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=4))
def test_any_text_is_measured_between_nothing_and_all(question: str, lines: list[str]) -> None:
    found = told(question, *lines)
    assert all(0 <= value <= 1 for value in (found.coverage, found.specificity, found.recency, found.confidence))
    assert found == told(question, *lines)
