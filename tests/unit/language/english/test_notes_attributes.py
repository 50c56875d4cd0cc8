import pytest
from tests.unit.language.english.told import short


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("My new phone number is 555 0177.", "phone number", "555 0177"),
        ("My email is maria@new.example.", "email", "maria@new.example"),
        ("My rent is now 1050 euros a month.", "rent", "1050 euros a month"),
        ("I've completed 20 videos so far.", "number of videos", "20"),
        ("I have already tried three different restaurants.", "number of restaurants", "three"),
        ("I love the blue theme.", "theme colour", "blue"),
        ("Since dark mode, green accents are easier on my eyes.", "theme colour", "green"),
    ],
)
def test_what_someone_has_one_of_is_claimed(text: str, slot: str, value: str) -> None:
    assert (slot, value, True) in short(text)


def test_a_number_that_is_only_imagined_is_not_claimed() -> None:
    assert short("If my rent is 500 euros, I would dance.") == []


def test_a_number_of_one_occasion_is_no_tally() -> None:
    assert [each for each in short("I watched 3 films on Saturday.") if each[0].startswith("number")] == []
