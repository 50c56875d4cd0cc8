"""Work for a model."""

from datetime import UTC, datetime

from hmem.language.analyst import Line, Subject
from hmem.language.analyst.work import ToName, ToProfile, ToSummarise, Work


def test_work_is_true_when_there_is_any_and_has_a_length() -> None:
    assert not Work()
    line = Line("a", None, datetime(2025, 1, 1, tzinfo=UTC))
    work = Work((ToSummarise((line,), 10),), (ToName((line,)), ToName(())))
    assert work
    assert len(work) == 3


def test_a_line_that_several_texts_are_made_from_is_shown_once_in_the_order_of_time() -> None:
    early, late = (Line(text, "Maria", datetime(2025, 1, day, tzinfo=UTC)) for text, day in (("a", 1), ("b", 2)))
    subject = Subject("Lisbon", "location", (early,))
    work = Work((ToSummarise((late, early), 10),), (ToName((late,)),), (ToProfile(subject, 10),))
    assert work.lines == (early, late)
