"""Copies of a large memory, interrupted twice, from a file to Postgres and back: times, and digests of all three.

    python -m benchmarks.copies [FILE] [--turns 100000] [--json OUT]

FILE is a memory; by default one is made of so many turns of the example, each with words of its own, the first thousand
of them formed. Each copy is a process that is killed (``kill -9``) when a third and two thirds of the turns are there,
and run again.
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
from contextlib import closing
from datetime import UTC
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from tests.formation import example
from tests.postgres import of_its_own

from hmem import Memory
from hmem.formation.capture import Defaults, to_turn
from hmem.language.analyzer import VERSION
from hmem.language.embed import embedder
from hmem.storage import Location, open_storage
from hmem.storage.capabilities import GENERATION
from hmem.storage.copying import digest

_AT_ONCE = 1_000


def make(path: Path, turns: int, formed: int) -> None:
    """Make a memory of many turns, of which the first ones are formed: all would take hours."""
    told = example()

    def said(numbers: range) -> list[dict[str, Any]]:
        some = [(number, told[number % len(told)]) for number in numbers]
        return [
            {**each, "text": f"{each['text']} ({number})", "session": f"{each['session']}-{number // len(told)}"}
            for number, each in some
        ]

    with Memory(path) as memory:
        memory.add(said(range(formed)))
    with closing(open_storage(path)) as storage:
        state, maker = storage.state(), embedder("wordllama")
        for start in range(formed, turns, _AT_ONCE):
            some = [to_turn(each, Defaults(UTC)) for each in said(range(start, min(start + _AT_ONCE, turns)))]
            vectors = maker.embed([turn.text for turn in some])
            storage.append(some, [9] * len(some), vectors, int(state.settings[GENERATION]), analysis=VERSION)


def turns_in(place: str | Path) -> int:
    """Return the number of turns that a place holds by now."""
    if Location.parse(place).path is not None and not Path(place).exists():
        return 0
    storage = open_storage(place)
    try:
        return storage.counts().turns
    finally:
        storage.close()


def copy(source: str | Path, target: str | Path, turns: int) -> dict[str, Any]:
    """Copy in three runs, two of them killed; return their seconds and what the last one said."""
    command = [sys.executable, "-m", "hmem", "copy", str(source), str(target), "--json"]
    seconds = []
    for part in (1, 2):
        began = monotonic()
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            while process.poll() is None and turns_in(target) < turns * part / 3:
                sleep(0.2)
            assert process.poll() is None, "it ended before it was interrupted"
            process.send_signal(signal.SIGKILL)
        seconds.append(round(monotonic() - began, 1))
    began = monotonic()
    last = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds.append(round(monotonic() - began, 1))
    return {"seconds": seconds, "digest": json.loads(last.stdout)["copied"][0]["digest"]}


def main() -> int:
    """Run it and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--turns", type=int, default=100_000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, of_its_own(Path(folder) / "pg") as postgres:
        source = options.file or Path(folder) / "source.hmem"
        if options.file is None:
            make(source, options.turns, _AT_ONCE)
        storage = open_storage(source, create=False)
        began = monotonic()
        first, turns = digest(storage), storage.counts().turns
        made: dict[str, Any] = {"turns": turns, "digest_s": round(monotonic() - began, 1), "source": first.total}
        storage.close()
        there = postgres.location("copied")
        made["to postgres"] = copy(source, there, turns)
        made["back"] = copy(there, Path(folder) / "back.hmem", turns)
    print(json.dumps(made, indent=1))
    same = made["source"] == made["to postgres"]["digest"] == made["back"]["digest"]
    print("same digests" if same else "DIFFERENT DIGESTS")
    if options.json:
        options.json.write_text(json.dumps(made, indent=1), "utf-8")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
