"""Lists of names and of nouns that tell a name's kind, and which words are usually written small."""

from functools import lru_cache
from itertools import chain
from typing import Final

from hmem.language.english.gazetteer import DAYS_AND_MONTHS, given_names, known_names
from hmem.language.english.meaning.lists import KIN as RELATIVES
from hmem.language.english.meaning.lists import LANGUAGES, PETS, ROLES
from hmem.language.english.stopwords import STOP_WORDS
from hmem.language.english.word_lists import lines_of, words
from hmem.model.entity import EntityType

PEOPLES: Final = LANGUAGES | words("""
    african american argentinian asian australian austrian belgian brazilian british canadian caribbean chilean
    christian colombian cuban egyptian ethiopian european filipino hawaiian hispanic indian iranian iraqi islamic
    israeli jamaican jewish kenyan latina latino lebanese mediterranean mexican moroccan muslim nigerian pakistani
    peruvian scottish singaporean swiss syrian taiwanese texan tunisian venezuelan victorian western catholic
    protestant buddhist hindu lgbt lgbtq lgbtqia gothic renaissance medieval scandinavian nordic arab palestinian
    afghan saudi americans europeans christians muslims jews germans italians arabs africans asians indians
    """)

# Nouns of people by what they are to somebody.
KIN: Final = RELATIVES | ROLES | words("date")

_PEOPLE: Final = words("""
    guy woman man lady person girl boy artist author writer singer musician actor actress director composer pianist
    poet painter photographer someone somebody player volunteer resident chef guide character hero ceo president
    founder owner king queen prince princess minister senator mayor judge officer detective host driver engineer
    developer designer manager realtor agent contractor plumber electrician hairdresser barista bartender surgeon
    blogger youtuber comedian journalist reporter rapper leader veteran guest captain coach prof
    head dean chair chairman chairwoman secretary cofounder cto cfo creator
    """)
_WORKS: Final = words("""
    book novel movie film song album series show saga trilogy script screenplay poem podcast musical documentary anime
    manga comic sitcom soundtrack franchise memoir painting opera episode videogame game magazine newspaper
    """)
_PLACES: Final = words("""
    restaurant location café cafe place spot town city village park beach lake island hotel hostel bar pub trail
    neighborhood neighbourhood region country state county area mountain river suburb district province airport
    street road pizzeria diner bakery museum
    """)
_GROUPS: Final = words("""
    company startup firm store shop studio band group team club organization organisation charity nonprofit agency brand
    school university college church orchestra label publisher foundation business bank employer hospital clinic
    corporation union league
    """)
_THINGS: Final = words("""
    app tool software product console perfume drink cocktail wine beer phone laptop camera car bike platform truck van
    motorcycle scooter boat tablet guitar keyboard
    """)
_EVENTS: Final = words("""
    event festival conference convention race marathon campaign parade holiday concert tour party wedding match
    workshop
    """)

# Last words of names, by kind.
_LAST: Final[dict[EntityType, str]] = {
    "location": """
        park beach lake river canyon island islands mountain mountains mount valley county city street avenue
        road bridge tower forest bay peak falls square garden gardens castle palace village town trail harbor
        harbour plaza coast desert glacier sea ocean hills heights airport station museum gallery zoo aquarium
        cathedral temple hotel resort restaurant cafe café pub bar reef cove hall studios house grill bistro kitchen
        inn mall gulf strip territory province district
        """,
    "organization": """
        inc ltd llc corp corporation company co university college school academy institute club church
        hospital foundation association agency team bank society group department ministry council orchestra
        symphony band shelter library union league committee center centre clinic labs partners ventures
        warriors wolves lakers bulls celtics heat jazz lions tigers bears eagles giants united records press
        party court army navy commission times post journal news services systems solutions technologies bureau office
        """,
    "event": """
        festival conference marathon cup olympics awards parade fair expo summit championship championships
        tournament convention week weekend day eve month night gala carnival bowl games war
        """,
    "work": "book novel chronicles trilogy saga movie song album",
    "product": "phone watch console pro max mini ultra app",
}
LAST_WORDS: Final[dict[str, EntityType]] = {word: kind for kind, words in _LAST.items() for word in words.split()}

KINDS: Final[dict[str, EntityType]] = {
    **dict.fromkeys(_EVENTS, "event"),
    **dict.fromkeys(_THINGS, "product"),
    **dict.fromkeys(_PLACES, "location"),
    **dict.fromkeys(_GROUPS, "organization"),
    **dict.fromkeys(_WORKS, "work"),
    **dict.fromkeys(_PEOPLE | KIN, "person"),
    **dict.fromkeys(PETS, "animal"),
}

TITLES: Final = words("""
    dr mr mrs ms miss prof professor uncle aunt auntie grandma grandpa granny cousin sir lady captain coach president
    senator judge pastor father sister mayor governor officer chef lord sheikh king queen prince princess st saint
    """)
INSTITUTIONS: Final = words("hospital church school college cathedral university clinic academy")

# Names that are also words, so that one in small letters is no name.
_ALSO_WORDS: Final = words("""
    max min lily notion lent discord rosemary uma alma vera drew christian angel gene lee ira excel teddy margarita opal
    china turkey java sienna signal sage ginger daisy heather hazel jasmine laurel myrtle poppy fern april june august
    art chip dale dean duke earl ford gale gay jack john rusty sky storm van wren buffalo bath reading mobile orange
    georgia jordan chad guinea jersey brittany savannah oracle square shell gap bush sun subway android kindle
    """)


@lru_cache(maxsize=1)
def common_words() -> frozenset[str]:
    """Return the words that are usually written small."""
    return STOP_WORDS | frozenset(chain.from_iterable(line.split() for line in lines_of("common.txt")))


def is_common(word: str, lemma: str = "") -> bool:
    """Tell if a lower-cased word, or its lemma, is usually written small."""
    common = common_words()
    return word in common or lemma in common or (word.endswith("s") and word[:-1] in common)


def known_small(word: str) -> EntityType | None:
    """Return the kind of a name that is known even in small letters, such as "japan"; None if it is a word too."""
    if word in _ALSO_WORDS or word in DAYS_AND_MONTHS or is_common(word):
        return None
    return "person" if word in given_names() else known_names().get(word)


@lru_cache(maxsize=1)
def _nicknames() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in lines_of("nicknames.txt"):
        full, *short = line.lower().split()
        found.setdefault(full, set()).update(short)
        for form in short:
            found.setdefault(form, set()).add(full)
    return {name: frozenset(forms - {name}) for name, forms in found.items()}


def variants_of(name: str) -> tuple[str, ...]:
    """Return what else a person of this first name may be called, in lower case: Bob of Robert, Robert of Bob."""
    return tuple(sorted(_nicknames().get(name.lower().partition(" ")[0], ())))
