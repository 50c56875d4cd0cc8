"""Rules of claims by verb.

The vocabulary of slots is small and open: pet, job, employer, home, hometown, birthplace, partner, child, expecting,
sibling, parent, friend, relation (Rob, whose colleague a person is), age, birthday, diet, allergy, health, fear, likes
(dislikes too, as a claim that is not positive), favourite X, hobby, plays, owns, plan, goal, project, studies, reading,
membership, language, belief, habit, trip, event; and star sign, native language, blood type, major.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from hmem.language.english.patterns_activity import (
    AILS,
    APPLIED,
    ATE,
    BOOKED,
    BROKE,
    DONE_TO,
    EAGER,
    ENGAGED,
    ENJOYED_AT,
    GAVE,
    GAVE_TO,
    GOT_TO,
    HURT,
    LATELY,
    LEARNED,
    LEARNT,
    LIKED_LONG,
    LISTENS,
    LOVED_ONCE,
    MADE_OF,
    MADE_SOME,
    MAKES,
    MOVED,
    NAMED_IT,
    ON,
    POSSESSED,
    PROPOSED,
    RECOVERING,
    RETIRED,
    RUNS,
    SERVES,
    SET_UP,
    STARTED,
    STAY_IN,
    STAYED,
    STOPPED,
    TAKES,
    TEACHES,
    TICKETS,
    TRAIT,
    VOLUNTEERS_AS,
    WOULD,
)
from hmem.language.english.patterns_event import (
    ABOUT_TO,
    BESIDE,
    BREAK,
    DOING,
    DONE,
    GO,
    GOAL,
    GOT,
    HELD,
    LOOKING,
    MADE,
    MET,
    PLAN,
    SEEN,
    SIGN_UP,
    TAKEN,
    THINKING,
    TRIP,
    TRYING,
    VISIT,
)
from hmem.language.english.patterns_state import (
    BELIEF,
    BELONG,
    BUY,
    GET,
    HABIT,
    HAS,
    HOME,
    IS,
    LEARN,
    LIKES,
    LOST,
    OWNS,
    PLAYS,
    PRACTISES,
    QUIT,
    READING,
    SOLD,
    START,
    STUDY,
    TAKING,
    WORK,
)
from hmem.language.english.vocabulary import GAMES, LANGUAGES, PLACE, THING, TITLE, TITLED, Rule, rule
from hmem.language.regex import regex


def _behind(verbs: str, rules: tuple[Rule, ...]) -> dict[str, tuple[Rule, ...]]:
    return dict.fromkeys(verbs.split(), rules)


# "started on a harbour chart", "started to learn the accordion".
ON_IT: Final = (
    rule(
        "project",
        r"on (?=(?:an?|the|§'s) (?!journey|path|right|new path))",
        "{s} started on {v}",
        dated=True,
        bare=False,
    ),
    *(replace(one, value=regex(r"to learn (?:to )?" + one.value.pattern, re.IGNORECASE)) for one in LEARN),
)

# "is excited to visit …".
EXCITED: Final = tuple(
    replace(
        one,
        value=regex(
            r"(?:so |really |super |very |pretty |also |now )*(?:excited|thrilled|stoked|pumped|eager|psyched|hyped"
            r"|keen) " + one.value.pattern,
            re.IGNORECASE,
        ),
    )
    for one in EAGER
)

BY_VERB: Final[Mapping[str, tuple[Rule, ...]]] = {
    **_behind(
        """
        love loves like likes enjoy enjoys adore adores prefer prefers fancies
        """,
        LIKES,
    ),
    **_behind("hate hates dislike dislikes loathe loathes", tuple(LIKES)),
    **_behind("work works working", WORK),
    **_behind("live lives living moved relocated settled", HOME),
    **_behind("adopted rescued", GET),
    **_behind("grew", (rule("hometown", rf"up in {PLACE}", "{s} grew up in {v}", "profile"), *DONE)),
    **_behind("got", (*BUY, *POSSESSED, *GOT, *GOT_TO, *DONE_TO)),
    **_behind("purchased ordered acquired", (*BUY, *POSSESSED, *DONE, *MADE_OF)),
    **_behind("owns own", OWNS),
    **_behind("has have had", (*AILS, *TICKETS, *ENJOYED_AT, *HELD, *HAS, *POSSESSED)),
    **_behind("is are be", (*IS, *TRAIT, *ON, *EXCITED)),
    **_behind("was were been", (*IS, *TRAIT, *ON, *DONE_TO)),
    **_behind("went flew drove", GO),
    **_behind("traveled travelled", TRIP),
    **_behind("visited toured", VISIT),
    **_behind("study studies studied", STUDY),
    **_behind("learning learns", LEARN),
    **_behind("joined", BELONG),
    **_behind("signed", SIGN_UP),
    **_behind("started began", (*START, *STARTED, *ON_IT)),
    **_behind(
        "took",
        (
            *TAKEN,
            rule(
                "hobby",
                r"up (?P<v>\w+(?: \w+)?)(?= to\b| for\b| as\b| and\b|[.,!]|$| last\b| this\b| in\b| recently\b)",
                "{s} took up {v}",
                lasting=True,
            ),
        ),
    ),
    **_behind("plans plan", PLAN),
    **_behind("wants want hopes dreams aims wanting hoping", GOAL),
    **_behind("wait", EAGER),
    **_behind("quit left resigned", QUIT),
    **_behind("stopped", (*QUIT, *STOPPED)),
    **_behind("lost", LOST),
    **_behind("sold", SOLD),
    **_behind("plays play", PLAYS),
    **_behind("goes go", HABIT),
    **_behind(
        "speaks speak",
        (
            rule(
                "language",
                rf"(?:fluent |some |a little |a bit of |good )*(?P<v>{LANGUAGES}(?:(?:,| and|, and) {LANGUAGES})*)\b",
                "{s} {n}speaks {v}",
                "profile",
            ),
        ),
    ),
    **_behind("finished won completed published passed received earned", (*MADE, *SEEN)),
    **_behind("broke", (*BREAK, *BROKE)),
    **_behind("sprained twisted fractured tore injured", BROKE),
    **_behind("hurt pulled", HURT),
    **_behind("recovering", RECOVERING),
    **_behind("believes believe", BELIEF),
    **_behind("married", (rule("partner", r"(?P<v>(?-i:[A-Z])[a-z]+)\b", "{s} married {v}", "profile", lasting=True),)),
    **_behind(
        "turned turns",
        (
            rule(
                "age",
                r"(?P<v>\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|twelve|eleven|ten|thirteen|"
                r"fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)(?:-\w+)?)(?! (?:to|into|degrees))\b",
                "{s} {verb} {v}",
                "profile",
                dated=True,
            ),
        ),
    ),
    **_behind(
        "graduated",
        (
            rule(
                "studies",
                r"(?:from|with|in) (?P<v>(?:an? )?[\w' ]{3,50}?)(?=[.,!]|$| and\b| last\b| in \d| this\b| \()",
                "{s} graduated from {v}",
                "profile",
                dated=True,
            ),
        ),
    ),
    **_behind(
        "volunteered",
        (
            rule(
                "event",
                r"(?P<v>(?:at|with|for) (?:an?|the|§'s) [\w' -]{3,40}?)(?=[.,!(]|$| and\b| last\b| this\b| on\b| "
                r"during\b| to\b| -| where\b| because\b)",
                "{s} {n}volunteered {v}",
                dated=True,
                bare=False,
            ),
        ),
    ),
    **_behind(
        "volunteers volunteering",
        (
            *VOLUNTEERS_AS,
            rule("habit", r"(?:at|with|for) (?=(?:an?|the|§'s) |(?-i:[A-Z]))", "{s} {n}volunteers at {v}", bare=False),
        ),
    ),
    **_behind(
        "switched",
        (rule("habit", r"(?:from [\w' -]{2,30}? )?to (?!it|that|this)", "{s} switched to {v}", lasting=True),),
    ),
    **_behind(
        """
        attended hosted organized organised launched opened wrote built baked cooked planted
        celebrated designed recorded submitted directed filmed renovated restored invented raised
        sewed knitted crocheted harvested held landed hired scored presented repaired fixed
        drew painted developed founded created made
        """,
        (*DONE, *MADE_OF, *MADE_SOME),
    ),
    **_behind("watched read saw rewatched reread", SEEN),
    **_behind("met", MET),
    **_behind(
        "gave",
        (
            *(
                rule(
                    "habit",
                    r"up (?P<v>smoking|drinking|vaping|sugar|coffee|caffeine|alcohol|soda|meat|gluten|dairy|"
                    r"social media|sweets)\b",
                    "{s} gave up {v}",
                    positive=False,
                    lasting=True,
                ),
            ),
            *GAVE,
            *GAVE_TO,
            *HELD,
        ),
    ),
    **_behind("threw", HELD),
    **_behind(
        "loved enjoyed",
        (
            LIKES[0],
            *LOVED_ONCE,
            *(rule("likes", pattern, "{s} loved {v}", "preference") for pattern in (TITLE, TITLED)),
        ),
    ),
    **_behind("did done", DONE),
    **_behind("asked", ENGAGED),
    **_behind("proposed", PROPOSED),
    **_behind("set", SET_UP),
    **{f"{aux} {verb}": LIKED_LONG for aux in ("has", "have") for verb in ("loved", "liked", "enjoyed", "hated")},
    **_behind("slept stayed", STAYED),
    **_behind("ate drank tasted", ATE),
    **_behind("builds makes sells repairs designs paints", MAKES),
    **_behind("booked reserved rebooked scheduled", BOOKED),
    **_behind("applied auditioned registered interviewed", APPLIED),
    **_behind(
        "hiked walked cycled biked swam ran camped skied surfed jogged rode climbed wandered explored kayaked sailed",
        MOVED,
    ),
    **_behind("learned learnt", (*LEARNT, *LEARNED)),
    **_behind("teaches teach", TEACHES),
    **_behind("runs manages leads heads", RUNS),
    **_behind("drinks eats wears eat drink wear cooks bakes grows", TAKES),
    **_behind("listens listen", LISTENS),
    **{
        f"{aux} been {verb}": LATELY
        for aux in ("has", "have")
        for verb in (
            "listening",
            "watching",
            "using",
            "eating",
            "drinking",
            "attending",
            "collecting",
            "growing",
            "practising",
            "practicing",
            "playing",
            "reading",
            "making",
            "cooking",
            "baking",
            "studying",
            "learning",
            "taking",
            "teaching",
            "experimenting",
            "working",
            "writing",
            "training",
            "doing",
            "volunteering",
            "exploring",
            "researching",
            "seeing",
        )
    },
    **_behind("retired", RETIRED),
    **_behind("serves served interns freelances", SERVES),
    **_behind("named", NAMED_IT),
    **_behind("comes hails", (rule("hometown", rf"from {PLACE}", "{s} comes from {v}", "profile"),)),
    **{f"would {verb}": WOULD for verb in ("love", "like")},
    **_behind("uses use", (rule("habit", THING, "{s} {n}uses {v}", bare=False),)),
    **_behind(
        "taught helped mentored coached tutored",
        (
            rule(
                "event",
                r"(?=(?:an?|some|two|three|the|§'s) (?!how|people|others|way))",
                "{s} {n}{verb} {v}",
                dated=True,
                bare=False,
            ),
        ),
    ),
    **_behind("wanted", GOAL),
    **_behind(
        """
        tried tested decorated discovered reorganized delivered
        """,
        DONE,
    ),
    **_behind("bought", (*BUY, *POSSESSED, *DONE, *MADE_OF)),
    **_behind("donated", (*SOLD, *DONE)),
    **_behind("practicing", (rule("plays", rf"(?P<v>{GAMES})\b", "{s} practises {v}", "profile"),)),
    **_behind("performed participated competed enrolled interned", (*BESIDE, DONE[1])),
    **_behind("thinking considering dreaming", THINKING),
    **_behind("going", (*ABOUT_TO, *STAY_IN)),
    **_behind(
        """
        starting painting redecorating creating building writing organizing organising hosting designing developing
        opening launching planning renovating training making recording directing running
        """,
        DOING,
    ),
    **_behind("reading", READING),
    **_behind("taking", TAKING),
    **_behind("looking", LOOKING),
    **_behind("trying", TRYING),
    **_behind("practices practises does", PRACTISES),
    **_behind("collects collect", (rule("hobby", r"(?!it|that|this)", "{s} collects {v}", "preference"),)),
    **_behind(
        "drives rides", (rule("owns", r"(?P<v>an? [\w-]+(?: [\w-]+)?)(?=[.,!]|$)", "{s} {verb} {v}", bare=False),)
    ),
    **_behind(
        "stand",
        (
            rule(
                "likes",
                r"(?!it\b|that\b|this\b|by\b|up\b|out\b|for\b|with\b|on\b|in\b|at\b|the idea\b|behind\b|there\b)",
                "{s} cannot stand {v}",
                "preference",
                positive=False,
            ),
        ),
    ),
}
