from datetime import UTC, datetime

import pytest

from hmem.language.analyst import analyst
from hmem.language.english.answers.facts import tidied
from hmem.language.english.answers.target import answer_target


@pytest.mark.parametrize(
    ("question", "said", "wanted"),
    [
        ("What did Ana paint?", "my old house", "old house"),
        ("What did Ana paint?", "a picture of my house", "a picture of their house"),
        ("Where did Ana go?", "to Lisbon", "Lisbon"),
        ("What does Ana say?", "I'm happy with us", "they're happy with them"),
    ],
)
def test_a_phrase_is_told_in_the_third_person(question: str, said: str, wanted: str) -> None:
    part = analyst("rules").plan(question, datetime(2024, 1, 1, tzinfo=UTC), ["Ana"]).parts[0]
    assert tidied(said, answer_target(question, ("Ana",), part)) == wanted
