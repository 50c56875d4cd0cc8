"""Trees whose tags contradict them."""

from itertools import islice

import pytest

from hmem.language.english.meaning.clauses import clauses
from hmem.language.english.parser import parse
from hmem.language.english.tree import NOT_BUT


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


@pytest.mark.parametrize(
    ("text", "verb", "phase"),
    [
        ("I stopped drinking coffee.", "drink", "stop"),
        ("I quit smoking.", "smoke", "stop"),
        ("She gave up eating meat.", "eat", "stop"),
        ("I used to smoke.", "smoke", "used to"),
    ],
)
def test_what_begins_or_ends_is_a_verb(text: str, verb: str, phase: str) -> None:
    assert [(clause.verb, clause.phase) for clause in clauses(parse([text])[0].sentences[0])] == [(verb, phase)]


def test_a_noun_that_begins_stays_one() -> None:
    [clause] = clauses(parse(["We started the training late."])[0].sentences[0])
    assert clause.verb == "start"


@pytest.mark.parametrize(
    "text",
    ["I am used to noise.", "I used to live here.", "My wife, Ana, and I moved.", "My boss, my cat and Tom left."],
)
def test_what_is_well_formed_stays_as_it_is(text: str) -> None:
    relations = {token.relation for token in parse([text])[0].sentences[0]}
    assert not relations & {"appos", NOT_BUT}


@pytest.mark.parametrize(
    ("text", "noun", "name"),
    [
        ("Our linter, Biome, complains about the imports.", "linter", "Biome"),
        ("My cat, Minka, sleeps on the radiator.", "cat", "Minka"),
        ("My car, Bertha, broke down.", "car", "Bertha"),
        ("I love my dog, Coco.", "dog", "Coco"),
    ],
)
def test_a_name_between_commas_is_an_apposition(text: str, noun: str, name: str) -> None:
    sentence = parse([text])[0].sentences[0]
    [found] = [token for token in sentence if token.text == name]
    assert (found.relation, found.upos, sentence[found.head].text) == ("appos", "PROPN", noun)


def test_a_verb_behind_a_clause_about_its_subject_is_the_main_verb() -> None:
    sentence = parse(["My sister, who is called Ana, lives in Porto."])[0].sentences[0]
    assert (sentence.root.text, sentence.root.upos) == ("lives", "VERB")


def test_a_number_belongs_to_the_noun_before_it() -> None:
    sentence = parse(["The API uses port 9090."])[0].sentences[0]
    assert [sentence[token.head].text for token in sentence if token.text == "9090"] == ["port"]


@pytest.mark.parametrize(
    ("text", "denied", "against"),
    [
        ("We use pnpm here, not npm.", "npm", "pnpm"),
        ("We pay by card, not by cheque.", "cheque", "card"),
        ("I have two cats, not three.", "three", "two"),
        ("The meeting is on Monday, not Tuesday.", "Tuesday", "Monday"),
        ("Tom, not Ana, pays the bill.", "Ana", "Tom"),
    ],
)
def test_what_is_denied_is_set_against_its_like(text: str, denied: str, against: str) -> None:
    sentence = parse([text])[0].sentences[0]
    found = {token.text: sentence[token.head].text for token in sentence if token.relation == NOT_BUT}
    assert found == {denied: against}


def test_not_a_problem_denies_nothing() -> None:
    sentence = parse(["I have a car, not a problem."])[0].sentences[0]
    assert NOT_BUT not in {token.relation for token in sentence}


@pytest.mark.parametrize(
    ("text", "noun", "names"),
    [
        ("My twins, Anna and Max, swim.", "twins", ["Anna", "Max"]),
        ("I walked our three dogs, Rex, Coco and Bella, at noon.", "dogs", ["Rex", "Coco", "Bella"]),
        ("We have two servers, Thor and Odin.", "servers", ["Thor", "Odin"]),
        ("My cousins, Ana Lima and Rui, disagree.", "cousins", ["Ana", "Rui"]),
    ],
)
def test_names_behind_a_plural_noun_are_its_appositions(text: str, noun: str, names: list[str]) -> None:
    sentence = parse([text])[0].sentences[0]
    (first,) = (token for token in sentence if token.relation == "appos")
    assert sentence[first.head].text == noun
    assert [token.text for token in (first, *sentence.children(first, "conj"))] == names


@pytest.mark.parametrize(
    "text",
    [
        "We have three servers, Thor and Odin.",
        "I love your photos, Anna and Max!",
        "Thanks for the photos, Anna and Max.",
        "My friends, Anna and I went home.",
    ],
)
def test_names_that_are_no_names_of_the_noun_before_them_stay_apart(text: str) -> None:
    sentence = parse([text])[0].sentences[0]
    assert not [token for token in sentence if token.relation == "appos" and sentence[token.head].upos == "NOUN"]


@pytest.mark.parametrize(
    ("text", "noun", "name", "root"),
    [
        ("A plumber named Viktor comes in every spring.", "plumber", "Viktor", "comes"),
        ("My aunt called Petra is moving to Graz.", "aunt", "Petra", "moving"),
    ],
)
def test_a_name_behind_called_is_what_the_noun_is_called(text: str, noun: str, name: str, root: str) -> None:
    sentence = parse([text])[0].sentences[0]
    (found,) = (token for token in sentence if token.text == name)
    participle = sentence[found.head]
    assert (participle.relation, sentence[participle.head].text, sentence.root.text) == ("acl", noun, root)


def test_who_calls_somebody_is_no_name() -> None:
    sentence = parse(["My mother called Brendan yesterday."])[0].sentences[0]
    assert sentence.root.text == "called"


def test_what_stands_behind_rather_than_is_set_against_its_like() -> None:
    sentence = parse(["We chose the blue tent rather than the green tent."])[0].sentences[0]
    assert [sentence[token.head].text for token in sentence if token.relation == NOT_BUT] == ["tent"]


def test_a_clause_is_about_what_is_meant_not_about_what_is_denied() -> None:
    sentence = parse(["It was Tom, not Ana, who called me."])[0].sentences[0]
    assert [sentence[token.head].text for token in sentence if token.relation == "acl:relcl"] == ["Tom"]


def test_what_is_mended_stays_a_tree() -> None:
    text = "I stand in it for the joy she has a lurcher called Duvet so thats my warm ups sorted"
    long = f"well sold the Barnabas to a man with parrots, we've got a semi, garden, airing cupboard, {text}"
    for each in (text, long):
        sentence = parse([each])[0].sentences[0]
        assert all(len(list(islice(sentence.above(token), len(each)))) < len(each) for token in sentence)
