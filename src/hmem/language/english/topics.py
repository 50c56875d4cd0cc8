"""Topics: cues for the start of an episode (HiMem, event surprise), and names for groups of texts.

Names are the words that set a group apart, by class-based TF-IDF: the weight of a term t in a group c is
tf(t, c) * log(1 + A / f(t)), with A the mean number of words of a group and f(t) the frequency of the term in all
groups (Grootendorst, BERTopic: Neural topic modeling with a class-based TF-IDF procedure, 2022, section 3.3).
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from itertools import pairwise
from math import log
from typing import Final

from hmem.language.analyst.base import Cues, Passage
from hmem.language.english.curation import telling
from hmem.language.english.stopwords import STOP_WORDS
from hmem.language.english.topic_words import is_content, subject_stems
from hmem.language.english.word_lists import word_set, words
from hmem.language.english.wording import READ, Sentence, sentences, stem, turn_stems
from hmem.language.regex import regex

# Strength of a phrase as a topic shift: an announcement, a turn from the last topic, news or a plan, an opening of a
# talk, which asks for any topic.
_WEIGHTS: Final = {"plain": 1.0, "turn": 0.75, "news": 0.5, "opening": 0.25}

# Factor for the second half of a turn, which announces the next topic rather than the turn's own.
_LATE: Final = 0.8

# Lower-cased text only: to ignore case costs several times as much.
_SHIFT: Final = regex(
    r"""
    \b(?:
    (?P<plain>
        by\ the\ (?:way|by)\b | btw\b
      | o(?:n|ff)\ (?:a\ (?:\w+\ )?(?:different|separate|lighter|side)|another|that)\ (?:note|topic)\b
      | (?:chang(?:e|ing)|switch(?:ing)?|shift(?:ing)?)\ (?:of\ |the\ )?(?:subject|topic|gears)\b
      | (?:new|different|another)\ (?:topic|subject)\b | (?:totally|completely)\ unrelated\b | off[ -]topic\b
      | (?:forget|scratch|cancel|disregard)\ (?:about\ )?(?:that|this|it|what\ i\ (?:just\ )?said)\b
      | never\ ?mind\b
      | before\ i\ forget\b | (?:almost|nearly)\ forgot\b | in\ other\ news\b | moving\ on\b
      | on\ second\ thought
      | let's\ (?:talk\ about|switch|move\ on|change)\b
      | i(?:'ve|\ have)?(?:\ got)?\ (?:a\ (?:different|new)|another)\ (?:question|thing|topic)\b
    )
  | (?P<turn>
        anyways?(?=[,\s]+\w) | oh,?\ (?:and|also)\b | speaking\ of\b | that\ reminds\ me\b | guess\ what\b
      | (?:one|another)\ (?:more|last|other)\ thing\b | actually,\ (?:can|could|let|i|what|wait)\b
      | (?:wait|hold\ on),\ \w
      | as\ for\ me\b | meanwhile\b | you\ won't\ believe\b | (?:some\ )?(?:big|great|exciting)\ news\b
      | long\ time\ no\b
      | i(?:'ve)?\ (?:wanted|have|need|been\ meaning)\ to\ (?:tell|ask|let)\ you\b | since\ (?:we|our)\ last\b
    )
  | (?P<news>
        yesterday\b | recently\b | lately\b | finally\b | the\ other\ (?:day|night)\b
      | last\ (?:night|week|weekend|month|spring|summer|fall|autumn|winter|year|(?:mon|tue|wed|thu|fri|sat|sun)\w*)\b
      | (?:this|next|coming|upcoming)\ (?:week|weekend|month|summer|winter)\b
      | (?:a|one|two|three|few|couple\ of)\ (?:days?|weeks?|weekends?|months?)\ ago\b
      | (?:i|we)(?:'ve|\ have)?\ just\b
      | (?:i'm|i\ am|we're|we\ are)\ (?:also|now|actually|thinking|planning|considering|curious|interested)\b
      | i(?:'ve|\ have)\ (?:also|actually)?\ ?been\ (?:thinking|considering|planning|wanting|meaning|trying|looking)\b
    )
  | (?P<opening>
        (?<![\s\S])(?:hi|hey|hello|hiya|heya|yo|good\ (?:morning|afternoon|evening))\b
      | what(?:'s|\ is|\ has|\ have)\ (?:been\ )?(?:new|up|going\ on|happening)\b
      | (?:any|some)thing\ (?:new|exciting|interesting|fun)\b
    ))
    """,
    re.VERBOSE,
)

# Cheap check before all of ``_SHIFT``: every phrase of it but greetings and "as for me" has one of these words.
_TOLD_BY: Final = words(
    """
    by btw note topic subject gears unrelated forget scratch cancel disregard mind nevermind forgot news moving second
    let question thing anyway anyways oh speaking reminds guess actually wait hold meanwhile believe long tell ask since
    what anything something
    yesterday recently lately finally other last this next coming upcoming ago just also now thinking planning
    considering curious interested been
    """
)
_GREETINGS: Final = ("h", "yo", "good")
_LETTERS: Final = regex(r"[a-z][a-z]*")

# Emotions that single a turn out, against those common in friendly talk.
_GRAVE: Final = """
    frustrate annoy annoyed angry anger furious outrage upset hate hated sick ridiculous unacceptable fed
    urgent urgently emergency asap immediately hurry quickly deadline
    died dead death dying passed funeral grief grieve mourn mourning loss lost cancer tumor hospital surgery divorce
    breakup fired layoff robbed stolen crash accident injury injured broke collapse miscarriage tragedy tragic
    devastate heartbroken heartbreaking cry cried tear sob miserable depressed depression lonely hopeless despair
    afraid scared scary terrified fear panic anxious anxiety worried nervous stress stressed overwhelm nightmare
    shock shocked betray ashamed embarrassed guilty regret allergic allergy poison dangerous danger threat attack
"""
_BRIGHT: Final = """
    thrilled ecstatic overjoyed elated euphoric excited stoked pumped hyped finally engaged married pregnant born
    won win winning promoted promotion accepted celebrate celebration dream surprise surprised unbelievable
    insane incredible magical unforgettable wow omg yay hooray
"""
_GRAVE_STEMS: Final = frozenset(stem(word) for word in _GRAVE.split())
_BRIGHT_STEMS: Final = frozenset(stem(word) for word in _BRIGHT.split())
_STEMS: Final = _GRAVE_STEMS | _BRIGHT_STEMS
_NEGATION: Final = "not never no cannot nobody nothing don didn doesn isn wasn won couldn wouldn"
_NEGATIONS: Final = frozenset(_NEGATION.split())

# Weight of each sign: further signs of one kind add less and less.
_GRAVE_SIGN: Final = 0.45
_BRIGHT_SIGN: Final = 0.15
_SHOUTED: Final = 0.2
_EXCLAIMED: Final = 0.05
_NEGATED: Final = 0.05
_SHOUTED_LETTERS: Final = 4


def cues(passage: Passage) -> list[Cues]:
    """Return the cues for the start of an episode in each wanted turn of a passage."""
    return [Cues(_shift(turn.text), _emotion(turn.text), telling(turn_stems(turn))) for turn in passage.wanted]


def _shift(text: str) -> float:
    """Return the strength of a topic shift in a text, 0 to 1."""
    strongest = 0.0
    read = text[:READ].lower().replace("\u2019", "'")
    if _TOLD_BY.isdisjoint(_LETTERS.findall(read)) and not read.startswith(_GREETINGS) and "as for me" not in read:
        return strongest
    for match in _SHIFT.finditer(read):
        early = match.start() * 2 <= len(read)
        strongest = max(strongest, _WEIGHTS[match.lastgroup or "opening"] * (1.0 if early else _LATE))
    return strongest


def _emotion(text: str) -> float:
    """Return the emotional salience of a text, 0 to 1: the probability that at least one sign is meant."""
    calm = 1.0
    for sentence in sentences(text):
        for sign in _signs(sentence):
            calm *= 1.0 - sign
    return 1.0 - calm


def _signs(sentence: Sentence) -> list[float]:
    signs: list[float] = []
    if not _STEMS.isdisjoint(sentence.roots):
        stems = frozenset(sentence.roots)
        signs += [_GRAVE_SIGN] * len(stems & _GRAVE_STEMS)
        signs += [_BRIGHT_SIGN] * len(stems & _BRIGHT_STEMS)
    if any(map(str.isupper, sentence.written)):
        shouted = sum(len(word) >= _SHOUTED_LETTERS and word.isupper() for word in sentence.written)
        signs += [_SHOUTED] * (0 < shouted <= len(frozenset(sentence.words)) // 2)
    if sentence.exclaimed:
        signs.append(_EXCLAIMED)
    if not _NEGATIONS.isdisjoint(sentence.words):
        signs.append(_NEGATED)
    return signs


# Minimum number of occurrences of a pair of neighbours, and minimum share of the rarer one's uses, for one term.
_TOGETHER: Final = 2
_PART: Final = 0.3
# Factor of a two-word term on the better of its words.
_PAIR: Final = 1.3
# Minimum share of the first word's weight for a second word in the name.
_SECOND: Final = 0.5
# Minimum number of texts with the second word, unless the first has fewer.
_RECURS: Final = 2
# Factor of a subject word of the lexicon, and factors by the share of uses as a noun, behind these words.
_SUBJECT: Final = 1.4
_NO_NOUN: Final = 0.7
_NOUN: Final = 0.6
_BEFORE_NOUNS: Final = word_set(
    "a an the my your his her its our their this that these those some any no every each of in for with on at about"
)
# Number of terms of a group considered for its name.
_TERMS: Final = 12
_UNNAMED: Final = "talk"

# Name of address: a lone capitalised word between a greeting or a mark and a mark.
_CALLED: Final = regex(
    r"(?:^|[,.!?…]\s|\b(?i:hey|hi|hello|thanks|thank you|wow|yeah|yes|no|congrats|bye|well|oh)[,!]? )"
    r"([A-Z][a-z]+)(?=[,!?.])"
)
# Minimum share of sentences opened by a name for it to be a speaker's.
_SUBJECTS: Final = 0.1
# Number of characters of a text searched for an address.
_OPENING: Final = 200


@dataclass(slots=True)
class _Group:
    """Counts in a group: words by stem, pairs of neighbours, and texts by stem."""

    words: Counter[str] = field(default_factory=Counter[str])
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    texts: Counter[str] = field(default_factory=Counter[str])


@dataclass(slots=True)
class _Counts:
    """Counts in all groups, by stem.

    Spellings; uses as a noun, as the first word of a sentence, inside one with a capital, as a name of address.
    """

    groups: list[_Group]
    written: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    nouns: Counter[str] = field(default_factory=Counter[str])
    opening: Counter[str] = field(default_factory=Counter[str])
    capital: Counter[str] = field(default_factory=Counter[str])
    sentences: int = 0
    called: Counter[str] = field(default_factory=Counter[str])


def name_topics(groups: Sequence[Sequence[str]], names: Collection[str] = ()) -> list[str]:
    """Return a name for each group, of one to three lower-case words, all different.

    ``names`` (the speakers) and people addressed in the texts are left out.
    """
    counts = _count(groups)
    people = {stem(word) for name in names for word in name.lower().split()} | _people(counts)
    total: Counter[str] = Counter()
    for group in counts.groups:
        total.update(group.words)
    mean = total.total() / max(len(groups), 1)
    taken: set[str] = set()
    idf = {
        root: log(1 + mean / count) * _worth(root, counts, count) for root, count in total.items() if root not in people
    }
    return [_name(group, counts, idf, taken) for group in counts.groups]


def _count(groups: Sequence[Sequence[str]]) -> _Counts:
    counts = _Counts([_Group() for _ in groups])
    for group, texts in zip(counts.groups, groups, strict=True):
        for text in texts:
            _count_text(text, group, counts)
    return counts


def _count_text(text: str, group: _Group, counts: _Counts) -> None:
    seen: dict[str, None] = {}
    for sentence in sentences(text):
        roots = [stem(word) if is_content(word) else "" for word in sentence.words]
        noun, first = False, True
        counts.sentences += 1
        for root, word, written in zip(roots, sentence.words, sentence.written, strict=True):
            if root:
                group.words[root] += 1
                counts.opening[root] += first
                counts.capital[root] += not first and written[0].isupper()
                counts.nouns[root] += noun
                counts.written.setdefault(root, Counter())[word] += 1
            first = False
            noun = word in _BEFORE_NOUNS or (noun and word not in STOP_WORDS)
        group.pairs.update(pair for pair in pairwise(roots) if pair[0] and pair[1] and pair[0] != pair[1])
        seen.update(dict.fromkeys(roots))
    group.texts.update(list(seen))
    counts.called.update(stem(name.lower()) for name in _CALLED.findall(text[:_OPENING]))


def _people(counts: _Counts) -> set[str]:
    """Return the stems of people who are addressed, or are the subject of sentences, too often for chance."""
    uses = {root: forms.total() for root, forms in counts.written.items()}
    called = {root for root, times in counts.called.items() if times > 1 and 5 * times >= uses.get(root, 0)}
    subjects = {
        root
        for root, times in counts.opening.items()
        if times >= max(_SUBJECTS * counts.sentences, 2) and counts.capital[root] == uses[root] - times > 0
    }
    return called | subjects


def _worth(root: str, counts: _Counts, uses: int) -> float:
    """Return the factor of a word as a name, whatever the group."""
    return (_NO_NOUN + _NOUN * (counts.nouns[root] + 1) / (uses + 2)) * (_SUBJECT if root in subject_stems() else 1.0)


def _name(group: _Group, counts: _Counts, idf: dict[str, float], taken: set[str]) -> str:
    """Return the best name that no other group has."""
    weights = {root: _spread(group, root) * idf[root] for root in group.words if root in idf}
    best = nsmallest(_TERMS, weights, key=lambda root: (-weights[root], root))
    pair = _best_pair(group, weights)
    terms = [_surface(root, counts) for root in best]
    names = _candidates(group, pair, best, weights, terms, counts) or [_UNNAMED]
    name = next((name for name in names if name not in taken), names[-1])
    number = 2
    while name in taken:
        name = f"{names[-1]} {number}"
        number += 1
    taken.add(name)
    return name


def _spread(group: _Group, root: str) -> float:
    """Return the frequency of a word in a group; repetitions in one text count half."""
    return 0.5 * (group.words[root] + group.texts[root])


def _best_pair(group: _Group, weights: dict[str, float]) -> tuple[str, str] | None:
    """Return the pair of neighbours with the highest weight as one term; None if none is frequent enough."""
    told = {
        pair: _PAIR * max(weights[pair[0]], weights[pair[1]]) * times / max(group.words[pair[0]], group.words[pair[1]])
        for pair, times in group.pairs.items()
        if times >= _TOGETHER
        and pair[0] in weights
        and pair[1] in weights
        and times >= _PART * min(group.words[pair[0]], group.words[pair[1]])
    }
    return min(told, key=lambda pair: (-told[pair], pair)) if told else None


def _candidates(
    group: _Group,
    pair: tuple[str, str] | None,
    best: list[str],
    weights: dict[str, float],
    terms: list[str],
    counts: _Counts,
) -> list[str]:
    """Return names from short to long: a pair with the best word, the best word with the second, then more."""
    names: list[str] = []
    if not best:
        return names
    first = terms[0]
    rest = [
        term
        for term, root in zip(terms[1:], best[1:], strict=True)
        if weights[root] >= _SECOND * weights[best[0]] and group.texts[root] >= min(_RECURS, group.texts[best[0]])
    ]
    if pair is not None and best[0] in pair:
        first = f"{_surface(pair[0], counts)} {_surface(pair[1], counts)}"
        names.append(first)
        rest = [term for term, root in zip(terms, best, strict=True) if root not in pair]
    elif not rest:
        names.append(first)
    names.extend(f"{first} and {term}" for term in [*rest, *terms[1:]] if term not in first.split())
    return names or [first]


def _surface(root: str, counts: _Counts) -> str:
    """Return the commonest spelling of a stem."""
    forms = counts.written[root]
    return min(forms, key=lambda form: (-forms[form], len(form), form))
