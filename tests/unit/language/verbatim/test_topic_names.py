from hypothesis import given
from hypothesis import strategies as st

from hmem.language.verbatim.topic_names import name_topics

POTTERY = [
    "I love my pottery class.",
    "The pottery class made bowls.",
    "Our pottery class is on Mondays.",
    "We broke the clay bowls in the pottery class!",
]
CAMPING = [
    "We went camping by the lake.",
    "The tent leaked at the lake.",
    "A fox came to the lake at night.",
    "I dried the tent at home.",
]
TEXTS = st.lists(st.text(max_size=60) | st.sampled_from(POTTERY + CAMPING), max_size=6)


def named(*groups: list[str], names: tuple[str, ...] = ()) -> list[str]:
    return name_topics(groups, names)


def test_groups_are_named_by_what_sets_them_apart() -> None:
    assert named(POTTERY, CAMPING) == ["pottery class", "lake"]


def test_a_second_word_names_the_texts_that_the_first_leaves_out() -> None:
    texts = ["My violin is old.", "Her violin broke.", "A violin again.", "The oven is hot.", "We need an oven."]
    assert named(texts, CAMPING, POTTERY)[0] == "violin, oven"


def test_a_group_that_shares_no_word_has_no_name() -> None:
    assert named(["Hi!", "How are you?", "The cat slept.", "A bus came."], [], CAMPING)[:2] == ["", ""]


def test_two_texts_are_too_few_for_a_name() -> None:
    assert named(POTTERY[:2], CAMPING)[0] == ""


def test_a_word_that_all_groups_have_names_none_of_them() -> None:
    market = ["The market has bread.", "The market has cheese."]
    assert not any("market" in name for name in named([*market, *POTTERY], [*market, *CAMPING]))


def test_a_word_that_stands_as_no_noun_names_nothing() -> None:
    texts = ["I vanished.", "They vanish!", "We vanish in the garden.", "To the garden!", "A garden."]
    assert named(texts) == ["garden"]


def test_nothing_is_named_after_the_speakers_or_their_short_names() -> None:
    texts = ["I saw Bronagh in the choir.", "Then Bron sang in the choir.", "So Bron likes the choir.", "Our choir!"]
    assert named(texts, names=("Bronagh",)) == ["choir"]


def test_times_and_numbers_name_nothing() -> None:
    texts = [
        "On Monday the dentist came.",
        "By Monday the dentist rang.",
        "For Monday the dentist is booked.",
        "Until Monday.",
    ]
    assert named(texts) == ["dentist"]


def test_names_are_as_the_words_are_mostly_written() -> None:
    texts = ["The Gardens are green.", "I like the gardens.", "In the gardens of Kew.", "A garden."]
    assert named(texts) == ["gardens"]


def test_nouns_of_german_are_known_by_their_capitals() -> None:
    texts = [
        "Wir haben gestern den Dackel gebadet.",
        "Der Dackel hat heute nichts gefressen.",
        "Ich habe mit dem Dackel gespielt.",
        "Sie haben dann lange gespielt.",
    ]
    assert named(texts) == ["Dackel"]


def test_texts_without_spaces_are_named_by_a_piece_of_them() -> None:
    texts = ["我喜欢陶艺课。", "陶艺课很有趣。", "今天有陶艺课。"]
    (name,) = named(texts)
    assert name in "陶艺课"
    assert len(name) > 1


@given(st.lists(TEXTS, max_size=5))
def test_each_group_has_one_name_of_words_that_it_has(groups: list[list[str]]) -> None:
    names = named(*groups)
    assert len(names) == len(groups)
    for name, group in zip(names, groups, strict=True):
        assert all(word.lower() in " ".join(group).lower() for word in name.replace(",", "").split())
