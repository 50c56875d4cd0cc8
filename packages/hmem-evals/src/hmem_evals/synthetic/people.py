"""People of the simulated lives: two speakers, and the family and friends of each."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hmem_evals.synthetic.vocabulary import Bags, Dice

_KIN: Final = {
    "sister": "f", "brother": "m", "mum": "f", "dad": "m", "cousin": "f", "aunt": "f", "uncle": "m",
    "grandmother": "f", "grandfather": "m", "niece": "f", "nephew": "m",
}  # fmt: skip
_FRIENDS: Final = {"colleague": "f", "neighbour": "m", "flatmate": "m", "old school friend": "f", "best friend": "m"}
_UNNAMED: Final = ("mum", "dad", "grandmother", "grandfather")


@dataclass(frozen=True, slots=True)
class Person:
    """Person whose life is simulated. ``circle`` has the names of family and friends by their role."""

    name: str
    gender: str
    circle: Mapping[str, str]
    conditions: frozenset[str]

    def pronouns(self) -> tuple[str, str, str]:
        """Return he, him, his; or she, her, her."""
        return ("she", "her", "her") if self.gender == "f" else ("he", "him", "his")


def people(dice: Dice, bags: Bags) -> tuple[Person, Person]:
    """Draw two people with names, families and friends."""
    first, second = (_person(dice, bags) for _ in range(2))
    return first, second


def _person(dice: Dice, bags: Bags) -> Person:
    gender = dice.pick("fm")
    name = _name(bags, gender)
    circle: dict[str, str] = {}
    kin = dice.shuffled(tuple(_KIN))[:5]
    friends = dice.shuffled(tuple(_FRIENDS))[:3]
    for role in (*kin, *friends):
        partner_gender = dice.pick("fm") if role in ("cousin", *_FRIENDS) else _KIN[role]
        circle[role] = "" if role in _UNNAMED else _name(bags, partner_gender)
    conditions: set[str] = set()
    if dice.chance(0.6):
        partner_gender = "m" if gender == "f" else "f"
        circle["husband" if partner_gender == "m" else "wife"] = _name(bags, partner_gender)
        conditions.add("partner")
        if dice.chance(0.65):
            conditions.add("kids")
            circle[dice.pick(("daughter", "son"))] = _name(bags, dice.pick("fm"))
    conditions.add("single" if "partner" not in conditions else "partner")
    return Person(name, gender, circle, frozenset(conditions))


def _name(bags: Bags, gender: str) -> str:
    return bags.draw("women" if gender == "f" else "men")[0]


_FIRST: Final = re.compile(r"\b(I'm|I am|I've|I have|I|my|me|myself)\b")
_QUESTION_FORMS: Final = re.compile(r"\b(does|Does|is|Is|has|Has) I\b")
_INVERTED: Final = {"does": "do I", "Does": "Do I", "is": "am I", "Is": "Am I", "has": "have I", "Has": "Have I"}
_STATEMENT_FORMS: Final = re.compile(r"\bI (plays|collects|volunteers|does|has)\b")
_BARE: Final = {"plays": "play", "collects": "collect", "volunteers": "volunteer", "does": "do", "has": "have"}
_VERBS: Final = ("way", "habit", "how", "help", "result", "deed", "activity")


def third(text: str, person: Person) -> str:
    """Return a text in the first person in the third."""
    subject, object_, their = person.pronouns()
    self_ = "herself" if subject == "she" else "himself"
    forms = {"I'm": f"{subject} is", "I am": f"{subject} is", "I've": f"{subject} has", "I have": f"{subject} has"}
    forms |= {"I": subject, "my": their, "me": object_, "myself": self_}
    return _FIRST.sub(lambda match: forms[match[1]], text)


def first(text: str) -> str:
    """Return a sentence with "I" in place of a name, with its verbs in the first person."""
    text = _QUESTION_FORMS.sub(lambda match: _INVERTED[match[1]], text)
    return _STATEMENT_FORMS.sub(lambda match: f"I {_BARE[match[1]]}", text)


def names(person: Person | None, listener: Person) -> dict[str, str]:
    """Return the names and pronouns of a question's slots; without a person it is in the first person."""
    if person is None:
        return {"P": "I", "Ps": "my", "Pme": "me", "they": "I", "them": "me", "their": "my", "O": "you", "Os": "your"}
    subject, object_, their = person.pronouns()
    forms = {
        "P": person.name,
        "Ps": f"{person.name}'s",
        "Pme": person.name,
        "O": listener.name,
        "Os": f"{listener.name}'s",
    }
    return forms | {"they": subject, "them": object_, "their": their}


def bare(values: Mapping[str, str]) -> dict[str, str]:
    """Return the values with verbs in the first person instead of the third."""
    return {**values, **{f"{verb}.1": values[verb] for verb in _VERBS if f"{verb}.1" in values}}
