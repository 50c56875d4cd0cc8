from collections.abc import Iterator

import pytest
from tests.recall import plain

from hmem import Memory
from hmem.language.english.answers.facts import subject_of, verb_of
from hmem.language.english.answers.lines import lines_of

TALK = (
    ("Maria", "I adopted a puppy named Coco in March."),
    ("Ben", "Nice! My brother Leo plays the cello."),
    ("Maria", "Anna, my sister, is learning the violin."),
    ("Ben", "I have a dog, too. I never adopted a cat."),
    ("Maria", "Last week Tom broke his arm."),
    ("Ben", "I helped Tom bake bread."),
    ("Maria", "Tom gave me a lantern for my birthday."),
    ("Ben", "I rowed to the island. Maria rowed to the island as well."),
)


@pytest.fixture(scope="module")
def told() -> Iterator[Memory]:
    with Memory(":memory:") as memory:
        memory.add(
            [
                {"speaker": who, "text": text, "session": "s", "at": f"2025-01-05T10:{i:02d}:00Z"}
                for i, (who, text) in enumerate(TALK)
            ]
        )
        yield memory


@pytest.mark.parametrize(
    ("question", "who"),
    [
        ("Who adopted a puppy?", "Maria"),
        ("Who adopted Coco?", "Maria"),
        ("Who plays the cello?", "Ben's brother Leo"),
        ("Who is learning the violin?", "Anna, Maria's sister"),
        ("Who has a dog?", "Ben"),
        ("Who broke his arm?", "Tom"),
        ("Who gave Maria a lantern?", "Tom"),
        ("Who helped Tom bake bread?", "Ben"),
        ("Who did Ben help?", "Tom"),
    ],
)
def test_who_did_it_is_the_subject_of_what_was_done(told: Memory, question: str, who: str) -> None:
    answer = told.ask(question)
    assert (plain(answer), answer.abstained) == (who.lower(), False)
    assert answer.evidence


def test_those_who_did_the_same_are_all_named(told: Memory) -> None:
    answer = told.ask("Who rowed to the island?")
    assert sorted(plain(answer).split(", ")) == ["ben", "maria"]


def test_one_is_no_answer_where_several_are_asked_for(told: Memory) -> None:
    assert plain(told.ask("Who have adopted a puppy?")) != "maria"


def test_what_nobody_did_is_not_told(told: Memory) -> None:
    assert told.ask("Who flew to Japan?").abstained


@pytest.mark.parametrize(
    ("question", "verb"),
    [
        ("Who moved to Rome?", "mov"),
        ("who also recently moved to Rome?", "mov"),
        ("Who is moving to Rome?", "mov"),
        ("Who has moved to Rome?", "mov"),
        ("Who has a dog?", "have"),
        ("Who was promoted?", "promot"),
        ("Who will pay?", "pay"),
        ("Who is the nurse?", None),
        ("Who are Maria's friends?", None),
        ("Who did Maria meet?", None),
        ("Who?", None),
        ("Where does Maria live?", None),
    ],
)
def test_a_verb_is_what_somebody_did(question: str, verb: str | None) -> None:
    assert verb_of(question) == verb


@pytest.mark.parametrize(
    ("event", "subject"),
    [
        ("Maria adopted a puppy.", "Maria"),
        ("Maria has also adopted a puppy.", "Maria"),
        ("Maria's brother and Maria adopted a puppy.", "Maria's brother and Maria"),
        ("The old neighbour adopted a puppy.", "The old neighbour"),
        ("Last week Maria adopted a puppy.", "Maria"),
        ("Maria never adopted a puppy.", ""),
        ("Maria wanted to adopt a puppy.", ""),
        ("Maria saw Tom adopt a puppy.", ""),
        ("Adopted a puppy.", ""),
        ("Maria lives in Porto.", ""),
    ],
)
def test_a_subject_is_what_stands_before_the_first_verb(event: str, subject: str) -> None:
    (line,) = lines_of(event, None)
    found = subject_of(line, "adopt")
    assert (line.text[found[0].start : found[-1].end] if found else "") == subject
