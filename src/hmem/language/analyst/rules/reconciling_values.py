"""Two values of one slot: whether they are the same thing, or one is a kind or a part of the other."""

import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from hmem.language.analyst.rules.gazetteer import DAYS_AND_MONTHS
from hmem.language.analyst.rules.wording import stem
from hmem.language.analyst.rules.wordlist import words
from hmem.language.regex import regex
from hmem.language.stopwords import STOP_WORDS

Kinship = Literal["equal", "narrower", "wider", "akin", "other"]

_NAME: Final = regex(r"(?<![\w'])[A-Z][\w'&.-]*")
_NUMBER: Final = regex(r"\d[\d.,:/-]*\w*")
_EMPTY: Final = STOP_WORDS | words(
    """
    new old first own little another very really super favorite favourite named called beloved some lot bit s job
    eat eats eating drink drinks drinking go goes going
    """
)

# What a word is one of, so that "my car" is the Honda, and "the dog" the beagle.
_KINDS: Final = {
    "car": """
        honda toyota tesla ford bmw audi mazda nissan subaru volkswagen vw golf polo kia hyundai fiat volvo jeep
        chevrolet chevy lexus porsche renault peugeot skoda seat corolla civic prius mini convertible suv sedan
    """,
    "dog": """
        puppy pup beagle labrador lab retriever poodle terrier husky corgi dachshund bulldog shepherd collie spaniel
        boxer schnauzer greyhound dalmatian doggo
    """,
    "cat": "kitten kitty tabby siamese tomcat",
    "bike": "bicycle cycle",
    "phone": "iphone smartphone galaxy pixel",
    "laptop": "macbook thinkpad notebook chromebook",
    "computer": "pc desktop imac",
    "guitar": "telecaster stratocaster",
    "motorcycle": "motorbike harley vespa scooter",
    "child": "kid son daughter baby boy girl toddler",
    "seafood": "shrimp prawn lobster crab oyster",
    "meat": "beef pork chicken steak bacon lamb",
    "flat": "apartment",
    "allergy": "allergic",
}
_KIND_OF: Final = {stem(kind): stem(general) for general, some in _KINDS.items() for kind in (*some.split(), general)}


class Core(NamedTuple):
    """A value without its small words: its stems, its names and numbers, and what its words are kinds of."""

    stems: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]
    kinds: frozenset[str]


@lru_cache(maxsize=16_384)
def core(value: str) -> Core:
    """The core of a value."""
    content = [word for word in re.split(r"[^\w']+", value.lower()) if word and word not in _EMPTY]
    found = frozenset(stem(word) for word in content)
    named = (name.lower().removesuffix("'s") for name in _NAME.findall(value))
    names = frozenset(name for name in named if name not in _EMPTY and name not in DAYS_AND_MONTHS)
    return Core(
        found, names, frozenset(_NUMBER.findall(value)), frozenset(_KIND_OF[root] for root in found if root in _KIND_OF)
    )


def kinship(older: str, newer: str) -> Kinship:
    """What the newer value is to the older: ``narrower`` says more, ``wider`` less, ``akin`` shares something."""
    one, other = core(older), core(newer)
    if older.lower() == newer.lower() or (one.stems == other.stems and one.stems):
        return "equal"
    if one.names and other.names and not one.names & other.names:
        return "other"
    if one.numbers and other.numbers and one.numbers != other.numbers:
        return "other"
    wide, narrow = _widened(one), _widened(other)
    if one.stems and one.stems <= narrow:
        return "narrower"
    if other.stems and other.stems <= wide:
        return "wider"
    if one.names & other.names or one.kinds & other.kinds:
        return "akin"
    return "akin" if len(one.stems & other.stems) * 2 > min(len(one.stems), len(other.stems)) else "other"


def _widened(value: Core) -> frozenset[str]:
    """The stems of a value, and what it is a kind of."""
    return value.stems | value.kinds
