from collections.abc import Iterator

import pytest

from hmem import Memory

SAID = [
    ("a", "2023-01-02T10:00:00Z", "I love classical music, I listen to it every evening."),
    ("b", "2023-02-02T10:00:00Z", "Our road trip was awful, the car broke down twice."),
    ("c", "2023-03-02T10:00:00Z", "I sold my bike in March."),
]


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as made:
        made.add([{"session": s, "at": at, "speaker": "Nora", "text": text} for s, at, text in SAID])
        yield made


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Did Nora sell her bike?", "Yes"),
        ("Would Nora enjoy a concert of classical music?", "Yes"),
        ("Would Nora go on another road trip soon?", "Likely no"),
        ("Would Nora still love classical music if she hadn't listened to it?", "Likely no"),
    ],
)
def test_a_question_for_yes_or_no_gets_one(memory: Memory, question: str, wanted: str) -> None:
    assert memory.ask(question).text == wanted
