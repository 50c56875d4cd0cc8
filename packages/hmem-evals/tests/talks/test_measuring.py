"""Evidence found in our own conversations."""

from dataclasses import replace

import pytest

from hmem.errors import UnknownName
from hmem_evals.talks import load
from hmem_evals.talks.measuring import TOKENS, measure


def only(conversation, *ids):
    return replace(conversation, questions=tuple(each for each in conversation.questions if each.id in ids))


def test_evidence_is_measured_for_each_recipe_and_kind():
    asked = only(load("texting")[0], "texting:q05", "texting:q36", "texting:q70")
    calls = []
    made = measure([asked], ["bm25", "vector"], progress=lambda done, total: calls.append((done, total)))
    assert [row["recipe"] for row in made["rows"]] == ["bm25", "vector"]
    assert calls[-1][0] == calls[-1][1] == 2 * made["rows"][0]["questions"]
    for row in made["rows"]:
        assert set(row["in_context"]) == {str(tokens) for tokens in TOKENS}
        assert row["questions"] == sum(part["questions"] for part in row["by_kind"].values())


def test_what_was_never_said_has_no_evidence_and_is_not_asked():
    conversation = load("texting")[0]
    never = [question.id for question in conversation.questions if question.unanswerable]
    [row] = measure([only(conversation, *never)], ["bm25"])["rows"]
    assert (row["questions"], row["recall"], row["by_kind"]) == (0, None, {})


def test_questions_can_be_left_out():
    asked = only(load("texting")[0], "texting:q05", "texting:q36")
    [row] = measure([asked], ["bm25"], without={"texting:q36"})["rows"]
    assert row["questions"] == 1


def test_more_tokens_hold_no_less_evidence():
    conversation = load("texting")[0]
    [row] = measure([only(conversation, *(each.id for each in conversation.questions[:10]))], ["bm25"])["rows"]
    shares = [row["in_context"][str(tokens)] for tokens in TOKENS]
    assert shares == sorted(shares)
    assert shares[-1] > 0


def test_an_unknown_recipe_is_refused_before_a_memory_is_made():
    with pytest.raises(UnknownName):
        measure([], ["soup"])
