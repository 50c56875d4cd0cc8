"""How claims are worded: for each verb, the slots that it fills, and the words that a value of a slot may be.

The vocabulary of slots is small and open: pet, job, employer, home, hometown, birthplace, partner, child, sibling, parent,
friend, relation (whose sister a person is), name, age, birthday, diet, allergy, health, fear, likes (also what is not liked,
as a claim that is not positive), favourite X, hobby, plays, owns, plan, goal, project, studies, reading, membership, language,
belief, habit, trip, event.
"""

import re
from collections.abc import Mapping
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
PARENTS: Final = r"(?:mother|mom|mum|father|dad)"
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
    r"(?:(?!(?:fan|lover|for|of|to|with|and|or|like|better|great|good|as|bit|such|so|very|little|"
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
SUBJECTS: Final = r"(?:[\w-]+ ){0,2}"


@dataclass(frozen=True, slots=True)
class Rule:
    """A way to word a claim, behind a verb: ``value`` matches from there on; a group ``v`` in it is the value.

    Without such a group the value is the noun phrase from the end of the match on. ``lasting``: from a date on; otherwise
    the date is when it was so. ``text`` words the claim from ``{s}`` (subject), ``{v}`` (value) and ``{n}`` ("does not ").
    """

    slot: str
    value: re.Pattern[str]
    text: str
    kind: NoteKind = "fact"
    positive: bool = True
    lasting: bool = False
    dated: bool = False
    bare: bool = True


def _rule(slot: str, value: str, text: str, kind: NoteKind = "fact", **more: bool) -> Rule:
    return Rule(slot, re.compile(value, re.IGNORECASE), text, kind, **more)


_FEW: Final = r"(?:(?!(?:for|of|to|with|and|or|like|about|in|on|at|from|the|love|is|was)\b)[\w'+-]+ ){0,3}?"
_NAMED: Final = r"(?:,? (?:named|called|whose name is)? ?(?-i:[A-Z][a-z]+)\b(?: and (?-i:[A-Z][a-z]+)\b)?)?"
_COUNT: Final = r"(?:an?|one|two|three|four|five|six|\d+|another)"
_PLACE: Final = r"(?:the )?(?P<v>(?-i:[A-Z])[\w'.-]*(?:,? (?:(?:of|de|la|del|and) )?(?-i:[A-Z])[\w'.-]*){0,4})"
_OPTIONAL: Final = r"(?:really |always |so |also |a (?:big|huge|massive) )?"

_LIKES: Final = (
    _rule(
        "likes",
        (
            r"(?:to be |to see|to hear|to have|seeing|hearing|having|being|knowing|it|that|this|how|when|what|the "
            r"idea|you|the way|about|all the|each other|one another|(?-i:[A-Z])[\w-]+'s|the (?!ocean|beach|sea|"
            r"outdoors|mountains?|rain|snow|sun|city|countryside|forest|woods|desert|freedom|(?-i:[A-Z])|theat|"
            r"smell of|sound of|feeling of|process of|taste of|arts?\b))"
        ),
        "",
        bare=False,
    ),
    _rule("likes", r"", "{s} {n}{verb} {v}", "preference"),
)
_WORK: Final = (
    _rule(
        "employer",
        (
            r"(?:for|at|with) (?P<v>(?:an? |the )?(?:[\w'-]+ ){0,4}?(?:company|firm|startup|start-up|hospital|"
            r"school|university|archive|museum|library|restaurant|café|cafe|bank|shelter|agency|studio|office|"
            r"clinic|shop|store|bakery|lab|hotel))\b"
        ),
        "{s} {n}works at {v}",
        "profile",
        bare=False,
    ),
    _rule(
        "employer",
        r"(?:for|at) (?P<v>(?-i:[A-Z])[\w'&.-]*(?: (?-i:[A-Z])[\w'&.-]*){0,3})",
        "{s} {n}works at {v}",
        "profile",
    ),
    _rule("job", rf"as an? (?P<v>{JOBS})\b", "{s} {n}works as a {v}", "profile"),
    _rule(
        "job",
        (
            r"in (?P<v>(?:[\w&-]+ ){0,2}(?:finance|marketing|sales|it|tech|healthcare|education|construction|"
            r"retail|banking|hospitality|publishing|insurance|journalism|advertising|engineering|hr|logistics|"
            r"real estate))\b"
        ),
        "{s} {n}works in {v}",
        "profile",
    ),
    _rule("project", r"on (?=(?:an?|the|§'s) )", "{s} {n}is working on {v}", dated=True, bare=False),
)
_HOME: Final = (
    _rule(
        "home",
        rf"(?:in|near|outside(?: of)?|to|back to|down to|over to) {_PLACE}",
        "{s} {n}lives in {v}",
        "profile",
        lasting=True,
    ),
)
_GET: Final = (
    _rule(
        "pet",
        (
            rf"(?P<v>(?:{_COUNT}|§'s|the|some) {_FEW}{PETS}{_NAMED})\b(?! (?:park|show|food|sitter|shelter|toy|bed|"
            r"walker|house|picture|photo|treats?|stuff|costume|mug|lover))"
        ),
        "{s} {n}has {v}",
        "profile",
        lasting=True,
        bare=False,
    ),
)
_BUY: Final = (
    *_GET,
    _rule(
        "owns",
        (
            r"(?:§'s (?:first |new |own )|an? |the |some )(?P<v>(?:[\w-]+ ){0,3}?(?:car|house|home|apartment|flat|"
            r"bike|bicycle|motorcycle|truck|van|boat|camera|guitar|piano|laptop|computer|console|phone|telescope|"
            r"drone|tent|kayak|keyboard|tablet|printer|mansion|condo|cabin|studio|shop|store|van|camper|farm|"
            r"violin|drum set|collection|garden|stand mixer|sewing machine|3d printer|switch|playstation|xbox|"
            r"gaming pc|pc|kitchen mixer|bookcase|bookshelf))\b(?! (?:park|show|club|party|ride|trip|loan|"
            r"insurance|warming|rental|book|case|lens|game|games|cover|class|lesson|lessons|owners?))"
        ),
        "{s} {n}has a {v}",
        lasting=True,
    ),
)
_TRIP: Final = (
    _rule("trip", rf"(?:to|in|through|around) {_PLACE}", "{s} {n}went to {v}", dated=True),
    _rule(
        "trip",
        (
            r"(?:on )(?P<v>an? (?:[\w-]+ ){0,2}(?:trip|vacation|cruise|safari|retreat|honeymoon|getaway)(?: (?:to|"
            r"in|around|through|across) (?:the )?(?-i:[A-Z])[\w'.-]*(?: (?-i:[A-Z])[\w'.-]*){0,3})?)"
        ),
        "{s} {n}went on {v}",
        dated=True,
        bare=False,
    ),
)
_VISIT: Final = (_rule("trip", _PLACE, "{s} {n}visited {v}", dated=True),)
_STUDY: Final = (
    _rule(
        "studies",
        (
            r"(?:to be an? |to become an? |for an? )?(?!hard\b|a lot|more\b|together)(?P<v>(?:[\w-]+ "
            r"){0,2}[\w-]{4,})(?= at\b| in\b|[.,!]|$| this\b| and\b| right\b| for\b)"
        ),
        "{s} {n}studies {v}",
        "profile",
        dated=True,
    ),
)
_LEARN: Final = (
    _rule("plays", rf"(?:to play |how to play )(?P<v>{GAMES})\b", "{s} is learning {v}", "profile", dated=True),
    _rule(
        "plays",
        (
            r"(?P<v>(?:the )?(?:(?:acoustic|electric|bass) )?(?:piano|guitar|violin|cello|drums?|ukulele|"
            r"accordion|flute|saxophone|harp))\b"
        ),
        "{s} is learning {v}",
        "profile",
        dated=True,
    ),
    _rule(
        "language", rf"(?:to speak |how to speak )?(?P<v>{LANGUAGES})\b", "{s} is learning {v}", "profile", dated=True
    ),
    _rule(
        "hobby",
        (
            r"(?:how to |to )(?P<v>(?:cook|bake|surf|swim|ski|knit|sew|paint|draw|dance|code|sail|dive|juggle|"
            r"skate|snowboard|garden|crochet|climb|meditate|program|drive|ride a horse|make pottery)\b)"
        ),
        "{s} is learning to {v}",
        dated=True,
    ),
)
_BELONG: Final = (
    _rule(
        "membership",
        (
            r"(?P<v>(?:an?|the|§'s) (?:[\w'+-]+ ){0,4}(?:gym|club|team|choir|band|group|league|orchestra|"
            r"community|church|organization|organisation|society|class|program|programme|troupe|network|forum|"
            r"association|crew|studio|squad))\b(?! (?:project|member|event|activit))"
        ),
        "{s} {n}joined {v}",
        lasting=True,
        bare=False,
    ),
)
_SIGN_UP: Final = (
    _rule("plan", r"up for (?=(?:an?|the|some|another|§'s) )", "{s} {n}signed up for {v}", dated=True, bare=False),
)
_START: Final = (
    _rule(
        "hobby",
        (
            r"(?:to |doing |learning )?(?P<v>(?:painting|drawing|pottery|yoga|running|jogging|swimming|hiking|"
            r"climbing|surfing|skiing|gardening|baking|cooking|knitting|crocheting|dancing|cycling|photography|"
            r"journaling|meditating|meditation|boxing|kickboxing|pilates|writing|blogging|streaming|birdwatching|"
            r"woodworking|weightlifting|weight training|strength training|martial arts|karate|judo|aerial yoga|"
            r"kundalini yoga|volunteering|reading|skateboarding|snowboarding|calligraphy|origami|bouldering|"
            r"archery|fencing))\b(?! (?:a|an|the|§|this|for|about|down|from|classes?|business|again|more|his|her|"
            r"their|to|on|up) ?)"
        ),
        "{s} {n}started {v}",
        dated=False,
        lasting=True,
    ),
    _rule(
        "job",
        (
            r"(?P<v>§'s own (?:[\w-]+ ){0,3}(?:business|company|shop|store|studio|brand|firm|startup|blog|channel|"
            r"restaurant|café|bakery|agency|line))\b"
        ),
        "{s} {n}started {v}",
        "profile",
        lasting=True,
        bare=False,
    ),
    _rule(
        "job",
        r"(?P<v>(?:an? )(?:[\w-]+ ){0,3}(?:business|company|shop|store|dance studio|startup|bakery|agency))\b",
        "{s} {n}started {v}",
        "profile",
        lasting=True,
        bare=False,
    ),
    *_LEARN,
    _rule(
        "event",
        (
            r"(?P<v>(?:an?|the|§'s) (?:(?!(?:for|of|to|with|and|or|like|about)\b)[\w'-]+ ){0,3}?(?:class|classes|"
            r"course|job|project|blog|channel|club|group|campaign|book|novel|series|program|training|internship|"
            r"diet|garden|collection|podcast|degree|petition|fundraiser|journal|website|screenplay|script|"
            r"semester|tour))\b"
        ),
        "{s} {n}started {v}",
        dated=True,
        bare=False,
    ),
)
_PLAN: Final = (
    _rule(
        "plan",
        (
            r"(?:to|on|for) (?=(?!be |do |make |keep |see |have (?:a lot |some )?fun|stay |get |it|that|this|"
            r"continue|try |take it|go for it|give |find |share |help |let ))"
        ),
        "{s} {n}plans {to}{v}",
        dated=True,
        bare=False,
    ),
)
_GOAL: Final = (
    _rule(
        "goal",
        r"to (?P<v>(?:become|be) (?:an? |the )(?:[\w-]+ ?){1,5})",
        "{s} {n}wants to {v}",
        dated=False,
        bare=False,
    ),
    _rule(
        "goal",
        (
            r"to (?=(?:open|start|write|publish|adopt|learn|visit|travel|move|buy|run for|study|build|launch|own|"
            r"volunteer|climb|study|record|compete|qualify|direct|marry|explore|teach|win|finish|expand|apply|get "
            r"(?:a|an|into|married|certified|promoted)|go (?:to|back to)|join|host|organize|organise|set up|"
            r"create|work (?:as|with|in|on|at)) (?!it\b|that\b|this\b|them\b|him\b|her\b|one\b))"
        ),
        "{s} {n}wants to {v}",
        bare=False,
    ),
)
_QUIT: Final = (
    _rule(
        "job",
        r"§'s (?P<v>(?:[\w-]+ ){0,2}job(?: (?:as|at) (?:an? )?[\w-]+(?: [A-Z][\w-]*)?)?)\b",
        "{s} left the {v}",
        "profile",
        positive=False,
        dated=True,
    ),
    _rule(
        "habit",
        (
            r"(?P<v>smoking|drinking|vaping|sugar|coffee|caffeine|alcohol|soda|meat|gluten|dairy|social media|"
            r"sweets|cigarettes)\b"
        ),
        "{s} gave up {v}",
        positive=False,
        lasting=True,
    ),
)
_LOST: Final = (
    _rule(
        "job",
        r"§'s (?P<v>(?:[\w-]+ ){0,2}job(?: (?:as|at) (?:an? )?[\w-]+(?: (?-i:[A-Z])[\w-]*)?)?)\b",
        "{s} lost the {v}",
        "profile",
        positive=False,
        dated=True,
    ),
)
_SOLD: Final = (
    _rule(
        "owns",
        (
            r"§'s (?:old |beloved )?(?P<v>(?:[\w-]+ ){0,2}?(?:car|house|home|apartment|flat|bike|bicycle|"
            r"motorcycle|truck|van|boat|camera|guitar|piano|laptop|shop|business|company))\b"
        ),
        "{s} no longer has the {v}",
        positive=False,
        dated=True,
    ),
)
_IS: Final = (
    _rule(
        "allergy",
        r"(?:very |really |severely |mildly |highly |deathly |super |so |quite |also )*allergic to ",
        "{s} is {n}allergic to {v}",
        "profile",
    ),
    _rule("diet", rf"(?:an? |a strict )?(?P<v>{DIETS})\b", "{s} is {n}{v}", "profile"),
    _rule(
        "likes",
        (
            rf"{_OPTIONAL}(?:an? (?:\w+ )?fan of|fond of|into|passionate about|obsessed with|crazy about|keen on|"
            r"hooked on|addicted to|interested in|a sucker for) (?!it\b|that\b|this\b|them\b)"
        ),
        "{s} is {n}fond of {v}",
        "preference",
    ),
    _rule(
        "fear",
        r"(?:really |so |very |kind of |kinda |a bit |super )*(?:afraid|scared|terrified) of (?!it\b|that\b|this\b)",
        "{s} is {n}afraid of {v}",
        "preference",
    ),
    _rule(
        "age",
        (
            r"(?:now |already )?(?P<v>\d{1,2}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty)(?:-\w+)?)(?: "
            r"years old| now|$|[.!])"
        ),
        "{s} is {v} years old",
        "profile",
        lasting=False,
        dated=False,
    ),
    _rule(
        "partner",
        (
            r"(?P<v>married(?: to (?-i:[A-Z])[a-z]+)?|engaged(?: to (?-i:[A-Z])[a-z]+)?|divorced|widowed|"
            r"single)(?= |[.,!]|$)(?! (?:biggest|most|best|thing|day|parent|with|in the))"
        ),
        "{s} is {n}{v}",
        "profile",
    ),
    _rule(
        "partner", r"(?:dating|seeing) (?P<v>(?-i:[A-Z])[a-z]+|someone(?: new)?)\b", "{s} is {n}dating {v}", "profile"
    ),
    _rule(
        "home",
        rf"(?:currently |now )?(?:living|based|moving|relocating) (?:in|to|back to) {_PLACE}",
        "{s} {n}lives in {v}",
        "profile",
    ),
    _rule("hometown", rf"(?:originally )?from {_PLACE}", "{s} is {n}from {v}", "profile"),
    _rule("birthplace", rf"born (?:and raised )?in {_PLACE}", "{s} was born in {v}", "profile"),
    _rule("birthday", r"born (?:on|in) (?P<v>(?:the )?[\w ,]*\d[\w ,]*)", "{s} was born on {v}", "profile"),
    _rule("health", r"diagnosed with ", "{s} was {n}diagnosed with {v}", "profile", dated=True),
    _rule(
        "job",
        rf"(?:an?|currently an?|now an?) (?P<v>{JOBS})\b(?! (?:of|at heart|to|by nature|in|for (?!a )))",
        "{s} is {n}a {v}",
        "profile",
    ),
    _rule(
        "studies",
        (
            r"(?:currently |still |now )?(?:studying|majoring in|doing a degree in|getting a degree in) (?!hard|"
            r"for|abroad|a lot|at)"
        ),
        "{s} {n}studies {v}",
        "profile",
    ),
    _rule(
        "project",
        (
            r"(?:currently |still |now |also |really |busy )*(?:working on|writing|building|developing|designing) "
            r"(?=(?:an?|another|§'s|the) )"
        ),
        "{s} is {n}working on {v}",
        dated=True,
        bare=False,
    ),
    _rule(
        "plan",
        (
            r"(?:also |still |currently |now )?(?:planning|training|preparing|saving(?: up)?|getting ready|"
            r"gearing up) (?:on |for |to )(?=(?!it\b|that\b|this\b|do\b|make\b|be\b|something|my ))"
        ),
        "{s} is {n}planning {to}{v}",
        dated=True,
        bare=False,
    ),
    _rule(
        "plan",
        (
            r"(?:also |still |currently |now )?(?:going|off|heading|flying|traveling|travelling) (?:to|on) "
            r"(?=(?:an?|the|§'s) (?:[\w-]+ ){0,2}(?:conference|convention|wedding|concert|festival|retreat|trip|"
            r"vacation|tournament|workshop|camp|cruise|seminar|class|exhibition|game|race|marathon)\b|"
            r"(?-i:[A-Z])[a-z]+)"
        ),
        "{s} is {n}going to {v}",
        dated=True,
        bare=False,
    ),
    _rule(
        "expecting",
        r"(?:expecting|pregnant with) (?P<v>(?:an?|§'s|her|twins)(?: [\w-]+){0,2}(?:baby|child|boy|girl|twins)?)\b",
        "{s} is {n}expecting {v}",
        "profile",
        dated=True,
    ),
    _rule(
        "habit",
        (
            r"(?:an? )(?P<v>early bird|night owl|morning person|bookworm|homebody|foodie|early riser|people "
            r"person|gamer|smoker|introvert|extrovert|perfectionist|minimalist)\b"
        ),
        "{s} is {n}a {v}",
        "preference",
    ),
)
_HELD: Final = (
    _rule(
        "event",
        (
            r"(?P<v>(?:an?|the|some|§'s|two) (?:(?!(?:for|of|to|with|and|or|like|about|time)\b)[\w'-]+ "
            r"){0,3}?(?:party|picnic|dinner|lunch|breakfast|wedding|meeting|audition|interview|accident|gathering|"
            r"concert|speech|presentation|workshop|surgery|operation|exam|check-?up|appointment|ceremony|reunion|"
            r"barbecue|bbq|sleepover|baby shower|photoshoot|photo shoot|performance|recital|date|call-out|setback|"
            r"injury|baby|get-together|fundraiser|tournament|competition|show|exhibition|campaign|event|series of "
            r"events))\b(?! for granted)"
        ),
        "{s} {n}{verb} {v}",
        dated=True,
        bare=False,
    ),
)
_HAS: Final = (
    *_GET,
    _rule(
        "child",
        (
            rf"(?P<v>(?:{_COUNT}|some|beautiful|wonderful) (?:[\w-]+ ){{0,2}}?(?<!young )(?<!the "
            rf"){CHILDREN}{_NAMED})\b(?! (?:at|in|from|who (?:come|visit)))"
        ),
        "{s} {n}has {v}",
        "profile",
        bare=False,
    ),
    _rule(
        "sibling",
        rf"(?P<v>{_COUNT} (?:[\w-]+ ){{0,2}}?{SIBLINGS}{_NAMED})\b(?!-in)",
        "{s} {n}has {v}",
        "profile",
        bare=False,
    ),
    _rule("partner", rf"(?P<v>an? (?:[\w-]+ )?{PARTNERS}{_NAMED})\b", "{s} {n}has {v}", "profile", bare=False),
    *_HELD,
    _rule(
        "allergy", r"(?P<v>an? (?:[\w-]+ ){0,2}allerg(?:y|ies)(?: to [\w ]+)?)", "{s} {n}has {v}", "profile", bare=False
    ),
    _rule("health", rf"(?P<v>{ILLNESSES})\b", "{s} {n}has {v}", "profile", bare=False),
    _rule(
        "studies",
        r"(?P<v>an? (?:[\w'-]+ ){0,2}(?:degree|diploma|phd|master's|bachelor's|doctorate)(?: in [\w ]+)?)",
        "{s} {n}has {v}",
        "profile",
        bare=False,
    ),
    _BUY[-1],
    _rule(
        "goal",
        (
            r"(?:always )?(?:wanted|dreamed|dreamt) (?:to|of) (?P<v>(?:becom|be|open|writ|visit|learn|travel|"
            r"start|own|publish|see|go)[\w]* (?:an?|the|§'s|to|in|(?-i:[A-Z]))[^.,!?;:()]{2,50}?)(?=[.,!?;:(]|$| "
            r"and\b| but\b| since\b| so\b)"
        ),
        "{s} has {n}wanted to {v}",
        bare=False,
    ),
    _rule("partner", r"been (?P<v>married|engaged|together|divorced)\b", "{s} is {n}{v}", "profile", lasting=True),
    _rule("home", rf"(?:been living|lived|been) in {_PLACE}", "{s} {n}lives in {v}", "profile", lasting=True),
    _rule("job", rf"been an? (?P<v>{JOBS})\b", "{s} is {n}a {v}", "profile", lasting=True),
    _rule("plays", rf"been playing (?P<v>{GAMES})\b", "{s} plays {v}", "profile", lasting=True),
    _rule("trip", rf"(?:been|traveled|travelled|gone) to {_PLACE}", "{s} has {n}been to {v}", dated=True),
    _rule(
        "hobby",
        (
            r"been (?:into )?(?P<v>painting|drawing|surfing|climbing|knitting|gardening|running|dancing|swimming|"
            r"skiing|hiking|cycling|baking|boxing)(?= for| since)"
        ),
        "{s} {n}does {v}",
        lasting=True,
    ),
)
_OWNS: Final = (
    *_GET,
    _rule(
        "owns",
        r"(?=(?:an?|two|three|§'s) )(?!an? (?:lot|bunch|chance|good|great|\w+ (?:time|day|chance)))",
        "{s} {n}owns {v}",
        lasting=True,
    ),
)
_PLAYS: Final = (_rule("plays", rf"(?P<v>{GAMES})\b", "{s} {n}plays {v}", "profile"),)
_HABIT: Final = (
    _rule(
        "habit",
        (
            r"(?P<v>(?:running|jogging|hiking|swimming|cycling|climbing|surfing|camping|fishing|bowling|biking|"
            r"skiing|kayaking|dancing|horseback riding|birdwatching)\b|to the (?:gym|pool|library|beach|church|"
            r"park|museum|movies|theatre|theater|spa|sauna)\b|for (?:a )?(?:walks?|runs?|hikes?|swims?|jogs?|bike "
            r"rides?|rides?)\b)(?! (?:lately|alone))"
        ),
        "{s} {n}goes {v}",
        "preference",
    ),
)
_GO: Final = (
    _rule(
        "event",
        (
            r"to (?P<v>(?:an?|the|§'s) (?:[\w'-]+ ){0,3}?(?:beach|park|castle|zoo|aquarium|theatre|theater|cinema|"
            r"gallery|library|market|farm|lake|river|mountains?|forest|hospital|vet|dentist|doctor|shelter|"
            r"stadium|restaurant|café|cafe|bar|club|lighthouse|waterfall|temple|bakery|spa|gym|church|animal "
            r"shelter|open mic|open house|fundraiser|game|match|race|auction|lecture|talk|screening|premiere|"
            r"launch))\b(?! shoes)"
        ),
        "{s} {n}went to {v}",
        dated=True,
        bare=False,
    ),
    _rule("trip", rf"(?:to|back to|through|around) {_PLACE}", "{s} {n}went to {v}", dated=True),
    _rule(
        "event",
        (
            r"to (?P<v>(?:an?|the|§'s) (?:[\w'+&-]+ ){0,4}?(?:concert|festival|wedding|conference|convention|"
            r"workshop|parade|funeral|museum|exhibition|show|retreat|tournament|fair|meetup|meeting|reunion|party|"
            r"class|camp|support group|event|seminar|gala|rally))\b"
        ),
        "{s} {n}went to {v}",
        dated=True,
        bare=False,
    ),
    *_TRIP[1:],
    _rule(
        "event",
        (
            r"(?P<v>(?:camping|hiking|surfing|skiing|kayaking|snorkeling|fishing|climbing|swimming|bowling|"
            r"snowboarding|biking|skydiving))\b"
        ),
        "{s} {n}went {v}",
        dated=True,
    ),
)
_MADE: Final = (
    _rule(
        "event",
        (
            r"(?P<v>(?:§'s |an? |the |another )(?:(?!(?:for|of|to|with|and|or|idea|chance)\b)[\w-]+ "
            r"){0,4}?(?:degree|screenplay|script|novel|book|album|marathon|course|certificate|certification|"
            r"painting|thesis|phd|master's|race|tournament|competition|contest|championship|award|scholarship|"
            r"promotion|election|trophy|medal|prize|grant|exam|license|licence|test|interview))\b(?! (?:of|about) "
            r"(?:it|that))"
        ),
        "{s} {n}{verb} {v}",
        dated=True,
        bare=False,
    ),
)
_BREAK: Final = (
    _rule(
        "partner",
        r"up with (?P<v>§'s (?:girlfriend|boyfriend|partner|fianc[ée]e?)|(?-i:[A-Z])[a-z]+)\b",
        "{s} broke up with {v}",
        "profile",
        positive=False,
        dated=True,
        bare=False,
    ),
    _rule(
        "health",
        (
            r"(?P<v>§'s (?:left |right )?(?:arm|leg|ankle|wrist|foot|hand|knee|nose|collarbone|toe|finger|rib|"
            r"shoulder|hip))\b"
        ),
        "{s} broke {v}",
        dated=True,
        bare=False,
    ),
)
_GOT: Final = (
    *_BUY,
    _rule(
        "partner",
        r"(?P<v>married|engaged|divorced)(?: to (?-i:[A-Z])[a-z]+)?\b",
        "{s} got {v}",
        "profile",
        dated=False,
        lasting=True,
    ),
    _rule(
        "job",
        (
            r"(?P<v>(?:an?|the|§'s) (?:[\w-]+ ){0,3}(?:job|internship|promotion|position|gig))(?: (?:as|at|with) "
            r"[\w ]+?)?(?=[.,!]| and\b| in\b| this\b| last\b|$)"
        ),
        "{s} got {v}",
        dated=True,
        bare=False,
    ),
    _rule(
        "event",
        (
            r"(?P<v>(?:§'s |an? |the |some )(?:(?!(?:for|of|to|with|and|or|idea|chance)\b)[\w-]+ ){0,3}?(?:deals?|"
            r"endorsements?|endorsement deals?|contract|sponsorship|sponsor|offer|email|letter|invitation|haircut|"
            r"call|raise|ticket|tickets|degree|certificate|certification|award|scholarship|license|licence|tattoo|"
            r"piercing|diploma|medal|trophy|prize|grant|phd))\b"
        ),
        "{s} {n}got {v}",
        dated=True,
        bare=False,
    ),
)
_BELIEF: Final = (
    _rule(
        "belief",
        r"in (?!it|that|this|you|them|§|him|her|me|us|what|how|myself|themselves|your)",
        "{s} {n}believes in {v}",
        "preference",
    ),
    _rule("belief", r"that (?P<v>[^.!?;:\"§]{12,100})", "{s} {n}believes that {v}", "preference", bare=False),
)

_THING: Final = (
    r"(?=(?:an?|the|this|§'s|another|some|two|three|four|five|six|\d+|several)\s)(?!(?:another|this|some) "
    r"(?:at|in|of|on|from|to|with|is|was|stuff|things?|people|one|of)\b)(?!(?:an? )?(?:lot|bunch|bit|good "
    r"time|great time|blast|few|while|difference|break|chance|look|sense|point|decision|mistake|progress|"
    r"way|fun|hard time|the way|impact|big impact|feeling|same|one)\b)(?!the (?:time|way|best|chance|"
    r"courage|plunge|same|most|first time|opportunity|most of)\b)"
)
_TITLE: Final = r"(?P<v>\"[^\"]{2,80}\"(?: by (?-i:[A-Z])[\w.']*(?: (?-i:[A-Z])[\w.']*){0,3})?)"
_TITLED: Final = rf"(?P<v>(?-i:[A-Z])[\w'.-]+(?: (?:of|the|and|in|a|to|for|(?-i:[A-Z])[\w'.-]*)){{1,6}})"
_DONE: Final = (
    _rule("event", _TITLE, "{s} {n}{verb} {v}", dated=True, bare=False),
    _rule("event", _THING, "{s} {n}{verb} {v}", dated=True, bare=False),
)
_SEEN: Final = (*_DONE[:1], _rule("event", _TITLED, "{s} {n}{verb} {v}", dated=True), _DONE[1])
_MET: Final = (
    _rule(
        "friend",
        r"(?P<v>(?-i:[A-Z])[a-z]+(?: and (?-i:[A-Z])[a-z]+| (?-i:[A-Z])[a-z]+)?)\b",
        "{s} {n}met {v}",
        dated=True,
    ),
    _DONE[1],
)
_TAKEN: Final = (
    _rule(
        "event",
        r"(?P<v>part in (?:an?|the|§'s) [^.,!?;:()\"]{4,60}?)(?=[.,!(]|$| and\b| last\b| with\b| on\b)",
        "{s} took {v}",
        dated=True,
        bare=False,
    ),
    _rule(
        "event",
        (
            r"(?P<v>(?:an?|the|§'s) (?:[\w'-]+ ){0,4}?(?:trip|class|course|vacation|lessons?|workshop|exam|test|"
            r"job|road trip|sabbatical|semester|bus tour|tour)(?: (?:to|in|on|for|across|around|about|with) "
            r"(?:(?!last|this|next)[\w'§-]+ ?){1,4})?)(?=[.,!(]|$| and\b| last\b| this\b| with\b| on\b| -)"
        ),
        "{s} took {v}",
        dated=True,
        bare=False,
    ),
)
_BESIDE: Final = (
    _rule(
        "event",
        (
            r"(?P<v>(?:at|in|for|with|as) (?:an?|the|§'s) [^.,!?;:()\"§]{4,60}?)(?=[.,!(]|$| and\b| last\b| "
            r"this\b| next\b| on\b| yesterday\b| to\b| -| which\b| that\b| where\b| but\b| because\b)"
        ),
        "{s} {n}{verb} {v}",
        dated=True,
        bare=False,
    ),
)
_THINKING: Final = (
    _rule(
        "plan",
        (
            r"(?:of|about) (?=(?:getting|buying|starting|joining|taking|moving|going|trying|opening|adopting|"
            r"visiting|learning|writing|selling|applying|volunteering|working|studying|running|making|creating|"
            r"adding|hosting|organi[sz]ing|launching|signing)\b(?! (?:it|that|this)\b))"
        ),
        "{s} is {n}thinking about {v}",
        dated=True,
        bare=False,
    ),
)
_ABOUT_TO: Final = (
    _rule(
        "plan",
        (
            r"to (?=(?!be\b|do\b|make it|keep|see\b|have\b|stay|get\b(?! (?:a|an|the|some|married|§'s)\b)|it|that|"
            r"this|continue|try\b|give\b|find\b|share|help|let|need|use|miss|love|enjoy|look|think|put|say|tell|"
            r"show|pay|bring|work on it|talk|check|feel|seem|really|just|work out|show|take (?:it|care|that|some)|"
            r"go for it|crush|kill|rock|know|remember|want|like|prove|ask|become better)[a-z]+ (?!it\b|that\b|"
            r"this\b|them\b|him\b|her\b))"
        ),
        "{s} is {n}going to {v}",
        dated=True,
        bare=False,
    ),
)
_DOING: Final = (_rule("project", _THING, "{s} is {n}{verb} {v}", dated=True, bare=False),)
_READING: Final = (
    _rule("reading", _TITLE, "{s} is {n}reading {v}", dated=True, bare=False),
    _rule("reading", _TITLED, "{s} is {n}reading {v}", dated=True),
    _rule("reading", _THING, "{s} is {n}reading {v}", dated=True, bare=False),
)
_TAKING: Final = (
    _rule(
        "studies",
        r"(?P<v>(?:an?|some|§'s)? ?(?:[\w'-]+ ){0,3}?(?:class|classes|course|courses|lessons|workshop|workshops))\b",
        "{s} is {n}taking {v}",
        dated=True,
        bare=False,
    ),
)
_LOOKING: Final = (
    _rule(
        "plan",
        (
            r"(?=forward to |for )(?=(?:forward to|for) (?:an?|the|another|§'s) (?!chance|way|one|break|day|time|"
            r"opportunity|next chapter|future)|forward to (?:going|visiting|seeing|starting|trying|moving|meeting|"
            r"attending|playing|performing|hosting|teaching|traveling|travelling) (?:to|an?|the|§'s|in|on|at|"
            r"with))"
        ),
        "{s} is {n}looking {v}",
        dated=True,
        bare=False,
    ),
)
_TRYING: Final = (
    _rule(
        "goal",
        (
            r"to (?=(?:open|start|write|publish|adopt|learn|visit|travel|move|buy|study|build|launch|lose|quit|"
            r"save|eat|run|grow|expand|find (?:a|an)|get (?:a|an|into|healthier|fit|more)|improve|master|finish|"
            r"raise|create) (?!it\b|that\b|this\b|them\b))"
        ),
        "{s} is {n}trying to {v}",
        bare=False,
    ),
)
_PRACTISES: Final = (
    _rule(
        "habit",
        (
            r"(?P<v>(?:yoga|meditation|mindfulness|photography|gratitude|martial arts|karate|judo|pilates|"
            r"calligraphy|kung fu|tai chi))\b"
        ),
        "{s} {n}practises {v}",
        "preference",
    ),
)

BY_VERB: Final[Mapping[str, tuple[Rule, ...]]] = {
    **dict.fromkeys(
        ("love", "loves", "like", "likes", "enjoy", "enjoys", "adore", "adores", "prefer", "prefers", "fancies"), _LIKES
    ),
    **dict.fromkeys(("hate", "hates", "dislike", "dislikes", "loathe", "loathes"), tuple(_LIKES)),
    **dict.fromkeys(("work", "works", "working"), _WORK),
    **dict.fromkeys(("live", "lives", "living", "moved", "relocated", "settled"), _HOME),
    **dict.fromkeys(("adopted", "rescued"), _GET),
    "grew": (_rule("hometown", rf"up in {_PLACE}", "{s} grew up in {v}", "profile"), *_DONE),
    "got": _GOT,
    "purchased": (*_BUY, *_DONE),
    **dict.fromkeys(("owns", "own"), _OWNS),
    **dict.fromkeys(("has", "have", "had"), _HAS),
    **dict.fromkeys(("is", "was", "are", "be"), _IS),
    **dict.fromkeys(("went", "flew", "drove"), _GO),
    **dict.fromkeys(("traveled", "travelled"), _TRIP),
    **dict.fromkeys(("visited", "toured"), _VISIT),
    **dict.fromkeys(("study", "studies", "studied"), _STUDY),
    **dict.fromkeys(("learning", "learns"), _LEARN),
    "joined": _BELONG,
    "signed": _SIGN_UP,
    **dict.fromkeys(("started", "began"), _START),
    "took": (
        *_TAKEN,
        _rule(
            "hobby",
            r"up (?P<v>\w+(?: \w+)?)(?= to\b| for\b| as\b| and\b|[.,!]|$| last\b| this\b| in\b| recently\b)",
            "{s} took up {v}",
            lasting=True,
        ),
    ),
    **dict.fromkeys(("plans", "plan"), _PLAN),
    **dict.fromkeys(("wants", "want", "hopes", "dreams", "aims"), _GOAL),
    **dict.fromkeys(("quit", "left", "resigned"), _QUIT),
    "gave": (
        _rule(
            "habit",
            (
                r"up (?P<v>smoking|drinking|vaping|sugar|coffee|caffeine|alcohol|soda|meat|gluten|dairy|social media|"
                r"sweets)\b"
            ),
            "{s} gave up {v}",
            positive=False,
            lasting=True,
        ),
    ),
    "lost": _LOST,
    "sold": _SOLD,
    **dict.fromkeys(("plays", "play"), _PLAYS),
    **dict.fromkeys(("goes", "go"), _HABIT),
    **dict.fromkeys(
        ("speaks", "speak"),
        (
            _rule(
                "language",
                rf"(?:fluent |some |a little |a bit of |good )*(?P<v>{LANGUAGES}(?:(?:,| and|, and) {LANGUAGES})*)\b",
                "{s} {n}speaks {v}",
                "profile",
            ),
        ),
    ),
    **dict.fromkeys(("finished", "won", "completed", "published", "passed", "received", "earned"), (*_MADE, *_DONE)),
    "broke": _BREAK,
    **dict.fromkeys(("believes", "believe"), _BELIEF),
    "married": (_rule("partner", r"(?P<v>(?-i:[A-Z])[a-z]+)\b", "{s} married {v}", "profile", lasting=True),),
    **dict.fromkeys(
        ("turned", "turns"),
        (
            _rule(
                "age",
                (
                    r"(?P<v>\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|twelve|eleven|ten|thirteen|"
                    r"fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)(?:-\w+)?)(?! (?:to|into|degrees))\b"
                ),
                "{s} {verb} {v}",
                "profile",
                dated=True,
            ),
        ),
    ),
    **dict.fromkeys(
        ("graduated",),
        (
            _rule(
                "studies",
                r"(?:from|with|in) (?P<v>(?:an? )?[\w' ]{3,50}?)(?=[.,!]|$| and\b| last\b| in \d| this\b| \()",
                "{s} graduated from {v}",
                "profile",
                dated=True,
            ),
        ),
    ),
    **dict.fromkeys(
        ("volunteers", "volunteered", "volunteering"),
        (_rule("habit", r"(?:at|with|for) (?=(?:an?|the|§'s) |(?-i:[A-Z]))", "{s} {n}volunteers at {v}", bare=False),),
    ),
    **dict.fromkeys(("switched",), (_rule("habit", r"to (?!it|that|this)", "{s} switched to {v}", lasting=True),)),
    **dict.fromkeys(
        (
            "attended",
            "hosted",
            "organized",
            "organised",
            "launched",
            "opened",
            "wrote",
            "built",
            "baked",
            "cooked",
            "planted",
            "celebrated",
            "designed",
            "recorded",
            "submitted",
            "directed",
            "filmed",
            "renovated",
            "restored",
            "invented",
            "raised",
            "sewed",
            "knitted",
            "held",
            "landed",
            "hired",
            "booked",
            "scored",
            "presented",
            "injured",
            "sprained",
            "hurt",
            "repaired",
            "fixed",
            "drew",
            "painted",
            "ordered",
            "developed",
            "founded",
            "created",
            "made",
        ),
        _DONE,
    ),
    **dict.fromkeys(("watched", "read", "saw", "rewatched", "reread"), _SEEN),
    "met": _MET,
    **dict.fromkeys(("gave", "threw"), _HELD),
    "loved": (_LIKES[0], *(_rule("likes", pattern, "{s} loved {v}", "preference") for pattern in (_TITLE, _TITLED))),
    "did": _DONE,
    **dict.fromkeys(("uses", "use"), (_rule("habit", _THING, "{s} {n}uses {v}", bare=False),)),
    **dict.fromkeys(
        ("taught", "helped", "mentored", "coached", "tutored"),
        (
            _rule(
                "event",
                r"(?=(?:an?|some|two|three|the|§'s) (?!how|people|others|way))",
                "{s} {n}{verb} {v}",
                dated=True,
                bare=False,
            ),
        ),
    ),
    **dict.fromkeys(("wanted",), _GOAL),
    **dict.fromkeys(
        ("tried", "tested", "decorated", "explored", "hiked", "climbed", "discovered", "reorganized", "delivered"),
        _DONE,
    ),
    "bought": (*_BUY, *_DONE),
    "donated": (*_SOLD, *_DONE),
    "practicing": (_rule("plays", rf"(?P<v>{GAMES})\b", "{s} practises {v}", "profile"),),
    **dict.fromkeys(("performed", "participated", "competed", "enrolled", "interned", "ran"), (*_BESIDE, _DONE[1])),
    **dict.fromkeys(("thinking", "considering", "dreaming"), _THINKING),
    "going": (*_ABOUT_TO,),
    **dict.fromkeys(
        (
            "starting",
            "creating",
            "building",
            "writing",
            "organizing",
            "organising",
            "hosting",
            "designing",
            "developing",
            "opening",
            "launching",
            "planning",
            "renovating",
            "training",
            "making",
            "recording",
            "directing",
            "running",
        ),
        _DOING,
    ),
    "reading": _READING,
    "taking": _TAKING,
    "looking": _LOOKING,
    "trying": _TRYING,
    **dict.fromkeys(("practices", "practises", "does"), _PRACTISES),
    **dict.fromkeys(("collects", "collect"), (_rule("hobby", r"(?!it|that|this)", "{s} collects {v}", "preference"),)),
    **dict.fromkeys(
        ("drives", "rides"), (_rule("owns", r"(?P<v>an? [\w-]+(?: [\w-]+)?)(?=[.,!]|$)", "{s} {verb} {v}", bare=False),)
    ),
}
