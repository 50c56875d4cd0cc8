"""What is known of names beforehand: given names, places, brands, holidays, languages, and words that are no names.

Small on purpose, and facts only: a name that is on no list is recognised by how it is written and what surrounds it.
"""

from functools import lru_cache
from itertools import pairwise
from typing import Final

from hmem.language.analyst.rules.lexicon import lines_of
from hmem.language.stopwords import STOP_WORDS
from hmem.model.entity import EntityType


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


DAYS_AND_MONTHS: Final = _words("""
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed weds thu thur thurs fri sat sun january
    february march april may june july august september october november december jan feb mar apr jun jul aug sep sept
    oct nov dec
    """)

LANGUAGES: Final = _words("""
    afrikaans albanian amharic arabic armenian basque bengali bosnian bulgarian burmese cantonese catalan chinese
    croatian czech danish dutch english esperanto estonian farsi finnish flemish french gaelic georgian german greek
    gujarati hausa hebrew hindi hungarian icelandic igbo indonesian irish italian japanese kannada khmer korean kurdish
    lao latin latvian lithuanian malay malayalam maltese mandarin maori marathi mongolian nepali norwegian pashto
    persian polish portuguese punjabi romanian russian sanskrit serbian sinhala slovak slovenian somali spanish swahili
    swedish tagalog tamil telugu thai tibetan turkish ukrainian urdu uzbek vietnamese welsh xhosa yiddish yoruba zulu
    """)
PEOPLES: Final = LANGUAGES | _words("""
    african american argentinian asian australian austrian belgian brazilian british canadian caribbean chilean
    christian colombian cuban egyptian ethiopian european filipino hawaiian hispanic indian iranian iraqi islamic
    israeli jamaican jewish kenyan latina latino lebanese mediterranean mexican moroccan muslim nigerian pakistani
    peruvian scottish singaporean swiss syrian taiwanese texan tunisian venezuelan victorian western catholic
    protestant buddhist hindu lgbt lgbtq lgbtqia gothic renaissance medieval scandinavian nordic
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
    """Given names of people, written small."""
    return frozenset(name.lower() for line in lines_of("given_names.txt") for name in line.split())


@lru_cache(maxsize=1)
def known_names() -> dict[str, EntityType]:
    """Places, organisations, products and holidays by their names, written small."""
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
    """Words, written small, that stand side by side in a known name: such belong together wherever they stand."""
    split = [name.split() for name in known_names() if " " in name]
    return frozenset(pair for words in split for pair in pairwise(words))


@lru_cache(maxsize=1)
def _common() -> frozenset[str]:
    return STOP_WORDS | frozenset(word for line in lines_of("common.txt") for word in line.split())


# An ending that may be taken off, and what may have stood in its place.
_ENDINGS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("ies", ("y",)),
    ("ier", ("y",)),
    ("iest", ("y",)),
    ("es", ("", "e")),
    ("s", ("",)),
    ("ied", ("y",)),
    ("ed", ("", "e")),
    ("ing", ("", "e")),
    ("in", ("", "e", "g")),
    ("ly", ("",)),
    ("er", ("", "e")),
    ("est", ("", "e")),
)
_LEAST_BASE: Final = 3


@lru_cache(maxsize=65_536)
def is_common(word: str) -> bool:
    """Whether a word, written small, is one that usually is written small, in any of its forms."""
    common = _common()
    if word in common:
        return True
    for ending, instead in _ENDINGS:
        base = word.removesuffix(ending)
        if len(base) == len(word) or len(base) < _LEAST_BASE:
            continue
        if any(base + end in common for end in instead) or (base[-1] == base[-2] and base[:-1] in common):
            return True
    return False
