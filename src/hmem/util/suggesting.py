"""Names that somebody may have meant."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

_SUGGESTIONS: Final = 3
_LIKE: Final = 0.65


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return the question which name was meant, such as ``did you mean 'search'?``; "" if none is near."""
    spelled = {candidate.casefold(): candidate for candidate in names}
    close = get_close_matches(name.casefold(), spelled, _SUGGESTIONS, _LIKE)
    # A part of a name with dots means it too.
    close += [
        spelling for spelling in spelled if name and spelling.endswith(f".{name.casefold()}") and spelling not in close
    ]
    suggestions = [repr(spelled[candidate]) for candidate in close[:_SUGGESTIONS]]
    return f"did you mean {' or '.join(suggestions)}?" if suggestions else ""


def suggest(name: str, known: Iterable[str], ask: str = "choose one of") -> str:
    """Return the remedy for an unknown name: a similar name, if there is one, and all valid names."""
    names = list(known)
    question = did_you_mean(name, names)
    return f"{question} {ask}: {', '.join(names)}".lstrip()
