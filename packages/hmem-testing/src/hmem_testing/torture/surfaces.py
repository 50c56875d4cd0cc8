"""Real servers that meet made-up arguments: ``hmem serve`` over HTTP, and ``hmem mcp`` over its standard streams.

A request is either answered or refused by a named error. A fault of the server, an answer that is no JSON, and a server
that ends are findings.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from http.client import HTTPConnection, HTTPException
from importlib.util import find_spec
from pathlib import Path
from random import Random
from threading import Timer
from typing import Any, Final, NamedTuple, Self
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from hmem.interfaces.operations import OPERATIONS
from hmem_testing.schema_fuzz import MEMORY, fill, serving

Values = Callable[[Random], Any]

# These would take the memory away, make many, or form it anew for each request.
_EXCLUDED: Final = frozenset({"create_memory", "delete_memory", "rebuild"})
_FAULT: Final = 500
# What a full disk and a busy memory are answered with: refusals that have a name.
_REFUSALS: Final = frozenset({503, 507})
_SECONDS: Final = 60
_ERROR_NAME: Final = re.compile(r"[A-Z][A-Za-z]+: \S")
_PROTOCOL: Final = "2025-06-18"
# JSON-RPC's own errors for a request that is no request, and for arguments of the wrong form.
_MALFORMED: Final = frozenset({-32600, -32601, -32602, -32700})


class Unmet(AssertionError):
    """A promise that was not kept, without an error."""


class Request(NamedTuple):
    """Request: its method, its path with the query, and its body."""

    method: str
    path: str
    body: bytes | None


class RestTarget:
    """``hmem serve`` over a memory in a folder; it starts with the first request."""

    def __init__(self, folder: Path, values: Values) -> None:
        """Begin without a server; ``values`` makes what stands in the place of arguments."""
        self._folder = folder
        self._values = values
        self._stack = ExitStack()
        self._address = ""
        self._key = ""
        self._operations = [operation for name, operation in OPERATIONS.items() if name not in _EXCLUDED]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._stack.close()

    def make(self, random: Random) -> Request:
        """Return a request of any operation, with some of its arguments, right ones and others."""
        operation = random.choice(self._operations)
        arguments = _arguments(random, operation.arguments, self._values)
        memory = MEMORY if random.random() < 0.97 else quote(str(self._values(random))[:80].encode("utf-8", "replace"))
        path = operation.path if operation.path.startswith("/") else f"/memories/{memory}/{operation.path}".rstrip("/")
        if operation.method == "GET":
            query = {name: _text(value) for name, value in arguments.items()}
            return Request("GET", f"/v1{path}?{urlencode(query, errors='replace')}", None)
        body = json.dumps(arguments).encode()
        if random.random() < 0.1:
            cut = random.randrange(len(body) + 1)
            body = random.choice((body[:cut], body + body, b"[" * 5_000, b"\xff" + body, b'{"a":' * 5_000, b"null"))
        return Request(operation.method, f"/v1{path}", body)

    def meet(self, request: Request) -> None:
        """Send a request, and see that it is answered as promised.

        Raises:
            Unmet: the answer is a fault, or none.
        """
        if not self._address:
            root = self._folder / "served"
            root.mkdir(mode=0o700, exist_ok=True)
            self._address, self._key = self._stack.enter_context(serving(root))
            fill(self._address, self._key)
        line = HTTPConnection(urlsplit(self._address).netloc, timeout=_SECONDS)
        head = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        try:
            line.request(request.method, request.path, request.body, head)
            answer = line.getresponse()
            status, body = answer.status, answer.read()
        except (OSError, HTTPException) as error:
            raise Unmet(f"no answer: {error!r}") from error
        finally:
            line.close()
        if status >= _FAULT and status not in _REFUSALS:
            raise Unmet(f"status {status}: {body[:200]!r}")
        try:
            json.loads(body)
        except ValueError as error:
            raise Unmet(f"status {status}, and no JSON: {body[:200]!r}") from error


class Mcp:
    """``hmem mcp`` with all tools over a memory in a folder; it starts with the first call."""

    def __init__(self, folder: Path, values: Values) -> None:
        """Begin without a server; ``values`` makes what stands in the place of arguments."""
        self._folder = folder
        self._values = values
        self._process: subprocess.Popen[bytes] | None = None
        self._number = 0
        self._tools: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._process is not None:
            self._process.communicate(timeout=_SECONDS)

    def make(self, random: Random) -> tuple[int, Any]:
        """Return the index of the tool to call, and the seed of its arguments."""
        return random.randrange(1_000), random

    def meet(self, call: tuple[int, Random]) -> None:
        """Call a tool, and see that it answers or refuses by name.

        Raises:
            Unmet: it does neither.
        """
        if self._process is None:
            self._start()
        index, random = call
        tool = self._tools[index % len(self._tools)]
        properties: dict[str, Any] = tool["inputSchema"]["properties"]
        arguments: Any = {name: self._value(random, name) for name in properties if random.random() < 0.6}
        if random.random() < 0.05:
            arguments = self._values(random)
        answer = self._ask("tools/call", {"name": tool["name"], "arguments": arguments})
        if "error" in answer:
            if answer["error"]["code"] not in _MALFORMED:
                raise Unmet(f"{tool['name']} {arguments!r}: {answer['error']}"[:300])
            return
        result = answer["result"]
        if result.get("isError") and not _ERROR_NAME.match(text := result["content"][0]["text"]):
            raise Unmet(f"{tool['name']} {arguments!r}: {text}"[:300])

    def _value(self, random: Random, name: str) -> Any:
        return _argument(random, name, self._values)

    def _start(self) -> None:
        memory = self._folder / "mcp.hmem"
        command = [sys.executable, "-m", "hmem", "mcp", "--memory", str(memory), "--tools", "all"]
        self._process = subprocess.Popen(  # noqa: S603
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        client = {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": {"name": "fuzz", "version": "1"}}
        self._ask("initialize", client)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self._tools = self._ask("tools/list", {})["result"]["tools"]

    def _ask(self, method: str, parameters: Any) -> dict[str, Any]:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters})
        assert self._process is not None  # noqa: S101 - for the type checker
        assert self._process.stdout is not None  # noqa: S101 - for the type checker
        # A server that does not answer is ended, which is a finding.
        late = Timer(_SECONDS, self._process.kill)
        late.start()
        try:
            while line := self._process.stdout.readline():
                answer = json.loads(line)
                if answer.get("id") in (None, self._number) and "method" not in answer:
                    return answer
        finally:
            late.cancel()
        self._process.communicate()
        self._process = None
        raise Unmet(f"no answer to {method} {str(parameters)[:200]}")

    def _send(self, message: Any) -> None:
        assert self._process is not None  # noqa: S101 - for the type checker
        assert self._process.stdin is not None  # noqa: S101 - for the type checker
        # The SDK drops a line with half of a character, and answers nothing.
        line = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")
        self._process.stdin.write(line + b"\n")
        self._process.stdin.flush()


def offers_mcp() -> bool:
    """Tell if the extra of ``hmem mcp`` is installed."""
    return find_spec("mcp") is not None


# Arguments.

_USUAL: Final[dict[str, tuple[Any, ...]]] = {
    "question": ("Who adopted a puppy?", "where did we move?", ""),
    "text": ("We moved to Porto in May", ""),
    "messages": ([{"text": "I bake"}, {"role": "user", "content": "Hi"}, {"text": 3}],),
    "ids": (["turn_01HBGXNJ80000000000000TZR0"], [], ["all"]),
    "limit": (1, 10, 0, -1, 10**9), "k": (1, 5, 0, -1, 10**9), "max_tokens": (1, 400, 0), "budget": (1, 400, 0),
    "cursor": ("0", "100", "-1"), "as_of": ("2024-05-01", "yesterday"), "valid_at": ("2024-05-01T10:00:00+02:00",),
    "since": ("2024-05-01",), "until": ("2024-05-01",), "at": ("2024-05-01T10:00:00Z",), "by": ("user",),
    "memory": ("project", "user"),
}  # fmt: skip


def _arguments(random: Random, model: type[msgspec.Struct], values: Values) -> dict[str, Any]:
    """Return values for some of the fields of a model, and now and then for one that it has not."""
    names = [field.name for field in msgspec.structs.fields(model) if field.required or random.random() < 0.4]
    if random.random() < 0.03:
        names.append("unknown")
    return {name: _argument(random, name, values) for name in names if random.random() > 0.03}


def _argument(random: Random, name: str, values: Values) -> Any:
    usual = _USUAL.get(name)
    return random.choice(usual) if usual is not None and random.random() < 0.6 else values(random)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
