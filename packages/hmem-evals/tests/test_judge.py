"""Judging answers with a model, which a stand-in stands in for."""

from collections.abc import Iterator

import pytest

from hmem.errors import ModelUnavailable, UnknownName
from hmem_evals.asking import TimedAnswer
from hmem_evals.conversations import Question
from hmem_evals.judge import Judge
from hmem_testing.fake_llm import ReplyRule, StandIn

QUESTION = Question("q", "Who moved to Lisbon, and when?", "Lena, in May", "single-hop", ("1:0",))
NEVER = Question("n", "Who sold the yacht?", "", "adversarial", (), unanswerable=True)
LONG = "As far as I can tell it was Lena who moved there, in May"


@pytest.fixture
def server() -> Iterator[StandIn]:
    with StandIn() as started:
        yield started


def said(text: str, *, abstained: bool = False) -> TimedAnswer:
    return TimedAnswer(text, abstained, 0.5, 1.0)


def judge(server: StandIn, protocol: str = "orchestrated") -> Judge:
    return Judge(f"openai:m@{server.url}", protocol)


def test_a_right_answer_is_judged_right_and_a_wrong_one_wrong(server: StandIn) -> None:
    marked = judge(server).marked(QUESTION, said("Lena, in May"))
    assert (marked.correct, marked.text, marked.simple) == (True, "Lena, in May", "Lena, in May")
    assert marked.stages["judge"].calls == 1
    assert marked.stages["judge"].input_tokens > 0
    assert judge(server).marked(QUESTION, said("Otto")).correct is False


def test_the_judge_sees_the_whole_answer_and_a_long_one_is_made_short_beside_it(server: StandIn) -> None:
    marked = judge(server).marked(QUESTION, said(LONG))
    assert marked.text == LONG
    assert marked.simple != ""
    assert [call.task for call in server.calls] == ["judge_answer", "simplify_answer"]
    assert LONG in str(server.calls[0].request)


@pytest.mark.parametrize(("protocol", "rule"), [("orchestrated", "essential"), ("evolving", "same")])
def test_a_protocol_is_a_rule_for_answers_that_tell_a_part(server: StandIn, protocol: str, rule: str) -> None:
    judge(server, protocol).marked(QUESTION, said("Lena"))
    assert f'"rule":"{rule}"' in server.calls[0].request["messages"][1]["content"]


@pytest.mark.parametrize(
    ("question", "abstained", "correct"), [(QUESTION, True, False), (NEVER, True, True), (NEVER, False, False)]
)
def test_abstaining_is_judged_without_a_call(
    server: StandIn, question: Question, abstained: bool, correct: bool
) -> None:
    assert judge(server).marked(question, said("Otto did", abstained=abstained)).correct is correct
    assert server.calls == []


def test_a_judge_that_cannot_be_understood_leaves_the_answer_unjudged() -> None:
    with StandIn([ReplyRule("wrong-schema", task="judge_answer")]) as server:
        marked = judge(server).marked(QUESTION, said("Lena"))
        assert marked.correct is None
        assert marked.stages["judge"].calls == 2


def test_a_busy_judge_is_asked_again_and_one_that_is_gone_is_an_error() -> None:
    with StandIn([ReplyRule("busy", calls="first:2", seconds=0.1)]) as server:
        assert judge(server).marked(QUESTION, said("Lena, in May")).correct
    with StandIn([ReplyRule("busy", seconds=0.01)]) as server, pytest.raises(ModelUnavailable):
        judge(server).marked(QUESTION, said("Lena"))


def test_who_cannot_judge_is_refused() -> None:
    with pytest.raises(UnknownName, match="cannot judge"):
        Judge("rules")
    with pytest.raises(UnknownName, match="protocol"):
        Judge("openai:m", "coin")
