from hmem.corpus.index.analyzer import stems
from hmem.language.analyst import analyst
from hmem.language.english.related import related


def stem(word: str) -> str:
    return stems(word)[0]


def test_words_of_one_field_are_related() -> None:
    for word, other in (("instrument", "piano"), ("dessert", "cheesecake"), ("pet", "kitten"), ("shoe", "sneaker")):
        assert stem(other) in related(stem(word))


def test_strengths_rise_to_at_most_one_and_no_word_is_related_to_itself() -> None:
    for word in ("instrument", "dessert", "sport", "job"):
        ties = related(stem(word))
        assert stem(word) not in ties
        assert list(ties.values()) == sorted(ties.values())
        assert all(0 < strength <= 1 for strength in ties.values())


def test_an_unknown_word_is_related_to_none() -> None:
    assert related("qqzzx") == {}


def test_the_lexicon_relates_words() -> None:
    assert analyst("rules").lexicon.related(stem("instrument")) == related(stem("instrument"))
