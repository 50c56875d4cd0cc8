"""Vocabulary of the rules: word lists, the type of a rule for notes, verb forms, and "she" and "he".

The word lists stand in the code or in the package's data. Verb forms go as far as agreement needs: past forms and the
third person of the present. "She" and "he" at the start of a sentence are resolved if the sentence before names one
relative, friend or pet.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from hmem.language.english.curation import FORMULA
from hmem.language.english.stopwords import STOP_WORDS
from hmem.language.english.word_lists import lines_of, vague_stems
from hmem.language.english.wording import stem
from hmem.language.regex import regex
from hmem.model.note import NoteKind

PETS: Final = (
    r"(?:dogs?|pupp(?:y|ies)|pups?|doggos?|cats?|kittens?|kitt(?:y|ies)|rabbits?|bunn(?:y|ies)|hamsters?|"
    r"guinea pigs?|parrots?|parakeets?|budgies?|turtles?|tortoises?|lizards?|geckos?|snakes?|goldfish|"
    r"horses?|pon(?:y|ies)|chickens?|hens?|ferrets?|birds?|pets?|retrievers?|labradors?|labs?|shepherds?|"
    r"terriers?|poodles?|beagles?|schnauzers?|huskies|husky|corgis?|dachshunds?|bulldogs?|fish(?:es)?)"
)

CHILDREN: Final = r"(?:kids?|child(?:ren)?|sons?|daughters?|bab(?:y|ies)|twins|toddlers?|boys?|girls?|little ones?)"

SIBLINGS: Final = r"(?:brothers?|sisters?|siblings?)"

PARTNERS: Final = r"(?:husband|wife|boyfriend|girlfriend|fianc[ée]e?|partner)"

ILLNESSES: Final = (
    r"(?:asthma|diabetes|arthritis|migraines?|eczema|epilepsy|anemia|anaemia|insomnia|adhd|autism|celiac "
    r"disease|coeliac disease|high blood pressure|hypertension|chronic \w+|depression|anxiety|cancer|"
    r"lupus|hay fever|back pain|a bad (?:back|knee)|covid|the flu|gastritis)"
)

DIETS: Final = (
    r"(?:vegetarian|vegan|pescatarian|lactose[- ]intolerant|gluten[- ]free|gluten[- ]intolerant|"
    r"c(?:o)?eliac|diabetic|keto|kosher|halal)"
)

JOBS: Final = (
    r"(?:(?!(?:fan|lover|language|for|of|to|with|and|or|like|better|great|good|as|bit|such|so|very|little|"
    r"lot)\b)[\w-]+ ){0,3}?(?:nurse|doctor|surgeon|dentist|vet|veterinarian|paramedic|pharmacist|"
    r"therapist|psychologist|psychiatrist|counsel(?:l)?or|midwife|carer|caregiver|teacher|professor|"
    r"lecturer|tutor|librarian|researcher|scientist|biologist|chemist|physicist|engineer|developer|"
    r"programmer|designer|architect|builder|carpenter|plumber|electrician|mechanic|welder|farmer|gardener|"
    r"florist|chef|cook|baker|barista|bartender|waiter|waitress|butcher|pilot|driver|courier|sailor|"
    r"soldier|firefighter|police officer|officer|detective|lawyer|attorney|judge|paralegal|accountant|"
    r"bookkeeper|banker|broker|economist|analyst|consultant|manager|director|executive|administrator|"
    r"secretary|receptionist|assistant manager|clerk|cashier|salesman|saleswoman|salesperson|realtor|"
    r"estate agent|entrepreneur|business owner|founder|freelancer|journalist|reporter|editor|writer|"
    r"author|novelist|screenwriter|poet|translator|interpreter|blogger|streamer|youtuber|actor|actress|"
    r"comedian|musician|singer|songwriter|composer|conductor|dancer|choreographer|producer|filmmaker|"
    r"photographer|painter|sculptor|illustrator|animator|artist|potter|conservator|curator|archivist|"
    r"historian|tailor|seamstress|hairdresser|barber|stylist|model|coach|personal trainer|trainer|"
    r"instructor|athlete|footballer|basketball player|social worker|priest|pastor|minister|monk|nun|mayor|"
    r"politician|diplomat|civil servant|security guard|cleaner|janitor|housekeeper|nanny|babysitter|"
    r"flight attendant|travel agent|tour guide|student|intern|apprentice|stay-at-home (?:mom|mum|dad|"
    r"parent))"
)

GAMES: Final = (
    r"(?:the |some |a bit of |a lot of )?(?:(?:acoustic |electric |bass |classical )?guitar|piano|violin|"
    r"viola|cello|drums?|flute|clarinet|saxophone|sax|trumpet|trombone|ukulele|accordion|harp|keyboards?|"
    r"harmonica|organ|banjo|bass|oboe|basketball|football|soccer|tennis|volleyball|baseball|badminton|"
    r"hockey|golf|cricket|rugby|chess|poker|cards|pool|darts|squash|table tennis|ping[- ]pong|softball|"
    r"lacrosse|video games|board games|games|dnd|d&d|dungeons (?:and|&) dragons|water polo|handball|"
    r"frisbee|ultimate)"
)

LANGUAGES: Final = (
    r"(?:english|spanish|french|german|italian|portuguese|russian|chinese|mandarin|cantonese|japanese|"
    r"korean|arabic|hindi|urdu|turkish|polish|dutch|swedish|norwegian|danish|finnish|greek|hebrew|czech|"
    r"hungarian|romanian|thai|vietnamese|swahili|ukrainian|catalan|latin|sign language|asl|irish|welsh|"
    r"persian|farsi|tagalog|indonesian|malay)"
)


@dataclass(frozen=True, slots=True)
class Rule:
    """Rule for a claim behind a verb: ``value`` matches from there on; its group ``v`` is the value.

    Without such a group the value is the noun phrase behind the match; ``bare``: without its determiners. A date in the
    sentence is the beginning (``lasting``) or the time (``dated``). ``text`` words the claim from ``{s}`` (subject),
    ``{v}`` (value), ``{verb}``, ``{m}`` (matched text), ``{to}`` ("to " before a verb) and ``{n}`` ("does not ");
    an empty text gives no claim.
    """

    slot: str
    value: re.Pattern[str]
    text: str
    kind: NoteKind = "fact"
    positive: bool = True
    lasting: bool = False
    dated: bool = False
    bare: bool = True


def rule(slot: str, value: str, text: str, kind: NoteKind = "fact", **more: bool) -> Rule:
    return Rule(slot, regex(value, re.IGNORECASE), text, kind, **more)


FEW: Final = r"(?:(?!(?:for|of|to|with|and|or|like|about|in|on|at|from|the|love|is|was)\b)[\w'+-]+ ){0,3}?"

NAMED: Final = r"(?:,? (?:named|called|whose name is)? ?(?-i:[A-Z][a-z]+)\b(?: and (?-i:[A-Z][a-z]+)\b)?)?"

COUNT: Final = r"(?:an?|one|two|three|four|five|six|\d+|another)"

PLACE: Final = (
    r"(?:the )?(?P<v>(?-i:[A-Z])[\w'.-]*(?:,? (?:(?:of|de|la|del|das|dos|da|do|di|du|van|von|le"
    r"|and) )?(?-i:[A-Z])[\w'.-]*){0,4})"
)

OPTIONAL: Final = r"(?:really |always |so |also |a (?:big|huge|massive) )?"

THING: Final = (
    r"(?=(?:an?|the|this|§'s|another|some|two|three|four|five|six|\d+|several)\s)(?!(?:another|this|some) "
    r"(?:at|in|of|on|from|to|with|is|was|stuff|things?|people|one|of)\b)(?!(?:an? )?(?:lot|bunch|bit|good "
    r"time|great time|blast|few (?:things|days|weeks|people|more|of|times|minutes|hours|months|years)|while"
    r"|difference|break|chance|look|sense|point|decision|mistake|progress|"
    r"way|fun|hard time|the way|impact|big impact|feeling|same|one)\b)(?!the (?:time|way|best|chance|"
    r"courage|plunge|same|most|first time|opportunity|most of)\b)(?!(?:\w+ ){1,3}?(?:monster|step|steps|move"
    r"|points?|mind|sense|"
    r"time|effort|way|minute|second|moment|decision|choice|mistake|thought|idea|ideas|break|breath|note"
    r"|sure)\b(?! \w+ing))"
)

TITLE: Final = r"(?P<v>\"[^\"]{2,80}\"(?: by (?-i:[A-Z])[\w.']*(?: (?-i:[A-Z])[\w.']*){0,3})?)"

# Ends in a capitalised word: "The Lamplighter's Accounts", "Nine Winters in Kaunas".
TITLED: Final = r"(?P<v>(?-i:[A-Z])[\w'.-]+(?:(?: (?:of|the|and|in|a|to|for)){0,2} (?-i:[A-Z])[\w'.-]*){1,5})"

# Belongings and purchases worth a note.
GOODS: Final = (
    r"(?:car|house|home|apartment|flat|bike|bicycle|motorcycle|motorbike|scooter|truck|van|camper|boat|kayak|canoe"
    r"|camera"
    r"|guitar|piano|violin|cello|ukulele|accordion|drum set|keyboard|laptop|computer|pc|gaming pc|console|phone"
    r"|smartphone"
    r"|iphone|ipad|tablet|smartwatch|watch|fitbit|printer|3d printer|telescope|drone|tent|backpack|mansion|condo|cabin"
    r"|cottage|farm|garden|greenhouse|allotment|studio|shop|store|bakery|bookcase|bookshelf|desk|sofa|couch|armchair"
    r"|bed|mattress|rug|lamp|tv|projector|headphones|speakers?|glasses|sunglasses|ring|necklace|bracelet|shoes|boots"
    r"|sneakers|running shoes|racket|skateboard|snowboard|surfboard|skis|treadmill|yoga mat|rowing machine"
    r"|stand mixer|kitchen mixer|air fryer|slow cooker|instant pot|espresso machine|coffee maker|coffee machine|blender"
    r"|sewing machine|easel|playstation|ps5|xbox|nintendo switch|switch|collection|band saw|saddle|tank|aquarium"
    r"|terrarium"
    r"|dress|jacket|coat|suit|sweater|figurine|vinyl|record player|turntable)"
)
# Second halves of compounds with such a word, which are other things: "a car park".
NO_GOODS: Final = (
    r"(?! (?:tires?|tyres?|amps?|park|show|club|party|ride|trip|loan|insurance|warming|rental|book|bag|charger|computer"
    r"|rack|lock"
    r"|helmet|case"
    r"|lens|games?|cover|class|lessons?|owners?|tour|fair|race|shop|store|sale|stand|bearer|recital|alarm|accident|wash"
    r"|designs?|project|renovation|hunting|search|space|frame|set|sets|strap|shopping|app)\b)"
)

# Parts of the body that are hurt.
BODY: Final = (
    r"(?:arm|leg|ankle|wrist|foot|feet|hand|knee|nose|collarbone|toe|finger|thumb|rib|ribs|shoulder|hip|back|neck|elbow"
    r"|hamstring|achilles|calf|heel|tooth|head|thigh|shin|groin)"
)

# Excludes objects that only point: "made it".
NO_POINTER: Final = (
    r"(?!(?:today|yesterday|it|that|this|these|those|them|him|her|his|their|its|you|your|us|there|here|one|so|what"
    r"|how|why|when|where"
    r"|something|anything|everything|nothing|someone|stuff|things|all|both|more|§)\b(?!'s))"
)


@lru_cache(maxsize=1)
def subject_stems() -> frozenset[str]:
    """Return the stems of words that are a topic alone: the strong words of the domains."""
    plain = (line.partition(":")[2].partition("|")[0] for line in lines_of("domains.txt"))
    return frozenset(stem(word.removeprefix("=")) for words in plain for word in words.split())


@lru_cache(maxsize=50_000)
def is_content(word: str) -> bool:
    """Tell if a word, as returned by ``wording.bare``, can be a topic."""
    if len(word) < 2 or word in STOP_WORDS or word[0].isdigit():
        return False
    root = stem(word)
    return root not in vague_stems() and (root not in FORMULA or root in subject_stems())


_SHE: Final = "mother|mom|mum|mommy|sister|wife|girlfriend|daughter|aunt|grandmother|grandma|granny|niece|fiancée"
_HE: Final = "father|dad|daddy|brother|husband|boyfriend|son|uncle|grandfather|grandpa|nephew|fiancé"
_EITHER: Final = (
    "friend|best friend|buddy|colleague|coworker|co-worker|boss|neighbour|neighbor|roommate|flatmate|"
    "partner|teacher|coach|mentor|therapist|doctor|cousin|puppy|pup|dog|cat|kitten|pet|landlady|landlord|"
    "teammate"
)

KIN: Final = rf"{_SHE}|{_HE}|{_EITHER}"

_NAMED: Final = regex(
    rf"\b(?P<owner>[Mm]y|[Oo]ur)\s+(?:[a-z-]+\s+){{0,2}}?(?P<kin>{KIN})\b(?:,?\s+(?P<name>[A-Z][a-zà-ÿ]+))?"
    rf"|\b(?P<kin2>{KIN})\b[^.,;]{{0,20}}?\s(?:named|called)\s+(?P<name2>[A-Z][a-zà-ÿ]+)"
)
_SHE_NAMED: Final = regex(rf"(?:{_SHE}|landlady)$")
_HE_NAMED: Final = regex(rf"(?:{_HE}|landlord)$")
_OPENS: Final = regex(r"^(?P<who>She|He|Her|His)(?P<clitic>'(?:s|ll|d))?(?=\s)")
_MANY: Final = regex(r"\b(?:she|he|him|his|her|they|them|their)\b", re.IGNORECASE)


def person_named(sentence: str) -> tuple[str, str] | None:
    """Return the name and the role of the one relative, friend or pet in a sentence; None unless there is one."""
    found = list(_NAMED.finditer(sentence))
    if len(found) != 1:
        return None
    one = found[0]
    kin = one["kin"] or one["kin2"]
    name = one["name"] or one["name2"]
    return name or f"{one['owner'].lower()} {kin}", kin


def with_person(sentence: str, before: str) -> str | None:
    """Return a sentence with its opening "she" or "he" resolved by the sentence before; None if unsafe."""
    opening = _OPENS.match(sentence)
    if opening is None:
        return None
    who = person_named(before)
    if who is None:
        return None
    name, kin = who
    she = opening["who"] in ("She", "Her")
    if (_HE_NAMED if she else _SHE_NAMED).search(kin):
        return None
    owned = opening["who"] == "His" or (opening["who"] == "Her" and not opening["clitic"])
    said = f"{name}'s" if owned else name + (opening["clitic"] or "")
    return said[0].upper() + said[1:] + sentence[opening.end() :]
