"""Labels of a statement for the layers: domain, category and trace, from wide to narrow (H-MEM, formation).

The domains are those of ``data/domains.txt``, and "daily life" as the fallback. A category is a noun of the lexicon in
its spelling there, to keep categories few; without one it is the head of the statement's first noun phrase. The trace
is two to four words of the statement.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from hmem.language.analyst.base import Labels
from hmem.language.english.stopwords import STOP_WORDS
from hmem.language.english.topic_words import is_content
from hmem.language.english.word_lists import lines_of, word_set
from hmem.language.english.wording import sentences, stem

FALLBACK: Final = "daily life"
_NOTHING: Final = "other"

# Weights of a lexicon word for its domain: in the first part of its line, in the second; when repeated.
_STRONG: Final = 1.0
_WEAK: Final = 0.4
_AGAIN: Final = 0.3
# Minimum score of a domain: one weak word is chance.
_ENOUGH: Final = 0.5
# Maximum numbers of words read and of words in a trace.
_WORDS: Final = 120
_TRACE: Final = 4

_DETERMINERS: Final = word_set(
    "a an the my your his her its our their this that these those some any no every each another of"
)
_LOOKS_NO_NOUN: Final = ("ly", "ed", "ing", "ful", "ous", "able", "ible", "ive", "less", "est")

_POSSESSIVE: Final = ("'s", "\u2019s")

# Weights of a word in a trace.
_OF_DOMAIN, _NAME, _HEAD, _OTHER = 3, 2, 1, 0


@dataclass(frozen=True, slots=True)
class _Entry:
    """Lexicon word in one domain."""

    domain: int
    weight: float
    spelt: str
    exact: bool = False

    def fits(self, word: str) -> bool:
        """Tell if a word with the same stem is this entry."""
        return not self.exact or word in (self.spelt, self.spelt + "s")


@dataclass(frozen=True, slots=True)
class _Lexicon:
    """Entries by stem, by two stems in a row, and the first stems of those."""

    domains: tuple[str, ...]
    single: dict[str, tuple[_Entry, ...]]
    double: dict[tuple[str, str], tuple[_Entry, ...]]
    first: frozenset[str]


class _Word(NamedTuple):
    """Word as written and as compared, its stem, if it can be a label, its lexicon entries, its position.

    ``noun``: it stands behind a determiner or a possessive. ``starts``: it is the first of a sentence.
    """

    written: str
    bare: str
    root: str
    content: bool
    entries: tuple[_Entry, ...]
    noun: bool
    starts: bool
    place: int


def label(statement_text: str, speaker: str) -> Labels:
    """Return the labels of a speaker's statement; the speaker's name is no label."""
    words = _words(statement_text, frozenset(speaker.lower().split()))
    lexicon = _lexicon()
    domain = _domain(words, len(lexicon.domains))
    heads = _heads(words)
    category = _category(words, heads, domain)
    trace = _trace(words, heads, domain) or category
    return Labels(FALLBACK if domain is None else lexicon.domains[domain], category, trace)


@lru_cache(maxsize=1)
def _lexicon() -> _Lexicon:
    domains: list[str] = []
    single: dict[str, tuple[_Entry, ...]] = {}
    double: dict[tuple[str, str], tuple[_Entry, ...]] = {}
    for line in lines_of("domains.txt"):
        name, _, words = line.partition(":")
        strong, _, weak = words.partition("|")
        for part, weight in ((strong, _STRONG), (weak, _WEAK)):
            for word in part.split():
                parts = word.replace("-", "_").split("_")
                spelt = word.removeprefix("=").replace("_", " ")
                entry = _Entry(len(domains), weight, spelt, exact=word.startswith("="))
                if len(parts) == 1:
                    single[stem(spelt)] = (*single.get(stem(spelt), ()), entry)
                else:
                    pair = (stem(parts[0]), stem(parts[1]))
                    double[pair] = (*double.get(pair, ()), entry)
        domains.append(name)
    return _Lexicon(tuple(domains), single, double, frozenset(first for first, _ in double))


def _words(text: str, speaker: frozenset[str]) -> list[_Word]:
    """Return the content words at the beginning of a statement, without the speaker's name."""
    lexicon = _lexicon()
    words: list[_Word] = []
    place = 0
    for sentence in sentences(text):
        before, noun, starts = "", False, True
        for written, bare in zip(sentence.written, sentence.words, strict=True):
            place += 1
            if bare in speaker:
                before, noun, starts = "", written.endswith(_POSSESSIVE), False
                continue
            root, content, entries, opens, closes = _known(bare)
            if before in lexicon.first:
                entries = lexicon.double.get((before, root), entries)
            if content or entries:
                words.append(_Word(written, bare, root, content, entries, noun, starts, place))
            noun = opens or (noun and not closes) or written.endswith(_POSSESSIVE)
            before, starts = root, False
        if place > _WORDS:
            break
    return words


@lru_cache(maxsize=50_000)
def _known(bare: str) -> tuple[str, bool, tuple[_Entry, ...], bool, bool]:
    """Return a word's stem, if it can be a label, its entries, if it begins a noun phrase, and if it ends one."""
    root = stem(bare)
    entries = tuple(entry for entry in _lexicon().single.get(root, ()) if entry.fits(bare))
    content = is_content(bare) or any(entry.weight == _STRONG for entry in entries)
    return root, content, entries, bare in _DETERMINERS, bare in STOP_WORDS


def _domain(words: list[_Word], count: int) -> int | None:
    """Return the domain with the highest score, the first of equals; None below the minimum."""
    scores = [0.0] * count
    seen: set[str] = set()
    first: dict[int, int] = {}
    for word in words:
        if word.entries:
            worth = (_AGAIN if word.root in seen else 1.0) / len(word.entries) ** 0.5
            for entry in word.entries:
                scores[entry.domain] += entry.weight * worth
                first.setdefault(entry.domain, word.place)
            seen.add(word.root)
    best = min(first, key=lambda domain: (-scores[domain], first[domain], domain), default=None)
    return best if best is not None and scores[best] >= _ENOUGH else None


def _heads(words: list[_Word]) -> list[_Word]:
    """Return the heads of noun phrases: the last content word in a row behind a determiner."""
    return [
        word
        for i, word in enumerate(words)
        if word.noun
        and word.content
        and not (i + 1 < len(words) and words[i + 1].noun and words[i + 1].place == word.place + 1)
        and not word.bare.endswith(_LOOKS_NO_NOUN)
    ]


def _category(words: list[_Word], heads: list[_Word], domain: int | None) -> str:
    if domain is not None:
        hits = [entry for word in words for entry in word.entries if entry.domain == domain]
        # The first of the strongest.
        return max(hits, key=lambda entry: entry.weight).spelt
    nouns = heads or [word for word in words if word.content and not word.bare.endswith(_LOOKS_NO_NOUN)]
    plain = [word for word in nouns if not word.written[0].isupper()]
    return singular(plain[0].bare) if plain else _NOTHING


def _is_name(word: _Word) -> bool:
    return word.written[0].isupper() and not word.starts


def _trace(words: list[_Word], heads: list[_Word], domain: int | None) -> str:
    """Return the heaviest words in their order; neighbours stay together."""
    ranks: dict[str, tuple[int, int, _Word]] = {}
    at_head = {word.place for word in heads}
    for word in words:
        if word.content and word.root not in ranks:
            of_domain = any(entry.domain == domain for entry in word.entries)
            rank = _OF_DOMAIN if of_domain else _NAME if _is_name(word) else _HEAD if word.place in at_head else _OTHER
            ranks[word.root] = (-rank, word.place, word)
    kept = sorted((word for _, _, word in sorted(ranks.values())[:_TRACE]), key=lambda word: word.place)
    told = ""
    for i, word in enumerate(kept):
        told += "" if not i else " " if word.place == kept[i - 1].place + 1 else ", "
        told += _name(word.written) if _is_name(word) else word.bare
    return told


def _name(written: str) -> str:
    return written[:-2] if written.endswith(_POSSESSIVE) else written


@lru_cache(maxsize=10_000)
def singular(noun: str) -> str:
    """Return a lower-cased English noun without its plural ending."""
    if len(noun) < 4 or noun.endswith(("ss", "us", "is", "news")) or not noun.endswith("s"):
        return noun
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    return noun[:-2] if noun.endswith(("ches", "shes", "xes", "sses", "zes")) else noun[:-1]
