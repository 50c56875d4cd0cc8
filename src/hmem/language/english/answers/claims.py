"""Match of claims with a question: whose slot it asks about, and what a claim says of it.

A question is read as the words that a claim should have: names, and content words without those of its form ("now",
"before the move", "kind of"). A claim has its own words, those that name its slot ("Where does she live?" is about
*home*), and the kinds of its value (a Tesla is a car). What is left of a question of yes or no in a single-valued slot
is compared with the value.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final, Literal

from hmem.language.analyst.answer_reader import AnswerTarget, ClaimMatch, TargetKind
from hmem.language.analyst.base import Claim
from hmem.language.dates import describe
from hmem.language.dates.words import CARDINALS
from hmem.language.english.answers.matching import asking, fills_of
from hmem.language.english.answers.synonyms import alike
from hmem.language.english.gazetteer import DAYS_AND_MONTHS, known_names
from hmem.language.english.inflection import root
from hmem.language.english.meaning.changes import ENDED
from hmem.language.english.meaning.clauses import PHASES, clauses
from hmem.language.english.meaning.lists import KIN, PETS, ROLES, SAME_KIN
from hmem.language.english.meaning.reference import FIRST, GROUP
from hmem.language.english.meaning.slots import BY_NOUN, BY_VERB
from hmem.language.english.parser import lemma as lemma_of
from hmem.language.english.parser import parse
from hmem.language.english.reconciliation import core, is_single
from hmem.language.english.stopwords import STOP_WORDS
from hmem.language.english.tree import NOT_BUT, Sentence, Token
from hmem.language.english.word_lists import words
from hmem.language.regex import regex
from hmem.model.span import Span

Wanted = Literal["value", "subject", "place", "person", "number", "time", "reason", "polar"]

_WH: Final = words("who whom what which whose where why how when")
_LIGHT: Final = words(
    """do does did be is are was were been being am have has had 's 're 'm will would can could get got need needs use
    uses used using"""
)
# Words of a question's form, or of the time that it asks about.
_FORM: Final = words(
    """still now nowadays today currently anymore more any ever yet already these days presently moment time kind type
    sort name one first original originally old former previous previously used always just really actually also
    exactly there it days both someone somebody anyone anybody something anything many much long far often current
    latest new"""
)
_HAS: Final = words("have has had own owns")
_BEING: Final = frozenset({"be"})
# Words that ask for a name.
_NAMING: Final = words("name names called named")
_NAMING_ROOTS: Final = frozenset(map(root, _NAMING))
# Verbs of having.
HAVING: Final = words("have get got own keep adopt buy bought possess inherit inherited adopted")
_PAST: Final = words("was were did had")
_TIMES: Final = words("before after until till while since when during")
_EMPTY: Final = frozenset({"DET", "ADP", "PUNCT", "AUX", "PART", "CCONJ", "SCONJ", "INTJ", "SYM"})
# Words by which questions name a slot, besides the verbs and nouns that fill it.
_NAMED_BY: Final = {
    "job": "position title profession occupation career work role job",
    "employer": "employer company firm workplace work employ",
    "home": "home live city town country place house address reside",
    "be in": "live home city town country place base reside",
    "partner": "partner husband wife girlfriend boyfriend together couple relationship see marry married",
    "owns": "have own possess car vehicle drive",
    "age": "old age",
    "pet": "pet animal own have keep",
    "child": "child children kid kids",
    "allergy": "allergic allergy",
    "diet": "diet eat",
    "medication": "take medication medicine medicament drug",
    "likes": "like love enjoy fond",
    "uses": "use",
    "plays": "play",
    "name": "name call",
    ENDED: "end stop quit leave die lose finish cancel drop give break sell pass",
}
# Groups that stand for their member who speaks: "Farid's project".
_GROUPS: Final = frozenset(map(root, words("project team firm company crew household family group business")))
# Verbs before "to" that only say that something was meant.
_MEANING: Final = words("plan mean intend want hope decide use")
# Words that only say that something changed.
_CHANGING: Final = words(
    "change switch move leave quit stop drop start begin end higher lower bigger smaller different shrink grow replace"
)
_INSTEAD: Final = regex(r"(?:,? instead(?: of .*)?|,? not .*| too| as well| though| now| lol| any ?more)+$")
_LEADING: Final = regex(r"^(?:in|at|on|to|from|with|by|of|as|a|an|the)\s+(?=\w)")
_NUMBER: Final = regex(rf"\b(?:\d[\d.,:]*|{'|'.join(CARDINALS)})\b", re.IGNORECASE)
_LIVING: Final = regex(r"\bfor a living\b", re.IGNORECASE)
_TAKES_PLACE: Final = regex(r"\bt(?:ake|akes|ook) place\b", re.IGNORECASE)
_NAMES: Final = regex(
    r"(?<![\w'])[A-Z][\w'-]+(?: [A-Z][\w'-]+)*(?:, [A-Z][\w'-]+(?: [A-Z][\w'-]+)*)* and [A-Z][\w'-]+(?: [A-Z][\w'-]+)*"
)
_NAME: Final = regex(r"(?<![\w'])[A-Z][\w'-]+(?: [A-Z][\w'-]+)*")


@dataclass(frozen=True, slots=True)
class SlotQuestion:
    """Question as a claim may answer it: its ``names`` and other ``words`` as roots.

    ``sort`` are those of the noun that the answer is one of, ``loose`` those behind a preposition,
    ``anchor`` those of what its time is told by ("before the move"); ``own``: it is about the asker; ``doer``: it asks
    who does something; ``having``: it asks what somebody has; ``still``: what goes on; ``ending``: if something ended;
    ``name``: what something is called;
    ``verb`` is the root of its verb.
    """

    wanted: Wanted
    names: frozenset[str]
    words: frozenset[str]
    sort: frozenset[str]
    loose: frozenset[str]
    anchor: frozenset[str]
    own: bool
    doer: bool
    having: bool
    still: bool = False
    ending: bool = False
    name: bool = False
    verb: str = ""


def _plain(word: str) -> str:
    return word.lower().removesuffix("'s").removesuffix("’s").strip("'’")


def root_of(word: str) -> str:
    """Return the root of a word, without a possessor's ending, and the same for one kind of relative."""
    plain = _plain(word)
    return root(SAME_KIN.get(plain, plain)) if plain else ""


@lru_cache(maxsize=256)
def slot_question(question: str, topic: str, kind: TargetKind) -> SlotQuestion:
    """Read a question; ``topic`` is its text without the times that it names."""
    sentences = parse([_LIVING.sub("as a job", _TAKES_PLACE.sub("be", question))])[0].sentences
    sentence = sentences[-1] if sentences else Sentence("", ())
    tokens = [each for each in sentence if any(map(str.isalnum, each.text))]
    place = next((at for at, each in enumerate(tokens) if each.lower in _WH), None)
    wanted = _wanted(tokens, place, kind)
    if not tokens:
        return SlotQuestion(wanted, *(frozenset[str]() for _ in range(5)), own=False, doer=False, having=False)
    end = next((at for at, each in enumerate(tokens) if at > 1 and _opens_time(each)), len(tokens))
    names, kept, loose = _words_of(sentence, tokens[:end])
    kept -= _GROUPS
    changing = frozenset(root_of(each.lower) for each in tokens if each.lemma in _CHANGING)
    if wanted in {"time", "reason"} and kept - changing:
        kept -= changing
    # What is so on a date is asked by the date, unless it is what is asked about: "Is it on 14 May?".
    dated = (
        roots_of_text(question) - roots_of_text(topic)
        if wanted != "polar" or tokens[0].lower in _PAST
        else frozenset[str]()
    )
    sort = frozenset[str]()
    if place is not None and tokens[place].lower in {"what", "which", "how"}:
        nouns = itertools.takewhile(lambda each: each.lower not in _LIGHT, tokens[place + 1 : end])
        sort = frozenset(root_of(each.lower) for each in nouns)
    name = wanted != "polar" and any(each.lower in _NAMING for each in tokens)
    if name:
        kept = kept - _NAMING_ROOTS or _NAMING_ROOTS & {root(each.lower) for each in tokens}
    return SlotQuestion(
        wanted,
        names - dated,
        kept - dated,
        sort & kept,
        loose,
        frozenset(root_of(each.lower) for each in tokens[end:]),
        own=any(each.lower in FIRST or each.lower in GROUP for each in tokens),
        doer=place is not None and _asks_for_doer(tokens, place),
        still=any(each.lower == "still" for each in tokens),
        name=name,
        ending=any(_ends(each, behind) for each, behind in itertools.zip_longest(tokens, tokens[1:])),
        verb=_verb(question, tokens, place),
        having=any(each.lower in _HAS and each.relation not in {"aux", "aux:pass"} for each in tokens),
    )


def _ends(token: Token, behind: Token | None) -> bool:
    """Tell if a verb, with its particle, says that something ends: "stop", "given up"."""
    verb = lemma_of(token.lower, "VERB")
    phrasal = f"{verb} {behind.lower}" if behind is not None else verb
    return "stop" in {PHASES.get(verb), PHASES.get(phrasal)}


def _opens_time(token: Token) -> bool:
    return token.lower in _TIMES and token.upos not in {"NOUN", "VERB", "PROPN"}


def _words_of(sentence: Sentence, tokens: Sequence[Token]) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return the roots of the names of a question, of its other words, and of those behind a preposition."""
    names, kept, loose = set[str](), set[str](), set[str]()
    for at, each in enumerate(tokens):
        following = tokens[at + 1].lower if at + 1 < len(tokens) else ""
        if each.lemma in _MEANING and following == "to":
            continue
        if each.lower in _WH | _LIGHT | _FORM or each.lower in FIRST or each.lower in GROUP:
            continue
        if at and each.text[0].isupper():
            names.add(root_of(each.lower))
        elif each.upos not in _EMPTY and each.upos != "PRON":
            kept.add(root_of(each.lower))
            head = sentence.child(each, "case")
            if head is not None and head.lower != "of":
                loose.add(root_of(each.lower))
    return frozenset(names), frozenset(kept), frozenset(loose)


def _verb(question: str, tokens: Sequence[Token], place: int | None) -> str:
    """Return the root of the verb of a question, "be" if none is read."""
    if place is not None and _asks_for_doer(tokens, place):
        return next((root(each.lower) for each in tokens if each.upos == "VERB" and each.lower != "used"), "be")
    read = asking(question)
    return "be" if read is None else read.verb


def _asks_for_doer(tokens: Sequence[Token], place: int) -> bool:
    """Tell if a question asks who does something: "Who shares the flat?"."""
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    if tokens[place].lower != "who" or following is None:
        return False
    return following.upos == "VERB" or following.lower == "used"


def _wanted(tokens: Sequence[Token], place: int | None, kind: TargetKind) -> Wanted:
    if kind == "polar" or (place is None and kind != "choice"):
        return "polar"
    if place is None:
        return "value"
    word, following = tokens[place].lower, tokens[place + 1].lower if place + 1 < len(tokens) else ""
    match word:
        case "how":
            return "number" if following in {"many", "much", "old", "big", "long", "tall", "far"} else "reason"
        case "where":
            return "place"
        case "when":
            return "time"
        case "why":
            return "reason"
        case "who" | "whom":
            return "person"
        case _ if following in {"time", "day", "date", "month", "year"}:
            return "time"
        case _:
            return "value"


@lru_cache(maxsize=512)
def slot_names(slot: str) -> frozenset[str]:
    """Return the roots by which a slot is named."""
    slot = slot.removeprefix(f"{ENDED} ")
    verbs = (verb for verb, slots in BY_VERB.items() for each in slots if each.name == slot and not each.ends)
    nouns = (noun for noun, name in BY_NOUN.items() if name == slot)
    told = _NAMED_BY.get(slot, "").split()
    return frozenset(root(word) for phrase in (slot, *verbs, *nouns, *told) for word in phrase.split())


@lru_cache(maxsize=16_384)
def roots_of_text(text: str) -> frozenset[str]:
    """Return the roots of all words of a text."""
    return frozenset(root_of(word) for word in _WORD.findall(text))


@lru_cache(maxsize=16_384)
def _content(text: str) -> frozenset[str]:
    plain = (_plain(word) for word in _WORD.findall(text))
    return frozenset(root_of(word) for word in plain if word not in STOP_WORDS)


_WORD: Final = regex(r"[^\W_]+(?:[-.:'’][^\W_]+)*")


def claim_matches(
    asked: AnswerTarget, topic: str, claims: Sequence[Claim], speakers: Sequence[str]
) -> list[ClaimMatch]:
    """Return the match of each claim with a question.

    ``topic`` is the question without the times that it names; ``speakers`` are those who made the claims.
    """
    question = slot_question(asked.text, topic, asked.kind)
    own = frozenset(root_of(word) for name in asked.people for word in name.split())
    return [
        _match(question, asked, own, claim, roots_of_text(speaker))
        for claim, speaker in zip(claims, speakers, strict=True)
    ]


_NONE: Final = ClaimMatch(0.0)
# Worth of a word that names the claim's slot, of one that only its sentence has, and of one that it lacks: of the noun
# that the answer is one of, which the value need not name, and of a name.
_OF_SLOT: Final = 0.95
_OF_TEXT: Final = 0.8
_SORT_LACKS: Final = 0.25
_LOOSE_LACKS: Final = 0.5
_LOOSE_OF_ROLE: Final = 0.25
_NAME_LACKS: Final = 0.2
# Share of a question's words that a claim of an end must cover to deny it.
_ENDED_SCORE: Final = 0.45


@dataclass(frozen=True, slots=True)
class _Coverage:
    """Words of a question besides a claim's subject: all, those of its slot and value, of the slot's names, its text's.

    ``role``: the claim's subject is the answer.
    """

    rest: frozenset[str]
    held: frozenset[str]
    named: frozenset[str]
    told: frozenset[str]
    role: bool = False

    @property
    def said(self) -> frozenset[str]:
        """Words that the claim has."""
        return self.held | self.named | self.told

    @property
    def lacking(self) -> frozenset[str]:
        """Words that the claim lacks."""
        return self.rest - self.said


def _match(
    question: SlotQuestion, target: AnswerTarget, own: frozenset[str], claim: Claim, speaker: frozenset[str]
) -> ClaimMatch:
    asked = question.names | question.words | (own if question.own else frozenset[str]())
    subject = roots_of_text(claim.subject)
    cover = _coverage(question, asked, claim, speaker)
    if cover is not None and target.kind == "choice" and cover.held:
        # Of two options one is lacking.
        cover = replace(cover, rest=cover.said)
    if cover is None or not cover.rest or cover.lacking & _KIN_ROOTS:
        return _NONE
    if _is_other_relative(cover, claim):
        return ClaimMatch(0.0, apart=True)
    score = _score(question, cover)
    if cover.role:
        answers = (claim.subject,) if cover.held or cover.named else ()
    else:
        values = _values(question, target.text, claim) if score > 0 else ()
        known = question.anchor if target.kind == "choice" else asked | subject | question.anchor
        answers = tuple(value for value in values if not _content(value) <= known)
    named = slot_names(claim.slot)
    value = _content(claim.value) - subject - _GENERIC
    return ClaimMatch(
        score,
        answers,
        covers=not cover.lacking
        and not question.ending
        and not _has_not(question, claim)
        and (question.wanted != "polar" or _in_one_clause(cover, claim)),
        contrasts=question.verb in (named | _BEING) and _contrasts(cover.lacking, cover.said, claim),
        within=bool(value) and score >= _ENDED_SCORE and _is_all_of(value, question, cover),
        denies=claim.slot == "partner" and bool(_ALONE & roots_of_text(claim.value)) and not _ALONE & question.words,
        single=claim.kind == "fact" or is_single(claim.slot, claim.kind),
        named=bool(cover.rest & (named | roots_of_text(claim.slot)))
        or (claim.slot in ({"relation", "pet"} if question.name else {"relation"}) and bool(cover.held)),
    )


def _is_other_relative(cover: _Coverage, claim: Claim) -> bool:
    """Tell if a question is about a relative of another kind than a claim of the same slot: "son", "daughter Mia"."""
    if claim.slot not in _OF_PERSONS:
        return False
    asked, held = cover.named & _KIN_ROOTS, roots_of_text(claim.value) & _KIN_ROOTS
    return bool(asked) and bool(held) and not asked & (held | {root(claim.slot)}) and not asked & _GENERAL_KIN


def _is_all_of(ended: frozenset[str], question: SlotQuestion, cover: _Coverage) -> bool:
    """Tell if a question asks if what has ended goes on, and nothing else: its verb need not be said."""
    if question.ending:
        return False
    return ended <= question.names | question.words and cover.lacking - _GENERIC - _NO_THING <= {question.verb}


def _in_one_clause(cover: _Coverage, claim: Claim) -> bool:
    """Tell if the words that only the text of a claim has stand in the clause of its value, not in another one."""
    if not cover.told:
        return True
    value, found = _content(claim.value), _clauses_of(claim.text)
    holding = [each for each in found if value <= each]
    return any(cover.told <= each for each in (holding or found if claim.positive else holding))


@lru_cache(maxsize=1_024)
def _clauses_of(text: str) -> tuple[frozenset[str], ...]:
    """Return the roots of each clause of a text with those that depend on it, but for coordinate ones."""
    made: list[frozenset[str]] = []
    for sentence in parse([text])[0].sentences:
        for clause in clauses(sentence):
            below = {id(clause)}
            for each in clauses(sentence):
                if each.parent is not None and id(each.parent) in below and each.kind not in {"coordinate", "aside"}:
                    below.add(id(each))
            tokens = [token for each in clauses(sentence) if id(each) in below for token in each.tokens]
            made.append(frozenset(root_of(token.lower) for token in tokens if token.relation != NOT_BUT))
    return tuple(made)


def _coverage(question: SlotQuestion, asked: frozenset[str], claim: Claim, speaker: frozenset[str]) -> _Coverage | None:
    """Return how a claim covers the words of a question; None if it is about something else."""
    subject = roots_of_text(claim.subject)
    doer = question.doer and question.verb in roots_of_text(claim.slot)
    role = question.wanted == "person" and not subject & asked and (doer or claim.slot in _ROLE_SLOTS)
    if claim.slot == "said" or (question.doer and not doer and claim.slot not in _ROLE_SLOTS | _OF_PERSONS):
        return None
    ended = claim.slot == ENDED and bool(question.names) and question.names <= roots_of_text(claim.value)
    # An attribute of a thing is known by the thing: "Is the race in Windermere?".
    thing = claim.kind == "profile" and subject == speaker and roots_of_text(claim.slot) <= question.words
    if not role and not ended and not thing and not _is_about(question, asked, subject):
        return None
    rest = asked - subject - (speaker if role or not question.names & subject else frozenset[str]())
    kinds = frozenset(root(each) for each in core(claim.value).kinds)
    own = roots_of_text(claim.slot) | roots_of_text(claim.value) | kinds
    if claim.slot in _OF_PERSONS or role:
        own |= roots_of_text(claim.text)
    held = rest & own
    if question.wanted == "polar":
        held |= frozenset(word for word in rest if alike(word) & own)
    named = (rest - held) & slot_names(claim.slot)
    told = (rest - held - named) & roots_of_text(claim.text)
    if question.wanted == "polar" and claim.kind == "profile":
        # A name that the value lacks is another value: "I told you Windermere but the race is in Coniston".
        told -= question.names
    return _Coverage(rest, held, named, told, role)


def _score(question: SlotQuestion, cover: _Coverage) -> float:
    """Return the share of a question's words that a claim covers, 0 to 1."""
    lacking, idle = cover.lacking, cover.lacking & question.sort
    if len(idle) == len(cover.rest):
        idle = frozenset[str]()
    loose = _LOOSE_OF_ROLE if cover.role else _LOOSE_LACKS
    total = len(cover.rest) - (1 - _SORT_LACKS) * len(idle) - (1 - loose) * len(lacking & question.loose - idle)
    score = (len(cover.held) + _OF_SLOT * len(cover.named) + _OF_TEXT * len(cover.told)) / total
    return max(score - _NAME_LACKS * bool(lacking & question.names), 0.0)


def _has_not(question: SlotQuestion, claim: Claim) -> bool:
    """Tell if a question asks what somebody has, or what is still so, and a claim tells what they did."""
    did = claim.slot.split()[0]
    other = question.having and did not in HAVING
    return claim.kind == "fact" and (other or (question.still and _is_past(did)))


def _is_past(verb: str) -> bool:
    """Tell if the verb of a slot is a past form, as it is of what happened once: "broke"."""
    return lemma_of(verb, "VERB") != verb


# Nouns that add nothing to what somebody gives up: "the iron tablets".
_GENERIC: Final = frozenset(map(root, words("tablet pill dose lesson class course medicine subscription membership")))
# Words of a question that are about no other thing: "want to move back soon".
_NO_THING: Final = frozenset(map(root, words("want hope plan intend wish like soon back again often")))
_ALONE: Final = frozenset(root(word) for word in ("single", "divorced", "widowed", "separated"))
# Slots whose values are people.
_OF_PERSONS: Final = frozenset({"partner", "child", "sibling", "parent", "friend", "relation"})
_ROLE_SLOTS: Final = frozenset({"job", "be", "role"})


def _is_about(question: SlotQuestion, asked: frozenset[str], subject: frozenset[str]) -> bool:
    """Tell if a claim with such a subject may be about those whom a question names."""
    if subject <= asked:
        return True
    if subject & asked:
        return bool(asked & _KIN_ROOTS & subject)
    # What is my uncle's is not meant without a word of him.
    return not question.own and not question.names and not subject & _KIN_ROOTS - asked


_KIN_ROOTS: Final = frozenset(root_of(word) for word in KIN | ROLES | PETS)
_GENERAL_KIN: Final = frozenset(map(root_of, words("child kid children kids sibling parent partner spouse pet friend")))


def _contrasts(lacking: frozenset[str], covered: frozenset[str], claim: Claim) -> bool:
    """Tell if a claim gives its slot another value than the words that it lacks."""
    if not lacking or not is_single(claim.slot, claim.kind) or not claim.positive:
        return False
    named = slot_names(claim.slot) | roots_of_text(claim.slot)
    return bool(covered & named) and not (covered - named) & roots_of_text(claim.value)


def worded_time(start: datetime, end: datetime | None) -> str:
    """Return when a claim began to hold, no more exactly than it is known."""
    length = timedelta(days=1) if end is None else end - start
    whole = (start.day, start.hour, start.minute) == (1, 0, 0)
    if length > timedelta(days=32):
        return describe(Span(start, start), "year")
    if length > timedelta(days=8) or (end is None and whole):
        return describe(Span(start, start), "month")
    return describe(Span(start, start), "day")


def _is_time(text: str) -> bool:
    """Tell if a phrase only says when."""
    return all(each in DAYS_AND_MONTHS or each.isdigit() for each in (_plain(word) for word in _WORD.findall(text)))


def _people(question: SlotQuestion, claim: Claim, value: str) -> Iterator[str]:
    """Yield the people whom a claim names, in its value or else in its sentence."""
    known = question.names | question.words | roots_of_text(claim.subject)
    for said in (value, claim.text):
        names = [each for each in _NAME.findall(said) if not roots_of_text(each) & known]
        names = [each for each in names if known_names().get(each.lower()) != "location"]
        kin = [word for word in _WORD.findall(said) if root_of(word) in _KIN_ROOTS - known]
        if names or kin:
            yield value if said == value else (names or kin)[0]


def _is_name_slot(slot: str) -> bool:
    return slot.rpartition(" ")[2] in {"name", "nickname", "surname", "username", "handle"}


def _names_in(value: str) -> Iterator[str]:
    """Yield the names in a value, first those of several: "Mia" of "daughter Mia", "Lena and Bo" of "twins Lena …"."""
    if several := _NAMES.search(value):
        yield several[0]
    for found in _NAME.findall(value):
        if found.lower() not in DAYS_AND_MONTHS:
            yield found


def _values(question: SlotQuestion, text: str, claim: Claim) -> Iterator[str]:
    """Yield what a claim answers, the best first."""
    value = _INSTEAD.sub("", claim.value)
    if question.name and not _is_name_slot(claim.slot):
        yield from _names_in(value)
        return
    match question.wanted:
        case "number":
            if _NUMBER.search(value):
                yield value
        case "person":
            yield from _people(question, claim, value)
        case "time" | "reason" | "polar":
            return
        case "place" if claim.slot in _OF_PERSONS:
            return
        case _:
            if claim.kind == "fact":
                fills = (_INSTEAD.sub("", each) for each in fills_of(text, claim.text))
                yield from (each for each in fills if question.wanted != "place" or not _is_time(each))
            yield _LEADING.sub("", value)


def verdict(*, so: bool, supposed: bool) -> str:
    """Return "Yes" or "No"; nothing denies for sure what would be."""
    if supposed:
        return "Yes" if so else "Likely no"
    return "Yes" if so else "No"
