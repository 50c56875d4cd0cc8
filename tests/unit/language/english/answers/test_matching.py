from datetime import UTC, datetime

import pytest

from hmem.language.analyst.answer_reader import CandidateSentence, StatementLine, TreeMatch
from hmem.language.english.answers.lines import last_question, lines_of
from hmem.language.english.answers.matching import asking, matches
from hmem.model.evidence import Evidence, Why


def sentence(text: str, speaker: str, before: StatementLine | None = None) -> CandidateSentence:
    """Return the first line of a turn."""
    said = Evidence(
        id="turn_1", kind="turn", text=text, when=datetime(2024, 5, 1, tzinfo=UTC), score=1.0, why=Why((), {}),
        session="", speaker=speaker, caption=None, message_id=None, sources=(),
    )  # fmt: skip
    return CandidateSentence(lines_of(text, None)[0], said, 0, 0, before)


def match(question: str, text: str, speaker: str = "Maria", before: str = "") -> TreeMatch:
    earlier = last_question(before, None, ()) if before else None
    return matches(question, [sentence(text, speaker, earlier)])[0]


def filled(question: str, text: str, speaker: str = "Maria", before: str = "") -> list[str]:
    line = lines_of(text, None)[0].text
    return [line[start:end] for start, end in match(question, text, speaker, before).fills]


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("What did Maria adopt?", "I adopted a small puppy in June.", "a small puppy"),
        ("What does Maria want to study?", "I want to study marine biology.", "marine biology"),
        ("Who painted the fence?", "My brother painted the fence.", "My brother"),
        ("Where did Maria buy the lamp?", "I bought the lamp at the flea market.", "the flea market"),
        ("How many jars does Maria have?", "I have twenty jars already.", "twenty"),
        ("Why did Maria sell the car?", "I sold the car because it kept breaking down.", "it kept breaking down"),
    ],
)
def test_what_fills_the_gap_of_a_question_is_found(question: str, text: str, answer: str) -> None:
    assert answer in filled(question, text)


def test_a_reply_fills_the_gap_of_the_question_before_it() -> None:
    assert filled("What does Maria play?", "The cello.", before="What do you play?") == ["The cello"]


def test_a_clause_about_another_one_does_not_match() -> None:
    assert match("What did Maria adopt?", "I adopted a puppy.", speaker="Ben").score == 0
    assert match("What did Maria adopt?", "I adopted a puppy.").score == pytest.approx(1.0)


def test_a_clause_with_another_verb_does_not_match() -> None:
    assert match("What did Maria adopt?", "I washed a puppy.").score == 0


@pytest.mark.parametrize(
    ("question", "gap", "verb", "subject"),
    [
        ("What is Grant taking a course in?", "oblique", "take", {"grant"}),
        ("What would Zoe's grandfather wake her up for?", "oblique", "wake", {"zoe", "grandfather"}),
        ("What did Elif do with her dad?", "activity", "do", {"elif"}),
        ("Does Pepper sleep outside?", "polar", "sleep", {"pepper"}),
        ("Who gave Owen the motorbike?", "subject", "give", set()),
    ],
)
def test_a_question_is_read_by_the_order_of_its_words(question: str, gap: str, verb: str, subject: set[str]) -> None:
    asked = asking(question)
    assert asked is not None
    assert (asked.gap, asked.verb, asked.subject) == (gap, verb, subject)


def test_what_is_no_question_matches_nothing() -> None:
    assert asking("tell me more") is None
    assert match("tell me more", "I adopted a puppy.")._replace(phrases=()) == TreeMatch(0.0)
