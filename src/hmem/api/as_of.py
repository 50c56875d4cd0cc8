"""A memory as it was known at a time, or what was true at a time."""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, tzinfo

from hmem.api.queries import Recalling
from hmem.api.views import Views
from hmem.derived.tiers import TierOptions
from hmem.errors import InvalidQuery
from hmem.language.analyst.language_model import AnswerModel
from hmem.model.answer import Answer
from hmem.model.evidence import Context, Found
from hmem.model.span import parse_time, to_stored
from hmem.model.standpoint import Standpoint
from hmem.model.tier import Tiers
from hmem.retrieval.browse import Browser
from hmem.retrieval.filter import Moment
from hmem.retrieval.pipeline import RetrievalPipeline


class AsOf(Views, Recalling):
    """A view of a memory from a standpoint; ``Memory.as_of`` and ``Memory.valid_at`` give it. It changes nothing.

    It searches, answers and shows all that ``Memory`` does but the tiers, which are of now.
    """

    def __init__(
        self,
        standpoint: Standpoint,
        zone: tzinfo,
        recalls: Callable[[], RetrievalPipeline],
        browsing: Callable[[Standpoint], AbstractContextManager[Browser]],
        answerer: Callable[[str | None], AnswerModel | None],
    ) -> None:
        self._seen_from = standpoint
        self._zone_of_times = zone
        self._recall_of = recalls
        self._browser_of = browsing
        self._answerer_of = answerer

    def as_of(self, moment: Moment) -> "AsOf":
        """The same, as it was known at a time: when it had been said, and before what was decided later."""
        return self._with(Standpoint(instant(moment, self._times), self._seen_from.valid))

    def valid_at(self, moment: Moment) -> "AsOf":
        """The same, with what was true at a time."""
        return self._with(Standpoint(self._seen_from.known, instant(moment, self._times)))

    def _with(self, standpoint: Standpoint) -> "AsOf":
        return AsOf(standpoint, self._zone_of_times, self._recall_of, self._browser_of, self._answerer_of)

    def _recalls(self, *, formed: bool) -> RetrievalPipeline:  # noqa: ARG002
        return self._recall_of()

    def _answerer(self, analyst: str | None) -> AnswerModel | None:
        return self._answerer_of(analyst)

    @property
    def _times(self) -> tzinfo:
        return self._zone_of_times

    @property
    def _standpoint(self) -> Standpoint:
        return self._seen_from

    def _note(self, shown: Answer | Found | Context, at: datetime | None, session: str | None) -> None:
        """A look back is no recall that anybody reacts to."""

    @contextmanager
    def _browsing(self) -> Generator[Browser]:
        with self._browser_of(self._seen_from) as browser:
            yield browser

    @property
    def _tiering(self) -> TierOptions:
        raise InvalidQuery("the tiers are of now - ask the memory itself for them")

    def tiers(self) -> Tiers:
        """Refused: the tiers follow the uses, whose times are not kept.

        Raises:
            InvalidQuery: always.
        """
        raise InvalidQuery("the tiers are of now - ask the memory itself for them")


def instant(moment: Moment, zone: tzinfo) -> int:
    """A moment in microseconds since 1970.

    Raises:
        InvalidTime: it is none.
    """
    return to_stored(parse_time(moment, zone))[0]
