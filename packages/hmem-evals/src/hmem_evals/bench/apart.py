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


def measure_in_subprocess(
    module: str, arguments: Mapping[str, Any], subject: str, progress: Progress | None
) -> dict[str, Any]:
    """Run a module's ``measure`` with these arguments in a separate process; ``subject`` names it in errors.

    Raises:
        HmemError: the process failed.
    """
    with subprocess.Popen(  # noqa: S603 - our own module, by our own interpreter
        [sys.executable, "-m", module, json.dumps(arguments)],
        env={**os.environ, **ONE_THREAD},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        # Only a failure writes to stderr, so that its pipe cannot fill up.
        figures = [_parse_line(line, progress) for line in process.stdout or ()]
        failure = process.stderr.read() if process.stderr else ""
    if process.returncode or not figures or figures[-1] is None:
        reason = (failure.strip().splitlines() or [f"exit code {process.returncode}"])[-1]
        raise HmemError(f"the process that measures {subject} failed ({reason}) - run it with fewer records")
    return figures[-1]


def _parse_line(line: str, progress: Progress | None) -> dict[str, Any] | None:
    """Return the figures of a line of the measuring process; report a line of progress and return None."""
    content = cast("dict[str, Any]", json.loads(line))
    if "done" not in content:
        return content
    if progress is not None:
        progress(content["done"], content["of"])
    return None


def measure_here(measure: Callable[..., dict[str, Any]]) -> None:
    """Measure in this process with the JSON of the first argument; print the progress, then the figures."""
    faiss.omp_set_num_threads(1)
    print(json.dumps(measure(**json.loads(sys.argv[1]), progress=_report)))


def _report(count: int, total: int) -> None:
    print(json.dumps({"done": count, "of": total}), flush=True)
