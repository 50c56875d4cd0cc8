"""HTTP server of the stand-in: one loopback port, a thread for each connection, every call recorded."""

import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from selectors import EVENT_READ, DefaultSelector
from socket import MSG_PEEK, SHUT_RDWR, socket
from threading import Event, Lock, Thread
from time import time
from typing import Any, Final, Self, cast
from urllib.parse import urlsplit

from hmem import __version__
from hmem.errors import HmemError
from hmem.language.tokens import count_tokens
from hmem_testing.fake_llm import asking, gemini, messages, responses, wire
from hmem_testing.fake_llm.answering import answer
from hmem_testing.fake_llm.asking import ChatRequest, Unreadable
from hmem_testing.fake_llm.script import Call, CallLog, ReplyRule, Script
from hmem_testing.fake_llm.vectors import embeddings, reranking
from hmem_testing.fake_llm.wire import FakeReply, Head, Json, TokenUsage, dumped

MODELS: Final = ("stand-in", "stand-in-embedding", "stand-in-rerank")
_LARGEST: Final = 64_000_000
_BUFFER: Final = 65_536
_TOO_LARGE, _NO_LENGTH = 413, 411


WriteAnswer = Callable[[Head, FakeReply, TokenUsage], Json]
Events = Callable[[Head, FakeReply, TokenUsage], Iterable[Json]]


class Handler(BaseHTTPRequestHandler):
    """Handler for the requests of one connection."""

    protocol_version = "HTTP/1.1"
    server_version = f"hmem-standin/{__version__}"
    sys_version = ""
    # An answer leaves at once, as one packet.
    wbufsize = _BUFFER
    disable_nagle_algorithm = True
    # Seconds that a stream rests after each piece.
    pause = 0.0
    server: "Listener"  # pyright: ignore[reportIncompatibleVariableOverride] - no other server makes these

    def do_GET(self) -> None:
        """Answer with the models or the log of calls."""
        path = self._path()
        if path == "/calls":
            self._send(200, {"calls": [call.as_json for call in self.server.record]})
        elif not self._authorized():
            self._refuse_key()
        elif path == "/models":
            self._send(200, wire.models(MODELS))
        elif path.startswith("/models/"):
            self._send(200, wire.model(path.removeprefix("/models/")))
        else:
            self._send(404, wire.error(f"there is nothing at {self.path}", "invalid_request_error"))

    def do_DELETE(self) -> None:
        """Drop the logged calls."""
        if self._path() == "/calls":
            self.server.record.clear()
            self._send(200, {"calls": []})
        else:
            self._send(404, wire.error(f"there is nothing at {self.path}", "invalid_request_error"))

    def do_POST(self) -> None:
        """Answer a call of the model."""
        request = self._request()
        if request is None:
            return
        if not self._authorized():
            self._refuse_key()
            return
        answers = {
            "/chat/completions": self._chat,
            "/responses": self._respond,
            "/messages": self._message,
            "/embeddings": self._embed,
            "/rerank": self._rerank,
        }
        reply = self._generate if _GENERATED.fullmatch(self._path()) else answers.get(self._path())
        if reply is None:
            self._send(404, wire.error(f"there is nothing at {self.path}", "invalid_request_error"))
            return
        try:
            reply(request)
        except Unreadable as error:
            self._send(400, wire.error(str(error), "invalid_request_error"))
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, HmemError) as error:
            message = f"the data cannot be answered: {type(error).__name__}: {error}"
            self._send(400, wire.error(message, "invalid_request_error"))

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing: the log has the calls."""

    # Requests.

    def _path(self) -> str:
        """Return the path without a leading version."""
        path = urlsplit(self.path).path.rstrip("/")
        # A client may add the version to a base URL that ends with it.
        while path.startswith(("/v1/", "/v2/")):
            path = path[3:]
        return path

    def _authorized(self) -> bool:
        key = self.server.key
        return (
            key is None
            or self.headers.get("Authorization") == f"Bearer {key}"
            or key in (self.headers.get("X-Api-Key"), self.headers.get("X-Goog-Api-Key"))
        )

    def _request(self) -> Json | None:
        """Read the body as a JSON object; return None after refusing it."""
        try:
            length = int(self.headers.get("Content-Length") or "")
        except ValueError:
            self.close_connection = True
            self._send(_NO_LENGTH, wire.error("a request needs a Content-Length", "invalid_request_error"))
            return None
        if not 0 <= length <= _LARGEST:
            self.close_connection = True
            self._send(_TOO_LARGE, wire.error(f"a request has at most {_LARGEST} bytes", "invalid_request_error"))
            return None
        try:
            body: Any = json.loads(self.rfile.read(length))
        except (ValueError, RecursionError) as error:
            self._send(400, wire.error(f"the body is no JSON ({error})", "invalid_request_error"))
            return None
        if not isinstance(body, dict):
            self._send(400, wire.error("the body must be a JSON object", "invalid_request_error"))
            return None
        return cast("Json", body)

    # Answers.

    def _chat(self, request: Json) -> None:
        parsed = asking.read(request)
        if (outcome := self._answer(parsed, request)) is None:
            return
        head, reply, usage, cut = outcome
        if parsed.stream:
            chunks = wire.chunks(head, reply, usage if parsed.usage_in_stream else None)
            self._stream([f"data: {dumped(chunk)}\n\n" for chunk in chunks] + ["data: [DONE]\n\n"], cut=cut)
        else:
            self._send(200, wire.completion(head, reply, usage), cut=cut)

    def _respond(self, request: Json) -> None:
        self._reply_in(responses.as_chat(request), request, responses.response, responses.events)

    def _message(self, request: Json) -> None:
        self._reply_in(messages.as_chat(request), request, messages.message, messages.events)

    def _generate(self, request: Json) -> None:
        model, method = cast("re.Match[str]", _GENERATED.fullmatch(self._path())).groups()
        chat = gemini.as_chat(request, model, stream=method.startswith("stream"))
        if method == "countTokens":
            self._send(200, {"totalTokens": asking.read(chat).input_tokens})
        else:
            self._reply_in(chat, request, gemini.response, gemini.events)

    def _reply_in(self, chat: Json, request: Json, write: WriteAnswer, events: Events) -> None:
        """Answer a request of another protocol in that protocol."""
        parsed = asking.read(chat)
        if (outcome := self._answer(parsed, request)) is None:
            return
        head, reply, usage, cut = outcome
        if parsed.stream:
            self._stream([_as_event(event) for event in events(head, reply, usage)], cut=cut)
        else:
            self._send(200, write(head, reply, usage), cut=cut)

    def _answer(self, parsed: ChatRequest, request: Json) -> tuple[Head, FakeReply, TokenUsage, bool] | None:
        """Return head, reply, usage and whether to cut the reply; None for a call that failed."""
        number, moment = self.server.record.number(), datetime.now(UTC)
        rule = self.server.script.next(parsed.task, parsed.prompt)
        if self._fails(number, moment, parsed.task, rule, parsed.input_tokens, request):
            return None
        reply, self.pause = answer(parsed, rule), rule.pause
        usage = TokenUsage(parsed.input_tokens, count_tokens(reply.words))
        self._keep(number, moment, parsed.task, rule, 200, usage, request)
        return Head(f"standin-{number}", int(time()), parsed.model), reply, usage, rule.do == "cut"

    def _embed(self, request: Json) -> None:
        self._vectors("embeddings", request)

    def _rerank(self, request: Json) -> None:
        self._vectors("rerank", request)

    def _vectors(self, task: str, request: Json) -> None:
        number, time = self.server.record.number(), datetime.now(UTC)
        rule = self.server.script.next(task, dumped(request))
        if self._fails(number, time, task, rule, 0, request):
            return
        body, tokens = embeddings(request) if task == "embeddings" else reranking(request)
        self._keep(number, time, task, rule, 200, TokenUsage(tokens, 0), request)
        wrong: dict[str, object] = {
            "empty": {"data": [], "results": []},
            "wrong-schema": {"unexpected": [1]},
            "json": rule.content,
        }
        self._send(200, wrong.get(rule.do, body), cut=rule.do == "cut")

    def _fails(self, number: int, time: datetime, task: str, rule: ReplyRule, tokens: int, request: Json) -> bool:
        """Let the call fail if its rule says so, and tell if it did; a slow call waits and goes on."""
        stays = rule.do not in ("slow", "silent") or self._wait(rule.seconds)
        status, failure = _FAILURES.get(rule.do, (0, None))
        if rule.do == "silent" or not stays:
            self.close_connection = True
        elif failure is None:
            return False
        self._keep(number, time, task, rule, status, TokenUsage(tokens, 0), request)
        if failure is not None:
            headers = {"Retry-After": f"{rule.seconds:g}"} if rule.do == "busy" else {}
            self._send(status, failure, headers=headers)
        return True

    def _keep(
        self, number: int, time: datetime, task: str, rule: ReplyRule, status: int, usage: TokenUsage, request: Json
    ) -> None:
        model, stream = str(request.get("model") or ""), request.get("stream") is True
        self.server.record.keep(
            Call(number, task, rule.do, time, status, usage.input, usage.output, stream, model, request)
        )

    def _refuse_key(self) -> None:
        self._send(401, _UNAUTHORIZED)

    # On the wire.

    def _send(self, status: int, body: object, *, headers: dict[str, str] | None = None, cut: bool = False) -> None:
        """Send an answer; ``cut`` ends it in the middle, short of its Content-Length."""
        encoded = dumped(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(encoded)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if cut or self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(encoded[: len(encoded) // 2] if cut else encoded)
        self.wfile.flush()

    def _stream(self, events: Sequence[str], *, cut: bool) -> None:
        """Send an answer as server-sent events; ``cut`` ends the connection in the middle."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in (text.encode() for text in (events[: len(events) // 2] if cut else events)):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
            self.wfile.flush()
            if self.pause and not self._wait(self.pause):
                self.close_connection = True
                return
        if cut:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")
            self.wfile.flush()

    def _wait(self, seconds: float) -> bool:
        """Wait, and tell if the client is still connected; return early when it leaves or the server ends."""
        with DefaultSelector() as lines:
            lines.register(self.connection, EVENT_READ)
            events = lines.select(seconds)
        if self.server.ending.is_set() or not events:
            return True
        with suppress(ConnectionError):
            if self.connection.recv(1, MSG_PEEK):
                # The client sent its next request, which can wait.
                self.server.ending.wait(seconds)
                return True
        self.server.record.leave()
        return False


# Path of Gemini's protocol: its model and its method.
_GENERATED: Final = re.compile(r"/(?:v1beta/)?models/([^/:]+):(generateContent|streamGenerateContent|countTokens)")


def _as_event(event: Json) -> str:
    """Return an event of a stream, under its type if its protocol has types."""
    return (f"event: {event['type']}\n" if "type" in event else "") + f"data: {dumped(event)}\n\n"


_UNAUTHORIZED: Final = wire.error("the key is not right", "invalid_request_error", "invalid_api_key")
_FAILURES: Final[dict[str, tuple[int, Json]]] = {
    "busy": (429, wire.error("too many requests - wait and try again", "rate_limit_error", "rate_limit_exceeded")),
    "error": (500, wire.error("the server had an error", "server_error")),
    "unauthorized": (401, _UNAUTHORIZED),
}


_LOOPBACK: Final = "127.0.0.1"
_LOOK_SECONDS: Final = 0.05


class Listener(ThreadingHTTPServer):
    """Listening server that closes every connection when it ends."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, port: int, script: Script, record: CallLog, key: str | None) -> None:
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
        """Close every connection: an open one would keep its thread alive."""
        self.ending.set()
        with self._lock:
            connections = list(self._open)
        for connection in connections:
            try:
                connection.shutdown(SHUT_RDWR)
            except OSError:
                continue

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report an error, unless a client disconnected."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError | ValueError):
            super().handle_error(request, client_address)


class StandIn:
    """Local model server for tests and examples that speaks the OpenAI wire protocol.

    Rules derive its answers from the requests; ``script`` says which calls go wrong. ``port`` 0 takes any free port;
    ``key`` is the bearer key that requests need (None: no key). A context manager.

    Raises:
        OSError: the port is taken.
    """

    def __init__(self, script: Sequence[ReplyRule] | Script = (), *, port: int = 0, key: str | None = None) -> None:
        self._record = CallLog()
        self._script = script if isinstance(script, Script) else Script(script)
        self._listener = Listener(port, self._script, self._record, key)
        self._thread = Thread(
            target=self._listener.serve_forever, args=(_LOOK_SECONDS,), name="hmem-standin", daemon=True
        )

    @property
    def url(self) -> str:
        """Base URL for clients: ``http://127.0.0.1:PORT/v1``."""
        return f"http://{_LOOPBACK}:{self.port}/v1"

    @property
    def port(self) -> int:
        """Port that the server listens on."""
        return self._listener.server_address[1]

    @property
    def calls(self) -> list[Call]:
        """The latest calls, in order of arrival."""
        return list(self._record)

    @property
    def count(self) -> int:
        """Number of calls that arrived, those in progress included."""
        return self._record.count

    @property
    def disconnected(self) -> int:
        """Number of clients that disconnected before the end of their answer."""
        return self._record.disconnected

    def clear(self) -> None:
        """Drop the logged calls."""
        self._record.clear()

    def follow(self, script: Sequence[ReplyRule]) -> None:
        """Follow another script from the next call on, with counts from zero."""
        self._listener.script = Script(script)

    def start(self) -> None:
        """Start listening, in a background thread."""
        self._thread.start()

    def stop(self) -> None:
        """Close all connections and stop listening."""
        self._listener.shutdown()
        self._listener.hang_up()
        self._listener.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
