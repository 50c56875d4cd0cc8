from hypothesis import given
from hypothesis import strategies as st

from hmem.language.english.stopwords import STOP_WORDS
from hmem.language.english.topic_names import name_topics

POTTERY = [
    "I love my pottery class.",
    "The pottery class made bowls.",
    "Our pottery class is on Mondays.",
    "Clay bowls!",
]
CAMPING = ["We went camping by the lake.", "Camping with the kids again.", "The tent leaked at the lake while camping."]
TEXTS = st.lists(st.text(max_size=60) | st.sampled_from(POTTERY + CAMPING), max_size=6)


def test_groups_are_named_by_what_tells_them_apart() -> None:
    pottery, camping = name_topics([POTTERY, CAMPING])
    assert pottery == "pottery class"
    assert camping.startswith("camping")


def test_a_name_tells_of_the_texts_that_its_first_term_leaves_out() -> None:
    texts = ["My violin is old.", "Her violin broke.", "A violin again.", "The oven is hot.", "We need an oven."]
    assert name_topics([texts]) == ["violin and oven"]


def test_a_term_like_one_before_it_adds_nothing() -> None:
    texts = ["The kids slept.", "My kids swim.", "The children sang.", "Two puppies bark.", "A puppy ran to the kids."]
    (name,) = name_topics([texts])
    assert "kids" in name
    assert "children" not in name


def test_verbs_name_nothing() -> None:
    texts = ["I vanished.", "They vanish!", "He will vanish in the garden.", "We vanish to the garden."]
    assert name_topics([texts]) == ["garden"]


def test_no_group_is_named_first_by_a_word_that_is_in_all_groups() -> None:
    shared = ["The market has bread.", "The market has cheese."]
    names = name_topics([[*shared, *POTTERY], [*shared, *CAMPING]])
    assert not any(name.startswith("market") for name in names)


def test_nothing_is_named_after_the_speakers() -> None:
    texts = ["Melanie painted a sunset.", "Melanie painted a lake.", "Melanie and Melanie!"]
    assert "melanie" not in name_topics([texts], ["Melanie"])[0]


def test_nothing_is_named_after_who_is_spoken_to() -> None:
    texts = ["Thanks, Caroline! The parade was loud.", "Hey Caroline! Parades again?", "Wow, Caroline. A parade."]
    assert name_topics([texts]) == ["parade"]


def test_nothing_is_named_after_whom_the_statements_are_about() -> None:
    told = ["Maria sold honey.", "Maria's hives buzz.", "A bee stung Maria.", "Maria keeps bees in hives.", "Honey!"]
    (name,) = name_topics([told])
    assert "hives" in name
    assert "maria" not in name


def test_names_are_as_the_words_are_mostly_written() -> None:
    texts = ["Running is my sport.", "Running at dawn.", "I was running.", "He runs."]
    assert name_topics([texts])[0].startswith("running")


def test_groups_of_the_same_texts_still_have_names_of_their_own() -> None:
    names = name_topics([POTTERY, POTTERY, POTTERY])
    assert len(set(names)) == 3


def test_a_group_that_says_nothing_has_a_name_too() -> None:
    assert name_topics([["Hi!", "How are you?"], []]) == ["talk", "talk 2"]


@given(st.lists(TEXTS, max_size=6))
def test_names_are_distinct_lower_case_and_without_stop_words(groups: list[list[str]]) -> None:
    names = name_topics(groups)
    assert len(names) == len(groups) == len(set(names))
    assert names == name_topics(groups)
    for name in names:
        assert name == name.lower()
        assert not set(name.split()) & (STOP_WORDS - {"and"} - {str(number) for number in range(10)})


def test_a_term_of_one_text_is_in_no_name_where_others_are_in_several() -> None:
    plants = ["The basil wants sun.", "I water the basil daily.", "The trombone squeaked.", "A llama spat."]
    assert name_topics([plants]) == ["basil"]


def test_texts_without_a_common_term_are_named_by_one_term() -> None:
    assert (
        " and " not in name_topics([["The tram was late.", "A lemon fell.", "My uncle sings.", "The roof leaks."]])[0]
    )


def test_an_adjective_is_no_term() -> None:
    texts = [
        "They met for a cultural and musical evening.",
        "He planned cultural walks.",
        "She wrote of cultural rifts.",
        "It was cultural exchange.",
        "Cultural bridges fell.",
    ]
    assert name_topics([texts]) != ["cultural"]


def test_a_word_before_an_article_is_a_verb() -> None:
    scrub = ["Scrub the bucket well.", "Scrub your bucket twice.", "Please scrub the bucket.", "Scrub the old bucket."]
    assert name_topics([scrub]) == ["bucket"]
