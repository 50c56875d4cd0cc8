"""What a clause says has ended."""

import pytest

from hmem.language.english.meaning.changes import ENDED, HOME, JOB, PARTNER, USE, endings, new_value
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
        ("My doctor took me off sertraline.", ENDED, "sertraline"),
        ("Callum and I split up.", PARTNER, "Callum"),
        ("I've retired from teaching.", JOB, "teaching"),
        ("I switched to purple highlights in the editor.", USE, "highlights"),
        ("I gave the piano to the school.", ENDED, "piano"),
        ("I'm not running the marathon after all.", ENDED, "marathon"),
        ("I stopped the iron tablets.", ENDED, "tablets"),
        ("Max and I aren't together anymore.", PARTNER, "Max"),
    ],
)
def test_verbs_of_change_end_what_they_name(text: str, slot: str, noun: str) -> None:
    assert (slot, noun) in ended(text)


@pytest.mark.parametrize(
    "text",
    [
        "I love my car.",
        "I did not sell my car.",
        "I live in Lisbon.",
        "She moved her chair.",
        "He's moving to Spain.",
        "My car broke down.",
        "I stopped the car at the lights.",
    ],
)
def test_other_verbs_and_denials_end_nothing(text: str) -> None:
    assert ended(text) == []


@pytest.mark.parametrize(
    ("text", "noun", "value"),
    [
        ("My rent went up to 710.", "rent", "710"),
        ("They cut the budget to 4200 euros.", "budget", "euros"),
        ("My dentist appointment got moved to Monday.", "appointment", "Monday"),
        ("They moved my driving test to 2 April.", "test", "April"),
        ("We renamed the cat Pixel.", "cat", "Pixel"),
    ],
)
def test_a_number_an_appointment_or_a_name_gets_another_value(text: str, noun: str, value: str) -> None:
    found = [new_value(clause) for clause in clauses(parse([text])[0].sentences[0])]
    assert [(old.text, new.text) for old, new in filter(None, found)] == [(noun, value)]


@pytest.mark.parametrize("text", ["I moved to Lisbon.", "We went to 3 museums.", "My rent will go up to 710."])
def test_who_moves_gives_nothing_another_value(text: str) -> None:
    assert not [each for clause in clauses(parse([text])[0].sentences[0]) if (each := new_value(clause))]
