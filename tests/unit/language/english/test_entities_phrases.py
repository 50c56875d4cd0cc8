"""Things without a name of their own."""

import pytest

from hmem.language.english.entities import compounds, phrase_at


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" a really great pottery class yesterday", "pottery class"),
        (" vegan ice cream last Friday", "vegan ice cream"),
        (" some live music, too", "live music"),
        (" a mechanical engineering company", "mechanical engineering company"),
        (" hiking in the mountains", "hiking"),
        (" it so much", None),
        (" how it feels", None),
        (" a huge difference", None),
        (" breaking up my day", None),
        (" Coco", None),
        ("", None),
    ],
)
def test_a_phrase_ends_where_the_sentence_goes_on(text: str, expected: str | None) -> None:
    phrase = phrase_at(text, 0)
    assert (phrase.text if phrase else None) == expected
    assert phrase is None or text[phrase.start : phrase.end] == phrase.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I passed the adoption agency interviews.", ["adoption agency"]),
        ("The new online clothing store and the LGBTQ support group", ["online clothing store", "LGBTQ support group"]),
        ("a great class, the first meeting, my own school", []),
        ("class", []),
    ],
)
def test_words_for_what_people_do_are_phrases_when_a_word_says_which(text: str, expected: list[str]) -> None:
    assert [phrase.text for phrase in compounds(text)] == expected
