"""How many values a slot has at a time, and what its values exclude."""

import re
from typing import Final

from hmem.language.analyst.rules.wordlist import words
from hmem.language.regex import regex

# Slots with one value at a time: a new value ends the old one.
SINGLE: Final = words(
    """
    home employer job partner age name birthday birthplace hometown nationality gender pronouns nickname username
    address budget rent salary deadline weight height email size religion bedtime diet editor browser bank gym
    """
) | {"phone number", "star sign", "blood type", "native language", "theme colour", "shoe size", "wake-up time"}

# Slots whose values differ by a single letter or digit.
EXACT: Final = words("email username address name nickname") | {"phone number"}

# What happens, each time by itself: one never ends another.
OCCASIONS: Final = words("event trip project reading")

# Once these are over, the same may be had anew: a sold car says nothing against the next one.
HAD_ANEW: Final = words("owns pet child plan event trip project membership expecting health goal partner job employer")

# Values of a diet of which one holds at a time; the others ("gluten-free", "kosher") go with any of them.
DIETS: Final = words("vegetarian vegan pescatarian keto omnivore paleo")

# Trades that are followed beside another one.
CALLINGS: Final = words(
    """
    artist writer author novelist poet musician singer songwriter dancer painter photographer blogger streamer youtuber
    student intern volunteer coach athlete gamer actor actress comedian filmmaker potter gardener sculptor illustrator
    """
)

# Of such people someone has one at a time; of friends and colleagues any number.
ONE_OF_A_KIND: Final = regex(
    r"\b(?:boss|manager|supervisor|landlord|landlady|therapist|dentist|doctor|gp|best friend|trainer|physiotherapist"
    r"|roommate|flatmate|housemate|mentor|tutor|principal|advisor|assistant|accountant|lawyer|nanny)\b",
    re.IGNORECASE,
)
# "Rob is Maria's boss."
ROLE: Final = regex(r"'s? (?P<role>[a-z][a-z -]*)\.$")

# Countries and wide regions, in which a town may lie that is named beside them.
WIDE: Final = frozenset(
    """
    africa|asia|europe|america|scandinavia|argentina|australia|austria|belgium|brazil|canada|chile|china|colombia|croatia
    |cuba|denmark|ecuador|egypt|england|ethiopia|finland|france|germany|ghana|greece|hungary|iceland|india|indonesia|iran
    |iraq|ireland|israel|italy|jamaica|japan|kenya|korea|south korea|malaysia|mexico|morocco|nepal|netherlands|holland
    |new zealand|nigeria|norway|pakistan|peru|philippines|poland|portugal|romania|russia|scotland|serbia|singapore
    |slovakia|slovenia|south africa|spain|sweden|switzerland|taiwan|thailand|tunisia|turkey|uganda|ukraine|uk
    |united kingdom|us|usa|united states|the us|the uk|uruguay|vietnam|wales|alabama|alaska|arizona|california|colorado
    |connecticut|florida|hawaii|idaho|illinois|indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts
    |michigan|minnesota|mississippi|missouri|montana|nebraska|nevada|new jersey|new mexico|ohio|oklahoma|oregon
    |pennsylvania|tennessee|texas|utah|vermont|virginia|wisconsin|wyoming|ontario|quebec|alberta|british columbia
    |andalusia|catalonia|tuscany|bavaria|brittany|provence|cornwall|yorkshire|galicia|alentejo|algarve|lombardy|sicily
    """.replace("\n", "")
    .replace("    ", "")
    .strip()
    .split("|")
)


def is_single(slot: str) -> bool:
    """Whether a slot has one value at a time."""
    return slot in SINGLE or slot.startswith(("favourite ", "number of "))


def single_role(text: str) -> str:
    """The part that a person has in another's life, by the wording of the claim, where it has one at a time."""
    found = ROLE.search(text)
    if found is None or ONE_OF_A_KIND.search(found["role"]) is None:
        return ""
    return found["role"].removeprefix("new ").strip()
