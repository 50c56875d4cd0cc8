"""Cost of one text analysis per turn, in Python and inside Tantivy: `python benchmarks/analysis.py`.

The texts are the example's turns, each made unique by a number, so that no cache holds a whole text.
"""

import json
from pathlib import Path
from time import perf_counter

import tantivy
from rich.console import Console
from rich.table import Table
from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from hmem.language.analyzer import stems

EXAMPLE = Path(__file__).parent.parent / "examples" / "ten_months.jsonl"
COPIES = 32
ROUNDS = 5
WORD = r"[\p{L}\p{N}\p{M}]+"


def texts(salt: int) -> list[str]:
    turns = [json.loads(line)["text"] for line in EXAMPLE.read_text("utf-8").splitlines()]
    return [f"{text} {salt}x{copy}x{i}" for copy in range(COPIES) for i, text in enumerate(turns)]


def inside() -> TextAnalyzer:
    folded = TextAnalyzerBuilder(Tokenizer.regex(WORD)).filter(Filter.lowercase()).filter(Filter.ascii_fold())
    return folded.filter(Filter.stemmer("english")).build()


def index_seconds(analyzer: TextAnalyzer, values: list[str]) -> float:
    """Return the seconds to index texts in one field of an in-memory index."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name="chosen", index_option="freq")
    index = tantivy.Index(builder.build())
    index.register_tokenizer("chosen", analyzer)
    start = perf_counter()
    with index.writer(heap_size=48_000_000, num_threads=1) as writer:
        for value in values:
            writer.add_document(tantivy.Document(text=value))
    return perf_counter() - start


def main() -> None:
    best = {
        "regular expression inside Tantivy, a field": 1e9,
        "stems in Python, once": 1e9,
        "white space, a field": 1e9,
    }
    for salt in range(ROUNDS):
        raw = texts(salt)
        start = perf_counter()
        ready = [" ".join(stems(text)) for text in raw]
        analysed = perf_counter() - start
        seconds = (
            index_seconds(inside(), raw),
            analysed,
            index_seconds(TextAnalyzerBuilder(Tokenizer.whitespace()).build(), ready),
        )
        best = {name: min(before, now / len(raw)) for (name, before), now in zip(best.items(), seconds, strict=True)}
    table = Table(title="Microseconds a turn, the best of five rounds", title_justify="left")
    table.add_column("step")
    table.add_column("µs", justify="right")
    for name, value in best.items():
        table.add_row(name, f"{value * 1e6:.1f}")
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
