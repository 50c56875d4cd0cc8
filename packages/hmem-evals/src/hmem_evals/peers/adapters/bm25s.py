"""bm25s as its documentation shows it: English stop words, a Snowball stemmer, the index saved to a folder."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import bm25s
import Stemmer


class Bm25s:
    """Index of words. It cannot grow: each ``finish`` builds it anew."""

    def __init__(self, folder: Path, _embed: object) -> None:
        self._folder = folder
        self._stemmer = Stemmer.Stemmer("english")
        self._ids: list[str] = []
        self._texts: list[str] = []
        self._index = bm25s.BM25()

    def add(self, turns: Sequence[Mapping[str, Any]]) -> None:
        """Take turns for the next index."""
        self._ids += [turn["id"] for turn in turns]
        self._texts += [turn["said"] for turn in turns]

    def finish(self) -> None:
        """Build the index and save it."""
        self._index = bm25s.BM25()
        self._index.index(self._tokens(self._texts), show_progress=False)
        self._index.save(self._folder / "words")
        (self._folder / "turns.json").write_text(json.dumps([self._ids, self._texts]), "utf-8")

    def search(self, query: str, k: int, at: str | None) -> list[str]:  # noqa: ARG002 - it knows no times
        """Return the ids of the best turns."""
        positions, _ = self._index.retrieve(self._tokens([query]), k=min(k, len(self._ids)), show_progress=False)
        return [self._ids[position] for position in positions[0]]

    def close(self) -> None:
        """Do nothing: all is saved."""

    def _tokens(self, texts: list[str]) -> Any:
        return bm25s.tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)


open_peer = Bm25s
