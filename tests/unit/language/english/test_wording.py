from datetime import UTC, datetime

import pytest

from hmem.language.english.wording import READ, Stretches, bare, content_stems, sentences, stem, turn_stems
from hmem.model.turn import Turn


def test_a_text_is_read_as_sentences_of_its_kind() -> None:
    first, second, third = sentences('She\u2019s late! "Why" is 3.5 enough? Fine')
    assert (first.words, first.exclaimed) == (("she", "late"), True)
    assert (second.words, second.question, second.quoted) == (("why", "is", "3.5", "enough"), True, True)
    assert (third.written, third.words, third.question) == (("Fine",), ("fine",), False)


def test_a_text_without_words_has_no_sentences() -> None:
    assert sentences("... 😀 !?") == ()


def test_only_the_first_part_of_a_long_text_is_read() -> None:
    assert sum(len(sentence.words) for sentence in sentences("word " * 20_000)) == READ // len("word ")


@pytest.mark.parametrize(("word", "expected"), [("Don't", "don"), ("sooo", "so"), ("2000", "2000"), ("Zoë's", "zoë")])
def test_words_are_compared_bare(word: str, expected: str) -> None:
    assert bare(word) == expected


@pytest.mark.parametrize(
    "forms",
    [
        ("hike", "hikes", "hiking", "hiked"),
        ("run", "runs", "running"),
        ("story", "stories"),
        ("movie", "movies"),
        ("study", "studied", "studies"),
        ("play", "plays", "playing", "played"),
    ],
)
def test_the_forms_of_a_word_share_a_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


def test_content_stems_come_once_and_in_order() -> None:
    assert content_stems("The boats and the boat near a river") == ("boat", "near", "river")


def test_a_sentence_holds_the_stem_of_each_word() -> None:
    assert sentences("We're hiking, sooo happily!")[0].roots == ("we", "hik", "so", "happi")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rock'n'roll", ("rock'n", "roll")),
        ("1,000.5 miles", ("1,000.5", "miles")),
        ("end.Next", ("end", "next")),
        ("tea,coffee", ("tea", "coffee")),
    ],
)
def test_what_stands_between_blanks_may_be_several_words(text: str, words: tuple[str, ...]) -> None:
    assert tuple(word for sentence in sentences(text) for word in sentence.words) == words


def test_the_stems_of_a_turn_are_those_of_its_text_and_its_caption() -> None:
    turn = Turn("t", "Maria", "My boat", datetime(2025, 1, 1, tzinfo=UTC), "s", "a boat on a river")
    assert turn_stems(turn) == content_stems(turn.content) == ("boat", "river")


def test_stretches_are_cut_once_unless_they_are_long() -> None:
    asked: list[str] = []

    def cut(stretch: str) -> tuple[str, ...]:
        asked.append(stretch)
        return (stretch,)

    long = "x" * 1_000
    stretches = Stretches(cut)
    assert stretches.of(f"one {long} one {long}") == ["one", long, "one", long]
    assert asked == ["one", long, long]
