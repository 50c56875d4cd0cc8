"""FAISS's flat index and bm25s, fused by hand: what a reader would write in an afternoon."""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import bm25s
import faiss
import Stemmer

# Ranks are fused by the sum of 1 / (60 + rank), over this many of each list.
_CONSTANT: Final = 60
_DEPTH: Final = 100


class FaissBm25s:
    """Vectors and words of the same turns, by reciprocal rank fusion."""

    def __init__(self, folder: Path, embed: Callable[[list[str]], Any]) -> None:
        self._folder, self._embed = folder, embed
        self._stemmer = Stemmer.Stemmer("english")
        self._ids: list[str] = []
        self._texts: list[str] = []
        self._vectors = faiss.IndexFlatIP(embed.dimension)
        self._words = bm25s.BM25()

    def add(self, turns: Sequence[Mapping[str, Any]]) -> None:
        """Index the vectors, and take the texts for the next index of words."""
        texts = [turn["said"] for turn in turns]
        self._vectors.add(self._embed(texts))
        self._ids += [turn["id"] for turn in turns]
        self._texts += texts

    def finish(self) -> None:
        """Build the index of words, and save all."""
        self._words = bm25s.BM25()
        self._words.index(self._tokens(self._texts), show_progress=False)
        self._words.save(self._folder / "words")
        faiss.write_index(self._vectors, str(self._folder / "vectors.faiss"))
        (self._folder / "turns.json").write_text(json.dumps([self._ids, self._texts]), "utf-8")

    def search(self, query: str, k: int, at: str | None) -> list[str]:  # noqa: ARG002 - it knows no times
        """Return the ids of the best turns."""
        depth = min(max(k, _DEPTH), len(self._ids))
        _, nearest = self._vectors.search(self._embed([query]), depth)
        matches, _ = self._words.retrieve(self._tokens([query]), k=depth, show_progress=False)
        scores: defaultdict[int, float] = defaultdict(float)
        for ranking in (nearest[0].tolist(), matches[0].tolist()):
            for rank, row in enumerate(ranking, 1):
                scores[row] += 1 / (_CONSTANT + rank)
        return [self._ids[position] for position in sorted(scores, key=lambda index: -scores[index])[:k]]

    def close(self) -> None:
        """Do nothing: all is saved."""

    def _tokens(self, texts: list[str]) -> Any:
        return bm25s.tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)


open_peer = FaissBm25s
