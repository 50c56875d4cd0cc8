"""The mix: everything that writes to a memory, in random order, with the history of what came of it.

One process does everything: add, batch, import, correct, retract, undo, forget, retain, consolidate, rebuild, reembed.
Others may add and correct beside it. ``Mix.check`` opens the memory, and compares it with the history, and what is
formed with a twin that is formed anew.
"""

import json
import random
import shutil
import string
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Protocol

from hmem import Memory
from hmem.errors import HmemError
from hmem_testing.torture.formed import differences
from hmem_testing.torture.history import Failure, History, OfferedTurn
from hmem_testing.torture.talk import sentence
from hmem_testing.torture.worker import Refused

EMBEDDERS: Final = ("wordllama", "wordllama:128", "wordllama:64")
RETAIN_DAYS: Final = 365
OLD_DAYS: Final = 800

# How often each operation is chosen by the process that does everything, and by the one beside it.
WEIGHTS: Final[dict[str, int]] = {
    "add": 20, "batch": 14, "import": 8, "correct": 12, "retract": 6, "undo": 8, "forget": 10, "forget session": 4,
    "retain": 6, "consolidate": 8, "rebuild": 3, "reembed": 9, "search": 4,
}  # fmt: skip
ACCOMPANYING: Final[dict[str, int]] = {"add": 6, "batch": 4, "correct": 3, "search": 2}
# Those of a memory that erases nothing, so that the form of all its trees is compared.
LASTING: Final = {
    verb: weight for verb, weight in WEIGHTS.items() if verb not in {"forget", "forget session", "retain"}
}

_SPEAKERS: Final = ("Ada", "Ben", "Cleo")
# Errors that the mix brings about by itself: a turn that is gone meanwhile, an embedder that another process changed.
_REFUSALS: Final = ("UnknownId", "InvalidQuery", "EmbedderMismatch", "MemoryBusy", "Import")

# Seconds that an operation is taken to take at first.
SECONDS: Final = 0.05


class Orders(Protocol):
    """Carries out operations: a process, or this one."""

    def order(self, verb: str, *arguments: Any) -> Any:
        """Have something done, and return what came of it.

        Raises:
            Refused: hmem refused it.
            EOFError: the process that should do it is no more.
        """
        ...


class Mix:
    """Random operations on one memory, ``memory.hmem`` in a folder of its own.

    ``expected`` are the names of the errors that a fault under test brings about. With a ``key`` it is encrypted, and
    no token may stand in any of its files. Files to import are written to the folder ``imports``, by default the
    memory's.
    """

    def __init__(
        self,
        folder: Path,
        rng: random.Random,
        durations: dict[str, float] | None = None,
        allowed: tuple[str, ...] = (),
        key: str | None = None,
        imports: Path | None = None,
    ) -> None:
        self.key = key
        self._imports = imports or folder
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.path = folder, folder / "memory.hmem"
        self.rng = rng
        self.history = History()
        self.acknowledged = Counter[str]()
        self.refused = Counter[str]()
        # Seconds that each operation took lately.
        self.durations = {} if durations is None else durations
        self._number = 0
        # The rule of retention: set, lifted, or unknown since a kill.
        self._rule: bool | None = False
        self._unfinished: tuple[Path, int, list[dict[str, Any]]] | None = None
        self._expected = _REFUSALS + allowed
        self._crashes: list[str] = []

    def go_on(self, worker: Orders, number: int, weights: Mapping[str, int], begin: Callable[[str], bool]) -> None:
        """Order operations until the process has ended, or until ``begin`` refuses the next one."""
        rng = random.Random(self.rng.random())
        first = True
        try:
            while True:
                verb = rng.choices(list(weights), list(weights.values()))[0]
                if first and not number and self._unfinished is not None:
                    verb = "import"
                first = False
                if not begin(verb):
                    return
                self.attempt(verb, worker, rng, number)
        except EOFError:
            return

    def attempt(self, verb: str, worker: Orders, rng: random.Random, number: int = 0) -> bool:
        """Have one operation done; return False if it was refused.

        Raises:
            EOFError: the process is no more.
        """
        start = time.monotonic()
        try:
            self._do(verb, worker, rng, number)
        except Refused as error:
            # It says no; what was open stays open until the next look.
            self.refused[f"{verb}: {str(error).partition(':')[0]}"] += 1
            if not str(error).startswith(self._expected):
                self.crashed(f"{verb}: {error}")
            return False
        self.acknowledged[verb] += 1
        self.durations[verb] = 0.7 * self.durations.get(verb, SECONDS) + 0.3 * (time.monotonic() - start)
        return True

    def crashed(self, problem: str) -> None:
        """Record a fault that does not depend on the memory's content; the next check returns it."""
        self._crashes.append(problem)

    def check(self, *, keep: bool = True, trees: bool = True) -> list[Failure]:
        """Open the memory, and compare it with its history; ``keep`` a copy of one that fails.

        Unless ``whole``, the form of online trees is not compared with a twin's.
        """
        failures = [Failure(self.history.life, crash) for crash in self._crashes]
        self._crashes.clear()
        try:
            with Memory(self.path, key=self.key) as memory:
                failures += [self._problem(problem) for problem in memory.verify().problems]
                turns = memory.list(limit=1_000_000)
                failures += self.history.check(turns, memory.history())
                failures += self._unfound(memory)
                trees = trees and self.history.erases_nothing()
                unlike = differences(memory, self.folder / "twin", self.key, whole=trees)
                failures += [self._problem(difference) for difference in unlike]
                pending = memory.stats().forgetting_problem
        except HmemError as error:
            return [*failures, self._problem(f"{type(error).__name__}: {error}")]
        if self.key is not None:
            failures += self._bytes_left(self.history.tokens(), "encrypted")
        elif pending is None:
            failures += self._bytes_left(self.history.erased_tokens(), "erased")
        if failures and keep:
            shutil.copytree(self.folder, self.folder / f"after{self.history.life}", ignore=_nested)
        return failures

    def _problem(self, problem: str) -> Failure:
        return Failure(self.history.life, problem)

    def _unfound(self, memory: Memory) -> Iterator[Failure]:
        """Yield turns that are there, and that a search for their token does not find."""
        sound = self.history.choose(changeable=True)
        for turn in self.rng.sample(sound, min(3, len(sound))):
            if turn.token not in " ".join(evidence.text for evidence in memory.search(turn.token, k=3)):
                yield self.history.broken(turn.token, f"{turn.token} is there, and not found")

    def _bytes_left(self, tokens: Collection[str], state: str) -> Iterator[Failure]:
        for file in self.folder.rglob("*"):
            if file.is_file() and file.relative_to(self.folder).parts[0].startswith(self.path.name):
                content = file.read_bytes().lower()
                for token in tokens:
                    if token.encode() in content:
                        yield self.history.broken(token, f"{token} is {state}, and stands in {file.name}")

    # What a process is told to do.

    def _do(self, verb: str, worker: Orders, rng: random.Random, number: int) -> None:
        if verb == "add":
            (turn,), (message,) = self._offer(1, number, rng)
            self.history.acknowledge(turn.token, worker.order("add", message))
        elif verb == "batch":
            turns, messages = self._offer(rng.randint(2, 12), number, rng)
            for turn, turn_id in zip(turns, worker.order("batch", messages), strict=True):
                self.history.acknowledge(turn.token, turn_id)
        elif verb == "import":
            self._import(worker, rng)
        elif verb in {"correct", "retract", "undo"}:
            self._change(verb, worker, rng, number)
        elif verb in {"forget", "forget session"}:
            self._forget(verb, worker, rng)
        elif verb == "retain":
            self._retain(worker)
        elif verb == "consolidate":
            sure = self.history.forgetting(self.history.old(), "expiry") if self._rule else []
            worker.order("consolidate")
            self.history.acknowledge_erasure(sure, "expiry")
        elif verb == "search":
            if turns := self.history.choose(changeable=True):
                worker.order("search", rng.choice(turns).token)
        else:
            worker.order(verb, *([rng.choice(EMBEDDERS)] if verb == "reembed" else []))

    def _import(self, worker: Orders, rng: random.Random) -> None:
        if self._unfinished is None:
            size, count = rng.randint(2, 8), rng.randint(1, 5)
            messages = [message for _ in range(count) for message in self._offer(size, 0, rng)[1]]
            file = self._imports / f"import{self._number}.jsonl"
            file.write_text("".join(json.dumps(message) + "\n" for message in messages), "utf-8")
            self._unfinished = (file, size, messages)
        else:
            # As a user does after a crash: the same once more.
            for message in self._unfinished[2]:
                self.history.offer(_turn(message, f"transaction of {message['message_id']}"))
        file, size, messages = self._unfinished
        worker.order("import", str(file), size)
        for message in messages:
            self.history.acknowledge(message["message_id"], None)
        self._unfinished = None
        file.unlink()

    def _change(self, verb: str, worker: Orders, rng: random.Random, number: int) -> None:
        if verb == "undo":
            if not (changes := self.history.active_changes()):
                return
            change = rng.choice(list(changes))
            self.history.changing(changes[change], change, "undo")
            worker.order("undo", change)
            self.history.acknowledge_change(changes[change], change, undo=True)
        elif turns := self.history.choose(changeable=True):
            target = rng.choice(turns)
            self.history.changing(target.token, None, verb)
            if verb == "retract":
                self.history.acknowledge_change(target.token, worker.order("retract", target.id), undo=False)
                return
            (turn,), (message,) = self._offer(1, number, rng, corrects=target)
            change, link = worker.order("correct", target.id, message["text"])
            self.history.acknowledge(turn.token, link)
            self.history.acknowledge_change(target.token, change, undo=False)

    def _forget(self, verb: str, worker: Orders, rng: random.Random) -> None:
        if not (turns := self.history.choose()):
            return
        if verb == "forget":
            selection = rng.sample(turns, min(len(turns), rng.randint(1, 4)))
            tokens = self.history.forgetting([turn.token for turn in selection], "forget")
            worker.order("forget", *(turn.id for turn in selection))
        else:
            # One of its own: to others, the processes beside it may be adding.
            session = rng.choice(turns).session
            if not session.startswith("0-"):
                return
            tokens = self.history.forgetting(self.history.of_session(session), "forget")
            worker.order("forget session", session)
        self.history.acknowledge_erasure(tokens, "forget")

    def _retain(self, worker: Orders) -> None:
        active = not self._rule
        self._rule = None
        self.history.retain(active=active, acknowledged=False)
        worker.order("retain", RETAIN_DAYS if active else None)
        self.history.retain(active=active, acknowledged=True)
        self._rule = active

    def _offer(
        self, count: int, number: int, rng: random.Random, corrects: OfferedTurn | None = None
    ) -> tuple[list[OfferedTurn], list[dict[str, Any]]]:
        """Offer new turns that are kept together or not at all."""
        self._number += 1
        batch = f"{'correction' if corrects else 'transaction'} {self._number}-{number}"
        turns, messages = list[OfferedTurn](), list[dict[str, Any]]()
        for _ in range(count):
            token = "zq" + "".join(rng.choices(string.digits + "bcdfghjklmnpqrtvwxz", k=18)) + "7"
            old = corrects is None and rng.random() < 0.15
            time = datetime.now(UTC) - timedelta(days=OLD_DAYS if old else rng.randint(1, 200), minutes=self._number)
            message: dict[str, Any] = {
                "text": sentence(token, rng),
                "speaker": corrects.speaker if corrects else rng.choice(_SPEAKERS),
                "session": corrects.session if corrects else f"{number}-{self._number % 40}",
                "at": time.isoformat(),
                "message_id": token,
            }
            turns.append(_turn(message, batch, old=old, corrects=corrects.token if corrects else None))
            messages.append(message)
        for turn in turns:
            self.history.offer(turn)
        return turns, messages


def _turn(message: dict[str, Any], batch: str, *, old: bool = False, corrects: str | None = None) -> OfferedTurn:
    return OfferedTurn(
        message["message_id"], message["text"], message["speaker"], message["session"], batch, old, corrects
    )


def _nested(_folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name.startswith("after")]
