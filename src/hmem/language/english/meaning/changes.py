"""Changes of state: what a clause says has ended ("quit the hospital", "came off the sertraline", "sold the car").

What ended is named by the clause's own words. Which earlier claim it ends is found among the notes later, by what they
share (``reconciliation``), since the relation that began and the one that ends are seldom worded alike.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hmem.language.english.gazetteer import known_names
from hmem.language.english.meaning.clauses import Argument, Clause
from hmem.language.english.meaning.lists import KIN, SAME_KIN
from hmem.language.english.meaning.reference import FIRST, GROUP
from hmem.language.english.meaning.slots import APPOINTMENTS, JOB_NOUNS
from hmem.language.english.tree import Sentence, Token


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Slots of a claim that says that something ended: what is named; a job, a partner or a home that is not.
ENDED: Final = "ended"
JOB: Final = "ended job"
PARTNER: Final = "ended partner"
HOME: Final = "ended home"
ENDING_SLOTS: Final = (ENDED, JOB, PARTNER, HOME)

# Verbs by which somebody ends what their object names.
_ENDING: Final = _words(
    """quit leave sell cancel drop scrap ditch dump donate return total cancel abandon delete uninstall resign lose
    discontinue replace trade swap postpone reschedule move delay rename"""
) | {
    "give up", "give away", "give back", "hand back", "hand in", "get rid", "turn down", "call off", "come off",
    "go off", "throw out", "throw away", "trade in", "drop out", "break up", "split up", "move out",
    "pull out", "back out", "let go", "put off", "push back", "bring forward", "wean off", "grow out", "cut out",
    "pack in", "kick out",
}  # fmt: skip
# Verbs by which what their subject names ends.
_OVER: Final = _words(
    "die end heal expire close finish retire recover cancel postpone reschedule disband break fail steal total"
) | {
    "pass away", "pass on", "fall through", "clear up", "go away", "come off", "break down", "run out", "put down",
    "call off",
    "run away", "shut down", "pack up", "move out", "wear off",
}  # fmt: skip
_MOVED: Final = _words("move reschedule postpone push delay") | {"push back", "put off", "bring forward", "put back"}
_DISMISSING: Final = _words("fire dismiss sack") | {"lay off", "let go"}
_MOVING: Final = _words("move relocate emigrate") | {"move out", "move in"}
_PARTING: Final = _words("divorce separate split") | {"break up", "split up"}
_WELL: Final = _words(
    "fine better good well healed gone over cured okay clear done cancelled canceled off recovered finished"
)
_RENAMING: Final = _words("rename change switch update")
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
        yield Ending(PARTNER, other.head if other is not None else None)
        return
    yield from _ended_by_move(clause, found)


def _ended_by_move(clause: Clause, found: Argument | None) -> Iterator[Ending]:
    """Yield what a clause with another verb ends: by moving it or from it, by its own end, or by its verb."""
    sentence, verb = clause.sentence, clause.verb
    if verb in _MOVED and clause.subject is not None and not _is_person(clause.subject, sentence):
        old = clause.find("oblique", markers=("from",))
        yield Ending(ENDED, clause.subject)
        if old is not None:
            yield Ending(ENDED, old.head)
        return
    if verb in _MOVING and found is None:
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
        yield Ending(JOB)
        return
    if renamed(clause) is None:
        yield from _ended_object(clause, sentence)


def _is_person(subject: Token, sentence: Sentence) -> bool:
    """Tell if a subject moves house when it moves: a person, and no appointment of theirs."""
    if subject.lower in APPOINTMENTS:
        return False
    named = subject.lower in KIN | SAME_KIN.keys() or subject.upos in {"PROPN", "PRON"}
    return named or sentence.child(subject, "nmod:poss") is not None


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
    verb, found = clause.verb, clause.find("object", "complement")
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
    ) or (particle in {"come", "go", "get"} and old is not None and "off" in old.marker):
        yield Ending(ENDED, old.head)
    elif particle in {"hand", "give", "send", "take"} and found is not None and any(
        each.lower == "back" for each in sentence.children(clause.head, "advmod", "compound:prt")
    ):  # fmt: skip
        yield Ending(ENDED, found.head)
    elif clause.verb == "be" and clause.subject is not None and clause.head.lower in _WELL:
        again = any(each.lower in {"again", "now", "fully", "finally", "completely"} for each in clause.tokens)
        if (
            (
                again
                or clause.head.lower
                in {
                    "healed",
                    "gone",
                    "over",
                    "cured",
                    "cancelled",
                    "canceled",
                    "off",
                    "recovered",
                    "finished",
                }
            )
            and clause.subject.lower not in FIRST | GROUP
            and clause.subject.upos != "PRON"
        ):
            yield Ending(ENDED, clause.subject)


def _instead(clause: Clause) -> Iterator[Ending]:
    """Yield what is left for something else: "instead of Aqua Leeds", "Lisbon, not Porto", "no more brace"."""
    sentence = clause.sentence
    for token in clause.tokens:
        if token.upos not in {"NOUN", "PROPN", "NUM"}:
            continue
        before = [
            each.lower
            for each in sentence.children(token, "case", "advmod", "det", "cc", "amod", "mark", "fixed")
            if each.index < token.index
        ]
        left = [each.lower for each in sentence.tokens[max(token.index - 3, 0) : token.index]]
        if (
            ("instead" in left and "of" in left)
            or (left[-2:] == ["no", "more"])
            or (left and left[-1] == "not" and "not" in (*before, "not"))
        ) and (left[-1] != "not" or token.index > clause.head.index):
            yield Ending(ENDED, token)


def _no_longer(clause: Clause) -> bool:
    words = " ".join(token.lower for token in clause.tokens)
    return "no longer" in words or (
        clause.negated and any(each in words for each in ("anymore", "any more", "any longer"))
    )


def renamed(clause: Clause) -> tuple[Token, Token] | None:
    """Return what a clause gives another value, and the value: "changed my handle to pk-dev"."""
    if clause.verb not in _RENAMING or clause.negated:
        return None
    several = list(clause.all("object"))
    found = several[-1] if clause.verb == "change" and several else next(iter(several), None)
    if found is None or found.head.upos == "PRON" or found.head.lower in APPOINTMENTS:
        return None
    to = clause.find("oblique", markers=("to",)) or clause.find("complement")
    value = to.head if to is not None else None
    sentence = clause.sentence
    if value is None:
        value = next(
            (
                each
                for each in sentence.children(found.head, "nmod")
                if any(c.lower == "to" for c in sentence.children(each, "case"))
            ),
            None,
        )
    if value is None and clause.verb == "rename":
        value = next(
            (each for each in sentence.children(found.head, "appos", "flat", "compound") if each.upos == "PROPN"), None
        )
    return None if value is None else (found.head, value)
