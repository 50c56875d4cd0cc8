from collections.abc import Sequence

import pytest

from hmem import Memory


def verdict(said: Sequence[str], question: str, speaker: str = "Nora") -> str:
    with Memory(":memory:") as memory:
        memory.add(
            [
                {"session": "a", "at": "2024-03-02T10:00:00Z", "speaker": speaker, "role": "user", "text": text}
                for text in said
            ]
        )
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
    ("said", "question", "wanted"),
    [
        ("I stopped eating plums in May, feels great.", "Do I eat plums?", "No"),
        ("I stopped eating plums in May.", "Did I eat plums?", "Yes"),
        ("I stopped eating plums in May.", "Did I stop eating plums?", "Yes"),
        ("I never stopped knitting scarves.", "Do I knit scarves?", "Yes"),
        ("I never stopped knitting scarves.", "Did I stop knitting scarves?", "No"),
        ("I used to juggle.", "Do I juggle?", "No"),
        ("I used to juggle.", "Did I juggle?", "Yes"),
        ("We used to have a goat.", "Do we have a goat?", "No"),
        ("I quit smoking.", "Have I quit smoking?", "Yes"),
        ("I gave up the cello, but I still play the harp.", "Do I play the cello?", "No"),
        ("I gave up the cello, but I still play the harp.", "Do I play the harp?", "Yes"),
        ("I no longer take the drops, the nurse said so.", "Do I take the drops?", "No"),
        ("We pay by card, not by cheque.", "Do we pay by cheque?", "No"),
        ("We use pnpm here, not npm.", "Do we use pnpm?", "Yes"),
        ("We use pnpm here, not npm.", "Do we use npm?", "No"),
        ("My uncle stopped driving.", "Does my uncle drive?", "No"),
    ],
)
def test_what_stopped_is_not_so_and_was_so(said: str, question: str, wanted: str) -> None:
    assert verdict([said], question) == wanted


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("I stopped eating plums in May.", "Did I stop eating pears?"),
        ("I stopped for a coffee on the way.", "Have I given up coffee?"),
        ("The worker stopped responding after the deploy.", "Have I stopped deploying?"),
        ("We no longer support Python 3.8.", "Do we support Python 3.12?"),
        ("I don't travel for work any longer.", "Do I work from home?"),
        ("My uncle stopped driving.", "Do I drive?"),
    ],
)
def test_what_stopped_says_nothing_of_something_else(said: str, question: str) -> None:
    assert verdict([said], question) == ""


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
