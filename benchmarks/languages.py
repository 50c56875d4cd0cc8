"""Recall in eight other languages: `python benchmarks/languages.py [--held-back] [--embedder NAME]… [--json OUT]`.

The talks ``lang-*`` of `benchmarks/data/talks`, each in a memory of its own: the share of their questions with any of
their turns among the first 1, 3 and 5 results. `--held-back` asks the talks that stay unopened until a final figure.
`--show` prints what was not found among five.
"""

import argparse
import json
import logging
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from hmem import Memory

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.talks import Query, Talk, load

EMBEDDERS: Final = ("wordllama", "minilm", "multilingual")
RECIPES: Final = ("fusion", "flat")
DEPTHS: Final = (1, 3, 5)
MOST: Final = max(DEPTHS)


class Asked(NamedTuple):
    """A question, the numbers of the turns found, best first, and the rank of the first right one, or None."""

    query: Query
    found: tuple[int, ...]
    rank: int | None


def asked(talk: Talk, embedder: str, recipe: str) -> list[Asked]:
    """Ask a memory of a talk each of its questions."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory(Path(folder, "talk.hmem"), embedder=embedder, recipe=recipe) as memory,
    ):
        memory.add(talk.messages())
        return [answered(memory, talk, query) for query in talk.questions]


def answered(memory: Memory, talk: Talk, query: Query) -> Asked:
    results = memory.search(query.text, k=MOST, min_score=0.0, at=talk.asked_at)
    found = tuple(int(each.message_id or 0) for each in results)
    return Asked(query, found, next((rank for rank, number in enumerate(found, 1) if number in query.turns), None))


def among(results: Sequence[Asked], depth: int) -> int:
    return sum(each.rank is not None and each.rank <= depth for each in results)


def shown(talk: Talk, results: Sequence[Asked]) -> None:
    for each in results:
        if each.rank is None:
            print(f"    {talk.name}: {each.query.text} | wanted {each.query.turns}")
            for number in each.query.turns:
                print(f"        + {number} {talk.turns[number - 1].text[:100]}")
            for number in each.found:
                print(f"        - {number} {talk.turns[number - 1].text[:100]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--held-back", action="store_true", help="ask the talks that are held back")
    parser.add_argument("--embedder", action="append", metavar="NAME")
    parser.add_argument("--recipe", action="append", metavar="NAME")
    parser.add_argument("--show", action="store_true", help="print what was not found")
    parser.add_argument("--json", type=Path, metavar="OUT")
    options = parser.parse_args()
    # Every memory here has turns in a language that some of the embedders do not know.
    logging.getLogger("hmem.languages").setLevel(logging.ERROR)
    talks = load("held" if options.held_back else "open", "lang-*.txt")
    codes = [talk.name.split("-")[1] for talk in talks]
    count = sum(len(talk.questions) for talk in talks)
    print(f"{count} questions of {len(talks)} talks; found among 1, 3, 5, and by language among 5")
    print(f"{'embedder':14}{'recipe':8}{'1':>4}{'3':>4}{'5':>4}   " + "".join(f"{code:>4}" for code in codes))
    made: dict[str, Any] = {"questions": count}
    for embedder in options.embedder or EMBEDDERS:
        for recipe in options.recipe or RECIPES:
            results = {talk.name: asked(talk, embedder, recipe) for talk in talks}
            totals = [sum(among(each, depth) for each in results.values()) for depth in DEPTHS]
            by_language = [among(each, MOST) for each in results.values()]
            made[f"{embedder}, {recipe}"] = {"among": totals, "by_language": dict(zip(codes, by_language, strict=True))}
            cells = "".join(f"{total:4}" for total in totals) + "   " + "".join(f"{each:4}" for each in by_language)
            print(f"{embedder:14}{recipe:8}{cells}", flush=True)
            if options.show:
                for talk in talks:
                    shown(talk, results[talk.name])
    if options.json:
        options.json.write_text(json.dumps(made, indent=1, ensure_ascii=False), "utf-8")


if __name__ == "__main__":
    main()
