import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.language.english.courtesies import is_courtesy

SPEAKERS = ("ana", "tom")

COURTESIES = [
    "Thanks so much, Ana!",
    "Hey Tom, what's up?",
    "Bye!",
    "Talk to you soon!",
    "Take care, Ana.",
    "Have a great weekend!",
    "Good luck with your novel!",
    "Congrats on the new job!",
    "That sounds amazing!",
    "That photo is stunning!",
    "Wow, what a great idea!",
    "I'm so proud of you.",
    "You're an inspiration to us all!",
    "Let me know how it goes.",
    "Feel free to ask if you have more questions.",
    "No worries!",
    "You're welcome!",
    "Ana appreciates it a lot.",
    "Absolutely!",
    "Glad to help, Tom.",
    "It's great to see you!",
    "...",
    "",
]
TELLING = [
    "Thanksgiving is at my sister's.",
    "I'm proud to be a nurse.",
    "I am glad about the new job in Porto.",
    "Good coffee is hard to find in Leeds.",
    "Ana keeps bees.",
    "It's great for the knees to swim.",
    "Tom has a great dane.",
    "Have you seen my keys?",
    "That meeting is at 4 pm.",
    "Luck had nothing to do with it.",
    "We talk on Mondays.",
    "You are allergic to nuts.",
    "Thanks to you I passed the exam, and on Monday I start at the hospital in Porto as a nurse on the night shift.",
]


@pytest.mark.parametrize("sentence", COURTESIES)
def test_a_sentence_that_only_greets_thanks_or_praises_is_a_courtesy(sentence: str) -> None:
    assert is_courtesy(sentence, SPEAKERS)


@pytest.mark.parametrize("sentence", TELLING)
def test_a_sentence_that_tells_something_is_none(sentence: str) -> None:
    assert not is_courtesy(sentence, SPEAKERS)


@given(st.text(max_size=300))
def test_any_text_is_judged(text: str) -> None:
    assert is_courtesy(text) in (True, False)
