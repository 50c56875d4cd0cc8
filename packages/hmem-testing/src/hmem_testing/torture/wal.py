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
from hmem_testing.torture.history import Failure, Fate, Offered, token_of
from hmem_testing.torture.indices import DAMAGES
from hmem_testing.torture.kills import ENCRYPTED, KEY
from hmem_testing.torture.mix import WEIGHTS, Mix
from hmem_testing.torture.worker import Worker

# Operations of the process that ends well, and most of the one that is killed.
BEFORE: Final = 8
AFTER: Final = 12
_MOST: Final = 50
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
        known = _killed(mix)
        taken = _taken(mix, folder / f"memory{number}-taken", checkpointed=number % 2 == 1)
        log = _log(taken)
        if not log.exists() or not log.stat().st_size:
            continue
        sound = taken.read_bytes() == known.file
        for what, damage in WAYS.items():
            copy = folder / f"memory{number}-damaged"
            shutil.copytree(taken.parent, copy)
            path = copy / taken.name
            _log(path).write_bytes(damage(_log(path).read_bytes(), rng))
            tries += 1
            problems = problems_of(path, mix, known, sound=sound)
            failures += [Failure(number, f"log {what}: {each}", mix.history.told(tokens)) for each, tokens in problems]
            if not problems:
                shutil.rmtree(copy)
            else:
                copy.rename(folder / f"memory{number}-{tries}")
        shutil.rmtree(mix.folder)
        shutil.rmtree(taken.parent)
    return tries, failures


def problems_of(path: Path, mix: Mix, known: Checkpointed, *, sound: bool) -> list[tuple[str, Collection[str]]]:
    """Return what is wrong with a memory whose log was damaged, and the tokens of the turns concerned.

    ``sound``: its file is as it was checkpointed, so nothing of it may be damaged. Otherwise it may, but must be told.
    """

    def look() -> tuple[list[tuple[str, Collection[str]]], list[str]]:
        with Memory(path, create=False, key=mix.key) as memory:
            told = list(memory.verify().problems)
            wrong = list(_lost(memory.list(limit=1_000_000), mix.history.turns(), known))
            if sound:
                wrong += [(each, ()) for each in _goes_on(memory, path.parent / "twin", mix.key)]
            return wrong, told

    found = contained(look, raising=())
    if isinstance(found, Fault):
        named = isinstance(found.error, HmemError)
        return [] if named and not sound else [(f"{type(found.error).__name__}: {found.error}", ())]
    wrong, told = found
    if sound:
        return wrong + [(each, ()) for each in told]
    return [] if told else [(f"{each}, and nothing tells it", tokens) for each, tokens in wrong]


def _killed(mix: Mix) -> Checkpointed:
    """Let a process work and end, and another one work and be killed; return what was checkpointed last."""
    first = Worker(mix.path, mix.key)
    first.ready()
    left = iter(range(BEFORE))
    mix.go_on(first, 0, {**WEIGHTS, "reembed": 0}, lambda _: next(left, None) is not None)
    first.end()
    known = _checkpointed(mix)
    second = Worker(mix.path, mix.key)
    second.ready()
    done, some = 0, mix.rng.randint(1, AFTER)
    # Until something is in the log that may be damaged.
    while done < some or (done < _MOST and not _log(mix.path).stat().st_size):
        done += 1
        mix.attempt(mix.rng.choices(list(FRESH), list(FRESH.values()))[0], second, mix.rng)
        fates = mix.history.fates()
        if not _log(mix.path).stat().st_size:
            known = Checkpointed(mix.path.read_bytes(), fates)
    second.kill()
    second.end()
    return known


def _taken(mix: Mix, folder: Path, *, checkpointed: bool) -> Path:
    """Return a copy of a memory, with its log as it is, or as a process leaves it that is killed at its checkpoint."""
    if not checkpointed:
        return Path(shutil.copytree(mix.folder, folder)) / mix.path.name
    with closing(Connection(str(mix.path), key=MemoryKey.of(mix.key))) as connection:
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        return Path(shutil.copytree(mix.folder, folder)) / mix.path.name


def _checkpointed(mix: Mix) -> Checkpointed:
    return Checkpointed(mix.path.read_bytes(), mix.history.fates())


def _lost(
    found: Sequence[Turn], offered: Sequence[Offered], known: Checkpointed
) -> Iterator[tuple[str, Collection[str]]]:
    """Yield what is wrong with the turns of a memory of which a beginning was kept."""
    there = {token_of(turn.text): turn for turn in found}
    missing: Offered | None = None
    batches: dict[str, set[bool]] = {}
    for turn in offered:
        fate, present = known.fates.get(turn.token), turn.token in there
        if turn.erased:
            # Erased since, or not: both may be, unless it was gone already.
            if present and fate is Fate.GONE:
                yield f"{turn.token} is gone, and there again", (turn.token,)
            continue
        if present and (held := there[turn.token]) and (held.text, held.speaker) != (turn.text, turn.speaker):
            yield f"{turn.token} was altered: {held}", (turn.token,)
        if fate is Fate.KEPT and not present:
            yield f"{turn.token} was checkpointed, and is missing", (turn.token,)
        if fate is None:
            batches.setdefault(turn.batch, set()).add(present)
            if present and missing is not None:
                yield f"{turn.token} is there, and {missing.token} before it is not", (turn.token, missing.token)
            missing = missing or (None if present else turn)
    for batch, kept in batches.items():
        if len(kept) > 1:
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
