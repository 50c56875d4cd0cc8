"""Places of the sentences that older rules read texts from."""

from datetime import UTC, datetime

import pytest

from hmem.formation.older_memories import sentence_span
from hmem.language.languages import language_rules
from hmem.model.turn import Turn


def placed(content: str, text: str) -> str | None:
    turn = Turn("turn_1", "Ben", content, datetime(2024, 5, 1, tzinfo=UTC), "s")
    place = sentence_span(turn, text, language_rules())
    return None if place is None else content[place[0] : place[1]]


@pytest.mark.parametrize(
    ("content", "text", "sentence"),
    [
        ("It was great. I hate cilantro.", "Ben hates cilantro.", "I hate cilantro."),
        ("Hi. I moved to Porto. I play the cello.", "I play the cello.", "I play the cello."),
        # Two sentences that may be it, and none.
        ("I hate cilantro. I hate cilantro.", "Ben hates cilantro.", None),
        ("I hate cilantro. I hate cilantro.", "I hate cilantro.", None),
        ("I hate cilantro.", "Ben lives in Madrid.", None),
        ("I hate cilantro.", "Ben.", None),
    ],
)
def test_a_text_has_the_place_of_the_one_sentence_it_was_read_from(
    content: str, text: str, sentence: str | None
) -> None:
    assert placed(content, text) == sentence
