"""What the stand-in was asked: a record of its calls."""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from typing import Any, Final

_KEPT: Final = 10_000


@dataclass(frozen=True, slots=True)
class Call:
    """One call: its number from 1, its task, what was done, when it came, and what it took.

    ``task`` is the name of the schema or tool that was asked for; ``chat`` without one; else ``embeddings`` or
    ``rerank``. ``did`` is a doing of the script. ``request`` is the body as it came; it holds no key.
    """

    number: int
    task: str
    did: str
    at: datetime
    status: int
    input_tokens: int
    output_tokens: int
    stream: bool = False
    model: str = ""
    request: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False, compare=False)

    @property
    def told(self) -> dict[str, Any]:
        """What ``GET /calls`` tells of it: all but the request."""
        names = ("number", "task", "did", "status", "input_tokens", "output_tokens", "stream", "model")
        return {**{name: getattr(self, name) for name in names}, "at": self.at.isoformat()}


class Record:
    """The latest calls, in the order in which they came. Safe to use from several threads."""

    def __init__(self) -> None:
        self._calls: deque[Call] = deque(maxlen=_KEPT)
        self._lock = Lock()
        self._count = 0
        self._left = 0

    def number(self) -> int:
        """The number of a call that has just come."""
        with self._lock:
            self._count += 1
            return self._count

    @property
    def count(self) -> int:
        """How many calls have come."""
        with self._lock:
            return self._count

    @property
    def left(self) -> int:
        """How many clients went away before all was said."""
        with self._lock:
            return self._left

    def leave(self) -> None:
        """A client went away."""
        with self._lock:
            self._left += 1

    def keep(self, call: Call) -> None:
        """Keep a call."""
        with self._lock:
            self._calls.append(call)

    def clear(self) -> None:
        """Forget the calls; their numbers go on."""
        with self._lock:
            self._calls.clear()

    def __iter__(self) -> Iterator[Call]:
        with self._lock:
            kept = list(self._calls)
        return iter(sorted(kept, key=lambda call: call.number))
