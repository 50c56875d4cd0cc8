"""Runs the Python examples of the documents: `pytest README.md docs`. Each page runs in a folder of its own.

A block ``output`` is what the block of Python before it prints. In a block ``console``, the lines behind ``$`` are run,
and the others are what they print. ``…`` stands for anything.
"""

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from sybil import Example, Sybil
from sybil.evaluators.python import PythonEvaluator
from sybil.parsers.markdown import CodeBlockParser, SkipParser

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

# Tests add thousands of turns: with the static embedder that takes a tenth of the time. Those of the default encoder
# name it, and the examples of the documents use it. Workers of xdist do not see the arguments: they inherit the choice.
if "PYTEST_XDIST_WORKER" not in os.environ and not any(
    "docs" in _argument or _argument.endswith(".md") for _argument in sys.argv[1:]
):
    os.environ.setdefault("HMEM_EMBEDDER", "wordllama")

# It is a suite of tests in the package; this must be known before any test file imports it.
pytest.register_assert_rewrite("hmem_testing.conformance")


def _enter(namespace: dict[str, Any]) -> None:
    namespace["__folder__"] = tempfile.TemporaryDirectory(prefix="hmem-docs-")
    namespace["__before__"] = Path.cwd()
    os.chdir(namespace["__folder__"].name)


def _leave(namespace: dict[str, Any]) -> None:
    os.chdir(namespace["__before__"])
    namespace["__folder__"].cleanup()


_python = PythonEvaluator()


def _run(example: Example) -> None:
    with redirect_stdout(io.StringIO()) as printed:
        _python(example)
    example.namespace.update(__source__=str(example.parsed), __printed__=printed.getvalue())


def _compare(example: Example) -> str | None:
    return _difference(example.parsed, example.namespace["__printed__"])


def _command(example: Example) -> str | None:
    typed = [line[2:] for line in example.parsed.splitlines() if line.startswith("$ ")]
    shown = [line for line in example.parsed.splitlines() if not line.startswith("$ ")]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    place = os.environ | {"PATH": path, "COLUMNS": "100", "NO_COLOR": "1"}
    given = "\n".join(typed)
    done = subprocess.run(["/bin/sh", "-e"], input=given, env=place, capture_output=True, text=True, check=False)
    if done.returncode:
        return f"{typed} ends with {done.returncode}:\n{done.stdout}{done.stderr}"
    return _difference("\n".join(shown), done.stdout)


def _difference(shown: str, printed: str) -> str | None:
    lines = ["\n".join(line.rstrip() for line in text.strip().splitlines()) for text in (shown, printed)]
    if re.fullmatch(re.escape(lines[0]).replace("…", ".*"), lines[1], re.DOTALL):
        return None
    return f"the page shows:\n{lines[0]}\nand this is printed:\n{lines[1]}"


pytest_collect_file = Sybil(
    parsers=[
        CodeBlockParser("python", _run),
        CodeBlockParser("output", _compare),
        CodeBlockParser("console", _command),
        SkipParser(),
    ],
    patterns=["*.md"],
    setup=_enter,
    teardown=_leave,
).pytest()
