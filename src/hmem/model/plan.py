"""How a question is split and what each part needs."""

from dataclasses import dataclass
from typing import Literal

from hmem.model.span import Span

Scope = Literal["short", "long", "mixed"]
Coverage = Literal["local", "global"]
Mode = Literal["sequential", "intersective"]


@dataclass(frozen=True, slots=True)
class SubQuestion:
    """A part of a question that can be looked up by itself, after the parts in ``needs`` (their positions)."""

    text: str
    scope: Scope = "mixed"
    coverage: Coverage = "local"
    mode: Mode = "sequential"
    spans: tuple[Span, ...] = ()
    entities: tuple[str, ...] = ()
    answer_type: str = "any"
    needs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """A question and its parts, in an order in which they can be answered."""

    question: str
    parts: tuple[SubQuestion, ...]
