"""Entities and relations of turns, by rules (H-Mem, tree and graph: formation, step 3).

Entities are chosen so that the graph leads from one turn to others:

- Proper names of people, pets, places, organisations, events, products and works (see ``names``).
- Noun phrases such as "pottery class", of type ``other``: objects of a relation ("signed up for a pottery class"), and
  everywhere activities, groups and places to go to, with a word that says which. All other common nouns are left to
  the index of words. A phrase is read forward from its start, past determiners and praise, to the first word that
  cannot belong to it. There is no part-of-speech tagger, so phrases are short and the lists long.
- Dates and times are none: as entities they would join turns that share only the day. The calendar tree and the
  statements' times serve them. ``entities(passage, dates=True)`` names them all the same.
- The speaker of a turn is an entity only where a relation involves them: the author of a turn is known anyway.

A relation ("I adopted a puppy named Coco") comes from a verb, its subject and its object. "I", "we" and "my" are the
speaker, "you" and "your" the other one of two, a name before the verb is itself. The object is the first name behind
the verb in the same clause, or else a phrase, which becomes an entity too. Decided:

- Denials, questions and wishes ("I don't like", "if I had") give no relation; plans to go somewhere do.
- The other one is the last other speaker; a question that begins with "you" says nothing of them.
- An assistant's "I" is no person's and gives no relation.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, islice
from typing import Final

from hmem.language.analyst.base import Extraction, Naming, Passage, Tie
from hmem.language.dates import find_dates
from hmem.language.english.gazetteer import DAYS_AND_MONTHS
from hmem.language.english.names import PET, names
from hmem.language.english.stopwords import STOP_WORDS
from hmem.language.english.topic_words import is_content
from hmem.language.english.word_lists import words
from hmem.language.regex import regex
from hmem.model.entity import EntityType
from hmem.model.turn import Turn


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Words before the phrase that carry no information.
_DETERMINERS: Final = _words("""
    a an the my our your some this that these those another new old few couple of more lots lot many several any own his
    her their first second third last next other one two three four five six seven eight nine ten bunch all
    """)
_PRAISE: Final = _words("""
    really very super so pretty quite awesome amazing great good nice cool fantastic wonderful lovely beautiful gorgeous
    incredible fun cute special favorite favourite fave little big small huge tiny local whole bit kind sort type pair
    awesome perfect interesting exciting big brand best such sweet stunning unique different own usual actual fabulous
    """)
# Words that end a phrase: time, manner, or another clause.
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
# Activities, groups and places to go to: with a word before it that says which, such a noun is a phrase
# everywhere. The pattern begins with the blank so that only positions behind blanks are tried.
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
# Nouns that end like a gerund.
_NOUNS_IN_ING: Final = _words("painting wedding training building clothing jewelry ring string king meeting reading")
# Words dropped from the end of a phrase in the middle of a sentence.
_TRAILING: Final = _words("online nonstop based together lately abroad")
# Words behind a lone gerund that show another meaning: "breaking up my day", "running my studio".
_OBJECTS: Final = _words("""
    up down out off into onto to my your our his her their the a an them it him us this that these those about over away
    from through different new all some more around back
    """)
# Heads of phrases too vague for an entity: "made progress", "got a ton".
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
    """Noun phrase and its position in the text."""

    text: str
    start: int
    end: int


def phrase_at(text: str, place: int) -> Phrase | None:
    """Return the noun phrase at a position, behind blanks and determiners, or None."""
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
    """Yield phrases such as "adoption agency": an activity, group or place with the words that say which."""
    for match in _HEAD.finditer(text):
        start = place = head = match.start() + 1
        for word in reversed(text[max(0, start - _BEFORE_HEAD) : start].split(" ")[-_LONGEST:-1]):
            if not _describes(word):
                break
            place -= len(word) + 1
            # A vague word belongs to a phrase only between others: "LGBTQ support group".
            start = place if is_content(word) else start
        if start < head:
            yield Phrase(text[start : match.end()], start, match.end())


def _describes(word: str) -> bool:
    """Tell if a word can say which class, group or trip is meant."""
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
    """Tell if a lone word is a gerund without its object, or too vague for an entity."""
    following = _NEXT.match(text, word[1])
    return (
        word[2].endswith(_GERUND)
        and word[2] not in _NOUNS_IN_ING
        and following is not None
        and following[1] in _OBJECTS
    ) or not is_content(word[2])


_SALIENT_TIE: Final = 0.6
_CALLED_OUT: Final = 0.3
_SURE: Final = 0.9
_LIKELY: Final = 0.7
_VAGUE: Final = 0.5

# Maximum distance from a verb to its object, in characters.
_REACH: Final = 60
_SHORTLY_BEFORE: Final = 12


@dataclass(frozen=True, slots=True)
class _Verb:
    """Relation of a verb: its label, the types allowed for its object, and if a phrase may be the object."""

    label: str
    types: tuple[EntityType, ...]
    phrases: bool = False


_ANY: Final[tuple[EntityType, ...]] = ("organization", "location", "event", "product", "work", "other", "person")
_PEOPLE: Final[tuple[EntityType, ...]] = ("person",)
_TOWNS: Final[tuple[EntityType, ...]] = ("location", "other")

_WORKS_AT: Final = (
    r"(?:work(?:ed|ing|s)?|intern(?:ed|ing)?)\s+(?:at|for)|(?:got|have|had|took|started|landed)\s+a\s+(?:new\s+)?job\s+"
    r"(?:at|with)|(?:lost|quit|left)\s+my\s+job\s+at"
)
_VISITED: Final = (
    r"(?:visit(?:ed|ing|s)?|(?:went|go|going|goes|been|flew|flying|drove|travel+(?:ed|ing)?|head(?:ed|ing)|off|back)\s+to"
    r"|(?:got\s+|came\s+)?back\s+from"
    r"|(?:(?:took|had|planned|planning|booked|went\s+on)\s+(?:an?|my|our|this|the)\s+(?:\w+\s+){0,2}?)?"
    r"(?:road\s+trip|trip|visit|tour|vacation|holiday)\s+(?:last\s+\w+\s+)?(?:to|in)"
    r"|(?:was|were|been|am|are|stay(?:ed|ing)?)\s+in|explor(?:ed|ing))"
)
_TOOK_PART: Final = (
    r"(?:attend(?:ed|ing|s)?|join(?:ed|ing)?|signed\s+up\s+for|enrol+ed\s+in|took\s+part\s+in|participat(?:ed?|ing)\s+in"
    r"|(?:went|going|been)\s+to|volunteer(?:ed|ing|s)?\s+(?:at|for|with)|ran|organi[sz](?:ed|ing)|host(?:ed|ing)|started)"
    r"\s+(?:a|an|the|this|my|our|some)"
)
_LIKES: Final = (
    r"(?:(?:lov(?:e|ed|es)|lik(?:e|es|ed))(?!\s+to\b)|enjoy(?:ed|s|ing)?|adores?)|(?:am|is|['’]m)\s+(?:(?:really|so|totally)\s+)?"
    r"(?:into|(?:a\s+)?(?:(?:big|huge)\s+)?(?:fan|fond)\s+of|passionate\s+about|obsessed\s+with|keen\s+on)"
    r"|(?:favorite|favourite)s?\s+[\w\s]{1,24}?\s(?:is|are|was)"
)

# Each row: a pattern of the verb's forms, and its relation.
_VERBS: Final[tuple[tuple[str, _Verb], ...]] = (
    (r"adopt(?:ed|ing|s)?", _Verb("adopted", ("person", "other"), phrases=True)),
    (_WORKS_AT, _Verb("works_at", ("organization", "location", "other", "product"), phrases=True)),
    (
        r"(?:liv(?:e|ed|es|ing)|based|grew\s+up|settled|mov(?:ed|ing)|relocated)\s+(?:in|to|near)",
        _Verb("lives_in", _TOWNS),
    ),
    (r"(?:am|was|come|came|comes|['’]m)\s+(?:originally\s+)?from|was\s+born\s+in", _Verb("from", _TOWNS)),
    (_VISITED, _Verb("visited", ("location", "event"))),
    (_TOOK_PART, _Verb("took_part_in", ("event", "organization", "other"), phrases=True)),
    (_LIKES, _Verb("likes", _ANY, phrases=True)),
    (r"(?:hate[ds]?|dislikes?|can['’]t\s+stand)", _Verb("dislikes", _ANY, phrases=True)),
    (r"(?:re)?read(?:ing|s)?|finished|just\s+started", _Verb("reads", ("work", "other", "person"))),
    (r"(?:re)?watch(?:ed|ing|es)?|saw", _Verb("watches", ("work", "event"))),
    (r"listen(?:ed|ing|s)?\s+to", _Verb("listens_to", ("work", "person", "other"), phrases=True)),
    (r"play(?:ed|ing|s)?", _Verb("plays", ("work", "product", "event", "other"), phrases=True)),
    (
        r"(?:learn(?:ed|ing|s|t)?|stud(?:y|ied|ying|ies)|practi[cs](?:e|ed|ing))(?:\s+(?:to\s+speak|about))?",
        _Verb("studies", ("other", "organization"), phrases=True),
    ),
    (r"bought|ordered|purchased|owne?d?", _Verb("has", ("product", "other"), phrases=True)),
    (r"(?:have|had|got|rescued)\s+(?:an?|two|three|another|some)", _Verb("has_pet", (), phrases=True)),
    (
        r"paint(?:ed|ing)|drew|wrote|writing|compos(?:ed|ing)|built|bak(?:ed|ing)|cooked|knitted|crafted|designed|made",
        _Verb("made", ("work", "product", "other"), phrases=True),
    ),
    (r"met|meeting|ran\s+into|(?:hung|hanging)\s+out\s+with", _Verb("met", _PEOPLE)),
    (r"married|marrying", _Verb("married_to", _PEOPLE)),
    (r"dating", _Verb("partner_of", _PEOPLE)),
)
_BY_GROUP: Final = {f"v{number}": verb for number, (_, verb) in enumerate(_VERBS)}
_FORMS: Final = "|".join(f"(?P<v{number}>{forms})" for number, (forms, _) in enumerate(_VERBS))
# First words of these verbs and of what may stand before them; of regular verbs, their first letters.
_FIRST: Final = words(
    """
    also always just still even both all now often sometimes did do have has had been am are was were once used decided
    managed tried ended finally totally got get kinda first then so ever already to going gonna will would can wanna
    m from originally really into a big huge fan fond passionate obsessed keen
    took landed lost quit left based grew come came comes go goes went flew flying drove off back road tour is saw met
    bought ordered purchased rescued drew wrote writing ran
    """
)
_BEGINNINGS: Final = (
    *("start", "began", "want", "hop", "plan", "love", "like", "work", "intern", "adopt", "liv", "settl", "mov"),
    *("relocat", "visit", "travel", "head", "trip", "vacation", "holiday", "stay", "explor", "attend", "join", "sign"),
    *("enrol", "participat", "volunteer", "organi", "host", "lov", "lik", "enjoy", "ador", "favo", "hate", "dislike"),
    *("read", "reread", "finish", "watch", "rewatch", "listen", "play", "learn", "stud", "practi", "own", "paint"),
    *("compos", "buil", "bak", "cook", "knit", "craft", "design", "made", "meet", "hung", "hang", "marr", "dating"),
    "book",
)
# Words allowed between subject and verb, and those that make a plan of the claim.
_BETWEEN: Final = (
    r"also|always|just|still|even|both|all|now|often|sometimes|did|do|have|has|had|been|am|are|was|were|once|started|began"
    r"|used\s+to|decided\s+to|managed\s+to|tried|ended\s+up|finally|totally|got\s+to|get\s+to|kinda|first|then|so|ever"
    r"|already|to|[a-z]+ly"
)
_PLANNED: Final = (
    r"want(?:ed)?|wanna|hop(?:e|ing)|plan(?:ning)?|going|gonna|will|(?:would\s+)?(?:love|like)|can['’]t\s+wait"
)
_SPOKEN: Final = regex(
    rf"(?:(?<![\w'’-])(?P<subject>I|[Ww]e|[Yy]ou|[Mm]y|[Oo]ur)(?:['’](?:m|re|ve|d|ll))?"
    rf"|(?:^|(?<=[.!?]\s))(?P<left_out>(?=[A-Z])))"
    rf"(?P<between>(?:\s*\b(?i:(?:{_BETWEEN}|(?P<planned>{_PLANNED}))\b)){{0,4}}\s*)(?:(?<![a-zA-Z])|(?=['’]))(?i:{_FORMS})\b",
    re.MULTILINE,
)
# Possible subjects "I", "we", "you" with the next word: a cheap check before all of ``_SPOKEN``.
_LEAD: Final = regex(
    r"[A-Zwymo](?:(?<![\w'’-].)(?:(?<=I)|(?<=[Ww])e|(?<=[Yy])ou|(?<=[Mm])y|(?<=[Oo])ur)(?:['’](?:m|re|ve|d|ll))?(?![a-zA-Z])"
    r"(?=\s*['’]?(?P<word>[a-zA-Z]+))|(?:(?<=^.)|(?<=[.!?]\s.))(?=(?P<rest>[a-zA-Z]*)))",
    re.MULTILINE,
)
_NAMED: Final = regex(
    rf"(?:['’]s)?(?:\s+(?:also|just|really|has|is|was|recently|finally|still)){{0,2}}\s+(?:{_FORMS})\b"
)
_OWNED: Final = regex(r"favou?rite|(?:road\s+)?trip|visit\s+to|tour|vacation|holiday", re.IGNORECASE)
# Verbs of the speaker with "I" left out: "Just got back from Rome."
_PAST: Final = regex(
    r"(?:(?:Just|Recently|Finally|Also|Really|Still|Been|Started|Already)\s+)?[A-Za-z]+ed\b|(?:Just|Recently|Finally|Also"
    r"|Been|Got|Had|Went|Took|Met|Ran|Bought|Wrote|Drew|Built|Saw|Back|Reading|Watching|Playing|Learning|Visiting)\b"
)
_SUPPOSED: Final = regex(r"\b(?:if|wish|whether|unless|imagine)\s+$", re.IGNORECASE)
_COMPARED: Final = regex(r"(?:['’](?:re|m|s)|\b(?:are|am|was|were|is|been))\s+(?:\w+\s+)?like$")
_LEADS_OFF: Final = regex(
    r"[.!?;:\n]|,\s|\s-\s|\s[–—]\s|\b(?:but|because|so|when|while|if|who|which|that|and\s+(?:I|we|it|they|he|she|\w+ing|\w+ed))\b"
)

_BESIDE: Final = regex(r"\b(?:in|at|on|from|with|for|during|near|by|of|about)\s")

_KIN: Final[tuple[tuple[str, str], ...]] = (
    (r"wife|husband|spouse|fiancée?", "married_to"),
    (r"partner|girlfriend|boyfriend", "partner_of"),
    (r"(?:step|half-?)?(?:sister|brother)s?|siblings?|twins?", "sibling_of"),
    (r"(?:step)?(?:mother|father|mom|mum|dad|parents?)", "child_of"),
    (r"(?:step)?(?:sons?|daughters?|kids?|child|children|baby|toddler|one-year-old)", "parent_of"),
    (
        r"cousins?|aunts?|auntie|uncles?|nieces?|nephews?|grandma|grandpa|grandmother|grandfather|granny|grandsons?|granddaughters?",
        "relative_of",
    ),
    (r"friends?|bestie|buddy|pal|mate", "friend_of"),
    (r"colleagues?|co-?workers?|teammates?|boss|manager|classmates?|roommates?|flatmates?|neighbou?rs?", "knows"),
    (r"therapist|doctor|teacher|coach|mentor|tutor|trainer|instructor", "knows"),
)
_KIN_GROUPS: Final = {f"k{number}": label for number, (_, label) in enumerate(_KIN)}
_KIN_FORMS: Final = "|".join(f"(?P<k{number}>{forms})" for number, (forms, _) in enumerate(_KIN))
_OWN: Final = r"(?P<owner>\b[Mm]y|\b[Oo]ur|\b[Yy]our|(?<=['’]s))\s+(?:\w+\s+){0,2}?"
_KIN_BEFORE: Final = regex(
    rf"(?:{_OWN}|\b(?P<article>an?|the|this|two|three|four)\s+(?:\w+\s+){{0,2}}?)(?:{_KIN_FORMS}|(?P<pet>{PET.pattern}))(?:['’]s)?,?"
    r"(?:\s+(?:is|was|are|who['’]s|named|called|name\s+is|name['’]s)){0,2}\s*[:,]?\s*[\"“]?$"
)
_KIN_AFTER: Final = regex(
    rf"(?:,\s+|\s+is\s+|['’]s\s+)(?P<owner>my|our|your)\s+(?:\w+\s+){{0,2}}?(?:{_KIN_FORMS}|(?P<pet>{PET.pattern}))\b"
)
_PET_NAMED: Final = regex(
    rf"\b(?:{PET.pattern})\b[^.!?\n]{{0,60}}[.!?,\s-]+(?:[Hh]er|[Hh]is|[Ii]ts|[Tt]heir)\s+names?(?:['’]s|\s+(?:is|are|was))\s+$"
    r"|\b(?:named|called)\s+(?:her|him|it|them)\s+$"
)
_AND: Final = regex(r",?\s+(?:and|&)\s+|,\s+")
_KIN_WITHIN: Final = 60


@dataclass(frozen=True, slots=True)
class FoundTies:
    """Relations of a turn, and the phrases among their objects."""

    ties: tuple[Tie, ...]
    namings: tuple[Naming, ...]


def ties(text: str, namings: Sequence[Naming], speaker: str, other: str | None) -> FoundTies:
    """Return the relations of the speaker, the ``other`` one and all named people to things and people."""
    found: dict[tuple[str, str, str], Tie] = {}
    phrases: dict[int, Naming] = {}
    for tie, phrase in (*_spoken(text, namings, speaker, other), *_of_names(text, namings)):
        found.setdefault((tie.source, tie.label, tie.target), tie)
        if phrase is not None:
            phrases.setdefault(phrase.start, Naming(phrase.text, "other", phrase.start, phrase.end, _SALIENT_TIE))
    for tie in _kin(text, namings, speaker, other):
        found.setdefault((tie.source, tie.label, tie.target), tie)
    return FoundTies(tuple(found.values()), tuple(phrases.values()))


def _spoken(
    text: str, namings: Sequence[Naming], speaker: str, other: str | None
) -> Iterator[tuple[Tie, Phrase | None]]:
    """Yield the relations of "I", "we" and "you"."""
    for match in _verbs(text):
        you = (match["subject"] or "").lower() == "you"
        subject, verb = other if you else speaker, _BY_GROUP[match.lastgroup or ""]
        if subject is None or (you and _asked(text, match.start())) or not _claimed(text, match, verb):
            continue
        yield from _tied(text, namings, subject, "person", verb, match.end())


def _verbs(text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of ``_SPOKEN`` in a text, in order."""
    end = 0
    for lead in _LEAD.finditer(text):
        if lead.start() >= end and _may_lead(lead["word"] or lead[0] + lead["rest"]):
            match = _SPOKEN.match(text, lead.start())
            if match is not None:
                end = match.end()
                yield match


@lru_cache(maxsize=8_192)
def _may_lead(word: str) -> bool:
    """Tell if a match of ``_SPOKEN`` can begin with a word."""
    small = word.lower()
    return small in _FIRST or small.endswith("ly") or small.startswith(_BEGINNINGS)


def _claimed(text: str, match: re.Match[str], verb: _Verb) -> bool:
    """Tell if a verb is asserted of its subject; plans count for places only, "my" for favourites and journeys."""
    subject = (match["subject"] or "").lower()
    if (match["planned"] and verb.label != "visited") or _COMPARED.search(match[0]):
        return False
    if (subject in ("my", "our")) != (_OWNED.match(match[match.lastgroup or ""]) is not None):
        return False
    if match["left_out"] is not None and not _PAST.match(match[0]):
        return False
    return _SUPPOSED.search(text, max(0, match.start() - _SHORTLY_BEFORE), match.start()) is None


def _asked(text: str, place: int) -> bool:
    """Tell if the sentence at a position is a question."""
    ends = [end for mark in ".!?\n" if (end := text.find(mark, place)) >= 0]
    return bool(ends) and text[min(ends)] == "?"


def _of_names(text: str, namings: Sequence[Naming]) -> Iterator[tuple[Tie, Phrase | None]]:
    """Yield the relations of people named before a verb."""
    for naming in namings:
        match = _NAMED.match(text, naming.end) if naming.type == "person" else None
        if match is not None and not _asked(text, naming.end):
            verb = _BY_GROUP[match.lastgroup or ""]
            yield from _tied(text, namings, naming.surface, naming.type, verb, match.end())


def _tied(
    text: str, namings: Sequence[Naming], source: str, kind: EntityType, verb: _Verb, place: int
) -> Iterator[tuple[Tie, Phrase | None]]:
    """Yield the relations of a verb to its objects, searched from a position on."""
    stop = _LEADS_OFF.search(text, place, place + _REACH)
    last = stop.start() if stop else min(len(text), place + _REACH)
    objects = [
        naming
        for naming in namings
        if place <= naming.start < last and naming.type in verb.types and naming.salience > _CALLED_OUT
    ]
    phrase = phrase_at(text, place) if verb.phrases else None
    if objects and phrase is not None and _BESIDE.search(text, phrase.end, max(phrase.end, objects[0].start)):
        # "at a bakery in Porto": the place is a location, not the object.
        objects = []
    if objects:
        together = [one for one in objects if one.type == objects[0].type or one.type == "other"]
        for naming in together:
            yield Tie(source, kind, naming.surface, naming.type, verb.label, _SURE), None
        return
    if phrase is not None and verb.label == "has_pet" and not PET.search(phrase.text):
        return
    if phrase is not None and not _is_named(namings, phrase):
        confidence = _VAGUE if " " not in phrase.text else _LIKELY
        yield Tie(source, kind, phrase.text, "other", verb.label, confidence), phrase


def _is_named(namings: Sequence[Naming], phrase: Phrase) -> bool:
    """Tell if a phrase overlaps a name."""
    return any(naming.start < phrase.end and phrase.start < naming.end for naming in namings)


# Relatives, friends and pets.


def _kin(text: str, namings: Sequence[Naming], speaker: str, other: str | None) -> Iterator[Tie]:
    people = [naming for naming in namings if naming.type == "person"]
    last: tuple[int, tuple[Tie, ...]] = (-1, ())
    for naming in people:
        before = text[max(0, naming.start - _KIN_WITHIN) : naming.start]
        if last[1] and _AND.fullmatch(text, last[0], naming.start):
            # "my sisters Ana and Eva": both have the same relation.
            found = tuple(replace(tie, target=naming.surface) for tie in last[1])
        elif (match := _KIN_BEFORE.search(before) or _KIN_AFTER.match(text, naming.end)) is not None:
            found = tuple(_related(text, match, namings, naming, speaker, other))
        elif before[-1:].isspace() and _PET_NAMED.search(text[max(0, naming.start - 2 * _KIN_WITHIN) : naming.start]):
            found = (Tie(speaker, "person", naming.surface, "person", "has_pet", _LIKELY),)
        else:
            found = ()
        last = (naming.end, found)
        yield from found


def _related(
    text: str, match: re.Match[str], namings: Sequence[Naming], naming: Naming, speaker: str, other: str | None
) -> Iterator[Tie]:
    owner = (match["owner"] or "").lower()
    source = other if owner == "your" else speaker
    if match.re.pattern == _KIN_BEFORE.pattern and match["owner"] == "":
        source = _possessor(namings, naming, match)
    if source is None or source == naming.surface:
        return
    kind = match.lastgroup or ""
    if match["pet"]:
        # "a dog named Rex" is the speaker's if the speaker got it; "this dog called Rex" may be anybody's.
        if match.groupdict().get("article") is None or _GOT.search(text, 0, naming.start):
            yield Tie(source, "person", naming.surface, "person", "has_pet", _SURE)
        return
    if match.groupdict().get("article") is None:
        yield Tie(source, "person", naming.surface, "person", _KIN_GROUPS.get(kind, "knows"), _SURE)


_GOT: Final = regex(r"\b(?:I|[Ww]e)(?:['’]ve)?\s+(?:\w+\s+){0,2}?(?:adopted|got|have|had|bought|rescued|took\s+in)\b")


def _possessor(namings: Sequence[Naming], naming: Naming, match: re.Match[str]) -> str | None:
    """Return the person named just before "'s sister …", or None."""
    place = naming.start - (match.endpos - match.start()) - 2
    return next((one.surface for one in namings if one.type == "person" and abs(one.end - place) <= 1), None)


# Number of earlier turns read to find the other speaker.
CONTEXT: Final = 3

# Maximum number of entities of a turn: a pasted book must not swamp the graph.
MOST: Final = 48
_ROLES: Final = frozenset({"user", "assistant", "system", "tool", "human", "ai", "bot", "model", "agent", "the", "of"})
_SALIENT: Final = 0.5
_DATED: Final = 0.2


# Function that finds the names in a turn, given the lower-cased names of the speakers.
Finder = Callable[[Turn, frozenset[str]], list[Naming]]


def entities(passage: Passage, *, dates: bool = False) -> list[Extraction]:
    """Return the entities and relations of each wanted turn of a passage."""
    return entities_by(_names, passage, dates=dates)


def entities_by(finder: Finder, passage: Passage, *, dates: bool = False) -> list[Extraction]:
    """Return the entities and relations with another finder of names; rules still find phrases and relations."""
    return [
        _extract(finder, turn, passage.turns[max(0, place - CONTEXT) : place], dates=dates)
        for place, turn in enumerate(passage.turns[passage.start :], passage.start)
    ]


def _names(turn: Turn, people: frozenset[str]) -> list[Naming]:
    return names(turn.content, people, len(turn.text), MOST)


def _extract(finder: Finder, turn: Turn, before: tuple[Turn, ...], *, dates: bool) -> Extraction:
    speakers = dict.fromkeys(other.speaker for other in (*before, turn))
    found = finder(turn, people_of(speakers))
    tied = FoundTies((), ()) if turn.role in ("system", "tool") else _ties(turn, found, list(speakers))
    namings = [*found, *tied.namings, *_compounds(turn.text, [*found, *tied.namings])]
    if dates:
        namings += _dated(turn)
    return Extraction(tuple(sorted(namings, key=lambda naming: (naming.start, naming.end))), tied.ties)


def _ties(turn: Turn, found: list[Naming], speakers: list[str]) -> FoundTies:
    others = [speaker for speaker in speakers if speaker != turn.speaker]
    other = others[0] if len(others) == 1 else None
    in_text = [naming for naming in found if naming.end <= len(turn.text)]
    made = ties(turn.text, in_text, turn.speaker, other)
    if turn.role != "assistant":
        return made
    # An assistant's actions are nobody's; its statements about the user are kept.
    kept = tuple(tie for tie in made.ties if tie.source != turn.speaker)
    targets = {tie.target for tie in kept}
    return FoundTies(kept, tuple(naming for naming in made.namings if naming.surface in targets))


def _compounds(text: str, taken: list[Naming]) -> list[Naming]:
    """Return the phrases outside relations that overlap no name."""
    return [
        Naming(phrase.text, "other", phrase.start, phrase.end, _SALIENT)
        for phrase in islice(compounds(text), MOST)
        if not any(naming.start < phrase.end and phrase.start < naming.end for naming in taken)
    ]


def people_of(speakers: Collection[str]) -> frozenset[str]:
    """Return the lower-cased words of the speakers' names."""
    return frozenset(chain.from_iterable(speaker.lower().split() for speaker in speakers)) - _ROLES


def _dated(turn: Turn) -> list[Naming]:
    return [
        Naming(
            mention.text,
            "time" if mention.granularity in ("hour", "minute") else "date",
            mention.start,
            mention.end,
            _DATED,
        )
        for mention in find_dates(turn.text, turn.at)
    ]
