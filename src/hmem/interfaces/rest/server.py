"""The server itself: where it may listen, and how it begins and ends."""

import socket
from collections.abc import Callable

import uvicorn

from hmem.errors import ServerUnavailable, StorageError, Unprotected
from hmem.interfaces.rest.app import create_app
from hmem.interfaces.rest.keys import Keys
from hmem.interfaces.rest.protocol import Protocol
from hmem.interfaces.rest.settings import Settings
from hmem.interfaces.rest.telemetry import log_to_stderr

_BACKLOG = 512
_KEEP_ALIVE_SECONDS = 30


def check(settings: Settings) -> None:
    """Make the root, and refuse to listen where others reach it while nothing asks them for a key.

    Raises:
        Unprotected: it would be open to others.
        StorageError: the root cannot be used.
    """
    try:
        settings.root.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"the root cannot be used ({error.strerror}) - give another folder") from error
    if not settings.loopback and not any(key.revoked is None for key in Keys(settings.keys).held()):
        raise Unprotected(
            f"{settings.host} is reached by others, and no key is asked for - make one with `hmem keys create`, "
            "or listen on 127.0.0.1"
        )


def listen(settings: Settings) -> socket.socket:
    """The socket that the server listens on; port 0 is any that is free.

    Raises:
        ServerUnavailable: the address cannot be had.
    """
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host.strip("[]"), settings.port))
    except OSError as error:
        listening.close()
        raise ServerUnavailable(
            f"{settings.host}:{settings.port} cannot be listened on ({error.strerror}) - give another --port"
        ) from error
    listening.listen(_BACKLOG)
    listening.set_inheritable(False)
    return listening


def make(settings: Settings) -> uvicorn.Server:
    """A server that has not begun yet.

    Raises:
        Unprotected, StorageError, InvalidFile: it may not, or cannot.
    """
    check(settings)
    limits = {"head_seconds": settings.head_seconds, "head_bytes": settings.head_bytes}
    config = uvicorn.Config(
        create_app(settings),
        http=type("LimitedProtocol", (Protocol,), limits),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=int(settings.stop_seconds),
        limit_concurrency=_BACKLOG,
    )
    return uvicorn.Server(config)


def serve(settings: Settings, tell: Callable[[str], None]) -> None:
    """Serve until the process is told to end; calls at work end first, and every memory is closed.

    Raises:
        Unprotected, StorageError, InvalidFile, ServerUnavailable: it cannot begin.
    """
    server = make(settings)
    listening = listen(settings)
    log_to_stderr()
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    tell(f"http://{host}:{listening.getsockname()[1]}")
    server.run(sockets=[listening])
