"""A reading: all that an analyst found in one turn, as one value that can be kept and used again.

A language model reads a whole episode in one call, long after its turns were kept. What it found in each is kept as
that turn's reading, and formation uses it in the place of what the rules find, now and whenever the memory is formed
anew: no call is made twice.
"""

from dataclasses import dataclass

from hmem.language.analyst.base import Claim, Cues, Curation, Extraction, Labels, Statement


@dataclass(frozen=True, slots=True)
class TurnExtraction:
    """What was found in one turn, and what found it.

    ``labels`` are those of the statements, in their order, or none at all. What is None is left to the rules.
    """

    made_by: str
    curation: Curation
    statements: tuple[Statement, ...] = ()
    claims: tuple[Claim, ...] = ()
    extraction: Extraction | None = None
    labels: tuple[Labels, ...] = ()
    importance: int | None = None
    cues: Cues | None = None
