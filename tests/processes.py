"""Real child processes, forked from one that has loaded our code, where the system can fork.

A fresh interpreter spends a second of processor time on loading the code, and another on its first turn; tests start
one only where that matters.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from threading import Timer
from typing import Any

# Longest wait for a process, on the slowest machine; the time limit of a test is a little longer.
SECONDS = 100

PROCESSES = get_context("forkserver" if "forkserver" in get_all_start_methods() else "spawn")
PROCESSES.set_forkserver_preload(
    ["hmem.api.memory", "hmem.interfaces.cli", "hypothesis", "pytest", "tests.models", "tests.warm"]
)


def started(task: Callable[..., object], *arguments: Any, **environment: str) -> BaseProcess:
    """Start a process with a task: a module's function with arguments that can be pickled."""
    process = PROCESSES.Process(target=_begin, args=(os.environ | environment, task, *arguments))
    process.start()
    return process


def _begin(environment: Mapping[str, str], task: Callable[..., object], *arguments: Any) -> None:
    # The forking process has the environment of the time when it started.
    os.environ.clear()
    os.environ.update(environment)
    task(*arguments)


def command(*arguments: object) -> None:
    """Run ``hmem`` with arguments, as a process's task, and discard its output."""
    printing(os.devnull, *arguments)


def printing(file: str, *arguments: object) -> None:
    """Run ``hmem`` with arguments, as a process's task, with its output in a file; discard its errors."""
    from hmem.interfaces.cli import main

    os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT), 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sys.exit(main([str(argument) for argument in arguments]))


def telling(task: Callable[..., object], *arguments: Any) -> tuple[BaseProcess, Connection]:
    """Start a process whose task gets a connection to us as its first argument."""
    receiver, sender = PROCESSES.Pipe(duplex=False)
    process = started(task, sender, *arguments)
    sender.close()
    return process, receiver


@contextmanager
def interruptible() -> Generator[None]:
    """Let processes started inside receive interrupts, even if the tests run in a shell's background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def running(command: Sequence[Any], **options: Any) -> Generator["subprocess.Popen[Any]"]:
    """Run a command that receives interrupts; kill it after a time limit, so that reads from it end, or on failure."""
    with interruptible():
        process = subprocess.Popen(command, **options)
    limit = Timer(SECONDS, process.kill)
    limit.daemon = True
    limit.start()
    try:
        with process:
            try:
                yield process
            except BaseException:
                process.kill()
                raise
    finally:
        limit.cancel()


def exit_code(process: BaseProcess) -> int | None:
    """Return the exit code of a process, or the negative number of the signal that killed it."""
    process.join(SECONDS)
    assert process.exitcode is not None, "it did not end"
    return process.exitcode
