import pytest

from hmem_english.lexicon import English

LEXICON = English()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I'm in Ghent", [(1, "i"), (0, "be"), (0, "in"), (0, "ghent")]),
        ("You don\u2019t", [(2, "you"), (0, "do"), (0, "not")]),
        ("She's just won't", [(3, "she"), (0, "will"), (0, "not")]),
    ],
)
def test_contractions_are_taken_apart_and_fillers_left_out(text: str, words: list[tuple[int, str]]) -> None:
    found = LEXICON.spoken_words(text, 0, len(text))
    assert [(each.person, each.word) for each in found] == words


def test_a_spoken_word_keeps_its_capital() -> None:
    assert [each.proper for each in LEXICON.spoken_words("the old Ghent", 4, 13)] == [False, True]


def test_words_that_select_nothing_are_no_content() -> None:
    assert LEXICON.stop_words >= LEXICON.first_person
    assert LEXICON.remove_spans("I was here. Honestly, I was.", [(0, 12)]) == "Honestly, I was."
    assert LEXICON.remove_spans("I bought a teapot. And so it was.", [(0, 18)]) == ""


def test_sentences_and_clauses_keep_their_places() -> None:
    text = "I bought a teapot, and I love it. It is blue."
    first, second = LEXICON.split(text)
    assert (text[first.start : first.end], text[second.start : second.end]) == (first.text, second.text)
    assert [text[start:end].strip() for start, end in LEXICON.clauses(text, first.start, first.end)] == [
        "I bought a teapot,",
        "and I love it.",
    ]


def test_questions_and_requests_are_known_by_their_first_words() -> None:
    for text in ("what did she name the cat", "ok so where do I live now", "Remind me of the date", "who's Maria"):
        assert LEXICON.opens_question(text)
    for text in ("I moved to Lisbon", "My knee hurts again", "Whatever, the bus was late"):
        assert not LEXICON.opens_question(text)
