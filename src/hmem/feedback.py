"""What people say of what was recalled: the part of ``Memory`` that takes it, or reads it from what they say next."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from hmem.changes import Changes
from hmem.evolve.feedback import checked, tell
from hmem.hierarchy.decisions import change_of
from hmem.language.analyst import Analyst
from hmem.model.answer import Answer
from hmem.model.change import Change
from hmem.model.evidence import Context, Evidence, Found
from hmem.model.strength import Reaction
from hmem.model.turn import Receipt, Turn
from hmem.recalling import Recalling

BY: Final = "user"

# Feedback on a list of evidence is on so many of its first.
FIRST: Final = 3
# A message that comes later than this is no reaction.
SOON: Final = timedelta(minutes=15)
# The next message of a person is looked for among so many, and what was said before it.
_LOOKED_AT: Final = 20
_KINDS: Final = ("turn", "event", "note")

Target = Answer | Found | Context | Evidence | str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Recalled:
    """What was recalled last: the question, the answer or the best evidence, what it stood on, and when."""

    question: str
    answer: str
    ids: tuple[str, ...]
    at: datetime
    session: str | None


class Feedback(Recalling, Changes):
    """Feedback by a call, and by what a person says next."""

    _last: _Recalled | None = None

    @property
    @abstractmethod
    def _judge(self) -> Analyst | None:
        """What judges a person's next message; None where that is not wanted."""

    def feedback(self, target: Target, verdict: Reaction | float, *, why: str = "", by: str = BY) -> tuple[Change, ...]:
        """Say of an answer, of evidence or of memories by their ids whether they were of use.

        Approval makes what it stands on weigh more in later recalls, rejection less; a positive number is the
        multiplier itself. On a list of evidence it is on the best three; an answer that abstained has none.

        Returns:
            A change for each turn that it is about, to be taken back by its id.

        Raises:
            UnknownId: this memory does not hold it.
            InvalidQuery: there is no such verdict, or feedback cannot be on it.
        """
        return self._tell(ids_of(target), checked(verdict), why or None, by)

    def _tell(self, ids: Sequence[str], verdict: str, why: str | None, by: str) -> tuple[Change, ...]:
        with self.corpus.reading():
            arrangement = self._formed()
            numbers = tell(self.corpus, arrangement, ids, verdict, why, by)
            decisions = arrangement.decisions
            standing = decisions.standing()
            return tuple(change_of(entry, standing) for entry in map(decisions.entry, numbers) if entry is not None)

    # What is said next.

    def _note(self, shown: Answer | Found | Context, at: datetime | None, session: str | None) -> None:
        if self._judge is None:
            return
        said = shown.text if isinstance(shown, Answer) else shown.evidence[0].text if shown.evidence else ""
        self._last = _Recalled(shown.question, said, ids_of(shown), at or datetime.now(UTC), session)

    def _react(self, receipts: Sequence[Receipt]) -> None:
        """Judge the first message of a person that follows a recall, once.

        What is kept late, or in another sitting, follows nothing, and the reply may still come.
        """
        recalled, judge = self._last, self._judge
        if recalled is None or judge is None:
            return
        ids = [each.id for each in receipts[:_LOOKED_AT] if each.fate == "stored" and each.id is not None]
        turn = self._following(recalled, ids)
        if turn is None:
            return
        self._last = None
        if turn.at - recalled.at > SOON:
            return
        verdict = judge.feedback(recalled.question, recalled.answer, turn.text)
        if verdict != "none" and recalled.ids:
            with self.corpus.reading():
                kept = self.corpus.storage.locate(recalled.ids)
            by = f"analyst:{judge.made_by.partition('/')[0]}"
            self._tell([each for each in recalled.ids if each in kept], verdict, turn.id, by)

    def _following(self, recalled: _Recalled, ids: Sequence[str]) -> Turn | None:
        """The first message of a person, of these, that was said in the recall's sitting and not before it."""
        with self.corpus.reading():
            kept = self.corpus.storage.turns([*self.corpus.storage.locate(ids).values()])
            said = [each for each in kept if each.turn.role in (None, "user") and each.turn.at >= recalled.at]
            if not said:
                return None
            session = recalled.session or self._sitting(recalled.at, min(each.seq for each in kept))
        here = (each.turn for each in said if session in (None, each.turn.session))
        # Who keeps what is said after it was recalled for keeps the question first.
        return next((turn for turn in here if turn.text.strip() != recalled.question.strip()), None)

    def _sitting(self, asked: datetime, before: int) -> str | None:
        """The session of what had been said last when something was asked; None where that was long ago."""
        kept = self.corpus.storage.turns(range(max(before - _LOOKED_AT, 0), before))
        lately = [each.turn for each in kept if timedelta(0) <= asked - each.turn.at <= SOON]
        return max(lately[::-1], key=lambda turn: turn.at).session if lately else None


def ids_of(target: Target) -> tuple[str, ...]:
    """What a verdict is on."""
    if isinstance(target, str):
        return (target,)
    if isinstance(target, tuple):
        return target
    if isinstance(target, Evidence):
        return (target.id,)
    evidence = target.evidence if isinstance(target, Answer) else target.evidence[:FIRST]
    return tuple(item.id for item in evidence if item.kind in _KINDS)
