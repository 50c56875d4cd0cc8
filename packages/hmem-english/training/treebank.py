"""The English Web Treebank as spaCy documents, and copies of it that look like talk.

Words keep the treebank's own division ("do" + "n't", "gon" + "na"), which is spaCy's too, and the spaces of the text.
"""

import gzip
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from spacy.tokens import Doc
from spacy.vocab import Vocab

_PUNCTUATION: Final = frozenset(".,;:!?")
_SELF: Final = "I"
_OPENERS: Final = ("well", "oh", "yeah", "yes", "hey", "haha", "ok", "so", "wow", "hmm", "sure", "lol")
_ENDINGS: Final = (
    ("😊", "SYM"),
    ("😂", "SYM"),
    ("❤️", "SYM"),
    ("lol", "INTJ"),
    ("haha", "INTJ"),
    ("tbh", "INTJ"),
    (":)", "SYM"),
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the treebank; ``head`` is an index in its sentence, or its own for a root."""

    form: str
    lemma: str
    upos: str
    feats: str
    head: int
    relation: str
    space: bool


@dataclass(slots=True)
class Sentence:
    """Words of a sentence, the genre of its document, and whether it begins a paragraph."""

    words: list[Word] = field(default_factory=list)
    genre: str = ""
    opens: bool = False
    document: str = ""


def sentences(path: Path) -> list[Sentence]:
    """Return the sentences of a gzipped CoNLL-U file."""
    found: list[Sentence] = []
    rows: list[list[str]] = []
    spaces: dict[int, bool] = {}
    document, opens = "", True
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in map(str.rstrip, lines):
            if line.startswith("# newdoc"):
                document, opens = line.partition("=")[2].strip(), True
            elif line.startswith("# newpar"):
                opens = True
            elif line and not line.startswith("#"):
                cells = line.split("\t")
                if "-" in cells[0]:
                    first, last = map(int, cells[0].split("-"))
                    spaces.update(dict.fromkeys(range(first, last), False))
                    spaces[last] = "SpaceAfter=No" not in cells[9]
                elif "." not in cells[0]:
                    rows.append(cells)
            elif not line and rows:
                found.append(_sentence(rows, spaces, document, opens=opens))
                rows, spaces, opens = [], {}, False
    return found


def _sentence(rows: Sequence[Sequence[str]], spaces: dict[int, bool], document: str, *, opens: bool) -> Sentence:
    words = [
        Word(
            form=cells[1],
            lemma=cells[2],
            upos=cells[3],
            feats="" if cells[5] == "_" else cells[5],
            head=int(cells[6]) - 1 if cells[6] != "0" else index,
            relation="ROOT" if cells[6] == "0" else cells[7],
            space=spaces.get(int(cells[0]), "SpaceAfter=No" not in cells[9]),
        )
        for index, cells in enumerate(rows)
    ]
    return Sentence(words, document.partition("-")[0], opens, document)


def paragraphs(treebank: Sequence[Sentence], longest: int = 12) -> Iterator[list[Sentence]]:
    """Yield runs of sentences of one paragraph, of at most ``longest`` sentences."""
    run: list[Sentence] = []
    for one in treebank:
        if run and (one.opens or len(run) >= longest):
            yield run
            run = []
        run.append(one)
    if run:
        yield run


def document(vocab: Vocab, run: Sequence[Sentence]) -> Doc:
    """Return sentences as one annotated document."""
    words, spaces, tags, morphs, lemmas, heads, relations, starts = [], [], [], [], [], [], [], []
    for one in run:
        base = len(words)
        for index, word in enumerate(one.words):
            words.append(word.form)
            spaces.append(word.space)
            tags.append(word.upos)
            morphs.append(word.feats)
            lemmas.append(word.lemma)
            heads.append(base + word.head)
            relations.append(word.relation)
            starts.append(index == 0)
        spaces[-1] = True
    return Doc(
        vocab, words, spaces, pos=tags, morphs=morphs, lemmas=lemmas, heads=heads, deps=relations, sent_starts=starts
    )


def text(run: Sequence[Sentence]) -> str:
    """Return the raw text of sentences."""
    parts: list[str] = []
    for one in run:
        parts += [
            word.form + (" " if word.space or index == len(one.words) - 1 else "")
            for index, word in enumerate(one.words)
        ]
    return "".join(parts).strip()


def without(one: Sentence, dropped: frozenset[int]) -> Sentence:
    """Return a sentence without some of its words, none of which heads one that stays."""
    places = {old: new for new, old in enumerate(index for index in range(len(one.words)) if index not in dropped)}
    return replace(
        one, words=[replace(word, head=places[word.head]) for index, word in enumerate(one.words) if index in places]
    )


def _leaves(one: Sentence) -> frozenset[int]:
    heads = {word.head for index, word in enumerate(one.words) if word.head != index}
    return frozenset(index for index, word in enumerate(one.words) if index not in heads and word.relation != "ROOT")


def lower(one: Sentence) -> Sentence:
    """Return a sentence in small letters."""
    return replace(one, words=[replace(word, form=word.form.lower()) for word in one.words])


def unpunctuated(one: Sentence, marks: frozenset[str] = _PUNCTUATION) -> Sentence:
    """Return a sentence without its marks."""
    leaves = _leaves(one)
    dropped = frozenset(
        i for i, word in enumerate(one.words) if word.form in marks and word.upos == "PUNCT" and i in leaves
    )
    kept = without(one, dropped) if len(dropped) < len(one.words) else one
    return replace(kept, words=[*kept.words[:-1], replace(kept.words[-1], space=True)]) if dropped else kept


def unquoted(one: Sentence) -> Sentence:
    """Return a sentence with contractions as typed in haste: "dont", "ive"."""
    return replace(
        one,
        words=[
            replace(word, form=word.form.replace("'", "").replace("’", "") or word.form)
            if "'" in word.form or "’" in word.form
            else word
            for word in one.words
        ],
    )


def subjectless(one: Sentence) -> Sentence:
    """Return "Traded the car" for "I traded the car"; other sentences as they are."""
    first = one.words[0]
    if first.form != _SELF or first.relation != "nsubj" or 0 not in _leaves(one) or len(one.words) < 4:
        return one
    kept = without(one, frozenset({0}))
    opening = kept.words[0]
    if opening.form.startswith(("'", "’")):
        return one
    return replace(kept, words=[replace(opening, form=opening.form[:1].upper() + opening.form[1:]), *kept.words[1:]])


def opened(one: Sentence, dice: random.Random) -> Sentence:
    """Return a sentence with an interjection before it."""
    opener = dice.choice(_OPENERS)
    root = next((index for index, word in enumerate(one.words) if word.relation == "ROOT"), 0)
    comma = dice.random() < 0.7
    head = [Word(opener.capitalize(), opener, "INTJ", "", root, "discourse", space=not comma)]
    if comma:
        head.append(Word(",", ",", "PUNCT", "", root, "punct", space=True))
    shift = len(head)
    head = [replace(word, head=root + shift) for word in head]
    rest = [replace(word, head=word.head + shift) for word in one.words]
    first = rest[0]
    if first.upos != "PROPN" and first.form != _SELF and first.form[1:].islower():
        rest[0] = replace(first, form=first.form[:1].lower() + first.form[1:])
    return replace(one, words=[*head, *rest])


def closed(one: Sentence, dice: random.Random) -> Sentence:
    """Return a sentence with an emoji or an interjection after it."""
    form, upos = dice.choice(_ENDINGS)
    root = next((index for index, word in enumerate(one.words) if word.relation == "ROOT"), 0)
    last = replace(one.words[-1], space=True)
    return replace(one, words=[*one.words[:-1], last, Word(form, form, upos, "", root, "discourse", space=True)])


def talk(one: Sentence, dice: random.Random) -> Sentence:
    """Return a copy of a sentence with some marks of talk, chosen by chance."""
    if dice.random() < 0.6:
        one = subjectless(one)
    if dice.random() < 0.15:
        one = opened(one, dice)
    if dice.random() < 0.55:
        one = unpunctuated(one) if dice.random() < 0.5 else unpunctuated(one, frozenset(","))
    if dice.random() < 0.5:
        one = lower(one)
    if dice.random() < 0.35:
        one = unquoted(one)
    if dice.random() < 0.1:
        one = closed(one, dice)
    return one
