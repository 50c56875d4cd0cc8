"""Dependency parses of texts, by spaCy with the pipeline of the package ``hmem-english``, or another one by name.

spaCy is imported when the first text is parsed: a memory that is only searched never loads it. Parses of recent texts
are kept, since several rules read the same turn. A text is split into sentences first (``sentences.split``), which
bounds the length of what the parser sees, and gives the same trees whatever stands around a sentence.
"""

from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from threading import Lock
from typing import Any, Final, NamedTuple

from hmem.errors import ExtraMissing, UnknownName
from hmem.language.analyst.lexicon import TextPiece
from hmem.language.english.gazetteer import given_names
from hmem.language.english.mending import mended
from hmem.language.english.sentences import pieces
from hmem.language.english.stopwords import STOP_WORDS
from hmem.language.english.tree import ROOT, Parse, Sentence, Token
from hmem.language.english.word_lists import lines_of
from hmem.language.regex import regex
from hmem.util.caches import emptied_with_others
from hmem.util.forks import stands_still

DEFAULT: Final = "hmem_english"

# Most characters and sentences of a text that are parsed: what is behind is kept as it was said.
MOST_CHARACTERS: Final = 20_000
MOST_SENTENCES: Final = 200
# A text of more characters is a long answer or a paste: between its opening and its closing only headings and the heads
# of list items are parsed, which name what it is about. Its prose tells of nobody's life.
_LONG_TEXT: Final = 1_500
_OPENING: Final = 500
_CLOSING: Final = 300
_LONGEST_LEAD: Final = 20
_HEAD: Final = regex(r"[^:\n]{1,60}?(?=:| [-–—] |$)")
# Relations that only Universal Dependencies, version 2, have together.
_UNIVERSAL: Final = frozenset({"nsubj", "obj", "obl", "case"})
_KEPT: Final = 2_048
_BATCH: Final = 256
# What is read of each word of a document.
_NO_FEATURES: Final = "_"
_ATTRIBUTES: Final = ["IDX", "LENGTH", "POS", "MORPH", "DEP", "HEAD", "SENT_START"]


class _Word(NamedTuple):
    """A word of a document: its place, its first character, and its head's place."""

    place: int
    start: int
    text: str
    upos: str
    feats: str
    relation: str
    head: int


class Parser:
    """A pipeline with a cache of its parses. Thread-safe."""

    def __init__(self, name: str = DEFAULT) -> None:
        self.name = name
        self._pipeline: Any = None
        self._labels: dict[int, str] = {}
        self._kept: OrderedDict[str, Parse] = OrderedDict()
        self._lock = Lock()
        emptied_with_others(self)
        stands_still(self)

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Return the parse of each text.

        Raises:
            ExtraMissing: spaCy is not installed.
            UnknownName: the pipeline is not installed.
        """
        with self._lock:
            missing = [text for text in dict.fromkeys(texts) if text not in self._kept]
            fresh = self._parse(missing) if missing else {}
            found = [fresh.get(text) or self._kept[text] for text in texts]
            self._kept.update(fresh)
            for text in texts:
                self._kept.move_to_end(text)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found

    def cache_clear(self) -> None:
        """Forget all parses."""
        with self._lock:
            self._kept.clear()

    def before_fork(self) -> None:
        """Wait for the end of a parse."""
        self._lock.acquire()

    def after_fork(self) -> None:
        """Take texts again."""
        self._lock.release()

    @property
    def version(self) -> str:
        """Name and version of the pipeline."""
        meta = self._loaded().meta
        return f"{self.name}-{meta['version']}"

    @property
    def universal(self) -> bool:
        """Tell if the pipeline labels trees in Universal Dependencies."""
        pipeline = self._loaded()
        return "parser" in pipeline.pipe_names and set(pipeline.get_pipe("parser").labels) >= _UNIVERSAL

    def _loaded(self) -> Any:
        if self._pipeline is None:
            self._pipeline = _load(self.name)
        return self._pipeline

    def _parse(self, texts: Sequence[str]) -> dict[str, Parse]:
        starts: list[tuple[int, int]] = []
        parts: list[str] = []
        unread: set[int] = set()
        for place, text in enumerate(texts):
            for count, piece in enumerate(pieces(text[:MOST_CHARACTERS])):
                if count == MOST_SENTENCES:
                    unread.add(place)
                    break
                part = "" if piece.code else _part(text, piece)
                if part:
                    starts.append((place, piece.start))
                    parts.append(part)
            if len(text) > MOST_CHARACTERS:
                unread.add(place)
        found: list[list[Sentence]] = [[] for _ in texts]
        trees = self._trees(parts)
        for (place, start), part in zip(starts, parts, strict=True):
            found[place] += [_sentence(texts[place], start, words) for words in trees[part]]
        return {text: Parse(text, tuple(found[i]), i in unread) for i, text in enumerate(texts)}

    def _trees(self, parts: Sequence[str]) -> dict[str, list[list[_Word]]]:
        """Return the words of each tree of each part; equal parts are read once."""
        pipeline, distinct = self._loaded(), list(dict.fromkeys(parts))
        # Its words go from the vocabulary afterwards: nothing of a forgotten text may stay, nor may the process grow.
        with pipeline.memory_zone():
            documents = (_whole(pipeline.make_doc(part)) for part in distinct)
            read = pipeline.pipe(documents, batch_size=_BATCH)
            return {part: self._words(part, document) for part, document in zip(distinct, read, strict=True)}

    def _words(self, part: str, document: Any) -> list[list[_Word]]:
        """Return the words of each tree of a document; blanks that the tokenizer keeps as tokens are left out."""
        rows: list[list[int]] = document.to_array(_ATTRIBUTES).view("int64").tolist()
        label, found = self._label, list[list[_Word]]()
        for place, (start, length, upos, feats, relation, head, begins) in enumerate(rows):
            if begins > 0 or not found:
                found.append([])
            text = part[start : start + length]
            if not text.isspace():
                found[-1].append(_Word(place, start, text, label(upos), label(feats), label(relation), place + head))
        return [words for words in found if words]

    def _label(self, key: int) -> str:
        """Return a label of the pipeline, of which there are few."""
        if (known := self._labels.get(key)) is None:
            named = self._pipeline.vocab.strings[key % 2**64] if key else ""
            known = self._labels[key] = "" if named == _NO_FEATURES else named
        return known


@lru_cache(maxsize=4)
def parser(name: str = DEFAULT) -> Parser:
    """Return the parser of a pipeline, one for the process."""
    return Parser(name)


def parse(texts: Sequence[str]) -> list[Parse]:
    """Return the parse of each text by the default pipeline."""
    return parser().parse(texts)


def is_inner(text: str, start: int) -> bool:
    """Tell if a place is between the opening and the closing of a long text."""
    return len(text) > _LONG_TEXT and _OPENING < start < len(text) - _CLOSING


def _part(text: str, piece: TextPiece) -> str:
    """Return what is parsed of a sentence."""
    if not is_inner(text, piece.start):
        return _straight(piece.text)
    line = text[max(text.rfind("\n", 0, piece.start) + 1, piece.start - _LONGEST_LEAD) : piece.start]
    head = None if any(map(str.isalpha, line)) else _HEAD.match(piece.text)
    return _straight(head[0]) if head is not None else ""


def _load(name: str) -> Any:
    try:
        spacy = import_module("spacy")
    except ImportError as error:
        raise ExtraMissing("reading English needs spaCy - run `pip install spacy`") from error
    try:
        pipeline = import_module(name).load() if name == DEFAULT else spacy.load(name)
    except (ImportError, OSError) as error:
        raise UnknownName(f"spaCy has no pipeline {name!r} here - install it, or `hmem-english`") from error
    import_module("hmem.language.english.matrices").use_numpy(pipeline)
    # What is tokenized in a memory zone is not remembered: the most frequent words are, once for all.
    for word in STOP_WORDS:
        pipeline.make_doc(word)
    return pipeline


_AUXILIARIES: Final = {
    "'m": "be", "'re": "be", "m": "be", "re": "be", "'s": "be", "s": "be", "'ve": "have", "ve": "have", "ca": "can",
    "wo": "will", "'ll": "will", "ll": "will", "'d": "would", "n't": "not", "nt": "not", "gon": "go", "wan": "want",
}  # fmt: skip
_TABLES: Final = {"VERB": "verb", "AUX": "verb", "NOUN": "noun", "ADJ": "adj", "ADV": "adj", "PROPN": ""}


# Base forms that are rather not the past of another verb: "rent" of "rend".
_BASES: Final = frozenset({"rent"})


@lru_cache(maxsize=65_536)
def lemma(word: str, upos: str) -> str:
    """Return the base form of a word of a part of speech, in small letters."""
    small = word.lower()
    if upos in {"AUX", "PART"} or small in {"gon", "wan"}:
        small = _AUXILIARIES.get(small, small)
    table = _TABLES.get(upos)
    if small in _BASES:
        return small
    return _lemmas().get(table, {}).get(small, small) if table else small


@lru_cache(maxsize=1)
def _lemmas() -> dict[str, dict[str, str]]:
    return import_module(DEFAULT).lemmas()


def _whole(document: Any) -> Any:
    """Return a document that the parser does not cut: it is one sentence already."""
    for word in document[1:]:
        word.is_sent_start = False
    return document


@lru_cache(maxsize=1)
def _given_names() -> frozenset[str]:
    """Return given names that are no words, in small letters: talk leaves out capitals."""
    return given_names().difference(word for line in lines_of("common.txt") for word in line.split())


# Same length, so that characters keep their places.
_STRAIGHT: Final = str.maketrans({"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " ", "\t": " "})


def _straight(text: str) -> str:
    return text.translate(_STRAIGHT)


def _sentence(text: str, start: int, words: Sequence[_Word]) -> Sentence:
    places = {word.place: index for index, word in enumerate(words)}
    tokens: list[Token] = []
    for index, word in enumerate(words):
        head = places.get(word.head, index)
        upos, raw = word.upos, word.text
        lower = raw.lower()
        if (
            (upos == "NOUN" or upos == "ADJ")
            and raw in _given_names()
            and (not index or words[index - 1].upos != "DET")
        ):
            upos = "PROPN"
        begin = start + word.start
        relation = ROOT if head == index else word.relation
        tokens.append(
            Token(index, raw, lower, lemma(raw, upos), upos, word.feats, head, relation, begin, begin + len(raw))
        )
    for root in [token for token in tokens if token.head == token.index]:
        _mend(root, tokens)
    return Sentence(text, mended(tokens, lemma))


_THIRD_PERSON: Final = "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"


def _mend(root: Token, tokens: Sequence[Token]) -> None:
    """Make a verb of a noun that can only be one: "lives" in "Maria lives in Porto" has a subject and no "is"."""
    if root.upos != "NOUN" or not root.lower.endswith("s"):
        return
    below = [each for each in tokens if each.head == root.index and each is not root]
    relations, base = {each.relation for each in below}, lemma(root.text, "VERB")
    if "nsubj" not in relations or relations & {"cop", "det", "amod", "nmod:poss"} or base == root.lower:
        return
    root.lemma, root.upos, root.feats = base, "VERB", _THIRD_PERSON
    for each in below:
        if each.relation == "nmod":
            each.relation = "obl"
