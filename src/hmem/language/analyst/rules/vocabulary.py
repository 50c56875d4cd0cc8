"""The words that the rules for notes know, and what a rule is."""

import re
from dataclasses import dataclass
from typing import Final

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
    """A way to word a claim, behind a verb: ``value`` matches from there on; a group ``v`` in it is the value.

    Without such a group the value is the noun phrase from the end of the match on; ``bare``: without its articles. A
    date is when it began (``lasting``) or when it was (``dated``). ``text`` words the claim from ``{s}`` (subject),
    ``{v}`` (value), ``{verb}``, ``{m}`` (what matched), ``{to}`` ("to " before a verb) and ``{n}`` ("does not ");
    without a text there is no claim.
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
    return Rule(slot, re.compile(value, re.IGNORECASE), text, kind, **more)


FEW: Final = r"(?:(?!(?:for|of|to|with|and|or|like|about|in|on|at|from|the|love|is|was)\b)[\w'+-]+ ){0,3}?"

NAMED: Final = r"(?:,? (?:named|called|whose name is)? ?(?-i:[A-Z][a-z]+)\b(?: and (?-i:[A-Z][a-z]+)\b)?)?"

COUNT: Final = r"(?:an?|one|two|three|four|five|six|\d+|another)"

PLACE: Final = r"(?:the )?(?P<v>(?-i:[A-Z])[\w'.-]*(?:,? (?:(?:of|de|la|del|and) )?(?-i:[A-Z])[\w'.-]*){0,4})"

OPTIONAL: Final = r"(?:really |always |so |also |a (?:big|huge|massive) )?"

THING: Final = (
    r"(?=(?:an?|the|this|§'s|another|some|two|three|four|five|six|\d+|several)\s)(?!(?:another|this|some) "
    r"(?:at|in|of|on|from|to|with|is|was|stuff|things?|people|one|of)\b)(?!(?:an? )?(?:lot|bunch|bit|good "
    r"time|great time|blast|few|while|difference|break|chance|look|sense|point|decision|mistake|progress|"
    r"way|fun|hard time|the way|impact|big impact|feeling|same|one)\b)(?!the (?:time|way|best|chance|"
    r"courage|plunge|same|most|first time|opportunity|most of)\b)"
)

TITLE: Final = r"(?P<v>\"[^\"]{2,80}\"(?: by (?-i:[A-Z])[\w.']*(?: (?-i:[A-Z])[\w.']*){0,3})?)"

TITLED: Final = r"(?P<v>(?-i:[A-Z])[\w'.-]+(?: (?:of|the|and|in|a|to|for|(?-i:[A-Z])[\w'.-]*)){1,6})"
