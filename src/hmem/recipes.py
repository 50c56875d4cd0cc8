"""The recipes, as data: which mechanisms a memory uses, and with which constants."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from hmem.errors import UnknownName
from hmem.read.pipeline import Reading
from hmem.read.strategy.flat import FlatOptions

# Chosen among a few settings on the development conversations; docs/decisions/0006 has the table.
FLAT_WEIGHTS: Final[Mapping[str, float]] = {
    "lexical.turn": 2.2,
    "lexical.window": 2.2,
    "lexical.session": 1.1,
    "semantic.turn": 1.0,
    "semantic.window": 1.0,
    "speaker": 0.45,
    "substance": 0.3,
}


@dataclass(frozen=True, slots=True)
class Recipe:
    """A named combination of mechanisms."""

    name: str
    reading: Reading = field(default_factory=Reading)


DEFAULT: Final = "fusion"
_FLAT: Final = Reading(flat=FlatOptions(weights=FLAT_WEIGHTS))
RECIPES: Final[Mapping[str, Recipe]] = {
    "fusion": Recipe("fusion", _FLAT),
    "flat": Recipe("flat", _FLAT),
}


def recipe(name: str, settings: Mapping[str, str] | None = None) -> Recipe:
    """The recipe of a name, with some of its constants changed: ``{"flat.weights.speaker": "0"}``.

    Raises:
        UnknownName: there is no such recipe or constant, or the value is not a number.
    """
    if name not in RECIPES:
        raise UnknownName(f"no recipe is called {name!r} - choose one of: {', '.join(RECIPES)}")
    made = RECIPES[name]
    for constant, value in (settings or {}).items():
        made = replace(made, reading=_set(made.reading, constant, value))
    return made


def _set(reading: Reading, constant: str, value: str) -> Reading:
    options = reading.flat
    try:
        match constant.split(".", 2):
            case ["flat", "weights", term] if term in FLAT_WEIGHTS:
                options = replace(options, weights={**options.weights, term: float(value)})
            case ["flat", ("exhaustive" | "listed" | "candidates") as name]:
                options = replace(options, **{name: int(value)})
            case _:
                raise UnknownName(f"no recipe has the constant {constant!r} - choose one of: {', '.join(constants())}")
    except ValueError as error:
        raise UnknownName(f"{constant} is a number, not {value!r}") from error
    return replace(reading, flat=options)


def constants() -> list[str]:
    """The constants that can be set."""
    return ["flat.exhaustive", "flat.listed", "flat.candidates", *(f"flat.weights.{term}" for term in FLAT_WEIGHTS)]
