"""What is said by "Maria's …": relatives, friends and pets with their names, favourites, goals, belongings."""

import re
from collections.abc import Iterator
from typing import Final

from hmem.language.analyst.base import Claim
from hmem.language.analyst.rules.claiming import Maker
from hmem.language.analyst.rules.gazetteer import is_common
from hmem.language.analyst.rules.relatives import KIN
from hmem.language.analyst.rules.sureness import unsure
from hmem.language.analyst.rules.values import is_meaningful, phrase, without_determiner
from hmem.language.analyst.rules.vocabulary import NO_GOODS, PETS, PLACE
from hmem.language.analyst.rules.wordlist import words
from hmem.language.regex import regex

_FAVOURITE: Final = regex(
    r"(?<!of )§'s (?:all[- ]time |absolute |personal |current )*(?:favou?rite|fave)(?P<what>(?: "
    r"[\w-]+){1,4}?)? (?:is|are|has to be|would be|has always been|is probably|is definitely)\s+",
    re.IGNORECASE,
)
_ONE_OF: Final = regex(
    r"(?P<v>\"[^\"]{2,60}\"|(?:[A-Z][\w'-]*)(?: (?:of|the|and|in|a|to|[A-Z][\w'-]*)){0,6}|"
    r"[A-Z][a-z]+(?: [a-z]+)?|^[A-Z][a-z]+ing(?: [a-z-]+){0,5}) (?:is|are|was|were) (?:definitely |probably |also "
    r"|still |always )*(?:one "
    r"of )?§'s (?:all[- ]time |absolute |personal |current )*(?:favou?rite|fave)(?P<what>s?(?: "
    r"[\w-]+){0,3}?)(?=[.,!;:]| too\b| for\b| because\b| of\b| to\b| -|$)"
)
_IS_CALLED: Final = regex(
    rf"§'s (?:[a-z]+ ){{0,2}}?(?P<kin>{KIN}|{PETS}|kid|baby)(?:'s name)? (?:is (?:called|named)|is|"
    r"was named|is named) (?P<name>[A-Z][a-z]+)(?=[.,!]| and\b|$)"
)
_OWN: Final = regex(
    rf"(?<!at )(?<!and )§'s (?:(?:[a-z-]+ ){{0,2}}?)(?P<kin>{KIN}|{PETS})(?:, ?|,? named |,? called |"
    r" )(?P<name>[A-Z][a-zà-ÿ]+)\b(?!'s [a-z]+ [A-Z])"
)
_MINE: Final = regex(
    r"(?P<v>(?!(?:My|The|Our|Some|Being|Having|Seeing|All|Every|Finding|Getting|"
    r"§)\b)[A-Z][a-z'-]+(?: [A-Za-z'-]+){0,4}?) (?:is|are|has been|has become|has always been|is "
    r"like|are like) (?:like |also |still |really |definitely )*(?:(?:an?|one of|the|such a) (?:\w+ "
    r")?(?:part|bit) of |one of )?§'s (?:\w+ ){0,2}?(?:passions?|hobby|hobbies|escape|outlets?|"
    r"creative outlets?|stress fix|stress relief|therapy|go-to|first love|happy place|dream|number one "
    r"goal|goal|jam|comfort food|guilty pleasure|safe place|top pick|thing|specialty)\b"
)
_HAS_ONE: Final = regex(
    r"(?<!with )§'s (?:(?:older|younger|little|big|older|two|three|own|beloved|cute|furry|pet|\d) "
    r"){0,2}(?P<kin>wife|husband|girlfriend|boyfriend|fianc[ée]e?|kids|children|sons?|daughters?|"
    r"brothers?|sisters?|twins|dogs?|pupp(?:y|ies)|cats?|kittens?|turtles?|guinea pigs?|rabbits?|"
    r"hamsters?|parrots?|horses?|snakes?)(?=[ .,!?;:)]|'s? |$)(?! "
    r"(?:painting|drawing|picture|photo|park|show|food|race|racing|riding|house|toys?|sitter|walker|statue|treats?)\b"
    r"| [A-Z]|,? (?:named|called)|, [A-Z]| "
    r"(?:at|in the) )"
)
_SLOT_IS: Final = regex(
    r"§'s (?:(?:main|new|current|biggest|ultimate|first|favou?rite|next|long-term) "
    r")?(?P<slot>birthday|hobby|hobbies|hometown|job|goal|dream|plan|star sign|native language|blood type|"
    r"major) (?:is|are|was) (?:now )?(?!not |so |to (?:be|make|keep|help|give|get|inspire|create|bring|"
    r"spread|show)\b|(?:it|that|this|what)\b|going |coming |paying |really |very |still )",
    re.IGNORECASE,
)
_ANY_THING: Final = regex(r"^s$|\b(?:ones?|things?|parts?|to|of|about)\b")
_CHILD: Final = regex(r"(?:son|daughter|kid|baby|child|children|twin)$")
_SIBLING: Final = regex(r"(?:brother|sister)$")
_PARENT: Final = regex(r"(?:mother|mom|mum|mommy|father|dad|daddy)$")
_PARTNER: Final = regex(r"(?:husband|wife|boyfriend|girlfriend|partner|fianc[ée]e?)$")

_PET: Final = regex(rf"{PETS}$|kitten$|pet$")
_KINDS: Final = ((_CHILD, "child"), (_SIBLING, "sibling"), (_PARENT, "parent"), (_PARTNER, "partner"), (_PET, "pet"))
NO_NAMES: Final = words(
    """
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August
    September October November December I The Day Christmas Thanksgiving Easter And But If So It That This
    """
)
POINTERS: Final = words(
    """
    It This That They These Those He She Which What Here One There Each Both Such Same Who Him Her
    """
)
_ALSO: Final = {"hobbies": "hobby", "dream": "goal"}

# "Maria's dance studio", "Maria's car".
_OWNED: Final = regex(
    rf"(?<!like )(?<!at )§'s (?P<v>(?:own |new |old |first |electric |little |online |dance |clothing |clothes "
    rf"|food |small |beloved )"
    r"{0,3}(?:garden|car|bike|motorcycle|van|truck|boat|guitar|piano|violin|telescope|greenhouse|bookshelf|camera"
    r"|drone|3d printer"
    r"|store|shop|studio|business|company|blog|youtube channel|channel|podcast|bakery|farm|cabin|apartment|flat|house))"
    rf"\b{NO_GOODS}(?! (?:plan|plans|idea|ideas|partner|trip|card|cards|model|cover|keys|window|door|venture"
    rf"|\w+ing)\b)(?!-)"
)
_AWAY: Final = regex(
    r"\b(?:start(?:ing|ed)?|open(?:ing)?|creat(?:e|ing)|launch(?:ing)?|thinking|dreams?|build(?:ing)?|buy(?:ing)?"
    r"|find(?:ing)?|get(?:ting)?|plans?|planning|hopes?|become|sold|sells?|selling|lost|losing|donated|gave|rid"
    r"|crashed|closed|left|quit|wants?|no longer|not)\b",
    re.IGNORECASE,
)
# "Anna Lindqvist, from Gothenburg".
_FROM: Final = regex(rf"^(?P<name>[A-Z][a-zà-ÿ]+(?: [A-Z][a-zà-ÿ]+)?), (?:who is |who's )?from {PLACE}")
# "Declan is Maria's brother-in-law".
_IS_KIN: Final = regex(
    rf"(?<![\w'-])(?P<name>[A-Z][a-zà-ÿ]+(?: [A-Z][a-zà-ÿ]+)?)(?: is|,|, who is"
    rf"| -) §'s (?P<kin>(?:[a-z-]+ ){{0,2}}?(?:{KIN}"
    r"|manager|landlord|landlady|physiotherapist|trainer|supervisor|professor|tutor|student|assistant|agent|nanny"
    r"|classmate"
    r"|housemate|godmother|godfather|brother-in-law|sister-in-law|mother-in-law|father-in-law|stepfather|stepmother))\b"
    r"(?= on\b| at\b| from\b| in\b| and\b|[.,!;]|$)(?!'s)"
)
# "§'s older sister Ifeoma, in Dublin"
_KIN_AT: Final = regex(
    rf"§'s (?:[a-z-]+ ){{0,2}}?(?P<kin>{KIN}|cousin) (?P<name>[A-Z][a-zà-ÿ]+),? (?:who lives )?(?:in|from|back in"
    rf"|over in) {PLACE}"
)
# "the conductor is called Anya", "a student downstairs called Duarte".
_ROLE_CALLED: Final = regex(
    r"\b(?:[Tt]he|[Aa]n?|§'s) (?P<kin>(?:[a-z'-]+ ){0,2}?(?:conductor|student|teacher|coach|instructor|neighbou?r"
    r"|colleague|coworker"
    r"|trainer|manager|landlord|landlady|vet|doctor|therapist|physiotherapist|boss|guy|man|woman|girl|boy|lady"
    r"|friend|roommate"
    r"|flatmate|housemate|mentor|tutor|volunteer|classmate|teammate|cousin|niece|nephew))(?: (?:downstairs|upstairs"
    r"|next door|at work"
    r"|there))?,? (?:is |was |who is |whose name is )?(?:called|named) (?P<name>[A-Z][a-zà-ÿ]+)\b"
)
_JOY: Final = regex(
    r"^(?P<v>(?!(?:My|The|Our|Some|Being|Having|Seeing|All|Every|Finding|Getting|Knowing|Hearing|Their|His|Her|These"
    r"|Those|§)\b)"
    r"[A-Z][a-z'-]+(?: [a-z'-]+){0,4}?) (?:also |really |always |just |still |sure |definitely "
    r"|totally )*(?:brings? § (?:so much |such "
    r"|a lot of |lots of |much |great )?(?:joy|happiness|peace|comfort)|(?:is|are) (?:so |really |super |very "
    r"|such a )*(?:relaxing|fun"
    r"|therapeutic|calming|important) (?:for|to) §|makes? § (?:so |really )?happy|means? (?:a lot|so much|the world"
    r"|everything) to §"
    r"|(?:is|are) an? (?:huge|big|important|essential|large) part of §'s life|inspires? §"
    r"|helps? § (?:relax|unwind|de-?stress|stay (?:calm|focused|grounded|positive|motivated|sane|connected)|focus|cope"
    r"|escape|recharge|switch off))\b"
)


def belongings(sentence: str, maker: Maker, *, own: bool) -> Iterator[Claim]:
    """The claims of what is the speaker's; ``own``: the speaker said "my", so that it is not only "ours"."""
    if "fav" in sentence:
        yield from _favourites(sentence, maker)
    yield from _named(sentence, maker)
    if own:
        yield from _had(sentence, maker)
    yield from _loved(sentence, maker)
    yield from _told(sentence, maker)


def _named(sentence: str, maker: Maker) -> Iterator[Claim]:
    """Relatives, friends and pets by name."""
    for found in (*_IS_CALLED.finditer(sentence), *_OWN.finditer(sentence)):
        kin, name = found["kin"], found["name"]
        if name not in NO_NAMES and name != maker.speaker:
            yield _relative(kin, name, maker)
    for found in _IS_KIN.finditer(sentence):
        if found["name"].split()[0] not in NO_NAMES | POINTERS and not unsure(sentence, found.start()):
            yield _relative(found["kin"], found["name"], maker)
    for found in _KIN_AT.finditer(sentence):
        yield maker.claim(
            "profile", found["name"], "home", found["v"].rstrip("."), f"{{s}} lives in {found['v'].rstrip('.')}."
        )


def _had(sentence: str, maker: Maker) -> Iterator[Claim]:
    """Relatives and pets without a name, and things."""
    for found in _HAS_ONE.finditer(sentence):
        kin = found["kin"]
        slot = _slot_of(kin) or _slot_of(singular(kin))
        if slot and not unsure(sentence, found.start()):
            many = kin.endswith("s") or kin == "children"
            yield maker.claim("profile", maker.speaker, slot, kin, f"{{s}} has {kin if many else f'a {kin}'}.")
    for found in _OWNED.finditer(sentence):
        if not unsure(sentence, found.start()) and not _AWAY.search(sentence, 0, found.start()):
            value = re.sub(r"^(?:own|new|old|first|little|beloved) ", "", found["v"])
            article = "an" if value[0] in "aeio" else "a"
            yield maker.claim("fact", maker.speaker, "owns", value, f"{{s}} has {article} {value}.")


def _loved(sentence: str, maker: Maker) -> Iterator[Claim]:
    mine = _MINE.match(sentence)
    if mine is not None and is_meaningful(mine["v"]) and mine["v"].split()[0] not in POINTERS:
        value = _small(mine["v"])
        slot = "goal" if "goal" in mine[0] or "dream" in mine[0] else "likes"
        yield maker.claim("preference", maker.speaker, slot, value, mine[0] + ".")


def people(sentence: str, maker: Maker) -> Iterator[Claim]:
    """People called by name and by what they are: "the conductor is called Anya"."""
    for found in _ROLE_CALLED.finditer(sentence):
        if found["name"] not in NO_NAMES and not unsure(sentence, found.start()):
            kin = found["kin"]
            article = "the" if "'s " in kin else "an" if kin[0] in "aeiou" else "a"
            yield maker.claim("fact", found["name"], "role", kin, f"{{s}} is {article} {kin}.")
    if come := _FROM.match(sentence):
        yield maker.claim(
            "profile", come["name"], "hometown", come["v"].rstrip("."), f"{{s}} is from {come['v'].rstrip('.')}."
        )


def _small(value: str) -> str:
    """What opened a sentence, as it stands within one: a name keeps its capital."""
    return value[0].lower() + value[1:] if is_common(value.partition(" ")[0].lower()) else value


def joys(sentence: str, maker: Maker) -> Iterator[Claim]:
    """What is said to bring someone joy."""
    joy = _JOY.match(sentence)
    if joy is not None and is_meaningful(joy["v"]) and joy["v"].split()[0] not in POINTERS:
        yield maker.claim("preference", maker.speaker, "likes", _small(joy["v"]), joy[0] + ".")


def _told(sentence: str, maker: Maker) -> Iterator[Claim]:
    slot = _SLOT_IS.search(sentence)
    if slot is not None and not unsure(sentence, slot.start()):
        value = phrase(sentence, slot.end())
        if is_meaningful(value):
            said = slot["slot"].lower()
            yield maker.claim("profile", maker.speaker, _ALSO.get(said, said), value, f"{{s}}'s {said} is {value}.")


def _relative(kin: str, name: str, maker: Maker) -> Claim:
    slot = _slot_of(kin) or ("friend" if "friend" in kin else "relation")
    if slot in ("relation", "friend"):
        return maker.claim("profile", maker.speaker, slot, name, f"{name} is {{s}}'s {kin}.")
    return maker.claim("profile", maker.speaker, slot, f"{kin} {name}", f"{{s}} has a {kin}, {name}.")


def _slot_of(kin: str) -> str | None:
    return next((slot for pattern, slot in _KINDS if pattern.search(kin)), None)


def _favourites(sentence: str, maker: Maker) -> Iterator[Claim]:
    for found in _FAVOURITE.finditer(sentence):
        value = phrase(sentence, found.end())
        if is_meaningful(value) and not unsure(sentence, found.start()):
            yield _favourite(found["what"] or "", value, "is", maker)
    for found in _ONE_OF.finditer(sentence):
        value = found["v"]
        if is_meaningful(value) and not unsure(sentence, found.start()) and value.split()[0] not in POINTERS:
            yield _favourite(found["what"] or "", value, "includes" if "one of" in found[0] else "is", maker)


def _favourite(what: str, value: str, verb: str, maker: Maker) -> Claim:
    thing = singular(what.strip().lower()) if verb == "includes" else what.strip().lower()
    value = without_determiner(value) if value[0].islower() else _gerund(value)
    slot = f"favourite {thing}" if thing and not _ANY_THING.search(thing) else "likes"
    named = f"{{s}}'s {slot} {verb} {value}." if slot != "likes" else f"A favourite of {{s}}'s is {value}."
    return maker.claim("preference", maker.speaker, slot, value, named)


def _gerund(value: str) -> str:
    first = value.partition(" ")[0]
    return value[0].lower() + value[1:] if first.endswith("ing") else value


def singular(thing: str) -> str:
    """A noun in the singular, as far as its ending tells."""
    if thing.endswith("ies") and thing != "movies":
        return thing[:-3] + "y"
    if thing.endswith(("ches", "shes", "xes", "sses")):
        return thing[:-2]
    return thing[:-1] if thing.endswith("s") and not thing.endswith("ss") else thing
