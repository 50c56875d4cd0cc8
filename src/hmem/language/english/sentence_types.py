"""Types of sentences, and sentences without what only addresses the hearer.

A question asks, an imperative encourages, and a response ("that sounds amazing") answers the other speaker; each is
known by its opening or its end. ``bare`` removes interjections and names of address.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from hmem.language.regex import regex

_STRAIGHT: Final = {0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"'}
_LEADS: Final = (
    r"and|but|oh|ooh|ah|aw+|yeah|yep|yup|hey|hi|hello|hiya|wow|whoa|woah|woohoo|yay|phew|ugh|haha\w*|lol|"
    r"omg|hmm+|um+|uh"
    r"|btw|by the way|anyways?|also|plus|speaking of(?: which)?|on another note|in other news|guess what"
    r"|so(?=,| (?:i|we|my|our|he|she|it|they|the|there|yesterday|last)\b)"
)
_MARKED_LEADS: Final = (
    r"no|yes|well|right|sure(?: thing)?|ok|okay|alright|great|cool|nice|awesome|amazing|sweet|perfect|"
    r"exactly|totally"
    r"|absolutely|definitely|agreed|true|indeed|of course|for sure|same(?: here)?|thanks|thank you|thx|"
    r"sorry|congrats"
    r"|congratulations|honestly|actually|to be honest|tbh|good (?:question|point|idea|morning|evening|"
    r"afternoon)|nope|nah"
    r"|way to go|nice (?:work|one|job)|good (?:job|work|call)|no (?:worries|problem|way)|you know(?: "
    r"what)?|look|listen"
    r"|got it|i (?:know|see|agree|guess)|welcome|welcome back|that(?:'s)? (?:great|cool|awesome|amazing|"
    r"true|right)"
)
_MUCH: Final = (
    r"(?: so much| very much| a lot| a ton| a bunch| a million| again| for (?:asking|sharing|the \w+(?: "
    r"\w+)?))?"
)
# Every question has one of these words.
ASKING: Final = ("?", "\uff1f")
_QUESTION_OF: Final = regex(r"[?\uff1f]['\")\]]*(?:\s*\W+)?$")

# Openings that encourage, wish or direct.
IMPERATIVE: Final = regex(
    r"^(?:please |just |always |never |so )*(?:keep(?! (?:in touch with my))|don'?t|do not|let'?s?(?: me| "
    r"us)?|have (?:a|fun|an)|take (?:care|it|your|lots|some|a|one|things)"
    r"|stay|believe in|hang|enjoy|tell|send|remember to|remember that|good luck|best of luck|all the best|"
    r"way to go|well done"
    r"|give (?:it|him|her|them|me|yourself|my)|trust|go (?:for|ahead|get)|never give|hold on|see (?:you|"
    r"ya)|talk (?:to you )?(?:soon|later)"
    r"|catch (?:you|up)|sleep well|get (?:well|some rest)|be (?:proud|careful|safe|sure|strong)|cheer up|"
    r"chin up|hit me up|thank|thanks|congrats"
    r"|congratulations|welcome|no (?:worries|problem|need)|you (?:got|'ve got) this|count me in|props|"
    r"kudos|hats off|(?:great|good|nice|awesome|excellent|amazing|fantastic|impressive|superb|cool|smart|"
    r"wise|lovely) (?:job|work|going|idea|choice|call|one|move|plan|way to|effort|shot|pic|picture|photo)|"
    r"fingers crossed|rest (?:up|easy))\b",
    re.IGNORECASE,
)

# Openings of mere reactions to the last message, and openings of possible ones.
RESPONSE: Final = regex(
    r"^(?:here (?:you|ya|it|they) (?:go|is|are)\b|sounds?\b|looks? (?:like|so|great|good|amazing|awesome|"
    r"delicious)\b|glad\b"
    r"|(?:so |really |very |super |always |just )*(?:happy|proud|glad|sorry|excited|good|great|nice|cool|"
    r"awesome|amazing|inspiring|lovely|wonderful|sad) (?:to (?:hear|see|know)|for (?:you|him|her|them)|of "
    r"you|that|you|on you)\b"
    r"|what an?\b|how \w+|such an?\b|(?:that|this|it) (?:sounds?|looks?|must (?:be|feel|have)|seems?)\b|"
    r"i(?:'m| am)(?: so| really| very| super| truly| just| always)* (?:glad|happy (?:for|to hear|to see|"
    r"you|that)|proud of you|sorry|here for|with you|grateful for your|thankful for your|rooting|jealous|"
    r"impressed|sure you)\b"
    r"|i (?:really |totally |completely |do |so |truly |also |just |can |100% |definitely )*(?:appreciate|"
    r"agree|hope you|bet|imagine|can tell|can see|understand|wish you|admire|hear|guess|couldn't agree)\b"
    r"|i (?:can't|cannot|couldn't) (?:agree|believe|even|imagine)|can't (?:believe|agree)\b|my pleasure|"
    r"thanks to you\b|love (?:that|your)\b|(?:i|i'd) (?:really |just )?love (?:that|it|your)\b"
    r"|you(?:'re right| are right|'re so| rock| should be proud))",
    re.IGNORECASE,
)

# One interjection before a statement; "thanks" and the like need a mark or a name behind them.
_BREAK: Final = r"[,!.…:;\u2013\u2014-]+\s*"
_INTERJECTION: Final = regex(
    rf"(?:{_LEADS})\b[\s,!.…:;\u2013\u2014-]*(?=\S)|(?:{_MARKED_LEADS}){_MUCH}\s*{_BREAK}(?=\S)",
    re.IGNORECASE,
)
_UNMARKED: Final = regex(rf"(?:{_MARKED_LEADS}){_MUCH}\s+", re.IGNORECASE)
# Maximum distance of a name behind an interjection, in characters.
_NEAR: Final = 60


def _opening_of(sentence: str, names: tuple[str, ...]) -> int:
    """Return the start of the statement in a sentence, behind interjections and names of address."""
    place = 0
    while (end := _step(sentence, place, names)) > place:
        place = end
    return place


def _step(sentence: str, place: int, names: tuple[str, ...]) -> int:
    """Return the end of the interjection or name at ``place``; ``place`` if there is none."""
    found = _INTERJECTION.match(sentence, place)
    if found is not None or not names:
        return place if found is None else found.end()
    called, addressed = _callings(names)
    if _UNMARKED.match(sentence, place):
        name = called.search(sentence, place, place + _NEAR)
        if name is not None and _UNMARKED.fullmatch(sentence, place, name.start()):
            return name.start()
    name = addressed.match(sentence, place)
    return place if name is None else name.end()


@lru_cache(maxsize=1_024)
def _callings(names: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns of a name and of a name of address. Kept apart from the interjections, which compile slowly."""
    called = _called(names)
    return regex(called, re.IGNORECASE), regex(rf"{called}{_BREAK}(?=\S)", re.IGNORECASE)


@lru_cache(maxsize=1_024)
def _vocatives(names: tuple[str, ...]) -> re.Pattern[str]:
    return regex(rf",\s*{_called(names)}(?=[,.!?…]|$)")


def _called(names: Iterable[str]) -> str:
    """Return a pattern of the names and their short forms of three letters or more."""
    forms = [_called_one(name) for name in names]
    return rf"(?:(?:my |dear )?(?:{'|'.join(forms)})\b)" if forms else r"(?!)"


def _called_one(name: str) -> str:
    """Return a pattern of one name: ``Melanie`` is Mel, Mela, … and Melanie."""
    first, rest = re.escape(name[:3]), name[3:]
    if not name.isalpha():
        return re.escape(name)
    optional = "".join(f"(?:{re.escape(letter)}" for letter in rest) + ")?" * len(rest)
    return f"{first}{optional}"


def straight(text: str) -> str:
    """Return the text with straight quotation marks and apostrophes, as the rules expect them."""
    return text if text.isascii() else text.translate(_STRAIGHT)


def bare(sentence: str, names: tuple[str, ...]) -> str:
    """Return a sentence without leading interjections and names of address."""
    rest = sentence[_opening_of(sentence, names) :]
    return _vocatives(names).sub("", rest) if names and "," in rest else rest


def is_question(sentence: str) -> bool:
    return _QUESTION_OF.search(sentence, max(len(sentence) - 12, 0)) is not None


def is_response(sentence: str) -> bool:
    """Tell if a sentence only praises, thanks or wishes in reply."""
    return RESPONSE.match(sentence) is not None or IMPERATIVE.match(sentence) is not None
