"""The right case among three: `python benchmarks/cases.py [--held-back | --prompts] [--embedder NAME]… [--json OUT]`.

Sixty cases in one memory, asked by thirty new tasks (`packages/hmem-evals/src/hmem_evals/cases`): how many find the
case that helps among the first 1, 2 and 3. `--held-back` asks the thirty that stay unopened until a final figure, and
notes the commit in `held.log` beside them. `--prompts` measures what hooks tell unasked: to how many of the thirty
tasks the right case, or only another one, and to how many of 120 prompts that describe no task a case at all.
"""

import argparse
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from hmem import Memory
from hmem_agents.hooks.context import like_cases
from hmem_evals import cases

DATA: Final = Path(cases.__file__).parent
DEPTHS: Final = (1, 2, 3)


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]


def remember_cases(memory: Memory) -> dict[str, str]:
    """Add the sixty cases to a memory, and return the id of each by its name."""
    ids: dict[str, str] = {}
    for case in lines("cases"):
        fields = {name: case[name] for name in ("task", "steps", "worked", "lesson")}
        ids[case["id"]] = memory.outcome(**fields).id
    return ids


def told(embedder: str | None) -> dict[str, int]:
    """Return how many tasks hooks tell the right case, or only others, and how many other prompts they tell one."""
    with Memory(":memory:", embedder=embedder) as memory:
        ids = remember_cases(memory)
        found = [({case.id for case in like_cases(memory, task["task"])}, ids[task["case"]]) for task in lines("open")]
        right = sum(case in shown for shown, case in found)
        figures = {"right": right, "only others": sum(bool(shown) for shown, _ in found) - right}
        for kind in ("ordinary", "near"):
            prompts = [line["prompt"] for line in lines("prompts") if line["kind"] == kind]
            figures[kind] = sum(bool(like_cases(memory, prompt)) for prompt in prompts)
    return figures


def ranks(embedder: str | None, tasks: list[dict[str, Any]]) -> list[int | None]:
    """Return the rank of the right case for each task; None beyond three."""
    with Memory(":memory:", embedder=embedder) as memory:
        ids = remember_cases(memory)
        found = [[case.id for case in memory.cases(task["task"], max(DEPTHS))] for task in tasks]
    right = (ids[task["case"]] for task in tasks)
    return [shown.index(case) + 1 if case in shown else None for case, shown in zip(right, found, strict=True)]


def note_opening(figures: dict[str, Any]) -> None:
    """Add a line to the log of when, and at which commit, the held back tasks were asked."""
    commit, changed = (
        subprocess.run(["git", *command], cwd=DATA, capture_output=True, text=True, check=True).stdout.strip()
        for command in (["rev-parse", "HEAD"], ["status", "--porcelain"])
    )
    line = {"at": f"{datetime.now(UTC):%Y-%m-%d %H:%M}", "commit": commit, "changed": bool(changed), **figures}
    with (DATA / "held.log").open("a", encoding="utf-8") as log:
        log.write(f"{json.dumps(line)}\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-back", action="store_true", help="ask the tasks that are held back")
    parser.add_argument("--prompts", action="store_true", help="measure what hooks tell with a prompt")
    parser.add_argument(
        "--embedder", action="append", help="what turns text into vectors; that of new memories by default"
    )
    parser.add_argument("--json", type=Path, help="a file for the figures")
    options = parser.parse_args()
    tasks, figures = lines("held" if options.held_back else "open"), dict[str, Any]()
    for embedder in options.embedder or [None]:
        if options.prompts:
            figures[embedder or "default"] = told(embedder)
            print(f"{embedder or 'default':<14}  {figures[embedder or 'default']}")
            continue
        found = ranks(embedder, tasks)
        among = [sum(rank is not None and rank <= depth for rank in found) for depth in DEPTHS]
        figures[embedder or "default"] = dict(zip(map(str, DEPTHS), among, strict=True))
        print(
            f"{embedder or 'default':<14}"
            + "".join(f"  among {k}: {n} of {len(tasks)}" for k, n in zip(DEPTHS, among, strict=True))
        )
    if options.held_back and not options.prompts:
        note_opening(figures)
    if options.json:
        options.json.write_text(json.dumps(figures), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
