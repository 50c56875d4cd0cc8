"""Rules for single events and for plans."""

from typing import Final

from hmem.language.english.vocabulary import PLACE, THING, TITLE, TITLED, rule

TRIP: Final = (
    rule("trip", rf"(?:to|in|through|around) {PLACE}", "{s} {n}went to {v}", dated=True),
    rule(
        "trip",
        r"(?:on )(?P<v>an? (?:[\w-]+ ){0,2}(?:trip|vacation|cruise|safari|retreat|honeymoon|getaway)(?: (?:to|"
        r"in|around|through|across) (?:the )?(?-i:[A-Z])[\w'.-]*(?: (?-i:[A-Z])[\w'.-]*){0,3})?)",
        "{s} {n}went on {v}",
        dated=True,
        bare=False,
    ),
)

VISIT: Final = (rule("trip", PLACE, "{s} {n}visited {v}", dated=True),)

SIGN_UP: Final = (
    rule("plan", r"up for (?=(?:an?|the|some|another|§'s) )", "{s} {n}signed up for {v}", dated=True, bare=False),
)

PLAN: Final = (
    rule(
        "plan",
        r"(?:to|on|for) (?=(?!be |do |make |keep |see |have (?:a lot |some )?fun|stay |get |it|that|this|"
        r"continue|try |take it|go for it|give |find |share |help |let ))",
        "{s} {n}plans {to}{v}",
        dated=True,
        bare=False,
    ),
)

GOAL: Final = (
    rule(
        "goal",
        r"to (?P<v>(?:become|be) (?:an? |the )(?:[\w-]+ ?){1,5})",
        "{s} {n}wants to {v}",
        dated=False,
        bare=False,
    ),
    rule(
        "goal",
        r"to (?=(?:open|start|write|publish|adopt|learn|visit|travel|move|buy|run (?:for|an?)|ride|plan an?|walk"
        r"|hike|paint|bake|play|study|build|launch|own|"
        r"volunteer|climb|study|record|compete|qualify|direct|marry|explore|teach|win|finish|expand|apply|get "
        r"(?:a|an|into|married|certified|promoted)|go (?:to|back to)|join|host|organize|organise|set up|"
        r"create|work (?:as|with|in|on|at)) (?!it\b|that\b|this\b|them\b|him\b|her\b|one\b))",
        "{s} {n}wants to {v}",
        bare=False,
    ),
)

HELD: Final = (
    rule(
        "event",
        r"(?P<v>(?:an?|the|some|§'s|two) (?:(?!(?:for|of|to|with|and|or|like|about|time)\b)[\w'-]+ "
        r"){0,3}?(?:party|picnic|dinner|lunch|breakfast|wedding|meeting|audition|interview|accident|gathering|"
        r"concert|speech|presentation|workshop|surgery|operation|exam|check-?up|appointment|ceremony|reunion|"
        r"barbecue|bbq|sleepover|baby shower|photoshoot|photo shoot|performance|recital|date|call-out|setback|"
        r"injury|baby|get-together|fundraiser|tournament|competition|show|exhibition|campaign|event|series of "
        r"events))\b(?! for granted)",
        "{s} {n}{verb} {v}",
        dated=True,
        bare=False,
    ),
)

GO: Final = (
    rule(
        "event",
        r"to (?P<v>(?:an?|the|§'s) (?:[\w'-]+ ){0,3}?(?:beach|park|castle|zoo|aquarium|theatre|theater|cinema|"
        r"gallery|library|market|farm|lake|river|mountains?|forest|hospital|vet|dentist|doctor|shelter|"
        r"stadium|restaurant|café|cafe|bar|club|lighthouse|waterfall|temple|bakery|spa|gym|church|animal "
        r"shelter|open mic|open house|fundraiser|game|match|race|auction|lecture|talk|screening|premiere|"
        r"launch))\b(?! shoes)",
        "{s} {n}went to {v}",
        dated=True,
        bare=False,
    ),
    rule("trip", rf"(?:to|back to|through|around) {PLACE}", "{s} {n}went to {v}", dated=True),
    rule(
        "event",
        r"to (?P<v>(?:an?|the|§'s) (?:[\w'+&-]+ ){0,4}?(?:concert|festival|wedding|conference|convention|"
        r"workshop|parade|funeral|museum|exhibition|show|retreat|tournament|fair|meetup|meeting|reunion|party|"
        r"class|camp|support group|event|seminar|gala|rally))\b",
        "{s} {n}went to {v}",
        dated=True,
        bare=False,
    ),
    *TRIP[1:],
    rule(
        "event",
        r"(?P<v>(?:camping|hiking|surfing|skiing|kayaking|snorkeling|fishing|climbing|swimming|bowling|"
        r"snowboarding|biking|skydiving))\b",
        "{s} {n}went {v}",
        dated=True,
    ),
)

MADE: Final = (
    rule(
        "event",
        r"(?P<v>(?:§'s |an? |the |another )(?:(?!(?:for|of|to|with|and|or|idea|chance)\b)[\w-]+ "
        r"){0,4}?(?:degree|screenplay|script|novel|book|album|marathon|course|certificate|certification|"
        r"painting|thesis|phd|master's|race|tournament|competition|contest|championship|award|scholarship|"
        r"promotion|election|trophy|medal|prize|grant|exam|license|licence|test|interview))\b(?! (?:of|about) "
        r"(?:it|that))",
        "{s} {n}{verb} {v}",
        dated=True,
        bare=False,
    ),
)

BREAK: Final = (
    rule(
        "partner",
        r"up with (?P<v>§'s (?:girlfriend|boyfriend|partner|fianc[ée]e?)|(?-i:[A-Z])[a-z]+)\b",
        "{s} broke up with {v}",
        "profile",
        positive=False,
        dated=True,
        bare=False,
    ),
    rule(
        "health",
        r"(?P<v>(?:§'s|his|her|their) (?:left |right )?(?:arm|leg|ankle|wrist|foot|hand|knee|nose|collarbone|toe"
        r"|finger|rib|"
        r"shoulder|hip))\b",
        "{s} broke {v}",
        dated=True,
        bare=False,
    ),
)

GOT: Final = (
    rule(
        "partner",
        r"(?P<v>married|engaged|divorced)(?: to (?-i:[A-Z])[a-z]+)?\b",
        "{s} got {v}",
        "profile",
        dated=False,
        lasting=True,
    ),
    rule(
        "job",
        r"(?P<v>(?:an?|the|§'s) (?:[\w-]+ ){0,3}(?:job|internship|promotion|position|gig))(?: (?:as|at|with) "
        r"[\w ]+?)?(?=[.,!]| and\b| in\b| this\b| last\b|$)",
        "{s} got {v}",
        dated=True,
        bare=False,
    ),
    rule(
        "event",
        r"(?P<v>(?:§'s |an? |the |some )(?:(?!(?:for|of|to|with|and|or|idea|chance)\b)[\w-]+ ){0,3}?(?:deals?|"
        r"endorsements?|endorsement deals?|contract|sponsorship|sponsor|offer|email|letter|invitation|haircut|"
        r"call|raise|ticket|tickets|degree|certificate|certification|award|scholarship|license|licence|tattoo|"
        r"piercing|diploma|medal|trophy|prize|grant|phd))\b",
        "{s} {n}got {v}",
        dated=True,
        bare=False,
    ),
)

DONE: Final = (
    rule("event", TITLE, "{s} {n}{verb} {v}", dated=True, bare=False),
    rule("event", THING, "{s} {n}{verb} {v}", dated=True, bare=False),
)

SEEN: Final = (*DONE[:1], rule("event", TITLED, "{s} {n}{verb} {v}", dated=True), DONE[1])

MET: Final = (
    rule(
        "friend",
        r"(?:the (?:famous|great|lovely|wonderful"
        r"|one and only) )?(?P<v>(?-i:[A-Z])[a-zà-ÿ]+(?: and (?-i:[A-Z])[a-zà-ÿ]+| (?-i:[A-Z])[a-zà-ÿ]+)?)\b(?!'s)",
        "{s} {n}met {v}",
        dated=True,
    ),
    DONE[1],
)

TAKEN: Final = (
    rule(
        "event",
        r"(?P<v>part in (?:an?|the|§'s) [^.,!?;:()\"]{4,60}?)(?=[.,!(]|$| and\b| last\b| with\b| on\b)",
        "{s} took {v}",
        dated=True,
        bare=False,
    ),
    rule(
        "event",
        r"(?P<v>(?:an?|the|§'s) (?:[\w'-]+ ){0,4}?(?:trip|class|course|vacation|lessons?|workshop|exam|test|"
        r"job|road trip|sabbatical|semester|bus tour|tour)(?: (?:to|in|on|for|across|around|about|with) "
        r"(?:(?!last|this|next)[\w'§-]+ ?){1,4})?)(?=[.,!(]|$| and\b| last\b| this\b| with\b| on\b| -)",
        "{s} took {v}",
        dated=True,
        bare=False,
    ),
)

BESIDE: Final = (
    rule(
        "event",
        r"(?P<v>(?:at|in|for|with|as) (?:an?|the|§'s) [^.,!?;:()\"§]{4,60}?)(?=[.,!(]|$| and\b| last\b| "
        r"this\b| next\b| on\b| yesterday\b| to\b| -| which\b| that\b| where\b| but\b| because\b)",
        "{s} {n}{verb} {v}",
        dated=True,
        bare=False,
    ),
)

THINKING: Final = (
    rule(
        "plan",
        r"(?:of|about) (?=(?:getting|buying|starting|joining|taking|moving|going|trying|opening|adopting|"
        r"visiting|learning|writing|selling|applying|volunteering|working|studying|running|making|creating|"
        r"adding|hosting|organi[sz]ing|launching|signing)\b(?! (?:it|that|this)\b))",
        "{s} is {n}thinking about {v}",
        dated=True,
        bare=False,
    ),
)

ABOUT_TO: Final = (
    rule(
        "plan",
        r"to (?=(?!be\b|do\b|make it|keep|see\b|have\b|stay|get\b(?! (?:a|an|the|some|married|§'s)\b)|it|that|"
        r"this|continue|try\b|give\b|find\b|share|help|let|need|use|miss|love|enjoy|look|think|put|say|tell|"
        r"show|pay|bring|work on it|talk|check|feel|seem|really|just|work out|show|take (?:it|care|that|some)|"
        r"go for it|crush|kill|rock|know|remember|want|like|prove|ask|become better)[a-z]+ (?!it\b|that\b|"
        r"this\b|them\b|him\b|her\b))",
        "{s} is {n}going to {v}",
        dated=True,
        bare=False,
    ),
)

DOING: Final = (rule("project", THING, "{s} is {n}{verb} {v}", dated=True, bare=False),)

LOOKING: Final = (
    rule(
        "plan",
        r"(?=forward to |for )(?=(?:forward to|for) (?:an?|the|another|§'s) (?!chance|way|one|break|day|time|"
        r"opportunity|next chapter|future)|forward to (?:going|visiting|seeing|starting|trying|moving|meeting|"
        r"attending|playing|performing|hosting|teaching|traveling|travelling) (?:to|an?|the|§'s|in|on|at|"
        r"with))",
        "{s} is {n}looking {v}",
        dated=True,
        bare=False,
    ),
)

TRYING: Final = (
    rule(
        "goal",
        r"to (?=(?:open|start|write|publish|adopt|learn|visit|travel|move|buy|study|build|launch|lose|quit|"
        r"save|eat|run|ride|grow|expand|find (?:a|an)|get (?:a|an|into|healthier|fit|more)|improve|master|finish|"
        r"raise|create) (?!it\b|that\b|this\b|them\b))",
        "{s} is {n}trying to {v}",
        bare=False,
    ),
)
