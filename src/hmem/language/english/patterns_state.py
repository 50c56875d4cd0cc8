"""Rules for lasting states: being, having, liking, doing."""

from typing import Final

from hmem.language.english.vocabulary import (
    CHILDREN,
    COUNT,
    DIETS,
    FEW,
    GAMES,
    ILLNESSES,
    JOBS,
    LANGUAGES,
    NAMED,
    OPTIONAL,
    PARTNERS,
    PETS,
    PLACE,
    SIBLINGS,
    THING,
    TITLE,
    TITLED,
    rule,
)

LIKES: Final = (
    rule(
        "likes",
        r"(?:(?:was|were|is|are)\b|to be |to see|to hear|to have|seeing|hearing|having|being|knowing|it|that|this"
        r"|how|when|what|the "
        r"idea|you|the way|about|all the|his|her|their|each other|one another|(?-i:[A-Z])[\w-]+'s"
        r"|the (?!ocean|beach|sea|"
        r"outdoors|mountains?|rain|snow|sun|city|countryside|forest|woods|desert|freedom|(?-i:[A-Z])|theat|"
        r"smell of|feeling of|process of|taste of|arts?\b))",
        "",
        bare=False,
    ),
    rule("likes", r"", "{s} {n}{verb} {v}", "preference"),
)

WORK: Final = (
    rule(
        "employer",
        r"(?:(?:nights|shifts|days|part-time|full-time|remotely|freelance|weekends) )?(?:for|at|with) (?P<v>(?:an? "
        r"|the )?(?:[\w'-]+ ){0,4}?(?:company|firm|startup|start-up|hospital|"
        r"school|university|archive|museum|library|restaurant|café|cafe|bank|shelter|agency|studio|office|"
        r"clinic|shop|store|bakery|lab|hotel))\b",
        "{s} {n}works at {v}",
        "profile",
        bare=False,
    ),
    rule(
        "employer",
        r"(?:for|at) (?P<v>(?-i:[A-Z])[\w'&.-]*(?: (?-i:[A-Z])[\w'&.-]*){0,3})",
        "{s} {n}works at {v}",
        "profile",
    ),
    rule("job", rf"as an? (?P<v>{JOBS})\b", "{s} {n}works as a {v}", "profile"),
    rule(
        "job",
        r"in (?P<v>(?:[\w&-]+ ){0,2}(?:finance|marketing|sales|it|tech|healthcare|education|construction|"
        r"retail|banking|hospitality|publishing|insurance|journalism|advertising|engineering|hr|logistics|"
        r"real estate))\b",
        "{s} {n}works in {v}",
        "profile",
    ),
    rule("project", r"on (?=(?:an?|the|§'s) )", "{s} {n}is working on {v}", dated=True, bare=False),
)

HOME: Final = (
    rule(
        "home",
        r"in an? (?:[\w-]+ ){0,3}?(?:flat|apartment|house|cottage|studio|place|room|condo|loft|dorm|bungalow) "
        rf"(?:in|near|outside) {PLACE}",
        "{s} {n}lives in {v}",
        "profile",
        lasting=True,
    ),
    rule(
        "home",
        rf"(?:in|near|outside(?: of)?|to|back to|down to|over to) {PLACE}",
        "{s} {n}lives in {v}",
        "profile",
        lasting=True,
    ),
)

GET: Final = (
    rule(
        "pet",
        rf"(?P<v>(?:{COUNT}|§'s|the|some) {FEW}{PETS}{NAMED}(?:(?:,"
        rf"|,? and) {COUNT} {FEW}{PETS}{NAMED})*)\b(?! (?:park|show|food|sitter|shelter|toy|bed|"
        r"walker|house|picture|photo|treats?|stuff|costume|mug|lover))",
        "{s} {n}has {v}",
        "profile",
        lasting=True,
        bare=False,
    ),
)

BUY: Final = (
    *GET,
    rule(
        "owns",
        r"(?:§'s (?:first |new |own )|an? |the |some )(?P<v>(?:[\w-]+ ){0,3}?(?:car|house|home|apartment|flat|"
        r"bike|bicycle|motorcycle|truck|van|boat|camera|guitar|piano|laptop|computer|console|phone|telescope|"
        r"drone|tent|kayak|keyboard|tablet|printer|mansion|condo|cabin|studio|shop|store|van|camper|farm|"
        r"violin|drum set|collection|garden|stand mixer|sewing machine|3d printer|switch|playstation|xbox|"
        r"gaming pc|pc|kitchen mixer|bookcase|bookshelf))\b(?! (?:park|show|club|party|ride|trip|loan|"
        r"insurance|warming|rental|book|bag|charger|computer|rack|lock|helmet|case|lens|game|games|cover|class"
        r"|lesson|lessons|owners?))",
        "{s} {n}has a {v}",
        lasting=True,
    ),
)

STUDY: Final = (
    rule(
        "studies",
        r"(?:to be an? |to become an? |for an? )?(?!hard\b|a lot|more\b|together)(?P<v>(?:[\w-]+ "
        r"){0,2}[\w-]{4,})(?= at\b| in\b|[.,!]|$| this\b| and\b| right\b| for\b)",
        "{s} {n}studies {v}",
        "profile",
        dated=True,
    ),
)

LEARN: Final = (
    rule("plays", rf"(?:to play |how to play )(?P<v>{GAMES})\b", "{s} is learning {v}", "profile", dated=True),
    rule(
        "plays",
        r"(?P<v>(?:the )?(?:(?:acoustic|electric|bass) )?(?:piano|guitar|violin|cello|drums?|ukulele|"
        r"accordion|flute|saxophone|harp))\b",
        "{s} is learning the {v}",
        "profile",
        dated=True,
    ),
    rule(
        "language", rf"(?:to speak |how to speak )?(?P<v>{LANGUAGES})\b", "{s} is learning {v}", "profile", dated=True
    ),
    rule(
        "hobby",
        r"(?:how to |to )(?P<v>(?:cook|bake|surf|swim|ski|knit|sew|paint|draw|dance|code|sail|dive|juggle|"
        r"skate|snowboard|garden|crochet|climb|meditate|program|drive|ride a horse|make pottery)\b)",
        "{s} is learning to {v}",
        dated=True,
    ),
)

BELONG: Final = (
    rule(
        "membership",
        r"(?P<v>(?:an?|the|§'s) (?:[\w'+-]+ ){0,4}(?:gym|club|team|choir|band|group|league|orchestra|"
        r"community|church|organization|organisation|society|class|program|programme|troupe|network|forum|"
        r"association|crew|studio|squad))\b(?! (?:project|member|event|activit))",
        "{s} {n}joined {v}",
        lasting=True,
        bare=False,
    ),
)

START: Final = (
    rule(
        "hobby",
        r"(?:to |doing |learning )?(?P<v>(?:painting|drawing|pottery|yoga|running|jogging|swimming|hiking|"
        r"climbing|surfing|skiing|gardening|baking|cooking|knitting|crocheting|dancing|cycling|photography|"
        r"journaling|meditating|meditation|boxing|kickboxing|pilates|writing|blogging|streaming|birdwatching|"
        r"woodworking|weightlifting|weight training|strength training|martial arts|karate|judo|aerial yoga|"
        r"kundalini yoga|volunteering|reading|skateboarding|snowboarding|calligraphy|origami|bouldering|"
        r"archery|fencing))\b(?! (?:a|an|the|§|this|for|about|down|from|classes?|business|again|more|his|her|"
        r"their|to|on|up) ?)",
        "{s} {n}started {v}",
        dated=False,
        lasting=True,
    ),
    rule(
        "job",
        r"(?P<v>§'s own (?:[\w-]+ ){0,3}(?:business|company|shop|store|studio|brand|firm|startup|blog|channel|"
        r"restaurant|café|bakery|agency|line))\b",
        "{s} {n}started {v}",
        "profile",
        lasting=True,
        bare=False,
    ),
    rule(
        "job",
        r"(?P<v>(?:an? )(?:[\w-]+ ){0,3}(?:business|company|shop|store|dance studio|startup|bakery|agency))\b",
        "{s} {n}started {v}",
        "profile",
        lasting=True,
        bare=False,
    ),
    *LEARN,
    rule(
        "event",
        r"(?P<v>(?:an?|the|§'s) (?:(?!(?:for|of|to|with|and|or|like|about)\b)[\w'-]+ ){0,3}?(?:class|classes|"
        r"course|job|project|blog|channel|club|group|campaign|book|novel|series|program|training|internship|"
        r"diet|garden|collection|podcast|degree|petition|fundraiser|journal|website|screenplay|script|"
        r"semester|tour))\b",
        "{s} {n}started {v}",
        dated=True,
        bare=False,
    ),
)

# "as a cook", "at Globex", "at the bank".
_OF_WORK: Final = (
    r"(?: as an? [\w-]+| at (?:the |an? )?(?-i:[A-Z])[\w-]*(?: (?-i:[A-Z])[\w-]*)*"
    r"| at (?:the|an?) (?:[\w-]+ ){0,3}?(?:company|firm|bank|school|shop|office|hospital|factory|agency|restaurant"
    r"|store))?"
)
QUIT: Final = (
    rule(
        "job",
        rf"§'s (?P<v>(?:[\w-]+ ){{0,2}}job{_OF_WORK})\b",
        "{s} left the {v}",
        "profile",
        positive=False,
        dated=True,
    ),
    rule(
        "habit",
        r"(?P<v>smoking|drinking|vaping|sugar|coffee|caffeine|alcohol|soda|meat|gluten|dairy|social media|"
        r"sweets|cigarettes)\b",
        "{s} gave up {v}",
        positive=False,
        lasting=True,
    ),
)

LOST: Final = (
    rule(
        "job",
        rf"§'s (?P<v>(?:[\w-]+ ){{0,2}}job{_OF_WORK})\b",
        "{s} lost the {v}",
        "profile",
        positive=False,
        dated=True,
    ),
)

SOLD: Final = (
    rule(
        "owns",
        r"(?:§'s|the|his|her|our|their) (?:old |beloved )?(?P<v>(?:[\w-]+ ){0,2}?(?:car|house|home|apartment|flat"
        r"|bike|bicycle|"
        r"motorcycle|truck|van|boat|camera|guitar|piano|laptop|shop|business|company))\b",
        "{s} no longer has the {v}",
        positive=False,
        dated=True,
    ),
)

IS: Final = (
    rule(
        "allergy",
        r"(?:very |really |severely |mildly |highly |deathly |super |so |quite |also )*allergic to ",
        "{s} is {n}allergic to {v}",
        "profile",
    ),
    rule("diet", rf"(?:an? |a strict )?(?P<v>{DIETS})\b", "{s} is {n}{v}", "profile"),
    rule(
        "likes",
        rf"{OPTIONAL}(?:an? (?:\w+ )?fan of|fond of|into|passionate about|obsessed with|crazy about|keen on|"
        r"hooked on|addicted to|a sucker for) (?!it\b|that\b|this\b|them\b|his\b|her\b|their\b)",
        "{s} is {n}fond of {v}",
        "preference",
    ),
    rule(
        "fear",
        r"(?:really |so |very |kind of |kinda |a bit |super )*(?:afraid|scared|terrified) of (?!it\b|that\b|this\b)",
        "{s} is {n}afraid of {v}",
        "preference",
    ),
    rule(
        "age",
        r"(?:now |already )?(?P<v>\d{1,2}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty)(?:-\w+)?)(?: "
        r"years old| now|$|[.!])",
        "{s} is {v} years old",
        "profile",
        lasting=False,
        dated=False,
    ),
    rule(
        "partner",
        r"(?P<v>married(?: to (?-i:[A-Z])[a-z]+)?|engaged(?: to (?-i:[A-Z])[a-z]+)?|divorced|widowed|"
        r"single)(?= |[.,!]|$)(?! (?:biggest|most|best|thing|day|parent|with|in the))",
        "{s} is {n}{v}",
        "profile",
    ),
    rule(
        "partner", r"(?:dating|seeing) (?P<v>(?-i:[A-Z])[a-z]+|someone(?: new)?)\b", "{s} is {n}dating {v}", "profile"
    ),
    rule(
        "home",
        rf"(?:currently |now )?(?:living|based) (?:in|near|outside) {PLACE}",
        "{s} {n}lives in {v}",
        "profile",
    ),
    rule("hometown", rf"(?:originally )?from {PLACE}", "{s} is {n}from {v}", "profile"),
    rule("birthplace", rf"born (?:and raised )?in {PLACE}", "{s} was born in {v}", "profile"),
    rule("birthday", r"born (?:on|in) (?P<v>(?:the )?[\w ,]*\d[\w ,]*)", "{s} was born on {v}", "profile"),
    rule("health", r"diagnosed with ", "{s} was {n}diagnosed with {v}", "profile", dated=True),
    rule(
        "job",
        rf"(?:an?|currently an?|now an?) (?P<v>{JOBS})\b(?! (?:of|at heart|to|by nature|in|for (?!a )))",
        "{s} is {n}a {v}",
        "profile",
    ),
    rule(
        "studies",
        r"(?:currently |still |now )?(?:studying|majoring in|doing a degree in|getting a degree in) (?!hard|"
        r"for|abroad|a lot|at)",
        "{s} {n}studies {v}",
        "profile",
    ),
    rule(
        "project",
        r"(?:currently |still |now |also |really |busy )*(?:working on|writing|building|developing|designing) "
        r"(?=(?:an?|another|§'s|the) )",
        "{s} is {n}working on {v}",
        dated=True,
        bare=False,
    ),
    rule(
        "plan",
        r"(?:also |still |currently |now )?(?:planning|training|preparing|saving(?: up)?|getting ready|"
        r"gearing up) (?:on |for |to )(?=(?!it\b|that\b|this\b|do\b|make\b|be\b|something|my ))",
        "{s} is {n}{m} {v}",
        dated=True,
        bare=False,
    ),
    rule(
        "plan",
        r"(?:also |still |currently |now )?(?:going|off|heading|flying|traveling|travelling) (?:to|on) "
        r"(?=(?:an?|the|§'s) (?:[\w-]+ ){0,2}(?:conference|convention|wedding|concert|festival|retreat|trip|"
        r"vacation|tournament|workshop|camp|cruise|seminar|class|exhibition|game|race|marathon)\b|"
        r"(?-i:[A-Z])[a-z]+)",
        "{s} is {n}going to {v}",
        dated=True,
        bare=False,
    ),
    rule(
        "expecting",
        r"(?:expecting|pregnant with) (?P<v>(?:an?|§'s|her|twins)(?: [\w-]+){0,2}(?:baby|child|boy|girl|twins)?)\b",
        "{s} is {n}expecting {v}",
        "profile",
        dated=True,
        bare=False,
    ),
    rule(
        "habit",
        r"(?:an? )(?P<v>early bird|night owl|morning person|bookworm|homebody|foodie|early riser|people "
        r"person|gamer|smoker|introvert|extrovert|perfectionist|minimalist)\b",
        "{s} is {n}a {v}",
        "preference",
    ),
)

HAS: Final = (
    *GET,
    rule(
        "child",
        rf"(?P<v>(?:{COUNT}|some|beautiful|wonderful) (?:[\w-]+ ){{0,2}}?(?<!young )(?<!the "
        rf"){CHILDREN}{NAMED})\b(?! (?:at|in|from|who (?:come|visit)))",
        "{s} {n}has {v}",
        "profile",
        bare=False,
    ),
    rule(
        "sibling",
        rf"(?P<v>{COUNT} (?:[\w-]+ ){{0,2}}?{SIBLINGS}{NAMED})\b(?!-in)",
        "{s} {n}has {v}",
        "profile",
        bare=False,
    ),
    rule("partner", rf"(?P<v>an? (?:[\w-]+ )?{PARTNERS}{NAMED})\b", "{s} {n}has {v}", "profile", bare=False),
    rule(
        "allergy", r"(?P<v>an? (?:[\w-]+ ){0,2}allerg(?:y|ies)(?: to [\w ]+)?)", "{s} {n}has {v}", "profile", bare=False
    ),
    rule("health", rf"(?P<v>{ILLNESSES})\b", "{s} {n}has {v}", "profile", bare=False),
    rule(
        "studies",
        r"(?P<v>an? (?:[\w'-]+ ){0,2}(?:degree|diploma|phd|master's|bachelor's|doctorate)(?: in [\w ]+)?)",
        "{s} {n}has {v}",
        "profile",
        bare=False,
    ),
    BUY[-1],
    rule(
        "goal",
        r"(?:always )?(?:wanted|dreamed|dreamt) (?:to|of) (?P<v>(?:becom|be|open|writ|visit|learn|travel|"
        r"start|own|publish|see|go)[\w]* (?:an?|the|§'s|to|in|(?-i:[A-Z]))[^.,!?;:()]{2,50}?)(?=[.,!?;:(]|$| "
        r"and\b| but\b| since\b| so\b)",
        "{s} has {n}wanted to {v}",
        bare=False,
    ),
    rule("partner", r"been (?P<v>married|engaged|together|divorced)\b", "{s} is {n}{v}", "profile", lasting=True),
    rule("home", rf"(?:been living|lived|been) in {PLACE}", "{s} {n}lives in {v}", "profile", lasting=True),
    rule("job", rf"been an? (?P<v>{JOBS})\b", "{s} is {n}a {v}", "profile", lasting=True),
    rule("plays", rf"been playing (?P<v>{GAMES})\b", "{s} plays {v}", "profile", lasting=True),
    rule("trip", rf"(?:been|traveled|travelled|gone) to {PLACE}", "{s} has {n}been to {v}", dated=True),
    rule(
        "hobby",
        r"been (?:into )?(?P<v>painting|drawing|surfing|climbing|knitting|gardening|running|dancing|swimming|"
        r"skiing|hiking|cycling|baking|boxing)(?= for| since)",
        "{s} {n}does {v}",
        lasting=True,
    ),
)

OWNS: Final = (
    *GET,
    rule(
        "owns",
        r"(?=(?:an?|two|three|§'s) )(?!an? (?:lot|bunch|chance|good|great|\w+ (?:time|day|chance)))",
        "{s} {n}owns {v}",
        lasting=True,
    ),
)

PLAYS: Final = (rule("plays", rf"(?P<v>{GAMES})\b", "{s} {n}plays {v}", "profile"),)

HABIT: Final = (
    rule(
        "habit",
        r"(?P<v>(?:running|jogging|hiking|swimming|cycling|climbing|surfing|camping|fishing|bowling|biking|"
        r"skiing|kayaking|dancing|horseback riding|birdwatching)\b|to the (?:gym|pool|library|beach|church|"
        r"park|museum|movies|theatre|theater|spa|sauna)\b|for (?:a )?(?:walks?|runs?|hikes?|swims?|jogs?|bike "
        r"rides?|rides?)\b)(?! (?:lately|alone))",
        "{s} {n}goes {v}",
        "preference",
    ),
)

BELIEF: Final = (
    rule(
        "belief",
        r"in (?!it|that|this|you|them|§|him|her|me|us|what|how|myself|themselves|your)",
        "{s} {n}believes in {v}",
        "preference",
    ),
    rule("belief", r"that (?P<v>[^.!?;:\"§]{12,100})", "{s} {n}believes that {v}", "preference", bare=False),
)

READING: Final = (
    rule("reading", TITLE, "{s} is {n}reading {v}", dated=True, bare=False),
    rule("reading", TITLED, "{s} is {n}reading {v}", dated=True),
    rule("reading", THING, "{s} is {n}reading {v}", dated=True, bare=False),
)

TAKING: Final = (
    rule(
        "studies",
        r"(?P<v>(?:an?|some|§'s)? ?(?:[\w'-]+ ){0,3}?(?:class|classes|course|courses|lessons|workshop|workshops))\b",
        "{s} is {n}taking {v}",
        dated=True,
        bare=False,
    ),
)

PRACTISES: Final = (
    rule(
        "habit",
        r"(?P<v>(?:yoga|meditation|mindfulness|photography|gratitude|martial arts|karate|judo|pilates|"
        r"calligraphy|kung fu|tai chi))\b",
        "{s} {n}practises {v}",
        "preference",
    ),
)
