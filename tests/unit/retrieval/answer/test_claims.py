from collections.abc import Iterator, Sequence

import pytest
from tests.recall import plain

from hmem import Memory

Said = Sequence[tuple[str, str, str]]

MOVED: Said = [
    ("2024-01-10", "Maria", "I live in Porto. I work as a nurse."),
    ("2024-01-10", "Maria", "My parents live in Porto too."),
    ("2024-01-11", "Maria", "My audit is on June 1."),
    ("2024-03-05", "Maria", "Correction: my audit is on June 11."),
    ("2024-04-20", "Maria", "I moved to Lisbon in April. I quit smoking because my lungs hurt."),
    ("2024-04-21", "Maria", "I started as a data analyst at Zillow."),
]


def memory_of(said: Said) -> Memory:
    memory = Memory(":memory:")
    memory.add(
        [
            {"session": f"s-{day}", "at": f"{day}T10:00:00Z", "speaker": who, "text": text, "role": "user"}
            for day, who, text in said
        ]
    )
    return memory


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with memory_of(MOVED) as made:
        yield made


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Where does Maria live?", "Lisbon"),
        ("Where did Maria live in January 2024?", "Porto"),
        ("Where did Maria use to live?", "Porto"),
        ("Where did Maria live before Lisbon?", "Porto"),
        ("What is Maria's job now?", "data analyst"),
        ("What was Maria's job in February 2024?", "nurse"),
        ("Where do Maria's parents live?", "Porto"),
        ("When is Maria's audit?", "11 June"),
    ],
)
def test_the_claim_that_holds_at_the_time_asked_about_answers(memory: Memory, question: str, wanted: str) -> None:
    answer = memory.ask(question, at="2024-05-01")
    assert wanted in answer.text
    assert "Porto" in wanted or "Porto" not in answer.text


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Does Maria live in Lisbon?", "Yes"),
        ("Does Maria live in Porto?", "No"),
        ("Did Maria live in Porto in January 2024?", "Yes"),
        ("Is Maria still a nurse?", "No"),
        ("Does Maria still smoke?", "No"),
        ("Do Maria's parents live in Porto?", "Yes"),
        ("Is Maria's audit on June 1?", "No"),
    ],
)
def test_a_question_of_yes_or_no_goes_by_the_claim_that_holds(memory: Memory, question: str, wanted: str) -> None:
    assert plain(memory.ask(question, at="2024-05-01")) == wanted.lower()


@pytest.mark.parametrize(
    "question", ["Does Maria have a dog?", "Is Maria a pilot's wife?", "Do Maria's parents smoke?"]
)
def test_it_abstains_where_no_claim_says_or_denies_what_is_asked(memory: Memory, question: str) -> None:
    assert memory.ask(question, at="2024-05-01").abstained


def test_an_answer_from_a_claim_cites_its_turn(memory: Memory) -> None:
    answer = memory.ask("Where does Maria live?", at="2024-05-01")
    assert [evidence.text for evidence in answer.evidence] == [MOVED[4][2]]


def test_what_ended_answers_as_of_the_time_when_it_held(memory: Memory) -> None:
    assert "Porto" in memory.as_of("2024-02-01").ask("Where does Maria live?").text


@pytest.mark.parametrize(
    ("first", "second", "question", "wanted"),
    [
        ("Grafana runs on port 3000.", "Grafana runs on port 3300.", "Which port does Grafana run on?", "port 3300"),
        ("We run it on port 3000.", "We run the hub on port 3300.", "Which port does the hub run on?", "port 3300"),
        ("Nora's budget is 500 euros.", "Nora's budget is 700 euros.", "What is Nora's budget?", "700 euros"),
        (
            "The budget for the fair is 900 euros.",
            "The budget for the stand is 400 euros.",
            "What is the budget for the fair?",
            "900 euros",
        ),
        (
            "The test server runs on Postgres 14.",
            "The live server runs on Postgres 16.",
            "Which Postgres does the test server run on?",
            "Postgres 14",
        ),
        ("The cabin is on lot 12.", "My uncle's cabin is on lot 15.", "Which lot is the cabin on?", "lot 12"),
    ],
)
def test_a_later_value_replaces_that_of_the_same_attribute_only(
    first: str, second: str, question: str, wanted: str
) -> None:
    with memory_of([("2024-01-10", "Maria", first), ("2024-01-12", "Maria", second)]) as made:
        assert plain(made.ask(question)) == wanted.lower()


@pytest.mark.parametrize(
    ("said", "question", "wanted"),
    [
        ("Our linter, Biome, complains about imports.", "What is our linter called?", "biome"),
        ("Our new designer, Fenna, starts on Monday.", "What is the name of our new designer?", "fenna"),
        ("My brother, who is called Tomasz, lives in Rome.", "What is my brother called?", "tomasz"),
        ("Our daughter Mia starts school.", "What is our daughter's name?", "mia"),
        ("My dog Rex is old.", "What is my dog's name?", "rex"),
    ],
)
def test_a_name_is_answered_by_a_name(said: str, question: str, wanted: str) -> None:
    with memory_of([("2024-01-10", "Maria", said)]) as made:
        assert plain(made.ask(question)) == wanted


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("Our daughter Mia starts school.", "What is our son's name?"),
        ("My sister Ana lives in Porto.", "What is my brother's name?"),
    ],
)
def test_another_relative_is_no_answer(said: str, question: str) -> None:
    with memory_of([("2024-01-10", "Maria", said)]) as made:
        assert made.ask(question).abstained
