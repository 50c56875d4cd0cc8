import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.language.analyst.base import Labels
from hmem.language.english.labels import FALLBACK, label
from hmem.language.english.word_lists import lines_of

# Statement, its domain, its category.
TABLE = [
    ("Maria adopted a puppy named Coco from the shelter.", "pets and animals", "puppy"),
    ("Maria's sister had a baby in June.", "family", "sister"),
    ("John got a promotion at the office.", "work", "promotion"),
    ("Maria signed up for a pottery class.", "arts and crafts", "pottery"),
    ("John ran the Boston marathon.", "sport and fitness", "marathon"),
    ("Maria baked a sourdough bread and two pies.", "food and drink", "baking"),
    ("John booked flights and a hotel in Lisbon.", "travel", "flight"),
    ("Maria plays the violin in an orchestra.", "music", "violin"),
    ("John finished reading a fantasy novel.", "books and films", "reading"),
    ("Maria was diagnosed with asthma by the doctor.", "health", "asthma"),
    ("John camped by the lake and saw a waterfall.", "nature and outdoors", "camping"),
    ("Maria volunteers at a homeless shelter.", "community and causes", "volunteer"),
    ("John saved money for the rent and paid his debt.", "money", "saving"),
    ("Maria debugged the Python code on her laptop.", "technology", "debugging"),
    ("John won the chess tournament on his console.", "games", "chess"),
    ("Maria's birthday party had a balloon for each guest.", "events and celebrations", "birthday"),
    ("John passed the exam at his university.", "education", "exam"),
    ("Maria's landlord repaired the roof of the apartment.", "home", "landlord"),
    ("John's truck needs a mechanic.", "cars and transport", "truck"),
    ("Maria speaks Portuguese with an accent.", "languages and places", "portuguese"),
]


@pytest.mark.parametrize(("text", "domain", "category"), TABLE)
def test_a_statement_goes_from_wide_to_narrow(text: str, domain: str, category: str) -> None:
    labels = label(text, "Maria" if text.startswith("Maria") else "John")
    assert (labels.domain, labels.category) == (domain, category)


def test_the_trace_is_of_the_statements_own_words_without_the_speaker() -> None:
    assert (
        label("Maria signed up for a pottery class at the Alfama studio.", "Maria").trace
        == "pottery class, Alfama studio"
    )


def test_a_statement_of_no_domain_is_of_daily_life_under_its_first_noun() -> None:
    assert label("Maria lost the umbrella on Tuesday.", "Maria") == Labels(FALLBACK, "umbrella", "lost, umbrella")


def test_a_word_with_the_stem_of_another_is_not_taken_for_it() -> None:
    assert label("Maria plans everything.", "Maria").domain != "travel"


@pytest.mark.parametrize("text", ["", "!!!", "🎉🎉", "我上周五收养了一只小狗", "the of and"])
def test_a_text_without_english_words_has_labels_all_the_same(text: str) -> None:
    labels = label(text, "Maria")
    assert labels.domain == FALLBACK
    assert labels.category
    assert labels.trace


def test_each_domain_has_a_name_and_enough_words_of_its_own() -> None:
    lines = lines_of("domains.txt")
    names = [line.partition(":")[0] for line in lines]
    assert 16 <= len(names) == len(set(names)) <= 24
    assert all(len(line.partition(":")[2].split()) >= 30 for line in lines)


@given(st.text(max_size=200), st.text(max_size=10))
def test_labels_are_the_same_each_time_and_never_empty(text: str, speaker: str) -> None:
    labels = label(text, speaker)
    assert labels == label(text, speaker)
    assert labels.domain
    assert labels.category
    assert labels.trace
