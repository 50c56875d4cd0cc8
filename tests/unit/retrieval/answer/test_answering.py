from collections.abc import Iterator

import pytest
from tests.recall import plain, query, sources

from hmem import Memory
from hmem.model.plan import Plan
from hmem.retrieval.answer.answering import NOT_TOLD, ExtractedAnswer, answer

SAID = [
    ("s1", "2023-05-08T13:00:00Z", "Maria", "I went to a pottery fair in Ghent yesterday and bought a blue teapot."),
    ("s1", "2023-05-08T13:01:00Z", "Tom", "Nice! I adopted a greyhound named Biscuit from the shelter on Hill Road."),
    ("s1", "2023-05-08T13:02:00Z", "Maria", "Lovely! What made you want a dog?"),
    ("s1", "2023-05-08T13:03:00Z", "Tom", "I adopted him because I was lonely after my sister moved out."),
    ("s2", "2023-07-15T10:00:00Z", "Maria", "I ran my first half marathon last Friday, it took me two hours."),
    ("s2", "2023-07-15T10:01:00Z", "Tom", "Well done! I go swimming twice a week, and I play the cello."),
    ("s2", "2023-07-15T10:02:00Z", "Maria", "My brother has three parrots, and they shout all day."),
]


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as made:
        made.add([{"session": s, "at": at, "speaker": who, "text": text} for s, at, who, text in SAID])
        yield made


def ask(memory: Memory, question: str) -> ExtractedAnswer:
    found = memory.search(question, 20).evidence if question.strip() else ()
    with sources(memory) as held:
        asked = query(held, question)
        return answer(held, asked, Plan(question, (asked.part,)), found)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("When did Maria go to the pottery fair?", "7 May 2023"),
        ("When did Maria run her first half marathon?", "The Friday before 15 July 2023"),
        ("How often does Tom go swimming?", "twice a week"),
        ("How many parrots does Maria's brother have?", "three"),
        ("How long did Maria's half marathon take?", "two hours"),
    ],
)
def test_an_answer_is_as_short_as_what_was_asked_for(memory: Memory, question: str, wanted: str) -> None:
    assert plain(ask(memory, question)) == wanted.lower()


@pytest.mark.parametrize(
    ("question", "held"),
    [
        ("What is the name of Tom's greyhound?", "Biscuit"),
        ("What did Maria buy at the pottery fair?", "teapot"),
        ("What instrument does Tom play?", "cello"),
        ("Why did Tom adopt a greyhound?", "lonely"),
    ],
)
def test_an_answer_holds_what_the_evidence_says(memory: Memory, question: str, held: str) -> None:
    assert held in ask(memory, question).text


def test_what_says_when_is_no_part_of_a_thing() -> None:
    with Memory(":memory:") as made:
        made.add("I bought a blue vase yesterday.", speaker="Tom", at="2023-05-08T13:00:00Z", session="s")
        assert plain(made.ask("What did Tom buy?")) in ("blue vase", "a blue vase")


def test_an_answer_names_the_turn_that_it_stands_on(memory: Memory) -> None:
    said = ask(memory, "When did Maria go to the pottery fair?")
    assert "pottery fair" in memory.get(said.evidence[0]).text
    assert 0.0 <= said.confidence <= 1.0
    assert not said.abstained


@pytest.mark.parametrize(
    "question", ["What did Tom buy at the pottery fair?", "What is the name of Maria's greyhound?"]
)
def test_it_abstains_when_the_fact_is_another_persons(memory: Memory, question: str) -> None:
    said = ask(memory, question)
    assert said.abstained
    assert said.text == NOT_TOLD


def test_it_abstains_without_evidence(memory: Memory) -> None:
    with sources(memory) as held:
        asked = query(held, "When did Maria run?")
        said = answer(held, asked, Plan(asked.text, (asked.part,)), ())
    assert said.abstained
    assert said.evidence == ()


@pytest.mark.parametrize(
    "question", ["?", "x" * 4_000, "```code```", "什么时候?", "what what what or or", "Would Tom?", "or"]
)
def test_any_question_gets_an_answer(memory: Memory, question: str) -> None:
    assert ask(memory, question).text


def test_a_long_paste_is_read_in_part() -> None:
    with Memory(":memory:") as made:
        made.add("word, and more of it; " * 4_000, speaker="Tom", at="2023-05-08T13:00:00Z", session="s")
        made.add("```\nx = 1\n```", speaker="Tom", at="2023-05-08T13:00:00Z", session="s")
        assert ask(made, "What word does Tom say?").text


def test_the_same_question_gets_the_same_answer(memory: Memory) -> None:
    question = "What did Maria buy at the pottery fair?"
    assert ask(memory, question) == ask(memory, question)
