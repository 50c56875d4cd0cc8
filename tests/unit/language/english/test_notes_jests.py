import pytest
from tests.unit.language.english.told import short

from hmem.language.english.notes import in_jest


@pytest.mark.parametrize(
    "text",
    [
        "I moved to Mars. Just kidding!",
        "I sold the dog. April fools!",
        "Imagine I lived on a boat.",
        "Oh sure, I love mornings.",
    ],
)
def test_what_is_said_in_jest_claims_nothing(text: str) -> None:
    assert in_jest(text)
    assert short(text) == []


def test_what_is_said_in_earnest_is_no_jest() -> None:
    assert not in_jest("I moved to Porto last month, not a joke.")
