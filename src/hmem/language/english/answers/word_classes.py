"""Classes of English words, found without a tagger; enough to see where a phrase starts and ends."""

from functools import lru_cache
from typing import Final

from hmem.language.analyst.answer_reader import Sort
from hmem.language.analyst.word_classes import (
    ADVERB,
    ARTICLE,
    AUXILIARY,
    BE,
    BECAUSE,
    CLAUSE,
    CONJUNCTION,
    DATE,
    ING,
    LETS,
    MARK,
    NAME,
    NOT,
    NUMBER,
    OTHER,
    PAST,
    PERSON,
    PLACE,
    POSSESSIVE,
    PRAISE,
    PREPOSITION,
    PRONOUN,
    QUALITY,
    SPEAKER,
    TO,
    VERB,
    WORD,
)
from hmem.language.english.gazetteer import DAYS_AND_MONTHS, given_names, known_names
from hmem.language.english.meaning.lists import PERSONS
from hmem.language.english.stopwords import STOP_WORDS
from hmem.language.english.verb_forms import is_past, third_person
from hmem.language.english.word_lists import words

_WORDS: Final[dict[int, str]] = {
    ARTICLE: """
    a an the this that these those some any another each every
    """,
    POSSESSIVE: """
    my our your his her their its
    """,
    SPEAKER: """
    i we me us you i'm i've i'd i'll we're we've we'd we'll you're you've you'll you'd myself yourself ourselves
    mine ours yours y'all ya im ive
    """,
    PRONOUN: """
    he she it they him them he's she's it's they're they've he'd she'd they'd it'll that's there's here's there
    here everyone someone anyone something anything everything nothing himself herself themselves itself one
    ones
    """,
    PREPOSITION: """
    of in on at for from with by about during after before as into through over under near around against
    between without within across along behind beyond inside outside toward towards upon onto off up down out
    like including per via than
    """,
    TO: """
    to
    """,
    CONJUNCTION: """
    and or but nor plus & then
    """,
    BECAUSE: """
    because since cause 'cause cuz so
    """,
    CLAUSE: """
    when while if that which who whom whose where how what why whether until till although though unless
    """,
    BE: """
    am is are was were be been being 's 're
    """,
    AUXILIARY: """
    have has had do does did can could will would shall should may might must having don't didn't doesn't can't
    couldn't won't wouldn't haven't hasn't isn't aren't wasn't weren't
    """,
    NOT: """
    not no never none neither
    """,
    LETS: """
    let's lets thanks thank wow hey yeah yes yep oh haha hi hello ok okay sure sorry congrats glad
    """,
    PRAISE: """
    great good amazing awesome nice cool fantastic wonderful lovely beautiful incredible fun super really very
    so pretty quite definitely always just also still even only actually totally absolutely best perfect
    """,
    NUMBER: """
    two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen twenty thirty forty
    fifty hundred thousand once twice thrice couple dozen several few
    """,
    DATE: """
    yesterday today tomorrow tonight ago last next week weekend month year day morning afternoon evening night
    """,
}
_CLOSED: Final = {word: kind for kind, held in _WORDS.items() for word in held.split()}

# Base forms that are seldom nouns.
_VERBS: Final = """
add agree aim allow appear appreciate arrive ask assume attend avoid bake become begin believe belong blend bring build
buy calm capture carry catch celebrate check choose clear collect combine come compete complete connect consider
contain continue convince cook cope create deal decide decorate deserve destress develop discover distract donate draw
drive earn eat embrace encourage enjoy enter escape evolve excel expand explain explore express face fail feel fill
find finish fit fix follow forget gain gather get give go grab grow guess handle happen hear help hope imagine improve
include inspire invite involve join keep kill know lead learn leave let lie listen live lose love make manage matter
mean meet motivate need notice offer organize overcome own pass pay persuade pick prefer prepare prove provide pursue
push put raise reach read realize receive recommend recover reduce reflect relax rely remain remember remind require
respect restore return run save say see seek seem sell send serve share show sing sit soothe speak spend stand stay
stick struggle submit succeed suggest support survive take talk teach tell tend thank think throw transform travel
treat trust try turn understand unwind use visit volunteer wait want wear win wish wonder worry write
"""
_QUALITIES: Final = """
able active adorable afraid alive alone amazed annoyed anxious available aware bad beautiful big bold boring brave
bright busy calm careful cheap chill clean clear close cold colorful comfortable comfy common complete confident
confused content cozy crazy creative crucial curious cute dark dear deep delicious different difficult dirty early
easy effective emotional empty epic essential excited exciting exhausted familiar famous fancy far fascinating fast
favorite favourite fine free frequent fresh friendly frustrated full funny gentle giant gorgeous grateful graceful hard
healthy heavy helpful honest honored hopeful hot huge hungry important impressed impressive intense interested
interesting joyful kind large late lazy light little local lonely long loud lovable low loyal lucky mad magical main
massive meaningful messy mindful modern motivated natural near necessary nerve-wracking nervous new next nice nostalgic
old open optimistic ordinary original overwhelmed overwhelming own passionate patient peaceful personal pleasant popular
positive possible powerful precious present productive proud quick quiet ready real recent relaxed relaxing relieved
resilient rewarding rich right rough sad safe satisfying scared scary serene serious sharp short shy sick significant
silly similar simple slow small smooth soft solid special spicy strange stressed stressful strong stuck sturdy
successful supportive sure surprised surreal sweet talented tall tasty tense terrible terrified therapeutic thoughtful
thrilled thrilling tired tough tricky true ugly unforgettable unique upset useful usual valuable vibrant vital warm
weak weird welcoming wild wise worried worthwhile worth wrong young yummy
"""


@lru_cache(maxsize=1)
def _open_classes() -> dict[str, int]:
    """Return the known verbs, in the present, and qualities, by word."""
    verbs = {form: VERB for word in _VERBS.split() for form in (word, third_person(word))}
    return dict.fromkeys(_QUALITIES.split(), QUALITY) | verbs


@lru_cache(maxsize=50_000)
def class_of(lower: str, *, capital: bool) -> int:
    """Return the class of a lower-cased word; ``capital``: it is capitalised within a sentence."""
    kind = _CLOSED.get(lower)
    if kind is not None:
        return kind
    if not any(sign.isalnum() for sign in lower):
        return MARK
    if lower[0].isdigit() or lower[0] in "$€£":
        return NUMBER
    plain = lower.removesuffix("'s")
    if plain in DAYS_AND_MONTHS and (capital or plain not in ("may", "march", "sun", "sat")):
        return DATE
    if capital:
        return _class_of_name(plain)
    if plain in STOP_WORDS:
        return OTHER
    known = _open_classes().get(plain)
    if known is not None:
        return known
    if plain.endswith("ing") and len(plain) > 4:
        return ING
    if is_past(plain):
        return PAST
    return ADVERB if plain.endswith("ly") and len(plain) > 4 else WORD


def _class_of_name(plain: str) -> int:
    if plain in given_names():
        return PERSON
    return PLACE if known_names().get(plain) == "location" else NAME


# Nouns of a sort; other words are as near to it as their vectors are to theirs.
SORTS: Final[dict[Sort, frozenset[str]]] = {
    "person": PERSONS
    | words(
        "plumber farmer driver guide baker builder carpenter electrician mechanic technician engineer analyst "
        "director captain sailor soldier officer player musician drummer student pupil intern apprentice leader "
        "chairman member guest host owner tenant stranger someone agent cashier clerk vicar imam rabbi mayor judge "
        "researcher scientist"
    ),
    "place": words(
        "city town village country state region island coast beach lake river mountain hill forest park garden "
        "street road square bridge station airport port hotel hostel house home flat apartment room kitchen garage "
        "cellar attic office factory warehouse shop store market supermarket bakery cafe restaurant pub bar school "
        "university library museum theatre cinema church temple hospital clinic pharmacy gym stadium pool studio "
        "farm field"
    ),
    "activity": words(
        "swimming running hiking cycling climbing skiing rowing sailing fishing dancing singing painting drawing "
        "writing reading cooking baking gardening knitting sewing photography travelling volunteering studying "
        "training working shopping cleaning camping yoga chess football tennis basketball"
    ),
    "thing": words(
        "book letter phone computer laptop camera car bike table chair lamp bag box bottle cup plate knife shirt "
        "dress shoe hat ring coin ticket key tool hammer guitar piano toy doll cake bread soup cheese apple coffee "
        "tea wine flower tree paper pen painting film song game machine"
    ),
}
