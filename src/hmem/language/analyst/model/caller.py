"""The caller: one logical call to a model, within its budget, checked, and repaired once."""

from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from hmem.errors import ModelError, ModelGarbled
from hmem.language.analyst.model.channel import Channel, ModelCall, ModelReply, Streaming
from hmem.language.analyst.model.pricing import price_of_tokens
from hmem.language.analyst.model.purse import BudgetGuard
from hmem.language.analyst.model.salvage import NotJson, repaired_json
from hmem.language.analyst.model.tasks import Task
from hmem.language.analyst.model.wire import as_json, block
from hmem.language.analyst.spending import Budget, SpendingLedger, Spent
from hmem.language.analyst.work import Room

Output = TypeVar("Output", bound=BaseModel)

# Says what an answer that is well formed still lacks, None when nothing.
Lacking = Callable[[Output], str | None]

_MEND: Final = "take a larger model, or try `#tool` or `#prompted` behind its name"
# Faults and characters of a complaint, and of what was said, that a repair shows.
_FAULTS: Final = 5
_SHOWN: Final = 12_000
_COMPLAINT: Final = (
    "That answer cannot be used: {fault}. Do the same task on the same data again. Answer with one JSON object and "
    "nothing else, which fits this JSON schema: {schema}"
)


class Caller:
    """Asks a model. Safe to use from several threads."""

    def __init__(self, channel: Channel, ledger: SpendingLedger | None = None, budget: Budget | None = None) -> None:
        self._channel = channel
        self._purse = BudgetGuard(channel.endpoint.name, ledger, budget or Budget())

    def __repr__(self) -> str:
        return f"Caller({self.name})"

    @property
    def name(self) -> str:
        """What the model is called by: ``openai:gpt-4o-mini``."""
        return self._channel.endpoint.name

    @property
    def mode(self) -> str:
        """How the shape of an answer is asked for: ``native``, ``tool`` or ``prompted``."""
        return self._channel.mode

    @property
    def room(self) -> Room:
        """How many tokens a call may show, and its answer have."""
        manner = self._channel.manner
        return Room(manner.input_tokens, manner.max_tokens)

    @property
    def spent(self) -> Spent:
        """What was asked through this caller has taken so far."""
        return self._purse.spent

    def cost(self, input_tokens: int, output_tokens: int) -> float | None:
        """What so many tokens cost, as far as it is known without asking anybody."""
        return price_of_tokens(self._channel.endpoint, self._channel.manner, input_tokens, output_tokens)

    def charged(self, ledger: SpendingLedger | None, budget: Budget) -> "Caller":
        """The same model, charged to a memory's ledger and held to a budget.

        What is asked through it counts as one call of the memory's interface: take a new one for each.
        """
        return Caller(self._channel, ledger, budget)

    def close(self) -> None:
        """Close the connections. They are opened again when it is used again."""
        self._channel.close()

    def ask(
        self, task: Task[Output], data: Mapping[str, Any], *, purpose: str, lacking: Lacking[Output] | None = None
    ) -> Output:
        """What the model says of the data: one call, and at most one more that shows it what was wrong.

        Raises:
            ModelUnavailable: the provider cannot be reached, fails, or asks to wait.
            ModelGarbled: what was said cannot be used, even after a repair.
            BudgetSpent: nothing more may be spent.
        """
        demand = _demand(task, data)
        said = self._send(demand, purpose)
        usable, fault = _understood(task, said, lacking)
        if fault is None and usable is not None:
            return usable
        try:
            mended = self._send(demand.mended(said.text[:_SHOWN], _complaint(task, fault)), purpose)
            better, still = _understood(task, mended, lacking)
        except ModelError:
            if usable is not None:
                return usable
            raise
        if better is not None and (still is None or usable is None):
            return better
        if usable is not None:
            return usable
        self._purse.record(purpose, Spent(failures=1), None)
        raise ModelGarbled(f"{self.name} was asked twice to {task.name} and cannot be understood: {still} - {_MEND}")

    def stream(self, task: Task[Output], data: Mapping[str, Any], *, purpose: str) -> "Streamed[Output]":
        """The same as it is being said: iterate over the pieces of its JSON, then take ``output()``.

        Its iterator raises:
            ModelUnavailable: the provider cannot be reached, fails, or asks to wait.
            BudgetSpent: nothing more may be spent.
        """
        return Streamed(self._channel.stream(_demand(task, data)), task, self._purse, _demand(task, data), purpose)

    def _send(self, demand: ModelCall, purpose: str) -> ModelReply:
        """One call on the wire, paid for."""
        with self._purse.paying(demand.length):
            try:
                said = self._channel.send(demand)
            except ModelError:
                self._purse.record(purpose, Spent(calls=1, failures=1), None)
                raise
            spent = Spent(1, said.input_tokens, said.output_tokens)
            unusable = _unusable(self.name, said)
            self._purse.record(purpose, spent if unusable is None else spent + Spent(failures=1), said.cost)
        if unusable is not None:
            raise unusable
        return said


class Streamed(Iterator[str], Generic[Output]):
    """The pieces of an answer's JSON as they are said."""

    def __init__(
        self, streaming: Streaming, task: Task[Output], purse: BudgetGuard, demand: ModelCall, purpose: str
    ) -> None:
        self._streaming = streaming
        self._task = task
        self._pieces = self._paid(purse, demand, purpose)

    def __next__(self) -> str:
        return next(self._pieces)

    def close(self) -> None:
        """Break it off: nothing more is said, nor paid for."""
        self._pieces.close()

    def output(self) -> Output:
        """What was said, once it is said.

        Raises:
            ModelGarbled: it cannot be understood.
        """
        usable, fault = _understood(self._task, self._streaming.said(), None)
        if usable is None:
            raise ModelGarbled(f"what was streamed of {self._task.name} cannot be understood: {fault} - {_MEND}")
        return usable

    def _paid(self, purse: BudgetGuard, demand: ModelCall, purpose: str) -> Generator[str]:
        failures = 1
        with purse.paying(demand.length):
            try:
                yield from self._streaming
                failures = 0
            finally:
                said = self._streaming.said()
                purse.record(purpose, Spent(1, said.input_tokens, said.output_tokens, failures=failures), said.cost)


def _demand(task: Task[Any], data: Mapping[str, Any]) -> ModelCall:
    return ModelCall(task.name, task.instructions, (block(task.name, data),), task.schema, task.max_tokens)


def _unusable(name: str, said: ModelReply) -> ModelGarbled | None:
    """Why there is nothing to understand, if so."""
    if said.refused:
        return ModelGarbled(f"{name} refuses to answer - take another model for such texts")
    if not said.text.strip():
        return ModelGarbled(f"{name} answers nothing - {_MEND}")
    return None


def _understood(
    task: Task[Output], said: ModelReply, lacking: Lacking[Output] | None
) -> tuple[Output | None, str | None]:
    """What was said, as far as it is well formed, and what is wrong with it or lacks."""
    try:
        output = task.output.model_validate(_unwrapped(task, repaired_json(said.text)))
    except NotJson as error:
        return None, str(error)
    except ValidationError as error:
        return None, _faults(error)
    return output, None if lacking is None else lacking(output)


def _unwrapped(task: Task[Any], value: Any) -> Any:
    """An object as asked for, where it was put into a list or under a name of its own."""
    if isinstance(value, list) and len(value) == 1:  # pyright: ignore[reportUnknownArgumentType] - any JSON
        value = value[0]  # pyright: ignore[reportUnknownVariableType]
    fields = task.output.model_fields
    if isinstance(value, dict) and len(value) == 1:  # pyright: ignore[reportUnknownArgumentType]
        ((name, inner),) = value.items()  # pyright: ignore[reportUnknownVariableType]
        if name not in fields and isinstance(inner, dict):
            return inner  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list) and len(fields) == 1:
        return {next(iter(fields)): value}  # pyright: ignore[reportUnknownVariableType]
    return value  # pyright: ignore[reportUnknownVariableType]


def _faults(error: ValidationError) -> str:
    """What is wrong with the shape of an answer, without the answer's own words."""
    said = [
        f"{'.'.join(map(str, fault['loc'])) or 'the answer'}: {fault['msg']}"
        for fault in error.errors(include_url=False, include_context=False, include_input=False)[:_FAULTS]
    ]
    return "; ".join(said)


def _complaint(task: Task[Any], fault: str | None) -> str:
    return _COMPLAINT.format(fault=fault, schema=as_json(task.schema))
