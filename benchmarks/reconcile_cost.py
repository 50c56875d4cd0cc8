"""Cost of reconciliation: `python benchmarks/reconcile_cost.py [--turns N] [--notes N] [--json OUT]`.

Two figures in one run. The replay adds N turns of simulated lives in batches to a memory that reconciles and to one
that does not (in turns, twice, the better time counts), and both again without personas: superseded notes make a
persona less work, which hides the cost. The other figure is the time for judging and placing the notes of one turn in a
memory with N notes about one person, in milliseconds. Times are processor times, which load distorts little.
"""

import argparse
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice
from pathlib import Path
from statistics import median, quantiles
from time import process_time
from typing import Any

from rich.console import Console
from rich.table import Table

from hmem import Memory
from hmem.derived.notes import KeptNote, note_number
from hmem.derived.state import DerivedState
from hmem.evolution.reconcile import Reconciler
from hmem.language.analyst import analyst

_CITIES = [
    "Porto",
    "Lisbon",
    "Berlin",
    "Oslo",
    "Leeds",
    "Ghent",
    "Madrid",
    "Rome",
    "Milan",
    "Denver",
    "Seattle",
    "Boston",
]
_THINGS = [
    "sushi",
    "hiking",
    "chess",
    "opera",
    "tea",
    "jazz",
    "cycling",
    "pottery",
    "sailing",
    "ramen",
    "poetry",
    "gardening",
]
_PLACES = ["market", "harbour", "library", "museum", "garden", "station", "theatre"]
_SAYINGS = (
    "I moved to {city} this month.",
    "I love {thing}, it never gets old.",
    "I no longer like {thing}.",
    "The walk to the {place} took an hour and the weather was awful.",
    "I bought a new bike at the {place} on Saturday.",
    "My favourite food is {thing}.",
    "I work at {city} Partners now.",
    "We met Anna's cousin near the {place} and talked about {city} for hours.",
    "I have a dog named {city}.",
    "I sold my bike because the {place} is too far.",
)
BATCH = 64


def messages(count: int) -> list[dict[str, str]]:
    """Return turns of two people about their likes, possessions and activities, with changes of mind."""
    start = datetime(2020, 1, 1, tzinfo=UTC)
    said = islice(cycle(_SAYINGS), count)
    return [
        {
            "text": text.format(city=_CITIES[i // 7 % 12], thing=_THINGS[i // 3 % 12], place=_PLACES[i % 7]),
            "speaker": ("Maria", "Tom")[i // 2 % 2],
            "at": (start + timedelta(hours=3 * i)).isoformat(),
            "session": f"s{i // 20}",
        }
        for i, text in enumerate(said)
    ]


def replay(turns: Sequence[dict[str, str]], *, reconcile: bool, persona: bool) -> tuple[float, int, int]:
    """Add turns; return the seconds, the number of notes and that of the revised ones."""
    settings = {"reconcile.reconcile": str(reconcile).lower(), "formation.persona": str(persona).lower()}
    with Memory(":memory:", settings=settings, form_later=False) as memory:
        start = process_time()
        for first in range(0, len(turns), BATCH):
            memory.add(turns[first : first + BATCH])
        seconds = process_time() - start
        told = memory.stats()
    return seconds, told.notes, told.revised


def _value(seq: int) -> str:
    return f"{_THINGS[seq % 12]} {_CITIES[seq // 12 % 12]} {seq % 97}"


def one_turn(count: int, repeats: int = 200) -> list[float]:
    """Return the milliseconds to judge and place the notes of single turns beside ``count`` notes."""
    slots = ("likes", "home", "owns", "habit", "favourite food", "hobby", "employer", "fear", "plays", "pet")
    with Memory(":memory:", recipe="flat") as memory:
        memory.add(messages(count // 4 + repeats))
        derived = DerivedState(memory.corpus, analyst("rules"))
        reconciler = Reconciler(derived, analyst("rules"))
        took: list[float] = []
        with memory.corpus.reading():
            derived.catch_up()
            for seq in range(1, count // 4 + repeats + 1):
                notes = [
                    KeptNote(
                        note_number(seq, place), "fact", "Maria", slots[(seq + place) % len(slots)], _value(seq),
                        "Maria tells of it.", positive=seq % 9 > 0,
                    )
                    for place in range(4)
                ]  # fmt: skip
                start = process_time()
                reconciler.keep(seq, notes)
                for note in notes:
                    derived.note_states.of(note)
                took.append((process_time() - start) * 1_000)
    return took[-repeats:]


def compared(said: Sequence[dict[str, str]], *, persona: bool) -> dict[str, Any]:
    """Return the times of the replay with reconciliation and without, and the notes it leaves."""
    seconds: dict[bool, float] = {}
    kept = revised = 0
    for reconcile in (False, True, False, True):
        spent, kept, changed = replay(said, reconcile=reconcile, persona=persona)
        seconds[reconcile] = min(spent, seconds.get(reconcile, spent))
        revised = max(revised, changed)
    return {
        "personas": persona, "notes": kept, "revised": revised, "with_s": seconds[True], "without_s": seconds[False],
        "ratio": seconds[True] / seconds[False],
    }  # fmt: skip


def measure(turns: int, notes: int) -> dict[str, Any]:
    """Return all figures."""
    said = messages(turns)
    took = one_turn(notes)
    return {
        "turns": turns,
        "replays": [compared(said, persona=persona) for persona in (True, False)],
        "one_turn": {"notes": notes, "ms_p50": median(took), "ms_p95": quantiles(took, n=20)[-1]},
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    report = measure(options.turns, options.notes)
    table = Table("turns", "notes", "revised", "personas", "with", "without", "ratio")
    for row in report["replays"]:
        table.add_row(
            f"{report['turns']:,}", f"{row['notes']:,}", f"{row['revised']:,}", str(row["personas"]).lower(),
            f"{row['with_s']:.1f} s", f"{row['without_s']:.1f} s", f"{row['ratio']:.2f}",
        )  # fmt: skip
    Console(width=110).print(table)
    one = report["one_turn"]
    print(f"one turn at {one['notes']:,} notes: {one['ms_p50']:.2f} ms (median), {one['ms_p95']:.2f} ms (95 %)")
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
