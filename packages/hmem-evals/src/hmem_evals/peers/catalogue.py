"""The peers: packages of each, the adapter that drives it, and the settings under which it is measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from hmem.errors import UnknownName

# What reads hmem's own token vectors in another environment.
_VECTORS: Final = ("numpy", "safetensors", "tokenizers")


@dataclass(frozen=True, slots=True)
class Peer:
    """System to measure. ``requirements`` are what pip installs; without any it runs in our own environment.

    ``packages`` are those whose versions are told. ``embeds``: it needs vectors. ``at_once``: an added turn is durable
    and can be found without another step.
    """

    name: str
    adapter: str
    requirements: tuple[str, ...]
    packages: tuple[str, ...]
    settings: str
    embeds: bool = True
    at_once: bool = True
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])


def _hmem(name: str, settings: str) -> Peer:
    return Peer(name, "hmem", (), ("hmem",), settings, options={"recipe": name})


PEERS: Final = (
    _hmem("fusion", "the default recipe, by the rules, without a language model"),
    _hmem("flat", "turns by words and meaning; nothing is formed"),
    Peer(
        "mem0",
        "mem0",
        ("mem0ai==2.2.1", "langchain>=0.3.30,<1", "fastembed==0.9.1", "bm25s==0.3.16", *_VECTORS),
        ("mem0ai", "qdrant-client"),
        "infer=False (no language model: each turn is kept as it is), Qdrant in a local folder, meaning and BM25, "
        "no threshold",
    ),
    Peer(
        "langgraph",
        "langgraph",
        ("langgraph-checkpoint-sqlite==3.1.2", "pysqlite3-binary==0.5.4.post2; sys_platform == 'linux'", *_VECTORS),
        ("langgraph-checkpoint-sqlite", "langgraph-checkpoint"),
        "SqliteStore with an index of the text (sqlite-vec, cosine)",
    ),
    Peer(
        "lancedb",
        "lancedb",
        ("lancedb==0.40.0", *_VECTORS),
        ("lancedb",),
        "hybrid: full-text index (stems, stop words) and vectors, exact up to 100,000 rows, by its default reranker",
    ),
    Peer(
        "chroma",
        "chroma",
        ("chromadb==1.5.9", *_VECTORS),
        ("chromadb",),
        "PersistentClient, HNSW by cosine with its default parameters",
    ),
    Peer(
        "txtai",
        "txtai",
        ("txtai-minimal==9.14.0", "faiss-cpu", "regex", "pyyaml", "msgpack", *_VECTORS),
        ("txtai-minimal",),
        "hybrid=True, content=True: FAISS and BM25 with equal weights, texts kept in SQLite",
        at_once=False,
    ),
    Peer(
        "bm25s",
        "bm25s",
        ("bm25s==0.3.16", "PyStemmer==3.1.0"),
        ("bm25s",),
        "English stop words, Snowball stems; the index is built anew when turns are added",
        embeds=False,
        at_once=False,
    ),
    Peer(
        "faiss+bm25s",
        "faiss_bm25s",
        ("bm25s==0.3.16", "PyStemmer==3.1.0", "faiss-cpu>=1.9", *_VECTORS),
        ("faiss-cpu", "bm25s"),
        "by hand: IndexFlatIP and bm25s, reciprocal rank fusion (60) of 100 each",
        at_once=False,
    ),
)

# Runs hmem's encoder, in our own environment, for peers that ask for its vectors.
MINILM: Final = Peer(
    "minilm",
    "minilm",
    (),
    ("hmem-encoder",),
    "hmem's default embedder",
    embeds=False,
)


def select_peers(names: Sequence[str] | None) -> tuple[Peer, ...]:
    """Return the peers of these names, in their order; all without names.

    Raises:
        UnknownName: no peer has one of the names.
    """
    by_name = {peer.name: peer for peer in PEERS}
    if unknown := next((name for name in names or () if name not in by_name), None):
        raise UnknownName(f"no peer is called {unknown!r} - choose of: {', '.join(by_name)}")
    return PEERS if names is None else tuple(by_name[name] for name in names)
