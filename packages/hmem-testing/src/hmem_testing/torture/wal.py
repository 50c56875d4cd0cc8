"""A write-ahead log that is cut, or of which bits flip, after its process was killed.

What was acknowledged lies in SQLite's log until it is checkpointed into the file. Of a damaged log, SQLite takes what
comes before the damage. So the memory opens, has all that the file had, and of what came later a beginning: no turn
without those before it, no batch in part. What stays is sound: found, formed like a twin, and written to again.

A checkpoint may have copied more into the file than a cut log still has, and then the file is damaged, too. hmem has to
say so: by an error of its own, or by ``verify``.
"""

import random
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hmem import Memory
from hmem.errors import HmemError
from hmem.language.containment import Fault, contained
from hmem.model.key import MemoryKey
from hmem.model.turn import Turn
from hmem.storage.sqlite.driver import Connection
from hmem_testing.torture.formed import differences
from hmem_testing.torture.history import Failure, Fate, OfferedTurn, token_of
from hmem_testing.torture.indices import DAMAGES
from hmem_testing.torture.kills import ENCRYPTED, KEY
from hmem_testing.torture.mix import WEIGHTS, Mix
from hmem_testing.torture.worker import Worker

# Operations of the process that ends well, and most of the one that is killed.
BEFORE: Final = 8
AFTER: Final = 12
_MAX_OPERATIONS: Final = 50
# What comes after the checkpoint.
FRESH: Final = {"add": 8, "batch": 8, "import": 4, "correct": 4, "retract": 2, "undo": 2, "forget": 1, "search": 2}

_HEADER: Final = 32
_FRAME: Final = 4_096 + 24
_PROBE: Final = "zqprobe7"

Damage = Callable[[bytes, random.Random], bytes]

WAYS: Final[dict[str, Damage]] = {
    **DAMAGES,
    "cut behind its header": lambda content, _rng: content[:_HEADER],
    "cut between frames": lambda content, rng: content[: _HEADER + _FRAME * rng.randrange(len(content) // _FRAME + 1)],
    "a bit flipped in its header": lambda content, rng: (
        DAMAGES["a bit flipped"](content[:_HEADER], rng) + content[_HEADER:]
    ),
}


@dataclass(frozen=True, slots=True)
class Checkpointed:
    """State of a memory's file when its log was empty: its bytes, and the fate of each turn by its token."""

    file: bytes
    fates: dict[str, Fate]


def damaged_logs(folder: Path, seed: int, rounds: int) -> tuple[int, list[Failure]]:
    """Damage the log of so many killed processes in each way; return the tries and what failed."""
    failures, tries = list[Failure](), 0
    for number in range(rounds):
        rng = random.Random(f"{seed} {number}")
        key = KEY if number % ENCRYPTED == ENCRYPTED - 1 else None
        mix = Mix(folder / f"memory{number}", rng, key=key)
        checkpointed = _killed(mix)
        copied = _copy(mix, folder / f"memory{number}-taken", checkpointed=number % 2 == 1)
        log = _log(copied)
        if not log.exists() or not log.stat().st_size:
            continue
        sound = copied.read_bytes() == checkpointed.file
        for kind, damage in WAYS.items():
            copy = folder / f"memory{number}-damaged"
            shutil.copytree(copied.parent, copy)
            path = copy / copied.name
            _log(path).write_bytes(damage(_log(path).read_bytes(), rng))
            tries += 1
            problems = problems_of(path, mix, checkpointed, sound=sound)
            failures += [
                Failure(number, f"log {kind}: {problem}", mix.history.lines(tokens)) for problem, tokens in problems
            ]
            if not problems:
                shutil.rmtree(copy)
            else:
                copy.rename(folder / f"memory{number}-{tries}")
        shutil.rmtree(mix.folder)
        shutil.rmtree(copied.parent)
    return tries, failures


def problems_of(path: Path, mix: Mix, checkpointed: Checkpointed, *, sound: bool) -> list[tuple[str, Collection[str]]]:
    """Return what is wrong with a memory whose log was damaged, and the tokens of the turns concerned.

    ``sound``: its file is as it was checkpointed, so nothing of it may be damaged. Otherwise it may, but must be told.
    """

    def look() -> tuple[list[tuple[str, Collection[str]]], list[str]]:
        with Memory(path, create=False, key=mix.key) as memory:
            reported = list(memory.verify().problems)
            wrong = list(_losses(memory.list(limit=1_000_000), mix.history.turns(), checkpointed))
            if sound:
                wrong += [(problem, ()) for problem in _goes_on(memory, path.parent / "twin", mix.key)]
            return wrong, reported

    outcome = contained(look, raising=())
    if isinstance(outcome, Fault):
        is_named = isinstance(outcome.error, HmemError)
        return [] if is_named and not sound else [(f"{type(outcome.error).__name__}: {outcome.error}", ())]
    wrong, reported = outcome
    if sound:
        return wrong + [(problem, ()) for problem in reported]
    return [] if reported else [(f"{problem}, and nothing tells it", tokens) for problem, tokens in wrong]


def _killed(mix: Mix) -> Checkpointed:
    """Let a process work and end, and another one work and be killed; return what was checkpointed last."""
    first = Worker(mix.path, mix.key)
    first.ready()
    countdown = iter(range(BEFORE))
    mix.go_on(first, 0, {**WEIGHTS, "reembed": 0}, lambda _: next(countdown, None) is not None)
    first.end()
    checkpointed = _checkpointed(mix)
    second = Worker(mix.path, mix.key)
    second.ready()
    count, target = 0, mix.rng.randint(1, AFTER)
    # Until something is in the log that may be damaged.
    while count < target or (count < _MAX_OPERATIONS and not _log(mix.path).stat().st_size):
        count += 1
        mix.attempt(mix.rng.choices(list(FRESH), list(FRESH.values()))[0], second, mix.rng)
        fates = mix.history.fates()
        if not _log(mix.path).stat().st_size:
            checkpointed = Checkpointed(mix.path.read_bytes(), fates)
    second.kill()
    second.end()
    return checkpointed


def _copy(mix: Mix, folder: Path, *, checkpointed: bool) -> Path:
    """Return a copy of a memory, with its log as it is, or as a process leaves it that is killed at its checkpoint."""
    if not checkpointed:
        return Path(shutil.copytree(mix.folder, folder)) / mix.path.name
    with closing(Connection(str(mix.path), key=MemoryKey.parse(mix.key))) as connection:
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        return Path(shutil.copytree(mix.folder, folder)) / mix.path.name


def _checkpointed(mix: Mix) -> Checkpointed:
    return Checkpointed(mix.path.read_bytes(), mix.history.fates())


def _losses(
    turns: Sequence[Turn], history: Sequence[OfferedTurn], checkpointed: Checkpointed
) -> Iterator[tuple[str, Collection[str]]]:
    """Yield what is wrong with the turns of a memory of which a beginning was kept."""
    stored = {token_of(turn.text): turn for turn in turns}
    missing: OfferedTurn | None = None
    batches: dict[str, set[bool]] = {}
    for turn in history:
        fate, present = checkpointed.fates.get(turn.token), turn.token in stored
        if turn.erased:
            # Erased since, or not: both may be, unless it was gone already.
            if present and fate is Fate.ERASED:
                yield f"{turn.token} is gone, and there again", (turn.token,)
            continue
        if (
            present
            and (stored_turn := stored[turn.token])
            and (stored_turn.text, stored_turn.speaker) != (turn.text, turn.speaker)
        ):
            yield f"{turn.token} was altered: {stored_turn}", (turn.token,)
        if fate is Fate.KEPT and not present:
            yield f"{turn.token} was checkpointed, and is missing", (turn.token,)
        if fate is None:
            batches.setdefault(turn.batch, set()).add(present)
            if present and missing is not None:
                yield f"{turn.token} is there, and {missing.token} before it is not", (turn.token, missing.token)
            missing = missing or (None if present else turn)
    for batch, presence in batches.items():
        if len(presence) > 1:
            yield f"{batch} was kept in part", ()


def _goes_on(memory: Memory, folder: Path, key: str | None) -> Iterator[str]:
    """Yield what is wrong with a memory that is written to after it lost the end of its log."""
    memory.add(f"I live in Porto now, says note {_PROBE}.", speaker="Ada")
    if _PROBE not in " ".join(evidence.text for evidence in memory.search(_PROBE, k=3)):
        yield "what is added then is not found"
    yield from memory.verify().problems
    yield from differences(memory, folder, key)


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")
