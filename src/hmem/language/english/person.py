"""Resolution of "I", "you" and "we": a sentence as spoken, rewritten with people's names.

"I've got my dog here" said by Maria becomes "Maria has got Maria's dog here". Decided:

- "we" is "Maria and others" the first time and "they" after that; "us" and "our" follow ("them", "their"); alone,
  "our" is "Maria's". The others are rarely certain, and the turn is kept beside the statement.
- "you" is the other one of a session of two. It stays with more people, or where it means people in general ("it
  helps you relax", "when you travel").
- "we both" is the two speakers.
- "myself" and "yourself" become "themselves": the sex of a speaker is not known.
- Quotations stay as they are.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from hmem.language.english.verb_forms import is_participle, third_person
from hmem.language.english.word_lists import words
from hmem.language.regex import regex

_ROLES: Final = frozenset({"user", "assistant", "system", "tool", "human", "ai", "bot", "model", "agent"})

_ADVERBS: Final = (
    r"really|always|never|no\s+longer|seldom|often|sometimes|also|just|still|even|ever|already|kinda|sorta|kind\s+of|"
    r"sort\s+of|mostly"
    r"|mainly|now|then|sure|totally|almost|once|both|all|honestly|soon|too|first|only"
    r"|(?!(?:re|app|re?p|supp|imp|comp|f|multip|bul)ly\b)[a-z]{2,}ly"
)
_CLITICS: Final = r"'(?:m|ve|d|ll|re|s)"

_PERSON: Final = regex(
    rf"""(?<![\w'.@#/-])(?:
      (?:(?P<before>am|do|have|don'?t|haven'?t)\s+)?
      (?P<subject>[Ii]|[Yy]ou(?:\s+(?:guys|all|both)\b)?|[Ww]e)(?P<clitic>{_CLITICS})?(?![\w'@/-]|\.\w)
      (?P<adverbs>(?:,?\s+(?:{_ADVERBS})\b){{0,3}})(?:\s+(?P<verb>[a-z]+(?:-[a-z]+)*(?:'t)?)(?![\w']))?
    | (?P<other>[Mm]e|[Mm]y|[Mm]ine|[Mm]yself|[Yy]our|[Yy]ours|[Yy]ourself|us|[Oo]ur|[Oo]urs|[Oo]urselves|[Yy]a|u|ur)
      (?![\w'@/-]|\.\w)
    )""",
    re.VERBOSE,
)

# "you" behind these is a subject, not an object.
_OPENERS: Final = words(
    """
    that if when because and but so as what how where why who since once while think know hope believe guess
    or than though although until after before whether like all everything see saw heard hear glad proud happy
    sure say said which anything something things way time thing place one
    """
)
_ALWAYS_SUBJECT: Final = words(
    """
    are were have can could will would should may might must do did had don't didn't aren't haven't can't
    won't weren't wouldn't shouldn't couldn't
    """
)

# "you" in these means people in general.
_ANYONE: Final = regex(
    r"\b(?:makes|helps|lets|gives|keeps|takes|brings|shows|teaches|reminds|tells|brought|"
    r"allows|gets) you\b"
    r"|\b(?:if|when|once|whenever|wherever|the more|the less|until|while) you\b|\byou (?:never know|can "
    r"never|have to)\b"
    r"|\byou (?:know|see|bet)\b,?(?! (?:that|what|how|i|my)\b)|\bthank you\b",
    re.IGNORECASE,
)

# "we" in these means the two speakers.
_BOTH: Final = regex(r"\bboth of us\b|\bwe(?:'\w+| \w+)?(?: \w+)? both\b|\bwe two\b", re.IGNORECASE)
_QUOTED: Final = regex(r'("[^"]*")')

# Two people as one subject: "my husband and I".
_JOINED: Final = regex(
    r"(?:^|[,;:(]\s*|\b(?:and|but|so|that|because|when|if|where|while)\s+)(?:\S*[^\s,;:.!?]\s+){1,4}(?:and|&|or|nor)\s+$",
    re.IGNORECASE,
)
_SAYS: Final = regex(
    r"\b(?:[Ii]|we|is|was|are|were|have|has|had|be|been|do|did|does|will|would|can|could|love|like|think|"
    r"know|feel"
    r"|\w+ed|went|got|made|took|came|saw)\b|'(?:s|m|ve|re|d|ll) (?!\w+(?: \w+)? (?:and|&) )"
)


@dataclass(frozen=True, slots=True)
class People:
    """Speaker and addressee; None for an addressee that is not one certain person."""

    speaker: str
    addressee: str | None = None


@lru_cache(maxsize=4_096)
def shown(name: str) -> str:
    """Return a speaker's name for a statement: a role such as ``user`` gets an article."""
    return f"the {name.lower()}" if name.lower() in _ROLES else name


def named(sentence: str, people: People) -> str:
    """Return a sentence with first and second person replaced by names, and its verbs agreeing."""
    if '"' not in sentence:
        return _named(sentence, people)
    parts = _QUOTED.split(sentence)
    return "".join(part if i % 2 else _named(part, people) for i, part in enumerate(parts))


def _named(text: str, people: People) -> str:
    if not text:
        return text
    resolving = _Resolving(text, people)
    replaced = _PERSON.sub(resolving.replace, text)
    return replaced[:1].upper() + replaced[1:] if text[:1].isupper() or text[:2] in ("i ", "i'") else replaced


class _Resolving:
    """Replacements within one text, from left to right."""

    def __init__(self, text: str, people: People) -> None:
        self.text = text
        self.people = people
        self.speaker = shown(people.speaker)
        self.plural = False

    @cached_property
    def addressee(self) -> str | None:
        """Person meant by "you"; None if not certain."""
        if self.people.addressee is None or _ANYONE.search(self.text) is not None:
            return None
        return shown(self.people.addressee)

    @cached_property
    def together(self) -> str:
        """People meant by "we"."""
        if self.people.addressee is None or _BOTH.search(self.text) is None:
            return f"{self.speaker} and others"
        return f"{self.speaker} and {shown(self.people.addressee)}"

    def replace(self, found: re.Match[str]) -> str:
        subject: str | None = found["subject"]
        if subject is None:
            return self._other(found)
        first = subject[0].lower()
        if first == "i":
            return self._i(found)
        return self._we(found) if first == "w" else self._you(found)

    def _i(self, found: re.Match[str]) -> str:
        if found["subject"] == "i" and found.end() < len(self.text) and self.text[found.end()] in ")=:":
            return found[0]
        if found["before"]:
            return f"{third_person(found['before'].lower())} {self.speaker}{_rest(found)}"
        joined = _is_joined(self.text, found.start())
        return self.speaker + _agreed(found, third_person if not joined else str)

    def _you(self, found: re.Match[str]) -> str:
        if self.addressee is None or not self._is_subject(found):
            return found[0] if self.addressee is None else f"{_led(found)}{self.addressee}{_rest(found)}"
        return f"{_led(found)}{self.addressee}{_agreed(found, third_person)}"

    def _is_subject(self, found: re.Match[str]) -> bool:
        if found["clitic"] or (found["verb"] or "") in _ALWAYS_SUBJECT:
            return True
        head = self.text[max(found.start() - 16, 0) : found.start()].rstrip()
        return not head or head[-1] in ",;:-\u2013\u2014(" or head.rpartition(" ")[2].lower() in _OPENERS

    def _we(self, found: re.Match[str]) -> str:
        name = "they" if self.plural else self.together
        self.plural = True
        return f"{_led(found)}{name}{_CLITIC_PLURAL.get((found['clitic'] or '')[1:], '')}{_rest(found)}"

    def _other(self, found: re.Match[str]) -> str:
        word = found["other"].lower()
        if word in _SELVES:
            return "themselves" if word != "yourself" or self.addressee else found[0]
        if word in _ADDRESSED:
            return self._addressed(word, found[0])
        if word in _PLURAL and self.plural:
            return _PLURAL[word]
        if word == "us":
            self.plural = True
            return self.together
        return self.speaker if word == "me" else possessive(self.speaker)

    def _addressed(self, word: str, said: str) -> str:
        if self.addressee is None:
            return said
        return self.addressee if word in ("ya", "u") else possessive(self.addressee)


_SELVES: Final = frozenset({"myself", "yourself", "ourselves"})
_ADDRESSED: Final = frozenset({"your", "yours", "ya", "u", "ur"})
_PLURAL: Final = {"us": "them", "our": "their", "ours": "theirs"}
_CLITIC_PLURAL: Final = {"re": " are", "ve": " have", "ll": " will", "d": " would", "s": "", "m": ""}
_CLITIC: Final = {"m": "is", "re": "is", "ve": "has", "ll": "will", "s": "is"}


def possessive(name: str) -> str:
    """Return the possessive of a name: ``Maria's``."""
    return f"{name}'s"


def _led(found: re.Match[str]) -> str:
    return f"{found['before']} " if found["before"] else ""


def _rest(found: re.Match[str]) -> str:
    """Return the text matched behind the pronoun, unchanged."""
    return f"{found['adverbs']}{' ' + found['verb'] if found['verb'] else ''}"


def _agreed(found: re.Match[str], agree: Callable[[str], str]) -> str:
    """Return the text matched behind the pronoun, agreeing with a name."""
    clitic, adverbs, verb = (found["clitic"] or "")[1:], found["adverbs"], found["verb"] or ""
    if clitic:
        spelt = _CLITIC.get(clitic) or ("had" if is_participle(verb) else "would")
        behind = " " + {"gonna": "going to", "gotta": "got to"}.get(verb, verb) if verb else ""
        return f" {spelt}{adverbs}{behind}"
    return f"{adverbs}{' ' + agree(verb) if verb else ''}"


def _is_joined(text: str, start: int) -> bool:
    """Tell if the "I" at a position is the last of several people."""
    head = text[max(start - 60, 0) : start]
    joined = _JOINED.search(head) if head.rstrip().endswith((" and", "&", " or", " nor")) else None
    return joined is not None and _SAYS.search(joined[0]) is None
