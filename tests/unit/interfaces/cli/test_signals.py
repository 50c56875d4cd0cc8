"""Waiting for what a signal ends."""

import subprocess
import sys

from tests.processes import SECONDS

WAITING = """
import signal, threading
from hmem.interfaces.cli.signals import wait_for

ended = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: ended.set())
# The system gives the signal to this thread, which nothing wakes the main thread from.
other = threading.Timer(0.3, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGTERM))
other.start()
wait_for(ended)
print("ended")
"""


def test_a_signal_that_another_thread_is_given_ends_the_wait() -> None:
    done = subprocess.run([sys.executable, "-c", WAITING], capture_output=True, text=True, check=True, timeout=SECONDS)
    assert done.stdout == "ended\n"
