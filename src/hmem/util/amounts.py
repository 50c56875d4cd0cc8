"""Amounts in the texts that people read: a count with its noun in the right number."""


def amount(count: int, noun: str, plural: str | None = None) -> str:
    """Return a count with its noun: ``1 turn``, ``2,500 turns``, ``2 memories``."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"
