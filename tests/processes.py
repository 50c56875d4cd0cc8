"""Processes of their own, as real as any: forked from one that has loaded our code once, where the system can fork.

A fresh interpreter spends a second of processor time on loading it, and as much on its first turn; what is fresh about
it is tested where it counts.
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

# For whatever a process is waited for, on the slowest machine; a test has a little more.
SECONDS = 100

PROCESSES = get_context("forkserver" if "forkserver" in get_all_start_methods() else "spawn")
PROCESSES.set_forkserver_preload(
    ["hmem.api.memory", "hmem.interfaces.cli", "hypothesis", "pytest", "tests.models", "tests.warm"]
)


def started(task: Callable[..., object], *arguments: Any, **environment: str) -> BaseProcess:
    """A process with a task: a function of a module, and arguments that can be sent."""
    process = PROCESSES.Process(target=_begin, args=(os.environ | environment, task, *arguments))
    process.start()
    return process


def _begin(environment: Mapping[str, str], task: Callable[..., object], *arguments: Any) -> None:
    # That of the process from which this one was forked is of the time when it began.
    os.environ.clear()
    os.environ.update(environment)
    task(*arguments)


def command(*arguments: object) -> None:
    """The task to run ``hmem`` with arguments; nobody reads what it prints."""
    printing(os.devnull, *arguments)


def printing(file: str, *arguments: object) -> None:
    """The task to run ``hmem`` with arguments, which prints into a file; nobody reads its errors."""
    from hmem.interfaces.cli import main

    os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT), 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sys.exit(main([str(argument) for argument in arguments]))


def telling(task: Callable[..., object], *arguments: Any) -> tuple[BaseProcess, Connection]:
    """A process with a task, whose first argument is a line on which it tells us something."""
    receiver, sender = PROCESSES.Pipe(duplex=False)
    process = started(task, sender, *arguments)
    sender.close()
    return process, receiver


@contextmanager
def interruptible() -> Generator[None]:
    """What is started meanwhile hears an interrupt, even where the tests do not: in a shell's background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def running(command: Sequence[Any], **options: Any) -> Generator["subprocess.Popen[Any]"]:
    """A command in a process of its own, which hears an interrupt. It is killed when it goes on for too long, so that
    whoever reads from it meets its end, and when the test fails meanwhile."""
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
    """How it ended: its code, or the negative number of the signal that killed it."""
    process.join(SECONDS)
    assert process.exitcode is not None, "it did not end"
    return process.exitcode
