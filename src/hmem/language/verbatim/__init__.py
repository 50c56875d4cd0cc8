"""Verbatim analyst: what is formed without a language model points to sentences as they were said; the default."""

from hmem.language.verbatim.analyst import VerbatimAnalyst, load

__all__ = ["VerbatimAnalyst", "load"]
