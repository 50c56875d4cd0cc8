"""Reconciliation: relation of a newer claim to an older one about the same subject and slot (HiMem, reconsolidation).

The relation depends on the wording of the statements (change, addition, hypothetical), on the slot (single values,
exclusive values), and on the values: equal, or one a kind or a part of the other. A wrong revision is worse than a
missed one: a claim ends only if the newer one denies it, or gives a single-valued slot another value. Decided:

- Another subject or another slot: independent, whatever the words.
- A hypothetical (a condition, a joke, reported speech, a wish): never a revision.
- A temporary or additional fact ("on weekends", "also") ends nothing.
- A denial ends its object, or a member of the named kind ("the car" is the Honda); not the whole of a denied part.
- A possession that is over ("sold") does not exclude a new one of the kind.
- Events stand alone; a plan is revised if it is put off or called off.
"""

import re
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from hmem.language.analyst.base import Claim, Relation, Stated, Verdict
from hmem.language.english.gazetteer import DAYS_AND_MONTHS
from hmem.language.english.meaning.changes import ENDED, HOME, JOB, PARTNER, USE
from hmem.language.english.parser import lemma
from hmem.language.english.stopwords import STOP_WORDS
from hmem.language.english.version import version
from hmem.language.english.word_lists import words
from hmem.language.english.wording import stem
from hmem.language.regex import regex
from hmem.model.span import OPEN

_CHANGE: Final = regex(
    r"\b(?:now|nowadays|these days|no longer|any ?more|used to|stopped|quit|switch(?:ed|ing)|changed|moved|relocated"
    r"|sold|broke up|split up|instead|new|since|became|become|turned (?:into|out)|got (?:married|engaged|divorced"
    r"|promoted|hired)|married|divorced|start(?:ed|ing)|left|lost|finally|replaced|gave up|back (?:in|to|at)|ended"
    r"|currently|lately|recently|as of|upgraded|downgraded|traded|swapped|over to|renamed|recovered|cured|outgrew"
    r"|grew out of|after all|turns? out|actually|correction|meant|wrong|mistaken|misspoke|rather|not)\b",
    re.IGNORECASE,
)
_RIGHTED: Final = regex(
    r"\b(?:meant|correction|misspoke|mistaken|i was wrong|was wrong|typo|to correct|scratch that)\b|^sorry, "
    r"|, not (?:[A-Z]|\d)",
    re.IGNORECASE,
)
_ADDED: Final = regex(
    r"\b(?:also|too|as well|another|second|third|additional|on the side|part[- ]time|weekends?|besides|in addition"
    r"|one more|sometimes|occasionally|extra|both|besides that|on top of|side (?:job|gig|hustle)|evenings"
    r"|volunteers?|includes?|among)\b",
    re.IGNORECASE,
)
# Words by which an attribute itself gets another value.
_REPLACED: Final = regex(r"\b(?:now|changed|switched|renamed|no longer|instead)\b", re.IGNORECASE)
_FOR_A_WHILE: Final = regex(
    r"\b(?:temporar(?:y|ily)|for (?:now|the (?:week|weekend|day|night|month|summer|holidays?|time being))"
    r"|on (?:vacation|holiday|a trip|business)|until|just for"
    r"|(?:house|cat|dog)-?sitting|staying (?:at|with)|visiting|borrow(?:ed|ing)"
    r"|rent(?:ed|ing) (?:a|an) (?:car|bike|boat|van)"
    r"|covering for|filling in|for (?:a|one|two|three|a few) (?:days?|weeks?|nights?))\b",
    re.IGNORECASE,
)
# Times of a temporary fact, unless a lasting change is stated too.
_THESE_DAYS: Final = regex(r"\b(?:this (?:week|weekend)|tonight|today)\b", re.IGNORECASE)
_FOR_GOOD: Final = regex(
    r"\b(?:moved|relocated|settled|became|got|started|switched|changed|turned|promoted|hired|married|divorced|bought"
    r"|quit|left|signed|joined|now)\b",
    re.IGNORECASE,
)
_NO_FACT: Final = regex(
    r"\b(?:if|imagine|suppose|supposing|pretend\w*|wish(?:es|ed)?|would|could|might|maybe|perhaps|hypothetically"
    r"|jok(?:e|ing|es)|kidding|lol|haha\w*|jk|as if|in (?:my|a) (?:dream|perfect world)"
    r"|according to|reportedly|rumou?r\w*|tempted|almost|nearly|april fool\w*|in another life|considering"
    r"|thinking (?:of|about)|dream(?:s|ed|t)? (?:of|about|that)|quot(?:e|ing)|lyrics?"
    r"|character|novel|movie|in the (?:book|film|show|game)"
    r"|should|hop(?:es|ing) to|wants? to)\b|\?\s*$",
    re.IGNORECASE,
)
_AGAIN: Final = regex(r"\b(?:again|back|once more|re(?:started|joined|turned))\b", re.IGNORECASE)
_OVER: Final = regex(
    r"\b(?:cancel\w*|call(?:ed)? off|moved|rescheduled|postponed|pushed|delayed|brought forward|changed|not going"
    r"|won't|no longer|dropped out|backed out|bailed)\b",
    re.IGNORECASE,
)
_SENTENCE: Final = regex(r"(?<=[.!?;])\s+")
_LONGEST: Final = 2_000


class ChangeManner(NamedTuple):
    """Manner of a claim: change, correction, addition, temporary, hypothetical, repeated, cancelled plan."""

    changed: bool = False
    righted: bool = False
    added: bool = False
    passing: bool = False
    unreal: bool = False
    again: bool = False
    over: bool = False


@lru_cache(maxsize=8_192)
def manner(words: str, value: str) -> ChangeManner:
    """Return the manner of the sentence, among ``words``, from which ``value`` was read."""
    said = _sentence_of(words[:_LONGEST], value)
    return ChangeManner(
        _CHANGE.search(said) is not None,
        _RIGHTED.search(said) is not None,
        _ADDED.search(said) is not None,
        _for_a_while(said),
        _NO_FACT.search(said) is not None,
        _AGAIN.search(said) is not None,
        _OVER.search(said) is not None,
    )


def _for_a_while(said: str) -> bool:
    if _FOR_A_WHILE.search(said):
        return True
    return _THESE_DAYS.search(said) is not None and _FOR_GOOD.search(said) is None


def _sentence_of(words: str, value: str) -> str:
    sentences = _SENTENCE.split(words)
    if len(sentences) == 1:
        return words
    return next((each for each in sentences if value and value in each), words)


# Slots with one value at a time: a new value ends the old one.
SINGLE: Final = words(
    """
    home employer job partner age name birthday birthplace hometown nationality gender pronouns nickname username
    address budget rent salary deadline weight height email size religion bedtime diet editor browser bank gym
    """
) | {"phone number", "star sign", "blood type", "native language", "theme colour", "shoe size", "wake-up time"}

# Slots whose values differ by a single letter or digit.
EXACT: Final = words("email username address name nickname") | {"phone number"}

# Separate events: one never ends another.
OCCASIONS: Final = words("event trip project reading")

# Slots whose value can recur after its end: a sold car says nothing against the next one.
HAD_ANEW: Final = words("owns pet child plan event trip project membership expecting health goal partner job employer")

# Mutually exclusive diets; the others ("gluten-free", "kosher") go with any of them.
DIETS: Final = words("vegetarian vegan pescatarian keto omnivore paleo")

# Occupations compatible with another job.
CALLINGS: Final = words(
    """
    artist writer author novelist poet musician singer songwriter dancer painter photographer blogger streamer youtuber
    student intern volunteer coach athlete gamer actor actress comedian filmmaker potter gardener sculptor illustrator
    """
)

# Roles filled by one person at a time; friends and colleagues are any number.
ONE_OF_A_KIND: Final = regex(
    r"\b(?:boss|manager|supervisor|landlord|landlady|therapist|dentist|doctor|gp|best friend|trainer|physiotherapist"
    r"|roommate|flatmate|housemate|mentor|tutor|principal|advisor|assistant|accountant|lawyer|nanny)\b",
    re.IGNORECASE,
)
# "Rob is Maria's boss."
ROLE: Final = regex(r"'s? (?P<role>[a-z][a-z -]*)\.$")

# Countries and wide regions, which may contain the town of another claim.
WIDE: Final = frozenset(
    """
    africa|asia|europe|america|scandinavia|argentina|australia|austria|belgium|brazil|canada|chile|china|colombia|croatia
    |cuba|denmark|ecuador|egypt|england|ethiopia|finland|france|germany|ghana|greece|hungary|iceland|india|indonesia|iran
    |iraq|ireland|israel|italy|jamaica|japan|kenya|korea|south korea|malaysia|mexico|morocco|nepal|netherlands|holland
    |new zealand|nigeria|norway|pakistan|peru|philippines|poland|portugal|romania|russia|scotland|serbia|singapore
    |slovakia|slovenia|south africa|spain|sweden|switzerland|taiwan|thailand|tunisia|turkey|uganda|ukraine|uk
    |united kingdom|us|usa|united states|the us|the uk|uruguay|vietnam|wales|alabama|alaska|arizona|california|colorado
    |connecticut|florida|hawaii|idaho|illinois|indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts
    |michigan|minnesota|mississippi|missouri|montana|nebraska|nevada|new jersey|new mexico|ohio|oklahoma|oregon
    |pennsylvania|tennessee|texas|utah|vermont|virginia|wisconsin|wyoming|ontario|quebec|alberta|british columbia
    |andalusia|catalonia|tuscany|bavaria|brittany|provence|cornwall|yorkshire|galicia|alentejo|algarve|lombardy|sicily
    """.replace("\n", "")
    .replace("    ", "")
    .strip()
    .split("|")
)


# Slots of people and things with any number of values; any other one of the kind "profile" is an attribute.
_MANY: Final = words(
    """
    pet child sibling parent friend relation owns membership language plays studies plan project trip event medication
    allergy health role expecting reading volunteering work stay major
    """
)


def is_single(slot: str, kind: str = "") -> bool:
    """Tell if a slot has one value at a time; an attribute ("audit", "github handle") has."""
    if slot in SINGLE or slot.startswith(("favourite ", "number of ")):
        return True
    return kind == "profile" and slot not in _MANY and not slot.startswith(ENDED)


def single_role(text: str) -> str:
    """Return the role of a person in the wording of a claim, if one person has it at a time, or ""."""
    found = ROLE.search(text)
    if found is None or ONE_OF_A_KIND.search(found["role"]) is None:
        return ""
    return found["role"].removeprefix("new ").strip()


Kinship = Literal["equal", "narrower", "wider", "akin", "other"]

_NAME: Final = regex(r"(?<![\w'])[A-Z][\w'&.-]*")
_NUMBER: Final = regex(r"\d[\d.,:/-]*\w*")
_EMPTY: Final = STOP_WORDS | words(
    """
    new old first own little another very really super favorite favourite named called beloved some lot bit s job
    eat eats eating drink drinks drinking go goes going
    """
)

# Kinds of words, so that "my car" is the Honda, and "the dog" the beagle.
_KINDS: Final = {
    "car": """
        honda toyota tesla ford bmw audi mazda nissan subaru volkswagen vw golf polo kia hyundai fiat volvo jeep
        chevrolet chevy lexus porsche renault peugeot skoda seat corolla civic prius mini convertible suv sedan
    """,
    "dog": """
        puppy pup beagle labrador lab retriever poodle terrier husky corgi dachshund bulldog shepherd collie spaniel
        boxer schnauzer greyhound dalmatian doggo
    """,
    "cat": "kitten kitty tabby siamese tomcat",
    "bike": "bicycle cycle",
    "phone": "iphone smartphone galaxy pixel",
    "laptop": "macbook thinkpad notebook chromebook",
    "computer": "pc desktop imac",
    "guitar": "telecaster stratocaster",
    "motorcycle": "motorbike harley vespa scooter",
    "child": "kid son daughter baby boy girl toddler",
    "seafood": "shrimp prawn lobster crab oyster",
    "meat": "beef pork chicken steak bacon lamb",
    "flat": "apartment",
    "allergy": "allergic",
}
_KIND_OF: Final = {stem(kind): stem(general) for general, some in _KINDS.items() for kind in (*some.split(), general)}


class Core(NamedTuple):
    """Value without function words: its stems, its names and numbers, and the kinds of its words."""

    stems: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]
    kinds: frozenset[str]


@lru_cache(maxsize=16_384)
def core(value: str) -> Core:
    """Return the core of a value."""
    found = (word.removesuffix("'s") for word in re.split(r"[^\w']+", value.lower()))
    content = [word for word in found if word and word not in _EMPTY]
    stems = frozenset(stem(word) for word in content)
    named = (name.lower().removesuffix("'s") for name in _NAME.findall(value))
    names = frozenset(name for name in named if name not in _EMPTY and name not in DAYS_AND_MONTHS)
    return Core(
        stems, names, frozenset(_NUMBER.findall(value)), frozenset(_KIND_OF[root] for root in stems if root in _KIND_OF)
    )


def kinship(older: str, newer: str) -> Kinship:
    """Return the kinship of the newer value to the older: ``narrower`` is more specific, ``akin`` overlaps."""
    one, other = core(older), core(newer)
    if older.lower() == newer.lower() or (one.stems == other.stems and one.stems):
        return "equal"
    if one.names and other.names and not one.names & other.names:
        return "other"
    if one.numbers and other.numbers and one.numbers != other.numbers:
        return "other"
    wide, narrow = _widened(one), _widened(other)
    if one.stems and one.stems <= narrow:
        return "narrower"
    if other.stems and other.stems <= wide:
        return "wider"
    if one.names & other.names or one.kinds & other.kinds:
        return "akin"
    return "akin" if len(one.stems & other.stems) * 2 > min(len(one.stems), len(other.stems)) else "other"


def _widened(value: Core) -> frozenset[str]:
    """Return the stems of a value and of its kinds."""
    return value.stems | value.kinds


_COUNTS: Final = regex(r"^(?P<count>an?|one|two|three|four|five|six|seven|\d+) (?P<what>[a-z ]+)$", re.IGNORECASE)
_ACQUIRED: Final = regex(
    r"\b(?:bought|adopted|rescued|got|gotten|purchased|ordered|picked up|welcomed|acquired|upgraded)\b", re.IGNORECASE
)
_MOVED: Final = regex(r"\b(?:mov(?:ed|ing)|relocated|settled|left|emigrated)\b", re.IGNORECASE)
_ALONE: Final = regex(r"\b(?:single|divorced|widowed|separated)\b", re.IGNORECASE)
_STEP: Final = regex(
    r"\b(?:married|engaged|wife|husband|fianc\w+|single|divorced|widowed|dating|girlfriend|boyfriend)\b", re.IGNORECASE
)
_OF_STEP: Final = {
    **dict.fromkeys(("wife", "husband"), "married"),
    **dict.fromkeys(("fiance", "fiancé", "fiancee", "fiancée"), "engaged"),
    **dict.fromkeys(("girlfriend", "boyfriend"), "dating"),
}
# Times of the week or the day, which exclude one another as numbers do.
_TIMES: Final = regex(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|noon|midnight|morning|evening|half past)\b", re.IGNORECASE
)
_BUSINESS: Final = regex(r"\b(?:business|company|shop|store|studio|brand|firm|startup|blog|channel|bakery|agency)\b")
_LEFT: Final = regex(r"\b(?:quit|left|resigned|instead|now|no longer|gave up|switched)\b", re.IGNORECASE)
_A_DAY: Final = timedelta(days=1)


def likeness(stated: Stated) -> frozenset[str]:
    """Return keys shared by all claims of a slot that may repeat, extend or deny one another.

    Only claims with a common key need be compared; all claims of a single-valued slot share one.
    """
    claim = stated.claim
    if is_single(claim.slot, claim.kind):
        return frozenset({""})
    value = core(claim.value)
    role = {f"role {role}"} if claim.slot == "relation" and (role := single_role(claim.text)) else set[str]()
    return value.stems | value.kinds | value.names | role


def reconciled(older: Stated, newer: Stated) -> Verdict:
    """Return the relation of the newer claim to the older one, and its reason."""
    relation, why = _relation(older, newer)
    return Verdict(relation, why, f"rules/{version()}")


def _relation(older: Stated, newer: Stated) -> tuple[Relation, str]:
    one, other = older.claim, newer.claim
    if one.subject != other.subject:
        return "independent", "another subject"
    if other.slot.startswith(ENDED) and not one.slot.startswith(ENDED):
        return _ended(one, other, newer.said)
    if one.slot != other.slot:
        return "independent", "another slot"
    how = manner(newer.words, other.value)
    kin = _exactly(one.value, other.value) if one.slot in EXACT else kinship(one.value, other.value)
    if how.unreal:
        return ("same", "said again") if kin == "equal" and one.positive == other.positive else _apart("no fact")
    if one.slot in OCCASIONS or one.slot == "plan":
        return _occasion(older, newer, kin, how)
    if one.positive and not other.positive:
        return _denied(older, newer, kin)
    if not one.positive and other.positive:
        return _restored(older, kin, how)
    if not other.positive:
        return ("same", "denied again") if kin in ("equal", "wider") else _apart("another thing is denied")
    if how.righted and kin != "equal" and _unsaid(one.value, newer.words):
        return "contradicts", "corrected"
    attribute = one.slot not in SINGLE and is_single(one.slot, one.kind)
    if one.slot != "age" and not attribute and _at_other_times(older, newer):
        return _apart("each in its time")
    return _single(older, newer, kin, how) if is_single(one.slot, one.kind) else _one_of_many(older, newer, kin, how)


# Slots that a change of job, partner or home ends without naming what they hold.
_FAMILIES: Final = {
    JOB: words("job employer"),
    PARTNER: words("partner date see engage"),
    HOME: words("home stay share"),
    USE: words("uses use prefers prefer likes like"),
}
# Slots that no change of another kind ends: tastes, and what is so for good.
_LASTING: Final = words(
    "likes fear allergy sibling parent birthday hometown birthplace language goal name age instruction"
)
_OFF: Final = regex(r"\b(?:any ?more|no longer|off|stop\w*|quit|gave up|given up|not)\b", re.IGNORECASE)


def _ended(one: Claim, other: Claim, said: datetime) -> tuple[Relation, str]:
    """Return the relation of a claim that something ended to an earlier one of any slot, and its reason."""
    if not one.positive or (
        one.valid is not None and one.valid.end <= said and one.slot not in _MANY and one.kind != "profile"
    ):
        return _apart("over by itself")
    verb = one.slot.partition(" ")[0]
    told = lemma(verb, "VERB") != verb and verb not in {"left", "found", "felt", "saw"}
    if told and one.slot not in SINGLE | _MANY | {"said"} and one.kind == "fact":
        return _apart("an event stays so")
    held, gone = _held(one), _gone(other)
    if one.text == other.text:
        return _apart("told in one breath")
    family = _FAMILIES.get(other.slot)
    if family is not None:
        return _family_ended(one, other, verb in family, gone, held)
    if one.slot in _LASTING and not _OFF.search(other.text):
        return _apart("another thing ended")
    if (
        _OFF.search(other.text)
        and gone.stems
        and gone.stems <= core(one.text).stems
        and core(verb).stems & core(other.text).stems
    ):
        return "contradicts", "no longer so"
    if gone.names:
        return ("contradicts", "no longer so") if gone.names & held.names else _apart("another thing ended")
    # A thing ends, not every sentence that names it: it must be most of what the earlier claim holds.
    shared = gone.stems & (held.stems | held.kinds)
    most = len(shared) * 2 > len(gone.stems) and len(held.stems) <= _FEW_STEMS + len(shared)
    return ("contradicts", "no longer so") if shared and most else _apart("another thing ended")


def _held(claim: Claim) -> Core:
    """Return the core of what a claim holds that may end, without its subject."""
    return _without_subject(claim, f"{claim.value} {claim.slot}")


def _gone(claim: Claim) -> Core:
    """Return the core of what a claim says has ended, without its subject."""
    return _without_subject(claim, claim.value)


def _without_subject(claim: Claim, text: str) -> Core:
    own = next(iter(claim.subject.split()), "").removesuffix("'s")
    return core(text.replace(f"{own}'s", "").replace(own, ""))


def ending_keys(stated: Stated, *, ends: bool) -> frozenset[str]:
    """Return keys that a claim that something ended (``ends``) shares with each earlier one that it may close."""
    claim = stated.claim
    if ends:
        gone = _gone(claim)
        return gone.stems | gone.names | ({f"of {claim.slot}"} & _WITHOUT_WORDS)
    held, text = _held(claim), core(claim.text)
    verb = claim.slot.partition(" ")[0]
    families = {f"of {family}" for family, slots in _FAMILIES.items() if verb in slots or claim.slot in slots}
    families |= {f"of {HOME}"} if claim.slot == "be in" else set[str]()
    return held.stems | held.kinds | held.names | text.stems | (families & _WITHOUT_WORDS)


# Ends that close a claim of their kind though the two share no word.
_WITHOUT_WORDS: Final = frozenset(f"of {family}" for family in (JOB, PARTNER, HOME))
_HOUSES: Final = frozenset(map(stem, words("house flat apartment room home place bungalow")))
# Words beside the shared ones that an earlier claim may hold and still be about what ended.
_FEW_STEMS: Final = 4


def _family_ended(one: Claim, other: Claim, of_it: bool, gone: Core, held: Core) -> tuple[Relation, str]:  # noqa: FBT001
    """Return the relation of the end of a job, a partnership or a home to an earlier claim, and its reason."""
    if other.slot == USE:
        alike = of_it and gone.stems & held.stems
        return ("contradicts", "replaced") if alike else _apart("another thing ended")
    placed = other.slot == HOME and (
        one.slot in ("home", "stay")
        or (one.slot == "be in" and bool(core(one.value).names))
        or (one.slot == "share" and bool(_HOUSES & held.stems))
    )
    if other.slot == JOB and not of_it and gone.stems & held.stems - {"job"}:
        return "contradicts", "no longer so"
    if not placed and (other.slot == HOME or not of_it):
        return _apart("another thing ended")
    if other.slot == HOME:
        return _apart("there still") if core(one.value).names & core(other.text).names else ("contradicts", "moved")
    if gone.names and core(one.value).names and not gone.names & held.names:
        return _apart("another one ended")
    return "contradicts", "no longer so"


def _exactly(one: str, other: str) -> Kinship:
    return "equal" if one.lower() == other.lower() else "other"


def _unsaid(value: str, words: str) -> bool:
    """Tell if words take a value back: "not Porto"."""
    return any(
        name in words.lower() for name in (f"not {value.lower()}", *(f"not {name}" for name in core(value).names))
    )


def _apart(why: str) -> tuple[Relation, str]:
    return "independent", why


def _at_other_times(older: Stated, newer: Stated) -> bool:
    """Tell if the claims' times do not overlap."""
    one, other = older.claim.valid, newer.claim.valid
    if other is not None and other.end != OPEN and other.end <= (one.start if one else older.said):
        return True
    return one is not None and other is not None and one.end != OPEN and one.end <= other.start


def _occasion(older: Stated, newer: Stated, kin: Kinship, how: ChangeManner) -> tuple[Relation, str]:
    """Return the relation of events or plans, and its reason."""
    one, other = older.claim, newer.claim
    if kin == "other":
        return _apart("another occasion")
    moved = one.valid is None or other.valid is None or one.valid != other.valid
    called_off = how.over if other.positive else _of_one_verb(one, other)
    alike = other.positive or kin != "akin"
    if one.slot == "plan" and alike and one.positive and called_off and moved:
        return "contradicts", "called off" if not other.positive else "put off"
    same_time = one.valid == other.valid or one.valid is None or other.valid is None
    near = abs(newer.said - older.said) < _A_DAY or (one.valid is not None and one.valid == other.valid)
    if kin in ("equal", "wider") and same_time and near and one.positive == other.positive:
        return "same", "said again"
    return _apart("another time")


def _of_one_verb(plan: Claim, denied: Claim) -> bool:
    """Tell if the verb of a denied plan is in the plan: who will not "give up" still chases a dream."""
    return stem(denied.value.lower().split()[0]) in {stem(word) for word in plan.value.lower().split()}


def _denied(older: Stated, newer: Stated, kin: Kinship) -> tuple[Relation, str]:
    """Return the relation of a denial to an earlier assertion, and its reason."""
    slot, one, other = older.claim.slot, core(older.claim.value), core(newer.claim.value)
    if _is_open(older.claim) and (
        kin != "equal" or not other.stems or lemma(slot.split()[0], "VERB") != slot.split()[0]
    ):
        return _apart("another thing is denied")
    if slot == "job" and not other.stems and _BUSINESS.search(older.claim.value):
        # A denial of "the job" means another job than the person's own business.
        return _apart("another job is denied")
    if kin in ("equal", "wider") or not other.stems:
        return "contradicts", "no longer so"
    if slot == "partner" and not (one.names and other.names):
        return "contradicts", "no longer so"
    if slot in HAD_ANEW and one.names & other.names:
        return "contradicts", "no longer so"
    if slot in HAD_ANEW and kin == "narrower" and not _several(older.claim.value):
        return "contradicts", "no longer so"
    return _apart("another thing is denied")


def _is_open(claim: Claim) -> bool:
    """Tell if a claim is under its verb, not in a slot of values that exclude one another."""
    return claim.kind == "fact" and claim.slot not in SINGLE | _MANY | _TASTES


def _several(value: str) -> bool:
    found = _COUNTS.match(value)
    return (found is not None and found["count"].lower() not in ("a", "an", "one")) or value.endswith("s")


def _restored(older: Stated, kin: Kinship, how: ChangeManner) -> tuple[Relation, str]:
    """Return the relation of an assertion to an earlier denial, and its reason."""
    if kin not in ("equal", "narrower") or (kin != "equal" and _is_open(older.claim)):
        return _apart("another thing")
    if older.claim.slot in HAD_ANEW and not how.again:
        return _apart("had anew")
    return "contradicts", "so again" if how.again else "so now"


def _single(older: Stated, newer: Stated, kin: Kinship, how: ChangeManner) -> tuple[Relation, str]:
    """Return the relation of two values of a single-valued slot, and its reason."""
    slot, one, other = older.claim.slot, older.claim.value, newer.claim.value
    exact = all(core(value).names or core(value).numbers or _TIMES.search(value) for value in (one, other))
    if (
        slot not in SINGLE
        and not slot.startswith(("favourite ", "number of "))
        and not exact
        and not _REPLACED.search(newer.words)
        and kin in ("other", "akin")
    ):
        # "My goal is …", said twice, names two goals; "the office is on floor 3" is changed by another number.
        return _apart("one of several")
    if how.righted and kin != "equal":
        return "contradicts", "corrected"
    if slot == "partner":
        return _partner(older.claim, newer.claim, kin)
    if kin == "equal":
        return "same", "said again"
    if kin == "narrower":
        return "extends", "says more"
    if kin == "wider":
        return "same", "says less"
    if how.passing:
        return _apart("for a while only")
    if how.added or " includes " in newer.claim.text or " includes " in older.claim.text:
        return _apart("in addition")
    return _excluded(slot, one, other, newer.words, how)


def _excluded(slot: str, one: str, other: str, said: str, how: ChangeManner) -> tuple[Relation, str]:
    """Return the relation of another value of a single-valued slot to the one before, and its reason."""
    if slot == "home" and {one.lower(), other.lower()} & WIDE and not _MOVED.search(said):
        return _apart("a place and its country")
    if slot == "job":
        beside = bool((core(one).stems | core(other).stems) & CALLINGS) and not how.changed
        founded = _BUSINESS.search(other) is not None and _LEFT.search(said) is None
        if beside or founded:
            return _apart("followed beside it")
    if slot == "employer" and not (core(one).names and core(other).names) and not how.changed:
        return _apart("named otherwise")
    if slot == "diet" and not (core(one).stems & _DIETS and core(other).stems & _DIETS):
        return _apart("goes with it")
    return "contradicts", "changed" if how.changed else "another value"


_DIETS: Final = frozenset(stem for diet in DIETS for stem in core(diet).stems)


def _partner(older: Claim, newer: Claim, kin: Kinship) -> tuple[Relation, str]:
    """Return the relation of two partners: another person or another status contradicts."""
    one, other = older.value, newer.value
    names, step, last = core(one).names & core(other).names, _step(older), _step(newer)
    if _ALONE.search(one) or _ALONE.search(other):
        return ("same", "said again") if step == last else ("contradicts", "changed")
    if core(one).names and core(other).names and not names:
        return "contradicts", "another person"
    if step and last and step != last:
        return "contradicts", "changed"
    if kin in ("equal", "wider"):
        return "same", "said again"
    return "extends", "says more"


def _step(claim: Claim) -> str:
    """Return how far a partnership has come, by its value or else by its words."""
    found = _STEP.search(claim.value) or _STEP.search(claim.text)
    return "" if found is None else _OF_STEP.get(found[0].lower(), found[0].lower())


def _one_of_many(older: Stated, newer: Stated, kin: Kinship, how: ChangeManner) -> tuple[Relation, str]:
    """Return the relation of two values of a slot with any number of values, and its reason."""
    slot, one, other = older.claim.slot, older.claim.value, newer.claim.value
    if slot in ("relation", "friend"):
        return _relative(older, newer, how)
    if slot == "instruction" and _CALL_ME.search(one) and _CALL_ME.search(other):
        return ("same", "said again") if kin == "equal" else ("contradicts", "another name")
    if _counted_otherwise(one, other):
        return ("contradicts", "another number") if slot in ("child", "sibling", "pet") else _apart("another number")
    if how.added or (slot in HAD_ANEW and kin != "other" and _another(older, newer)):
        return _apart("another one")
    if kin == "equal":
        return "same", "said again"
    if slot not in _MANY | _TASTES:
        return _apart("said of another time")
    if kin == "narrower":
        return "extends", "says more"
    if kin == "wider":
        return "same", "says less"
    if slot in HAD_ANEW and core(one).names & core(other).names:
        return "same", "said again"
    return _apart("one of several")


_CALL_ME: Final = regex(r"^(?:please )?call me \w", re.IGNORECASE)
_TASTES: Final = words("likes hobby interest habit fear goal diet uses belief instruction prefers")


def _another(older: Stated, newer: Stated) -> bool:
    """Tell if the newer claim is about getting another one, two or more days apart from the older."""
    names = core(older.claim.value).names & core(newer.claim.value).names
    got = _ACQUIRED.search(newer.words) is not None
    return got and not names and abs(newer.said - older.said) >= 2 * _A_DAY


def _counted_otherwise(one: str, other: str) -> bool:
    before, after = _COUNTS.match(one), _COUNTS.match(other)
    if (
        before is None
        or after is None
        or before["count"].lower() in ("a", "an")
        or after["count"].lower() in ("a", "an")
    ):
        return False
    return before["count"].lower() != after["count"].lower() and core(before["what"]) == core(after["what"])


def _relative(older: Stated, newer: Stated, how: ChangeManner) -> tuple[Relation, str]:
    """Return the relation of two people by their roles: a single role contradicts."""
    if older.claim.value == newer.claim.value:
        return "same", "said again"
    role = single_role(older.claim.text)
    if role and role == single_role(newer.claim.text) and not how.added and not how.passing:
        return "contradicts", f"another {role}"
    return _apart("one of several")
