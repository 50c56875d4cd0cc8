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
_POSTPOSITIONS: Final = {"hindi": "में का की के को से पर ने तक और"}
_BEFORE_NOUNS: Final = {language: frozenset(word_list.split()) for language, word_list in _BEFORE.items()}
_BEHIND_NOUNS: Final = {language: frozenset(word_list.split()) for language, word_list in _POSTPOSITIONS.items()}

# The stems of a word, or of two that stand together.
_Term = tuple[str, ...]


class _TermUse(NamedTuple):
    """A term as it is written in a text, and if it stands there as a noun does."""

    form: str
    noun: bool


_Terms = Mapping[_Term, _TermUse]


def name_topics(groups: Sequence[Sequence[str]], names: Sequence[str] = ()) -> list[str]:
    """Return a name for each group of texts, or "" for one without words of its own; never after ``names``."""
    name_words = [word.lower() for name in names for word in words(name)]
    # "Bron" is Bronagh.
    short = {word[:end] for word in name_words for end in range(_SHORTEST, len(word))}
    never = language_rules().stop_words.union(name_words, short)
    read = [[_terms(text, never) for text in dict.fromkeys(group)] for group in groups]
    everywhere = Counter(term for group in read for text in group for term in text)
    nouns = Counter(term for group in read for text in group for term, use in text.items() if use.noun)
    naming_terms = {term: texts for term, texts in everywhere.items() if nouns[term] >= _AS_NOUN * texts}
    count = sum(map(len, read))
    return [_name(group, naming_terms, count) for group in read]


def _name(group: Sequence[_Terms], everywhere: Mapping[_Term, int], count: int) -> str:
    """Return the terms that most texts of a group have, and that others lack; each adds texts to those before it."""
    remaining, chosen_terms = list(group), list[_Term]()
    term_counts = Counter(term for text in group for term in text)
    for share, fewest in zip(_SHARES, _SUPPORTS, strict=True):
        support = Counter(term for text in remaining for term in text if len(term) == 1 and term in everywhere)
        scores = {
            term: texts * log(1 + count / everywhere[term]) * rarity(_commonest_form(term, remaining))
            for term, texts in support.items()
            if texts >= max(fewest, share * len(remaining))
            and (len(group) == count or term_counts[term] / len(group) >= _LIFT * everywhere[term] / count)
            and rarity(_commonest_form(term, remaining)) >= _RARE
        }
        if not scores:
            break
        best = max(scores, key=lambda term: (scores[term], term))
        chosen_terms.append(_widen_to_pair(best, Counter(term for text in remaining for term in text)))
        remaining = [text for text in remaining if best not in text]
    return (
        ", ".join(_commonest_form(term, group) for term in chosen_terms)
        if len(remaining) <= (1 - _COVERED) * len(group)
        else ""
    )


def _widen_to_pair(word: _Term, support: Mapping[_Term, int]) -> _Term:
    """Return the two words that a word mostly stands in, or the word."""
    pairs = [term for term in support if len(term) > 1 and word[0] in term]
    best = max(pairs, key=lambda term: (support[term], term), default=word)
    return best if support[best] >= max(_PAIRED, _TOGETHER * support[word]) else word


def _commonest_form(term: _Term, group: Sequence[_Terms]) -> str:
    """Return a term as it is written most often, in lower case unless it always has a capital."""
    uses = [text[term] for text in group if term in text]
    forms = Counter(use.form for use in uses if use.noun) or Counter(use.form for use in uses)
    lower = Counter({form: count for form, count in forms.items() if form.islower()})
    return max((lower or forms).items(), key=lambda form: (form[1], form[0]))[0]


def _terms(text: str, never: Collection[str]) -> _Terms:
    """Return the terms of a text: its content words, and the pairs of neighbours among them."""
    text_language, times = language(text), language_rules().time_words
    terms: dict[_Term, _TermUse] = {}
    for sentence in split(text):
        tokens = words(sentence.text)
        lowered = ["", *(word.lower() for word in tokens), ""]
        before: tuple[str, str] | None = None
        for index, word in enumerate(tokens, 1):
            low = lowered[index]
            never_named = low in times or _is_never(low, never) or is_function_word(low, text_language)
            if sentence.code or never_named or not _may_name(low):
                before = None
                continue
            stems = query_stems(low, text_language)
            if len(stems) > _STEMS:
                # A run of a script without spaces: its pieces are words of it.
                terms.update({(stem,): _TermUse(stem, noun=True) for stem in stems if len(stem) > 1 and stem in low})
                continue
            use = _TermUse(word, noun=_is_noun(word, lowered[index - 1], lowered[index + 1], text_language))
            _add(terms, (stems[-1],), use)
            if before is not None and before[0] != stems[-1]:
                _add(terms, (before[0], stems[-1]), use._replace(form=f"{before[1]} {word}"))
            before = stems[-1], word
    return terms


def _add(terms: dict[_Term, _TermUse], term: _Term, use: _TermUse) -> None:
    """Add a term of a text: where it stands as a noun, if it does anywhere."""
    if term not in terms or (use.noun and not terms[term].noun):
        terms[term] = use


def _is_noun(word: str, previous_word: str, next_word: str, text_language: str) -> bool:
    """Tell if a word stands as a noun does; of a language without such words any may."""
    word_language = text_language or ("" if word.isascii() else language_by_letters(word.lower()))
    if word_language not in _BEFORE_NOUNS and word_language not in _BEHIND_NOUNS:
        return True
    if previous_word and word[0].isupper() and not word.isupper():
        return True
    return previous_word in _BEFORE_NOUNS.get(word_language, ()) or next_word in _BEHIND_NOUNS.get(word_language, ())


# Endings of contractions, which people type without an apostrophe: "thats", "dont".
_ENDINGS: Final = ("", "s", "t", "nt", "m", "ve", "re", "ll", "d")


def _is_never(word: str, never: Collection[str]) -> bool:
    return word in language_rules().time_words or any(
        word.endswith(ending) and word.removesuffix(ending) in never for ending in _ENDINGS
    )


# A word has at most its English stem and that of its text's language.
_STEMS: Final = 2


def _may_name(word: str) -> bool:
    return (len(word) >= _SHORTEST or not word.isascii()) and len(word) <= _LONGEST and not any(map(str.isdigit, word))


@lru_cache(maxsize=20_000)
def rarity(term: str) -> float:
    """Return how seldom a term is in any text, 0 to 1: by the place of its pieces in the vocabulary."""
    encodings = [tokens_of(word.lower()) for word in term.split()]
    return max(log(encoding[0]) / log(_VOCABULARY) if len(encoding) == 1 else 1.0 for encoding in encodings) ** 2
