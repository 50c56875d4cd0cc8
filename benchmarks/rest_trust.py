"""What a server holds under attack: many memories in turn, canaries under load, and the time of refusing a key.

    python benchmarks/rest_trust.py memories [--memories 2000]
    python benchmarks/rest_trust.py canaries [--memories 50] [--seconds 60]
    python benchmarks/rest_trust.py keys [--tries 200000]

The first two run `hmem serve` and talk to it over loopback. Each prints a table, and ends with 1 when something failed.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random
from time import monotonic, perf_counter_ns

import httpx

from hmem.errors import KeyRefused
from hmem.interfaces.rest.keys import Keys


@contextmanager
def serving(root: Path, *options: str) -> Generator[tuple[str, int]]:
    """Yield the address and the process of a server."""
    command = [sys.executable, "-m", "hmem", "serve", "--root", str(root), "--port", "0", "--json", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["address"], process.pid
        process.terminate()
        process.wait(60)


def memories(count: int) -> int:
    """Open memories one after the other, and tell how many files and bytes the server holds meanwhile."""
    print(f"{'memories':>9} {'files':>6} {'MB':>6} {'ms':>6}")
    most_files = most_bytes = 0
    at_hundred = 0
    with (
        tempfile.TemporaryDirectory() as root,
        serving(Path(root), "--workers", "0") as (address, process),
        httpx.Client(base_url=address, timeout=120) as http,
    ):
        began = monotonic()
        for number in range(1, count + 1):
            http.post("/v1/memories", json={"name": f"m{number}"}).raise_for_status()
            base = f"/v1/memories/m{number}"
            http.post(f"{base}/turns", json={"text": f"I keep the key {number} in a tin"}).raise_for_status()
            found = http.post(f"{base}/search", json={"question": "Where is the key?"})
            assert f"key {number} " in found.text
            files = len(list(Path(f"/proc/{process}/fd").iterdir()))
            status = Path(f"/proc/{process}/status").read_text("utf-8")
            held = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
            most_files, most_bytes = max(most_files, files), max(most_bytes, held)
            at_hundred = held if number == 100 else at_hundred
            if number % 100 == 0 or number == count:
                each = (monotonic() - began) * 1_000 / number
                print(f"{number:>9} {files:>6} {held / 1_000:>6.0f} {each:>6.0f}", flush=True)
    print(f"most files {most_files}, most MB {most_bytes / 1_000:.0f} ({at_hundred / 1_000:.0f} after 100)")
    return 0 if most_files < 1_000 else 1


def canaries(count: int, seconds: float) -> int:
    """Use memories at the same time, each with a word of its own, and look for it in every answer to others."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        keys = Keys(root / ".keys.json")
        made = [keys.create(f"k{i}", ["admin"], [f"of-{i}"])[0] for i in range(count)]
        with serving(root, "--workers", "2", "--open-memories", "8") as (address, _):
            end = monotonic() + seconds

            def use(number: int) -> tuple[int, int]:
                return _use(address, made[number], number, count, end)

            with ThreadPoolExecutor(count) as pool:
                told = list(pool.map(use, range(count)))
    answers, wrong = (sum(each) for each in zip(*told, strict=True))
    print(f"memories {count}, answers {answers:,}, with a word of another or refused {wrong}")
    return 1 if wrong else 0


def _use(address: str, key: str, number: int, count: int, end: float) -> tuple[int, int]:
    random, mine = Random(number), f"canary{number:04}x"
    answers = wrong = 0
    with httpx.Client(base_url=address, timeout=120, headers={"Authorization": f"Bearer {key}"}) as http:
        base = f"/v1/memories/of-{number}"
        http.post("/v1/memories", json={"name": f"of-{number}"}).raise_for_status()
        while monotonic() < end or answers < 5:
            asked = {"question": "What sings in the tree?"}
            said = {"text": f"My {mine} sings in the tree {answers}", "speaker": f"Owner {mine}"}
            path, body = random.choice(
                [("turns", said), ("search", asked), ("context", asked), ("ask", asked), ("ask/stream", asked)]
            )
            found = http.post(f"{base}/{path}", json=body, headers={"Idempotency-Key": f"same-{answers}"})
            listed = http.get(f"{base}/{random.choice(['turns', 'events', 'notes', 'history'])}")
            other = http.post(f"/v1/memories/of-{(number + 1) % count}/search", json=asked)
            texts = [found.text, listed.text, other.text]
            wrong += sum("canary" in text.replace(mine, "") for text in texts)
            wrong += (found.status_code != 200) + (listed.status_code != 200) + (other.status_code != 403)
            answers += len(texts)
    return answers, wrong


def timing(tries: int) -> int:
    """Measure how long it takes to refuse keys that are wrong in different ways, in turn."""
    with tempfile.TemporaryDirectory() as folder:
        keys = Keys(Path(folder) / ".keys.json")
        for number in range(100):
            keys.create(f"k{number}", ["read"], ["*"])
        made, _ = keys.create("mine", ["read"], ["*"])
        secret = made.split("_", 2)[2]
        head = "_".join(made.split("_", 2)[:2])
        given = {
            "an unknown id": f"hmem_{'0' * 12}_{secret}",
            "a known id, another secret": f"{head}_{'A' * len(secret)}",
            "half of the secret right": f"{head}_{secret[: len(secret) // 2]}{'A' * (len(secret) - len(secret) // 2)}",
            "all but the last character right": f"{made[:-1]}{'A' if made[-1] != 'A' else 'B'}",
        }
        times: dict[str, list[int]] = {name: [] for name in given}
        random = Random(0)
        for _ in range(tries // len(given)):
            for name in random.sample(list(given), len(given)):
                began = perf_counter_ns()
                try:
                    keys.find(given[name])
                except KeyRefused:
                    times[name].append(perf_counter_ns() - began)
    print(f"{'key':<34} {'median ns':>10} {'mean of middle half':>20} {'± standard error':>17}")
    for name, found in times.items():
        found.sort()
        middle = found[len(found) // 4 : 3 * len(found) // 4]
        error = statistics.stdev(middle) / len(middle) ** 0.5
        print(f"{name:<34} {statistics.median(found):>10,.0f} {statistics.fmean(middle):>20,.1f} {error:>17.1f}")
    return 0


def main() -> int:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("memories", "canaries", "keys"))
    parser.add_argument("--memories", type=int)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--tries", type=int, default=200_000)
    asked = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if asked.what == "memories":
        return memories(asked.memories or 2_000)
    if asked.what == "canaries":
        return canaries(asked.memories or 50, asked.seconds)
    return timing(asked.tries)


if __name__ == "__main__":
    sys.exit(main())
