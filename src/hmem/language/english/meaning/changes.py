"""Changes of state: what a clause says has ended ("quit the hospital", "came off the sertraline", "sold the car").

What ended is named by the clause's own words. Which earlier claim it ends is found among the notes later, by what they
share (``reconciliation``), since the relation that began and the one that ends are seldom worded alike.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hmem.language.english.gazetteer import DAYS_AND_MONTHS, known_names
from hmem.language.english.meaning.clauses import Argument, Clause
from hmem.language.english.meaning.lists import KIN, PERSONS, PETS
from hmem.language.english.meaning.phrases import first_word
from hmem.language.english.meaning.reference import FIRST, GROUP
from hmem.language.english.meaning.slots import APPOINTMENTS, JOB_NOUNS, MEDICINES, POSSESSIONS, SPORTS
from hmem.language.english.tree import NOT_BUT, Sentence, Token


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Slots of a claim that says that something ended: what is named; a job, a partner or a home that is not.
ENDED: Final = "ended"
JOB: Final = "ended job"
PARTNER: Final = "ended partner"
HOME: Final = "ended home"
# What is used or preferred of a kind, where something else of the kind takes its place: "switched to dark mode".
USE: Final = "ended use"
ENDING_SLOTS: Final = (ENDED, JOB, PARTNER, HOME, USE)

# Verbs by which somebody ends what their object names.
_ENDING: Final = _words(
    """quit leave sell cancel drop scrap ditch dump donate return total cancel abandon delete uninstall resign lose
    discontinue replace trade swap exchange postpone reschedule move delay rename"""
) | {
    "give up", "give away", "give back", "hand back", "hand in", "get rid", "turn down", "call off", "come off",
    "go off", "throw out", "throw away", "trade in", "drop out", "break up", "split up", "move out",
    "pull out", "back out", "let go", "put off", "push back", "bring forward", "wean off", "grow out", "cut out",
    "pack in", "kick out", "put down",
}  # fmt: skip
# Verbs by which what their subject names ends.
_OVER: Final = _words(
    "die end heal expire close finish retire recover cancel postpone reschedule disband steal total"
) | {
    "pass away", "pass on", "fall through", "clear up", "go away", "come off", "run out", "put down",
    "call off",
    "run away", "shut down", "pack up", "move out", "wear off",
}  # fmt: skip
_MOVED: Final = _words("move reschedule postpone push delay") | {"push back", "put off", "bring forward", "put back"}
_DISMISSING: Final = _words("fire dismiss sack") | {"lay off", "let go"}
_MOVING: Final = _words("move relocate emigrate") | {"move out", "move in"}
_PARTING: Final = _words("divorce separate split") | {"break up", "split up"}
_WELL: Final = _words(
    "fine better good well normal healed gone over cured okay clear done cancelled canceled off recovered finished"
)
_RENAMING: Final = _words("rename change switch update")
# Verbs that give a number or a time another value, by what is in its place: "raised the rent to 710".
_SHIFTING: Final = _words(
    """move reschedule postpone push shift delay raise increase cut reduce lower drop bump extend put bring set go rise
    fall grow jump slip climb come shrink"""
)
_SHIFTED_TO: Final = ("to", "until", "till", "up to", "down to", "back to", "to about", "for")
_NAMING: Final = frozenset({"NOUN", "PROPN", "NUM"})
_NEARLY: Final = _words("almost nearly practically virtually")
_LITTLE: Final = _words("mind way place time chance shift break note everything nothing something game lot eye")


@dataclass(frozen=True, slots=True)
class Ending:
    """An end that a clause tells of: its noun, or None where only its family is known."""

    slot: str
    noun: Token | None = None


def endings(clause: Clause) -> Iterator[Ending]:
    """Yield what a stated clause says has ended."""
    over = clause.mood == "statement" and clause.said_by is None and _no_longer(clause)
    if not over and not _happened(clause):
        return
    yield from _instead(clause)
    if clause.negated and not over:
        return
    if over and clause.verb == "be" and clause.head.lower == "together":
        yield Ending(PARTNER, _beside_speaker(clause))
        return
    if over:
        target = clause.find("object", "oblique", "complement")
        yield Ending(ENDED, clause.head if target is None else target.head)
        return
    if clause.phase == "stop":
        yield Ending(ENDED, clause.head)
        return
    verb, found = clause.verb, clause.find("object", "complement")
    if verb in _DISMISSING:
        yield Ending(JOB, clause.subject if found is not None and found.head.lower in FIRST else None)
        return
    if verb in _PARTING and (verb != "split" or found is None):
        other = clause.find("oblique", markers=("with", "from")) or found
        yield Ending(PARTNER, other.head if other is not None else _beside_speaker(clause))
        return
    yield from _ended_by_move(clause, found)


def _ended_by_move(clause: Clause, found: Argument | None) -> Iterator[Ending]:
    """Yield what a clause with another verb ends: by moving it or from it, by its own end, or by its verb."""
    sentence, verb = clause.sentence, clause.verb
    old = clause.find("oblique", markers=("from",))
    if verb in _MOVED and clause.subject is not None and _is_moved(clause.subject, sentence, old):
        yield Ending(ENDED, clause.subject)
        if old is not None:
            yield Ending(ENDED, old.head)
        return
    if verb in _MOVING and found is None and not (clause.progressive and clause.tense == "present"):
        yield from _left_home(clause)
    if (
        verb in _OVER
        and clause.subject is not None
        and (found is None or clause.passive)
        and clause.subject.lower not in FIRST | GROUP
    ):
        yield Ending(ENDED, clause.subject)
        return
    if verb == "retire":
        old = clause.find("oblique", "complement", markers=("from", "as"))
        yield Ending(JOB, old.head if old is not None else None)
        return
    if verb == "switch" and (to := clause.find("oblique", markers=("to", "over to"))) is not None:
        kinds = sentence.children(to.head, "amod", "compound")
        if to.head.upos == "NOUN" and kinds and clause.find("oblique", markers=("from",)) is None:
            yield Ending(USE, to.head)
    if (new := new_value(clause)) is None or new[0].lemma.lower() in APPOINTMENTS:
        yield from _ended_object(clause, sentence)


def _is_moved(noun: Token, sentence: Sentence, old: Argument | None) -> bool:
    """Tell if a noun names what is put off or put elsewhere: an appointment, or a thing that is moved from a place."""
    if noun.lemma.lower() in APPOINTMENTS:
        return True
    return (
        old is not None
        and noun.upos == "NOUN"
        and noun.lemma.lower() not in PERSONS | PETS
        and not sentence.child(noun, "nmod:poss")
    )


def _beside_speaker(clause: Clause) -> Token | None:
    """Return the other one of "Callum and I split up", None without one."""
    subject, sentence = clause.subject, clause.sentence
    if subject is None:
        return None
    both = [subject, *sentence.children(subject, "conj")]
    head = sentence.head(clause.opening)
    if clause.opening.relation == "conj" and head is not None and head.upos == "PROPN":
        both.append(head)
    others = [each for each in both if each.lower not in FIRST | GROUP]
    return others[0] if others and len(others) < len(both) else None


def _happened(clause: Clause) -> bool:
    """Tell if a clause states what has happened or is so: nothing wished, planned, feared or nearly done."""
    real = (
        clause.mood == "statement" and clause.certain and clause.modality in {"", "need"} and clause.tense != "future"
    )
    nearly = any(each.lower in _NEARLY for each in clause.sentence.children(clause.head, "advmod"))
    return clause.finite and real and clause.said_by is None and not nearly


def _left_home(clause: Clause) -> Iterator[Ending]:
    if clause.verb != "move out" and not clause.find(
        "oblique", markers=("to", "into", "in", "out of", "back to", "from")
    ):
        return
    old = clause.find("oblique", markers=("from",))
    if old is not None and old.head.upos == "PROPN" and known_names().get(old.head.lower) != "location":
        yield Ending(ENDED, old.head)
    else:
        yield Ending(HOME)


def _ended_object(clause: Clause, sentence: Sentence) -> Iterator[Ending]:
    verb, found = clause.verb, clause.find("object", "indirect", "complement")
    particle = verb.partition(" ")[0]
    old = clause.find("oblique", markers=("from", "off", "of", "out of", "off of"))
    loose = clause.find("oblique", markers=("",))
    if verb in {"go", "come"} and any(each.lower == "off" for each in clause.tokens) and loose is not None:
        yield Ending(ENDED, loose.head)
        return
    if (
        verb == "be"
        and clause.head.lower in {"bored", "tired", "sick", "done", "fed", "through"}
        and (of := clause.find("oblique", markers=("of", "with")))
    ):
        yield Ending(ENDED, of.head)
        return
    if verb == "stop" and found is not None and {found.head.lower, found.head.lemma.lower()} & (MEDICINES | SPORTS):
        yield Ending(ENDED, found.head)
        return
    if verb in _ENDING and (found is not None or old is not None):
        argument = found if found is not None else old
        noun = argument.head if argument is not None else None
        if noun is None or noun.lower in _LITTLE or noun.upos == "PRON":
            return
        if verb in _MOVED and clause.find("oblique", "when", markers=("to", "until", "till", "by", "")) is None:
            return
        job = (
            verb in {"quit", "leave", "resign", "lose"}
            and noun.lemma.lower() != "work"
            and ({noun.lower, noun.lemma.lower()} & JOB_NOUNS)
        )
        yield Ending(JOB if job else ENDED, noun)
    elif (
        particle in {"switch", "change", "move", "migrate", "go", "convert"}
        and old is not None
        and old.marker == "from"
    ) or (particle in {"come", "go", "get", "take", "wean"} and old is not None and "off" in old.marker):
        yield Ending(ENDED, old.head)
    elif particle == "put" and found is not None and (
        found.head.upos == "PROPN" or found.head.lemma in PETS
    ) and any(each.lower in {"sleep", "down"} for each in clause.tokens):  # fmt: skip
        yield Ending(ENDED, found.head)
    elif particle == "give" and clause.find("oblique", markers=("to",)) is not None:
        yield from (Ending(ENDED, each.head) for each in clause.all("object") if each.head.lemma in POSSESSIONS | PETS)
    elif particle in {"hand", "give", "send", "take"} and found is not None and any(
        each.lower == "back" for each in sentence.children(clause.head, "advmod", "compound:prt")
    ):  # fmt: skip
        yield Ending(ENDED, found.head)
    elif _is_gone(clause) and clause.subject is not None:
        yield Ending(ENDED, clause.subject)


# States in which what is in them is no more.
_GONE: Final = frozenset(["healed", "gone", "over", "cured", "cancelled", "canceled", "off", "recovered", "finished"])


def _is_gone(clause: Clause) -> bool:
    """Tell if a clause says that its subject is over: "the trip is off", "my knee is fine again"."""
    if clause.verb != "be" or clause.subject is None or clause.head.lower not in _WELL:
        return False
    again = any(each.lower in {"again", "now", "fully", "finally", "completely"} for each in clause.tokens)
    named = clause.subject.lower not in FIRST | GROUP and clause.subject.upos != "PRON"
    return named and (again or clause.head.lower in _GONE)


def _instead(clause: Clause) -> Iterator[Ending]:
    """Yield what is left for something else: "instead of Aqua Leeds", "Lisbon, not Porto", "no more brace"."""
    for token in clause.tokens:
        if token.relation == NOT_BUT and not _is_correction(clause):
            continue
        left = [each.lower for each in clause.sentence.tokens[max(token.index - 3, 0) : token.index]]
        if left[-1:] == ["not"]:
            # Of adjectives only those of a correction: "I meant orange, not red".
            righted = token.upos == "ADJ" and left[-2:-1] == [","]
            if token.index > clause.head.index and (righted or token.upos in _NAMING):
                yield Ending(ENDED, token)
        elif token.upos in _NAMING and (("instead" in left and "of" in left) or left[-2:] == ["no", "more"]):
            yield Ending(ENDED, token)


def _is_correction(clause: Clause) -> bool:
    """Tell if a clause takes back what was said: "I meant the red one, not the blue one", "it's Friday, not Monday"."""
    said = clause.said_by.verb if clause.said_by is not None else clause.verb
    first = next((each.lower for each in clause.sentence if each.upos not in {"PUNCT", "CCONJ"}), "")
    vague = clause.subject is None or clause.subject.lower in {"it", "that", "this"}
    return said == "mean" or vague or first in {"sorry", "actually", "correction", "no", "oops"}


def _no_longer(clause: Clause) -> bool:
    words = " ".join(token.lower for token in clause.tokens)
    return "no longer" in words or (
        clause.negated and any(each in words for each in ("anymore", "any more", "any longer", "after all"))
    )


def new_value(clause: Clause) -> tuple[Token, Token] | None:
    """Return what a clause gives another value, and the value: "changed my handle to pk-dev", "rent went up to 710"."""
    if clause.negated or clause.modality in {"plan", "want", "try"} or clause.tense == "future":
        return None
    if clause.verb.partition(" ")[0] in _SHIFTING and (shifted := _shifted(clause)) is not None:
        return shifted
    return _renamed(clause) if clause.verb in _RENAMING else None


def _shifted(clause: Clause) -> tuple[Token, Token] | None:
    """Return the number or appointment that a clause moves, and its new value."""
    if clause.passive or clause.find("object") is None:
        noun = clause.subject
    else:
        noun = next((each.head for each in clause.all("object")), None)
    if noun is None or noun.upos not in {"NOUN", "PROPN"} or noun.lemma.lower() in KIN | PETS:
        return None
    to = clause.find("oblique", "when", markers=_SHIFTED_TO) or next(
        (each for each in clause.all("oblique", "when") if _behind_to(each.head, clause.sentence)), None
    )
    if to is None or (clause.verb == "set" and to.marker == "to"):
        return None
    words = clause.sentence.subtree(to.head)
    timed = any(each.lower in DAYS_AND_MONTHS or each.lower in {"week", "month", "year", "tomorrow"} for each in words)
    counted = any(each.upos == "NUM" or each.text[0].isdigit() for each in words)
    due = _is_moved(noun, clause.sentence, clause.find("oblique", markers=("from",)))
    return (noun, to.head) if counted or (due and (timed or to.head.upos == "PROPN")) else None


def _behind_to(noun: Token, sentence: Sentence) -> bool:
    """Tell if a time stands behind "to" though the parser gives that to a number in it: "to 2 April"."""
    first = sentence.subtree(noun)[0]
    before = sentence[first.index - 1] if first.index else first
    return any(each.lower in {"to", "until"} for each in (first, before))


def _renamed(clause: Clause) -> tuple[Token, Token] | None:
    """Return what a clause gives another name, and the name."""
    several, sentence = list(clause.all("object")), clause.sentence
    found = several[-1] if clause.verb == "change" and several else next(iter(several), None)
    if found is None or found.head.upos == "PRON" or found.head.lower in APPOINTMENTS:
        return None
    noun = found.head
    if (to := clause.find("oblique", markers=("to",)) or clause.find("complement")) is not None:
        return noun, to.head
    value = next(
        (each for each in sentence.children(noun, "nmod") if _behind_to(each, sentence)),
        None,
    )
    if value is None and clause.verb == "rename":
        beside = (*sentence.children(noun, "appos", "flat", "compound"), *(each.head for each in several[1:]))
        value = next((each for each in beside if each.upos == "PROPN"), None)
        if value is None and noun.text[:1].isupper() and (named := sentence.child(noun, "compound")) is not None:
            return named, noun
    return None if value is None else (noun, value)


def in_exchange(clause: Clause) -> Token | None:
    """Return what somebody gets for what they give: "traded the Panda for a Yaris"."""
    if (new := clause.find("oblique", markers=("for", "with", "by"))) is not None:
        return new.head
    below = (each for old in clause.all("object") for each in clause.sentence.children(old.head, "nmod"))
    return next((each for each in below if first_word(each, clause.sentence) in {"for", "with", "by"}), None)


def goes_on(clause: Clause) -> bool:
    """Tell if a clause that ends one thing also begins another: "coaches at Bradford instead of Leeds"."""
    return (
        clause.verb != "be"
        and (clause.find("oblique", markers=("at", "in", "for", "to")) is not None)
        and any(token.lower in {"instead", "not"} for token in clause.tokens)
    ) or (
        clause.verb == "be" and any(token.lower == "not" and token.index > clause.head.index for token in clause.tokens)
    )
