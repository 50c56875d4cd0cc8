import pytest

from hmem_english.disclaimers import asks_of_knowing, disclaimers

NON_ANSWERS = [
    "No idea, sorry.",
    "idk who's coming yet",
    "I don't remember.",
    "I forgot what she studied",
    "I'm not sure when the launch is. I'll ask Helen and get back to you.",
    "I couldn't find anything about which database the billing service uses.",
    "I'm afraid I can't see why your refund was declined. Let me check.",
    "There's no mention of a trial period in what I have.",
    "You haven't told me your sister's name yet. What is she called?",
    "I don\u2019t think you\u2019ve mentioned her name.",
    "Your textbook hasn't come up in our conversations.",
    "It is unclear which version is supported.",
    "Nobody knows when the audit starts.",
]

ANSWERS = [
    "I don't know how to swim",
    "I don't know what to do about my boss",
    "I don't have a car, I cycle everywhere",
    "We don't have integration tests.",
    "I don't know the exact day but it's the second weekend of June",
    "No idea why, but Marco went to Lisbon",
    "I'm not certain about the accessories, but the warranty is two years.",
    "You never told me you had a daughter!",
    "I couldn't find the fixtures under src, they are in tests/data.",
    "There is no courier; your order is sent as a letter.",
    "I'm not sure. It was Ana who signed it.",
    "I don't have any record of it. However, audits usually start in May.",
    "The router doesn't support WPA3.",
    "I don't think so.",
    "",
]

ELSEWHERE = [
    "Non lo so, mi dispiace.",
    "No tengo idea de eso.",
    "Ich weiß es nicht, aber der Zug fährt um neun.",
    "Ik heb no idea waar het is, vraag het Jan.",
    "わかりません。",
    "not = lambda x: not x",
]


@pytest.mark.parametrize("text", NON_ANSWERS)
def test_a_turn_that_only_says_that_its_speaker_does_not_know_disclaims(text: str) -> None:
    assert disclaimers(text)


@pytest.mark.parametrize("text", [*ANSWERS, *ELSEWHERE])
def test_a_turn_that_tells_anything_does_not_disclaim(text: str) -> None:
    assert disclaimers(text) == ()


def test_questions_back_are_among_the_sentences_and_what_is_put_off_is_not() -> None:
    said = disclaimers("I'm not sure where Ana keeps it. Is it in Porto? Let me check with Ben.")
    assert said == ("I'm not sure where Ana keeps it.", "Is it in Porto?")


def test_a_long_turn_tells_something() -> None:
    assert disclaimers("I don't know. " * 60) == ()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Does Oskar know the launch date?", True),
        ("Who told Ana?", True),
        ("What did I ask you?", True),
        ("Do you know where we keep the keys?", False),
        ("When does the audit start?", False),
    ],
)
def test_a_question_about_what_somebody_knows_is_told(question: str, *, expected: bool) -> None:
    assert asks_of_knowing(question) == expected
