"""Typed slots: the few facts about a speaker that are read off a sentence as it is written, without a parse.

A pattern finds a plain statement in the first person ("I live in Leeds", "my number is 07700 900321"); ``_holds``
rejects what is asked, wished, supposed, quoted, joked, over or put by others. Precision comes first: a slot is in
``SLOTS`` only if at least 95 of 100 of its values were right on sentences that nobody saw who wrote the patterns
(``benchmarks/slots.py --held-back``). Values are words of the sentence.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hmem.language.analyst.lexicon import ToldSlot
from hmem.language.regex import regex
from hmem_english.slots_patterns import DWELLING, SLOT_PATTERNS
from hmem_english.words import STOP_WORDS


@dataclass(frozen=True, slots=True)
class SlotValue:
    """A value of a slot of the speaker: characters ``start`` to ``end`` of the sentence."""

    slot: str
    value: str
    start: int
    end: int


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Longest sentence that is read: a paste tells nothing about its speaker.
_LONGEST: Final = 600
# From so many words on, most with a capital, a sentence is a headline and its capitals name nothing.
_HEADLINE: Final = 5
_HEADLINE_SHARE: Final = 0.6

# States and clothes that people say they live in, and people they live at.
_NO_HOMES: Final = _set(
    """
    hope fear denial sin pain peace poverty terror dread silence limbo chaos style hell bed jeans leggings
    joggers pyjamas pajamas sweatpants hoodies shame misery harmony luxury comfort dreams exile secret times age
    world squalor bubble filth mum mums dad dads
    """
)
# What is no employer behind "work at" and "work for".
_NO_EMPLOYERS: Final = _set(
    """
    night nights home weekends times present least peace dawn noon free money tips food cash peanuts pleasure
    fun years hours myself school college uni university work lunch christmas easter height moment end edge
    """
)
_RULES: Final = tuple(
    (slot, regex(pattern, re.IGNORECASE)) for slot, patterns in SLOT_PATTERNS.items() for pattern in patterns
)
SLOTS: Final[tuple[str, ...]] = tuple(dict.fromkeys(slot for slot, _ in _RULES))

_QUESTION_OPENING: Final = regex(
    r"^\W*(?:do|does|did|is|are|am|was|were|can|could|will|would|should|has|what|whats|who|whos|whose|when|where"
    r"|why|how|which|r u|do u|any|anyone)\b",
    re.IGNORECASE,
)
_MACHINE: Final = regex(
    r"\b(?:(?:as|am|i['\u2019]m) an ai|language model|(?:am|i['\u2019]m) an? (?:chat ?bot|\w+ assistant))\b",
    re.IGNORECASE,
)
# What makes a statement behind it no fact of now; and what takes back one before it.
_UNREAL_BEFORE: Final = regex(
    r"\b(?:if|unless|wish|imagine|pretend|suppose|supposing|assume|let['\u2019]?s|when|whenever|once|until|till|say"
    r"|says|saying|said|tell|tells|telling|told|claims?|thinks?|thought|reckons?|hear|heard|dream\w*|jok(?:e|es|ed"
    r"|ing)|would|could|might|may|maybe|perhaps|used to|asked|wrote|as though|feels? like|was|were|lied?|lying"
    r"|role ?play|character|song|film|movie|book|not|never|nobody|hardly|almost|nearly|basically|practically"
    r"|literally|test|example|sure|doubt)\b",
    re.IGNORECASE,
)
_UNDONE_AFTER: Final = regex(
    r"\b(?:jk|joking|just a joke|kidding|not really|i wish|as if|ago|back then|when i was|as a (?:kid|child|boy"
    r"|girl)|until|till|any ?more|no longer|used to|but (?:not|i don['\u2019]?t)|in my (?:head|dreams|mind)"
    r"|i (?:think|guess|suppose|reckon|wish)|apparently|allegedly|supposedly|probably|died|passed away|dead"
    r"|broke up|split up|divorced|in (?:late |early |mid-?)?(?:19|20)\d\d\b|years old when)\b",
    re.IGNORECASE,
)
# What is written with a capital and is nobody's name.
_NO_NAMES: Final = STOP_WORDS | _set(
    """
    mr mrs ms miss dr prof sir monday tuesday wednesday thursday friday saturday sunday january february march
    april june july august september october november december christmas easter god english
    """
)
_NAME_SLOTS: Final = frozenset(("child", "pet", "employer", "home", "vehicle"))
_QUOTE: Final = regex(r"(?:^|\s)['\u2018]")
_BETWEEN_NAMES: Final = regex(r",? (?:and|n|&) |, ?")
# Slots whose values are names, often several.
_PLURAL: Final = frozenset(("child", "pet"))
_NO_DAYS: Final = _set("monday tuesday wednesday thursday friday saturday sunday")
# One lives "on" a street or a boat, but not on coffee.
_STREET: Final = regex(
    rf"\b(?:street|st|road|rd|avenue|ave|lane|ln|grove|close|drive|way|crescent|square|hill|park|row|{DWELLING})\b",
    re.IGNORECASE,
)
_ARTICLES: Final = frozenset(("a", "an", "the", "my", "our", "one", "two", "three"))


def slot_values(sentence: str) -> list[SlotValue]:
    """Return what a sentence states of its speaker, in the order of its words."""
    if (
        len(sentence) > _LONGEST
        or _QUESTION_OPENING.match(sentence)
        or _MACHINE.search(sentence)
        or _is_headline(sentence)
    ):
        return []
    values: dict[tuple[str, int], SlotValue] = {}
    for slot, pattern in _RULES:
        for match in pattern.finditer(sentence):
            if _holds(sentence, match):
                for value in _values(slot, match):
                    if not any(earlier.slot == slot and earlier.start < value.end and value.start < earlier.end
                               for earlier in values.values()):  # fmt: skip
                        values[slot, value.start] = value
    return sorted(values.values(), key=lambda value: (value.start, value.slot))


def _is_headline(sentence: str) -> bool:
    """Tell if most words have a capital, so that none tells a name."""
    words = [word for word in sentence.split() if word[0].isalpha()]
    return len(words) >= _HEADLINE and sum(word[0].isupper() for word in words) > _HEADLINE_SHARE * len(words)


def _holds(sentence: str, match: re.Match[str]) -> bool:
    """Tell if a match is stated: not asked, supposed, quoted, joked, denied or over."""
    before, after = sentence[: match.start()], sentence[match.end("v") :]
    is_quoted = before.count('"') % 2 or before.count("\u201c") > before.count("\u201d") or _QUOTE.search(before)
    return not (is_quoted or "?" in after or _UNREAL_BEFORE.search(before) or _UNDONE_AFTER.search(after))


def _values(slot: str, match: re.Match[str]) -> Iterator[SlotValue]:
    """Yield the values of a match; a list of names has several."""
    start, text = match.start("v"), match["v"]
    spans = [(0, len(text))]
    if slot in _PLURAL and not text[:1].islower():
        cuts = [(separator.start(), separator.end()) for separator in _BETWEEN_NAMES.finditer(text)]
        spans = list(
            zip([0, *(end for _, end in cuts)], [*(cut_start for cut_start, _ in cuts), len(text)], strict=True)
        )
    for offset, end in spans:
        value = text[offset:end].rstrip()
        if value and _is_value(slot, value, match):
            yield SlotValue(slot, value, start + offset, start + offset + len(value))


def _is_value(slot: str, value: str, match: re.Match[str]) -> bool:
    """Tell if words can be a value: names have capitals, but in a sentence without any."""
    sentence, words = match.string, value.lower().split()
    if slot == "home" and sentence[: match.start("v")].lower().endswith(" on ") and not _STREET.search(value):
        return False
    if slot not in _NAME_SLOTS or value[0].isdigit():
        return True
    if words[0] in _NO_HOMES | _NO_EMPLOYERS or words[-1] in _NO_EMPLOYERS | _NO_HOMES:
        return False
    if value.isupper() and slot in _PLURAL:
        return False
    if words[0] in _ARTICLES:
        return _NO_DAYS.isdisjoint(words)
    cased = any(word[0].isupper() and word[:2] not in ("I", "I'", "I\u2019") for word in sentence.split())
    return words[0] not in _NO_NAMES and (value != value.lower() or not cased)


# What a sentence tells of somebody whom it names.

# Third person to first: of verbs that are not regular, and of words for the person behind the name.
_FORMS: Final = {"is": "am", "has": "have", "does": "do", "was": "was"}
_POSSESSIVES: Final = regex(r"\b(?:his|her|their)\b", re.IGNORECASE)
_SIBILANT: Final = regex(r"(?:ss|sh|ch|x|zz|o)es$")
# What denies: with its auxiliary before a verb, and alone.
_NEGATION: Final = regex(r"n['\u2019]t\b", re.IGNORECASE)
_DENIED: Final = regex(
    r"\b(?:do|does|did) not\b ?|\b(?:not|no longer|never)\b ?| ?\bany ?(?:more|longer)\b", re.IGNORECASE
)
# An order about somebody is not theirs.
_ORDER: Final = "instruction"


def third_person_slots(sentence: str, name: str) -> list[ToldSlot]:
    """Return the values of typed slots that a sentence tells of the person of a name, or denies.

    The sentence is put as that person would say it ("Alice lives in Oslo": "I live in Oslo"), and read as their own.
    Nothing is formed of this: it shows where others contradict what a person said.
    """
    spelled_out = _NEGATION.sub(" not", sentence)
    affirmed = _DENIED.sub("", spelled_out)
    values = (value for reading in _as_own_words(affirmed, name) for value in slot_values(reading))
    of_speaker = {(value.slot, value.value) for value in slot_values(affirmed)}
    reported = (value for value in values if value.slot != _ORDER and (value.slot, value.value) not in of_speaker)
    return list(dict.fromkeys(ToldSlot(value.slot, value.value, affirmed == spelled_out) for value in reported))


def _as_own_words(sentence: str, name: str) -> list[str]:
    """Return a sentence as the named person would say it, each way: "Alice's" is "my" or "I am"."""
    name_pattern = rf"\b{re.escape(name)}"
    if re.search(rf"{name_pattern}\b", sentence, re.IGNORECASE) is None:
        return []
    readings: list[str] = []
    for contracted in ("my", "I am"):
        reading = re.sub(rf"{name_pattern}['\u2019]s\b", contracted, sentence, flags=re.IGNORECASE)
        reading = re.sub(
            rf"{name_pattern} ((?:now|still|also|currently|really) )?([a-z]+)", _verb, reading, flags=re.IGNORECASE
        )
        readings.append(_POSSESSIVES.sub("my", reading))
    return list(dict.fromkeys(readings))


def _verb(match: re.Match[str]) -> str:
    word = match[2].lower()
    form = _FORMS.get(word) or (_SIBILANT.sub(lambda ending: ending[0][:-2], word) if _SIBILANT.search(word) else None)
    if form is None:
        form = word[:-1] if word.endswith("s") and not word.endswith("ss") else word
    return f"I {match[1] or ''}{form}"
