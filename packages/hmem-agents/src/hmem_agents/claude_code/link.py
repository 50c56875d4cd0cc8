"""Connection from a hook to the worker: a request with its answer, within a time; and starting the worker."""

import json
import socket
import subprocess
import sys
from time import monotonic
from typing import Any, Final, cast

from hmem import __version__
from hmem.util.files import open_private
from hmem_agents.claude_code.fast_path import owner, receive_line
from hmem_agents.claude_code.settings import HookSettings

LARGEST: Final = 4_000_000
# How long a worker may take to show that it is there.
PING_SECONDS: Final = 0.05


def ask(settings: HookSettings, request: dict[str, Any], seconds: float) -> dict[str, Any] | None:
    """Return the worker's answer within ``seconds``; None without a worker or an answer in time."""
    until = monotonic() + seconds
    try:
        if not hasattr(socket, "AF_UNIX") or settings.socket.parent.stat().st_uid != owner():
            return None
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(max(seconds, 0.001))
            line.connect(str(settings.socket))
            line.sendall(json.dumps(request | {"version": __version__}).encode() + b"\n")
            answer = json.loads(receive_line(line, until))
    except (OSError, ValueError):
        return None
    if not isinstance(answer, dict):
        return None
    response = cast("dict[str, Any]", answer)
    return None if response.get("stale") else response


def start_worker(settings: HookSettings) -> None:
    """Start the worker, which outlives the session; a second one ends at once.

    Raises:
        OSError: it cannot be started.
    """
    settings.make_folders()
    with open_private(settings.log, append=True) as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "hmem", "hook", "worker"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            cwd=settings.folder,
            start_new_session=True,
        )
    # It outlives this process: nobody waits for it, and Python need not warn of that.
    process.returncode = 0
