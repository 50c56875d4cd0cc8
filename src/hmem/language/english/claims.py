"""Construction of claims: wording, validity period, and checks that the sentence asserts them."""

import re
from dataclasses import dataclass
from typing import Final

from hmem.language.analyst.base import Claim
from hmem.language.english.person import shown
from hmem.language.english.vocabulary import Rule
from hmem.language.english.word_lists import words
from hmem.language.regex import regex
from hmem.model.note import NoteKind
from hmem.model.span import OPEN, Span

# Placeholder for the speaker while a text is read.
SELF: Final = "§"

# Slots of identity and preferences, whatever the rule's kind; all other claims are facts.
_KIND_OF: Final[dict[str, NoteKind]] = {
    **dict.fromkeys(("plan", "owns", "pet", "membership", "friend", "relation", "health", "role"), "profile"),
    **dict.fromkeys(("goal", "habit", "hobby", "interest", "instruction"), "preference"),
}


@dataclass(frozen=True, slots=True)
class Maker:
    """Builder of the claims of one sentence: its speaker, the time of the event, the index of the statement."""

    speaker: str
    happened: Span | None
    place: int

    def claim(
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
        """Return a claim worded by the template ``text``, in which ``{s}`` is the subject."""
        speaker = shown(self.speaker)
        kind = _KIND_OF.get(slot, kind)
        worded = text.replace("{s}", self._named(subject, speaker)).replace(SELF, speaker)
        return Claim(
            kind,
            subject,
            slot,
            value.replace(SELF, speaker),
            worded[:1].upper() + worded[1:],
            positive,
            self._valid(rule),
            self.place,
        )

    def _named(self, subject: str, speaker: str) -> str:
        if subject == self.speaker:
            return speaker
        own = f"{self.speaker}'s "
        return f"{speaker}'s {subject.removeprefix(own)}" if subject.startswith(own) else subject

    def _valid(self, rule: Rule | None) -> Span | None:
        if rule is None or self.happened is None or not (rule.lasting or rule.dated):
            return None
        return Span(self.happened.start, OPEN) if rule.lasting and rule.positive else self.happened


_UNSURE: Final = regex(
    r"\b(?:if|whether|unless|wish(?:es|ed)?|imagine[sd]?|maybe|perhaps|would|might|may|could|should|"
    r"dream(?:s|ed|t)?|pretend\w*|said|says|told|tells"
    r"|asked|joking|kidding|lol|haha|used to think|hypothetically|suppose|until|almost|nearly|as though|"
    r"like when|makes?|made|making|lets|helps|remind\w*|feels? like|thinks?|thought|fe(?:els|lt) like|"
    r"sometimes feels|sad that|sorry that|when (?=[^,]*$))\b",
    re.IGNORECASE,
)
# For past events a "when" without a comma behind it only gives the date.
_WHEN: Final = regex(r"\bwhen\b", re.IGNORECASE)

# Any other lower-case word just before a subject makes a relative clause of what follows: "the things Maria loves".
_WORD_BEFORE: Final = regex(r"(?<![\w'-])([A-Za-z]+) $")
_ALL: Final = words("All Everyone Everybody Everything Anything Something Someone Those Things People Whatever")
_JOINERS: Final = words(
    """
    and but so because since when while that as although though where cause then now also plus yet still well ok
    lately recently yesterday today tonight week weekend month year morning night evening afternoon day days weeks
    months years ago time times summer winter spring fall meantime hour actually anyway sometimes usually once before
    monday tuesday wednesday thursday friday saturday sunday which how here there later afterwards soon next instead
    speaking news too note hence after
    """
)


# Words that take a clause with "that"; behind others "that" opens a relative clause: "the peppers that …".
_TOLD: Final = regex(
    r"\b(?:is|are|was|so|happy|glad|excited|proud|grateful|thankful|lucky|fact|news|mentions?|mentioned|knows?|says?"
    r"|means?|now|likes?"
    r"|loves?|realized|admits?|forgot|remembers?|sure|given|true|funny|amazing|found|learned|noticed|ago|after"
    r"|before|since|like) that $"
)


# Phrases of time before the subject: "After years of doubt Maria …", "At the age of ten Maria …".
_TIME_BEFORE: Final = regex(r"(?:After|During|In|On|At|For|Since|By|Over|Throughout|Before|From) [^,.;:§]{1,60}$")


def unsure(sentence: str, place: int, *, past: bool = False) -> bool:
    """Tell if the text before a position makes it a condition, a wish, a guess or reported speech.

    ``past``: the event is past, so that a "when" before it only gives its date.
    """
    if place <= 0:
        return False
    return any(not (past and _WHEN.match(found[0])) for found in _UNSURE.finditer(sentence, 0, place))


def within(sentence: str, place: int) -> bool:
    """Tell if the subject at a position stands in a relative clause: "the things Maria loves"."""
    if _TIME_BEFORE.match(sentence, 0, place):
        return False
    before = _WORD_BEFORE.search(sentence, max(place - 24, 0), place)
    if before is None:
        return False
    word = before[1]
    if word == "that":
        return _TOLD.search(sentence, max(place - 40, 0), place) is None
    return word in _ALL if word[0].isupper() else word not in _JOINERS and not word.endswith("ly")
