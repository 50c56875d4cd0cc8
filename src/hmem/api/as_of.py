"""Read-only view of a memory as it was known at a time, or of what was true at a time."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import tzinfo

from hmem.api.delegation import delegated
from hmem.api.queries import Queries, instant
from hmem.api.views import Views
from hmem.derived.tiers import TierOptions
from hmem.errors import InvalidQuery
from hmem.language.analyst.language_model import AnswerModel
from hmem.model.span import from_stored
from hmem.model.standpoint import Standpoint
from hmem.model.tier import Tiers
from hmem.retrieval.browse import Browser
from hmem.retrieval.filter import Moment
from hmem.retrieval.pipeline import RetrievalPipeline


class AsOf:
    """Read-only view of a memory from a standpoint, returned by ``Memory.as_of`` and ``Memory.valid_at``.

    It has the recall methods and views of ``Memory``. Tiers are refused: they exist for the present only.
    """

    def __init__(
        self,
        standpoint: Standpoint,
        zone: tzinfo,
        recalls: Callable[..., RetrievalPipeline],
        browsing: Callable[[Standpoint], AbstractContextManager[Browser]],
        answerer: Callable[[str | None], AnswerModel | None],
    ) -> None:
        self._standpoint = standpoint
        self._zone = zone
        self._parts = recalls, browsing, answerer
        # Nobody reacts to a recall of the past.
        self._queries = Queries(lambda _, recipe: recalls(recipe=recipe), answerer, zone, standpoint)
        self._views = Views(lambda: browsing(standpoint), _no_tiers, zone)

    def __repr__(self) -> str:
        bounds = (("as_of", self._standpoint.known), ("valid_at", self._standpoint.valid))
        told = (f"{name}={from_stored(at, 0).isoformat()}" for name, at in bounds if at is not None)
        return f"AsOf({', '.join(told)})"

    search = delegated("_queries", Queries.search)
    context = delegated("_queries", Queries.context)
    ask = delegated("_queries", Queries.ask)
    ask_stream = delegated("_queries", Queries.ask_stream)

    tree = delegated("_views", Views.tree)
    episodes = delegated("_views", Views.episodes)
    events = delegated("_views", Views.events)
    notes = delegated("_views", Views.notes)
    conflicts = delegated("_views", Views.conflicts)
    graph = delegated("_views", Views.graph)
    entities = delegated("_views", Views.entities)
    persona = delegated("_views", Views.persona)
    persona_history = delegated("_views", Views.persona_history)
    personas = delegated("_views", Views.personas)
    profile = delegated("_views", Views.profile)

    def as_of(self, moment: Moment) -> "AsOf":
        """Return this view as it was known at a time: turns said and decisions made until then."""
        return AsOf(Standpoint(instant(moment, self._zone), self._standpoint.valid), self._zone, *self._parts)

    def valid_at(self, moment: Moment) -> "AsOf":
        """Return this view, limited to what was true at a time."""
        return AsOf(Standpoint(self._standpoint.known, instant(moment, self._zone)), self._zone, *self._parts)

    def tiers(self, *, user: str | None = None) -> Tiers:  # noqa: ARG002
        """Refuse: tiers follow the use of turns, whose times are not kept.

        Raises:
            InvalidQuery: always.
        """
        raise InvalidQuery("the tiers are of now - ask the memory itself for them")


def _no_tiers() -> TierOptions:
    raise InvalidQuery("the tiers are of now - ask the memory itself for them")
