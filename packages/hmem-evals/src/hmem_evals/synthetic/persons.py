"""From the first person to the third, and back: answers name nobody's "my", and a user asks with "I"."""

import re
from collections.abc import Mapping
from typing import Final

from hmem_evals.synthetic.people import Person

_FIRST: Final = re.compile(r"\b(I'm|I am|I've|I have|I|my|me|myself)\b")
_ASKED: Final = re.compile(r"\b(does|Does|is|Is|has|Has) I\b")
_INVERTED: Final = {"does": "do I", "Does": "Do I", "is": "am I", "Is": "Am I", "has": "have I", "Has": "Have I"}
_STATED: Final = re.compile(r"\bI (plays|collects|volunteers|does|has)\b")
_BARE: Final = {"plays": "play", "collects": "collect", "volunteers": "volunteer", "does": "do", "has": "have"}
_VERBS: Final = ("way", "habit", "how", "help", "result", "deed", "activity")


def third(text: str, person: Person) -> str:
    """What a person said of themselves, as another tells it."""
    they, them, their = person.pronouns()
    self_ = "herself" if they == "she" else "himself"
    forms = {"I'm": f"{they} is", "I am": f"{they} is", "I've": f"{they} has", "I have": f"{they} has"}
    forms |= {"I": they, "my": their, "me": them, "myself": self_}
    return _FIRST.sub(lambda match: forms[match[1]], text)


def first(text: str) -> str:
    """A sentence made for a name, with "I" in its place, in good grammar."""
    text = _ASKED.sub(lambda match: _INVERTED[match[1]], text)
    return _STATED.sub(lambda match: f"I {_BARE[match[1]]}", text)


def names(person: Person | None, other: Person) -> dict[str, str]:
    """What questions call those spoken of; without a person it is the one who asks."""
    if person is None:
        return {"P": "I", "Ps": "my", "Pme": "me", "they": "I", "them": "me", "their": "my", "O": "you", "Os": "your"}
    they, them, their = person.pronouns()
    named = {"P": person.name, "Ps": f"{person.name}'s", "Pme": person.name, "O": other.name, "Os": f"{other.name}'s"}
    return named | {"they": they, "them": them, "their": their}


def bare(values: Mapping[str, str]) -> dict[str, str]:
    """The values with the verbs of the first person in place of those of the third."""
    return {**values, **{f"{verb}.1": values[verb] for verb in _VERBS if f"{verb}.1" in values}}
