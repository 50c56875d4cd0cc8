"""Names for groups of texts, such as the topics of a tree: up to three terms that together tell most of the texts.

A term is a noun, or a noun with the word before it. It covers the texts that contain it and, in part, those that
resemble it. Terms are chosen one after the other by what they add to the coverage (a greedy choice for a submodular
gain), times how well they name this group and no other: class-based TF-IDF, log(1 + A / f) with A the mean number of
words of a group and f the frequency of the term in all groups (Grootendorst, BERTopic: Neural topic modeling with a
class-based TF-IDF procedure, 2022, section 3.3), and the cosine of the term and the centre of the group.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.language.embed import embedder
from hmem.language.english.stopwords import STOP_WORDS
from hmem.language.english.topic_words import is_content, subject_stems
from hmem.language.english.word_lists import word_set
from hmem.language.english.wording import sentences, stem
from hmem.language.regex import regex

_UNNAMED: Final = "talk"
_MODEL: Final = "wordllama"

# Greatest number of terms in a name, of terms that are ready for it, and of candidates that are compared.
_TERMS: Final = 3
_SPARE: Final = 8
_CANDIDATES: Final = 40
# Minimum gain of a further term, as a share of the first one's.
_WORTH_IT: Final = 0.3
# Minimum share of a word's texts in which it has a neighbour for the two to be one term, and its factor.
_TOGETHER: Final = 0.4
_PAIR: Final = 1.5
# Coverage of a text that resembles a term: none at the lower cosine, the most from the upper one on.
_LIKE: Final = (0.2, 0.6)
_MOST_LIKE: Final = 0.5
# How much a term that is in a text tells of it.
_COVERED: Final = 0.5
# Coverage of a text with a word that is in one text only, or a small share, in a group of at least so many texts.
_ENOUGH: Final = 5
_RARE: Final = 0.1
_ONCE: Final = 0.3
# Least number of texts, and least share, in which a further term is, and the first one if any term is.
_FEWEST: Final = 2
_LEAST_SHARE: Final = 0.12
# Factor of a word of the lexicon's subjects.
_SUBJECT: Final = 1.3
# Factor of a word that looks like a form of a verb.
_VERBAL: Final = 0.5
# Greatest number of characters read of a text.
_READ: Final = 600

# Words behind which a noun stands, and words behind which a verb does.
_BEFORE_NOUNS: Final = word_set(
    "a an the my your his her its our their this that these those some any no every each another of in for with on at "
    "about from by into through during between many much more few several two three four five both all"
)
_BEFORE_VERBS: Final = word_set(
    "i we you they he she it to will would can could should may might must did do does don didn doesn won can let who "
    "is was are were be been being has have had am get gets got keep keeps so very really too quite"
)
# Words before which a verb stands: a noun is seldom followed by another one's article.
_BEHIND_VERBS: Final = word_set("a an the my your his her its our their these those me him them us it")

# Least share of its uses in which a word with such an ending stands as a noun, to be one.
_OWN_NOUN: Final = 1 / 3
# Endings of words that are no nouns unless they are used as such.
_NO_NOUNS: Final = ("ed", "ly", "ing", "ful", "ous", "able", "ible", "ive", "less", "est", "er", "y", "al", "ic")

# Name of address: a lone capitalised word between a greeting or a mark and a mark.
_CALLED: Final = regex(
    r"(?:^|[,.!?…]\s|\b(?i:hey|hi|hello|thanks|thank you|wow|yeah|yes|no|congrats|bye|well|oh)[,!]? )"
    r"([A-Z][a-z]+)(?=[,!?.])"
)
# Minimum share of sentences opened by a name for it to be a speaker's.
_OPENING_SHARE: Final = 0.1
# Number of characters of a text searched for an address.
_OPENING: Final = 200

Term = tuple[str, ...]
Values = NDArray[np.float64]


@dataclass(slots=True)
class _Group:
    """Texts of a group: the terms of each, and how often the group has each word."""

    texts: list[set[Term]] = field(default_factory=list[set[Term]])
    words: Counter[str] = field(default_factory=Counter[str])


@dataclass(slots=True)
class _Counts:
    """Counts in all groups, by stem.

    Spellings; uses behind words that go before a noun and before a verb; uses as the first word of a sentence, inside
    one with a capital, as a name of address.
    """

    groups: list[_Group]
    written: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    nouns: Counter[str] = field(default_factory=Counter[str])
    verbs: Counter[str] = field(default_factory=Counter[str])
    opening: Counter[str] = field(default_factory=Counter[str])
    capital: Counter[str] = field(default_factory=Counter[str])
    called: Counter[str] = field(default_factory=Counter[str])
    sentences: int = 0

    def spelt(self, term: Term) -> str:
        """Return a term in the commonest spelling of its words."""
        forms = (self.written[root] for root in term)
        return " ".join(min(found, key=lambda form: (-found[form], len(form), form)) for found in forms)


def name_topics(groups: Sequence[Sequence[str]], names: Collection[str] = ()) -> list[str]:
    """Return a name for each group, of up to three lower-case terms, all different.

    ``names`` (the speakers) and people addressed in the texts are left out.
    """
    read = [[text[:_READ] for text in texts] for texts in groups]
    speakers = frozenset(word for name in names for word in name.lower().split())
    counts = _count(read, speakers)
    people = {stem(word) for word in speakers} | _people(counts)
    total: Counter[str] = Counter()
    for group in counts.groups:
        total.update(group.words)
    mean = total.total() / max(len(groups), 1)
    rarity = {
        root: log(1 + mean / count) * _nounness(root, counts) for root, count in total.items() if root not in people
    }
    taken: set[str] = set()
    return [
        _unlike(_terms(group, texts, rarity, counts), taken) for group, texts in zip(counts.groups, read, strict=True)
    ]


# Counting.


def _count(groups: Sequence[Sequence[str]], speakers: Collection[str]) -> _Counts:
    counts = _Counts([_Group() for _ in groups])
    for group, texts in zip(counts.groups, groups, strict=True):
        for text in texts:
            group.texts.append(set(_count_text(text, group, counts, speakers)))
    return counts


def _count_text(text: str, group: _Group, counts: _Counts, speakers: Collection[str]) -> Iterator[Term]:
    """Yield the terms of a text."""
    counts.called.update(stem(name.lower()) for name in _CALLED.findall(text[:_OPENING]))
    for sentence in sentences(text):
        roots = [stem(word) if is_content(word) else "" for word in sentence.words]
        counts.sentences += 1
        heads = [*(word in STOP_WORDS for word in sentence.words[1:]), True]
        before, noun = "", False
        for place, (root, word, written) in enumerate(zip(roots, sentence.words, sentence.written, strict=True)):
            if root:
                group.words[root] += 1
                counts.opening[root] += not place
                counts.capital[root] += place > 0 and written[0].isupper()
                counts.nouns[root] += noun and heads[place]
                behind = sentence.words[place + 1] if place + 1 < len(roots) else ""
                counts.verbs[root] += before in _BEFORE_VERBS or before in speakers or behind in _BEHIND_VERBS
                counts.written.setdefault(root, Counter())[word] += 1
                yield (root,)
            noun = word in _BEFORE_NOUNS or (noun and word not in STOP_WORDS)
            before = word
        yield from (pair for pair in pairwise(roots) if pair[0] and pair[1] and pair[0] != pair[1])


def _people(counts: _Counts) -> set[str]:
    """Return the stems of people who are addressed, or are the subject of sentences, too often for chance."""
    uses = {root: forms.total() for root, forms in counts.written.items()}
    called = {root for root, times in counts.called.items() if times > 1 and 5 * times >= uses.get(root, 0)}
    subjects = {
        root
        for root, times in counts.opening.items()
        if times >= max(_OPENING_SHARE * counts.sentences, 2) and counts.capital[root] == uses[root] - times > 0
    }
    return called | subjects


def _nounness(root: str, counts: _Counts) -> float:
    """Return the factor of a word as a name, whatever the group: more for nouns and for words of the lexicon."""
    nouns, verbs = counts.nouns[root], counts.verbs[root]
    form = counts.spelt((root,))
    factor = 0.2 + (nouns + 1) / (nouns + 2 * verbs + 2)
    if root in subject_stems():
        return factor * _SUBJECT
    return factor * (_VERBAL if form.endswith(("ed", "ly", "ing", "en")) else 1.0)


# Choosing.


def _terms(group: _Group, texts: Sequence[str], rarity: dict[str, float], counts: _Counts) -> list[tuple[str, float]]:
    """Return the terms for a group's name, best first, with what each adds."""
    holds = Counter(term for terms in group.texts for term in terms if all(root in rarity for root in term))
    holds = Counter({term: times for term, times in holds.items() if _stands(term, holds, counts)})
    if not holds:
        return []
    least = max(_FEWEST, _LEAST_SHARE * len(texts))
    shared = {term: times for term, times in holds.items() if times >= least}
    # Where no term is in several texts, the one that resembles them most tells more than some of one each.
    most = _TERMS if shared else 1
    holds = shared or holds
    worth = {term: _worth(term, times, rarity) for term, times in holds.items()}
    best = sorted(worth, key=lambda term: (-worth[term], term))[:_CANDIDATES]
    spelt = [counts.spelt(term) for term in best]
    vectors = embedder(_MODEL).embed([*spelt, *texts]).astype(np.float64)
    terms, said = vectors[: len(best)], vectors[len(best) :]
    centre = said.sum(axis=0)
    length = max(float(np.sqrt(centre.dot(centre))), 1e-9)
    central: Values = np.maximum(np.round(terms.dot(centre) / length, 4), 0.0)
    quality = np.array([_quality(term, rarity) for term in best], np.float64) ** 0.5 * (0.2 + central)
    if not shared:
        quality *= central
    literal = np.array([[term in held for held in group.texts] for term in best], np.float64)
    if len(texts) >= _ENOUGH:
        literal[literal.sum(axis=1) < max(2.0, _RARE * len(texts))] *= _ONCE
    low, high = _LIKE
    alike = np.round((terms @ said.T - low) / (high - low), 4).clip(0.0, 1.0) * _MOST_LIKE
    near = np.round(terms @ terms.T, 4).clip(0.0, 1.0)
    chosen = _chosen(best, np.maximum(literal, alike), quality, near)
    return [(spelt[place], gain if rank < most else 0.0) for rank, (place, gain) in enumerate(chosen)]


def _stands(term: Term, holds: Counter[Term], counts: _Counts) -> bool:
    """Tell if a term may be in a name: it ends in a noun, and the words of a pair are mostly together."""
    if not _is_noun(term[-1], counts):
        return False
    return len(term) == 1 or (holds[term] > 1 and holds[term] >= _TOGETHER * min(holds[(term[0],)], holds[(term[1],)]))


def _is_noun(root: str, counts: _Counts) -> bool:
    """Tell if a word is used as a noun at least as often as it is used as a verb."""
    nouns, verbs = counts.nouns[root], counts.verbs[root]
    if root in subject_stems():
        return True
    if counts.spelt((root,)).endswith(_NO_NOUNS):
        # An adjective may stand alone too: "the cultural".
        return nouns >= max(verbs, _OWN_NOUN * counts.written[root].total(), 1)
    return nouns >= verbs if nouns else not verbs


def _quality(term: Term, rarity: dict[str, float]) -> float:
    worth = max(rarity[root] for root in term)
    return worth * (_PAIR if len(term) > 1 else 1.0)


def _worth(term: Term, times: int, rarity: dict[str, float]) -> float:
    return _quality(term, rarity) * times


def _chosen(best: Sequence[Term], covers: Values, quality: Values, near: Values) -> list[tuple[int, float]]:
    """Return the places of the terms that cover most together, in the order of their choice, with what each adds.

    A term that is ``near`` to one before it adds so much less.
    """
    left, apart = np.ones(covers.shape[1]), np.ones(len(best))
    chosen: list[tuple[int, float]] = []
    used: set[str] = set()
    while len(chosen) < len(best):
        gains = np.round((covers @ left) * quality * apart, 6)
        gains[[not used.isdisjoint(term) for term in best]] = 0.0
        place = int(gains.argmax())
        if gains[place] <= 0.0:
            break
        chosen.append((place, float(gains[place])))
        used.update(best[place])
        left = left * (1.0 - _COVERED * covers[place])
        apart = np.minimum(apart, 1.0 - near[place])
        if len(chosen) == _SPARE:
            break
    return chosen


def _unlike(terms: Sequence[tuple[str, float]], taken: set[str]) -> str:
    """Return the name of the terms that add enough; with further terms, or numbered, if another group has it."""
    enough = [term for term, gain in terms[:_TERMS] if gain >= _WORTH_IT * terms[0][1]]
    spare = [term for term, _ in terms if term not in enough]
    names = [_listed(enough), *(_listed([*enough[: _TERMS - 1], term]) for term in spare)]
    name = next((name for name in names if name not in taken), "")
    number = 2
    while not name or name in taken:
        name = f"{names[0]} {number}"
        number += 1
    taken.add(name)
    return name


def _listed(terms: Sequence[str]) -> str:
    return " and ".join((", ".join(terms[:-1]), terms[-1])) if len(terms) > 1 else terms[0] if terms else _UNNAMED
