"""Time that a session of Claude Code waits for its hooks, each as a process, with a running worker and without.

    python benchmarks/hooks.py [--calls 20] [--json OUT]

The memory is the example of ten months, each call a session of its own. "python" is an idle interpreter, a cost of
every hook. "added" is what a prompt waits more than that, with a worker; "cold" is a first prompt without one, which
starts it: "told" says how many were answered from memory.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from typing import Any

from hmem import Memory
from hmem.interfaces.paths import project_memory
from hmem_agents.hooks.client import ask
from hmem_agents.hooks.settings import HookSettings

EXAMPLE = Path(__file__).parent.parent / "examples" / "ten_months"


def run(command: list[str], environment: Mapping[str, str], event: Mapping[str, Any]) -> tuple[float, str]:
    """Run a process and return its milliseconds and its output."""
    started = perf_counter()
    done = subprocess.run(
        command, input=json.dumps(event), capture_output=True, text=True, env=dict(environment), check=True
    )
    return (perf_counter() - started) * 1_000, done.stdout


def fill(root: Path, folder: Path) -> None:
    """Fill the project's memory with the example."""
    place = project_memory(root, folder)
    place.parent.mkdir(parents=True)
    messages = [json.loads(line) for line in EXAMPLE.with_suffix(".jsonl").read_text("utf-8").splitlines()]
    for message in messages:
        message["message_id"] = message.pop("id")
    with Memory(place) as memory:
        memory.add(messages)
        memory.tree("calendar", summaries=True)


def measure(calls: int, folder: Path) -> dict[str, Any]:
    """Return all figures."""
    root = folder / "root"
    fill(root, folder)
    transcript = folder / "s.jsonl"
    transcript.write_text("", "utf-8")
    questions = [each["question"] for each in json.loads(EXAMPLE.with_suffix(".questions.json").read_text("utf-8"))]
    environment = {**os.environ, "HMEM_ROOT": str(root), "CLAUDE_PROJECT_DIR": str(folder)}
    common = {"transcript_path": str(transcript), "cwd": str(folder)}
    sessions = count()

    def hook(name: str, **fields: Any) -> tuple[float, str]:
        event = {**common, "session_id": f"S{next(sessions)}", **fields}
        return run([sys.executable, "-m", "hmem", "hook", name], environment, event)

    def summary(done: list[tuple[float, str]]) -> dict[str, Any]:
        taken = [milliseconds for milliseconds, _ in done]
        return {
            "p50": round(median(taken), 1), "p95": round(quantiles(taken, n=20)[-1], 1), "most": round(max(taken), 1),
            "told": f"{sum(bool(output) for _, output in done)} of {len(done)}",
        }  # fmt: skip

    nothing = [run([sys.executable, "-c", "pass"], environment, {})[0] for _ in range(calls)]
    figures: dict[str, Any] = {"turns": 321, "python_ms": round(median(nothing), 1)}
    settings = HookSettings(root=root)
    prompts = [questions[i % len(questions)] for i in range(calls)]
    try:
        hook("session-start", source="startup")
        for name in ("session-start", "user-prompt-submit", "stop"):
            figures[f"{name}_ms"] = summary([hook(name, prompt=prompt, source="startup") for prompt in prompts])
        figures["added_ms"] = round(figures["user-prompt-submit_ms"]["p95"] - figures["python_ms"], 1)
        cold: list[tuple[float, str]] = []
        for prompt in prompts[: max(calls // 2, 2)]:
            stop(settings)
            cold.append(hook("user-prompt-submit", prompt=prompt))
        figures["cold_prompt_ms"] = summary(cold)
    finally:
        stop(settings)
    return figures


def stop(settings: HookSettings) -> None:
    """Have the worker end, once it is ready."""
    while settings.folder.exists() and ask(settings, {"do": "stop"}, 5) is None:
        sleep(0.1)
    while settings.socket.exists():
        sleep(0.1)


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=20)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    # The last worker may still be saving its index.
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        figures = measure(given.calls, Path(folder))
    for name, value in figures.items():
        shown = ", ".join(f"{part} {amount}" for part, amount in value.items()) if isinstance(value, dict) else value
        print(f"{name:24} {shown}")
    if given.json is not None:
        given.json.write_text(json.dumps(figures), "utf-8")


if __name__ == "__main__":
    main()
