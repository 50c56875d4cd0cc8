"""The channel to a model: calls from any thread, over connections that all threads share.

The client's packages are imported by the first call, since that takes two seconds. Nothing is retried: whoever queues
calls does that.
"""

import os
import threading
import weakref
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field, replace
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from hmem.errors import ModelUnavailable
from hmem.language.llm import event_loop
from hmem.language.llm.endpoint import ApiKey, CallSettings, Endpoint, Mode, key_for

if TYPE_CHECKING:
    from hmem.language.llm.pydantic_ai_client import PydanticAIClient


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call: the system prompt, the messages of user and model by turns, and the schema of the answer."""

    task: str
    instructions: str
    messages: tuple[str, ...]
    schema: dict[str, Any] = field(repr=False)
    max_tokens: int

    @property
    def length(self) -> int:
        """Characters that are sent."""
        return len(self.instructions) + sum(map(len, self.messages))

    def repaired(self, said: str, complaint: str) -> "ModelCall":
        """Return the call that follows an answer that could not be used: what was said, and what is wrong with it."""
        return replace(self, messages=(*self.messages, said, complaint))


@dataclass(frozen=True, slots=True)
class ModelReply:
    """Text of a model, and what it took. ``cost`` is None where no price is known.

    ``refused``: it said that it will not, or its provider held its answer back.
    """

    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    refused: bool = False


class Channel:
    """The way to the model of an endpoint. Safe to use from several threads.

    Calls raise ``ModelUnavailable`` when the provider cannot be reached, is too slow, fails, asks to wait, or rejects
    the call.
    """

    def __init__(
        self, endpoint: Endpoint, settings: CallSettings, *, key: Callable[[Endpoint], ApiKey] = key_for
    ) -> None:
        self.endpoint = endpoint
        self.settings = settings
        self._key = key
        self._free = threading.BoundedSemaphore(settings.concurrency)
        self._lock = threading.Lock()
        self._client: PydanticAIClient | None = None
        self._closing: Callable[[], object] = lambda: None
        self._process = 0

    def __repr__(self) -> str:
        return f"Channel({self.endpoint.name})"

    @property
    def mode(self) -> Mode:
        """Way in which the shape of an answer is asked for."""
        return self.client().mode

    def send(self, call: ModelCall) -> ModelReply:
        """Make a call, and wait for its answer."""
        with self.turn():
            client = self.client()
            try:
                return event_loop.run(client.send(call))
            except ModelUnavailable:
                if client.locked_out:
                    # The key is asked for anew: those that a command prints may not last.
                    self.close(client)
                raise

    def stream(self, call: ModelCall, end: Callable[[ModelReply], None]) -> Generator[str]:
        """Make a call, and yield the pieces of its answer as they are generated; ``end`` is told all of it."""
        with self.turn():
            client = self.client()
            queue: SimpleQueue[str | None] = SimpleQueue()
            future = event_loop.start(_pump(client.stream(call, end), queue))
            # Also of one that is cancelled before it began.
            future.add_done_callback(lambda _: queue.put(None))
            try:
                while (piece := queue.get()) is not None:
                    yield piece
                event_loop.awaited(future)
            finally:
                future.cancel()

    def client(self) -> "PydanticAIClient":
        """Return the client, opened now if none is in this process."""
        from hmem.language.llm.pydantic_ai_client import PydanticAIClient  # noqa: PLC0415 - takes two seconds

        with self._lock:
            if self._client is None or self._process != os.getpid():
                self._client = PydanticAIClient(self.endpoint, self.settings, self._key(self.endpoint))
                self._process = os.getpid()
                # Also when nobody holds the channel any more, and at the end of the process, before the loop ends.
                self._closing = weakref.finalize(self, _close, self._client, self._process)
            return self._client

    def close(self, only: "PydanticAIClient | None" = None) -> None:
        """Close the connections; with ``only``, if they are that client's. They are opened again when it is used."""
        with self._lock:
            if self._client is None or (only is not None and self._client is not only):
                return
            self._client = None
        self._closing()

    @contextmanager
    def turn(self) -> Generator[None]:
        """Wait for one of the calls that may be made at once."""
        if not self._free.acquire(timeout=self.settings.timeout):
            raise ModelUnavailable(
                f"{self.settings.concurrency} calls to {self.endpoint.name} are under way for longer than "
                f"{self.settings.timeout:g} s - raise HMEM_MODEL_CONCURRENCY or try again later"
            )
        try:
            yield
        finally:
            self._free.release()


def _close(client: "PydanticAIClient", process: int) -> None:
    if process == os.getpid():
        event_loop.finish(client.close())


async def _pump(said: AsyncGenerator[str], queue: "SimpleQueue[str | None]") -> None:
    async with aclosing(said) as pieces:
        async for piece in pieces:
            queue.put(piece)
