"""Who lives the lives: two people, and those around each of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hmem_evals.synthetic.dice import Dice
from hmem_evals.synthetic.vocabulary import Bags

_KIN: Final = {
    "sister": "f", "brother": "m", "mum": "f", "dad": "m", "cousin": "f", "aunt": "f", "uncle": "m",
    "grandmother": "f", "grandfather": "m", "niece": "f", "nephew": "m",
}  # fmt: skip
_OTHERS: Final = {"colleague": "f", "neighbour": "m", "flatmate": "m", "old school friend": "f", "best friend": "m"}
_UNNAMED: Final = ("mum", "dad", "grandmother", "grandfather")


@dataclass(frozen=True, slots=True)
class Person:
    """Someone whose life is simulated. ``circle`` has the names of the people around, by what they are."""

    name: str
    gender: str
    circle: Mapping[str, str]
    conditions: frozenset[str]

    def pronouns(self) -> tuple[str, str, str]:
        """he, him, his; or she, her, her."""
        return ("she", "her", "her") if self.gender == "f" else ("he", "him", "his")


def people(dice: Dice, bags: Bags) -> tuple[Person, Person]:
    """Two people with names, families and friends of their own."""
    first, second = (_person(dice, bags) for _ in range(2))
    return first, second


def _person(dice: Dice, bags: Bags) -> Person:
    gender = dice.pick("fm")
    name = _name(bags, gender)
    circle: dict[str, str] = {}
    kin = dice.shuffled(tuple(_KIN))[:5]
    others = dice.shuffled(tuple(_OTHERS))[:3]
    for role in (*kin, *others):
        of = dice.pick("fm") if role in ("cousin", *_OTHERS) else _KIN[role]
        circle[role] = "" if role in _UNNAMED else _name(bags, of)
    conditions: set[str] = set()
    if dice.chance(0.6):
        of = "m" if gender == "f" else "f"
        circle["husband" if of == "m" else "wife"] = _name(bags, of)
        conditions.add("partner")
        if dice.chance(0.65):
            conditions.add("kids")
            circle[dice.pick(("daughter", "son"))] = _name(bags, dice.pick("fm"))
    conditions.add("single" if "partner" not in conditions else "partner")
    return Person(name, gender, circle, frozenset(conditions))


def _name(bags: Bags, gender: str) -> str:
    return bags.draw("women" if gender == "f" else "men")[0]
