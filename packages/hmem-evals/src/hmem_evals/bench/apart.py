"""Measuring in a separate process with one thread, so that times depend on the work and not on the machine."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

import faiss

from hmem.errors import HmemError

# Libraries of linear algebra read these once, on loading: hence the separate process.
ONE_THREAD: Final = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)

Progress = Callable[[int, int], None]


def measured_apart(module: str, asked: Mapping[str, Any], what: str, progress: Progress | None) -> dict[str, Any]:
    """Run a module's ``measure`` with these arguments in a separate process; ``what`` names it in errors.

    Raises:
        HmemError: the process failed.
    """
    with subprocess.Popen(  # noqa: S603 - our own module, by our own interpreter
        [sys.executable, "-m", module, json.dumps(asked)],
        env={**os.environ, **ONE_THREAD},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        # Only a failure writes to stderr, so that its pipe cannot fill up.
        told = [_told(line, progress) for line in process.stdout or ()]
        failure = process.stderr.read() if process.stderr else ""
    if process.returncode or not told or told[-1] is None:
        reason = (failure.strip().splitlines() or [f"exit code {process.returncode}"])[-1]
        raise HmemError(f"the process that measures {what} failed ({reason}) - run it with fewer records")
    return told[-1]


def _told(line: str, progress: Progress | None) -> dict[str, Any] | None:
    """Return the figures of a line of the measuring process; report a line of progress and return None."""
    said = cast("dict[str, Any]", json.loads(line))
    if "done" not in said:
        return said
    if progress is not None:
        progress(said["done"], said["of"])
    return None


def measure_here(measure: Callable[..., dict[str, Any]]) -> None:
    """Measure in this process with the JSON of the first argument; print the progress, then the figures."""
    faiss.omp_set_num_threads(1)
    print(json.dumps(measure(**json.loads(sys.argv[1]), progress=_tell)))


def _tell(done: int, total: int) -> None:
    print(json.dumps({"done": done, "of": total}), flush=True)
