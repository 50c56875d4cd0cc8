"""Trees whose tags contradict them."""

import pytest

from hmem.language.english.meaning.clauses import clauses
from hmem.language.english.parser import parse


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Lisbon's cancelled, the strike hit my flight.", "Lisbon"),
        ("My mate Deji's doing his at Atkins.", "Deji"),
        ("my laptop's a thinkpad t480 running fedora 40", "laptop"),
    ],
)
def test_s_behind_a_subject_is_a_verb(text: str, subject: str) -> None:
    sentence = parse([text])[0].sentences[0]
    assert [token.lemma for token in sentence if token.text == "'s"] == ["be"]
    assert subject in {clause.subject.text for clause in clauses(sentence) if clause.subject is not None}


def test_s_of_a_possessor_stays_one() -> None:
    assert [token.upos for token in parse(["Ivy's exam is on 14 March."])[0].sentences[0] if token.text == "'s"] == [
        "PART"
    ]


@pytest.mark.parametrize(
    ("text", "verb"), [("I'm dating Callum.", "date"), ("We just relocated to Bristol.", "relocate")]
)
def test_a_root_that_can_only_be_a_verb_is_one(text: str, verb: str) -> None:
    assert [clause.verb for clause in clauses(parse([text])[0].sentences[0])] == [verb]


@pytest.mark.parametrize(("text", "tag"), [("Wout broke his wrist.", "PROPN"), ("Coffee keeps me awake.", "NOUN")])
def test_a_bare_subject_that_is_no_common_word_is_a_name(text: str, tag: str) -> None:
    assert parse([text])[0].sentences[0][0].upos == tag
