"""Comparison of FAISS's index types for unit vectors: `python benchmarks/vector_forms.py [--records N] [--json OUT]`.

For each type: the time of one search on one thread, the recall of the exact ten nearest, and the size. Those of two
bits score ``hmem.corpus.index.vector.RESCORED`` rows again by the stored bytes, which do not count. The vectors are
seeded and lie in clusters, as embeddings of texts do; queries are noisy copies.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any
from unittest.mock import patch

import faiss
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from hmem.corpus.index import vector
from hmem.model.vector import to_bytes

DIMENSION = 384
CLUSTERS = 2_000
QUERIES = 100
K = 10
SEED = 20261101

Vectors = NDArray[np.float32]
Search = Callable[[Vectors], NDArray[np.int64]]


def unit(vectors: Vectors) -> Vectors:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def make(records: int) -> tuple[Vectors, Vectors]:
    """Return records and queries."""
    chance = np.random.default_rng(SEED)
    centres = chance.standard_normal((CLUSTERS, DIMENSION), np.float32)
    near = centres[chance.integers(CLUSTERS, size=records)]
    vectors = unit(near + chance.standard_normal((records, DIMENSION), np.float32))
    noise = 0.05 * chance.standard_normal((QUERIES, DIMENSION), np.float32)
    return vectors, unit(vectors[chance.integers(records, size=QUERIES)] + noise)


def flat(index: Any, vectors: Vectors) -> tuple[Search, int]:
    """Return the search and the size of a FAISS index by inner product."""
    index.train(vectors)
    index.add(vectors)
    return (lambda query: index.search(query[None, :], K)[1][0]), len(faiss.serialize_index(index))


def trained(vectors: Vectors) -> tuple[Search, int]:
    """Return the search of FAISS's own four bits for two components, trained on the vectors, and its size."""
    index = faiss.IndexPQFastScan(DIMENSION, DIMENSION // 2, 4, faiss.METRIC_INNER_PRODUCT)
    index.train(vectors[:: max(1, len(vectors) // 65_536)])
    index.add(vectors)
    exact = vector.VectorIndex.from_codes(*to_bytes(vectors))

    def search(query: Vectors) -> NDArray[np.int64]:
        rows = np.sort(index.search(query[None, :], vector.RESCORED)[1][0])
        return rows[np.argsort(-exact.cosines(query, rows), kind="stable")[:K]]

    return search, len(faiss.serialize_index(index))


def ours(vectors: Vectors, exact: int) -> tuple[Search, int]:
    """Return the search of hmem's index that scores all up to so many, and the bytes besides the stored ones."""
    index = vector.VectorIndex.from_codes(*to_bytes(vectors))

    def search(query: Vectors) -> NDArray[np.int64]:
        with patch.object(vector, "EXACT", exact):
            return index.search(query, K)[0]

    search(vectors[0])
    return search, index.__sizeof__()


def measure(forms: dict[str, Search], queries: Vectors, exact: list[set[int]]) -> dict[str, dict[str, float]]:
    """Return milliseconds, and recall of the exact ten; the indices take turns, so that load affects all alike."""
    times: dict[str, list[float]] = {name: [] for name in forms}
    shares: dict[str, list[float]] = {name: [] for name in forms}
    for query, gold in zip(queries, exact, strict=True):
        for name, search in forms.items():
            start = perf_counter()
            found = search(query)
            times[name].append((perf_counter() - start) * 1_000)
            shares[name].append(len(gold.intersection(found.tolist())) / K)
    return {
        name: {
            "median_ms": float(np.median(times[name])),
            "p10_ms": float(np.percentile(times[name], 10)),
            "recall@10": float(np.mean(shares[name])),
        }
        for name in forms
    }


def run(records: int) -> list[dict[str, Any]]:
    """Return a row of figures for each index type."""
    vectors, queries = make(records)
    product, kind = faiss.METRIC_INNER_PRODUCT, faiss.ScalarQuantizer
    forms: dict[str, Callable[[], tuple[Search, int]]] = {
        "floats, inner product": lambda: flat(faiss.IndexFlatIP(DIMENSION), vectors),
        "bytes, a scale a component, inner product": lambda: flat(
            faiss.IndexScalarQuantizer(DIMENSION, kind.QT_8bit, product), vectors
        ),
        "bytes, one scale, inner product": lambda: flat(
            faiss.IndexScalarQuantizer(DIMENSION, kind.QT_8bit_uniform, product), vectors
        ),
        "two bits a component, trained": lambda: trained(vectors),
        "two bits a component, fixed steps: hmem": lambda: ours(vectors, 0),
        "stored bytes, all scored: hmem": lambda: ours(vectors, records),
    }
    exact = [set(row.tolist()) for row in np.argsort(-(queries @ vectors.T), axis=1, kind="stable")[:, :K]]
    built = {name: build() for name, build in forms.items()}
    figures = measure({name: search for name, (search, _) in built.items()}, queries, exact)
    return [{"form": name, **figures[name], "bytes_per_vector": built[name][1] / records} for name in forms]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    options = parser.parse_args()
    faiss.omp_set_num_threads(1)
    rows = run(options.records)
    table = Table(title=f"{options.records:,} vectors of {DIMENSION} dimensions, one thread", title_justify="left")
    for heading in ("form", "median ms", "p10 ms", "recall@10", "bytes/vector"):
        table.add_column(heading, justify="left" if heading == "form" else "right")
    for row in rows:
        times = (f"{row[name]:.2f}" for name in ("median_ms", "p10_ms"))
        table.add_row(row["form"], *times, f"{row['recall@10']:.3f}", f"{row['bytes_per_vector']:.0f}")
    Console(width=100).print(table)
    if options.json:
        options.json.write_text(json.dumps({"records": options.records, "forms": rows}, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
