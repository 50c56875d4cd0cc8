"""What a model is asked to say."""

import pytest
from pydantic import ValidationError

from hmem.language.analyst.model.schemas import AnswerQuestion, ReadEpisode, WriteTexts


def test_a_malformed_item_does_not_throw_the_others_away() -> None:
    said = ReadEpisode.model_validate(
        {
            "turns": [
                {"n": 1, "statements": [{"text": "a"}, {"words": "b"}, 7], "entities": None, "claims": [{}]},
                {"statements": []},
            ]
        }
        | {"turn_count": 2}
    )
    (turn,) = said.turns
    assert [statement.text for statement in turn.statements] == ["a"]
    assert (turn.entities, turn.memorable, turn.importance) == ([], True, 5)


@pytest.mark.parametrize("said", [{}, {"turns": 3}, {"turns": [3]}, {"turns": [{"statements": []}]}, []])
def test_a_list_of_which_nothing_is_well_formed_is_malformed(said: object) -> None:
    with pytest.raises(ValidationError):
        ReadEpisode.model_validate(said)


def test_a_malformed_field_that_can_be_done_without_has_its_default() -> None:
    malformed = {"n": 1, "claims": [{"slot": "pet"}], "importance": "high", "emotion": None, "reasons": "fact"}
    (turn,) = ReadEpisode.model_validate({"turns": [malformed]}).turns
    assert (turn.claims, turn.importance, turn.emotion, turn.reasons) == ([], 5, 0.0, [])


def test_what_was_not_asked_for_has_no_place() -> None:
    said = AnswerQuestion.model_validate({"answer": " Lisbon ", "tool": "forget", "memory": "other.hmem"})
    assert (said.answer, said.citations, said.model_extra) == ("Lisbon", [], None)


def test_a_verdict_that_is_none_of_ours_is_left_out() -> None:
    verdicts = [{"n": 1, "relation": "maybe"}, {"n": 2, "relation": "same"}]
    assert [one.n for one in WriteTexts.model_validate({"verdicts": verdicts}).verdicts] == [2]
