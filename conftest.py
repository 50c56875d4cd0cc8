"""Runs the Python examples of the documents: `pytest README.md docs`. Each page runs in a folder of its own."""

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

# Where the environment forbids to keep bytecode, every worker and every process that a test starts would compile all of
# our code anew: a second of processor time each. Here it is kept; `make clean` removes it.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    sys.dont_write_bytecode = False

# FAISS and numpy wait for their threads by turning round, which takes the processors from the other workers.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

# Tests write thousands of small memories, each of them durable: without a disk in between they wait half as long. What
# is tested is the same; processes are killed, but no machine is switched off.
_IN_MEMORY = Path("/dev/shm")  # noqa: S108 - only where folders for temporary files are made
_ROOM = 4 << 30


def _free_memory() -> int:
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


if (
    "TMPDIR" not in os.environ
    and os.access(_IN_MEMORY, os.W_OK | os.X_OK)
    and min(shutil.disk_usage(_IN_MEMORY).free, _free_memory()) >= _ROOM
):
    os.environ["TMPDIR"], tempfile.tempdir = str(_IN_MEMORY), None

# It is a suite of tests in the package; this must be known before any test file imports it.
pytest.register_assert_rewrite("hmem_testing.conformance")


def _enter(namespace: dict[str, Any]) -> None:
    namespace["__folder__"] = tempfile.TemporaryDirectory(prefix="hmem-docs-")
    namespace["__before__"] = Path.cwd()
    os.chdir(namespace["__folder__"].name)


def _leave(namespace: dict[str, Any]) -> None:
    os.chdir(namespace["__before__"])
    namespace["__folder__"].cleanup()


pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(), SkipParser()], patterns=["*.md"], setup=_enter, teardown=_leave
).pytest()
