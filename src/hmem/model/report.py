"""What a memory says of itself."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts, times and sizes.

    ``tail`` is how many turns the lexical index has yet to take in, ``unformed`` how many formation has.
    ``revised`` is how many notes a later one contradicts.
    """

    memory: str
    path: str
    schema: int
    embedder: str
    zone: str
    turns: int
    sessions: int
    speakers: int
    first: datetime | None
    last: datetime | None
    vectors: int
    tail: int
    truth_bytes: int
    index_bytes: int
    index_problem: str | None = None
    unformed: int = 0
    events: int = 0
    notes: int = 0
    revised: int = 0
    entities: int = 0
    formation_problem: str | None = None
    consolidation_problem: str | None = None

    @property
    def contradiction_rate(self) -> float:
        """The share of the notes that a later one contradicts (HiMem: a figure of health)."""
        return self.revised / self.notes if self.notes else 0.0


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether the truth is sound and the indices agree with it; ``checked`` counts what was compared."""

    problems: tuple[str, ...]
    checked: Mapping[str, int]

    @property
    def ok(self) -> bool:
        return not self.problems

    def __bool__(self) -> bool:
        return self.ok


@dataclass(frozen=True, slots=True)
class Deletion:
    """What a deletion took away, in number."""

    turns: int
    vectors: int


@dataclass(frozen=True, slots=True)
class Consolidation:
    """What a consolidation did, in number: turns formed, texts written, levels of the evolution tree filled by age.

    ``left`` is what it did not come to: turns to form, and those texts to write that are known already.
    """

    turns: int
    summaries: int
    names: int
    profiles: int
    levels: int = 0
    left: int = 0

    @property
    def complete(self) -> bool:
        """Whether nothing is left."""
        return self.left == 0

    def and_formed(self, turns: int, left: int) -> "Consolidation":
        """This, after so many turns were formed and so many were left."""
        return replace(self, turns=self.turns + turns, left=self.left + left)
