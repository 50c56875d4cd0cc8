"""One logical call to a model: held to a budget, validated, and repaired once."""

import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any, Final, Generic, Self

from pydantic import ValidationError

from hmem.errors import BudgetSpent, ModelError, ModelGarbled, ModelPending
from hmem.language.analyst.language_model import Room
from hmem.language.analyst.spending import Budget, Limits, ModelUsage, SpendingLedger
from hmem.language.llm.channel import Channel, ModelCall, ModelReply
from hmem.language.llm.endpoint import price_of
from hmem.language.llm.json_output import NotJson, repaired_json
from hmem.language.llm.tasks import Output, Task, as_json, block
from hmem.util.amounts import amount

# Characters per token: few, so that the length of a call is rather over- than underestimated.
_LETTERS: Final = 3.5


class BudgetGuard:
    """Budget of one call of a memory's interface: checked before each model call, and charged after it.

    Safe to use from several threads.
    """

    def __init__(self, name: str, ledger: SpendingLedger | None, budget: Budget) -> None:
        self._name = name
        self._ledger = ledger
        self._budget = budget
        self._lock = threading.Lock()
        self._spent = ModelUsage()
        self._pending = ModelUsage()

    @property
    def usage(self) -> ModelUsage:
        """Spending so far."""
        with self._lock:
            return self._spent

    @contextmanager
    def paying(self, letters: int) -> Generator[None]:
        """Reserve the budget of a call of ``letters`` characters while it is made.

        Raises:
            BudgetSpent: the budget has no room for it.
        """
        call = ModelUsage(calls=1, input_tokens=int(letters / _LETTERS))
        with self._lock:
            self._check(call + self._pending)
            self._pending += call
        try:
            yield
        finally:
            with self._lock:
                self._pending += ModelUsage(-call.calls, -call.input_tokens)

    def record(self, purpose: str, usage: ModelUsage) -> None:
        """Record spending for a purpose."""
        with self._lock:
            self._spent += usage
        if self._ledger is not None:
            self._ledger.record(purpose, self._name, usage)

    def _check(self, call: ModelUsage) -> None:
        _check_limits(self._budget.call, self._spent, call, "this call", "raise the budget of a call")
        if self._ledger is None:
            return
        if self._budget.day != Limits():
            _check_limits(
                self._budget.day, self._ledger.spent_today(), call, "today", "raise it, or wait for tomorrow (UTC)"
            )
        if self._budget.memory != Limits():
            _check_limits(self._budget.memory, self._ledger.spent_in_memory(), call, "this memory", "raise it")


def _check_limits(limits: Limits, usage: ModelUsage, call: ModelUsage, window: str, mend: str) -> None:
    """Check past and coming spending against the limits of a window.

    Raises:
        BudgetSpent: a limit would be exceeded.
    """
    for unit, limit, used, extra in (
        ("call", limits.calls, usage.calls, call.calls),
        ("token", limits.tokens, usage.tokens, call.tokens),
    ):
        if limit is not None and used + extra > limit:
            overrun = f"{used:,} of {amount(limit, unit)} spent, {extra:,} more asked for"
            raise BudgetSpent(f"the budget of {window} has no room: {overrun} - {mend}")
    if limits.cost is not None and usage.cost >= limits.cost:
        raise BudgetSpent(f"the budget of {window} is spent: {usage.cost:.4f} of {limits.cost:.4f} - {mend}")


# Check that says what a well-formed answer still lacks, None if nothing.
FaultFinder = Callable[[Output], str | None]

_MEND: Final = "take a larger model, or try `#tool` or `#prompted` behind its name"
# Most faults, and characters of the first reply, that a repair shows.
_FAULTS: Final = 5
_REPLY_LENGTH: Final = 12_000
_COMPLAINT: Final = (
    "That answer cannot be used: {fault}. Do the same task on the same data again. Answer with one JSON object and "
    "nothing else, which fits this JSON schema: {schema}"
)


class Caller:
    """Client of a model with a budget. Safe to use from several threads."""

    def __init__(self, channel: Channel, ledger: SpendingLedger | None = None, budget: Budget | None = None) -> None:
        self._channel = channel
        self._guard = BudgetGuard(channel.endpoint.name, ledger, budget or Budget())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name})"

    @property
    def name(self) -> str:
        """Name of the model: ``openai:gpt-4o-mini``."""
        return self._channel.endpoint.name

    @property
    def mode(self) -> str:
        """Way to ask for the shape of an answer: ``native``, ``tool`` or ``prompted``."""
        return self._channel.mode

    @property
    def room(self) -> Room:
        """Tokens that a call may show, and that its answer may have."""
        return Room(self._channel.settings.input_tokens, self._channel.settings.max_tokens)

    @property
    def usage(self) -> ModelUsage:
        """Spending through this caller so far."""
        return self._guard.usage

    def cost(self, input_tokens: int, output_tokens: int) -> float | None:
        """Return the price of uncached tokens, without any request; None if it is unknown."""
        from genai_prices import Usage  # noqa: PLC0415 - takes a while, and few ask

        usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
        return price_of(self._channel.endpoint, self._channel.settings, usage)

    def charged(self, ledger: SpendingLedger | None, budget: Budget) -> Self:
        """Return the same model, charged to a memory's ledger and held to a budget.

        All its calls count as one call of the memory's interface: take a new one for each.
        """
        return type(self)(self._channel, ledger, budget)

    def close(self) -> None:
        """Close the connections; the next call opens them again."""
        self._channel.close()

    def ask(
        self,
        task: Task[Output],
        data: Mapping[str, Any],
        *,
        purpose: str,
        find_fault: FaultFinder[Output] | None = None,
    ) -> Output:
        """Ask for the output of a task: one call, and at most one more that shows the model its faults.

        Raises:
            ModelUnavailable: the provider cannot be reached, fails, or asks to wait.
            ModelGarbled: the reply cannot be used, even after a repair.
            BudgetSpent: nothing more may be spent.
        """
        call = _call(task, data)
        reply = self._send(call, purpose)
        usable, fault = _understood(task, reply, find_fault)
        if fault is None and usable is not None:
            return usable
        try:
            complaint = _COMPLAINT.format(fault=fault, schema=as_json(task.schema))
            second_reply = self._send(call.repaired(reply.text[:_REPLY_LENGTH], complaint), purpose)
            better, still = _understood(task, second_reply, find_fault)
        except ModelError:
            if usable is not None:
                return usable
            raise
        if better is not None and (still is None or usable is None):
            return better
        if usable is not None:
            return usable
        self._guard.record(purpose, ModelUsage(failures=1))
        raise ModelGarbled(f"{self.name} was asked twice to {task.name} and cannot be understood: {still} - {_MEND}")

    def stream(self, task: Task[Output], data: Mapping[str, Any], *, purpose: str) -> "JsonStream[Output]":
        """Ask as a stream: iterate over the pieces of its JSON, then call ``output()``.

        Iteration raises the errors of ``ask`` for an unavailable model and a spent budget.
        """
        return JsonStream(self._channel, task, self._guard, _call(task, data), purpose)

    def _send(self, call: ModelCall, purpose: str) -> ModelReply:
        """Make one call within the budget, and record its cost."""
        with self._guard.paying(call.length):
            try:
                reply = self._channel.send(call)
            except ModelPending:
                raise
            except ModelError:
                self._guard.record(purpose, ModelUsage(calls=1, failures=1))
                raise
            unusable = _unusable(self.name, reply)
            self._guard.record(purpose, _spending_of(reply, failures=int(unusable is not None)))
        if unusable is not None:
            raise unusable
        return reply


class JsonStream(Iterator[str], Generic[Output]):
    """Pieces of an answer's JSON as they are generated. The call begins with the first iteration."""

    def __init__(self, channel: Channel, task: Task[Output], guard: BudgetGuard, call: ModelCall, purpose: str) -> None:
        self._task = task
        self._said = list[str]()
        self._reply: ModelReply | None = None
        self._pieces = self._paid(channel, guard, call, purpose)

    def __next__(self) -> str:
        return next(self._pieces)

    def close(self) -> None:
        """End the call: nothing more is generated or charged."""
        self._pieces.close()

    def output(self) -> Output:
        """Return the output, after all pieces.

        Raises:
            ModelGarbled: it cannot be understood.
        """
        usable, fault = _understood(self._task, self._whole_reply(), None)
        if usable is None:
            raise ModelGarbled(f"what was streamed of {self._task.name} cannot be understood: {fault} - {_MEND}")
        return usable

    def _whole_reply(self) -> ModelReply:
        return self._reply or ModelReply("".join(self._said))

    def _end(self, reply: ModelReply) -> None:
        self._reply = reply

    def _paid(self, channel: Channel, guard: BudgetGuard, call: ModelCall, purpose: str) -> Generator[str]:
        failures = 1
        with guard.paying(call.length):
            try:
                with closing(channel.stream(call, self._end)) as chunks:
                    for chunk in chunks:
                        self._said.append(chunk)
                        yield chunk
                failures = 0
            finally:
                guard.record(purpose, _spending_of(self._whole_reply(), failures))


def _call(task: Task[Any], data: Mapping[str, Any]) -> ModelCall:
    messages = (block(task.name, data),)
    return ModelCall(task.name, task.instructions, messages, task.schema, task.max_tokens, task.version)


def _spending_of(reply: ModelReply, failures: int) -> ModelUsage:
    return ModelUsage(1, reply.input_tokens, reply.output_tokens, reply.cost or 0.0, failures)


def _unusable(name: str, reply: ModelReply) -> ModelGarbled | None:
    """Return the error of a refused or empty reply, else None."""
    if reply.is_refusal:
        return ModelGarbled(f"{name} refuses to answer - take another model for such texts")
    if not reply.text.strip():
        return ModelGarbled(f"{name} answers nothing - {_MEND}")
    return None


def _understood(
    task: Task[Output], reply: ModelReply, find_fault: FaultFinder[Output] | None
) -> tuple[Output | None, str | None]:
    """Validate a reply; return the output if it is well formed, and its fault or lack."""
    try:
        output = task.output.model_validate(_unwrapped(task, repaired_json(reply.text)))
    except NotJson as error:
        return None, str(error)
    except ValidationError as error:
        return None, _faults(error)
    return output, None if find_fault is None else find_fault(output)


def _unwrapped(task: Task[Any], value: Any) -> Any:
    """Unwrap an object from a list of one, or from an object with one other field; wrap a list for the only field."""
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
    """Describe the faults in the shape of an answer, without the answer's own words."""
    descriptions = [
        f"{'.'.join(map(str, fault['loc'])) or 'the answer'}: {fault['msg']}"
        for fault in error.errors(include_url=False, include_context=False, include_input=False)[:_FAULTS]
    ]
    return "; ".join(descriptions)
