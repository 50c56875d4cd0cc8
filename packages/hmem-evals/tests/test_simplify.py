import pytest

from hmem_evals.simplify import canonical, simplify


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("The answer is a red kite.", "a red kite"),
        ("According to the conversation, they met in Lisbon.", "they met in Lisbon"),
        ("I think that it was blue", "it was blue"),
        ("7 May 2023 [3]", "7 May 2023"),
        ("approximately 40 people", "40 people"),
        ("Lisbon", "Lisbon"),
        ("", ""),
        ("...", "..."),
    ],
)
def test_an_answer_loses_its_frame_and_keeps_its_words(said: str, plain: str) -> None:
    assert simplify(said) == plain


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("three dogs", "3 dogs"),
        ("twice", "2 times"),
        ("twenty-one", "21"),
        ("Aug 15th", "August 15"),
        ("14September, 2022", "14 September, 2022"),
        ("April.2023", "April 2023"),
        ("4,300 dollars", "4300 dollars"),
        ("someone", "someone"),
        ("in May", "in May"),
    ],
)
def test_numbers_and_dates_are_written_one_way(text: str, form: str) -> None:
    assert canonical(text) == form
