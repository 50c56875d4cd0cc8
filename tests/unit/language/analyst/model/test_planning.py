"""What is believed of a plan."""

from datetime import UTC, datetime

from hmem.language.analyst.model.planning import planned
from hmem.language.analyst.model.schemas import PlanQuestion

ASKED = datetime(2023, 9, 1, tzinfo=UTC)


def test_needs_point_backwards_and_a_time_frame_needs_a_time() -> None:
    said = {
        "parts": [
            {"text": "Which car?", "needs": [0, 1, -1], "absolute": True, "time_from": "soon"},
            {"text": "Its colour?", "needs": [0, 0, 5], "scope": "wide", "entities": [" Ann ", "Ann", ""]},
        ]
    }
    first, second = planned("q", ASKED, PlanQuestion.model_validate(said)).parts
    assert (first.needs, first.mode, first.topic) == ((), "sequential", "Which car?")
    assert (second.needs, second.scope, second.entities) == ((0,), "mixed", ("Ann",))


def test_there_is_an_end_to_the_parts() -> None:
    said = PlanQuestion.model_validate({"parts": [{"text": "x"}] * 50})
    assert len(planned("q", ASKED, said).parts) == 6
