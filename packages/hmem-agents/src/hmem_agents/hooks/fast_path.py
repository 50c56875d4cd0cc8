"""Fast path of a hook: loads nothing but the connection to the worker, since a user waits for it.

Python alone needs 20 ms of processor time to start; with json, pathlib and an argument parser 200. So the event goes to
the worker as it came, and the worker's answer is printed as it came; a captured event goes into the spool as it came.
Without a worker, or if it is late, the rest of hmem is loaded.
"""

import _socket
import os
import sys
import time

from hmem import __version__

# Event names of Claude Code, by their names on the command line, which are those of all hosts.
EVENTS = {
    "session-start": "SessionStart",
    "user-prompt-submit": "UserPromptSubmit",
    "pre-compact": "PreCompact",
    "stop": "Stop",
    "session-end": "SessionEnd",
}
# Default limits in seconds: how long a session may wait at its start, and a prompt, for the worker; then the files are
# read. Hosts end a hook after 15 s or later, and a hook that is ended is silent, so its own limit comes first; a slow
# machine may raise it.
START_SECONDS = 4.0
PROMPT_SECONDS = 1.0
CONTEXT_EVENTS = {
    "session-start": ("HMEM_HOOK_START_SECONDS", START_SECONDS),
    "user-prompt-submit": ("HMEM_HOOK_PROMPT_SECONDS", PROMPT_SECONDS),
}

_LARGEST = 16_000_000
_WORD_SECONDS = 0.1
_CHUNK_BYTES = 65_536
# A path of a Unix socket has at most 104 bytes on some systems.
_LONGEST = 100


def run(name: str) -> int:
    """Handle the event on stdin and print the answer; always return exit code 0."""
    start_time = time.monotonic()
    payload = sys.stdin.buffer.read(_LARGEST) if sys.stdin else b""
    response = quickly(name, payload)
    if response is not None:
        _write(response)
        return 0
    from hmem_agents.hooks.client import printed  # noqa: PLC0415 - few hooks need it

    _write(printed(name, payload, start_time))
    return 0


def _write(response: bytes) -> None:
    """Write the answer; an output that nobody reads is no error."""
    try:
        while response:
            response = response[os.write(1, response) :]
    except OSError:
        return


def quickly(name: str, payload: bytes) -> bytes | None:
    """Return the answer of the worker to an event; None if there is none in time: the rest of hmem must handle it."""
    if turned_off(os.environ.get("HMEM_HOOKS")):
        return b""
    folder = f"{root()}/hooks"
    if not hasattr(_socket, "AF_UNIX") or not _has_worker(folder):
        return None
    try:
        return _request_answer(folder, name, payload) if name in CONTEXT_EVENTS else _captured(folder, payload)
    except OSError:
        return None


def root() -> str:
    """Return the folder of all memories."""
    return os.path.abspath(os.path.expanduser(os.environ.get("HMEM_ROOT") or "~/.hmem"))  # noqa: PTH100, PTH111 - no pathlib


def turned_off(value: str | None) -> bool:
    """Tell if the value of ``HMEM_HOOKS`` turns the hooks off."""
    return (value or "").lower() in ("off", "0", "no", "false")


def socket_of(folder: str) -> str:
    """Return the path of the worker's socket: in the hooks' folder, or in the temporary one if it is too long."""
    path = folder + "/worker.sock"
    if len(os.fsencode(path)) <= _LONGEST:
        return path
    import hashlib  # noqa: PLC0415 - few need it
    import tempfile  # noqa: PLC0415

    digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
    return f"{tempfile.gettempdir()}/hmem-{owner()}-{digest}/worker.sock"


def owner() -> int:
    """Return the id of the user; 0 on systems without one."""
    return os.getuid() if hasattr(os, "getuid") else 0


def _has_worker(folder: str) -> bool:
    """Tell if a worker of this version and this user has left its mark in the folder."""
    try:
        if os.stat(os.path.dirname(socket_of(folder))).st_uid != owner():  # noqa: PTH116, PTH120 - no pathlib
            return False
        with open(f"{folder}/worker.lock", encoding="utf-8") as lock:  # noqa: PTH123 - no pathlib
            return lock.read(100) == __version__
    except (OSError, ValueError):
        return False


def _request_answer(folder: str, name: str, payload: bytes) -> bytes | None:
    """Return the worker's answer; None if it ends before it has answered, or is of another version.

    Raises:
        OSError: there is no worker, or it is late.
    """
    seconds = _seconds(*CONTEXT_EVENTS[name])
    until = time.monotonic() + seconds
    line = _connected(folder, seconds)
    try:
        line.sendall(request_line(payload, f'"do": "hook", "name": "{name}"'))
        answer = receive_line(line, until)
    finally:
        line.close()
    if answer.startswith(b'{"stale"') or not answer.endswith(b"\n"):
        return None
    return answer if answer.startswith((b'{"hookSpecificOutput"', b'{"additionalContext"')) else b""


def _seconds(variable: str, otherwise: float) -> float:
    try:
        return max(float(os.environ.get(variable) or otherwise), 0.0)
    except ValueError:
        return otherwise


def receive_line(line: "_socket.socket", until: float) -> bytes:
    """Return a line; it is incomplete if the worker closes early.

    Raises:
        TimeoutError: the line was not complete in time.
    """
    data = b""
    while not data.endswith(b"\n") and len(data) < _LARGEST:
        remaining = until - time.monotonic()
        if remaining <= 0:
            raise TimeoutError
        line.settimeout(remaining)
        chunk = line.recv(_CHUNK_BYTES)
        if not chunk:
            break
        data += chunk
    return data


def _captured(folder: str, payload: bytes) -> bytes:
    """Put an event into the spool and notify the worker; return an empty output.

    Raises:
        OSError: the file cannot be written, or there is no worker.
    """
    spool_event(folder, payload)
    line = _connected(folder, _WORD_SECONDS)
    try:
        line.sendall(f'{{"do": "capture", "version": "{__version__}"}}\n'.encode())
    finally:
        line.close()
    return b""


def spool_event(folder: str, payload: bytes) -> None:
    """Put an event into the spool.

    Raises:
        OSError: the file cannot be written.
    """
    path = f"{folder}/spool/event-{time.time_ns()}-{os.getpid()}"
    with open(f"{path}.part", "wb", opener=_open_private) as file:
        file.write(request_line(payload, '"do": "capture"'))
    os.replace(f"{path}.part", f"{path}.json")  # noqa: PTH105 - no pathlib


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def request_line(payload: bytes, fields: str) -> bytes:
    """Return a line of JSON with an event as it came. Fields after the event override those inside it."""
    event = payload.replace(b"\n", b" ").replace(b"\r", b" ").strip() or b"?"
    project = os.environ.get("HMEM_PROJECT") or os.environ.get("CLAUDE_PROJECT_DIR") or ""
    folders = f'"named": "{os.fsencode(project).hex()}", "here": "{os.fsencode(_working_folder()).hex()}"'
    return b'{"event": ' + event + f', {folders}, {fields}, "version": "{__version__}"}}\n'.encode()


def _working_folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:
        return "/"


def _connected(folder: str, seconds: float) -> "_socket.socket":
    """Return a connected socket to the worker.

    Raises:
        OSError: there is no worker.
    """
    line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    line.settimeout(max(seconds, 0.001))
    try:
        line.connect(socket_of(folder))
    except OSError:
        line.close()
        raise
    return line
