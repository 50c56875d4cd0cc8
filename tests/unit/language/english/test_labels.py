import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.language.english.labels import UNLIKE_ANY, labels
from hmem.language.english.word_lists import lines_of

# Statement, its domain, its category.
TABLE = [
    ("Maria adopted a puppy named Coco from the shelter.", "pets and animals", "pets"),
    ("Maria's sister visited their parents with her cousins.", "family", "parents and children"),
    ("John got promoted at the office and likes his new boss.", "work", "job and projects"),
    ("Maria made a clay bowl in her pottery class.", "arts and crafts", "painting and crafts"),
    ("John ran the Boston marathon after months of training.", "sport and fitness", "training"),
    ("Maria baked sourdough bread and two apple pies.", "food and drink", "meals and drinks"),
    ("John booked a flight and a hotel in Lisbon.", "travel", "trips and places"),
    ("Maria plays the violin and the piano.", "music", "songs and instruments"),
    ("John finished reading a fantasy novel.", "books, films and games", "books and writing"),
    ("The doctor at the hospital diagnosed Maria with asthma.", "health", "illness and treatment"),
    ("John camped by the lake and hiked a mountain trail.", "nature and outdoors", "outdoors and environment"),
    ("Maria volunteers at a homeless shelter and collects donations.", "community", "volunteering and local life"),
    ("John paid his debt and put his savings in the bank.", "money", "budget and shopping"),
    ("Maria fixed a bug in her Python code.", "technology", "programming"),
    ("John won the chess game.", "books, films and games", "games"),
    ("Maria invited guests to her birthday party.", "events and celebrations", "parties and holidays"),
    ("John passed the exam at his university.", "education", "school and languages"),
    ("Maria's landlord raised the rent of the apartment.", "home", "house and repairs"),
    ("John's car needs new tires from the mechanic.", "travel", "cars and transport"),
    ("Maria speaks Portuguese and learns German grammar.", "education", "school and languages"),
]


@pytest.mark.parametrize(("text", "domain", "category"), TABLE)
def test_a_statement_is_labelled_by_what_it_is_about(text: str, domain: str, category: str) -> None:
    (found,) = labels([text], ["Maria" if text.startswith("Maria") else "John"])
    assert (found.domain, found.category) == (domain, category)


def test_the_speaker_is_no_subject() -> None:
    texts = [f"{name} baked two apple pies." for name in ("Maria", "Rose", "Penny")]
    assert len(set(labels(texts, ["Maria", "Rose", "Penny"]))) == 1


@pytest.mark.parametrize("text", ["", "!!!", "\U0001f389\U0001f389"])
def test_a_text_without_words_is_like_nothing(text: str) -> None:
    assert labels([text], ["Maria"]) == [UNLIKE_ANY]


def test_a_label_does_not_depend_on_what_is_labelled_with_it() -> None:
    texts = [text for text, _, _ in TABLE]
    together = labels(texts, ["Maria"] * len(texts))
    assert together == [labels([text], ["Maria"])[0] for text in texts]
    assert labels([], []) == []


def test_a_turn_tells_what_a_short_statement_of_it_is_about() -> None:
    said = "John was late."
    turn = "The train and the bus were both stuck in traffic. I was late."
    assert labels([said], ["John"])[0].category != "cars and transport"
    assert labels([said], ["John"], [turn])[0].category == "cars and transport"
    assert labels([said], ["John"], [""]) == labels([said], ["John"])


@given(st.text(max_size=200), st.text(max_size=10))
def test_any_statement_has_a_domain_and_a_category(text: str, speaker: str) -> None:
    (found,) = labels([text], [speaker])
    assert found.domain
    assert found.category


def test_every_line_has_a_domain_a_category_and_phrases() -> None:
    for line in lines_of("layers.txt"):
        name, _, said = line.partition(":")
        assert all(part.strip() == part and part for part in name.split(" / "))
        assert name.count(" / ") == 1
        assert len([phrase for phrase in said.split(";") if phrase.strip()]) >= 8
