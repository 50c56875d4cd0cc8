import pytest

from hmem.language.analyst.lexicon import ToldSlot
from hmem.language.english.slots_of_others import told_of


@pytest.mark.parametrize(
    ("sentence", "slot", "value", "positive"),
    [
        ("Alice lives in Oslo now.", "home", "Oslo", True),
        ("Alice still works at Bosch.", "employer", "Bosch", True),
        ("Alice's cat is called Tiger.", "pet", "Tiger", True),
        ("Alice's a vegan.", "diet", "vegan", True),
        ("Alice isn't allergic to peanuts.", "allergy", "peanuts", False),
        ("Alice no longer works for Siemens.", "employer", "Siemens", False),
        ("Alice doesn\u2019t live in Porto any more.", "home", "Porto", False),
    ],
)
def test_what_is_told_of_somebody_is_read_as_they_would_say_it(
    sentence: str, slot: str, value: str, positive: bool
) -> None:
    assert told_of(sentence, "Alice") == [ToldSlot(slot, value, positive)]


@pytest.mark.parametrize(
    "sentence",
    [
        "I live in Oslo.",
        "I live in Oslo, and Alice knows it.",
        "Bob lives in Oslo.",
        "Does Alice live in Oslo?",
        "Malice lives in Oslo.",
        "If Alice lives in Oslo, she is cold.",
        "Always answer Alice in English.",
        "Tom says that Alice lives in Oslo.",
    ],
)
def test_what_is_told_of_others_or_not_stated_is_not_read(sentence: str) -> None:
    assert told_of(sentence, "Alice") == []
