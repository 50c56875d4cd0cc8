from datetime import UTC, datetime

import pytest

from hmem.language.english.questions import plan
from hmem.language.english.sufficiency import slot_of

ASKED = datetime(2024, 1, 12, tzinfo=UTC)


def slot(question: str) -> str | None:
    (part,) = plan(question, ASKED, ("John", "Tim")).parts
    found = slot_of(part)
    return found.name if found else None


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Which composer's tunes does Tim play?", "composer"),
        ("Who sang with Tim?", "person"),
        ("Where does Tim run?", "place"),
        ("Which school did Tim go to?", "organization"),
        ("What film did Tim see?", "title"),
        ("What is the name of Tim's dog?", "name"),
        ("When did Tim begin to surf?", "date"),
        ("How many turtles does Tim keep?", "number"),
        ("When did Tim surf in 2023?", None),
        ("What kind of films does Tim like?", None),
        ("How many times has Tim surfed?", None),
        ("What did Tim cook?", None),
        ("Why did Tim stop?", None),
        ("Did Tim stop?", None),
        ("", None),
    ],
)
def test_only_what_a_rule_can_recognise_can_be_missing(question: str, name: str | None) -> None:
    assert slot(question) == name


def test_a_work_stands_for_its_maker() -> None:
    (part,) = plan("Which author does Tim read?", ASKED, ("Tim",)).parts
    found = slot_of(part)
    assert found is not None
    assert found.maker
    assert found.vague.search("I am reading a long novel about whales.")
