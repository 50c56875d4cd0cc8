"""Word lists, written in the code as text."""


def words(text: str) -> frozenset[str]:
    """The words of a text that are set apart by blanks."""
    return frozenset(text.split())
