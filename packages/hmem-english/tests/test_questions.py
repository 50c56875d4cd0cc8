import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.model.plan import SubQuestion
from hmem_english.questions import answer_type, find_names, parse_question, plan, scope_of

ASKED = datetime(2023, 10, 22, 9, 55, tzinfo=UTC)
ROOT = Path(__file__).parents[3]
PEOPLE = ("Caroline", "Melanie")


def planned(question: str, *people: str) -> SubQuestion:
    (part,) = plan(question, ASKED, people or PEOPLE).parts
    return part


@pytest.mark.parametrize(
    ("question", "lead", "nouns"),
    [
        ("Which colour schemes has Nadia asked for?", "which", ("colour", "schemes")),
        ("In which month did she leave?", "which", ("month",)),
        ("According to Jon, who is the best dancer?", "who", ()),
        ("Can you remind me what the colour was?", "what", ("the", "colour")),
        ("I was thinking of our trip. Where did we stay?", "where", ()),
        ("What's her name?", "what", ()),
        ("Which places in Italy did she see?", "which", ("places",)),
        ("What kind of books does she read?", "what", ("kind", "books")),
        ("Was it a good month? Answer yes or no.", "", ()),
    ],
)
def test_a_question_has_a_lead_and_the_nouns_behind_it(question: str, lead: str, nouns: tuple[str, ...]) -> None:
    assert parse_question(question)[1:3] == (lead, nouns)


def test_a_question_that_begins_with_its_verb_is_polar() -> None:
    assert parse_question("Did Jon sell what he had made?").polar
    assert not parse_question("Could you remind me when Jon sold it?").polar


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who sang?", "person"),
        ("Whose birthday was it?", "person"),
        ("Which author has he read most?", "person"),
        ("Which composer's tunes does he play?", "person"),
        ("What is the name of the dog?", "thing"),
        ("Where did she sleep?", "place"),
        ("What city did they visit?", "place"),
        ("Which school did he go to?", "organization"),
        ("At which university did I study?", "organization"),
        ("When did she leave?", "time"),
        ("What year did he begin?", "time"),
        ("In which month's game did he score?", "time"),
        ("What is the birthday of her niece?", "time"),
        ("How long ago was it?", "time"),
        ("How many weeks ago did I call?", "time"),
        ("How long has she played?", "duration"),
        ("How many weeks did it take?", "duration"),
        ("How often does he run?", "frequency"),
        ("How many times a week does he run?", "frequency"),
        ("How many times has he run?", "count"),
        ("How much did it cost?", "count"),
        ("How old is she?", "count"),
        ("Did she go?", "yes_no"),
        ("Would she like tea or coffee?", "choice"),
        ("Which came first, the move or the wedding?", "choice"),
        ("Why did he stop?", "reason"),
        ("What made her stop?", "reason"),
        ("What is his reason for running?", "reason"),
        ("How did she feel?", "manner"),
        ("What did she do on Friday?", "activity"),
        ("What is he planning to do?", "activity"),
        ("What happened to the car?", "activity"),
        ("Which hobby did she take up?", "activity"),
        ("Which instrument does she play?", "thing"),
        ("What kind of time management technique does she use?", "thing"),
        ("Can you recommend a film?", "any"),
        ("Tell me more.", "any"),
    ],
)
def test_the_kind_of_answer_follows_what_asks_and_its_noun(question: str, kind: str) -> None:
    assert answer_type(parse_question(question)) == kind


@pytest.mark.parametrize(
    ("question", "scope", "coverage"),
    [
        ("When did Ana adopt the dog?", "short", "local"),
        ("Who led the lab?", "short", "local"),
        ("What did Ana buy in Rome?", "short", "local"),
        ("What film has Ana recently seen?", "short", "local"),
        ("How long has Ana had her first two cats?", "short", "local"),
        ("What kind of lamps did Ana buy?", "short", "local"),
        ("How many guests came?", "short", "local"),
        ("What kind of person is Ana?", "long", "local"),
        ("Would Ana like the sea?", "long", "local"),
        ("What might Ana study?", "long", "local"),
        ("What does Ana do to relax?", "long", "local"),
        ("How often does Ana swim?", "long", "local"),
        ("How has Ana changed over the year?", "long", "local"),
        ("How many times has Ana swum?", "mixed", "global"),
        ("Which cities has Ana been to?", "mixed", "global"),
        ("Where has Ana camped?", "mixed", "global"),
        ("What has Ana painted?", "mixed", "global"),
        ("What pets does Ana have?", "mixed", "global"),
        ("Which of the songs did Ana sing?", "mixed", "global"),
        ("How much did Ana pay altogether?", "mixed", "global"),
        ("Which came first, the move or the wedding?", "mixed", "local"),
        ("Does Ana swim more than she did?", "mixed", "local"),
    ],
)
def test_scope_and_coverage_follow_what_is_gathered(question: str, scope: str, coverage: str) -> None:
    assert scope_of(parse_question(question)) == (scope, coverage)


def test_names_are_as_they_are_written_without_a_possessive() -> None:
    assert find_names("What did Ana's cat do in New York?", ("Ana", "Ben")) == ("Ana", "New York")


def test_people_are_found_without_their_capital() -> None:
    assert find_names("what did ana say?", ("Ana",)) == ("ana",)
    assert find_names("what is banana bread?", ("Ana",)) == ()


def test_what_stands_in_quotes_is_a_name() -> None:
    assert "nothing is impossible" in find_names('When did Ana read "nothing is impossible"?', ("Ana",))
    assert "Page Turners" in find_names("When did Ana join 'Page Turners'?", ("Ana",))


def test_the_first_person_is_the_user_and_the_second_the_assistant() -> None:
    assert find_names("What did you say of my garden?", ("Nadia", "Assistant")) == ("Assistant", "Nadia")
    assert find_names("What did you say of my garden?", ()) == ()


def test_a_page_of_names_is_cut_short() -> None:
    assert len(find_names(" ".join(f"at Xy{chr(97 + i)}ville," for i in range(26)), ())) <= 12


def test_nouns_of_german_are_no_names_for_their_capitals() -> None:
    assert find_names("Wann hat Jana mir das mit dem Garten und der Schule erzählt?", ("Jana",)) == ("Jana",)


def test_of_a_question_in_another_language_only_names_and_dates_are_known() -> None:
    part = planned("Was hat Caroline mir an dem Tag über das Haus gesagt?", "Caroline")
    assert (part.answer_type, part.entities) == ("any", ("Caroline",))
    assert planned("¿Qué dijo Melanie el 2023-05-07?").spans[0].start.date().isoformat() == "2023-05-07"


# The worked cases of the papers.


def test_a_when_question_without_a_time_frame_is_sequential() -> None:
    part = planned("When did Caroline mention she was going to the LGBTQ support group?")
    assert (part.mode, part.spans, part.answer_type, part.scope) == ("sequential", (), "time", "short")
    assert part.topic == part.text
    assert part.entities == ("Caroline", "LGBTQ")


def test_a_count_within_a_year_is_intersective_and_global() -> None:
    part = planned("How many times has Melanie gone to the beach in 2023?")
    assert (part.mode, part.answer_type, part.coverage) == ("intersective", "count", "global")
    assert [(span.start.year, span.end.year) for span in part.spans] == [(2023, 2024)]
    assert part.topic == "How many times has Melanie gone to the beach?"


def test_a_question_about_two_people_stays_whole() -> None:
    part = planned("What subject have Caroline and Melanie both painted?")
    assert (part.entities, part.coverage) == (("Caroline", "Melanie"), "global")


def test_most_questions_of_the_example_are_planned_as_labelled() -> None:
    labels = json.loads((ROOT / "tests/acceptance/labels/plans.json").read_text("utf-8"))["ten_months"]
    questions = json.loads((ROOT / "examples/ten_months.questions.json").read_text("utf-8"))
    asked = datetime(2025, 11, 4, 20, 30, tzinfo=UTC)
    right = {"scope": 0, "mode": 0, "coverage": 0, "answer_type": 0}
    for question in questions:
        part = plan(question["question"], asked, ("Nadia", "Assistant")).parts[-1]
        for name in right:
            right[name] += getattr(part, name) in labels[question["id"]][name].split("/")
    assert len(labels) == len(questions)
    assert all(count >= 0.9 * len(questions) for count in right.values()), right


@pytest.mark.parametrize(
    "question",
    [
        "",
        " ",
        "?",
        "🙂🙂🙂?",
        "¿Cuándo fue Ana a la playa en 2023?",
        "安娜什么时候去了海边",
        "what",
        "how many",
        "both",
        "Which",
        "and and and and?",
        "Who, what, when, where and why?",
        "Did " * 5_000,
        "A and B both " * 500,
        ", , , , " * 1_000,
        "before " * 1_000,
        "between a and the b " * 30,
        " " * 20_000,
        "When did Ana " + "really " * 3_000 + "go?",
    ],
)
def test_any_text_has_a_plan_that_keeps_it(question: str) -> None:
    made = plan(question, ASKED, PEOPLE)
    assert made.question == question
    assert made.parts
    assert made.parts[-1].text or not question


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=80), st.lists(st.text(max_size=8), max_size=3))
def test_a_time_frame_makes_a_question_intersective(question: str, people: list[str]) -> None:
    (part,) = plan(question, ASKED, people).parts
    assert (part.mode == "intersective") == bool(part.spans)


@given(st.integers(0, 4_000_000))
def test_what_is_past_is_never_sought_after_the_question(minutes: int) -> None:
    asked = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
    for question in ("What did Ana do in July?", "What did Ana do on Friday?", "What did Ana do last summer?"):
        (part,) = plan(question, asked, ("Ana",)).parts
        assert all(span.start <= asked for span in part.spans)
        assert part.spans
