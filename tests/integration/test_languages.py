"""Other languages: kept, found, told in the statistics, and never in the way of formation."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.formation import formed

from hmem import Memory

FACT = "I have lived in Porto since 2016."
LATER = "I adopted a puppy named Coco yesterday."

# A message each that states a fact, with names and dates.
LANGUAGES = {
    "de": "Am 5. März heirate ich Jana, und im Mai ziehen wir nach Hamburg zu Siemens.",
    "fr": "Je travaille chez Airbus depuis le 3 mai et j'habite à Lyon avec Claire.",
    "es": "Mi hermana Ana vive en Madrid y trabaja como enfermera desde enero.",
    "it": "Mia sorella Giulia lavora alla Fiat e abita a Torino con due cani.",
    "pt": "Minha irmã mora em Lisboa e trabalha na Petrobras desde março.",
    "nl": "Mijn broer Bas werkt sinds maart bij Philips en woont nu in Eindhoven.",
    "ru": "Меня зовут Иван, я живу в Москве и работаю в Яндексе.",
    "ja": "私は東京に住んでいて、トヨタで働いています。",
}


def test_a_text_without_end_is_read_in_part_and_told(memory: Memory) -> None:
    memory.add(f"{'and then we went on ' * 1_000}. {FACT}", speaker="Ann")
    assert memory.stats().unread == {"length": 1}
    assert not any("Porto" in event.text for event in memory.events())
    assert memory.search("Porto", k=1)[0].text.endswith(FACT)


@pytest.mark.parametrize(("language", "text"), LANGUAGES.items())
def test_another_language_is_kept_as_it_was_said_and_found(memory: Memory, language: str, text: str) -> None:
    memory.add([{"text": each, "speaker": "Max", "session": "s"} for each in (text, "ok 👍")])
    assert all(event.text in text for event in memory.events())
    stats = memory.stats()
    assert (stats.languages, stats.unread) == ({language: 2}, {})
    assert memory.search(text.rsplit(maxsplit=1)[-1], k=1)[0].text == text


def test_typed_slots_are_read_in_english_among_other_languages(memory: Memory) -> None:
    memory.add([{"text": each, "speaker": "Max", "session": "s"} for each in (*LANGUAGES.values(), FACT)])
    assert {note.value for note in memory.notes(subject="Max") if note.value} == {"Porto"}
    assert memory.stats().languages["en"] == 1


def test_blocks_are_found_by_words_and_make_nothing(memory: Memory) -> None:
    code = "```python\nclass Kitchen(Room):\n    owner = 'Zelda'\n    city = 'Vienna'\n```"
    memory.add([{"text": each, "speaker": "Max", "session": "s"} for each in (f"{FACT}\n\n{code}", LATER)])
    assert not any(word in str((memory.events(), memory.notes(), memory.graph())) for word in ("Zelda", "Vienna"))
    assert {note.value for note in memory.notes(subject="Max")} >= {"Porto"}
    assert "Zelda" in memory.search("Zelda Kitchen", k=1)[0].text
    assert memory.stats().unread == {"code": 1}


def test_what_is_told_outlasts_the_process_and_a_rebuild(path: Path) -> None:
    with Memory(path) as memory:
        memory.add([{"text": each, "speaker": "Max", "session": "s"} for each in (*LANGUAGES.values(), FACT)])
        told = memory.stats()
    with Memory(path) as memory:
        assert (memory.stats().languages, memory.stats().unread) == (told.languages, told.unread)
        memory.rebuild()
        assert (memory.stats().languages, memory.stats().unread) == (told.languages, told.unread)


def test_a_forgotten_turn_is_told_no_more(memory: Memory) -> None:
    made = memory.add([{"text": each, "speaker": "Max", "session": "s"} for each in (FACT, LANGUAGES["de"])])
    memory.forget(made[1].id)
    assert (memory.stats().languages, memory.stats().unread) == ({"en": 1}, {})


SAID = (*LANGUAGES.values(), FACT, LATER, "ok", "ja genau", "no, gracias", "😀", "```\nx = 1\n```", "bis dann", "Coco!")


@settings(max_examples=8)
@given(st.lists(st.sampled_from(SAID), min_size=2, max_size=12), st.randoms(use_true_random=False))
def test_turns_in_several_languages_come_to_the_same_one_by_one(texts: list[str], chance: random.Random) -> None:
    messages = [
        {"text": text, "speaker": chance.choice(("Max", "Ann")), "session": "s", "at": f"2024-03-01T10:{place:02}:00Z"}
        for place, text in enumerate(texts)
    ]
    with Memory(":memory:") as one, Memory(":memory:") as other:
        one.add(messages)
        for message in messages:
            other.add(message)
        assert formed(one) == formed(other)
