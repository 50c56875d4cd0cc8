"""Gazetteer: known names of days, people, places, organisations, products and holidays, lower-cased."""

from functools import lru_cache
from itertools import pairwise
from typing import Final

from hmem.language.english.word_lists import lines_of, words
from hmem.model.entity import EntityType

DAYS_AND_MONTHS: Final = words("""
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed weds thu thur thurs fri sat sun january
    february march april may june july august september october november december jan feb mar apr jun jul aug sep sept
    oct nov dec mondays tuesdays wednesdays thursdays fridays saturdays sundays
    """)

_HOLIDAYS: Final = (
    "thanksgiving",
    "christmas",
    "christmas eve",
    "christmas day",
    "easter",
    "halloween",
    "hanukkah",
    "diwali",
    "ramadan",
    "eid",
    "passover",
    "kwanzaa",
    "holi",
    "lent",
    "oktoberfest",
    "mardi gras",
    "new year",
    "new years",
    "new year's",
    "new year's eve",
    "new year's day",
    "valentine's day",
    "valentines day",
    "st. patrick's day",
    "mother's day",
    "father's day",
    "labor day",
    "memorial day",
    "independence day",
    "veterans day",
    "earth day",
    "black friday",
    "cyber monday",
    "good friday",
    "boxing day",
    "april fools",
    "super bowl",
    "world cup",
    "olympics",
    "world series",
    "comic-con",
    "coachella",
    "burning man",
)


@lru_cache(maxsize=1)
def given_names() -> frozenset[str]:
    """Return the lower-cased given names of people."""
    return frozenset(name.lower() for line in lines_of("given_names.txt") for name in line.split())


@lru_cache(maxsize=1)
def known_names() -> dict[str, EntityType]:
    """Return the types of known places, organisations, products and holidays by lower-cased name."""
    known: dict[str, EntityType] = dict.fromkeys(_HOLIDAYS, "event")
    kind: EntityType = "organization"
    for line in lines_of("brands.txt"):
        if line.startswith("="):
            kind = "product"
            continue
        known.update(dict.fromkeys((name.strip().lower() for name in line.split(",")), kind))
    for line in lines_of("places.txt"):
        known.update(dict.fromkeys((name.strip().lower() for name in line.split(",")), "location"))
    return known


@lru_cache(maxsize=1)
def known_pairs() -> frozenset[tuple[str, str]]:
    """Return pairs of lower-cased neighbours in known names: such words always belong together."""
    split = [name.split() for name in known_names() if " " in name]
    return frozenset(pair for words in split for pair in pairwise(words))


def is_given(name: str) -> bool:
    """Tell if a lower-cased word is a listed given name."""
    return name in given_names()


def is_place(name: str) -> bool:
    """Tell if a lower-cased name is that of a known place."""
    return known_names().get(name) == "location"
