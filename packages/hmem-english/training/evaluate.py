"""Measure the pipeline on raw text of a treebank, paragraph by paragraph: `python training/evaluate.py TEST.conllu.gz`.

Words are aligned by their characters, and scored, as in the shared task of CoNLL 2018: F1 of parts of speech, of
universal features, of heads (UAS), of heads with relations without subtypes (LAS), and of sentences. In the rows of
`hmem`, hmem's own splitter gives the sentences to the pipeline, as it does in use.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table
from treebank import Sentence, paragraphs, sentences, text

import hmem_english
from hmem.language.english.parser import parse

_UNIVERSAL: Final = frozenset(
    [
        "PronType",
        "NumType",
        "Poss",
        "Reflex",
        "Foreign",
        "Abbr",
        "Typo",
        "Gender",
        "Animacy",
        "NounClass",
        "Number",
        "Case",
        "Definite",
        "Degree",
        "VerbForm",
        "Mood",
        "Tense",
        "Aspect",
        "Voice",
        "Evident",
        "Polarity",
        "Person",
        "Polite",
        "Clusivity",
    ]
)
MEASURES: Final = ("words", "UPOS", "UFeats", "UAS", "LAS", "sentences")
_WHOLE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Row:
    """A word: its first and last character among those that are no blanks, and those of its head, None for a root."""

    span: tuple[int, int]
    upos: str
    feats: frozenset[str]
    head: tuple[int, int] | None
    relation: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """Words of a text, and the spans of its sentences."""

    words: list[Row]
    sentences: set[tuple[int, int]]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("treebank", type=Path)
    parser.add_argument("--json", type=Path, help="write the figures here too")
    arguments = parser.parse_args()
    runs = list(paragraphs(sentences(arguments.treebank), longest=_WHOLE))
    figures = {"spaCy": measured(runs, by_pipeline), "hmem": measured(runs, by_hmem)}
    show(figures)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


def measured(
    runs: Sequence[Sequence[Sentence]], analyse: Callable[[Sequence[str]], Iterable[Analysis]]
) -> dict[str, dict[str, float]]:
    """Return the figures of each genre and of all."""
    counts: dict[str, Counter[str]] = {}
    for run, found in zip(runs, analyse([text(run) for run in runs]), strict=True):
        score = scored(gold(run), found)
        for genre in (run[0].genre, "all"):
            counts.setdefault(genre, Counter()).update(score)
    return {genre: dict(_f1(count)) for genre, count in sorted(counts.items())}


def _f1(count: Counter[str]) -> Iterator[tuple[str, float]]:
    for measure in MEASURES:
        of = "sentences" if measure == "sentences" else "words"
        both = count[f"gold {of}"] + count[f"found {of}"]
        yield measure, 2 * count[measure] / both if both else 0.0


def scored(true: Analysis, found: Analysis) -> Counter[str]:
    """Return how many words and sentences of a text are right, and how many there are."""
    by_span = {word.span: word for word in found.words}
    count = Counter({"gold words": len(true.words), "found words": len(found.words)})
    count.update({"gold sentences": len(true.sentences), "found sentences": len(found.sentences)})
    count["sentences"] = len(true.sentences & found.sentences)
    for word in true.words:
        other = by_span.get(word.span)
        if other is not None:
            attached = word.head == other.head
            count["words"] += 1
            count["UPOS"] += word.upos == other.upos
            count["UFeats"] += word.feats == other.feats
            count["UAS"] += attached
            count["LAS"] += attached and word.relation == other.relation
    return count


def gold(run: Sequence[Sentence]) -> Analysis:
    """Return the treebank's analysis of a paragraph."""
    words: list[Row] = []
    spans: set[tuple[int, int]] = set()
    at = 0
    for one in run:
        ends = list(accumulate((len("".join(word.form.split())) for word in one.words), initial=at))
        places = [(ends[index], ends[index + 1]) for index in range(len(one.words))]
        for index, word in enumerate(one.words):
            head = None if word.head == index else places[word.head]
            words.append(Row(places[index], word.upos, _feats(word.feats), head, _relation(word.relation)))
        spans.add((at, ends[-1]))
        at = ends[-1]
    return Analysis(words, spans)


def by_pipeline(texts: Sequence[str]) -> Iterator[Analysis]:
    """Yield the analyses of texts by the pipeline alone."""
    for document in hmem_english.load().pipe(texts):
        place = _places(document.text)
        yield Analysis(
            [
                Row(
                    _span(place, word.idx, word.text),
                    word.pos_,
                    _feats(str(word.morph)),
                    None if word.head.i == word.i else _span(place, word.head.idx, word.head.text),
                    _relation(word.dep_),
                )
                for word in document
                if not word.is_space
            ],
            {(place[each.start_char], place[each.end_char]) for each in document.sents if each.text.strip()},
        )


def by_hmem(texts: Sequence[str]) -> Iterator[Analysis]:
    """Yield the analyses of texts as hmem reads them."""
    for parsed in parse(texts):
        place = _places(parsed.text)
        words = [
            Row(
                (place[word.start], place[word.end]),
                word.upos,
                _feats(word.feats),
                None if word.head == word.index else (place[each[word.head].start], place[each[word.head].end]),
                _relation(word.relation),
            )
            for each in parsed.sentences
            for word in each
        ]
        yield Analysis(words, {(place[each.start], place[each.end]) for each in parsed.sentences})


def _places(raw: str) -> list[int]:
    """Return, for each character of a text, how many before it are no blanks."""
    return list(accumulate((not each.isspace() for each in raw), initial=0))


def _span(place: Sequence[int], start: int, form: str) -> tuple[int, int]:
    return place[start], place[start + len(form)]


def _feats(feats: str) -> frozenset[str]:
    return frozenset(each for each in feats.split("|") if each.partition("=")[0] in _UNIVERSAL)


def _relation(relation: str) -> str:
    return relation.partition(":")[0].lower()


def show(figures: dict[str, dict[str, dict[str, float]]]) -> None:
    """Print the figures as a table."""
    shown = Table("sentences by", "genre", *MEASURES)
    for by, genres in figures.items():
        for genre, values in genres.items():
            shown.add_row(by, genre, *(f"{values[measure]:.3f}" for measure in MEASURES))
    Console(width=100).print(shown)


if __name__ == "__main__":
    main()
