"""Names that somebody may have meant."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

_MOST: Final = 3
_LIKE: Final = 0.65


def meant(name: str, known: Iterable[str]) -> str:
    """Return the question which name was meant, such as ``did you mean 'search'?``; "" if none is near."""
    spelled = {each.casefold(): each for each in known}
    near = get_close_matches(name.casefold(), spelled, _MOST, _LIKE)
    # A part of a name with dots means it too.
    near += [each for each in spelled if name and each.endswith(f".{name.casefold()}") and each not in near]
    told = [repr(spelled[each]) for each in near[:_MOST]]
    return f"did you mean {' or '.join(told)}?" if told else ""


def choice(name: str, known: Iterable[str], ask: str = "choose one of") -> str:
    """Return the mend of an unknown name: which was meant, if one is near, and all that there are."""
    names = list(known)
    question = meant(name, names)
    return f"{question} {ask}: {', '.join(names)}".lstrip()
