"""Language models as the engine sees them."""

from datetime import UTC, datetime

from tests.models import Derived

from hmem.language.analyst import Excerpt, Subject, analyst
from hmem.language.analyst.cached_model import CachedModelAnalyst
from hmem.language.analyst.language_model import ToName, ToProfile, ToSummarise, WriteRequest, worker_model
from hmem.language.verbatim import VerbatimAnalyst


def test_work_is_true_when_there_is_any_and_has_a_length() -> None:
    assert not WriteRequest()
    line = Excerpt("a", None, datetime(2025, 1, 1, tzinfo=UTC))
    work = WriteRequest((ToSummarise((line,), 10),), (ToName((line,)), ToName(())))
    assert work
    assert len(work) == 3


def test_a_line_that_several_texts_are_made_from_is_shown_once_in_the_order_of_time() -> None:
    early, late = (Excerpt(text, "Maria", datetime(2025, 1, day, tzinfo=UTC)) for text, day in (("a", 1), ("b", 2)))
    subject = Subject("Lisbon", "location", (early,))
    work = WriteRequest((ToSummarise((late, early), 10),), (ToName((late,)),), (ToProfile(subject, 10),))
    assert work.lines == (early, late)


class WithModel(VerbatimAnalyst):
    def __init__(self) -> None:
        self.model = Derived()


class Nothing:
    active = False


def test_the_model_is_that_of_the_analyst_beneath() -> None:
    chosen = WithModel()
    assert worker_model(chosen) is chosen.model
    assert worker_model(CachedModelAnalyst(chosen, Nothing())) is chosen.model  # type: ignore[arg-type]


def test_rules_have_none() -> None:
    assert worker_model(analyst("rules")) is None
    assert worker_model(CachedModelAnalyst(analyst("rules"), Nothing())) is None  # type: ignore[arg-type]
