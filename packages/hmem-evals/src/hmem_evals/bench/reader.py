"""Process that opens and searches a memory, and measures itself. Run as a file, never imported.

Arguments: the memory's path. Standard input: a JSON list of questions. Standard output: JSON with ``open_s``,
``search_ms`` (a list, without the first search) and ``rss_bytes``.
"""

import json
import sys
from pathlib import Path
from time import perf_counter

# The resident memory is read after this many searches.
SEARCHES = 50


def main() -> None:
    questions = json.load(sys.stdin)
    start = perf_counter()
    from hmem.api.memory import Memory  # noqa: PLC0415 - what importing costs is part of the measure

    memory = Memory(sys.argv[1], create=False)
    memory.search(questions[0])
    open_s = perf_counter() - start
    durations: list[float] = []
    rss_bytes = 0
    for question in questions[1:]:
        start = perf_counter()
        memory.search(question)
        durations.append((perf_counter() - start) * 1_000)
        if len(durations) == min(SEARCHES, len(questions) - 1):
            rss_bytes = resident_bytes()
    memory.close()
    json.dump({"open_s": open_s, "search_ms": durations, "rss_bytes": rss_bytes or resident_bytes()}, sys.stdout)


def resident_bytes() -> int:
    """Return the peak resident set size."""
    status = Path("/proc/self/status")
    if status.exists():
        # Not `ru_maxrss`: on Linux a process inherits the peak of its parent.
        peak = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(peak.split()[1]) * 1_024
    import resource  # noqa: PLC0415 - there is none on Windows

    unit = 1 if sys.platform == "darwin" else 1_024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


if __name__ == "__main__":
    main()
