"""What a person's next message says of an answer."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem_english.feedback import feedback

REPLIES = Path(__file__).parents[3] / "benchmarks" / "feedback_replies.txt"
QUESTION, ANSWER = "Where does Priya work?", "at the aquarium"


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("Exactly!", "approve"),
        ("Yes, exactly!", "approve"),
        ("thanks, that’s right", "approve"),
        ("No, you're right.", "approve"),
        ("The aquarium, yes.", "approve"),
        ("no, that's wrong", "reject"),
        ("That's not what I said.", "reject"),
        ("She left the aquarium in May.", "reject"),
        ("It's the zoo now.", "reject"),
        ("The aquarium? No, the zoo.", "reject"),
        ("What should we cook?", "none"),
        ("No problem.", "none"),
        ("No surprise, she loves fish.", "none"),
        ("Right, so next I have to call her.", "none"),
        ('He said "that is wrong" and left.', "none"),
        ("I was wrong about the weather.", "none"),
        ("It's late now.", "none"),
        ("", "none"),
        ("?", "none"),
    ],
)
def test_a_reply_is_judged_by_what_it_begins_with(reply: str, verdict: str) -> None:
    assert feedback(QUESTION, ANSWER, reply) == verdict


@given(st.text(max_size=80), st.text(max_size=30))
def test_any_reply_to_any_answer_has_a_verdict(reply: str, answer: str) -> None:
    assert feedback(answer, answer, reply) in ("approve", "none", "reject")


def test_nine_of_ten_verdicts_on_the_labelled_replies_are_right() -> None:
    lines = [line for line in REPLIES.read_text("utf-8").splitlines() if line.count("|") == 3]
    judged = [(label.strip(), feedback(*rest)) for label, *rest in (line.split("|") for line in lines)]
    assert len(judged) >= 80
    for verdict in ("approve", "reject"):
        told = [label for label, found in judged if found == verdict]
        assert told.count(verdict) / len(told) >= 0.9
