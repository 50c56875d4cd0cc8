"""A memory on its way from one storage to another, piece by piece, with the numbers that it has in the first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hmem.storage.derived import Chunk, Formed
from hmem.storage.log import LogEntry
from hmem.storage.model_queue import KeptAnswer, KeptReading, Spending, Unjudged
from hmem.storage.turns import Block, Member, Speaker, StoredTurn, Use
from hmem.storage.vectors import Vectors

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

# Setting of a memory that is not copied whole yet: it can be discarded and not used. It tells how far the copy is.
COPYING: Final = "copy.unfinished"
# Settings that belong to a storage itself, which gives them by other fields of a piece.
OWN_SETTINGS: "Final[AbstractSet[str]]" = frozenset(("memory", "formation.formed", COPYING))


def _none() -> NDArray[np.int64]:
    return np.empty(0, np.int64)


def _no_rows() -> Vectors:
    return np.empty((0, 0), np.float32)


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a memory; what it does not bring is left as it is.

    ``members`` tell of each of the ``turns``, in the same order, ``blocks`` of theirs as they are at last. ``vectors``
    are the unit rows of ``seqs`` in the ``generation``. ``change``, ``used`` and ``formed`` are the counters of the
    state, ``memory`` is the id. ``settings`` are set, those that are None removed.
    """

    speakers: Sequence[Speaker] = ()
    blocks: Sequence[Block] = ()
    members: Sequence[Member] = ()
    turns: Sequence[StoredTurn] = ()
    seqs: NDArray[np.int64] = field(default_factory=_none)
    vectors: Vectors = field(default_factory=_no_rows)
    generation: int = 1
    chunks: Sequence[Chunk] = ()
    entries: Sequence[LogEntry] = ()
    uses: Sequence[Use] = ()
    readings: Sequence[KeptReading] = ()
    answers: Sequence[KeptAnswer] = ()
    unjudged: Sequence[Unjudged] = ()
    spending: Sequence[Spending] = ()
    memory: str | None = None
    change: int | None = None
    used: int | None = None
    formed: Formed | None = None
    settings: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])
