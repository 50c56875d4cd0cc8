"""Notes: what a turn claims about its speaker, and about the people and pets that the speaker names (HiMem).

Claims are read from the turn's statements, where people stand by name: a subject, a verb, and the rules of
``slots.BY_VERB`` for that verb; and "Maria's favourite X is Y", "Maria's dog Coco". A wrong note is worse than a
missing one, so nothing is read from questions, answers that are quoted with their question, conditions and wishes,
and what others said. Decided:

- What is not so any more ("no longer", "used to", "quit", "sold") is a claim that is not positive; its text says so.
- ``valid`` of a state ("since 2016", "moved in May") goes from the start of the date to ``OPEN``: it still holds.
  ``valid`` of a happening or a plan is its date. Without a date there is none.
- "dislikes" is the slot ``likes``, not positive: so that the two meet when notes are reconciled.
- What the speaker says of the other speaker is hearsay, and left out.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from hmem.language.analyst.base import Claim, Passage, Statement
from hmem.language.analyst.rules.person import shown
from hmem.language.analyst.rules.relatives import KIN
from hmem.language.analyst.rules.slots import BY_VERB
from hmem.language.analyst.rules.values import is_meaningful, phrase, without_determiner
from hmem.language.analyst.rules.verbs import is_past, third_person
from hmem.language.analyst.rules.vocabulary import PETS, Rule
from hmem.language.analyst.rules.wordlist import words
from hmem.language.sentences import split
from hmem.model.note import NoteKind
from hmem.model.span import Span
from hmem.model.turn import Turn

# The end of what still holds.
OPEN: Final = datetime(9999, 12, 31, tzinfo=UTC)

# Claims of one turn.
_MOST: Final = 8

# The speaker within a text that is being read.
_SELF: Final = "§"

_ADVERBS: Final = (
    r"(?:(?:really|always|just|also|still|actually|recently|finally|usually|often|mostly|already|now|"
    r"totally|absolutely|currently|sometimes|especially|definitely|truly|even|kind of|kinda|once|first|"
    r"both|all|officially|only|personally|particularly|secretly|initially|lately|generally|normally|"
    r"barely|honestly)\s+)*"
)
_PREDICATE: Final = re.compile(
    rf"(?<![\w'-])(?:{_SELF}(?P<kin>'s\s+(?:[a-z-]+\s+){{0,2}}?(?P<who>{KIN}))?(?:,?\s+"
    rf"(?P<name>[A-Z][a-zà-ÿ]+)\b,?)?(?P<others> and others)?)\s+{_ADVERBS}"
    r"(?:(?P<aux>does|did|(?:has|have|had) been(?= [a-z]+ing\b)|has|had|have|is|was|are|were|used to|will|"
    rf"could|can|would|may|might|should)\s+)?{_ADVERBS}(?P<not>(?:not|never|no longer|cannot|rarely|"
    rf"hardly)\s+)?{_ADVERBS}(?P<verb>[a-z]+)(?:\s+|(?=[.,!;]|$))"
)
_UNSURE: Final = re.compile(
    r"\b(?:if|whether|unless|wish(?:es|ed)?|imagine[sd]?|maybe|perhaps|would|might|may|could|should|"
    r"dream(?:s|ed|t)?|pretend\w*|said|says|told|tells"
    r"|asked|joking|kidding|lol|haha|used to think|hypothetically|suppose|until|almost|nearly|as though|"
    r"like when|makes?|made|making|lets|helps|remind\w*|feels? like|thinks?|thought|fe(?:els|lt) like|"
    r"sometimes feels|sad that|sorry that)\b",
    re.IGNORECASE,
)
_MY: Final = re.compile(r"\bmy\b", re.IGNORECASE)
_DATE: Final = re.compile(r"\s\((?:[^()]*\d{4}[^()]*)\)")
_FAVOURITE: Final = re.compile(
    rf"(?<!of ){_SELF}'s (?:all[- ]time |absolute |personal |current )*(?:favou?rite|fave)(?P<what>(?: "
    rf"[\w-]+){{1,4}}?)? (?:is|are|has to be|would be|has always been|is probably|is definitely)\s+",
    re.IGNORECASE,
)
_ONE_OF: Final = re.compile(
    rf"(?P<v>\"[^\"]{{2,60}}\"|(?:[A-Z][\w'-]*)(?: (?:of|the|and|in|a|to|[A-Z][\w'-]*)){{0,6}}|"
    r"[A-Z][a-z]+(?: [a-z]+)?) (?:is|are|was|were) (?:definitely |probably |also |still |always )*(?:one "
    rf"of )?{_SELF}'s (?:all[- ]time |absolute |personal |current )*(?:favou?rite|fave)(?P<what>s?(?: "
    rf"[\w-]+){{0,3}}?)(?=[.,!;:]| too\b| for\b| because\b| of\b| to\b| -|$)"
)
_IS_CALLED: Final = re.compile(
    rf"{_SELF}'s (?:[a-z]+ ){{0,2}}?(?P<kin>{KIN}|{PETS}|kid|baby)(?:'s name)? (?:is (?:called|named)|is|"
    r"was named|is named) (?P<name>[A-Z][a-z]+)(?=[.,!]| and\b|$)"
)
_OWN: Final = re.compile(
    rf"(?<!at )(?<!and ){_SELF}'s (?:(?:[a-z-]+ ){{0,2}}?)(?P<kin>{KIN}|{PETS})(?:, ?|,? named |,? called |"
    r" )(?P<name>[A-Z][a-zà-ÿ]+)\b(?!'s [a-z]+ [A-Z])"
)
_MINE: Final = re.compile(
    r"(?P<v>(?!(?:My|The|Our|Some|Being|Having|Seeing|All|Every|Finding|Getting|"
    rf"{_SELF})\b)[A-Z][a-z'-]+(?: [a-z'-]+){{0,4}}?) (?:is|are|has been|has become|has always been|is "
    r"like|are like) (?:like |also |still |really |definitely )*(?:(?:an?|one of|the|such a) (?:\w+ "
    rf")?(?:part|bit) of |one of )?{_SELF}'s (?:\w+ ){{0,2}}?(?:passions?|hobby|hobbies|escape|outlets?|"
    r"creative outlets?|stress fix|stress relief|therapy|go-to|first love|happy place|dream|number one "
    r"goal|goal|jam|comfort food|guilty pleasure|safe place)\b"
)
_HAS_ONE: Final = re.compile(
    rf"(?<!with ){_SELF}'s (?:(?:older|younger|little|big|older|two|three|own|beloved|cute|furry|pet|\d) "
    rf"){{0,2}}(?P<kin>wife|husband|girlfriend|boyfriend|fianc[ée]e?|kids|children|sons?|daughters?|"
    r"brothers?|sisters?|twins|dogs?|pupp(?:y|ies)|cats?|kittens?|turtles?|guinea pigs?|rabbits?|"
    r"hamsters?|parrots?|horses?|snakes?)(?=[ .,!?;:)]|'s? |$)(?! "
    r"(?:painting|drawing|picture|photo|park|show|food|race|racing|riding|house|toys?|sitter|walker|statue|treats?)\b"
    r"| [A-Z]|,? (?:named|called)|, [A-Z]| "
    r"(?:at|in the) )"
)
_SLOT_IS: Final = re.compile(
    rf"{_SELF}'s (?:(?:main|new|current|biggest|ultimate|first|favou?rite|next|long-term) "
    r")?(?P<slot>birthday|hobby|hobbies|hometown|job|goal|dream|plan|star sign|native language|blood type|"
    r"major) (?:is|are|was) (?:now )?(?!not |so |to (?:be|make|keep|help|give|get|inspire|create|bring|"
    r"spread|show)\b|(?:it|that|this|what)\b|going |coming |paying |really |very |still )",
    re.IGNORECASE,
)
_ANY_THING: Final = re.compile(r"^s$|\b(?:ones?|things?|parts?|to|of|about)\b")
_CHILD: Final = re.compile(r"(?:son|daughter|kid|baby|child|children|twin)$")
_SIBLING: Final = re.compile(r"(?:brother|sister)$")
_PARENT: Final = re.compile(r"(?:mother|mom|mum|mommy|father|dad|daddy)$")
_PARTNER: Final = re.compile(r"(?:husband|wife|boyfriend|girlfriend|partner|fianc[ée]e?)$")
# A small word just before a subject, other than these, makes what follows part of something: "the things Maria loves".
_WORD_BEFORE: Final = re.compile(r"(?<![\w'-])([A-Za-z]+) $")
_ALL: Final = words("All Everyone Everybody Everything Anything Something Someone Those Things People")
_JOINERS: Final = words(
    """
    and but so because since when while that as although though where cause then now also plus yet still well ok
    lately recently yesterday today tonight week weekend month year morning night evening afternoon day days weeks
    months years ago time times summer winter spring fall meantime hour actually anyway sometimes usually once before
    monday tuesday wednesday thursday friday saturday sunday which why how
    """
)
_GENERAL: Final = words(
    """
    event group class team show meeting party trip game community project new project club place event this
    weekend book band idea business
    """
) | {"new project", "new group", "new class"}
_PET: Final = re.compile(rf"{PETS}$|kitten$|pet$")
_MONTHS: Final = words(
    """
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August
    September October November December I The Day Christmas Thanksgiving Easter And But
    """
)
_ALSO: Final = {"hobbies": "hobby", "dream": "goal"}
_THIRD_PERSONS: Final = words(
    """
    home employer job age allergy plays studies diet language hometown birthplace
    """
)


def claims(passage: Passage, events: Sequence[Sequence[Statement]]) -> list[list[Claim]]:
    """The candidate notes of each wanted turn, read from its statements."""
    return [_of_turn(turn, statements) for turn, statements in zip(passage.wanted, events, strict=True)]


def _of_turn(turn: Turn, statements: Sequence[Statement]) -> list[Claim]:
    found: dict[tuple[str, str, str], Claim] = {}
    own = _MY.search(turn.text) is not None
    for place, statement in enumerate(statements):
        for claim in _of_statement(turn.speaker, statement, place, own=own):
            found.setdefault((claim.subject, claim.slot, claim.value.lower()), claim)
    return list(found.values())[:_MOST]


def _of_statement(speaker: str, statement: Statement, place: int, *, own: bool) -> Iterator[Claim]:
    name = shown(speaker)
    if name.casefold() not in statement.text.casefold() or statement.text.startswith('Asked "'):
        return
    text = _speaker(name).sub(_SELF, _DATE.sub("", statement.text))
    sentences = [piece.text for piece in split(text)] if len(text) > 60 else [text]
    reader = _Reader(speaker, statement.happened, place, own=own)
    for sentence in sentences:
        if _SELF in sentence and not sentence.rstrip("\"')").endswith("?") and " shared a picture: " not in sentence:
            yield from reader.read(sentence)


@lru_cache(maxsize=1_024)
def _speaker(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.IGNORECASE if name[:4] == "the " else 0)


@dataclass(frozen=True, slots=True)
class _Said:
    """A subject and a verb; whether it is denied; and whether it is said to be past ("used to")."""

    subject: str
    verb: str
    negated: bool
    used: bool


class _Reader:
    """Reads the sentences of one statement. ``own``: the speaker said "my", so that what is theirs is not just ours."""

    def __init__(self, speaker: str, happened: Span | None, place: int, *, own: bool) -> None:
        self.own = own
        self.speaker = speaker
        self.happened = happened
        self.place = place

    def read(self, sentence: str) -> Iterator[Claim]:
        if "§'s" in sentence:
            yield from self._possessions(sentence)
        for found in _PREDICATE.finditer(sentence):
            claim = self._predicate(sentence, found)
            if claim is not None:
                yield claim

    def _possessions(self, sentence: str) -> Iterator[Claim]:
        """What is said by "Maria's …"."""
        if "fav" in sentence:
            yield from self._favourites(sentence)
        for found in (*_IS_CALLED.finditer(sentence), *_OWN.finditer(sentence)):
            kin, name = found["kin"], found["name"]
            if name not in _MONTHS and name != self.speaker:
                yield self._relative(kin, name)
        for found in _HAS_ONE.finditer(sentence) if self.own else ():
            kin = found["kin"]
            slot = next(
                (slot for pattern, slot in _KINDS if pattern.search(kin) or pattern.search(_singular(kin))), None
            )
            if slot and not _unsure(sentence, found.start()):
                many = kin.endswith("s") or kin == "children"
                yield self._claim("profile", self.speaker, slot, kin, f"{{s}} has {kin if many else f'a {kin}'}.")
        mine = _MINE.match(sentence)
        if mine is not None and is_meaningful(mine["v"]) and mine["v"].split()[0] not in _POINTERS:
            value = mine["v"][0].lower() + mine["v"][1:]
            slot = "goal" if "goal" in mine[0] or "dream" in mine[0] else "likes"
            yield self._claim("preference", self.speaker, slot, value, mine[0] + ".")
        slot = _SLOT_IS.search(sentence)
        if slot is not None and not _unsure(sentence, slot.start()):
            value = phrase(sentence, slot.end())
            if is_meaningful(value):
                said = slot["slot"].lower()
                yield self._claim("profile", self.speaker, _ALSO.get(said, said), value, f"{{s}}'s {said} is {value}.")

    def _relative(self, kin: str, name: str) -> Claim:
        slot = next(
            (slot for pattern, slot in _KINDS if pattern.search(kin)), "friend" if "friend" in kin else "relation"
        )
        if slot in ("relation", "friend"):
            return self._claim("profile", self.speaker, slot, name, f"{name} is {{s}}'s {kin}.")
        return self._claim("profile", self.speaker, slot, f"{kin} {name}", f"{{s}} has a {kin}, {name}.")

    def _favourites(self, sentence: str) -> Iterator[Claim]:
        for found in _FAVOURITE.finditer(sentence):
            value = phrase(sentence, found.end())
            if is_meaningful(value) and not _unsure(sentence, found.start()):
                yield self._favourite(found["what"] or "", value, "is")
        for found in _ONE_OF.finditer(sentence):
            value = found["v"]
            if is_meaningful(value) and not _unsure(sentence, found.start()) and value.split()[0] not in _POINTERS:
                yield self._favourite(found["what"] or "", value, "includes" if "one of" in found[0] else "is")

    def _favourite(self, what: str, value: str, verb: str) -> Claim:
        thing = _singular(what.strip().lower()) if verb == "includes" else what.strip().lower()
        value = without_determiner(value) if value[0].islower() else _gerund(value)
        slot = f"favourite {thing}" if thing and not _ANY_THING.search(thing) else "likes"
        named = f"{{s}}'s {slot} {verb} {value}." if slot != "likes" else f"A favourite of {{s}}'s is {value}."
        return self._claim("preference", self.speaker, slot, value, named)

    def _predicate(self, sentence: str, found: re.Match[str]) -> Claim | None:
        """The claim of a verb; or else of its auxiliary, when that is the verb: "is allergic", "has a dog"."""
        aux = found["aux"] or ""
        unsure = aux in _POSSIBLE or _within(sentence, found.start()) or _unsure(sentence, found.start())
        subject = None if unsure else self._subject(found)
        if subject is None:
            return None
        negated = found["not"] is not None
        claim = None
        if (rules := BY_VERB.get(found["verb"])) and not _is_otherwise(found["verb"], aux, negated=negated):
            verb = "has" if aux == "has" and found["verb"] == "had" else found["verb"]
            claim = self._fitting(sentence, found.end(), rules, _Said(subject, verb, negated, aux == "used to"))
        base = aux.partition(" ")[0]
        if claim is None and (rules := BY_VERB.get(base)):
            at = found.start("verb") if base == aux else found.start("aux") + len(base) + 1
            claim = self._fitting(sentence, at, rules, _Said(subject, base, negated, used=False))
        return claim

    def _subject(self, found: re.Match[str]) -> str | None:
        """Whom the verb is about; None when that is unclear."""
        if found["kin"]:
            name = found["name"]
            return name if name and name not in _MONTHS else f"{self.speaker}'s {found['who']}"
        return None if found["name"] else self.speaker

    def _fitting(self, sentence: str, at: int, rules: Sequence[Rule], said: _Said) -> Claim | None:
        """The claim of the first rule that fits behind a verb."""
        for rule in rules:
            match = rule.value.match(sentence, at)
            if match is None:
                continue
            if not rule.text or (said.subject != self.speaker and rule.slot not in _THIRD_PERSONS):
                return None
            value = _value(sentence, rule, match)
            if value is None or (rule.slot == "age" and (said.verb == "was" or "hen " in sentence[:at])):
                continue
            return self._worded(rule, said, value, match[0])
        return None

    def _worded(self, rule: Rule, said: _Said, value: str, matched: str) -> Claim:
        past = said.used or (said.verb in _WAS and rule.slot in _STATES and "{s} was" not in rule.text)
        text = (
            rule.text.replace("{verb}", said.verb if said.negated else third_person(said.verb))
            .replace("{m}", matched.strip())
            .replace("{to}", "to " if _is_verb(value) else "")
        )
        if past:
            text = _used_to(text)
        text = text.replace("{n}", _denial(text) if said.negated else "").replace("{v}", value)
        positive = rule.positive and not said.negated and not past and said.verb not in _AVERSE
        return self._claim(rule.kind, said.subject, rule.slot, value, f"{text}.", positive=positive, rule=rule)

    def _claim(
        self,
        kind: NoteKind,
        subject: str,
        slot: str,
        value: str,
        text: str,
        *,
        positive: bool = True,
        rule: Rule | None = None,
    ) -> Claim:
        speaker = shown(self.speaker)
        who = (
            speaker
            if subject == self.speaker
            else subject.replace(self.speaker, speaker, 1)
            if subject.startswith(f"{self.speaker}'s ")
            else subject
        )
        worded = text.replace("{s}", who).replace(_SELF, speaker)
        return Claim(
            kind,
            subject,
            slot,
            value.replace(_SELF, speaker),
            worded[:1].upper() + worded[1:],
            positive,
            self._valid(rule),
            self.place,
        )

    def _valid(self, rule: Rule | None) -> Span | None:
        if rule is None or self.happened is None or not (rule.lasting or rule.dated):
            return None
        return Span(self.happened.start, OPEN) if rule.lasting and rule.positive else self.happened


_KINDS: Final = ((_CHILD, "child"), (_SIBLING, "sibling"), (_PARENT, "parent"), (_PARTNER, "partner"), (_PET, "pet"))
_POSSIBLE: Final = frozenset({"will", "could", "can", "would", "may", "might", "should"})
_BEING: Final = frozenset({"is", "are", "was", "were"})
_AVERSE: Final = frozenset({"hate", "hates", "dislike", "dislikes", "loathe", "loathes"})
_STATES: Final = frozenset({"pet", "job", "partner", "likes", "diet", "owns", "allergy", "fear", "health"})
_WAS: Final = frozenset({"was", "had"})
_BEFORE_NOT: Final = re.compile(r"\b(?:is|was|has) \{n\}")
_BASES: Final = {"is": "be", "was": "be", "has": "have", "goes": "go", "does": "do", "studies": "study"}
_POINTERS: Final = frozenset(
    {"It", "This", "That", "They", "These", "Those", "He", "She", "Which", "What", "Here", "One", "There"}
)
_VERBAL: Final = re.compile(r"(?:to )?(?:[a-z]+)\b")
_NOUN_FIRST: Final = re.compile(r"(?:a|an|the|some|another|my|our|this|that|his|her|their|[a-z]+ing)\b")


def _is_verb(value: str) -> bool:
    return _VERBAL.match(value) is not None and _NOUN_FIRST.match(value) is None


def _denial(text: str) -> str:
    """How a wording is denied: "is {n}" takes "not", a verb takes "does not"."""
    return "not " if _BEFORE_NOT.search(text) else "does not "


def _used_to(text: str) -> str:
    """A wording of what is so as one of what was: "{s} {n}has {v}" is "{s} used to have {v}"."""
    subject, _, rest = text.replace("{n}", "").partition(" ")
    verb, _, rest = rest.partition(" ")
    return f"{subject} used to {_BASES.get(verb) or (verb.removesuffix('s'))} {rest}"


def _value(sentence: str, rule: Rule, match: re.Match[str]) -> str | None:
    """The value that a rule matched, if it says something."""
    named = match.groupdict().get("v") if match.re.groupindex else None
    value = named.strip(" .-") if named else phrase(sentence, match.end())
    if rule.bare:
        value = without_determiner(value)
    if without_determiner(value).lower() in _GENERAL or (
        rule.slot == "likes" and _is_cut(sentence, match.end(), value)
    ):
        return None
    return value if is_meaningful(value) or (named and value) else None


def _is_cut(sentence: str, at: int, value: str) -> bool:
    """Whether a single word is left of what is liked: of "stories that end well" only "stories"."""
    return (
        bool(value)
        and " " not in value
        and sentence[at:].partition(value)[2].startswith((" that ", " who ", " where "))
    )


def _unsure(sentence: str, place: int) -> bool:
    """Whether what precedes a place in its sentence makes it a condition, a wish, a guess or another's words."""
    return place > 0 and _UNSURE.search(sentence, 0, place) is not None


def _is_otherwise(verb: str, aux: str, *, negated: bool) -> bool:
    """Whether a verb behind its auxiliary is not what the rules for it take it for: "are like", "has not made"."""
    return (verb == "like" and aux in _BEING) or (negated and aux in ("has", "have", "had") and is_past(verb))


def _within(sentence: str, place: int) -> bool:
    """Whether a subject stands within a part of its sentence: "the things Maria loves"."""
    before = _WORD_BEFORE.search(sentence, max(place - 24, 0), place)
    return before is not None and (before[1] in _ALL if before[1][0].isupper() else before[1] not in _JOINERS)


def _gerund(value: str) -> str:
    first = value.partition(" ")[0]
    return value[0].lower() + value[1:] if first.endswith("ing") else value


def _singular(thing: str) -> str:
    if thing.endswith("ies") and thing != "movies":
        return thing[:-3] + "y"
    if thing.endswith(("ches", "shes", "xes", "sses")):
        return thing[:-2]
    return thing[:-1] if thing.endswith("s") and not thing.endswith("ss") else thing
