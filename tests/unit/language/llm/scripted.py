"""A server that says what it is told to, to the letter, and keeps what it was asked."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Self


@dataclass(frozen=True)
class Reply:
    """A status, a body and headers."""

    body: str
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


def saying(text: str) -> Reply:
    """A chat answer that says a text."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    whole = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
    return Reply(json.dumps(whole))


def failing(status: int, message: str, **headers: str) -> Reply:
    """An error as the protocol has it."""
    return Reply(json.dumps({"error": {"message": message, "type": "t", "code": None}}), status, headers)


class Scripted:
    """Gives the replies one after the other, the last one again and again."""

    def __init__(self, *replies: Reply) -> None:
        self.asked: list[dict[str, Any]] = []
        self.headers: list[Mapping[str, str]] = []
        outer, left = self, list(replies)

        class Handler(BaseHTTPRequestHandler):
            wbufsize = -1

            def do_POST(self) -> None:
                outer.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
                outer.headers.append({name.lower(): value for name, value in self.headers.items()})
                reply = left.pop(0) if len(left) > 1 else left[0]
                body = reply.body.encode()
                self.send_response(reply.status)
                for name, value in {"content-type": "application/json", **reply.headers}.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def messages(self) -> Sequence[dict[str, Any]]:
        """Those of the last call."""
        return self.asked[-1]["messages"]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
