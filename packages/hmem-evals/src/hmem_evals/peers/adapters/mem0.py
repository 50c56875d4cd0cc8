"""mem0's open-source memory without a language model: ``infer=False`` keeps each message as it is."""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from bm25s.stopwords import STOPWORDS_EN
from fastembed import SparseTextEmbedding
from langchain_core.embeddings import Embeddings
from mem0 import Memory

_USER: Final = {"user_id": "peer"}


class GivenEmbeddings(Embeddings):
    """LangChain's interface of embeddings, which mem0 takes."""

    def __init__(self, embed: Callable[[list[str]], Any]) -> None:
        self._embed = embed

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return a vector for each text."""
        return self._embed(texts).tolist()

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a text."""
        return self._embed([text])[0].tolist()


class Mem0:
    """Memory over a local Qdrant, with its search by meaning and words."""

    def __init__(self, folder: Path, embed: Callable[[list[str]], Any]) -> None:
        self._names: dict[str, str] = {}
        store = {"collection_name": "turns", "embedding_model_dims": embed.dimension, "on_disk": True}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": {**store, "path": str(folder / "qdrant")}},
                "embedder": {"provider": "langchain", "config": {"model": GivenEmbeddings(embed)}},
                # No request is made without inference.
                "llm": {"provider": "openai", "config": {"api_key": "none"}},
                "history_db_path": str(folder / "history.db"),
            }
        )
        # Its encoder of words fetches a list of stop words from a model hub, and without it there is no search by
        # words: it gets the same encoder with a list that is here.
        self._memory.vector_store._bm25_encoder = SparseTextEmbedding(  # noqa: SLF001 - there is no other way in
            "Qdrant/bm25", specific_model_path=str(folder), stopwords=set(STOPWORDS_EN)
        )

    def add(self, turns: Sequence[Mapping[str, Any]]) -> None:
        """Add the messages of each session in one call."""
        for _, session in groupby(turns, key=itemgetter("session")):
            session_turns = list(session)
            messages = [{"role": "user", "content": turn["said"]} for turn in session_turns]
            memories = self._memory.add(messages, **_USER, metadata={"at": session_turns[0]["at"]}, infer=False)[
                "results"
            ]
            self._names |= {memory["id"]: turn["id"] for memory, turn in zip(memories, session_turns, strict=True)}

    def finish(self) -> None:
        """Do nothing: what is added is kept and can be found."""

    def search(self, query: str, k: int, at: str | None) -> list[str]:  # noqa: ARG002 - it knows no times
        """Return the ids of the best turns, none of which is cut off by a score."""
        memories = self._memory.search(query, top_k=k, filters=_USER, threshold=0.0)["results"]
        return [self._names[memory["id"]] for memory in memories]

    def close(self) -> None:
        """Close the memory."""
        self._memory.close()


open_peer = Mem0
