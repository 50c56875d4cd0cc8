"""How a question is built: the word that asks, the noun phrase that goes with it, the verb, and the rest.

"Which colour schemes has Nadia asked for?" asks with "which" for (colour, schemes), by "has". A question that begins
with its verb ("Did Jon sell it?") asks with nothing, and ``polar`` is true.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from hmem.language.analyst.rules.wordlist import words
from hmem.language.regex import regex

AUXILIARIES: Final = words(
    """
    did do does is are was were am has have had can could will would shall should may might must
    didn't don't doesn't isn't aren't wasn't weren't hasn't haven't hadn't can't couldn't won't wouldn't shouldn't
    """
)
PREPOSITIONS: Final = words(
    """
    of in on for to at with from by during about that who when where while after before besides between as into
    near around through according until since than if because under over
    """
)
# What is counted and named goes on after "of": "kinds of books", "the name of her sister".
_CONTAINERS: Final = words(
    """
    kind kinds type types sort sorts form forms style styles variety list one some piece pieces
    """
)
_LEAD_WORDS: Final = (
    r"how (?:many|much|long|often|frequently|old|far|tall|big|heavy|high|fast|large|deep|late|early|come)"
    r"|how|what|which|whose|whom|who|when|where|why"
)
_ASKED_BY_THE_WAY: Final = r"remind me|tell me|show me|wondering|know|ask|remember|recall|confirm|let me know|find out"
_LEAD: Final = regex(
    rf"(?:^|[,;:\u2013\u2014]\s*|\b(?:{_ASKED_BY_THE_WAY})(?: about| of| again)?,?\s+)"
    rf"(?:(?:and|so|but|also|ok|okay|hey|hi)\s+)?(?:(?:in|on|at|for|from|to|by|with|after|around|since|of|until|about"
    rf"|during|under)\s+)?({_LEAD_WORDS})(?:['’](s|re|d|ve|ll))?(?![\w'’-])",
    re.IGNORECASE,
)
_POLAR: Final = regex(
    r"(?:(?:and|so|but|also|ok|okay|then|hey|hi),?\s+)?"
    r"((?:did|do|does|is|are|was|were|am|has|have|had|can|could|will|would|shall|should|may|might|must)(?:n['’]t)?)\s",
    re.IGNORECASE,
)
_POLITE: Final = regex(
    r"\b(?:can|could|would|will|do) you (?:please |still |also |happen to )*(?:remind|tell|know|remember|recall|list"
    r"|recommend|suggest|give|show|share|provide|help"
    r"|have any (?:\w+ )?(?:tips|advice|ideas|suggestions|recommendations))\b"
    r"|^(?:do|can|could|may) i (?:know|ask|remember)",
    re.IGNORECASE,
)
# "St.", "Mrs." and initials end no sentence.
_SENTENCE_END: Final = regex(r"(?<=\?)\s+|(?<=[a-z\d)'\"][a-z\d)'\"][.!])(?<!Mrs\.)\s+(?=\W{0,3}[A-ZÀ-Þ])")
# Most questions are one sentence, and this tells it in a tenth of the time.
_ENDED: Final = regex(r"[?.!]\s+\S")
_NAMED_ONLY: Final = regex(
    r"\b(?:remind me|tell me|recall|remember)(?: again)?(?: of| about)? (?=(?:the|that|my|his|her|their|our|those)\b)",
    re.IGNORECASE,
)
_WORD: Final = regex(r"[^\W_]+(?:[-.&][^\W_]+)*(?:['’][^\W_]*)?")
_CONTRACTED: Final = {"s": "is", "re": "are", "d": "did", "ve": "have", "ll": "will"}
# A noun phrase longer than this is none: what follows is read as a clause. And what is read of a question that goes on.
_LONGEST_PHRASE: Final = 9
_MOST_READ: Final = 1_000


@dataclass(frozen=True, slots=True)
class Asking:
    """The parts of a question: ``lead`` and ``phrase`` written small, ``rest`` as it is after the verb.

    ``text`` is the sentence that asks. ``verb`` is empty where no auxiliary stands in its place ("Who gave it?").
    """

    text: str
    lead: str = ""
    phrase: tuple[str, ...] = ()
    verb: str = ""
    rest: str = ""
    polar: bool = False

    @property
    def head(self) -> str:
        """The noun that is asked for, such as "schemes"; empty where there is none."""
        return self.phrase[-1] if self.phrase and self.verb else ""


def tokens(text: str) -> list[str]:
    """The words of a text, written small, with their apostrophes."""
    return [word.replace("’", "'") for word in _WORD.findall(text.lower())]


# What cuts a question and what plans its parts ask one after the other.
@lru_cache(maxsize=8)
def asking(question: str) -> Asking:
    """The parts of the sentence that asks, which is the last one with a question mark."""
    text = _sentence(question[-_MOST_READ:])
    polar = _POLAR.match(text)
    if polar is not None and _POLITE.search(text) is None:
        return Asking(text, verb=polar[1].lower(), rest=text[polar.end() :], polar=True)
    lead = _LEAD.search(text)
    if lead is None:
        return _named_only(text)
    rest, text = text[lead.end() :], text[lead.start() :].lstrip(" ,;:\u2013\u2014")
    if lead[2]:
        return Asking(text, lead[1].lower(), (), _CONTRACTED[lead[2].lower()], rest)
    return _phrased(text, " ".join(lead[1].lower().split()), rest)


def _named_only(text: str) -> Asking:
    """ "Remind me of the name of the shop" asks what it is."""
    found = _NAMED_ONLY.search(text)
    return Asking(text[found.start() :], "what", (), "is", text[found.end() :]) if found else Asking(text, rest=text)


def _sentence(question: str) -> str:
    if _ENDED.search(question) is None:
        return question.strip()
    sentences = _SENTENCE_END.split(question.strip())
    asked = [sentence for sentence in sentences if sentence.endswith("?")]
    return (asked or sentences)[-1] if asked or len(sentences) == 1 else question.strip()


def _phrased(text: str, lead: str, rest: str) -> Asking:
    """The question with its noun phrase and its verb told apart."""
    found: list[str] = []
    closed = False
    for place, match in enumerate(_WORD.finditer(rest)):
        word = match[0].lower().replace("’", "'")
        if word in AUXILIARIES:
            return Asking(text, lead, tuple(found), word, rest[match.end() :].strip())
        if place > _LONGEST_PHRASE:
            break
        closed = closed or (word in PREPOSITIONS and not _goes_on(word, found))
        if not closed and word not in PREPOSITIONS:
            found.append(word)
    return Asking(text, lead, tuple(found[:4]), "", rest.strip())


def _goes_on(word: str, found: list[str]) -> bool:
    return word == "of" and (not found or found[-1] in _CONTAINERS)


UNITS: Final = words(
    "second seconds minute minutes hour hours day days week weeks month months year years nights night"
)
_NOT_PLURAL: Final = words("news series species always glass class business address tennis chess news is was this")
_PLURAL: Final = words("people children women men kids mice feet teeth")


def is_plural(noun: str) -> bool:
    """Whether a noun, written small, looks like several."""
    if noun in _PLURAL:
        return True
    return (
        len(noun) > 3 and noun.endswith("s") and not noun.endswith(("ss", "us", "is", "'s")) and noun not in _NOT_PLURAL
    )


def singular(noun: str) -> str:
    """A noun without the ending of the plural, and without a possessive."""
    noun = noun.removesuffix("'s").removesuffix("'")
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if noun.endswith(("sses", "shes", "ches", "xes")):
        return noun[:-2]
    return noun[:-1] if is_plural(noun) and noun not in _PLURAL else noun
