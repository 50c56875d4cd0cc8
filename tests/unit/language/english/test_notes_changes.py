import pytest
from tests.unit.language.english.told import short


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("I gave away my guitar.", "owns", "guitar"),
        ("My bike was stolen yesterday.", "owns", "bike"),
        ("I traded in my Toyota for a Tesla.", "owns", "Toyota"),
        ("My dog Coco passed away on Sunday.", "pet", "dog Coco"),
        ("We had to put Milo down last night.", "pet", "Milo"),
        ("I stopped playing guitar.", "plays", "guitar"),
        ("I stopped learning Spanish.", "language", "Spanish"),
        ("I quit my job at Globex.", "employer", "Globex"),
        ("I left the choir in the end.", "membership", "choir"),
        ("I switched from Vim to Emacs.", "uses", "Vim"),
        ("My interview was cancelled.", "plan", "Maria's interview"),
    ],
)
def test_what_is_over_is_a_claim_that_is_not_positive(text: str, slot: str, value: str) -> None:
    assert (slot, value, False) in short(text)


def test_what_is_exchanged_for_it_is_had() -> None:
    assert ("owns", "Tesla", True) in short("I traded in my Toyota for a Tesla.")
    assert ("uses", "Emacs", True) in short("I switched from Vim to Emacs.")


def test_a_dead_dog_is_not_had() -> None:
    assert [each for each in short("My dog Coco passed away on Sunday.") if each[0] == "pet" and each[2]] == []


@pytest.mark.parametrize(
    "text",
    ["I might sell my car next year.", "Dad sold his car.", "If I sold my car, I would walk.", "I almost sold my car."],
)
def test_what_did_not_happen_to_what_is_theirs_is_not_over(text: str) -> None:
    assert [each for each in short(text) if not each[2]] == []


def test_an_appointment_is_put_off() -> None:
    assert short("My dentist appointment got moved to Monday.")[0][:2] == (
        "plan",
        "Maria's dentist appointment to Monday",
    )
