"""Calls to models through Pydantic AI: its models speak each provider's protocol, and its errors say what went wrong.

The library is imported by the first call, since it takes two seconds. It retries nothing: whoever queues calls does.
"""

import os
import threading
import weakref
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from contextlib import aclosing, contextmanager
from queue import SimpleQueue
from typing import TYPE_CHECKING

from hmem.errors import ModelUnavailable
from hmem.language.analyst.model import loop
from hmem.language.analyst.model.channel import ModelCall, ModelReply
from hmem.language.analyst.model.endpoint import CallSettings, Endpoint, Mode
from hmem.language.analyst.model.keys import ApiKey, key_for

if TYPE_CHECKING:
    from hmem.language.analyst.model.carrying import PydanticAIClient


class _Hold:
    """What a channel has open. It outlives the channel, so that it can be closed when nobody holds that any more."""

    def __init__(self) -> None:
        self._carrier: PydanticAIClient | None = None
        self._process = 0
        self._lock = threading.RLock()

    def get(self, opened: "Callable[[], PydanticAIClient]") -> "PydanticAIClient":
        """What is open, opened now if nothing is in this process."""
        with self._lock:
            if self._carrier is None or self._process != os.getpid():
                self._carrier = opened()
                self._process = os.getpid()
            return self._carrier

    def close(self, only: "PydanticAIClient | None" = None) -> None:
        """Close it; when ``only`` is given, if it is that one."""
        with self._lock:
            carrier = self._carrier
            if carrier is None or (only is not None and carrier is not only):
                return
            self._carrier = None
        if self._process == os.getpid():
            loop.finish(carrier.close())


class ProviderChannel:
    """The way to the model of an endpoint. Safe to use from several threads."""

    def __init__(
        self, endpoint: Endpoint, manner: CallSettings, *, key: Callable[[Endpoint], ApiKey] = key_for
    ) -> None:
        self.endpoint = endpoint
        self.manner = manner
        self._key = key
        self._free = threading.BoundedSemaphore(manner.concurrency)
        self._hold = _Hold()
        # Also at the end of the process, before the loop ends.
        weakref.finalize(self, self._hold.close)

    def __repr__(self) -> str:
        return f"ProviderChannel({self.endpoint.name})"

    @property
    def mode(self) -> Mode:
        return self.carrier().mode

    def send(self, demand: ModelCall) -> ModelReply:
        with self.turn():
            carrier = self.carrier()
            try:
                return loop.run(carrier.send(demand))
            except ModelUnavailable:
                if carrier.locked_out:
                    # The key is asked for anew: those that a command prints may not last.
                    self._hold.close(carrier)
                raise

    def stream(self, demand: ModelCall) -> "ProviderStream":
        return ProviderStream(self, demand)

    def close(self) -> None:
        self._hold.close()

    def carrier(self) -> "PydanticAIClient":
        """What makes the calls."""
        return self._hold.get(self._opened)

    def _opened(self) -> "PydanticAIClient":
        from hmem.language.analyst.model.carrying import PydanticAIClient  # noqa: PLC0415 - takes two seconds

        return PydanticAIClient(self.endpoint, self.manner, self._key(self.endpoint))

    @contextmanager
    def turn(self) -> Generator[None]:
        """Wait for one of the calls that may be made at once."""
        if not self._free.acquire(timeout=self.manner.timeout):
            raise ModelUnavailable(
                f"{self.manner.concurrency} calls to {self.endpoint.name} are under way for longer than "
                f"{self.manner.timeout:g} s - raise HMEM_MODEL_CONCURRENCY or try again later"
            )
        try:
            yield
        finally:
            self._free.release()


class ProviderStream:
    """An answer as it is said. It is asked for when it is first iterated over."""

    def __init__(self, channel: ProviderChannel, demand: ModelCall) -> None:
        self._channel = channel
        self._demand = demand
        self._pieces: list[str] = []
        self._last: ModelReply | None = None

    def __iter__(self) -> Iterator[str]:
        with self._channel.turn():
            carrier = self._channel.carrier()
            queue: SimpleQueue[str | None] = SimpleQueue()
            future = loop.start(self._pump(carrier.stream(self._demand, self._end), queue))
            # Also of one that is cancelled before it began.
            future.add_done_callback(lambda _: queue.put(None))
            try:
                while (piece := queue.get()) is not None:
                    self._pieces.append(piece)
                    yield piece
                loop.awaited(future)
            finally:
                future.cancel()

    def said(self) -> ModelReply:
        return self._last or ModelReply("".join(self._pieces))

    def _end(self, said: ModelReply) -> None:
        self._last = said

    @staticmethod
    async def _pump(said: AsyncGenerator[str], queue: "SimpleQueue[str | None]") -> None:
        async with aclosing(said) as pieces:
            async for piece in pieces:
                queue.put(piece)
