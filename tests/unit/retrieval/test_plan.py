from datetime import UTC, datetime

import pytest

from hmem.errors import InvalidQuery, ModelGarbled
from hmem.language.analyst import analyst
from hmem.language.analyst.lexicon import Lexicon
from hmem.model.plan import Plan, SubQuestion
from hmem.model.span import Span
from hmem.retrieval.plan import PlanKey, Plans, check_question, merge_parts, wording
from hmem.storage.base import Speaker

LEXICON = analyst("rules").lexicon
SPEAKERS = [Speaker(1, "Melanie", None), Speaker(2, "user", "user"), Speaker(3, "Tomas Silva", None)]


def test_the_scaffolding_of_a_question_is_not_looked_for() -> None:
    query = wording("How many times has she gone to the beach?", SPEAKERS, LEXICON)
    assert query.words == ("beach",)
    assert query.terms == ("beach",)


class PotteryLexicon(Lexicon):
    @property
    def stop_words(self) -> frozenset[str]:
        return frozenset({"teapot"})

    @property
    def first_person(self) -> frozenset[str]:
        return frozenset({"eu"})


def test_the_language_of_a_question_is_that_of_the_lexicon() -> None:
    query = wording("Eu teapot where", SPEAKERS, PotteryLexicon())
    assert query.words == ("Eu", "where")
    assert query.names == ("user",)


def test_a_speakers_name_is_matched_with_who_speaks_and_not_looked_for() -> None:
    query = wording("When did Melanie paint a sunrise?", SPEAKERS, LEXICON)
    assert query.words == ("paint", "sunrise")
    assert (query.speakers, query.names) == ((1,), ("Melanie",))
    assert wording("What did tomas carve?", SPEAKERS, LEXICON).speakers == (3,)
    assert wording("Melanie's chair", SPEAKERS, LEXICON).speakers == (1,)


def test_the_first_person_is_the_user() -> None:
    assert wording("Where did I park my car?", SPEAKERS, LEXICON).speakers == (2,)
    assert wording("Where is the car?", SPEAKERS, LEXICON).speakers == ()


def test_an_assistant_only_repeats_what_people_say_of_themselves() -> None:
    speakers = [*SPEAKERS, Speaker(4, "Iris", "assistant")]
    assert wording("Where did I park my car?", speakers, LEXICON).assistants == (4,)
    assert wording("What did Tomas carve?", speakers, LEXICON).assistants == (4,)
    assert wording("Where is the car?", speakers, LEXICON).assistants == ()
    assert wording("What did Iris advise me?", speakers, LEXICON).assistants == ()
    assert wording("Where did I park my car?", SPEAKERS, LEXICON).assistants == ()


def test_a_question_of_nothing_but_scaffolding_keeps_what_it_has() -> None:
    assert wording("Who are you?", SPEAKERS, LEXICON).terms
    assert wording("Melanie?", SPEAKERS, LEXICON).words == ("Melanie",)


def test_a_word_counts_once_in_the_order_of_the_question() -> None:
    assert wording("puppy, kitten, puppies", SPEAKERS, LEXICON).terms == ("puppi", "kitten")


def test_a_question_without_words_has_no_terms() -> None:
    assert wording("?!", SPEAKERS, LEXICON).terms == ()


@pytest.mark.parametrize("question", ["", "  ", None, 5, "caf\udce9"])
def test_what_is_no_question_is_refused(question: str) -> None:
    with pytest.raises(InvalidQuery):
        check_question(question)


def test_a_long_question_is_cut() -> None:
    assert len(check_question("x" * 100_000)) == 4_000
    assert check_question("Where?") == "Where?"


def test_a_question_of_one_part_is_that_part() -> None:
    part = SubQuestion("Where is it?", answer_type="place")
    assert merge_parts(Plan("Where is it?", (part,))) is part


def test_a_question_of_several_parts_asks_for_all_that_they_ask_for() -> None:
    march = Span(datetime(2025, 3, 1, tzinfo=UTC), datetime(2025, 4, 1, tzinfo=UTC))
    one = SubQuestion("Where was Ann?", "short", entities=("Ann",), spans=(march,), mode="intersective", topic="Ann")
    other = SubQuestion("Where was Ben?", "long", "global", entities=("Ben", "Ann"), spans=(march,), needs=(0,))
    both = merge_parts(Plan("Where were Ann and Ben in March?", (one, other)))
    assert (both.text, both.scope, both.coverage, both.mode) == (
        "Where were Ann and Ben in March?", "mixed", "global", "intersective",
    )  # fmt: skip
    assert (both.spans, both.entities, both.needs) == ((march,), ("Ann", "Ben"), ())


def test_without_a_time_the_topic_of_several_parts_is_the_whole_question() -> None:
    parts = (SubQuestion("Where is Ann?", topic="Ann"), SubQuestion("Where is Ben?", topic="Ben"))
    assert merge_parts(Plan("Where are Ann and Ben?", parts)).topic == "Where are Ann and Ben?"


MINUTE = datetime(2024, 1, 1, 12, 30, tzinfo=UTC)


def test_a_question_is_planned_once_in_a_minute() -> None:
    plans, made = Plans(), Plan("Who?", (SubQuestion("Who?"),))
    calls: list[int] = []

    def make() -> Plan:
        calls.append(1)
        return made

    for second in (1, 59):
        assert plans.get(PlanKey.of_request("m", "Who?", MINUTE.replace(second=second), ["Maria"]), make) is made
    assert len(calls) == 1
    plans.get(PlanKey.of_request("m", "Who?", MINUTE, ["Maria", "Ben"]), make)
    plans.get(PlanKey.of_request("other", "Who?", MINUTE, ["Maria"]), make)
    assert len(calls) == 3


def test_a_plan_that_could_not_be_made_is_tried_again() -> None:
    plans, asked = Plans(), PlanKey.of_request("m", "Who?", MINUTE, [])

    def fail() -> Plan:
        raise ModelGarbled("no plan - ask again")

    with pytest.raises(ModelGarbled):
        plans.get(asked, fail)
    assert plans.get(asked, lambda: Plan("Who?", ())).parts == ()
