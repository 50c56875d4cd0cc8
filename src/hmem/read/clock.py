"""Milliseconds by stage."""

from time import perf_counter


class Clock:
    """Milliseconds by stage; a stage that comes again adds to its own."""

    def __init__(self) -> None:
        self.stages: dict[str, float] = {}
        self._last = perf_counter()

    def stage(self, name: str) -> None:
        """A stage ends here; it began where the last one ended."""
        present = perf_counter()
        self.stages[name] = self.stages.get(name, 0.0) + (present - self._last) * 1_000
        self._last = present
