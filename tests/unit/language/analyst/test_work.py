"""Work for a model."""

from datetime import UTC, datetime

from hmem.language.analyst import Line
from hmem.language.analyst.work import ToName, ToSummarise, Work


def test_work_is_true_when_there_is_any_and_has_a_length() -> None:
    assert not Work()
    line = Line("a", None, datetime(2025, 1, 1, tzinfo=UTC))
    work = Work((ToSummarise((line,), 10),), (ToName(("a",)), ToName(("b",))))
    assert work
    assert len(work) == 3
