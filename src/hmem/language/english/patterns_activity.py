"""Rules for habits and activities, for things done to people, and for things they look forward to."""

from dataclasses import replace
from typing import Final

from hmem.language.english.patterns_state import LEARN
from hmem.language.english.vocabulary import (
    BODY,
    GAMES,
    GOODS,
    JOBS,
    NO_GOODS,
    NO_POINTER,
    PLACE,
    THING,
    TITLE,
    TITLED,
    rule,
)

_NOT_TO: Final = (
    r"(?!be\b|do\b|make (?:it|sure)|keep|see (?:how|what|if|you|where|§)|have\b|stay|get (?!an? |the |some |married"
    r"|§'s )"
    r"|it|that|this|continue|try (?:it|this|that|them|these|those|out (?:some|these|those|the))|give|find out|share"
    r"|help"
    r"|let|need|use (?:it|this|that|these)|miss|love|enjoy|look|think|put|say|tell|show|pay|talk|hear|check|feel|seem"
    r"|really|just|finally|work (?:out|on (?:it|this|that))|take (?:it|care|that|some)|go for it|crush|kill|rock"
    r"|know|remember"
    r"|want|like|prove|ask|become better|catch|dive in|know|learn more|explore (?:it|this|these|more))"
)

# Behind "cannot wait" and "is excited": "to visit Kyoto", "for the race on Sunday".
EAGER: Final = (
    rule("plan", rf"to (?={_NOT_TO}[a-z]+ {NO_POINTER})", "{s} is eager to {v}", dated=True, bare=False),
    rule(
        "plan",
        rf"for (?=(?:the|§'s) )(?!the (?:next chapter|future|day|chance|best|big day"
        rf"|opportunity)){NO_POINTER}",
        "{s} is looking forward to {v}",
        dated=True,
        bare=False,
    ),
)

WOULD: Final = (
    rule(
        "goal",
        r"to (?=(?:visit|learn(?! more| about| how (?:it|you))|travel to|go to(?= an?\b| the\b| (?-i:[A-Z]))"
        r"|see(?= an?\b| (?-i:[A-Z]))"
        r"|own an?|live in|open an?|write an?|adopt|become|run an?|work(?: as| for| in)(?= an?\b| the\b| (?-i:[A-Z]))"
        r"|publish|teach|play in|perform|compete|start an?|move to|try(?= (?-i:[A-Z])| an?\b)|host|build) "
        r"(?!it\b|that\b|this\b|them\b|there\b|some of\b|these\b))",
        "{s} would like to {v}",
        bare=False,
    ),
)

_BODY_PART: Final = rf"(?:§'s|his|her|their) (?:left |right |lower |upper )?{BODY}"

HURT: Final = (
    rule("health", rf"(?P<v>{_BODY_PART})\b(?! out\b| at\b)", "{s} hurt {v}", dated=True, bare=False),
)  # fmt: skip
BROKE: Final = (
    rule("health", rf"(?P<v>{_BODY_PART})\b", "{s} {verb} {v}", dated=True, bare=False),
)  # fmt: skip

RECOVERING: Final = (
    rule(
        "health",
        r"(?:slowly |still )?from (?P<v>(?:(?:an?|the|§'s) )?(?:[\w-]+ ){0,3}?(?:injury|surgery|operation|accident|flu"
        r"|illness|cold"
        rf"|infection|fracture|sprain|concussion|burnout|covid|broken \w+|sprained \w+|{BODY}(?! \w))|surgery|covid"
        rf"|burnout|pneumonia)\b",
        "{s} is recovering from {v}",
        dated=True,
        bare=False,
    ),
)

AILS: Final = (
    rule(
        "health",
        rf"(?P<v>an? (?:[\w-]+ ){{0,2}}?(?:(?:broken|sprained|twisted|fractured|torn|injured|bad|swollen"
        rf"|sore) {BODY}|cold"
        r"|fever|migraine|headache|concussion|infection|heart condition|stomach bug|herniated disc|condition|surgery"
        r"|operation|allergic reaction)|surgery|crutches|the flu)\b(?! (?:brew|drink|shower|plunge|of))",
        "{s} {n}has {v}",
        dated=True,
        bare=False,
    ),
)

# "is on decaf", "is on crutches".
ON: Final = (
    rule(
        "habit",
        r"(?:only )?on (?P<v>decaf|(?:an? |the )(?:[\w-]+ ){0,2}diet|(?:[\w-]+ )?medication|antibiotics"
        r"|(?:maternity|paternity|"
        r"parental|sick) leave|a sabbatical|a gap year|crutches)\b",
        "{s} is {n}on {v}",
        dated=False,
        lasting=True,
        bare=False,
    ),
)

# Passive events, behind "was", "got" and "has been".
DONE_TO: Final = (
    rule(
        "event",
        r"(?P<v>(?:promoted|hired|fired|laid off|accepted|admitted|elected|selected|chosen|appointed|nominated"
        r"|robbed|mugged"
        r"|evicted|hospitali[sz]ed|operated on|vaccinated|awarded|transferred)(?: (?:to|as|at|into|for|by|with)"
        r" [^.,!?;:()\"§]{3,50}?| (?:an?|the) [^.,!?;:()\"§]{3,50}?)?)(?=[.,!(;]|$| and\b| last\b| this\b| in\b| on\b"
        r"| yesterday\b| recently\b| a \w+ ago\b| because\b| after\b| but\b| so\b)",
        "{s} was {n}{v}",
        dated=True,
        bare=False,
    ),
)

# Identity, behind "is".
TRAIT: Final = (
    rule(
        "membership",
        r"(?:now |also |still |proudly )?(?P<v>(?:an? (?:\w+ )?member|part) of (?:an?|the|§'s) (?:[\w'-]+ ?){1,5}?)"
        r"(?=[.,!;(]|$| and\b| now\b| at\b| in\b| for\b| from\b| that\b| which\b| who\b)",
        "{s} is {n}{v}",
        lasting=True,
        bare=False,
    ),
    rule("name", r"(?:called |named )?(?P<v>§ (?-i:[A-Z])[\w'-]+)(?=[.,!]|$| and\b)", "{s} is called {v}", "profile"),
    rule(
        "family",
        r"(?:now |also |going to be |becoming )?(?P<v>an? (?:(?:proud|new|single|working|busy|first-time"
        r"|stay-at-home|great|foster|step|young|expectant|soon-to-be) )?(?:mother|mom|mum|father|dad|parent|grandmother"
        r"|grandma|grandfather|grandpa|aunt|uncle|widow|widower|godmother|godfather|only child|twin"
        r"|stepmother|stepfather|mother of \w+|father of \w+|mom of \w+|dad of \w+))\b(?! (?:figure|friend|to (?:be"
        r"|him|her)))",
        "{s} is {n}{v}",
        "profile",
        bare=False,
    ),
    rule(
        "trait",
        r"(?:now |also |currently |completely |partially |openly )?(?P<v>left-handed|right-handed|colou?r-?blind"
        r"|dyslexic"
        r"|bilingual|self-employed|unemployed|retired|transgender|gay|bisexual|lesbian|non-binary|deaf|blind in one eye"
        r"|an only child|a trans (?:woman|man)|an immigrant|religious|an atheist|buddhist|muslim|jewish|hindu|christian"
        r"|catholic)(?=[.,!]|$| and\b| but\b| so\b| since\b| person\b| now\b)",
        "{s} is {n}{v}",
        "profile",
        bare=False,
    ),
    rule(
        "expecting", r"(?:\w+ months? )?(?P<v>pregnant(?: with (?:twins|an? (?:boy"
            r"|girl)))?)\b", "{s} is {n}{v}", "profile"
    ),
    rule(
        "job",
        r"(?:the |now the |now )?(?P<v>(?:head|director|manager|founder|co-founder|owner|captain|leader|president"
        r"|chair|CEO|CTO"
        r"|editor)(?: of) (?:the|an?|§'s) (?:[\w'-]+ ?){1,5}?)(?=[.,!;(]|$| and\b| now\b| at\b| in\b"
        r"| for\b| from\b)",
        "{s} is {n}the {v}",
        "profile",
    ),
    rule(
        "interest",
        rf"(?:really |also |very |always |particularly |so |quite |super )*interested in {NO_POINTER}(?!the idea"
        rf"|\w+ out more"
        r"|knowing|hearing|seeing|trying (?:it|this|that|these|them|out)|getting (?:it|this|that)|checking|finding out"
        r"|exploring (?:this|that|it|these|more)|learning more(?! about (?:[a-z]+ing|[a-z]+ [a-z]+)))",
        "{s} is {n}interested in {v}",
        "preference",
        bare=False,
    ),
    rule("hometown", rf"(?:born and )?raised in {PLACE}", "{s} was raised in {v}", "profile"),
    rule("home", rf"(?:now )?settled in {PLACE}", "{s} {n}lives in {v}", "profile"),
    rule("plan", rf"(?:moving|relocating) (?:back )?(?:to|in with) {PLACE}", "{s} is {n}moving to {v}", dated=True),
    rule("trip", rf"(?:just |now )?back from (?:an? |the |§'s )?(?:[\w-]+ ){{0,2}}?(?:to "
        rf"|in )?{PLACE}", "{s} went to {v}", dated=True),
)  # fmt: skip

# Habits of eating, drinking, wearing and listening; with "not", their denial.
_OBJECT: Final = (
    rf"{NO_POINTER}(?!a (?:look|peek|break|lot|chance)|well\b|out\b|up\b|like\b|with\b|for\b|in\b|at\b|on\b|too\b"
    rf"|a lot\b|about"
    r"|the same\b|to (?:it|that|this|them|you|him|her|§|yourself|your|their|his|what|how|some|more)\b|and\b|or\b"
    r"|so\b|from\b"
    r"|much\b|enough\b)"
)
TAKES: Final = (rule("habit", _OBJECT, "{s} {n}{verb} {v}", bare=False),)
LISTENS: Final = (rule("habit", r"(?:a lot )?to (?:a lot of )?" + _OBJECT, "{s} {n}listens to {v}", bare=False),)
TEACHES: Final = (
    rule(
        "job",
        rf"(?P<v>(?:(?:kids|children|adults|people|students|beginners|seniors) )?(?:{GAMES}|english|spanish|french"
        rf"|german|maths?"
        r"|science|history|art|music|yoga|dance|dancing|pottery|swimming|biology|chemistry|physics|geography"
        r"|literature|drama"
        r"|coding|painting|drawing|first grade|second grade|third grade|kindergarten|(?:an? )(?:[\w-]+ ){0,3}class)\b)",
        "{s} {n}teaches {v}",
        "profile",
        bare=False,
    ),
)
RUNS: Final = (
    rule(
        "habit",
        r"to (?!an?\b|the\b|it\b|work\b|§|class|school)(?=[a-z]+)",
        "{s} {n}runs to {v}",
        "preference",
        bare=False,
    ),
    rule(
        "job",
        r"(?P<v>(?:an?|the|§'s|§'s own) (?:[\w'-]+ ){0,3}?(?:shop|store|lab|laboratory|team|studio|business|company"
        r"|restaurant"
        r"|café|cafe|bakery|agency|farm|hotel|department|gallery|club|workshop|school|startup|blog|channel|podcast"
        r"|organi[sz]ation|charity|salon|bar|office|practice|clinic))\b",
        "{s} {n}{verb} {v}",
        "profile",
        bare=False,
    ),
    rule(
        "habit",
        r"(?P<v>(?:\w+ (?:kilomet(?:re|er)s|km|miles|k) )?(?:every|each|twice|three times"
        r"|once) [\w ]{2,20}?)(?=[.,!;]|$| and\b)",
        "{s} {verb} {v}",
        "preference",
        bare=False,
    ),
)

# Current activities, behind "has been".
_LATELY: Final = (
    rf"(?:a lot of |lots of |some |more )?{NO_POINTER}(?!\w+ly\b|as\b|pretty\b|really\b|very\b|quite\b|great\b"
    rf"|better\b|okay\b|well|out\b|at\b|up\b|around\b|with (?:it|them|him"
    rf"|her|that|this)|a lot\b(?! of)|hard\b|so\b|for\b|since\b|on (?:it|that|this)\b)"
)
LATELY: Final = (
    rule("habit", _LATELY, "{s} has been {verb} {v}", dated=False, lasting=True, bare=False),
)  # fmt: skip

STOPPED: Final = (
    rule(
        "habit",
        r"(?P<v>(?:drinking|eating|smoking|vaping|using|playing|watching|buying|wearing|taking|attending"
        r"|working (?:at|for|as))"
        rf"(?: {NO_POINTER}[\w' -]{{2,40}}?)?)(?=[.,!;(]|$| and\b| but\b| because\b| since\b| after\b| when\b"
        rf"| last\b| in\b| (?:\w+ ){{1,2}}ago\b| about\b| for\b| lately\b| completely\b| altogether\b)",
        "{s} stopped {v}",
        positive=False,
        lasting=True,
        bare=False,
    ),
)

# "has tickets to", "booked a flight", "applied for".
BOOKED: Final = (
    rule(
        "plan",
        r"(?=(?:an?|the|§'s|two|three|tickets|flights?|(?-i:[A-Z])[\wà-ÿ]+) )(?!a lot)(?!an? \w+ time)",
        "{s} {n}{verb} {v}",
        dated=True,
        bare=False,
    ),
)
TICKETS: Final = (
    rule(
        "plan",
        r"(?P<v>(?:tickets|a ticket|a reservation|reservations|an appointment|a (?:\w+ )?interview) (?:to|for|at|with) "
        r"(?!it\b|that\b|this\b)[^.,!?;:()\"]{3,50}?)(?=[.,!?;:(]|$| and\b| but\b| so\b| next\b| on\b| this\b)",
        "{s} {n}has {v}",
        dated=True,
        bare=False,
    ),
)
APPLIED: Final = (
    rule(
        "event",
        r"(?P<v>(?:for|to|in) (?:an?|the|§'s|some|several|\d+|(?-i:[A-Z])"
        r"|adoption)[^.,!?;:()\"§]{2,50}?)(?=[.,!?;:(]|$| and\b"
        r"| but\b| so\b| last\b| on\b| this\b| yesterday\b| when\b| because\b| to (?!the\b)| in \d)",
        "{s} {n}{verb} {v}",
        dated=True,
        bare=False,
    ),
)

# Going by foot, by wheel, by water: "ran the whole route", "swam in the lake".
MOVED: Final = (
    rule("event", THING, "{s} {n}{verb} {v}", dated=True, bare=False),
    rule(
        "event",
        r"(?P<v>(?:in|to|around|along|across|through|up|down|from) (?:an?|the"
        r"|(?-i:[A-Z]))[^.,!?;:()\"§]{3,45}?)(?=[.,!?;:(]|$"
        r"| and\b| but\b| with\b| last\b| on\b| this\b| yesterday\b| because\b| so\b| when\b| who\b| which\b"
        r"| that\b| away\b| to\b"
        r"| as\b)",
        "{s} {n}{verb} {v}",
        dated=True,
        bare=False,
    ),
)

LEARNED: Final = (
    rule(
        "event",
        r"(?:how )?to (?!be\b|do\b|love|appreciate|trust|see|let|accept|take|it|have\b|never\b|not\b|always\b|say\b"
        r"|live\b"
        r"|deal\b|keep\b|make the\b|embrace|value|find|get\b|adapt|listen|handle|manage|ignore|stay|cope"
        r"|believe)(?=[a-z]+ )",
        "{s} {n}learned to {v}",
        dated=True,
        bare=False,
    ),
    rule(
        "event",
        r"(?=(?:an?|two|three|some) )(?!(?:a lot|a ton|a few things|a thing|some things|a bit|a lesson))",
        "{s} {n}learned {v}",
        dated=True,
        bare=False,
    ),
)

# "painted that", "bought running shoes": goods without an article.
MADE_OF: Final = (
    rule(
        "event",
        r"(?=[a-z])(?!(?:it|that|this|them|me|him|her|us|you|up|out|over|off|on|in|at|by|for|to|with|about|all"
        r"|lots?|more"
        r"|most|sure|things?|something|everything|anything|nothing|some|any|one|ones|both|too|so|really|very|just"
        r"|because"
        r"|when|if|and|but|or|as|from|together|first|last|again|back|away|down|into|through|around|another|an?|the|what"
        r"|how|why|where|who|which|there|here|well|better|great|good|happy|fun|memories|progress|friends|their|his"
        r"|our|your"
        r"|its|these|those|such|like|of|no|not|enough|plans?|time|people|room|money|sense|way|everyone|herself"
        r"|himself|themselves"
        r"|yesterday|today|every|each|use|notes|mistakes|peace|new (?:people|friends|things|memories)|amends"
        r"|contact|due|part)\b)"
        r"(?!\w+ly\b)(?P<v>(?:[a-z][\w'-]+ ){0,3}?[a-z][\w'-]{2,}s\b(?<!ss)(?<!us)(?: and (?:[a-z][\w'-]+"
        r" ){0,1}[\w'-]{3,}s)?)"
        r"(?=[.,!;()]|$| and\b| for\b| with\b| last\b| this\b| yesterday\b| from\b| in\b| at\b| to\b| on\b| today\b)",
        "{s} {n}{verb} {v}",
        dated=True,
    ),
)

# Belongings, behind "has", "got", "bought".
POSSESSED: Final = (
    rule(
        "owns",
        rf"(?P<v>(?:an? |the |some |two |new |three )(?:(?!of\b|for\b|in\b|at\b|and\b"
        rf"|to\b|with\b|from\b|on\b"
        rf"|or\b|as\b|into\b|by\b)[\w-]+ ){{0,3}}?{GOODS})\b{NO_GOODS}",
        "{s} {n}has {v}",
        lasting=True,
        bare=False,
    ),
)

STARTED: Final = (
    rule(
        "habit",
        r"(?P<v>(?:using|eating|drinking|taking|listening to|watching|attending|going to|playing|teaching"
        r"|working (?:at|as|for"
        rf"|with|out)|learning|growing|collecting|making|training"
        rf"|practi[cs]ing) {NO_POINTER}[^.,!?;:()\"]{{3,45}}?)(?=[.,!?;:(]|$"
        r"| and\b| but\b| last\b| in\b| since\b| because\b| so\b| to\b| this\b| recently\b| on\b| when\b| again\b"
        r"| a \w+ ago\b)",
        "{s} started {v}",
        lasting=True,
        bare=False,
    ),
)

# "had a galão every morning", "gave up on a book".
GAVE: Final = (
    rule("event", rf"up (?:halfway )?on {TITLED}", "{s} gave up on {v}", dated=True, bare=False),
    rule("event", rf"up (?:halfway )?on {TITLE}", "{s} gave up on {v}", dated=True, bare=False),
    rule(
        "event",
        r"(?P<v>(?:an?|§'s) (?:[\w-]+ ){0,3}?(?:talk|speech|presentation|lecture|workshop|class|performance|concert"
        r"|tour|demo"
        r"|interview)(?: (?:on|about|at|to|for) [^.,!?;:()\"§]{3,40}?)?)(?=[.,!?;:(]|$| and\b| last\b| yesterday\b"
        r"| this\b)",
        "{s} gave {v}",
        dated=True,
        bare=False,
    ),
)

RETIRED: Final = (rule("job", r"(?:from (?P<v>[^.,!?;:()\"§]{3,40}?)(?=[.,!?;:(]|$| and\b| last\b"
    r"| in \d))", "{s} retired from {v}", "profile", positive=False, dated=True),)  # fmt: skip
SERVES: Final = (rule("job", rf"as (?:an?|the) (?P<v>{JOBS})\b", "{s} {verb} as a {v}", "profile"),)
NAMED_IT: Final = (
    rule("pet", r"(?:him|her|it|them|§'s (?:\w+ ){0,2}?(?:dog|cat|puppy|kitten|rabbit|hamster|parrot|horse|pet)) "
         r"(?P<v>(?-i:[A-Z])[a-zà-ÿ]+)\b", "{s} has a pet named {v}", "profile"),
)  # fmt: skip

VOLUNTEERS_AS: Final = (rule("habit", r"as (?=an? )", "{s} {n}volunteers as {v}", bare=False),)
LEARNT: Final = tuple(replace(one, text=one.text.replace("is learning", "learned")) for one in LEARN)

ENGAGED: Final = (
    rule("partner", r"(?P<v>(?-i:[A-Z])[a-zà-ÿ]+) to marry §", "{s} asked {v} to marry", "profile", lasting=True),
)  # fmt: skip
PROPOSED: Final = (
    rule("partner", r"to (?P<v>(?-i:[A-Z])[a-zà-ÿ]+|§'s (?:girlfriend|boyfriend|partner))\b", "{s} proposed to"
        " {v}", "profile", lasting=True),
)  # fmt: skip
STAYED: Final = (
    rule("trip", rf"(?:at|in|with) {PLACE}", "{s} stayed at {v}", dated=True),
    rule(
        "event",
        r"(?P<v>(?:at|in) (?:an?|the|§'s) (?:[\w'-]+ ){0,3}?(?:hotel|hostel|cabin|resort|inn|lodge|guesthouse"
        r"|airbnb|campsite|barn"
        r"|cottage|villa))\b",
        "{s} stayed {v}",
        dated=True,
        bare=False,
    ),
)
ATE: Final = (rule("event", THING, "{s} {n}{verb} {v}", dated=True, bare=False),)
MAKES: Final = tuple(
    replace(one, slot="habit", kind="preference", dated=False, text="{s} {n}{verb} {v}") for one in MADE_OF
)
ENJOYED_AT: Final = (
    rule(
        "event",
        r"(?:an? |so much )(?:\w+ ){0,2}(?:time|blast|day|weekend|fun) (?P<v>(?:at|visiting|exploring|hiking"
        r"|camping|celebrating|throwing)"
        r" (?:the|an?|§'s|(?-i:[A-Z]))[^.,!?;:()\"]{3,40}?)(?=[.,!?;:(]|$| and\b| last\b| this\b| yesterday\b"
        r"| with\b| -| on\b| in\b)",
        "{s} had a good time {v}",
        dated=True,
        bare=False,
    ),
)
GAVE_TO: Final = (
    rule(
        "event",
        r"(?P<v>§(?: and others)? (?:an?|the|some|two|three|\d+) [^.!?;:()\"§]{3,45}?)(?=[.,!?;:(]|$| and §| last\b"
        r"| for\b| which\b"
        r"| that\b| when\b| because\b| to\b| yesterday\b)(?!.*\b(?:chance|idea|break|hug|call|hand|sense|feeling"
        r"|reason|look)\b)",
        "{s} {verb} {v}",
        dated=True,
        bare=False,
    ),
)

SET_UP: Final = (
    rule("event", rf"(?P<p>up|off) {THING}", "{s} set up {v}", dated=True, bare=False),
)  # fmt: skip
LIKED_LONG: Final = (
    rule(
        "likes",
        rf"{NO_POINTER}(?!to (?:be|see|hear|have)\b|being\b|having\b|seeing\b|knowing\b|how\b|the (?:way|idea|fact)\b)",
        "{s} has always {verb} {v}",
        "preference",
    ),
)

# "made pizza", "made vegan ice cream".
MADE_SOME: Final = (
    rule(
        "event",
        r"(?P<v>(?:(?!(?:it|that|this|in|on|at|for|with|to|from|of|and|as|the|his|her|their|them|up"
        r"|out)\b)[a-z][\w-]+ ){0,2}?(?:ice cream|pizza|bread|soup|pasta|pottery|jewel(?:le)?ry|cake|curry|stew"
        r"|lasagn[ae]|sushi"
        r"|granola|jam|cheese|wine|beer|kimchi|salad|soap|candles|ramen|risotto|cobbler|sourdough|chili|dinner"
        r"|furniture))\b",
        "{s} {n}{verb} {v}",
        dated=True,
    ),
)
GOT_TO: Final = (
    rule(
        "event",
        r"to (?P<v>(?:volunteer|meet|visit|play|feed|ride|try|watch|work|speak|perform|travel|swim|hold|attend"
        r"|teach|sing|see) "
        rf"{NO_POINTER}[^.,!?;:()\"]{{3,45}}?)(?=[.,!?;:(]|$| and\b| last\b| yesterday\b| this\b| when\b| because\b"
        rf"| so\b| -"
        r"| which\b| who\b| that\b|, and\b)",
        "{s} got to {v}",
        dated=True,
        bare=False,
    ),
)
LOVED_ONCE: Final = tuple(
    rule("likes", r"(?:reading|watching|playing|seeing) " + pattern, "{s} loved {v}", "preference")
    for pattern in (TITLE, TITLED)
)
STAY_IN: Final = (rule("plan", rf"to stay (?:in|at|with) {PLACE}", "{s} is going to stay in {v}", dated=True),)
