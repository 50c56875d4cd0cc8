"""Slots: names for common relations between a subject and a value, as a table over clauses.

A claim needs no slot of this table: any other clause is claimed under its verb (``work on``, ``paint``). A slot tells
reconciliation how values of it go together, and people where to look: home, job, employer, partner, pet, age ….
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hmem.language.english.meaning.lists import LANGUAGES
from hmem.model.note import NoteKind


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot that a clause fills.

    ``markers`` are the prepositions of the value, none for an object; ``nouns`` the heads that the value must have, if
    any are given. ``ends`` tells that the clause ends it ("sold the car"); ``proper`` that the value must be a name;
    ``lasting`` that the clause must say what goes on, not what happened once; ``counted`` that it must have a number.
    """

    name: str
    kind: NoteKind = "fact"
    markers: tuple[str, ...] = ()
    nouns: frozenset[str] = frozenset()
    ends: bool = False
    proper: bool = False
    lasting: bool = False
    counted: bool = False


SPORTS: Final = _words(
    """tennis football soccer basketball baseball golf chess rugby hockey volleyball badminton cricket squash pool poker
    bridge padel handball softball guitar piano violin drums bass cello flute saxophone trumpet ukulele clarinet harp
    banjo accordion games cards sports instrument keyboard viola organ"""
)
_SPOKEN: Final = LANGUAGES | _words("language languages python rust javascript")
GROUPS: Final = _words(
    """gym club team choir band group league orchestra church society class troupe studio squad union community board
    committee course program gang association network party crew army navy cooperative"""
)
JOB_NOUNS: Final = _words(
    "job position role work career post gig firm company office practice employer startup hospital school"
)
_WORKPLACES: Final = JOB_NOUNS | _words(
    """bank shop store restaurant bakery cafe clinic university college library museum factory hotel bar pub studio
    agency lab charity council government nonprofit farm warehouse garage salon nursery laboratory newspaper business"""
)
APPOINTMENTS: Final = _words(
    """appointment meeting interview exam flight trip party wedding concert dinner lesson surgery call visit
    presentation checkup check-up reservation race recital game match holiday vacation conference date event
    training session lunch brunch class booking ceremony graduation move deadline camp retreat festival marathon
    operation test viewing"""
)
POSSESSIONS: Final = _words(
    """car truck van bike bicycle motorbike motorcycle scooter boat house flat apartment condo cottage cabin guitar
    piano violin phone iphone laptop macbook computer camera tablet ipad tv bicycle keyboard telescope drone
    watch sofa couch printer console playstation xbox kindle farm shop store garden allotment tesla honda toyota
    subaru ford"""
)
MEDICINES: Final = _words(
    """mg mcg milligrams pill pills tablet tablets dose insulin medication medicine antibiotics ibuprofen metformin
    lisinopril sertraline prozac zoloft ritalin adderall levothyroxine statin statins aspirin inhaler antidepressants
    warfarin omeprazole prednisone melatonin vitamins supplements drops amlodipine atorvastatin"""
)
AILMENTS: Final = _words(
    """diabetes asthma cancer migraine migraines anxiety depression adhd autism arthritis eczema celiac coeliac anemia
    anaemia insomnia allergy allergies hypertension epilepsy flu cold fever cough covid pneumonia back knee headache
    headaches reflux ulcer endometriosis hayfever tinnitus vertigo burnout condition disease syndrome"""
)
DIETS: Final = _words(
    "vegetarian vegan pescatarian keto paleo kosher halal gluten-free lactose-intolerant coeliac celiac omnivore"
)
STATUS: Final = _words("single married engaged divorced widowed separated")

_PLACE: Final = ("in", "at", "on", "near", "outside", "by", "with")
_AT: Final = ("at", "for")

# By verb, the slots that it can fill, the first whose value is there.
BY_VERB: Final[Mapping[str, tuple[Slot, ...]]] = {
    "live": (Slot("home", "profile", _PLACE),),
    "reside": (Slot("home", "profile", _PLACE),),
    "stay": (Slot("stay", "fact", _PLACE),),
    "move": (Slot("home", "profile", ("to", "into", "in", "back to", "over to", "out to", "from")), ),
    "relocate": (Slot("home", "profile", ("to",)),),
    "settle": (Slot("home", "profile", ("in",)),),
    "settle down": (Slot("home", "profile", ("in",)),),
    "grow up": (Slot("hometown", "profile", ("in", "near", "on")),),
    "bear": (Slot("birthplace", "profile", ("in", "at")), Slot("birthday", "profile", ("on", "in"))),
    "work": (Slot("job", "profile", ("as",), lasting=True),
             Slot("employer", "profile", _AT, proper=True, lasting=True),
             Slot("employer", "profile", _AT, nouns=_WORKPLACES, lasting=True),
             Slot("work", "fact", ("in", "on", "from", "by"))),
    "start": (Slot("job", "profile", ("as",)),),
    "join": (Slot("membership", "profile", nouns=GROUPS), Slot("employer", "profile", proper=True),
             Slot("membership", "profile")),
    "promote": (Slot("job", "profile", ("to",)),),
    "hire": (Slot("job", "profile", ("as",)), Slot("employer", "profile", ("by", "at"))),
    "engage": (Slot("partner", "profile", ("with", "to"), proper=True),),
    "base": (Slot("home", "profile", ("in", "near", "out of")),),
    "retire": (Slot("job", "profile", ("from", "as"), ends=True),),
    "quit": (Slot("membership", "profile", nouns=GROUPS, ends=True),
             Slot("employer", "profile", nouns=JOB_NOUNS, ends=True),
             Slot("employer", "profile", proper=True, ends=True), Slot("habit", "preference", ends=True)),
    "leave": (Slot("membership", "profile", nouns=GROUPS, ends=True),
              Slot("employer", "profile", nouns=JOB_NOUNS, ends=True)),
    "resign": (Slot("employer", "profile", ("from",), ends=True),),
    "drop out": (Slot("studies", "profile", ("of", "out of"), ends=True),),
    "marry": (Slot("partner", "profile"),),
    "date": (Slot("partner", "profile"),),
    "divorce": (Slot("partner", "profile", ends=True),),
    "study": (Slot("studies", "profile"), Slot("studies", "profile", ("at", "in"))),
    "major": (Slot("major", "profile", ("in",)),),
    "graduate": (Slot("studies", "profile", ("from", "in", "with")),),
    "learn": (Slot("language", "profile", nouns=_SPOKEN), Slot("learn", "fact")),
    "speak": (Slot("language", "profile", nouns=_SPOKEN),),
    "play": (Slot("plays", "preference", nouns=SPORTS, lasting=True),
             Slot("plays", "preference", ("in", "for"), lasting=True)),
    "practise": (Slot("plays", "preference", nouns=SPORTS, lasting=True),),
    "practice": (Slot("plays", "preference", nouns=SPORTS, lasting=True),),
    "adopt": (Slot("pet", "profile"),),
    "own": (Slot("owns", "profile"),),
    "buy": (Slot("owns", "profile", nouns=POSSESSIONS), Slot("owns", "profile", proper=True)),
    "purchase": (Slot("owns", "profile", nouns=POSSESSIONS), Slot("owns", "profile", proper=True)),
    "drive": (Slot("owns", "profile", nouns=POSSESSIONS), Slot("owns", "profile", proper=True)),
    "sell": (Slot("owns", "profile", ends=True),),
    "give away": (Slot("owns", "profile", ends=True),),
    "donate": (Slot("owns", "profile", ends=True),),
    "get rid": (Slot("owns", "profile", ("of",), ends=True),),
    "trade in": (Slot("owns", "profile", ends=True),),
    "trade": (Slot("owns", "profile", ends=True),),
    "total": (Slot("owns", "profile", ends=True),),
    "scrap": (Slot("owns", "profile", ends=True),),
    "lose": (Slot("employer", "profile", nouns=JOB_NOUNS, ends=True),
             Slot("owns", "profile", nouns=POSSESSIONS, ends=True)),
    "cancel": (Slot("plan", "profile", ends=True),),
    "call off": (Slot("plan", "profile", ends=True),),
    "like": (Slot("likes", "preference", lasting=True),), "love": (Slot("likes", "preference", lasting=True),),
    "enjoy": (Slot("likes", "preference", lasting=True),),
    "adore": (Slot("likes", "preference", lasting=True),), "prefer": (Slot("prefers", "preference"),),
    "hate": (Slot("likes", "preference", ends=True),), "dislike": (Slot("likes", "preference", ends=True),),
    "loathe": (Slot("likes", "preference", ends=True),), "detest": (Slot("likes", "preference", ends=True),),
    "stand": (Slot("likes", "preference"),), "bear with": (), "fear": (Slot("fear", "preference"),),
    "eat": (Slot("diet", "preference", lasting=True),),
    "take": (Slot("medication", "profile", nouns=MEDICINES),
             Slot("hobby", "preference", nouns=_words("lessons"))),
    "use": (Slot("uses", "preference", lasting=True),),
    "switch": (Slot("uses", "preference", ("to", "over to")),),
    "believe": (Slot("belief", "preference", ("in",)),),
    "collect": (Slot("hobby", "preference"),),
    "volunteer": (Slot("volunteering", "fact", ("at", "with", "for")),),
    "read": (Slot("reading", "fact", nouns=_words("book novel memoir biography series"), lasting=True),
             Slot("reading", "fact", proper=True, lasting=True)),
    "turn": (Slot("age", "profile", counted=True),),
    "weigh": (Slot("weight", "profile", counted=True),),
    "cost": (Slot("cost", "fact"),),
    "earn": (Slot("salary", "profile", counted=True),),
    "come": (Slot("hometown", "profile", ("from",), proper=True),),
    "plan": (Slot("plan", "profile"), Slot("plan", "profile", ("on",))),
    "book": (Slot("plan", "profile"),),
    "schedule": (Slot("plan", "profile"),),
    "reschedule": (Slot("plan", "profile"),),
    "postpone": (Slot("plan", "profile"),),
    "push back": (Slot("plan", "profile"),),
    "push": (Slot("plan", "profile", nouns=APPOINTMENTS),),
}  # fmt: skip

# By noun of "my X is Y" and "I have X": the slot that it fills.
BY_NOUN: Final[Mapping[str, str]] = {
    **dict.fromkeys(("wife", "husband", "partner", "girlfriend", "boyfriend", "fiancé", "fiancée", "fiance", "fiancee",
                     "spouse", "gf", "bf", "hubby", "wifey"), "partner"),
    **dict.fromkeys(("son", "daughter", "kid", "child", "baby", "toddler", "kids", "children", "twins"), "child"),
    **dict.fromkeys(("brother", "sister", "sibling", "twin"), "sibling"),
    **dict.fromkeys(("mother", "father", "mom", "mum", "dad", "parent", "parents"), "parent"),
    **dict.fromkeys(("friend", "buddy", "bestie", "mate"), "friend"),
    "name": "name", "nickname": "nickname", "birthday": "birthday", "age": "age", "address": "address",
    "email": "email",
    "e-mail": "email", "phone number": "phone number", "job": "job", "title": "job",
    "employer": "employer",
    "hometown": "hometown", "pronouns": "pronouns", "budget": "budget", "rent": "rent", "salary": "salary",
    "height": "height",
    "weight": "weight", "deadline": "deadline", "diet": "diet", "gym": "gym", "bank": "bank", "username": "username",
    "editor": "editor", "browser": "browser", "religion": "religion", "nationality": "nationality", "gender": "gender",
    "bedtime": "bedtime",
}  # fmt: skip

# Nouns that name somebody's work by their ending.
JOB_ENDINGS: Final = ("er", "or", "ist", "ian", "ant", "eer", "man", "woman", "ress", "chef", "nurse", "cook", "coach")
JOBS: Final = _words(
    """nurse chef cook doctor pilot architect analyst student intern clerk guide judge athlete coach vet surgeon dentist
    mechanic chemist pharmacist coder dev mom-to-be freelancer paralegal barista artist musician consultant accountant
    assistant secretary lawyer solicitor barrister attorney professor principal tutor builder plumber electrician
    carpenter farmer baker butcher tailor potter journalist reporter editor firefighter policeman policewoman officer
    soldier sailor fisherman librarian scientist engineer developer designer manager director founder ceo cto cfo
    entrepreneur receptionist cashier waiter waitress bartender hairdresser barber stylist dancer singer actor
    actress comedian photographer filmmaker producer therapist counselor psychologist psychiatrist nanny babysitter
    caregiver carer midwife paramedic radiologist cardiologist teacher lecturer postdoc researcher biologist physicist
    economist broker trader agent realtor driver courier translator interpreter programmer administrator supervisor
    foreman welder janitor cleaner gardener landscaper florist optician physiotherapist retiree pensioner homemaker"""
)
NOT_JOBS: Final = _words(
    "lover owner fan member winner other never mother father brother sister daughter person beginner believer reader"
    " runner learner stranger neighbor neighbour customer partner drinker eater user speaker survivor listener visitor"
    " sucker leader planner number summer winter weather dinner computer paper letter matter order answer"
)


def is_job(noun: str) -> bool:
    """Tell if a noun names an occupation."""
    return noun in JOBS or (len(noun) > 4 and noun.endswith(JOB_ENDINGS) and noun not in NOT_JOBS)
