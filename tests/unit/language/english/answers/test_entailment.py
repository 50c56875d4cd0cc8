from collections.abc import Sequence

import pytest

from hmem import Memory


def verdict(said: Sequence[str], question: str, speaker: str = "Nora") -> str:
    with Memory(":memory:") as memory:
        memory.add([{"session": "a", "at": "2024-03-02T10:00:00Z", "speaker": speaker, "text": text} for text in said])
        answer = memory.ask(question, at="2024-03-03")
        return "" if answer.abstained else answer.text


@pytest.mark.parametrize(
    ("said", "question", "wanted"),
    [
        ("I sold my bike in March.", "Did Nora sell her bike?", "Yes"),
        ("The parrot learned to bark.", "Can the parrot bark?", "Yes"),
        ("I never drink coffee at work.", "Does Nora drink coffee at work?", "No"),
        ("Our teacher gives no homework on Fridays.", "Does the teacher give homework on Fridays?", "No"),
        ("I want the windows in grey, not white.", "Does Nora want white windows?", "No"),
        ("I bought a red scooter.", "Did Nora purchase a red scooter?", "Yes"),
    ],
)
def test_a_clause_says_or_denies_what_is_asked(said: str, question: str, wanted: str) -> None:
    assert verdict([said], question) == wanted


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("Ben sold his bike in March.", "Did Nora sell her bike?"),
        ("If I win the lottery, I will buy a boat.", "Did Nora buy a boat?"),
        ("Should I sell my bike?", "Did Nora sell her bike?"),
        ("I sold my bike in March.", "Did Nora sell her car?"),
        ("I walked past a dog today.", "Does Nora have a dog?"),
    ],
)
def test_what_is_said_of_others_or_not_stated_says_nothing(said: str, question: str) -> None:
    assert verdict([said], question) == ""


def test_what_would_be_is_likely_unless_the_evidence_speaks_against_it() -> None:
    said = ["I love classical music, I listen to it every evening."]
    assert verdict(said, "Would Nora enjoy a concert of classical music?") in ("Yes", "Probably yes")
    assert verdict(["I hate classical music."], "Would Nora enjoy a concert of classical music?") == "Likely no"
