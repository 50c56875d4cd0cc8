"""A hook as a user waits for it: nothing is loaded but the way to the worker. What it cannot do the rest of hmem does.

Python alone takes 20 ms of processor time to start, with json, pathlib and a parser of arguments 200. So the event goes
to the worker as it came, and what the worker answers is printed as it came; an event that is captured goes into the
spool as it came.
"""

import _socket
import os
import sys
import time

from hmem import __version__

# By the name on the command line, the event's own.
EVENTS = {
    "session-start": "SessionStart",
    "user-prompt-submit": "UserPromptSubmit",
    "pre-compact": "PreCompact",
    "stop": "Stop",
    "session-end": "SessionEnd",
}
# How long a session may wait at its start, and how long a prompt may, unless the environment says otherwise.
START_SECONDS = 2.0
PROMPT_SECONDS = 0.2

_LARGEST = 16_000_000
_ASKED = {
    "session-start": ("HMEM_HOOK_START_SECONDS", START_SECONDS),
    "user-prompt-submit": ("HMEM_HOOK_PROMPT_SECONDS", PROMPT_SECONDS),
}
_WORD_SECONDS = 0.1
_PART = 65_536
# A path of a Unix socket has at most 104 bytes on some systems.
_LONGEST = 100


def run(name: str) -> int:
    """Do a hook with the event on stdin, and print what it tells; 0, whatever happens."""
    given = sys.stdin.buffer.read(_LARGEST) if sys.stdin else b""
    told = quickly(name, given)
    if told is None:
        from hmem.interfaces.claude_code.claude import printed  # noqa: PLC0415 - few hooks need it

        told = printed(name, given)
    try:
        while told:
            told = told[os.write(1, told) :]
    except OSError:
        return 0
    return 0


def quickly(name: str, given: bytes) -> bytes | None:
    """What to print at an event, by the worker; None where there is none, and the rest of hmem is to do it."""
    if turned_off(os.environ.get("HMEM_HOOKS")):
        return b""
    folder = f"{root()}/hooks"
    if not hasattr(_socket, "AF_UNIX") or not _has_worker(folder):
        return None
    try:
        return _asked(folder, name, given) if name in _ASKED else _captured(folder, given)
    except OSError:
        return None


def root() -> str:
    """The folder of all memories, as the settings have it."""
    return os.path.abspath(os.path.expanduser(os.environ.get("HMEM_ROOT") or "~/.hmem"))  # noqa: PTH100, PTH111 - no pathlib


def turned_off(said: str | None) -> bool:
    """Whether that is what one says for having no hooks."""
    return (said or "").lower() in ("off", "0", "no", "false")


def socket_of(folder: str) -> str:
    """The worker's socket: in the folder of the hooks, or where its path is short enough."""
    place = folder + "/worker.sock"
    if len(os.fsencode(place)) <= _LONGEST:
        return place
    import hashlib  # noqa: PLC0415 - few need it
    import tempfile  # noqa: PLC0415

    digest = hashlib.sha256(os.fsencode(place)).hexdigest()[:16]
    return f"{tempfile.gettempdir()}/hmem-{owner()}-{digest}/worker.sock"


def owner() -> int:
    """The number of the user; 0 on systems without one."""
    return os.getuid() if hasattr(os, "getuid") else 0


def _has_worker(folder: str) -> bool:
    """Whether a worker of this version, and of this user, is there as far as its folder tells."""
    try:
        if os.stat(os.path.dirname(socket_of(folder))).st_uid != owner():  # noqa: PTH116, PTH120 - no pathlib
            return False
        with open(f"{folder}/worker.lock", encoding="utf-8") as lock:  # noqa: PTH123 - no pathlib
            return lock.read(100) == __version__
    except (OSError, ValueError):
        return False


def _asked(folder: str, name: str, given: bytes) -> bytes | None:
    """What the worker tells in time, nothing when it does not; None when it is of another version.

    Raises:
        OSError: there is no worker.
    """
    seconds = _seconds(*_ASKED[name])
    until = time.monotonic() + seconds
    line = _connected(folder, seconds)
    try:
        line.sendall(_request(given, f'"do": "hook", "name": "{name}"'))
        answer = _received(line, until)
    except OSError:
        return b""  # It is there, and has no time: what it would tell is left out.
    finally:
        line.close()
    if answer.startswith(b'{"stale"'):
        return None
    return answer if answer.startswith(b'{"hookSpecificOutput"') and answer.endswith(b"\n") else b""


def _seconds(variable: str, otherwise: float) -> float:
    try:
        return max(float(os.environ.get(variable) or otherwise), 0.0)
    except ValueError:
        return otherwise


def _received(line: "_socket.socket", until: float) -> bytes:
    """A line; what has come when the worker hangs up is all there is.

    Raises:
        TimeoutError: it has not come in time.
    """
    received = b""
    while not received.endswith(b"\n"):
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        line.settimeout(left)
        part = line.recv(_PART)
        if not part:
            break
        received += part
    return received


def _captured(folder: str, given: bytes) -> bytes:
    """Put an event into the spool and tell the worker; nothing is to be printed.

    Raises:
        OSError: it cannot be written, or there is no worker.
    """
    place = f"{folder}/spool/event-{time.time_ns()}-{os.getpid()}"
    with open(f"{place}.part", "wb") as file:  # noqa: PTH123 - no pathlib
        file.write(_request(given, '"do": "capture"'))
    os.replace(f"{place}.part", f"{place}.json")  # noqa: PTH105 - no pathlib
    line = _connected(folder, _WORD_SECONDS)
    try:
        line.sendall(f'{{"do": "capture", "version": "{__version__}"}}\n'.encode())
    finally:
        line.close()
    return b""


def _request(given: bytes, what: str) -> bytes:
    """A line of JSON with an event in it, as it came. What stands behind the event wins over what is in it."""
    event = given.replace(b"\n", b" ").replace(b"\r", b" ").strip() or b"?"
    named = os.environ.get("HMEM_PROJECT") or os.environ.get("CLAUDE_PROJECT_DIR") or ""
    where = f'"named": "{os.fsencode(named).hex()}", "here": "{os.fsencode(_here()).hex()}"'
    return b'{"event": ' + event + f', {where}, {what}, "version": "{__version__}"}}\n'.encode()


def _here() -> str:
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:
        return "/"


def _connected(folder: str, seconds: float) -> "_socket.socket":
    """A line to the worker.

    Raises:
        OSError: there is none.
    """
    line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    line.settimeout(max(seconds, 0.001))
    try:
        line.connect(socket_of(folder))
    except OSError:
        line.close()
        raise
    return line
