"""What goes to a model and what comes back, whatever library carries it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from hmem.language.analyst.model.endpoint import CallSettings, Endpoint, Mode


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call: the system prompt, the messages of user and model by turns, and the shape of the answer."""

    task: str
    instructions: str
    messages: tuple[str, ...]
    schema: dict[str, Any] = field(repr=False)
    max_tokens: int

    @property
    def length(self) -> int:
        """Characters that are sent."""
        return len(self.instructions) + sum(map(len, self.messages))

    def mended(self, said: str, complaint: str) -> "ModelCall":
        """The call that comes after an answer that could not be used: what was said, and what is wrong with it."""
        return ModelCall(self.task, self.instructions, (*self.messages, said, complaint), self.schema, self.max_tokens)


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model said, and what it took. ``cost`` is None where no price is known.

    ``refused``: it said that it will not, or its provider held its answer back.
    """

    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    refused: bool = False


class Streaming(Protocol):
    """A call whose answer is being said."""

    def __iter__(self) -> Iterator[str]:
        """The pieces of the answer, as they come."""
        ...

    def said(self) -> ModelReply:
        """All that was said so far."""
        ...


class Channel(Protocol):
    """The way to a model. Safe to use from several threads."""

    @property
    def endpoint(self) -> Endpoint: ...

    @property
    def manner(self) -> CallSettings: ...

    @property
    def mode(self) -> Mode:
        """How the shape of an answer is asked for."""
        ...

    def send(self, demand: ModelCall) -> ModelReply:
        """Make a call, and wait for its answer.

        Raises:
            ModelUnavailable: the provider cannot be reached, is too slow, fails, asks to wait, or rejects the call.
        """
        ...

    def stream(self, demand: ModelCall) -> Streaming:
        """Make a call whose answer is given as it is said. Errors are those of ``send``, raised by its iterator."""
        ...

    def close(self) -> None:
        """Close its connections. It opens new ones when it is used again."""
        ...
