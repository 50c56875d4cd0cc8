"""The words that the rules for notes know, and what a rule is."""

import re
from dataclasses import dataclass
from typing import Final

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

# Things that people have or buy, and that are worth knowing.
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
# ... and what stands behind such a word when it is only the first half of another: "a car park".
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

# Behind an object that only points: "made it".
NO_POINTER: Final = (
    r"(?!(?:today|yesterday|it|that|this|these|those|them|him|her|his|their|its|you|your|us|there|here|one|so|what"
    r"|how|why|when|where"
    r"|something|anything|everything|nothing|someone|stuff|things|all|both|more|§)\b(?!'s))"
)
