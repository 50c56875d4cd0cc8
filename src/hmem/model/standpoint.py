"""Point in time from which a memory is viewed."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Standpoint:
    """Bounds of a view in µs since 1970, of what was ``known`` and of what was ``valid`` then; None is no bound.

    A known fact had been said by that time, and later decisions are not seen. A valid fact had begun by that time and
    had not ended, whenever it was said.
    """

    known: int | None = None
    valid: int | None = None

    def __bool__(self) -> bool:
        return self.known is not None or self.valid is not None


NOW = Standpoint()
