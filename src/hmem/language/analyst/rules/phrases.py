"""Things that are talked about without a name of their own: "a pottery class", "live music".

A phrase is read forward from where it may begin: determiners and praise are passed over, and it ends before the first
word that cannot belong to it. Nothing is known of the parts of speech, so a phrase is short, and the lists are long.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hmem.language.analyst.rules.gazetteer import DAYS_AND_MONTHS
from hmem.language.analyst.rules.lexicon import is_content
from hmem.language.regex import regex
from hmem.language.stopwords import STOP_WORDS


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


# What may stand before the phrase and says nothing of its own.
_DETERMINERS: Final = _words("""
    a an the my our your some this that these those another new old few couple of more lots lot many several any own his
    her their first second third last next other one two three four five six seven eight nine ten bunch all
    """)
_PRAISE: Final = _words("""
    really very super so pretty quite awesome amazing great good nice cool fantastic wonderful lovely beautiful gorgeous
    incredible fun cute special favorite favourite fave little big small huge tiny local whole bit kind sort type pair
    awesome perfect interesting exciting big brand best such sweet stunning unique different own usual actual fabulous
    """)
# What ends it: whatever says when, how, or goes on with the sentence.
_ENDS: Final = (
    (STOP_WORDS - _words("home kind kinds order name count names"))
    | DAYS_AND_MONTHS
    | _words("""
    yesterday today tomorrow tonight week weeks weekend month months year years day days morning afternoon evening night
    moment hour hours minute minutes time times ago later early late together away alone lately recently currently
    finally actually definitely especially probably hopefully usually too well instead besides plus minus like but
    because cause cuz since until unless although whether while despite during without within between among around
    near across against along behind beyond inside outside through throughout toward towards upon again ever
    it them him her us me you he she they we who whom whose which what when where why how everything something anything
    nothing everyone someone anyone one ones stuff thing things lot lots people guys way ways part parts kinda sorta
    is are was were be been being am has have had do does did can could will would shall should may might must gonna
    wanna gotta got get gets getting make makes made making take takes took taking go goes going went gone help helps
    helped helping keep kept need needs needed want wants wanted know knew see saw seen say said tell told think thought
    last next day feel feels felt look looks looked sound sounds seem seems bring brings brought show shows showed
    give gave let lets
    watching learning doing playing working going getting making keeping talking living having using trying being
    seeing hearing knowing finding showing bringing giving feeling
    helping connecting spending sharing exploring creating thinking talking meeting hoping wanting needing including
    a an the my our your his their this that these those and or nor so if then than as at by for from in into of off on
    onto out over to up with about above below down per via yay wow lol haha okay ok yes no not never always often
    sometimes everywhere anywhere somewhere here there now soon already still just even only also both each every
    come comes came coming much more most less least very really quite rather pretty hard fast
    """)
)
_WORD: Final = regex(r"[^\W\d_][\w+]*(?:[-'’][\w+]+)*")
_NEXT: Final = regex(r" ([a-z][\w'’-]*)")
_GAP: Final = regex(r"[ \u00a0]+")
# What people do, join and go to: with a word before it that says which, it is a phrase wherever it stands. The blank
# before it comes first in the pattern, so that only what follows blanks is looked at.
_HEAD: Final = regex(
    r" (?<=[a-zA-Z+] )(?:class|workshop|course|group|agency|shelter|club|studio"
    r"|tournament|competition|contest|parade|race|marathon|festival|conference|convention|concert|store|shop|center|centre"
    r"|program|programme|project|campaign|retreat|lesson|recital|exhibition|exhibit|fundraiser|drive|league|forum"
    r"|internship|degree|recipe|garden|kitchen|church|gym|market|fair|meetup|podcast|blog|channel|charity|routine|school"
    r"|business|trip|party|meeting)(?:es|s)?(?![\w'’-])"
)
_MODIFIER: Final = regex(r"[a-z][a-z-]{2,}|LGBTQ?\+?")
_BEFORE_HEAD: Final = 48
_LONGEST: Final = 4
_LEAST_LETTERS: Final = 3
_GERUND: Final = "ing"
# Things whose names end like a gerund.
_NOUNS_IN_ING: Final = _words("painting wedding training building clothing jewelry ring string king meeting reading")
# What is left at the end when the phrase is taken from the middle of a sentence.
_TRAILING: Final = _words("online nonstop based together lately abroad")
# Behind a gerund that stands alone these show that something else is meant: "breaking up my day", "running my studio".
_OBJECTS: Final = _words("""
    up down out off into onto to my your our his her their the a an them it him us this that these those about over away
    from through different new all some more around back
    """)
# Heads of phrases that lead nowhere: "made progress", "got a ton".
_LIGHT: Final = _words("""
    difference progress connection connections wish wishes idea ideas decision decisions plan plans mistake
    mistakes choice choices effort efforts point sense bit bits ton tons theme genre energy series surge turnout
    news hang addition step steps start change changes impact job work family friend friends memory memories
    journey goal goals dream dreams skill skills way world place places view views vibe vibes atmosphere chance
    opportunity game films moment experience feeling spirit process challenge challenges passion support advice
    look sound style color colors colour success result results use fun room space stuff call calls deal deals
    note notes list lists sure name names person child kid kids year life lives pic pics photo photos picture
    pictures version session sessions nights days feedback conversation chat lot rest top end hope hopes
    commitment word words side touch piece pieces money mind book movie video show structure freedom self-
    acceptance thought happiness own ones team group love best most breakthrough contact contacts appearance
    speech fan fans community
    """)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase, and where in the text it stands."""

    text: str
    start: int
    end: int


def phrase_at(text: str, place: int) -> Phrase | None:
    """The phrase that begins at a place of a text, spaces and determiners aside, or None."""
    words: list[tuple[int, int, str]] = []
    passing = True
    while len(words) < _LONGEST:
        gap = _GAP.match(text, place)
        match = _WORD.match(text, gap.end() if gap else place)
        if match is None or (gap is None and words):
            break
        word = match[0]
        small = word.lower()
        place = match.end()
        if small in _DETERMINERS or (passing and small in _PRAISE):
            if passing:
                continue
            break
        if small in _ENDS or not _belongs(text, match, first=not words):
            break
        passing = False
        words.append((match.start(), match.end(), word))
    return _whole(text, words)


def compounds(text: str) -> Iterator[Phrase]:
    """Phrases such as "adoption agency": a word for what people do or join, and the words that say which."""
    for match in _HEAD.finditer(text):
        start = place = head = match.start() + 1
        for word in reversed(text[max(0, start - _BEFORE_HEAD) : start].split(" ")[-_LONGEST:-1]):
            if not _describes(word):
                break
            place -= len(word) + 1
            # A vague word belongs to it only between others: "LGBTQ support group".
            start = place if is_content(word) else start
        if start < head:
            yield Phrase(text[start : match.end()], start, match.end())


def _describes(word: str) -> bool:
    """Whether a word may say which class, group or trip is meant."""
    small = word in _ENDS or word in _DETERMINERS or word in _PRAISE or word.endswith("ly")
    return not small and _MODIFIER.fullmatch(word) is not None


def _belongs(text: str, match: re.Match[str], *, first: bool) -> bool:
    word = match[0]
    if "'" in word or "’" in word or (word[:1].isupper() and not word.isupper()):
        return False
    if first or not word.endswith(_GERUND) or word in _NOUNS_IN_ING:
        return True
    # "an engineering company", but not "a workshop teaching us".
    following = _NEXT.match(text, match.end())
    return following is not None and following[1] not in _ENDS and following[1] not in _DETERMINERS


def _whole(text: str, words: list[tuple[int, int, str]]) -> Phrase | None:
    while len(words) > 1 and (words[-1][2].endswith("ly") or words[-1][2] in _TRAILING):
        words.pop()
    while words and words[-1][2] in _PRAISE:
        words.pop()
    if not words or len(words[-1][2]) < _LEAST_LETTERS or words[-1][2] in _LIGHT:
        return None
    if len(words) == 1 and _is_unfinished(text, words[0]):
        return None
    start, end = words[0][0], words[-1][1]
    phrase = text[start:end]
    return Phrase(phrase, start, end) if phrase == phrase.lower() or len(words) > 1 else None


def _is_unfinished(text: str, word: tuple[int, int, str]) -> bool:
    """Whether a word alone is a gerund whose object is left out, or too vague to be anything by itself."""
    following = _NEXT.match(text, word[1])
    return (
        word[2].endswith(_GERUND)
        and word[2] not in _NOUNS_IN_ING
        and following is not None
        and following[1] in _OBJECTS
    ) or not is_content(word[2])
