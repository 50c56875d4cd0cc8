"""An episode: a coherent run of turns (HiMem)."""

from dataclasses import dataclass
from typing import Literal

from hmem.model.span import Span

Cut = Literal["topic", "surprise", "session", "length"]


@dataclass(frozen=True, slots=True)
class Episode:
    """A run of turns of one session; ``cut`` says why it begins where it does, ``notes`` are those formed from it."""

    id: str
    session: str
    turns: tuple[str, ...]
    span: Span
    cut: Cut
    summary: str = ""
    notes: tuple[str, ...] = ()
