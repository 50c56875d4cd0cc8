"""Relations of the graph: `python benchmarks/relations.py [FILE] [--sample N] [--judgements FILE] [--json OUT]`.

It counts relations by label, and prints the share that does not start at somebody who speaks. ``--sample`` prints
relations by chance under the turns that they were made of, for reading by hand: good is what the turns say of these two
entities. ``--write`` keeps the sample for the verdicts, and ``--judgements`` scores it.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.reading import EVERY, arguments, deliver, judged, memories, said

from hmem import Memory


def relations(memory: Memory) -> list[dict[str, Any]]:
    """Return the relations of a memory as rows for reading, with whether each starts at a speaker."""
    graph = memory.graph(limit=EVERY)
    names = {entity.id: entity.name for entity in graph.entities}
    speakers = {turn.speaker.casefold() for turn in memory.list(limit=EVERY)}
    speaking = {
        entity.id
        for entity in graph.entities
        if speakers.intersection(name.casefold() for name in (entity.name, *entity.aliases))
    }
    return [
        {
            "text": f"{names[relation.source]} -{relation.label}-> {names[relation.target]}",
            "label": relation.label,
            "of a speaker": relation.source in speaking,
            "said": said(memory, relation.evidence),
        }
        for relation in graph.relations
    ]


def figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the number of relations, the share that does not start at a speaker, and the commonest labels."""
    return {
        "relations": len(rows),
        "not from a speaker": sum(not row["of a speaker"] for row in rows) / max(len(rows), 1),
        "labels": len({row["label"] for row in rows}),
        "commonest labels": _commonest(row["label"] for row in rows),
    }


def _commonest(labels: Iterable[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in Counter(labels).most_common(12))


def main() -> None:
    options = arguments(__doc__).parse_args()
    if options.judgements:
        deliver(options, (), judged(options.judgements))
        return
    rows = [row for memory in memories(options.file) for row in relations(memory)]
    deliver(options, rows, figures(rows))


if __name__ == "__main__":
    main()
