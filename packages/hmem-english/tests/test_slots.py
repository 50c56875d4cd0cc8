"""Typed slots of sentences: what people state of themselves, and near misses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.language.analyst.lexicon import ToldSlot
from hmem_english.slots import SLOTS, slot_values, third_person_slots


def _told(sentence: str) -> set[tuple[str, str]]:
    return {(value.slot, value.value) for value in slot_values(sentence)}


STATED = [
    ("home", "I've been living in Ljubljana for six months now.", "Ljubljana"),
    ("home", "we live in a flat over the harbour", "a flat over the harbour"),
    ("employer", "I work for Ashdown & Pell, in accounts.", "Ashdown & Pell"),
    ("child", "my daughter Saskia starts school in september", "Saskia"),
    ("child", "We have a son called Ikenna.", "Ikenna"),
    ("pet", "my dog's name is Biscuit", "Biscuit"),
    ("pet", "I have two cats and a mortgage.", "two cats"),
    ("diet", "im vegan btw", "vegan"),
    ("diet", "I don't eat pork, sorry.", "don't eat pork"),
    ("allergy", "I'm allergic to penicillin, it's on the chart.", "penicillin"),
    ("contact", "my new number is 07700 900321", "07700 900321"),
    ("contact", "You can reach me at o.pell@mill.example.", "o.pell@mill.example"),
    ("contact", "my number is oh seven seven oh oh nine oh oh one two one",
     "oh seven seven oh oh nine oh oh one two one"),
    ("birthday", "My birthday is on the 8th of March.", "the 8th of March"),
    ("vehicle", "My car is a 2018 Honda Civic.", "a 2018 Honda Civic"),
    ("vehicle", "we bought a camper van", "a camper van"),
    ("instruction", "From now on, answer me in French.", "answer me in French"),
    ("instruction", "never call me after nine", "never call me after nine"),
]  # fmt: skip


@pytest.mark.parametrize(("slot", "sentence", "value"), STATED)
def test_slot_values_reads_what_is_stated(slot: str, sentence: str, value: str) -> None:
    assert (slot, value) in _told(sentence)


def test_slot_values_reads_two_slots_of_a_sentence_in_its_order() -> None:
    values = slot_values("I'm vegan and I'm allergic to sesame.")

    assert [(value.slot, value.value) for value in values] == [("diet", "vegan"), ("allergy", "sesame")]


@pytest.mark.parametrize(
    "sentence",
    [
        # Questions, wishes, conditions.
        "My dog's name is Biscuit, right?",
        "do i live in leeds",
        "I wish I lived in Lisbon.",
        "Suppose I live in Lisbon.",
        "If I'm allergic to nuts, what do I do?",
        # The past, and what is no longer so.
        "I used to live in Cork.",
        "i lived in leeds for uni",
        "My dog Rex died last spring.",
        "My old number was 07700 900321.",
        # Denied.
        "I'm not vegan.",
        "I'm not allergic to nuts.",
        "I don't live in Leeds.",
        "I don't have a dog.",
        # Quoted, said by others, joked.
        'He sang "I live in Lisbon" all night.',
        "She said I'm allergic to nuts.",
        "im allergic to nuts lol jk",
        "Anna says my car is a Honda Civic.",
        # Like words in another sense.
        "i live in hope",
        "im allergic to mornings",
        "he drives me mad",
        "From now on I shall rise at six.",
        "never mind",
        "The config lives in /etc/nginx.",
        # Of strangers, and of a machine.
        "Her son Philip is at Durham.",
        "My colleague's dog is called Max",
        "As an AI I'm allergic to nothing, nuts included.",
        # Capitals that are no names.
        "MY DAUGHTER HATES IT",
        "My Daughter Hates Our New Kitchen Sink Design",
    ],
)
def test_slot_values_reads_nothing_off_near_misses(sentence: str) -> None:
    assert _told(sentence) == set()


def test_slot_values_passes_over_long_pastes() -> None:
    assert slot_values("I'm vegan. " + "And so on. " * 200) == []


_WORDS = """
I my 'm am is live in work at as a dog called Anna, Leeds. and \u201c " ' ? allergic to nuts take born on sertraline
50mg 07700 900321 4 June drive Ford never me from now call i\u0307 \u0130 @
"""
_PIECES = st.sampled_from([*_WORDS.split(), "\n"])


@given(st.one_of(st.text(max_size=700), st.lists(_PIECES, max_size=40).map(" ".join)))
def test_slot_values_are_characters_of_the_sentence_whatever_it_is(sentence: str) -> None:
    for value in slot_values(sentence):
        assert value.value == sentence[value.start : value.end]
        assert value.value.strip() == value.value != ""
        assert value.slot in SLOTS


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
    assert third_person_slots(sentence, "Alice") == [ToldSlot(slot, value, positive)]


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
    assert third_person_slots(sentence, "Alice") == []
