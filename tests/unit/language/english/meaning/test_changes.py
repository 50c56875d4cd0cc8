"""What a clause says has ended."""

import pytest

from hmem.language.english.meaning.changes import ENDED, HOME, JOB, PARTNER, endings
from hmem.language.english.meaning.clauses import clauses
from hmem.language.english.parser import parse


def ended(text: str) -> list[tuple[str, str]]:
    return [
        (ending.slot, ending.noun.text if ending.noun is not None else "")
        for sentence in parse([text])[0].sentences
        for clause in clauses(sentence)
        for ending in endings(clause)
    ]


@pytest.mark.parametrize(
    ("text", "slot", "noun"),
    [
        ("I sold my car.", ENDED, "car"),
        ("I quit my job.", JOB, "job"),
        ("We broke up last month.", PARTNER, ""),
        ("I moved to Lisbon.", HOME, ""),
        ("I gave up coffee.", ENDED, "coffee"),
        ("I no longer eat meat.", ENDED, "meat"),
        ("My cat died.", ENDED, "cat"),
    ],
)
def test_verbs_of_change_end_what_they_name(text: str, slot: str, noun: str) -> None:
    assert (slot, noun) in ended(text)


@pytest.mark.parametrize(
    "text", ["I love my car.", "I did not sell my car.", "I live in Lisbon.", "She moved her chair."]
)
def test_other_verbs_and_denials_end_nothing(text: str) -> None:
    assert ended(text) == []
