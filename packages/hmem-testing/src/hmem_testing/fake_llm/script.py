"""Script of the stand-in, which says what calls go wrong and how, and the log of its calls."""

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any, Final, Literal, cast, get_args

from hmem.errors import InvalidFile, UnknownName

Doing = Literal[
    "right", "fenced", "chatty", "almost-json", "wrong-json", "wrong-schema", "empty", "refusal", "unfinished", "obey",
    "obey-tool", "text", "json", "tool", "cut", "slow", "silent", "busy", "error", "unauthorized",
]  # fmt: skip
DOINGS: Final[tuple[Doing, ...]] = get_args(Doing)

_CALLS: Final = re.compile(r"all|(?:every|first|after):[1-9]\d*|[1-9]\d*(?:,[1-9]\d*)*")


@dataclass(frozen=True, slots=True)
class ReplyRule:
    """Rule for the replies to some of the calls.

    It concerns the calls of ``task`` (None: any task) whose prompt contains ``containing`` (empty: any prompt).
    ``calls`` selects among these, counted from 1: ``all``, ``every:3``, ``first:2``, ``after:2``, ``3``, ``1,4``.
    ``seconds`` is the wait of ``slow`` before it answers, of ``silent`` before it hangs up, and the one that ``busy``
    asks for; ``pause`` is the rest in seconds after each piece of a stream, for every ``do``. ``text`` is the reply
    of ``text``, and ``content`` that of ``json``; ``tool`` calls ``name`` with ``content``.

    Raises:
        UnknownName: ``do`` or ``calls`` is unknown.
    """

    do: Doing
    task: str | None = None
    containing: str = ""
    calls: str = "all"
    seconds: float = 1.0
    pause: float = 0.0
    text: str = ""
    name: str = ""
    content: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        if self.do not in DOINGS:
            raise UnknownName(f"a stand-in cannot do {self.do!r} - choose one of: {', '.join(DOINGS)}")
        if not _CALLS.fullmatch(self.calls):
            raise UnknownName(
                f"{self.calls!r} names no calls - write all, every:3, first:2, after:2, or numbers such as 1,4"
            )

    def concerns(self, task: str, prompt: str) -> bool:
        """Tell if the rule concerns calls of a task with this prompt."""
        return self.task in (None, task) and self.containing.casefold() in prompt.casefold()

    def applies(self, number: int) -> bool:
        """Tell if the rule applies to one of the calls that it concerns, by its number from 1."""
        kind, _, size = self.calls.partition(":")
        if not size:
            return kind == "all" or str(number) in kind.split(",")
        count = int(size)
        return {"every": number % count == 0, "first": number <= count, "after": number > count}[kind]


RIGHT: Final = ReplyRule("right")


class Script:
    """Rules in order: the first that applies to a call decides; without one the answer is right.

    Each rule counts all calls that it concerns, even if an earlier rule applied to them. Thread-safe.
    """

    def __init__(self, rules: Sequence[ReplyRule] = ()) -> None:
        self._rules = tuple(rules)
        self._counts = [0] * len(self._rules)
        self._lock = Lock()

    def next(self, task: str, prompt: str) -> ReplyRule:
        """Count a new call and return the rule for it."""
        concerned = [index for index, rule in enumerate(self._rules) if rule.concerns(task, prompt)]
        with self._lock:
            for place in concerned:
                self._counts[place] += 1
            for place in concerned:
                if self._rules[place].applies(self._counts[place]):
                    return self._rules[place]
        return RIGHT


def failing(calls: str) -> ReplyRule:
    """Return a rule that answers some calls, of any task, with status 500.

    Raises:
        UnknownName: ``calls`` is unknown.
    """
    return ReplyRule("error", calls=calls)


def read_script(file: Path) -> list[ReplyRule]:
    """Read the rules of a file: a JSON list of objects with the fields of ``ReplyRule``.

    Raises:
        InvalidFile: the file cannot be read or has another form.
        UnknownName: a rule has an unknown ``do`` or ``calls``.
    """
    form = 'write a JSON list of rules such as [{"do": "busy", "task": "plan", "calls": "every:3"}]'
    try:
        rules: Any = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidFile(f"{file} is no script ({error}) - {form}") from error
    if not isinstance(rules, list):
        raise InvalidFile(f"{file} is no script - {form}")
    return [_rule(file, rule) for rule in cast("list[Any]", rules)]


def _rule(file: Path, rule: object) -> ReplyRule:
    types = {field_.name: field_.type for field_ in fields(ReplyRule)}
    if not isinstance(rule, dict) or "do" not in rule:
        raise InvalidFile(f"{file}: {rule!r} is no rule - give each at least a `do`")
    values = cast("dict[str, Any]", rule)
    for name, value in values.items():
        if name not in types:
            raise InvalidFile(f"{file}: a rule has no field {name!r} - it has {', '.join(types)}")
        allowed = {"seconds": (int, float), "pause": (int, float), "content": (dict,)}.get(name, (str,))
        if not isinstance(value, allowed) or isinstance(value, bool):
            raise InvalidFile(f"{file}: {name!r} cannot be {value!r} - see the README of hmem-testing")
    return ReplyRule(**values)


_CAPACITY: Final = 10_000


@dataclass(frozen=True, slots=True)
class Call:
    """One call: its number from 1, its task, the reply, the time of arrival, and the tokens.

    ``task`` is the name of the requested schema or tool, ``chat`` without one, else ``embeddings`` or ``rerank``.
    ``did`` is one of ``DOINGS``. ``request`` is the request's body, without any key.
    """

    number: int
    task: str
    did: str
    time: datetime
    status: int
    input_tokens: int
    output_tokens: int
    stream: bool = False
    model: str = ""
    request: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False, compare=False)

    @property
    def as_json(self) -> dict[str, Any]:
        """The call in the JSON of ``GET /calls``: all fields but the request."""
        names = ("number", "task", "did", "status", "input_tokens", "output_tokens", "stream", "model")
        return {**{name: getattr(self, name) for name in names}, "at": self.time.isoformat()}


class CallLog:
    """The latest calls, in order of arrival. Thread-safe."""

    def __init__(self) -> None:
        self._calls: deque[Call] = deque(maxlen=_CAPACITY)
        self._lock = Lock()
        self._count = 0
        self._left = 0

    def number(self) -> int:
        """Count a new call and return its number."""
        with self._lock:
            self._count += 1
            return self._count

    @property
    def count(self) -> int:
        """Number of calls that arrived, those in progress included."""
        with self._lock:
            return self._count

    @property
    def disconnected(self) -> int:
        """Number of clients that disconnected before the end of their answer."""
        with self._lock:
            return self._left

    def leave(self) -> None:
        """Count a client that disconnected."""
        with self._lock:
            self._left += 1

    def keep(self, call: Call) -> None:
        """Append a call."""
        with self._lock:
            self._calls.append(call)

    def clear(self) -> None:
        """Drop the calls; their numbers go on."""
        with self._lock:
            self._calls.clear()

    def __iter__(self) -> Iterator[Call]:
        with self._lock:
            calls = list(self._calls)
        return iter(sorted(calls, key=lambda call: call.number))
