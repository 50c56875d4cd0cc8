"""What comes over the line to a server as it is being said."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.serving import serving

import hmem
from hmem import Answer, AsyncMemory, Memory
from hmem.errors import InvalidQuery, MemoryBusy, MemoryClosed, ServerFault, ServerUnavailable
from hmem.interfaces.client.transport import HttpTransport
from hmem_testing.fake_llm import ReplyRule, StandIn

PAUSE = 0.3
# Nobody waits for so long.
SECONDS = 60
SAID = "A puppy named Coco,\u2028two weeks before she moved to Porto \x85 with everything that she had"
LONG = [
    ReplyRule("json", task="answer", content={"answer": SAID * 1_000, "citations": [1], "confidence": 0.9}, pause=0.05)
]


@pytest.mark.parametrize("workers", [0, 2])
def test_pieces_come_as_the_model_says_them(tmp_path: Path, workers: int) -> None:
    answer = {"answer": SAID, "citations": [1], "confidence": 0.9}
    with StandIn([ReplyRule("json", task="answer", content=answer, pause=PAUSE)]) as model:
        with Memory(tmp_path / "a.hmem", analyst=f"openai:m@{model.url}") as memory:
            memory.add("I adopted a puppy named Coco two weeks ago", speaker="Maria")
        with serving(tmp_path, workers=workers) as site, hmem.connect(f"{site.address}/a") as elsewhere:
            came = [(piece, time.monotonic()) for piece in elsewhere.ask_stream("When did Maria adopt Coco?")]
    (*pieces, (last, _)) = came
    assert isinstance(last, Answer)
    whole = sum(term.contribution for term in last.evidence[0].why.terms.values())
    assert last.evidence[0].score == pytest.approx(whole)
    assert len(pieces) > 2
    assert "".join(str(piece) for piece, _ in pieces) == last.text == SAID
    # All at once, they would come within one pause of the model's.
    assert pieces[-1][1] - pieces[0][1] > PAUSE


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[StandIn]:
    """A model that says more than anybody waits for, to a memory that is there."""
    with StandIn(LONG) as model:
        with Memory(tmp_path / "a.hmem", analyst=f"openai:m@{model.url}") as memory:
            memory.add("I adopted a puppy named Coco two weeks ago", speaker="Maria")
        yield model


def test_a_model_is_not_waited_for_when_nobody_reads_on(tmp_path: Path, slow: StandIn) -> None:
    with Memory(tmp_path / "a.hmem") as memory:
        pieces = memory.ask_stream("When did Maria adopt Coco?")
        assert next(pieces)
        del pieces
        until(lambda: slow.disconnected == 1)
        slow.follow([ReplyRule("slow", task="plan", seconds=SECONDS)])
        asyncio.run(cancelled(AsyncMemory(memory), slow))
        until(lambda: slow.disconnected == 2)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_model_is_not_waited_for_when_the_reader_went_away(tmp_path: Path, slow: StandIn, workers: int) -> None:
    with serving(tmp_path, workers=workers) as site, hmem.connect(f"{site.address}/a") as elsewhere:
        pieces = elsewhere.ask_stream("When did Maria adopt Coco?")
        assert next(pieces)
        del pieces
        until(lambda: slow.disconnected == 1)
        # Before anything was said.
        slow.follow([ReplyRule("slow", task="plan", seconds=SECONDS)])
        body, count = b'{"question": "What is the name of the puppy?"}', slow.count
        head = f"POST /v1/memories/a/ask/stream HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
        with socket.create_connection(("127.0.0.1", site.port)) as line:
            line.sendall(head.encode() + b"Content-Type: application/json\r\n\r\n" + body)
            until(lambda: slow.count > count)
        until(lambda: slow.disconnected == 2)


async def cancelled(memory: AsyncMemory, model: StandIn) -> None:
    pieces = await memory.ask_stream("Who is the puppy's owner?")
    task, count = asyncio.ensure_future(anext(pieces)), model.count
    while model.count == count:
        await asyncio.sleep(0.01)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


def until(done: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS / 2
    while not done():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_what_cannot_be_asked_is_told_at_once_and_a_closed_line_is_closed(tmp_path: Path) -> None:
    Memory(tmp_path / "a.hmem").close()
    with serving(tmp_path) as site:
        memory = hmem.connect(f"{site.address}/a")
        with pytest.raises(InvalidQuery):
            memory.ask_stream(" ")
        assert [type(piece) for piece in memory.as_of("2020-01-01").ask_stream("Who is Coco?")] == [str, Answer]
        memory.close()
        with pytest.raises(MemoryClosed):
            memory.ask_stream("Who is Coco?")


@pytest.fixture
def broken() -> Iterator[tuple[str, list[bytes]]]:
    """A server that says what it is told to, and hangs up."""
    said: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Content-Length", "99999")
            self.end_headers()
            self.wfile.write(b"".join(said))

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}", said
    server.shutdown()
    thread.join()
    server.server_close()


def test_what_breaks_amid_an_answer_is_a_named_error(broken: tuple[str, list[bytes]]) -> None:
    url, said = broken
    memory = hmem.connect(f"{url}/a", retries=1)
    piece = b'event: piece\ndata: "A pup"\n\n'
    problem = json.dumps({"name": "MemoryBusy", "detail": "the memory is locked - try again"}).encode()
    for after, error in (
        (b"", ServerUnavailable),
        (b"event: problem\ndata: " + problem + b"\n\n", MemoryBusy),
        (b"event: answer\ndata: {\n\n", ServerFault),
        (b'event: answer\ndata: {"text": 3}\n\n', ServerFault),
    ):
        said[:] = [piece, after]
        pieces = memory.ask_stream("Who is Coco?")
        assert next(pieces) == "A pup"
        with pytest.raises(error):
            next(pieces)
    said.clear()
    with pytest.raises(ServerUnavailable):
        memory.ask_stream("Who is Coco?")
    memory.close()


def test_a_retry_waits_as_long_as_the_server_asks() -> None:
    asked_at: list[float] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked_at.append(time.monotonic())
            away = {"name": "StorageUnavailable", "detail": "the storage is away - try again"}
            body = json.dumps(away if len(asked_at) == 1 else {}).encode()
            self.send_response(503 if len(asked_at) == 1 else 200)
            self.send_header("Retry-After", "1")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        transport = HttpTransport(f"http://127.0.0.1:{server.server_address[1]}", None, 5.0, 1)
        assert transport.read("GET", "memories/a") == {}
        transport.close()
        server.shutdown()
    first, second = asked_at
    assert second - first >= 1
