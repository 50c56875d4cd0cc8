"""Claims: what the clauses of a turn assert about somebody or something, for notes (HiMem).

Every clause that is stated as a fact is a claim under its verb; the table of ``slots`` names the common ones. Decided:

- Questions, orders, conditions, guesses and other people's words claim nothing, nor does a clause whose subject
  is open.
- A fact that ended ("no longer", "used to", "quit", "sold") is a claim that is not positive.
- A person claims nothing about the one spoken to; an assistant claims nothing of itself.
- What somebody wants is a goal, what is settled a plan.
- An order to an assistant that holds for the future is an instruction, in the words of who gave it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hmem.language.analyst.base import Claim, Passage
from hmem.language.english.gazetteer import given_names
from hmem.language.english.meaning.asserting import (
    is_animate,
    is_asserted,
    is_of_slot,
    is_one_person,
    is_said_of_now,
    is_somebody,
    is_standing,
)
from hmem.language.english.meaning.called import called, held, slot_of_person
from hmem.language.english.meaning.changes import ENDED, HOME, USE, endings, goes_on, in_exchange, new_value
from hmem.language.english.meaning.clauses import Argument, Clause
from hmem.language.english.meaning.dating import dated
from hmem.language.english.meaning.lists import (
    ANSWERING,
    COURTESY,
    FORMS,
    KIN,
    PERSONS,
    PETS,
    ROLES,
    SAME_KIN,
    STANDING,
    TELLING,
    UNITS,
    VAGUE,
)
from hmem.language.english.meaning.phrases import (
    first_word,
    is_labelled,
    is_year,
    outside,
    outside_value,
    slot_of,
    value_of,
    verb_phrase,
    written_on,
)
from hmem.language.english.meaning.reference import FIRST, GROUP, POINTING, SECOND, THIRD, possessive, shown
from hmem.language.english.meaning.slots import (
    APPOINTMENTS,
    BY_NOUN,
    BY_VERB,
    DIETS,
    POSSESSIONS,
    SPORTS,
    STATUS,
    Slot,
    is_job,
)
from hmem.language.english.meaning.telling import Teller, quoted, sentence_of
from hmem.language.english.meaning.units import QuestionBefore, TurnUnits, Unit
from hmem.language.english.parser import lemma as lemma_of
from hmem.language.english.standing_orders import directs
from hmem.language.english.tree import NOT_BUT, Sentence, Token
from hmem.language.english.word_lists import words
from hmem.language.regex import regex
from hmem.model.note import NoteKind
from hmem.model.span import OPEN, Span
from hmem.model.turn import Turn

_MOST: Final = 16
_LONGEST_VALUE: Final = 160
# "New phone number: 07700 900987".
_COLON: Final = regex(
    r"(?:^|[.!?,] )(?:(?:my|our|new|updated|current) )+([a-z][a-z -]{2,24}[a-z]): ([^:,;.!?\n]{1,60})",
    re.IGNORECASE | re.MULTILINE,
)
_NAMES: Final = frozenset({"name", "nickname", "surname", "username", "handle"})
_NAMING: Final = frozenset({"NOUN", "PROPN", "NUM", "ADJ"})
_LEAST_NAMED: Final = 2
# Most characters of an age: "thirty-five", not a postal code.
_LONGEST_AGE: Final = 12
# Fewest digits of a phone number.
_LEAST_DIGITS: Final = 5
# What may stand before the verb of an order: "from now on, please always …".
_BEFORE_ORDERS: Final = frozenset({"ADV", "INTJ", "PART", "PUNCT", "AUX", "CCONJ", "ADP", "SYM", "PRON", "SCONJ"})
_LONGEST_ANSWER: Final = 24
_ASSISTANTS: Final = frozenset({"assistant", "system", "tool", "ai", "bot", "model", "agent"})
LASTING: Final = words("""
    home job employer partner pet child sibling parent friend owns membership studies language plays hobby likes
    medication diet uses habit health allergy fear belief volunteering relation role age
    """)
# Since when or until when it is so, which is no part of the value: "green now".
_SINCE_WHEN: Final = regex(r" (?:now|nowadays|these days|any ?more)$")
# "Just kidding!" behind a joke, or irony in front: "Yeah right, I love traffic."
_JOKE: Final = regex(r"\b(?:kidding|(?:just|only|i'm|was) joking|april fool\w*|(?-i:jk|j/k))\b", re.IGNORECASE)
_IRONY: Final = regex(r"(?:oh,? (?:sure|right|yeah)|yeah,? (?:right|sure)), (?!but)", re.IGNORECASE)
_RIGHT_BEHIND: Final = 24
# Verbs in the future that are no plans: what somebody only promises to be or to keep in mind.
_NO_PLANS: Final = words("be stay remain keep remember forget feel think consider know understand see mind sure")
_TRADES: Final = words("trade swap exchange replace") | {"trade in"}
_TOYS: Final = words("stuffed toy plush hot corn animal")
# Verbs that end one thing and begin another.
_EXCHANGES: Final = frozenset(
    ("switch", "change", "move", "trade", "trade in", "swap", "replace", "rename", "relocate", "postpone", "reschedule")
)


@dataclass(frozen=True, slots=True)
class _Made:
    """A claim in the making: what a clause fills, with its value."""

    slot: str
    value: str
    kind: NoteKind = "fact"
    ends: bool = False
    # What it says by itself, where that is less than its clause says.
    text: str = ""


def claims(passage: Passage, found: Sequence[TurnUnits]) -> list[list[Claim]]:
    """Return the claims of each wanted turn, given its units."""
    return [_Turn(turn, units, passage).read() for turn, units in zip(passage.wanted, found, strict=True)]


class _Turn:
    def __init__(self, turn: Turn, found: TurnUnits, passage: Passage) -> None:
        self._turn = turn
        self._found = found
        self._speaker = turn.speaker
        self._self = shown(turn.speaker)
        self._others = {shown(name).lower() for name in (*passage.speakers, *(t.speaker for t in passage.turns))} - {
            self._self.lower()
        }
        self._assistant = turn.role not in (None, "user") or turn.speaker.lower() in _ASSISTANTS
        # Only somebody who speaks to an assistant tells it how to do things; friends advise each other.
        self._served = turn.role == "user"
        self._claims: dict[tuple[str, str, str], Claim] = {}
        self._place = 0

    def read(self) -> list[Claim]:
        for place, unit in enumerate(self._found.units):
            self._place = place
            before = len(self._claims)
            if unit.question is not None:
                self._answered(unit, unit.question)
            meant = not self._is_joke(unit)
            for clause in unit.clauses if meant else ():
                self._clause(unit, clause)
            for teller, joined in unit.joined if meant else ():
                for clause in joined:
                    if clause.stated:
                        self._endings(unit, clause, teller)
            if not self._assistant:
                self._nouns(unit)
                if len(self._claims) == before:
                    self._said(unit)
        self._place = 0
        if not self._assistant:
            self._labelled()
            self._instructed()
        return self._undone()[:_MOST]

    def _is_joke(self, unit: Unit) -> bool:
        """Tell if a statement is owned to be a joke, in it or right behind it, or opens with irony."""
        joke = _JOKE.search(self._turn.text, unit.sentence.start)
        near = joke is not None and joke.start() <= unit.sentence.end + _RIGHT_BEHIND
        return near or _IRONY.match(unit.sentence.words) is not None

    def _labelled(self) -> None:
        """Claim what is told by its label: "new phone number: 07700 900987"."""
        for named in _COLON.finditer(self._turn.text):
            noun, value = named[1].lower(), named[2]
            slot = BY_NOUN.get(noun, noun)
            about = sentence_of(f"{possessive(self._self)} {noun} is {value}")
            self._keep(None, self._self, _Made(slot, value, "profile"), about, positive=True)

    def _said(self, unit: Unit) -> None:
        """Keep in the speaker's own words what no rule can say in others: that they said it is true."""
        tokens = [token for token in unit.sentence if token.upos in _NAMING]
        if len(tokens) < _LEAST_NAMED or (unit.open and not unit.quoted) or _COLON.match(unit.sentence.words):
            return
        text = unit.text if unit.quoted else quoted(self._speaker, unit.sentence.words)
        self._keep(unit, self._self, _Made("said", unit.sentence.words), text, positive=True)

    def _undone(self) -> list[Claim]:
        """Return the claims without those that another one of the turn ends: "my dog Coco died" claims no dog."""
        found = list(self._claims.values())
        gone = [each for each in found if not each.positive and (each.slot in LASTING or each.slot.startswith(ENDED))]
        return [each for each in found if not (each.positive and any(_same_thing(end, each) for end in gone))]

    def _keep(self, unit: Unit | None, subject: str, made: _Made, text: str, *, positive: bool) -> None:
        value = made.value.replace(f"{self._self}'s ", "").strip(" .,;:!?")[:_LONGEST_VALUE]
        value = value if made.slot == "said" else _SINCE_WHEN.sub("", value)
        if not value or not subject or value.lower() in THIRD | POINTING | {"it"}:
            return
        raw = self._raw(subject)
        key = raw, made.slot, value.lower()
        if key in self._claims:
            return
        span = unit.happened if unit is not None else None
        lasts = made.slot in LASTING or (
            made.kind == "profile" and made.slot != "plan" and made.slot.split()[-1] not in APPOINTMENTS
        )
        if span is not None and positive and lasts and (span.start <= self._turn.at or made.slot == "age"):
            span = Span(span.start, OPEN)
        self._claims[key] = Claim(made.kind, raw, made.slot, value, text, positive, span, self._place)

    def _raw(self, subject: str) -> str:
        """Return a subject with the speaker's name as it stands, not as it is shown."""
        if subject == self._self:
            return self._speaker
        if self._self != self._speaker and subject.startswith(f"{self._self}'s "):
            return self._speaker + subject[len(self._self) :]
        return subject

    # Clauses.

    def _clause(self, unit: Unit, clause: Clause) -> None:
        teller = unit.teller
        if not is_asserted(clause, unit.clauses):
            return
        own = clause.kind == "coordinate" or any(clause is each for each in unit.mains)
        if clause.kind != "relative" and self._endings(unit, clause, teller) and own:
            return
        if self._changed(unit, clause, teller):
            return
        dependent = clause.kind in {"adverbial", "complement"} and (clause.subject is None or clause.inherited)
        being = any(each.lower == "being" for each in clause.auxiliaries) and not clause.progressive
        if dependent or (clause.verb == "be" and (being or not clause.finite)):
            return
        subject = teller.subject(clause)
        if subject is None and clause.subject is not None and clause.subject.upos == "NOUN":
            subject = teller.noun(clause.subject)
        if subject is None or unit.quoted or unit.open or self._is_other(clause, subject):
            return
        if self._assistant and (subject == self._self or clause.subject is None):
            return
        happens = any(each.head.lower in FIRST for each in clause.all("object", "indirect"))
        if not is_somebody(clause) or (happens and self._claimed_role(clause)):
            # What happens to the speaker is about the speaker: "the bank charged me 40 euros".
            if not happens:
                return
            subject = self._self
        else:
            subject = self._possessor(clause, teller) or self._owner(clause, subject)
        self._told(unit, clause, subject, own=own)

    def _told(self, unit: Unit, clause: Clause, subject: str, *, own: bool) -> None:
        """Keep what a clause claims of its subject; a plain fact only of a clause of its own."""
        for made in self._made(clause, unit.teller):
            if (made.ends and clause.negated) or (made.kind == "fact" and not own):
                continue
            asserted = is_said_of_now(clause) and not made.ends
            self._keep(unit, subject, made, sentence_of(made.text) or unit.claimed, positive=asserted)
            if asserted and made.slot not in {"goal", "plan"}:
                self._denied(unit, clause, subject, made)

    def _denied(self, unit: Unit, clause: Clause, subject: str, made: _Made) -> None:
        """Claim of a slot the value that is denied beside its own: "we use pnpm, not npm"."""
        sentence = clause.sentence
        for token in clause.tokens:
            if token.relation == NOT_BUT and value_of(sentence[token.head], unit.teller) in made.value:
                value = value_of(token, unit.teller)
                self._keep(unit, subject, _Made(made.slot, value, made.kind), unit.claimed, positive=False)

    def _changed(self, unit: Unit, clause: Clause, teller: Teller) -> bool:
        """Claim the new value of a name, a number or an appointment; tell if there is one, of somebody known."""
        if not clause.certain or (change := new_value(clause)) is None:
            return False
        noun, new = change
        owner = teller.sentence.child(noun, "nmod:poss")
        whose = self._self if owner is None or owner.lower in FIRST | GROUP else teller.noun(owner)
        slot, value = slot_of(noun, teller.sentence), value_of(new, teller)
        if whose is None or whose.lower() in self._others or self._assistant or not value:
            return False
        whose = whose.removesuffix("'s")
        before = teller.sentence[noun.index - 1] if noun.index else noun
        if before.upos == "NOUN" and before.head == noun.head and before.relation == noun.relation != "conj":
            # "github handle" whose words the parser took for two objects.
            slot = f"{before.lower} {slot}"
        text = unit.claimed
        if unit.quoted:
            text = dated(sentence_of(f"{possessive(whose)} {slot} is {value} now"), self._turn.at)[0]
        if noun.lemma.lower() in KIN | PETS:
            whose, slot = f"{possessive(whose)} {noun.lemma.lower()}", "name"
        self._keep(unit, whose, _Made(slot, value, "profile"), text, positive=True)
        return True

    def _endings(self, unit: Unit, clause: Clause, teller: Teller) -> bool:
        """Claim what a clause says has ended; tell if it says nothing else."""
        if self._assistant or clause.tense == "future" or clause.modality in {"plan", "want"}:
            return False
        ended = False
        subject = teller.subject(clause)
        named = clause.subject is not None and (
            clause.subject.upos == "PROPN" or clause.subject.lower in THIRD or self._is_kin(clause)
        )
        happens = any(each.head.lower in FIRST for each in clause.all("object", "indirect"))
        about = self._owner(clause, subject) if subject is not None and named and not happens else self._self
        if about.lower() in self._others or (subject is None and clause.subject is not None and named):
            return False
        for ending in endings(clause):
            noun = ending.noun
            value = "" if noun is None else value_of(noun, teller)
            if noun is not None and not value and noun.upos == "PRON":
                continue
            if noun is not None and ending.slot == USE:
                value = noun.text
            if noun is not None and noun is clause.head:
                value = verb_phrase(clause, teller, timeless=True) or noun.text
            if noun is not None and noun is clause.subject and not (named and noun.upos == "PROPN"):
                whose, value = self._self, value.removeprefix(f"{self._self}'s ")
            else:
                whose = self._self if noun is not None and noun is clause.subject else about
            ended = ended or ending.slot != HOME
            self._keep(
                unit,
                whose,
                _Made(ending.slot, value or ending.slot.removeprefix(f"{ENDED} "), "fact"),
                unit.claimed,
                positive=False,
            )
        return ended and clause.verb not in _EXCHANGES and not goes_on(clause)

    def _claimed_role(self, clause: Clause) -> bool:
        token = clause.subject
        return (
            token is not None
            and token.upos == "NOUN"
            and bool({token.lower, token.lemma.lower()} & ROLES | {token.lower} & SAME_KIN.keys())
        )

    def _is_kin(self, clause: Clause) -> bool:
        token = clause.subject
        return token is not None and bool({token.lower, token.lemma.lower()} & (KIN | ROLES))

    def _owner(self, clause: Clause, subject: str) -> str:
        """Return about whom a clause is: the speaker, of "we" and of "my favourite colour"."""
        token = clause.subject
        beside = (
            *clause.sentence.children(clause.opening, "nsubj"),
            *(clause.sentence.children(token, "conj") if token else ()),
        )
        if token is None or token.lower in GROUP or any(each.lower in FIRST for each in beside):
            return self._self
        owner = clause.sentence.child(token, "nmod:poss") or clause.sentence.child(token, "det")
        beside = clause.sentence.children(token, "compound", "appos", "flat") if token.upos == "PROPN" else ()
        nouns = {token.lemma.lower(), *(each.lower for each in (token, *beside))}
        if self._possession(clause) is not None:
            return self._self
        related = ("appos", "flat", "compound") if nouns & (KIN | ROLES | PETS) else ("appos", "flat")
        named = token.upos == "PROPN" or any(each.upos == "PROPN" for each in clause.sentence.children(token, *related))
        if named:
            return _short(clause, token, subject)
        if (
            (clause.verb == "be" or clause.passive)
            and owner is not None
            and owner.lower in FIRST | GROUP | {"the"}
            and not nouns & (KIN | ROLES | PETS)
            and token.upos != "PROPN"
        ):
            return self._self
        if not self._claimed_kin(token, clause):
            bare = owner is None and token.upos == "NOUN" and (clause.verb == "be" or clause.passive)
            return self._self if bare and not nouns & (KIN | ROLES | PETS) else subject
        kin = SAME_KIN.get(token.lower, token.lower)
        return possessive(self._self) + f" {kin}"

    def _possessor(self, clause: Clause, teller: Teller) -> str | None:
        """Return whose attribute a clause tells: Maria's, of "Maria's address is 9 Lake Road"."""
        token = clause.subject
        if clause.verb != "be" or token is None or token.upos != "NOUN" or clause.inherited:
            return None
        owner = clause.sentence.child(token, "nmod:poss")
        if owner is None or owner.lower in FIRST | GROUP:
            return None
        if {token.lower, token.lemma.lower()} & (KIN | ROLES | PETS | PERSONS):
            return None
        whose = teller.noun(owner)
        return None if whose is None else whose.removesuffix("'s")

    def _possession(self, clause: Clause) -> Token | None:
        """Return the subject of a clause if it is a thing of the speaker's that does something: "my shift starts"."""
        token = clause.subject
        if token is None or token.upos != "NOUN" or clause.inherited or clause.verb == "be" or clause.passive:
            return None
        owner = clause.sentence.child(token, "nmod:poss")
        mine = is_standing(clause) if owner is None else owner.lower in FIRST | GROUP
        return token if mine and not {token.lower, token.lemma.lower()} & (KIN | ROLES | PETS | PERSONS) else None

    def _claimed_kin(self, token: Token, clause: Clause) -> bool:
        """Tell if a subject is a relative of the speaker's: "Mum", "my dad"."""
        owner = clause.sentence.child(token, "nmod:poss")
        mine = owner is None or owner.lower in FIRST | GROUP
        return (
            mine and token.lower in KIN | SAME_KIN.keys() and not clause.sentence.children(token, "det", "amod", "conj")
        )

    def _is_other(self, clause: Clause, subject: str) -> bool:
        token = clause.subject
        if token is not None and (
            token.lower in SECOND | POINTING | {"it", "who", "what", "there", "everyone", "someone", "one"}
        ):
            return token.lower != "it" or subject.lower() == "it"
        return subject.lower() in self._others or subject.lower().startswith(
            tuple(f"{name}'s " for name in self._others)
        )

    def _made(self, clause: Clause, teller: Teller) -> Iterator[_Made]:
        planned = (
            clause.modality == "plan"
            or (clause.tense == "future" and not clause.negated)
            or (clause.tense == "present" and clause.progressive and self._later(clause))
        )
        if clause.modality == "want" and clause.verb != "like":
            yield _Made("goal", verb_phrase(clause, teller), "preference")
        elif self._possession(clause) is not None:
            yield self._generic(clause, teller)
        elif clause.verb == "be":
            yield from self._copula(clause, teller)
        elif (particular := self._particular(clause, teller)) is not None:
            yield particular
        elif planned and clause.verb not in _NO_PLANS:
            yield _Made("plan", verb_phrase(clause, teller), "profile")
        elif clause.verb in _TRADES and (new := in_exchange(clause)) is not None:
            yield _Made("owns", value_of(new, teller), "profile")
        else:
            yield from self._typed(clause, teller)

    def _particular(self, clause: Clause, teller: Teller) -> _Made | None:
        """Return the claim of a verb that means by its object what it fills: "have a dog", "pay 900 for rent"."""
        found = clause.find("object")
        if clause.verb in {"have", "have get", "get"}:
            return self._having(clause, teller)
        if clause.verb in {"call", "name"} and clause.passive:
            return self._named(clause, teller)
        if clause.verb == "pay" and found is not None and clause.tense == "present":
            behind = clause.sentence.tokens[found.head.index + 1 :]
            paid = next(
                (each for each in behind if first_word(each, clause.sentence) == "for" and each.upos == "NOUN"), None
            )
            if paid is not None and clause.sentence.child(found.head, "nummod") is not None:
                return _Made(slot_of(paid, clause.sentence), value_of(found.head, teller), "profile")
        if clause.verb == "see" and clause.progressive and found is not None:
            who = [each.head for each in clause.all("object") if each.head.upos == "PROPN"]
            if who or found.head.lower in {"someone", "somebody", "guy", "girl", "woman", "man"}:
                return _Made("partner", value_of(who[-1] if who else found.head, teller), "profile")
        return None

    def _typed(self, clause: Clause, teller: Teller) -> Iterator[_Made]:
        """Yield the claims of the slot that a verb fills, or one under the verb."""
        fitting = BY_VERB.get(clause.verb, ()) if is_animate(clause) else ()
        used = clause.find("object")
        if _is_thing(clause) and used is not None and is_labelled(used.head, clause.sentence):
            fitting = ()
        fitting = tuple(each for each in fitting if is_of_slot(clause, each))
        typed = next((each for each in fitting if self._filler(clause, each, teller)), None)
        if typed is not None:
            yield from self._fill(clause, typed, teller)
            at = clause.find("oblique", markers=("at", "for", "with"))
            if clause.verb in {"start", "work"} and typed.name == "job" and at is not None:
                yield self._works_at(clause, value_of(at.head, teller))
            return
        generic = self._generic(clause, teller)
        tastes = [each for each in fitting if each.name == "likes"]
        if tastes and (done := clause.find("complement")) and done.head.lower.endswith("ing"):
            yield _Made("likes", generic.value, tastes[0].kind, tastes[0].ends)
        elif generic.value != clause.verb or len(clause.arguments) > 0 or clause.phase == "used to":
            yield generic

    def _works_at(self, clause: Clause, employer: str) -> _Made:
        """Return the claim of an employer told beside a job, which may change without it."""
        mine = clause.subject is None or clause.subject.lower in FIRST
        told = mine and clause.tense == "present" and not clause.negated
        return _Made("employer", employer, "profile", text=f"{self._self} works at {employer}" if told else "")

    def _later(self, clause: Clause) -> bool:
        return any(token.lower in {"tomorrow", "tonight", "next", "soon"} for token in clause.tokens)

    def _filler(self, clause: Clause, slot: Slot, teller: Teller) -> Argument | None:
        arguments = clause.all("object")
        if slot.markers:
            # Its prepositions are in the order of their worth: who lives "with us in Leicester" lives in Leicester.
            placed = [
                (slot.markers.index(marker), each)
                for each in clause.all("oblique", "when", "complement")
                if (marker := each.marker or first_word(each.head, clause.sentence)) in slot.markers
            ]
            arguments = iter([each for _, each in sorted(placed, key=lambda pair: pair[0])])
        for each in arguments:
            noun = each.head
            names = {noun.lower, noun.lemma.lower()} | {
                below.lower for below in clause.sentence.children(noun, "compound", "flat", "nmod")
            }
            if slot.nouns and not names & slot.nouns:
                continue
            if (slot.proper and noun.upos != "PROPN") or (is_year(noun) and slot.name != "birthday"):
                continue
            if names & VAGUE or (noun.lemma.lower() in UNITS and slot.name != "likes") or noun.has("PronType=Rel"):
                continue
            if slot.counted and not any(token.upos == "NUM" or token.text[0].isdigit() for token in clause.tokens):
                continue
            if (
                noun.lower in POINTING | {"it", "them", "one", "something", "anything", "there", "here", "what"}
                and teller.noun(noun) is None
            ):
                continue
            return each
        return None

    def _fill(self, clause: Clause, slot: Slot, teller: Teller) -> Iterator[_Made]:
        found = self._filler(clause, slot, teller)
        if found is None:
            return
        ends = slot.ends or (found.marker == "from" and slot.name == "home")
        name = slot.name
        nouns = {found.head.lower, found.head.lemma.lower()}
        if name == "owns" and nouns & PETS:
            name = "pet"
        if name == "likes" and nouns & KIN:
            name = "love"
        if name == "home":
            # Of "a small flat in Leeds" the town tells more.
            placed = clause.all(found.role, markers=(found.marker,))
            found = next((each for each in placed if each.head.text[:1].isupper()), found)
        several = list(clause.all(found.role, markers=(found.marker,) if slot.markers else None))
        for each in [found] if slot.name in {"age", "weight", "salary", "job", "employer", "home"} else several:
            value = value_of(each.head, teller)
            if value:
                yield _Made(name, value, slot.kind, ends)
        old = clause.find("oblique", markers=("from",))
        if clause.verb == "switch" and old is not None:
            yield _Made(name, value_of(old.head, teller), slot.kind, ends=True)

    def _generic(self, clause: Clause, teller: Teller) -> _Made:
        """Return a claim under the verb, with its preposition if it has no object."""
        target = clause.find("object", "indirect")
        oblique = clause.find("oblique")
        # A past form tells an event from what goes on: "washed" the car, "drive" to work.
        past = clause.tense == "past" and not clause.progressive and clause.phase != "used to"
        particle = clause.verb.partition(" ")[2]
        slot = f"{clause.head.lower} {particle}".strip() if past and clause.head.has("Tense=Past") else clause.verb
        if target is None and oblique is not None and oblique.marker:
            slot = f"{slot} {oblique.marker}"
        lasts = clause.tense == "present" and not clause.progressive and not clause.perfect
        if (thing := self._possession(clause)) is not None:
            slot = f"{slot_of(thing, clause.sentence)} {slot}"
            return _Made(slot, verb_phrase(clause, teller, bare=True), "profile" if lasts else "fact")
        if lasts and (labelled := self._labelled_value(clause, slot, teller)) is not None:
            return labelled
        return _Made(slot, verb_phrase(clause, teller, bare=True) or clause.verb, "fact")

    def _labelled_value(self, clause: Clause, slot: str, teller: Teller) -> _Made | None:
        """Return the claim of an attribute by its number: "Grafana runs on port 3000", "we run it on port 3000"."""
        target, oblique = clause.find("object", "indirect"), clause.find("oblique")
        holder = oblique if target is None else target
        if _is_thing(clause) and holder is not None and is_labelled(holder.head, clause.sentence):
            return _Made(slot, value_of(holder.head, teller), "profile")
        mine = clause.subject is not None and clause.subject.lower in FIRST | GROUP
        if mine and target is not None and oblique is not None and is_labelled(oblique.head, clause.sentence):
            slot = f"{slot_of(target.head, clause.sentence)} {clause.verb} {oblique.marker}"
            return _Made(slot, value_of(oblique.head, teller), "profile")
        return None

    # Particular verbs.

    def _copula(self, clause: Clause, teller: Teller) -> Iterator[_Made]:
        head, sentence, subject = clause.head, clause.sentence, clause.subject
        lemma = head.lemma.lower()
        value = value_of(head, teller)
        marker = " ".join(each.lower for each in sentence.children(head, "case"))
        owned = subject is not None and subject.upos == "NOUN" and not clause.inherited
        if (misread := self._progressive(clause, teller)) is not None:
            yield misread
            return
        mine = sentence.child(head, "nmod:poss")
        if mine is not None and mine.lower in FIRST | GROUP and lemma in KIN | ROLES | PETS:
            return
        if owned and subject is not None and (made := self._attribute(clause, subject, teller)):
            yield made
            return
        if owned and head.upos == "PROPN" and not marker and self._is_kin(clause) and not clause.negated:
            # "My boss is Ana" is claimed as whose boss Ana is.
            return
        complement = verb_phrase(clause, teller) if clause.copular or head.upos == "ADJ" else value
        predicate = complement or value
        if (state := self._state(clause, teller, value, predicate)) is not None:
            yield from state
        elif (
            not marker
            and head.upos == "NOUN"
            and is_job(lemma)
            and not any(each.has("Degree=Sup") for each in sentence.children(head, "amod"))
            and is_one_person(clause)
            and (clause.tense != "past" or clause.perfect or clause.phase)
        ):
            yield _Made("job", value, "profile")
            if at := clause.find("oblique", markers=("at", "for", "with")):
                yield self._works_at(clause, value_of(at.head, teller))
        elif (
            not marker
            and head.upos == "PROPN"
            and subject is not None
            and subject.lower in FIRST
            and head.lower in given_names()
        ):
            yield _Made("name", value, "profile")
        elif marker:
            placed = _is_thing(clause) and is_labelled(head, sentence)
            yield _Made(f"be {marker}", value, "profile" if placed else "fact")
        elif head.upos in {"NOUN", "PROPN"} or len(clause.arguments) > 0:
            yield _Made("be", predicate or value, "fact")

    def _progressive(self, clause: Clause, teller: Teller) -> _Made | None:
        """Return the claim of a verb that the parser took for a part of a name: "I'm dating Alex"."""
        head, sentence = clause.head, clause.sentence
        verb = sentence[head.index - 1] if head.index else head
        if not head.text[:1].isupper() or verb.relation != "compound" or not verb.text.endswith("ing"):
            return None
        slots = BY_VERB.get(lemma_of(verb.lower, "VERB"), ())
        name = [head, *sentence.children(head, "flat")]
        return next(
            (_Made(each.name, teller.tell(name, plain=True), each.kind) for each in slots if not each.markers), None
        )

    def _state(self, clause: Clause, teller: Teller, value: str, predicate: str) -> list[_Made] | None:
        """Return the claims of a predicate that names its slot: "is 34", "is allergic to nuts"; None of another."""
        head = clause.head
        word, lemma = head.lower, head.lemma.lower()
        marker = " ".join(each.lower for each in clause.sentence.children(head, "case"))
        aged = head.upos == "NUM" and not marker and predicate == value != "one" and len(value) <= _LONGEST_AGE
        measured = head.index + 1 < len(clause.sentence) and clause.sentence[head.index + 1].upos == "NOUN"
        if is_one_person(clause) and (
            (aged and not measured)
            or (word == "old" and "year" in predicate)
            or (lemma == "year" and "old" in predicate)
        ):
            return [_Made("age", value if head.upos == "NUM" else predicate, "profile")]
        if word == "allergic":
            causes = clause.all("oblique", markers=("to",))
            return [_Made("allergy", value_of(each.head, teller), "profile") for each in causes]
        if word in STATUS:
            return [_Made("partner", predicate, "profile")]
        if word in DIETS or word.startswith(("gluten", "dairy", "lactose")):
            return [_Made("diet", word, "preference")]
        if marker == "from" and head.upos == "PROPN":
            return [_Made("hometown", value, "profile")]
        if marker == "on" and {word, lemma} & DIETS:
            return [_Made("diet", value, "preference")]
        if marker == "with" and head.upos == "PROPN" and any(token.lower == "now" for token in clause.tokens):
            return [_Made("partner", value, "profile")]
        return None

    def _attribute(self, clause: Clause, subject: Token, teller: Teller) -> _Made | None:
        """Return the claim of "my favourite colour is blue", "my sister's name is Ana"."""
        sentence = clause.sentence
        lemma = subject.lemma.lower()
        owner = sentence.child(subject, "nmod:poss") or sentence.child(subject, "det") or subject
        named = sentence.children(subject, "compound", "appos", "flat") if subject.upos == "PROPN" else ()
        near = {lemma, subject.lower, *(each.lower for each in named)}
        if (
            (owner.relation == "det" and owner.lower not in FIRST | GROUP | {"the"})
            or near & (KIN | ROLES | PETS)
            or subject.upos == "PROPN"
        ):
            return None
        slot = slot_of(subject, sentence)
        tokens = sentence.subtree(
            clause.head,
            lambda each: each.index in {subject.index, *(a.index for a in clause.auxiliaries)} or outside(each),
        )
        behind = [each for each in tokens if each.index > subject.index]
        whole = written_on(behind, sentence)
        value, text = teller.tell(whole, plain=True), ""
        if len(whole) > len(behind):
            text = f"{teller.tell(sentence.subtree(subject, outside_value), plain=True)} is {value}"
        judged = clause.head.upos == "ADJ" and sentence.child(clause.head, "case", "nummod") is None
        if slot in {"phone", "mobile", "cell", "number"} and sum(each.isdigit() for each in value) >= _LEAST_DIGITS:
            slot = "phone number"
        if slot.rpartition(" ")[2] in _NAMES and not (
            clause.head.upos == "PROPN" or '"' in value or value[:1].isupper()
        ):
            # "My name is wrong" names nobody.
            return None
        kind: NoteKind = "preference" if slot.startswith("favourite") else "fact" if judged else "profile"
        return _Made(slot, value, kind, text=text) if value else None

    def _having(self, clause: Clause, teller: Teller) -> _Made | None:
        found = clause.find("object")
        if found is None:
            return None
        noun = found.head
        names = {noun.lower, noun.lemma.lower()}
        value = value_of(noun, teller)
        if names & PETS and not {each.lower for each in clause.sentence.children(noun, "amod", "compound")} & _TOYS:
            return _Made("pet", value, "profile")
        if slot := next((BY_NOUN[name] for name in names if name in BY_NOUN and name in KIN | ROLES), None):
            return _Made(slot, value, "profile")
        if clause.verb == "have" and names & {"allergy", "allergies"}:
            return _Made("allergy", value, "profile")
        if names & POSSESSIONS:
            return _Made("owns", value, "profile")
        return None

    def _named(self, clause: Clause, teller: Teller) -> _Made | None:
        """Return the claim of "our band is called Harbour Lights": what is called so, and how."""
        found, subject = clause.find("complement", "object"), clause.subject
        if found is None or subject is None:
            return None
        value = value_of(found.head, teller)
        if subject.lower in FIRST or subject.lemma.lower() in KIN | PETS:
            return _Made("name", value, "profile")
        return _Made(slot_of(subject, clause.sentence), value, "profile")

    # Nouns: who belongs to whom.

    def _nouns(self, unit: Unit) -> None:
        sentence, teller = unit.sentence, unit.teller
        if unit.question is not None or sentence.words.endswith("?"):
            return
        for token in sentence:
            owner = sentence.child(token, "nmod:poss")
            if owner is None or owner.lower not in FIRST | GROUP | {"her", "his", "their"}:
                continue
            whose = self._self if owner.lower in FIRST | GROUP else teller.noun(owner)
            if whose is None or whose.lower() in self._others:
                continue
            self._belonging(unit, token, whose)
        for clause in unit.clauses:
            if (thing := held(clause)) is not None and is_asserted(clause, unit.clauses):
                self._called(unit, thing, self._self)

    def _belonging(self, unit: Unit, token: Token, whose: str) -> None:
        """Claim who or what belongs to somebody: "my sister Lucy", "my dog Rex", "Rex, my dog"."""
        sentence = unit.sentence
        told = next(
            (each for each in unit.clauses if each.copular and each.head is token and each.mood == "statement"), None
        )
        nouns = _beside(unit, token)
        resolved = ""
        if told is not None and told.subject is not None and not told.negated:
            if told.subject.upos == "PROPN":
                nouns.append(told.subject)
            elif told.subject.lower in THIRD:
                resolved = unit.teller.noun(told.subject) or ""
        kin = next((each for each in nouns if {each.lower, each.lemma.lower()} & (KIN | ROLES)), None)
        pet = next((each for each in nouns if {each.lower, each.lemma.lower()} & PETS), None)
        noun = pet or kin
        if noun is None and not token.has("Number=Plur"):
            self._name_of_thing(unit, token, whose)
        if token.has("Number=Plur"):
            self._called(unit, token, whose)
        if noun is None or noun.has("Number=Plur"):
            return
        name = self._name_of(unit, nouns) or resolved
        word = noun.lemma.lower()
        slot = "pet" if pet is not None else slot_of_person(noun, sentence)
        if not name and slot not in {"partner", "pet"}:
            return
        ended = any(
            each.text.lower() in {"ex", "late", "former"} for each in sentence.children(token, "amod", "compound")
        )
        label = sentence.span(
            [
                each
                for each in sentence.children(noun, "amod", "compound")
                if each.upos in {"ADJ", "NOUN"} and each.lower != "own"
            ]
        )
        label = f"{label} {word}".strip()
        value = f"{word} {name}".strip() if slot != "relation" else name
        text = f"{name} is {possessive(whose)} {label}." if name else f"{whose} has a {word}."
        if any(each.verb in {"die", "pass away"} and each.subject in nouns for each in unit.clauses):
            ended = True
            text = unit.text
        elif unit.quoted and not name:
            return
        self._keep(unit, whose, _Made(slot, value, "profile"), sentence_of(text), positive=not ended)

    def _called(self, unit: Unit, token: Token, whose: str) -> None:
        """Claim what things or people of somebody's are called: "my twins, Lena and Bo"."""
        told = called(token, unit.sentence)
        if told is None or told.names.lower() in self._others or self._assistant:
            return
        text = f"{told.names} {'are' if told.several else 'is'} {possessive(whose)} {told.noun}."
        self._keep(unit, whose, _Made(told.slot, told.value, "profile"), sentence_of(text), positive=True)

    def _name_of_thing(self, unit: Unit, token: Token, whose: str) -> None:
        """Claim the name of a thing of somebody's: "our linter, Biome"."""
        beside = unit.sentence.child(token, "appos")
        if token.upos != "NOUN" or beside is None or beside.index < token.index:
            return
        if (name := self._name_of(unit, [beside])) and name.lower() not in self._others:
            slot = slot_of(token, unit.sentence)
            text = sentence_of(f"{name} is {possessive(whose)} {slot}.")
            self._keep(unit, whose, _Made(slot, name, "profile"), text, positive=True)

    def _name_of(self, unit: Unit, nouns: Sequence[Token]) -> str:
        proper = [each for each in nouns if _is_name(each) and each.lower not in COURTESY]
        if not proper:
            return ""
        first = proper[0]
        parts = [first, *(each for each in unit.sentence.children(first, "flat", "compound") if _is_name(each))]
        parts += [each for each in proper[1:] if each.relation == "flat"]
        return unit.sentence.span(sorted({part.index: part for part in parts}.values(), key=lambda each: each.index))

    # Answers and orders.

    def _answered(self, unit: Unit, question: QuestionBefore) -> None:
        """Claim what an answer without a verb says of what its question asks about."""
        if self._assistant or question.clause is None:
            return
        clause, sentence = question.clause, question.sentence
        said = [
            token
            for sentence_said in unit.said
            for token in sentence_said
            if token.upos not in {"PUNCT", "INTJ", "SYM"} and token.lower not in {"yes", "no", "yeah"}
        ]
        answer = " ".join(
            Teller(unit.teller.speech, each, ()).tell([token for token in each if token in said], plain=True)
            for each in unit.said
        ).strip()
        about_hearer = any(token.lower in SECOND for token in sentence)
        subject = self._self if about_hearer else question.teller.subject(clause)
        if (
            not answer
            or subject is None
            or (
                sentence[0].lower in {"are", "is", "do", "did", "have", "has", "can", "will", "would"} and len(said) < 1
            )
        ):
            return
        noun = unit.said[0].root.upos in {"NOUN", "PROPN", "NUM", "SYM"} if unit.said else False
        slot, kind = self._slot_asked(clause, sentence) if noun or clause.verb == "live" else (clause.verb, "fact")
        if not any(token.upos in {"NOUN", "PROPN", "NUM", "ADJ", "VERB", "X"} for token in said):
            answer = question.teller.tell(
                [token for token in sentence if token.index > clause.head.index and token.upos != "PUNCT"], plain=True
            )
        if not answer or len(answer.split()) > _LONGEST_ANSWER:
            return
        self._keep(
            unit,
            subject,
            _Made(slot, answer, kind),
            unit.text,
            positive=not any(token.lower in {"no", "never", "none", "not", "nope"} for token in unit.sentence),
        )

    def _slot_asked(self, clause: Clause, sentence: Sentence) -> tuple[str, NoteKind]:
        words = {token.lower for token in sentence}
        nouns = [token for token in sentence if token.upos == "NOUN"]
        if words & PETS and clause.verb in {"have", "have get", "own", "be"} and words & SECOND:
            return "pet", "profile"
        if clause.verb == "live":
            return "home", "profile"
        if clause.verb == "work":
            return ("work on", "fact") if "on" in words else ("employer", "profile")
        if clause.verb == "do" and "what" in words and not nouns:
            return "job", "profile"
        if words & SPORTS and clause.verb == "play":
            return "plays", "preference"
        if clause.verb == "be":
            for noun in nouns:
                owner = sentence.child(noun, "nmod:poss")
                if noun.lemma.lower() in BY_NOUN and owner is not None and owner.lower in SECOND:
                    return BY_NOUN[noun.lemma.lower()], "profile"
            if nouns:
                adjectives = [each.lower for each in sentence.children(nouns[0], "amod")]
                return " ".join((*adjectives, nouns[0].lemma.lower())), "profile"
        return clause.verb, "fact"

    def _instructed(self) -> None:
        """Claim what is to be done for good."""
        for sentence, clause, _ in self._found.orders:
            self._order(sentence, clause)
        for sentence in self._found.sentences if self._served else ():
            if directs(sentence):
                self._instruction(sentence)

    def _order(self, sentence: Sentence, clause: Clause) -> None:
        """Claim an order that holds for later answers, in the words of who gave it."""
        words = {token.lower for token in clause.tokens} | {sentence[0].lower}
        verb = clause.verb.partition(" ")[0]
        lasting = bool(words & STANDING) or "from now on" in sentence.words.lower()
        forms = {token.lower for token in sentence} & FORMS
        formed = bool(forms) and (verb in ANSWERING or _in_form(clause))
        called = verb == "call" and "me" in words
        colon = max((each.index for each in sentence.tokens[: clause.opening.index] if each.text == ":"), default=-1)
        before = sentence.tokens[colon + 1 : clause.opening.index]
        before = [each for each in before if each.upos not in _BEFORE_ORDERS]
        if (before and clause.kind == "main") or not _is_to_hearer(clause):
            return
        if not (lasting or formed or called) or verb == "let" or len(sentence) < 3 or sentence.words.endswith("?"):
            return
        if lasting and not formed and not called and verb not in ANSWERING | TELLING and not clause.negated:
            return
        cheering = verb in {"worry", "forget", "stop"} or (verb == "give" and clause.find("object") is None)
        if cheering and not formed and not words & {"me", "my"}:
            return
        self._instruction(sentence)

    def _instruction(self, sentence: Sentence) -> None:
        """Claim a sentence as an instruction, with all that it applies to."""
        value = sentence.span([token for token in sentence if token.relation not in {"discourse", "vocative"}]).strip(
            " .!"
        )
        text = quoted(self._speaker, sentence.words)
        made = _Made("instruction", value, "preference")
        key = self._speaker, made.slot, value.lower()
        place = min(max(len(self._found.units) - 1, 0), 31)
        self._claims.setdefault(key, Claim(made.kind, self._speaker, made.slot, value, text, statement=place))


def _beside(unit: Unit, token: Token) -> list[Token]:
    """Return a noun with what stands for the same: its apposition, what it is called, and what it is said to be."""
    sentence, head = unit.sentence, unit.sentence.head(token)
    # "My dog Rex" is a dog, "my snake plant" no snake.
    related = ("compound", "appos", "flat") if token.upos == "PROPN" else ("appos", "flat")
    nouns = [token, *sentence.children(token, *related)]
    if token.relation == "appos" and head is not None:
        nouns.append(head)
    nouns += [
        below
        for each in sentence.children(token, "acl")
        if each.lower in {"called", "named"}
        for below in sentence.children(each, "xcomp", "obj", "obl")
        if below.upos == "PROPN"
    ]
    if token.relation == "compound" and head is not None and head.upos == "PROPN":
        nouns.append(head)
    nouns += [
        each.head
        for each in unit.clauses
        if each.copular and each.subject is token and each.stated and not each.negated
        if each.head.upos == "PROPN" and sentence.child(each.head, "case", "nmod:poss") is None
    ]
    return nouns


def _is_thing(clause: Clause) -> bool:
    """Tell if the subject of a clause is named or told, and may be a thing."""
    return clause.subject is not None and clause.subject.upos in {"NOUN", "PROPN"}


def _short(clause: Clause, token: Token, subject: str) -> str:
    """Return the name of somebody told with a relation: "Lucy" of "my sister Lucy"."""
    sentence = clause.sentence
    parts = (token, *sentence.children(token, "appos", "flat", "compound"))
    # The parser may give "my" to the noun: to "friend" of "my friend Rufus".
    owned = [each for each in parts if each is token or {each.lower, each.lemma.lower()} & (KIN | ROLES | PETS)]
    several = any(sentence.child(each, "conj") is not None for each in parts)
    if several or not any(sentence.child(each, "nmod:poss") for each in owned):
        return subject
    names = [each for each in parts if _is_name(each)]
    return sentence.span(sorted(names, key=lambda each: each.index)) or subject


def _is_name(token: Token) -> bool:
    """Tell if a word is part of a name: a noun such as "cousin", which the parser may tag as one, is not."""
    return token.upos == "PROPN" and not (token.text.islower() and token.lower in KIN | ROLES | PETS)


def _is_to_hearer(clause: Clause) -> bool:
    """Tell if an order has no subject: one before it in the sentence may be none, where it does not agree with it."""
    subject = clause.subject
    if subject is None:
        return True
    plural = subject.has("Number=Plur") or subject.lower in FIRST | GROUP | SECOND | THIRD
    return clause.inherited and not plural and clause.opening.lower == clause.opening.lemma


def _in_form(clause: Clause) -> bool:
    """Tell if an order says in which form or language to do something: "write to me in Spanish"."""
    return any(each.head.lower in FORMS for each in clause.all("oblique", markers=("in", "with", "as", "without")))


def _same_thing(gone: Claim, claim: Claim) -> bool:
    if gone.subject != claim.subject or (
        gone.slot != claim.slot and not (gone.slot == ENDED and claim.slot in LASTING)
    ):
        return False
    one, other = set(gone.value.lower().split()), set(claim.value.lower().split())
    return one <= other or other <= one
