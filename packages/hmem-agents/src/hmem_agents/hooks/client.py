"""Client of the worker: a request with its answer, within a time; starting the worker; and doing without it.

The fast path comes here if there is no worker, or if it is late.
"""

import json
import os
import socket
import subprocess
import sys
from time import monotonic, sleep
from typing import Any, Final, cast

from hmem import __version__
from hmem.util.files import open_private
from hmem_agents.hooks.fast_path import CONTEXT_EVENTS, owner, receive_line, request_line, spool_event
from hmem_agents.hooks.hosts import output
from hmem_agents.hooks.settings import HookSettings, Quietly

LARGEST: Final = 4_000_000
# How long a worker may take to show that it is there, and how often one that starts is looked for.
_PING_SECONDS: Final = 0.05
_LOOK_SECONDS: Final = 0.02


def ask(settings: HookSettings, request: dict[str, Any], seconds: float) -> dict[str, Any] | None:
    """Return the worker's answer within ``seconds``; None without a worker or an answer in time."""
    return _ask_line(settings, json.dumps(request | {"version": __version__}).encode() + b"\n", seconds)


def _ask_line(settings: HookSettings, request: bytes, seconds: float) -> dict[str, Any] | None:
    until = monotonic() + seconds
    try:
        if not hasattr(socket, "AF_UNIX") or settings.socket.parent.stat().st_uid != owner():
            return None
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(max(seconds, 0.001))
            line.connect(str(settings.socket))
            line.sendall(request)
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


def printed(name: str, payload: bytes, start_time: float) -> bytes:
    """Return a hook's output at an event, with settings from the environment."""
    response = answer(HookSettings.of_environment(), name, payload, start_time)
    # ASCII, so that no terminal's encoding can be in the way.
    return json.dumps(response).encode() + b"\n" if response else b""


def answer(settings: HookSettings, name: str, payload: bytes, start_time: float | None = None) -> dict[str, Any]:
    """Return the answer to an event for its host, empty for none; errors go to the log only.

    The hook began at ``start_time``, in monotonic seconds; now by default.
    """
    if settings.disabled:
        return {}
    start = monotonic() if start_time is None else start_time
    with Quietly(settings, name):
        event = _event(payload)
        settings.make_folders()
        if name in CONTEXT_EVENTS:
            return _context(settings, name, event, payload, start + settings.seconds(name))
        spool_event(str(settings.folder), payload)
        if ask(settings, {"do": "capture"}, _PING_SECONDS) is None:
            start_worker(settings)
    return {}


def _context(settings: HookSettings, name: str, event: dict[str, Any], payload: bytes, until: float) -> dict[str, Any]:
    """Return the answer of the worker, which is started if there is none; if it is late, that of the files."""
    request, is_started = request_line(payload, f'"do": "hook", "name": "{name}"'), False
    while True:
        remaining = until - monotonic()
        response = _ask_line(settings, request, remaining) if remaining > 0 else None
        if response is not None:
            return {} if "error" in response else response
        if not is_started:
            start_worker(settings)
            is_started = True
        if monotonic() >= until:
            break
        sleep(_LOOK_SECONDS)
    from hmem_agents.hooks.cold import context_from_files  # noqa: PLC0415 - few hooks need it

    folder = os.environ.get("HMEM_PROJECT") or os.environ.get("CLAUDE_PROJECT_DIR") or str(event.get("cwd") or ".")
    return output(event, name, context_from_files(settings, name, event, folder))


def _event(payload: bytes) -> dict[str, Any]:
    event = json.loads(payload)
    if not isinstance(event, dict):
        raise ValueError(f"an event is an object, not {type(event).__name__}")  # noqa: TRY004 - it goes to the log
    return cast("dict[str, Any]", event)
