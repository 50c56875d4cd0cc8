"""The rules analyst: embedded, deterministic, offline; the default."""

from hmem.language.analyst.base import Analyst


def load(variant: str) -> Analyst:
    """The rules analyst; it has no variants.

    Raises:
        UnknownName: a variant is asked for.
    """
    from hmem.language.analyst.rules import analyst  # noqa: PLC0415 - not all rules are there yet

    return analyst.load(variant)
