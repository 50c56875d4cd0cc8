"""From which time a memory is looked at."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Standpoint:
    """What was ``known`` at a time, and what was true (``valid``) at a time, in µs since 1970; None is no bound.

    What was known had been said by then, and decisions made later are not seen. What was true had begun by then and
    had not ended, whenever it was told.
    """

    known: int | None = None
    valid: int | None = None

    def __bool__(self) -> bool:
        return self.known is not None or self.valid is not None


NOW = Standpoint()
