"""An event: one atomic, self-contained statement extracted from turns."""

from dataclasses import dataclass
from datetime import datetime

from hmem.model.span import Span


@dataclass(frozen=True, slots=True)
class Event:
    """Who did what, with pronouns and relative dates resolved.

    ``happened`` is when it took place, if that is known; ``said`` is when it was told.
    """

    id: str
    text: str
    sources: tuple[str, ...]
    said: datetime
    happened: Span | None = None
    made_by: str = "rules"
