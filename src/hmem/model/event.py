"""An event: one atomic, self-contained statement extracted from turns."""

from dataclasses import dataclass
from datetime import datetime

from hmem.model.span import Span
from hmem.model.value import Value


@dataclass(frozen=True, slots=True, repr=False)
class Event(Value):
    """A statement with pronouns and relative dates resolved.

    ``happened`` is the time of the event, None if unknown; ``said`` is the time of the turn.
    """

    id: str
    text: str
    sources: tuple[str, ...]
    said: datetime
    happened: Span | None = None
    made_by: str = "verbatim"
