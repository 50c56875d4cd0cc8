import pytest

from hmem.model.answer import LIKELY, SURE, Answer, certainty_of
from hmem.model.plan import Plan


@pytest.mark.parametrize(
    ("confidence", "wanted"),
    [
        (1.0, "sure"),
        (SURE, "sure"),
        (SURE - 0.01, "likely"),
        (LIKELY, "likely"),
        (LIKELY - 0.01, "unsure"),
        (0, "unsure"),
    ],
)
def test_the_certainty_of_an_answer_goes_by_its_confidence(confidence: float, wanted: str) -> None:
    assert certainty_of(confidence) == wanted
    assert Answer("Who?", "Ana", confidence, False, (), Plan("Who?", ())).certainty == wanted
