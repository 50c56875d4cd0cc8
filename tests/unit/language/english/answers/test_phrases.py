import pytest

from hmem.language.english.answers.lines import lines_of
from hmem.language.english.answers.phrases import is_vague, phrases_of


def phrases(text: str) -> list[str]:
    (line,) = lines_of(text, None)
    return [
        line.text[line.tokens[i].start : line.tokens[j - 1].end]
        for i, j in zip(*map(list, phrases_of(line)), strict=True)
    ]


def test_a_phrase_ends_before_the_time_of_what_it_tells() -> None:
    found = phrases("I bought a blue vase yesterday.")
    assert "a blue vase" in found
    assert not [phrase for phrase in found if phrase.endswith("yesterday")]


def test_a_title_in_quotation_marks_is_one_phrase() -> None:
    found = phrases('I read "To the Lighthouse" twice.')
    assert "To the Lighthouse" in found
    assert "Lighthouse" not in found


def test_no_phrase_ends_with_what_leads_to_more() -> None:
    assert not [phrase for phrase in phrases("We went to the shop of a friend.") if phrase.endswith((" of", " the"))]


def test_a_thing_is_vague_and_a_teapot_is_not() -> None:
    assert is_vague("things")
    assert not is_vague("teapot")


@pytest.mark.parametrize(
    ("text", "told", "denied"),
    [
        ("I bought the blue vase, not the green one.", "the blue vase", "green"),
        ("I'm not flying to Rome, I'm flying to Oslo.", "Oslo", "Rome"),
        ("It's not the blue vase, it's the green one.", "the green one", "blue"),
        ("We did not paint the fence, but the gate.", "the gate", "fence"),
    ],
)
def test_what_is_denied_beside_what_is_so_is_no_phrase(text: str, told: str, denied: str) -> None:
    found = phrases(text)
    assert told in found
    assert not [phrase for phrase in found if denied in phrase]


@pytest.mark.parametrize("text", ["I do not like olives.", "I sold not only the boat, but the house."])
def test_what_is_only_denied_is_a_phrase(text: str) -> None:
    assert [phrase for phrase in phrases(text) if "olives" in phrase or "boat" in phrase]
