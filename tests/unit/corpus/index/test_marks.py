import pytest

from hmem.corpus.index.marks import ASKS, NAME, NUMBER, READ, asks, marks_of


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("We went home.", 0),
        ("Where did you go?", ASKS),
        ("¿Dónde vives", 0),
        ("你住在哪里？", ASKS),
        ("أين تسكن؟", ASKS),
        ("It took 12 days.", NUMBER),
        ("We went to Ghent.", NAME),
        ("Мы были в Москве", NAME),
        ('I read "Emma" in 2 days, and you?', ASKS | NUMBER | NAME),
        ("", 0),
    ],
)
def test_a_turn_is_marked_by_what_its_text_has(text: str, marks: int) -> None:
    assert marks_of(text) == READ | marks


def test_a_first_word_and_i_are_no_names() -> None:
    assert not marks_of("Ghent is nice and I like it") & NAME


def test_a_question_mark_of_any_script_asks() -> None:
    assert all(map(asks, ("a?", "。？", "؟")))
    assert not asks("who is there")
