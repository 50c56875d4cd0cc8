"""Facts that a memory learns from its own echoes, over rounds of recalling and quoting, with the mechanism and without.

    python benchmarks/echo.py [--rounds 100] [--sessions 25] [--json OUT]

An assistant hears a simulated life. In each round it recalls the answer to a question about it and quotes that in one
of several ways. The rounds say nothing new, so the memory should learn nothing. The last line counts false positives:
turns taken for echoes among new turns, added while the memory is asked about earlier ones.
"""

import argparse
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from hmem import Memory
from hmem_evals.synthetic import generate

WAYS = ("{}", "As you told me, {}", 'You said: "{}"', "Here is what I remember:\n- {}", "According to my notes: {}")
LATER = datetime(2040, 1, 1, tzinfo=UTC)


def known(memory: Memory) -> dict[str, int]:
    stats = memory.stats()
    return {"events": stats.events, "notes": stats.notes, "entities": stats.entities}


def rounds(count: int, sessions: int, *, echo: bool) -> dict[str, Any]:
    """Return the counts before a number of rounds, their growth, and the median milliseconds of adding."""
    life = generate(1, sessions=sessions, kind="assistant")
    with Memory(":memory:", settings={"formation.echo": str(echo).lower()}, form_later=False) as memory:
        memory.add(list(life.messages))
        before, times = known(memory), list[float]()
        for i in range(count):
            question = life.questions[i % len(life.questions)].text
            found = memory.search(question, k=5, min_score=0.0)
            pasted = i % 6 == len(WAYS)
            text = str(memory.context(question, 300)) if pasted else WAYS[i % 6].format(found[i % len(found)].text)
            message = {"role": "user" if pasted else "assistant", "content": text}
            started = perf_counter()
            memory.add(message, at=LATER + timedelta(minutes=i), session=f"echo {i // 10}")
            times.append((perf_counter() - started) * 1_000)
        after = known(memory)
    return {"before": before, "grew": {name: after[name] - before[name] for name in after}, "add_ms": median(times)}


def taken_for_echoes(sessions: int) -> dict[str, int]:
    """Return the number of turns of two friends, and how many of the first-time ones were taken for echoes."""
    life = generate(2, sessions=sessions, kind="friends")
    questions = [question.text for question in life.questions]
    with Memory(":memory:") as memory:
        for i, message in enumerate(life.messages):
            memory.add([message])
            if i % 4 == 0:
                memory.search(questions[i % len(questions)], k=10)
        turns = memory.list(limit=1_000_000)
        texts = {turn.text: turn.id for turn in reversed(turns)}
        return {
            "turns": len(turns),
            "taken": sum(bool(turn.echoes) for turn in turns if texts[turn.text] == turn.id),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--sessions", type=int, default=25)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    made: dict[str, Any] = {
        name: rounds(chosen.rounds, chosen.sessions, echo=echo) for name, echo in (("with", True), ("without", False))
    }
    made["first_said"] = taken_for_echoes(chosen.sessions)
    print(f"{'echo':<8} {'events':>14} {'notes':>14} {'entities':>14} {'add, ms':>9}")
    for name in ("with", "without"):
        row = made[name]
        cells = [f"{row['before'][each]} + {row['grew'][each]}" for each in ("events", "notes", "entities")]
        print(f"{name:<8} {cells[0]:>14} {cells[1]:>14} {cells[2]:>14} {row['add_ms']:>9.1f}")
    print(
        f"said for the first time: {made['first_said']['turns']} turns, {made['first_said']['taken']} taken for echoes"
    )
    if chosen.json:
        chosen.json.write_text(json.dumps(made, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
