"""Answers that mean nothing without their question, joined to it.

"Do you have pets?" / "Yes, two cats" becomes "Maria has pets: two cats"; where the question does not turn into a
statement so simply, it is quoted: 'Asked "What do you bake?", Maria said: sourdough'.
"""

import re
from typing import Final

from hmem.language.analyst.rules.person import People, named, shown
from hmem.language.analyst.rules.wordlist import words
from hmem.language.regex import regex

# Characters of a question that can be repeated, and words of an answer that leans on it, or is no sentence.
_LONGEST_QUESTION: Final = 160
_FEW_WORDS: Final = 7
_MANY_WORDS: Final = 14

_YES: Final = regex(
    r"^(?:oh )?(?:yes|yeah|yep|yup|yea|sure|definitely|absolutely|of course|totally|indeed|i (?:do|did|"
    r"have|am|was|can|will|would))\b(?: (?:i (?:do|did|have|am|was|can|will|would)|we (?:do|did|have|are|"
    r"were)|sure|indeed|it is))?[\s,.!\u2013\u2014-]*",
    re.IGNORECASE,
)
_NO: Final = regex(
    r"^(?:oh )?(?:no|nope|nah|not yet|not really|never|i (?:do|did|have|am|was|can|wo|"
    r"would)n't)\b(?:[,!.]? ?(?:i (?:do|did|have|am|was|ca|wo|would)(?:n't| not)|not yet|never|"
    r"unfortunately))?[\s,.!\u2013\u2014-]*",
    re.IGNORECASE,
)
_POLAR: Final = regex(r"^(do|did|have|are|were) you (?:guys |ever |still |also |currently )*(.+?)\?+$", re.IGNORECASE)
# Questions for which a yes is only the beginning of the answer.
_ASKING_MORE: Final = regex(
    r"\bor\b|\b(?:advice|tips?|recommend\w*|suggest\w*|ideas?|think|plans?|like to|want to|mind|know|you|"
    r"me|any other|anything|something|hear)\b",
    re.IGNORECASE,
)
_WHERE: Final = regex(
    r"^(?:so |and )?(where|when|since when|how long|how often)( ago)? (do|did|have|are|were|will) you (.+?)\?+$",
    re.IGNORECASE,
)
_YOUR: Final = regex(r"^(?:and )?what(?:'?s| is| was| are) your (.+?)\?+$", re.IGNORECASE)
_ANY: Final = regex(r"\b(?:any|ever) ")
_LEADING: Final = regex(r"^(?:so|and|but|well|oh|wow|cool|nice|awesome|by the way|btw)[\s,!-]+", re.IGNORECASE)
_FINITE: Final = regex(
    r"\b(?:i|we|he|she|they|you|it|there)(?:'\w+)?\s+\w|\b(?:is|are|was|were|am|has|have|had|do|does|did|"
    r"will|would|can|could|should"
    r"|went|got|made|took|came|saw|gave|said)\b|\w'(?:s|re|m|ve|ll|d)\b|\b\w+ed\b",
    re.IGNORECASE,
)
_AMOUNT: Final = regex(
    r"(?:about |around |almost |over |just )?"
    r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|a few|a couple of) "
    r"(?:days?|weeks?|months?|years?)\b",
    re.IGNORECASE,
)
_FOLLOWS: Final = regex(
    r"(?:in|at|on|for|since|with|near|from|about|around|last|next|twice|once|every|yesterday|because|to|by)\b"
)
_SHOWS: Final = regex(r"(?:check|look|here|take a look|see)\b", re.IGNORECASE)
_LEANS: Final = regex(
    r"^(?:it|they|he|she|that|this|those|these|one|there|because|since|for|to|with|at|in|on|by|from)\b", re.IGNORECASE
)
_WORDS: Final = regex(r"[\w'-]+")


def is_simple(question: str) -> bool:
    """Whether a question turns into a statement about the one who is asked."""
    return any(pattern.match(question) for pattern in (_POLAR, _WHERE, _YOUR))


# A reply that begins with yes or no.
REPLY: Final = regex(rf"{_YES.pattern}|{_NO.pattern}", re.IGNORECASE)


def is_fragment(answer: str) -> bool:
    """Whether an answer is no sentence by itself, or leans on what was asked."""
    count = len(_WORDS.findall(answer))
    if not count or _SHOWS.match(answer):
        return False
    return (count <= _MANY_WORDS and _FINITE.search(answer) is None) or (
        count <= _FEW_WORDS and _LEANS.match(answer) is not None
    )


def joined(question: str, answer: str, people: People) -> str | None:
    """The statement that an answer makes of a question; None when the answer stands alone or says nothing."""
    question = _LEADING.sub("", question)
    if len(question) > _LONGEST_QUESTION:
        return None
    reply = _YES.match(answer) or _NO.match(answer)
    rest = answer[reply.end() :] if reply else answer
    if reply is not None and (stated := _polar(question, reply[0], rest, people)) is not None:
        return stated
    if not is_fragment(rest):
        return _declared(question, rest, people) if _begins_apart(rest) else None
    return _declared(question, rest, people) or _quoted(question, rest, people)


def _begins_apart(answer: str) -> bool:
    """Whether an answer opens with the amount or the time that was asked for, and goes on with more."""
    return len(answer) < _LONGEST_QUESTION and _AMOUNT.match(answer) is not None


def _quoted(question: str, rest: str, people: People) -> str:
    return f'Asked "{question}", {shown(people.speaker)} said: {named(_tidy(rest), people)}'


def _polar(question: str, reply: str, rest: str, people: People) -> str | None:
    """What a yes or a no says; None when the question asks for more, or the answer goes on as a sentence by itself."""
    asked = _POLAR.match(question)
    if asked is None or _ASKING_MORE.search(asked[2]) or (_WORDS.search(rest) and not is_fragment(rest)):
        return None
    yes = _YES.match(reply) is not None
    verb = asked[1].lower()
    about = _ANY.sub("", asked[2]) if yes else asked[2]
    said = f"you {'' if verb == 'do' and yes else verb + ' '}{'' if yes else 'not '}{about}"
    return _with(said, rest, people)


def _declared(question: str, rest: str, people: People) -> str | None:
    if asked := _WHERE.match(question):
        verb = asked[3].lower()
        return _with(f"you {'' if verb == 'do' else verb + ' '}{asked[4]}", rest, people)
    if asked := _YOUR.match(question):
        said = named(f"Your {asked[1]}", _turned(people))
        return f"{said} {'are' if asked[1].endswith('s') else 'is'} {named(_tidy(rest), people)}"
    return None


def _with(said: str, rest: str, people: People) -> str:
    """A question as its answerer's statement, with what they added."""
    stated = named(said[0].upper() + said[1:], _turned(people))
    added = named(_tidy(rest), people) if _WORDS.search(rest) else ""
    if not added:
        return f"{stated}."
    return f"{stated} {added}" if _FOLLOWS.match(added) else f"{stated}: {added}"


def _turned(people: People) -> People:
    """The people as the asker sees them."""
    return People(people.addressee or "someone", people.speaker)


def _tidy(answer: str) -> str:
    text = answer.strip()
    first = text.partition(" ")[0]
    return text[:1].lower() + text[1:] if first[1:].islower() and first.lower() in _SMALL else text


_SMALL: Final = words(
    """
    a an the about around just for in at on since it they he she that this because to with by from my our one
    two three four five six seven eight nine ten last next yesterday mostly some lots
    """
)
