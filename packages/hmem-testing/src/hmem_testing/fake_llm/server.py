"""The stand-in as a server: one port on this machine, a thread for each connection."""

import sys
from collections.abc import Sequence
from http.server import ThreadingHTTPServer
from socket import SHUT_RDWR, socket
from threading import Event, Lock, Thread
from typing import Any, Final, Self

from hmem_testing.fake_llm.handler import Handler
from hmem_testing.fake_llm.script import Call, Record, Rule, Script

_LOOPBACK: Final = "127.0.0.1"
_LOOK_SECONDS: Final = 0.05


class Listener(ThreadingHTTPServer):
    """Listens, and hangs up on everyone when it ends."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, port: int, script: Script, record: Record, key: str | None) -> None:
        self.script = script
        self.record = record
        self.key = key
        self.ending = Event()
        self._open: set[socket] = set()
        self._lock = Lock()
        super().__init__((_LOOPBACK, port), Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """End every connection: a client that keeps one open would keep its thread."""
        self.ending.set()
        with self._lock:
            left = list(self._open)
        for connection in left:
            try:
                connection.shutdown(SHUT_RDWR)
            except OSError:
                continue

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError | ValueError):
            super().handle_error(request, client_address)


class StandIn:
    """A model server for tests and examples that speaks the OpenAI wire protocol, on this machine only.

    What it says is derived from what it is asked, by rules; ``script`` says which calls go wrong. ``port`` 0 takes any
    that is free; ``key`` is what the header ``Authorization`` must bear, None when it does not matter. A context
    manager.

    Raises:
        OSError: the port is taken.
    """

    def __init__(self, script: Sequence[Rule] | Script = (), *, port: int = 0, key: str | None = None) -> None:
        self._record = Record()
        self._script = script if isinstance(script, Script) else Script(script)
        self._listener = Listener(port, self._script, self._record, key)
        self._thread = Thread(
            target=self._listener.serve_forever, args=(_LOOK_SECONDS,), name="hmem-standin", daemon=True
        )

    @property
    def url(self) -> str:
        """The base URL that clients are given: ``http://127.0.0.1:PORT/v1``."""
        return f"http://{_LOOPBACK}:{self.port}/v1"

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return self._listener.server_address[1]

    @property
    def calls(self) -> list[Call]:
        """The latest calls, in the order in which they came."""
        return list(self._record)

    @property
    def count(self) -> int:
        """How many calls have come, those included that are not answered yet."""
        return self._record.count

    @property
    def left(self) -> int:
        """How many clients went away before the answer to a call was there, or all of it."""
        return self._record.left

    def clear(self) -> None:
        """Forget the calls so far."""
        self._record.clear()

    def follow(self, script: Sequence[Rule]) -> None:
        """Follow another script from the next call on; its counts begin anew."""
        self._listener.script = Script(script)

    def start(self) -> None:
        """Begin to listen, in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """Hang up and listen no more."""
        self._listener.shutdown()
        self._listener.hang_up()
        self._listener.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
