"""Contents that a memory must have: every turn that was offered to it, with the full history of what was done to it.

A turn is told from all others by its token, a word that stands in no other turn. So whatever is found or missing, in
the memory or in its files, can be followed back to the operations that touched it.
"""

import re
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from threading import RLock
from typing import Final, NamedTuple

from hmem.model.change import Change
from hmem.model.turn import Turn
from hmem.util.amounts import amount

_WORD: Final = re.compile(r"\w+")


class Fate(StrEnum):
    """Fate of a turn: ``kept``, there; ``gone``, nowhere; ``open``, either, since nothing was acknowledged."""

    OPEN = "open"
    KEPT = "kept"
    ERASED = "gone"


class Deed(NamedTuple):
    """One thing that was done to a turn. ``at``: seconds since the epoch; ``life``: the number of the kill before."""

    time: float
    life: int
    event: str


@dataclass(slots=True)
class OfferedTurn:
    """A turn that was offered, its fate, and its history.

    ``batch``: names the turns that one transaction keeps or refuses together. ``old``: a rule of retention erases it.
    ``corrects``: the token that it is a correction of; it is forgotten with it. ``erased``: it is
    being forgotten, or was. ``touched``: a change of it was begun, so that a search may find its correction instead.
    """

    token: str
    text: str
    speaker: str
    session: str
    batch: str
    old: bool = False
    corrects: str | None = None
    id: str | None = None
    fate: Fate = Fate.OPEN
    erased: bool = False
    touched: bool = False
    history: list[Deed] = field(default_factory=list[Deed])


@dataclass(frozen=True, slots=True)
class Failure:
    """A broken promise: what was seen, and the history of the turns concerned. ``life`` counts the kills before."""

    life: int
    problem: str
    history: tuple[str, ...] = ()


class History:
    """The turns of one memory and the changes to them, as acknowledged. Thread-safe."""

    def __init__(self) -> None:
        self.life = 0
        self.retaining = False
        self._turns: dict[str, OfferedTurn] = {}
        self._changes: dict[str, tuple[str, bool]] = {}
        self._lock = RLock()

    # What is done.

    def offer(self, turn: OfferedTurn) -> None:
        """Note that a turn is about to be added, perhaps once more."""
        with self._lock:
            turn_record = self._turns.setdefault(turn.token, turn)
            if turn_record.fate is Fate.ERASED:
                turn_record.fate, turn_record.batch = Fate.OPEN, turn.batch
            self._note(turn_record, f"offered in {turn.batch}")

    def acknowledge(self, token: str, id: str | None) -> None:
        """Note that a turn was acknowledged."""
        with self._lock:
            turn = self._turns[token]
            turn.id = id or turn.id
            self._note(turn, f"acknowledged as {id}")
            corrected = self._turns.get(turn.corrects or "")
            if (turn.old and self.retaining) or (corrected and corrected.fate is not Fate.KEPT):
                # A rule of retention, or the forgetting of what it corrects, may have taken it already.
                turn.erased = True
            elif not turn.erased:
                turn.fate = Fate.KEPT

    def forgetting(self, tokens: Iterable[str], event: str) -> list[str]:
        """Note that turns are about to be erased, with what corrects them; return all of them."""
        with self._lock:
            affected = self._with_corrections(tokens)
            for token in affected:
                self._turns[token].fate, self._turns[token].erased = Fate.OPEN, True
                self._note(self._turns[token], f"{event} begun")
            return affected

    def acknowledge_erasure(self, tokens: Iterable[str], event: str) -> None:
        """Note that the erasure of turns was acknowledged."""
        with self._lock:
            for token in tokens:
                self._turns[token].fate = Fate.ERASED
                self._note(self._turns[token], f"{event} acknowledged")

    def retain(self, *, active: bool, acknowledged: bool) -> None:
        """Note that a rule of retention is about to be set or lifted, or was; until then it takes old turns."""
        with self._lock:
            self.retaining = self.retaining or active if not acknowledged else active
            for turn in self._turns.values():
                if turn.old and turn.fate is Fate.KEPT and self.retaining:
                    turn.fate, turn.erased = Fate.OPEN, True
                    self._note(turn, "a rule of retention may take it")

    def acknowledge_change(self, token: str, change: str, *, undo: bool) -> None:
        """Note that a change of a turn was acknowledged, or its undoing."""
        with self._lock:
            self._changes[change] = (token, undo)
            self._note(self._turns[token], f"{'undid' if undo else 'made'} {change}")

    def changing(self, token: str, change: str | None, event: str) -> None:
        """Note that a turn is about to be changed, or a change of it undone; a kill leaves open whether it was."""
        with self._lock:
            if change is not None:
                self._changes.pop(change, None)
            self._turns[token].touched = True
            self._note(self._turns[token], f"{event} begun")

    # What may be done next.

    def choose(self, *, changeable: bool = False) -> list[OfferedTurn]:
        """Return the turns that must be there, in the order of their offering; for a change, those without any."""
        with self._lock:
            return [
                turn
                for turn in self._turns.values()
                if turn.fate is Fate.KEPT
                and turn.id is not None
                and not (changeable and (turn.corrects is not None or turn.old or turn.touched))
            ]

    def of_session(self, session: str) -> list[str]:
        """Return the turns of a session that may be there."""
        with self._lock:
            return [turn.token for turn in self._turns.values() if turn.session == session and turn.fate != Fate.ERASED]

    def active_changes(self) -> dict[str, str]:
        """Return the changes that hold, with the turn of each."""
        with self._lock:
            return {
                change: token
                for change, (token, undo) in self._changes.items()
                if not undo and self._turns[token].fate is Fate.KEPT
            }

    def old(self) -> list[str]:
        """Return the old turns that were acknowledged and are not gone."""
        with self._lock:
            return [
                turn.token for turn in self._turns.values() if turn.old and turn.id and turn.fate is not Fate.ERASED
            ]

    # What is found.

    def check(self, turns: Sequence[Turn], changes: Collection[Change]) -> list[Failure]:
        """Compare a memory with what must be there. What was open is settled by what is found."""
        with self._lock:
            by_token: dict[str, list[Turn]] = {}
            for turn in turns:
                by_token.setdefault(token_of(turn.text), []).append(turn)
            failures = [
                self._failure(f"{token} was never offered, and is there")
                for token in by_token.keys() - self._turns.keys()
            ]
            failures += self._halves(by_token)
            for token, turn in self._turns.items():
                failures += self._check_turn(turn, by_token.get(token, []))
            return [*failures, *self._changes_missing(changes)]

    def lines(self, tokens: Iterable[str]) -> tuple[str, ...]:
        """Return the history of turns as lines."""
        with self._lock:
            return tuple(
                f"{token} {time.strftime('%H:%M:%S', time.gmtime(entry.time))}.{entry.time % 1 * 1000:03.0f} "
                f"life {entry.life}: {entry.event}"
                for token in tokens
                for entry in self._turns[token].history
            )

    def erases_nothing(self) -> bool:
        """Tell if no turn was erased, or may be by a rule of retention."""
        with self._lock:
            return not self.retaining and not any(turn.erased for turn in self._turns.values())

    def erased_tokens(self) -> list[str]:
        """Return the tokens of which no byte may be left."""
        with self._lock:
            return [turn.token for turn in self._turns.values() if turn.erased and turn.fate is Fate.ERASED]

    def tokens(self) -> list[str]:
        """Return all tokens that were offered."""
        with self._lock:
            return list(self._turns)

    def turns(self) -> list[OfferedTurn]:
        """Return all turns that were offered, in their order."""
        with self._lock:
            return list(self._turns.values())

    def fates(self) -> dict[str, Fate]:
        """Return the fate of each turn by its token, as of now."""
        with self._lock:
            return {turn.token: turn.fate for turn in self._turns.values()}

    def broken(self, token: str, problem: str) -> Failure:
        """Return a failure about one turn, with its history."""
        return self._failure(problem, token)

    def _check_turn(self, turn: OfferedTurn, matches: Sequence[Turn]) -> Iterable[Failure]:
        if len(matches) > 1:
            yield self._failure(f"{turn.token} is there {amount(len(matches), 'time')}", turn.token)
        if matches and turn.fate is Fate.ERASED:
            yield self._failure(f"{turn.token} is gone, and there again", turn.token)
        if not matches and turn.fate is Fate.KEPT:
            yield self._failure(f"{turn.token} was acknowledged, and is missing", turn.token)
        if matches and (matches[0].text, matches[0].speaker, matches[0].session) != (
            turn.text,
            turn.speaker,
            turn.session,
        ):
            yield self._failure(f"{turn.token} was altered: {matches[0]}", turn.token)
        if turn.fate is Fate.OPEN:
            self._note(turn, "found" if matches else "not found")
            if not matches:
                turn.fate = Fate.ERASED
            elif not (turn.old and self.retaining):
                turn.fate, turn.id, turn.erased = Fate.KEPT, matches[0].id, False

    def _halves(self, by_token: Mapping[str, Sequence[Turn]]) -> Iterable[Failure]:
        """Yield the batches of which some turns were kept and others not."""
        batches: dict[str, list[OfferedTurn]] = {}
        for turn in self._turns.values():
            if turn.fate is Fate.OPEN and turn.id is None and not turn.erased and not (turn.old and self.retaining):
                batches.setdefault(turn.batch, []).append(turn)
        for batch, turns in batches.items():
            present = sum(turn.token in by_token for turn in turns)
            if 0 < present < len(turns):
                yield self._failure(f"{batch} was kept in part", *(turn.token for turn in turns))

    def _changes_missing(self, changes: Collection[Change]) -> Iterable[Failure]:
        stored_changes = {change.id: change for change in changes}
        for change, (token, undo) in self._changes.items():
            if self._turns[token].fate is not Fate.KEPT:
                continue
            if change not in stored_changes:
                yield self._failure(f"{change} was acknowledged, and is missing", token)
            elif stored_changes[change].undone != undo:
                yield self._failure(f"{change} is {'not ' if undo else ''}undone", token)

    def _with_corrections(self, tokens: Iterable[str]) -> list[str]:
        affected = list(dict.fromkeys(tokens))
        for token in affected:
            affected += [
                turn.token for turn in self._turns.values() if turn.corrects == token and turn.fate != Fate.ERASED
            ]
        return affected

    def _failure(self, problem: str, *tokens: str) -> Failure:
        return Failure(self.life, problem, self.lines(tokens))

    def _note(self, turn: OfferedTurn, event: str) -> None:
        turn.history.append(Deed(time.time(), self.life, event))


def token_of(text: str) -> str:
    """Return the token of a turn: its longest word."""
    return max(_WORD.findall(text), key=len, default="")
