"""Names of topics: the words that set a group of texts apart, by class-based TF-IDF.

A word counts by the texts of its group that have it, against those of all groups (Grootendorst 2022, BERTopic, with
texts instead of occurrences, so that no talkative text names its group). Words that are frequent in any text count
less: they are whole, early pieces of the tokenizer's vocabulary. A topic is named by a noun: a word that mostly stands
behind an article or a preposition, before a postposition, or with a capital. Two words that mostly stand together are
one term. A group that no word sets apart has no name.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from math import log
from typing import Final, NamedTuple

from hmem.language.analyzer import language, query_stems, words
from hmem.language.languages import language_rules
from hmem.language.sentences import split
from hmem.language.stemming import is_function_word, language_by_letters
from hmem.language.tokens import tokens_of

# Least share of the texts of a group that the first term of its name stands in, and of the others for the second one.
_SHARES: Final = (0.3, 0.4)
# Fewest texts that each term stands in, and the two words of one.
_SUPPORTS: Final = (3, 2)
_PAIRED: Final = 2
# Least share of a group's texts that have one of the terms of its name, and least rarity of a term.
_COVERED: Final = 0.5
_RARE: Final = 0.6
# How many times as frequent a term is at least in its group as in all groups together.
_LIFT: Final = 2.0
# Share of a word's texts in which it stands beside another that makes the two one term.
_TOGETHER: Final = 0.6
# Characters of the shortest word in Latin letters, and of the longest.
_SHORTEST: Final = 3
_LONGEST: Final = 30
_VOCABULARY: Final = 32_000

# Least share of a word's texts in which it stands as a noun does.
_AS_NOUN: Final = 0.5
# Words before nouns, and behind them, by Snowball's name of a language; "" is English.
_BEFORE: Final = {
    "": """a an the my your his her our their its this that these those some no any another of for with in on at about
        from into without and""",
    "german": "",
    "spanish": "el la los las un una unos unas mi mis tu tus su sus de del al con en para por sin este esta ese esa y",
    "portuguese": "o a os as um uma meu seu sua do da dos das no na nos nas ao com para por sem de em este esta e",
    "french": "le la les l un une des du de mon ma mes ton ta son sa ses notre nos au aux avec sans pour chez en et",
    "italian": "il lo la i gli le un una mio mia tuo tua suo sua di del della dei al alla con per senza in nel nella e",
}
_BEHIND: Final = {"hindi": "में का की के को से पर ने तक और"}
_BEFORE_NOUNS: Final = {language: frozenset(each.split()) for language, each in _BEFORE.items()}
_BEHIND_NOUNS: Final = {language: frozenset(each.split()) for language, each in _BEHIND.items()}

# The stems of a word, or of two that stand together.
_Term = tuple[str, ...]


class _Found(NamedTuple):
    """A term as it is written in a text, and if it stands there as a noun does."""

    written: str
    noun: bool


_Terms = Mapping[_Term, _Found]


def name_topics(groups: Sequence[Sequence[str]], names: Sequence[str] = ()) -> list[str]:
    """Return a name for each group of texts, or "" for one without words of its own; never after ``names``."""
    called = [word.lower() for name in names for word in words(name)]
    # "Bron" is Bronagh.
    short = {word[:end] for word in called for end in range(_SHORTEST, len(word))}
    never = language_rules().stop_words.union(called, short)
    read = [[_terms(text, never) for text in dict.fromkeys(group)] for group in groups]
    everywhere = Counter(term for group in read for text in group for term in text)
    nouns = Counter(term for group in read for text in group for term, found in text.items() if found.noun)
    known = {term: texts for term, texts in everywhere.items() if nouns[term] >= _AS_NOUN * texts}
    count = sum(map(len, read))
    return [_name(group, known, count) for group in read]


def _name(group: Sequence[_Terms], everywhere: Mapping[_Term, int], count: int) -> str:
    """Return the terms that most texts of a group have, and that others lack; each adds texts to those before it."""
    left, named = list(group), list[_Term]()
    own = Counter(term for text in group for term in text)
    for share, fewest in zip(_SHARES, _SUPPORTS, strict=True):
        support = Counter(term for text in left for term in text if len(term) == 1 and term in everywhere)
        scores = {
            term: texts * log(1 + count / everywhere[term]) * _rarity(_written(term, left))
            for term, texts in support.items()
            if texts >= max(fewest, share * len(left))
            and (len(group) == count or own[term] / len(group) >= _LIFT * everywhere[term] / count)
            and _rarity(_written(term, left)) >= _RARE
        }
        if not scores:
            break
        best = max(scores, key=lambda term: (scores[term], term))
        named.append(_joined(best, Counter(term for text in left for term in text)))
        left = [text for text in left if best not in text]
    return ", ".join(_written(term, group) for term in named) if len(left) <= (1 - _COVERED) * len(group) else ""


def _joined(word: _Term, support: Mapping[_Term, int]) -> _Term:
    """Return the two words that a word mostly stands in, or the word."""
    pairs = [term for term in support if len(term) > 1 and word[0] in term]
    best = max(pairs, key=lambda term: (support[term], term), default=word)
    return best if support[best] >= max(_PAIRED, _TOGETHER * support[word]) else word


def _written(term: _Term, group: Sequence[_Terms]) -> str:
    """Return a term as it is written most often, in lower case unless it always has a capital."""
    found = [text[term] for text in group if term in text]
    forms = Counter(each.written for each in found if each.noun) or Counter(each.written for each in found)
    lower = Counter({form: count for form, count in forms.items() if form.islower()})
    return max((lower or forms).items(), key=lambda form: (form[1], form[0]))[0]


def _terms(text: str, never: Collection[str]) -> _Terms:
    """Return the terms of a text: its content words, and the pairs of neighbours among them."""
    spoken, times = language(text), language_rules().time_words
    terms: dict[_Term, _Found] = {}
    for sentence in split(text):
        said = words(sentence.text)
        lowered = ["", *(word.lower() for word in said), ""]
        before: tuple[str, str] | None = None
        for place, word in enumerate(said, 1):
            low = lowered[place]
            never_named = low in times or _is_never(low, never) or is_function_word(low, spoken)
            if sentence.code or never_named or not _may_name(low):
                before = None
                continue
            stems = query_stems(low, spoken)
            if len(stems) > _STEMS:
                # A run of a script without spaces: its pieces are words of it.
                terms.update({(stem,): _Found(stem, noun=True) for stem in stems if len(stem) > 1 and stem in low})
                continue
            found = _Found(word, noun=_is_noun(word, lowered[place - 1], lowered[place + 1], spoken))
            _add(terms, (stems[-1],), found)
            if before is not None and before[0] != stems[-1]:
                _add(terms, (before[0], stems[-1]), found._replace(written=f"{before[1]} {word}"))
            before = stems[-1], word
    return terms


def _add(terms: dict[_Term, _Found], term: _Term, found: _Found) -> None:
    """Add a term of a text: where it stands as a noun, if it does anywhere."""
    if term not in terms or (found.noun and not terms[term].noun):
        terms[term] = found


def _is_noun(word: str, before: str, behind: str, spoken: str) -> bool:
    """Tell if a word stands as a noun does; of a language without such words any may."""
    own = spoken or ("" if word.isascii() else language_by_letters(word.lower()))
    if own not in _BEFORE_NOUNS and own not in _BEHIND_NOUNS:
        return True
    if before and word[0].isupper() and not word.isupper():
        return True
    return before in _BEFORE_NOUNS.get(own, ()) or behind in _BEHIND_NOUNS.get(own, ())


# Endings of contractions, which people type without an apostrophe: "thats", "dont".
_ENDINGS: Final = ("", "s", "t", "nt", "m", "ve", "re", "ll", "d")


def _is_never(word: str, never: Collection[str]) -> bool:
    return word in language_rules().time_words or any(
        word.endswith(each) and word.removesuffix(each) in never for each in _ENDINGS
    )


# A word has at most its English stem and that of its text's language.
_STEMS: Final = 2


def _may_name(word: str) -> bool:
    return (len(word) >= _SHORTEST or not word.isascii()) and len(word) <= _LONGEST and not any(map(str.isdigit, word))


@lru_cache(maxsize=20_000)
def _rarity(term: str) -> float:
    """Return how seldom a term is in any text, 0 to 1: by the place of its pieces in the vocabulary."""
    pieces = [tokens_of(word.lower()) for word in term.split()]
    return max(log(each[0]) / log(_VOCABULARY) if len(each) == 1 else 1.0 for each in pieces) ** 2
