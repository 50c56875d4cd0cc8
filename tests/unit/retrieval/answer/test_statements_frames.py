from datetime import UTC, datetime

from hmem.retrieval.answer.statements import frame_of

ASKED = datetime(2024, 1, 1, tzinfo=UTC)


def test_a_month_without_a_year_is_any_years() -> None:
    frame = frame_of("What did Nora do in May?", ASKED, ())
    assert frame is not None
    assert frame.months == (5,)


def test_a_day_is_a_span() -> None:
    frame = frame_of("What did Nora do on 3 May 2023?", ASKED, ())
    assert frame is not None
    assert datetime(2023, 5, 3, 12, tzinfo=UTC) in frame.spans[0]


def test_a_question_without_a_time_has_no_frame() -> None:
    assert frame_of("What does Nora paint?", ASKED, ()) is None
