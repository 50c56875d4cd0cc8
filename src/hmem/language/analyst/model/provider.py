"""Calls to models through Pydantic AI: its models speak each provider's protocol, and its errors say what went wrong.

The library is imported by the first call, since it takes two seconds. It retries nothing: whoever queues calls does.
"""

import atexit
import os
import threading
import weakref
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import TYPE_CHECKING

from hmem.errors import ModelUnavailable
from hmem.language.analyst.model import loop
from hmem.language.analyst.model.channel import Demand, Said
from hmem.language.analyst.model.endpoint import Endpoint, Manner, Mode
from hmem.language.analyst.model.keys import Key, key_for

if TYPE_CHECKING:
    from hmem.language.analyst.model.carrying import Carrier


class ProviderChannel:
    """The way to the model of an endpoint. Safe to use from several threads, and after a fork."""

    def __init__(self, endpoint: Endpoint, manner: Manner, *, key: Callable[[Endpoint], Key] = key_for) -> None:
        self.endpoint = endpoint
        self.manner = manner
        self._key = key
        self._free = threading.BoundedSemaphore(manner.concurrency)
        self._lock = threading.Lock()
        self._carrier: Carrier | None = None
        self._process = 0
        _OPEN.add(self)

    def __repr__(self) -> str:
        return f"ProviderChannel({self.endpoint.name})"

    @property
    def mode(self) -> Mode:
        return self._carried.mode

    def send(self, demand: Demand) -> Said:
        with self._turn():
            carrier = self._carried
            try:
                return loop.run(carrier.send(demand))
            except ModelUnavailable:
                self._drop_if_locked_out(carrier)
                raise

    def stream(self, demand: Demand) -> "ProviderStream":
        return ProviderStream(self, demand)

    def close(self) -> None:
        with self._lock:
            carrier, self._carrier = self._carrier, None
        if carrier is not None and self._process == os.getpid():
            loop.run(carrier.close())

    @property
    def _carried(self) -> "Carrier":
        from hmem.language.analyst.model.carrying import Carrier  # noqa: PLC0415 - takes two seconds

        with self._lock:
            if self._carrier is None or self._process != os.getpid():
                self._carrier = Carrier(self.endpoint, self.manner, self._key(self.endpoint))
                self._process = os.getpid()
            return self._carrier

    def _drop_if_locked_out(self, carrier: "Carrier") -> None:
        """Ask for the key anew after it was not accepted: those that a command prints may not last."""
        with self._lock:
            if not carrier.locked_out or self._carrier is not carrier:
                return
            self._carrier = None
        loop.run(carrier.close())

    @contextmanager
    def _turn(self) -> Generator[None]:
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

    def __init__(self, channel: ProviderChannel, demand: Demand) -> None:
        self._channel = channel
        self._demand = demand
        self._pieces: list[str] = []
        self._last: Said | None = None

    def __iter__(self) -> Iterator[str]:
        with self._channel._turn():  # pyright: ignore[reportPrivateUsage] - one class in two
            carrier = self._channel._carried  # pyright: ignore[reportPrivateUsage]
            queue: SimpleQueue[str | None] = SimpleQueue()
            future = loop.start(self._pump(carrier.stream(self._demand, self._end), queue))
            try:
                while (piece := queue.get()) is not None:
                    self._pieces.append(piece)
                    yield piece
                future.result()
            finally:
                future.cancel()

    def said(self) -> Said:
        return self._last or Said("".join(self._pieces))

    def _end(self, said: Said) -> None:
        self._last = said

    @staticmethod
    async def _pump(pieces: AsyncIterator[str], queue: "SimpleQueue[str | None]") -> None:
        try:
            async for piece in pieces:
                queue.put(piece)
        finally:
            queue.put(None)


_OPEN: "weakref.WeakSet[ProviderChannel]" = weakref.WeakSet()


def close_all() -> None:
    """Close the connections of every channel of this process."""
    for channel in list(_OPEN):
        channel.close()


# Registered after the loop, so it comes before the loop's own end.
atexit.register(close_all)
