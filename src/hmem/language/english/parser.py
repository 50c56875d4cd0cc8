"""Dependency parses of texts, by spaCy with the pipeline of the package ``hmem-english``, or another one by name.

spaCy is imported when the first text is parsed: a memory that is only searched never loads it. Parses of recent texts
are kept, since several rules read the same turn. A text is split into sentences first (``sentences.split``), which
bounds the length of what the parser sees, and gives the same trees whatever stands around a sentence.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from threading import Lock
from typing import Any, Final

from hmem.errors import ExtraMissing, UnknownName
from hmem.language.english.gazetteer import given_names
from hmem.language.english.mending import mended
from hmem.language.english.sentences import pieces
from hmem.language.english.tree import ROOT, Parse, Sentence, Token
from hmem.language.english.word_lists import lines_of
from hmem.util.caches import emptied_with_others

DEFAULT: Final = "hmem_english"

# Most characters and sentences of a text that are parsed: what is behind is kept as it was said.
MOST_CHARACTERS: Final = 20_000
MOST_SENTENCES: Final = 200
# Relations that only Universal Dependencies, version 2, have together.
_UNIVERSAL: Final = frozenset({"nsubj", "obj", "obl", "case"})
_KEPT: Final = 2_048
_BATCH: Final = 1_024


class Parser:
    """A pipeline with a cache of its parses. Thread-safe."""

    def __init__(self, name: str = DEFAULT) -> None:
        self.name = name
        self._pipeline: Any = None
        self._kept: OrderedDict[str, Parse] = OrderedDict()
        self._lock = Lock()
        emptied_with_others(self)

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
                if not piece.code:
                    starts.append((place, piece.start))
                    parts.append(_straight(piece.text))
            if len(text) > MOST_CHARACTERS:
                unread.add(place)
        found: list[list[Sentence]] = [[] for _ in texts]
        pipeline = self._loaded()
        # Its words go from the vocabulary afterwards: nothing of a forgotten text may stay, nor may the process grow.
        with pipeline.memory_zone():
            documents = (_whole(pipeline.make_doc(part)) for part in parts)
            for (place, start), document in zip(starts, pipeline.pipe(documents, batch_size=_BATCH), strict=True):
                found[place] += _sentences(texts[place], start, document)
        return {text: Parse(text, tuple(found[i]), i in unread) for i, text in enumerate(texts)}


@lru_cache(maxsize=4)
def parser(name: str = DEFAULT) -> Parser:
    """Return the parser of a pipeline, one for the process."""
    return Parser(name)


def parse(texts: Sequence[str]) -> list[Parse]:
    """Return the parse of each text by the default pipeline."""
    return parser().parse(texts)


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
    return pipeline


_AUXILIARIES: Final = {
    "'m": "be", "'re": "be", "m": "be", "re": "be", "'s": "be", "s": "be", "'ve": "have", "ve": "have", "ca": "can",
    "wo": "will", "'ll": "will", "ll": "will", "'d": "would", "n't": "not", "nt": "not", "gon": "go", "wan": "want",
}  # fmt: skip
_TABLES: Final = {"VERB": "verb", "AUX": "verb", "NOUN": "noun", "ADJ": "adj", "ADV": "adj", "PROPN": ""}


@lru_cache(maxsize=65_536)
def lemma(word: str, upos: str) -> str:
    """Return the base form of a word of a part of speech, in small letters."""
    small = word.lower()
    if upos in {"AUX", "PART"} or small in {"gon", "wan"}:
        small = _AUXILIARIES.get(small, small)
    table = _TABLES.get(upos)
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


def _sentences(text: str, start: int, document: Any) -> list[Sentence]:
    """Return the trees of a document, one for each root; blanks that the tokenizer keeps as tokens are left out."""
    groups: list[list[Any]] = []
    for word in document:
        if word.is_sent_start or not groups:
            groups.append([])
        if not word.is_space:
            groups[-1].append(word)
    return [_sentence(text, start, group) for group in groups if group]


def _sentence(text: str, start: int, group: Sequence[Any]) -> Sentence:
    places = {word.i: index for index, word in enumerate(group)}
    tokens: list[Token] = []
    for index, word in enumerate(group):
        head = places.get(word.head.i, index)
        upos = word.pos_
        if (
            upos in {"NOUN", "ADJ"}
            and word.is_lower
            and word.text in _given_names()
            and (not index or group[index - 1].pos_ != "DET")
        ):
            upos = "PROPN"
        begin = start + word.idx
        raw = word.text
        tokens.append(
            Token(
                index,
                raw,
                lemma(raw, upos),
                upos,
                str(word.morph),
                head,
                ROOT if head == index else word.dep_,
                begin,
                begin + len(raw),
            )
        )
    verbs = {token.index: _as_verb(token, tokens) for token in tokens}
    turned = {index for index, verb in verbs.items() if verb is not tokens[index]}
    return Sentence(
        text,
        mended(
            (
                replace(token, relation="obl") if token.head in turned and token.relation == "nmod" else token
                for token in verbs.values()
            ),
            lemma,
        ),
    )


_THIRD_PERSON: Final = "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"


def _as_verb(token: Token, tokens: Sequence[Token]) -> Token:
    """Return a noun that can only be a verb as one: "lives" in "Maria lives in Porto" has a subject and no "is"."""
    if token.upos != "NOUN" or token.head != token.index or not token.lower.endswith("s"):
        return token
    below = {each.relation for each in tokens if each.head == token.index and each is not token}
    base = lemma(token.text, "VERB")
    if "nsubj" not in below or below & {"cop", "det", "amod", "nmod:poss"} or base == token.lower:
        return token
    return replace(token, lemma=base, upos="VERB", feats=_THIRD_PERSON)
