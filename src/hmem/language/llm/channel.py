"""Channel to a model: calls from any thread, over connections that all threads share.

The first call imports the client's packages, since that takes two seconds. Nothing is retried here; the caller's queue
does that.
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
from hmem.util.amounts import amount

if TYPE_CHECKING:
    from hmem.language.llm.pydantic_ai_client import PydanticAIClient


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call: the system prompt and its version, alternating messages of user and model, the schema of the answer."""

    task: str
    instructions: str
    messages: tuple[str, ...]
    schema: dict[str, Any] = field(repr=False)
    max_tokens: int
    version: int = 1

    @property
    def length(self) -> int:
        """Number of characters that are sent."""
        return len(self.instructions) + sum(map(len, self.messages))

    def repaired(self, answer: str, complaint: str) -> "ModelCall":
        """Return the call after an unusable answer, with that answer and a complaint about it."""
        return replace(self, messages=(*self.messages, answer, complaint))


@dataclass(frozen=True, slots=True)
class ModelReply:
    """Text of a model, and its cost. ``cost`` is None if no price is known.

    ``is_refusal`` is True if the model refused, or its provider withheld the answer.
    """

    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    is_refusal: bool = False


class Channel:
    """Channel to the model of an endpoint. Safe to use from several threads.

    Calls raise ``ModelUnavailable`` if the provider cannot be reached, is too slow, fails, asks to wait, or rejects the
    call.
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
        """Way to ask for the shape of an answer."""
        return self.client().mode

    def send(self, call: ModelCall) -> ModelReply:
        """Make a call, and wait for its answer."""
        with self.turn():
            client = self.client()
            try:
                return event_loop.run(client.send(call))
            except ModelUnavailable:
                if client.locked_out:
                    # The next client asks for the key again: a key that a command prints may expire.
                    self.close(client)
                raise

    def stream(self, call: ModelCall, end: Callable[[ModelReply], None]) -> Generator[str]:
        """Make a call, and yield the pieces of its answer as they are generated; ``end`` gets the whole reply."""
        with self.turn():
            client = self.client()
            queue: SimpleQueue[str | None] = SimpleQueue()
            future = event_loop.start(_pump(client.stream(call, end), queue))
            # This runs also if the call is cancelled before it begins.
            future.add_done_callback(lambda _: queue.put(None))
            try:
                while (chunk := queue.get()) is not None:
                    yield chunk
                event_loop.awaited(future)
            finally:
                future.cancel()

    def client(self) -> "PydanticAIClient":
        """Return the client, opened now if this process has none."""
        from hmem.language.llm.pydantic_ai_client import PydanticAIClient  # noqa: PLC0415 - takes two seconds

        with self._lock:
            if self._client is None or self._process != os.getpid():
                self._client = PydanticAIClient(self.endpoint, self.settings, self._key(self.endpoint))
                self._process = os.getpid()
                # Close it also when the channel is garbage, and at the end of the process, before the loop ends.
                self._closing = weakref.finalize(self, _close, self._client, self._process)
            return self._client

    def close(self, only: "PydanticAIClient | None" = None) -> None:
        """Close the connections; with ``only``, only if they are that client's. The next call opens them again."""
        with self._lock:
            if self._client is None or (only is not None and self._client is not only):
                return
            self._client = None
        self._closing()

    @contextmanager
    def turn(self) -> Generator[None]:
        """Wait for a free slot among the concurrent calls.

        Raises:
            ModelUnavailable: no slot became free within the timeout.
        """
        if not self._free.acquire(timeout=self.settings.timeout):
            raise ModelUnavailable(
                f"{amount(self.settings.concurrency, 'call')} to {self.endpoint.name} took for longer than "
                f"{self.settings.timeout:g} s - raise HMEM_MODEL_CONCURRENCY or try again later"
            )
        try:
            yield
        finally:
            self._free.release()


def _close(client: "PydanticAIClient", process: int) -> None:
    if process == os.getpid():
        event_loop.finish(client.close())


async def _pump(stream: AsyncGenerator[str], queue: "SimpleQueue[str | None]") -> None:
    async with aclosing(stream) as chunks:
        async for chunk in chunks:
            queue.put(chunk)
