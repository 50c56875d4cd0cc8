"""Requests made from the server's own description, with several seeds: no fault, and every answer as described.

    python -m hmem_testing.schema_fuzz [--seeds 5] [--examples 50] [--first-seed 1]

It starts ``hmem serve`` over a new folder, fills a memory, and runs schemathesis over ``/openapi.json`` once for each
seed. It prints a table, and what schemathesis says of a run that failed; it ends with 1 if one did. Needs
``hmem-testing[schema]``.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple
from urllib.request import Request, urlopen

from hmem.interfaces.rest.keys import Keys

MEMORY: Final = "demo"
# These would take the memory away, or form it anew for each example.
_EXCLUDED: Final = ("delete_memory", "rebuild", "live")
_CHECKS: Final = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,"
    "response_schema_conformance,negative_data_rejection,unsupported_method,ignored_auth"
)
_PHASES: Final = "examples,coverage,fuzzing"
_COUNT: Final = re.compile(r"(\d[\d,]*) (?:test cases? )?(?:generated|passed)")
_TURNS: Final = ("I adopted a puppy named Coco", "We moved to Porto in May", "I no longer work as a baker")


class Run(NamedTuple):
    """Run of schemathesis: its seed, the number of cases, and what it said if it failed."""

    seed: int
    cases: int
    complaint: str


@contextmanager
def serving(root: Path) -> Generator[tuple[str, str]]:
    """Yield the address of a server over a folder, and a key that may do everything."""
    key, _ = Keys(root / ".keys.json").create("fuzz", ["admin"], ["*"], rate=1e6)
    command = [sys.executable, "-m", "hmem", "serve", "--root", str(root), "--port", "0", "--workers", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:  # noqa: S603
        assert process.stdout is not None  # noqa: S101 - for the type checker
        try:
            yield json.loads(process.stdout.readline())["address"], key
        finally:
            process.terminate()
            process.wait(60)


def fill(address: str, key: str) -> None:
    """Make the memory that requests are about."""
    requests = [("memories", {"name": MEMORY}), *((f"memories/{MEMORY}/turns", {"text": text}) for text in _TURNS)]
    for path, body in requests:
        head = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        with urlopen(Request(f"{address}/v1/{path}", json.dumps(body).encode(), head), timeout=60):  # noqa: S310
            pass


def run(address: str, key: str, seed: int, examples: int, folder: Path, phases: str = _PHASES) -> Run:
    """Run schemathesis with a seed over a server; its files go to a folder."""
    config = folder / "schemathesis.toml"
    config.write_text(f'[parameters]\n"path.memory" = "{MEMORY}"\n', "utf-8")
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(config), "run",
               f"{address}/openapi.json", "--header", f"Authorization: Bearer {key}", "--seed", str(seed),
               "--max-examples", str(examples), "--checks", _CHECKS, "--phases", phases,
               "--suppress-health-check", "all", "--continue-on-failure", "--warnings", "off"]  # fmt: skip
    command += [argument for name in _EXCLUDED for argument in ("--exclude-operation-id", name)]
    process = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)  # noqa: S603
    counts = [int(count.replace(",", "")) for count in _COUNT.findall(process.stdout)]
    return Run(seed, max(counts, default=0), "" if process.returncode == 0 else process.stdout + process.stderr)


def main() -> int:
    """Run all seeds, and return 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--examples", type=int, default=50)
    parser.add_argument("--first-seed", type=int, default=1)
    options = parser.parse_args()
    failures = 0
    print(f"{'seed':>6} {'cases':>8} failures")
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "root"
            root.mkdir(mode=0o700)
            with serving(root) as (address, key):
                fill(address, key)
                outcome = run(address, key, seed, options.examples, Path(folder))
        failures += bool(outcome.complaint)
        print(f"{seed:>6} {outcome.cases:>8,} {'yes' if outcome.complaint else 'none'}", flush=True)
        if outcome.complaint:
            print(outcome.complaint)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
