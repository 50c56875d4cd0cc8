"""Agreement of the rules' importance with labels: `python benchmarks/importance.py [--held-back] [--failures]`.

The labels are benchmarks/data/importance.json: turns of five kinds of talk, some behind another speaker's turn
(``before``), as high, middle or low. High: health, what is always to be done, promises, who somebody is, a change of
state. Middle: preferences, habits, plans with a date, possessions, results. Low: small talk, meals, questions, praise.

Class: the share of turns whose importance lies in the range of their level. Rank: the share of pairs of turns of
different levels in which the higher one is worth more; a tie counts half.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.labelled import arguments, keep, labels

from hmem.language.analyst.base import Passage
from hmem.language.english.analyst import RulesAnalyst
from hmem.model.turn import Turn

# By level, its order and its range of importance.
LEVELS: Final = {"low": (0, range(1, 5)), "middle": (1, range(5, 8)), "high": (2, range(8, 11))}
SAID: Final = datetime(2025, 4, 2, 10, tzinfo=UTC)
ROLES: Final = ("user", "assistant")
ASSISTANTS: Final = frozenset({"Agent", "Tutor", "Companion"})

Judged = Sequence[tuple[Mapping[str, Any], int]]


def judged(some: Iterable[Mapping[str, Any]]) -> Judged:
    """Return the labelled turns with the importance that the rules give them."""
    rows, analyst = [*some], RulesAnalyst()
    passages = [passage(row) for row in rows]
    return [(row, worth[0]) for row, worth in zip(rows, analyst.importance(passages, [""] * len(rows)), strict=True)]


def passage(row: Mapping[str, Any]) -> Passage:
    """Return a labelled turn, behind the one before it if there is one."""
    said = [tuple(row["before"].split(": ", 1))] if "before" in row else []
    said.append((row["speaker"], row["text"]))
    turns = tuple(
        Turn(
            f"{row['id']}.{place}",
            speaker,
            text,
            SAID,
            row["id"],
            role="assistant" if speaker in ASSISTANTS else "user",
        )
        for place, (speaker, text) in enumerate(said)
    )
    return Passage(turns, len(turns) - 1, tuple(dict.fromkeys(turn.speaker for turn in turns)))


def figures(rows: Judged) -> dict[str, Any]:
    """Return the agreement of class and of rank."""
    right = {level: [worth in LEVELS[level][1] for row, worth in rows if row["level"] == level] for level in LEVELS}
    pairs = [
        0.5 if one == other else float((one > other) == (LEVELS[a["level"]][0] > LEVELS[b["level"]][0]))
        for (a, one), (b, other) in combinations(rows, 2)
        if a["level"] != b["level"]
    ]
    by_level = {level: sum(each) / max(len(each), 1) for level, each in right.items()}
    whole = sum(map(sum, right.values())) / max(len(rows), 1)
    return {"turns": len(rows), "class": whole, "rank": sum(pairs) / max(len(pairs), 1), **by_level}


def main() -> None:
    options = arguments(__doc__).parse_args()
    rows = judged(labels("importance", options))
    found = figures(rows)
    table = Table("turns", "class", "rank", *LEVELS, title="Importance", title_justify="left")
    table.add_row(f"{found['turns']}", *(f"{found[name]:.3f}" for name in ("class", "rank", *LEVELS)))
    Console(width=100).print(table)
    for row, worth in rows if options.failures and not options.held_back else ():
        if worth not in LEVELS[row["level"]][1]:
            print(f"{row['level']:6} {worth:2}  {row['text']}")
    keep(found, options)


if __name__ == "__main__":
    main()
