"""Write the tables of docs/ablations.md from the files of ``hmem eval compare --json``.

``python docs/generate_ablations.py --without A.json --recorded B.json [--locomo-without C --locomo-recorded D]``

An option may be repeated: the recipes of a later file stand for those of an earlier one. Without LoCoMo's files, whose
recording is no part of the repository, its table stays, and so does that of parts without such rows. ``--parts`` only
prints that one: questions of several parts with and without the plan of a model.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from marked import keep

PAGE: Final = Path(__file__).parent / "ablations.md"
PAPERS: Final = ("fusion", "evolving", "dual-tree", "layered", "notes-episodes", "orchestrated")
BASELINES: Final = ("flat", "bm25", "vector")
TOKENS: Final = ("600", "1272", "4000")
KINDS: Final = (
    "knowledge-update", "earlier-state", "multi-session", "multi-hop", "temporal", "single-hop", "open-domain",
    "preference", "assistant", "implicit",
)  # fmt: skip
PARTS: Final = "multi-hop"
PLANNED: Final = "plan.model=true"

Row = Mapping[str, Any]
# Rows of each recipe, itself first.
Rows = Mapping[str, Sequence[Row]]


def rows_of(files: Sequence[Path]) -> Rows:
    """Return the rows by recipe; those of a later file stand for those of an earlier one."""
    found: dict[str, list[Row]] = {}
    for file in files:
        by_recipe: dict[str, list[Row]] = {}
        for row in json.loads(file.read_text("utf-8"))["rows"]:
            by_recipe.setdefault(row["recipe"], []).append(row)
        found |= by_recipe
    return found


def share(value: float) -> str:
    """Return a share with three digits."""
    return f"{value:.3f}".removeprefix("0")


def figures(row: Row) -> list[str]:
    """Return the cells of a row: recall, and the evidence in each context."""
    return [share(value) for value in (row["recall"], *(row["in_context"][size] for size in TOKENS))]


def change(mean: float, low: float, high: float) -> str:
    """Return a difference with half of the width of its interval; bold if that leaves 0 out."""
    if max(abs(mean), abs(low), abs(high)) < 0.0005:
        return "0"
    text = f"{mean:+.3f}".replace("0.", ".", 1)
    return f"{f'**{text}**' if low > 0 or high < 0 else text}±{share((high - low) / 2)}"


def differences(row: Row) -> list[str]:
    """Return the cells of a row's differences with their intervals."""
    found = row["difference"]
    return [change(*found["recall"]), *(change(*found["in_context"][size]) for size in TOKENS)]


def table(head: Sequence[str], lines: Iterator[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    rows = (f"|{'|'.join(f' {cell} ' if cell else ' ' for cell in cells)}|" for cells in (head, *lines))
    first, *rest = rows
    return "\n".join([first, f"|{'---|' * len(head)}", *rest])


def recipes(plain: Rows, recorded: Rows) -> str:
    """Return the table of the recipes without and with a model."""
    measures = ["@10", "600", "1,272", "4,000"]
    head = ["recipe", *(f"without a model: {each}" if each == "@10" else each for each in measures)]
    head += [f"with a recorded model: {each}" if each == "@10" else each for each in measures]
    lines = ([f"`{name}`", *figures(plain[name][0]), *figures(recorded[name][0])] for name in PAPERS)
    bare = ([f"`{name}`", *figures(plain[name][0]), *[""] * len(measures)] for name in BASELINES)
    return table(head, iter([*lines, *bare]))


def gains(recorded: Rows) -> str:
    """Return the table of the differences to ``flat``."""
    lines = ([f"`{name}`", *differences(recorded[name][0])] for name in PAPERS)
    return table(["recipe", "@10", "600", "1,272", "4,000"], lines)


def kinds(recorded: Rows) -> str:
    """Return the table of the differences in 600 tokens by kind of question; bold where the interval leaves 0 out."""

    def cell(name: str, kind: str) -> str:
        mean, low, high = recorded[name][0]["by_kind"][kind]["difference"]["in_context"]["600"]
        text = f"{mean:+.3f}".replace("0.", ".", 1)
        return f"**{text}**" if low > 0 or high < 0 else text

    counts = {kind: recorded[PAPERS[0]][0]["by_kind"][kind]["questions"] for kind in KINDS}
    lines = ([f"{kind} ({counts[kind]})", *(cell(name, kind) for name in PAPERS)] for kind in KINDS)
    return table(["kind (questions)", *(f"`{name}`" for name in PAPERS)], lines)


def ablations(plain: Rows, recorded: Rows) -> str:
    """Return the table of each recipe without each of its mechanisms, and a line of those without effect."""
    lines: list[Sequence[str]] = [
        [f"`{name}`", *[""] * (1 + len(TOKENS)), *figures(plain[name][0])] for name in BASELINES
    ]
    idle: list[str] = []
    for name in PAPERS:
        whole, *others = recorded[name]
        bare = {row["name"]: row for row in plain[name]}
        lines.append([f"**`{name}`**", *figures(whole), *figures(plain[name][0])])
        for row in others:
            if row["name"] == PLANNED:
                continue
            cells = [*differences(row), *differences(bare[row["name"]])]
            if set(cells) == {"0"}:
                idle.append(f"`{name}` {row['name']}")
            else:
                lines.append([row["name"].removeprefix("without "), *cells])
    head = ["recipe; without", "with a model: @10", "600", "1,272", "4,000", "without: @10", "600", "1,272", "4,000"]
    return f"{table(head, iter(lines))}\n\nNo figure changes: {', '.join(idle)}."


def parts(recorded: Rows) -> str:
    """Return the table of questions of several parts, searched whole and by a model's plan."""

    def lines() -> Iterator[Sequence[str]]:
        for rows in recorded.values():
            for planned in (row for row in rows if row["name"] == PLANNED):
                yield [f"`{planned['recipe']}`, whole", *figures(rows[0]["by_kind"][PARTS])]
                yield ["by its parts", *differences(planned["by_kind"][PARTS])]

    return table(["", "@10", "600", "1,272", "4,000"], lines())


def main() -> int:
    """Write the tables, or print one."""
    wanted = argparse.ArgumentParser(description=__doc__)
    for name in ("without", "recorded", "locomo-without", "locomo-recorded"):
        wanted.add_argument(f"--{name}", type=Path, action="append", default=[], metavar="FILE")
    wanted.add_argument("--parts", action="store_true")
    wanted.add_argument("--check", action="store_true")
    given = wanted.parse_args()
    recorded = rows_of(given.recorded)
    if given.parts:
        print(parts(recorded))
        return 0
    plain = rows_of(given.without)
    blocks = {
        "gains": gains(recorded),
        "kinds": kinds(recorded),
        "ablations": ablations(plain, recorded),
    }
    if any(row["name"] == PLANNED for rows in recorded.values() for row in rows):
        blocks["parts"] = parts(recorded)
    if given.locomo_without and given.locomo_recorded:
        blocks["locomo"] = recipes(rows_of(given.locomo_without), rows_of(given.locomo_recorded))
    return max(keep(PAGE, text, f"generate_ablations.py, {name}") for name, text in blocks.items())


if __name__ == "__main__":
    sys.exit(main())
