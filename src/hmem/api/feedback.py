"""What people say of what was recalled: the part of ``Memory`` that takes it, or reads it from what they say next."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from hmem.api.changes import Changes
from hmem.api.queries import Recalling
from hmem.derived.active_changes import change_of
from hmem.errors import InvalidQuery
from hmem.evolution.feedback import checked, held, tell
from hmem.evolution.judge import Recalled, author, erased, let_judge
from hmem.language.analyst import Analyst
from hmem.model.answer import Answer
from hmem.model.change import Change
from hmem.model.evidence import Context, Evidence, Found
from hmem.model.strength import Reaction
from hmem.model.turn import Receipt, Turn

BY: Final = "user"

# Feedback on a list of evidence is on so many of its first.
FIRST: Final = 3
# A message that comes later than this is no reaction.
SOON: Final = timedelta(minutes=15)
# The next message of a person is looked for among so many, and what was said before it.
_LOOKED_AT: Final = 20
_KINDS: Final = ("turn", "event", "note")

Target = Answer | Found | Context | Evidence | str | tuple[str, ...] | list[str]


@dataclass(frozen=True, slots=True)
class _Last:
    """What was recalled last, when, and in which session alone."""

    recalled: Recalled
    at: datetime
    session: str | None


class Feedback(Recalling, Changes):
    """Feedback by a call, and by what a person says next."""

    _last: _Last | None = None

    @property
    @abstractmethod
    def _judge(self) -> Analyst | None:
        """What judges a person's next message at once; None where that is not wanted."""

    @property
    @abstractmethod
    def _judged_later(self) -> bool:
        """Whether a language model judges it too, when somebody has it work."""

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
            derived = self._formed()
            numbers = tell(self.corpus, derived, ids, verdict, why, by)
            decisions = derived.decisions
            standing = decisions.standing()
            return tuple(change_of(entry, standing) for entry in map(decisions.entry, numbers) if entry is not None)

    # What is said next.

    def _note(self, shown: Answer | Found | Context, at: datetime | None, session: str | None) -> None:
        if self._judge is None:
            return
        said = shown.text if isinstance(shown, Answer) else shown.evidence[0].text if shown.evidence else ""
        since = None
        if self._judged_later:
            with self.corpus.reading():
                since = erased(self.corpus)
        self._last = _Last(Recalled(shown.question, said, ids_of(shown), since), at or datetime.now(UTC), session)

    def _react(self, receipts: Sequence[Receipt]) -> None:
        """Judge the first message of a person that follows a recall, once; and leave it to a model, if there is one.

        What is kept late, or in another sitting, follows nothing, and the reply may still come.
        """
        last, judge = self._last, self._judge
        if last is None or judge is None:
            return
        ids = [each.id for each in receipts[:_LOOKED_AT] if each.fate == "stored" and each.id is not None]
        turn = self._following(last, ids)
        if turn is None:
            return
        self._last = None
        recalled = last.recalled
        if turn.at - last.at > SOON or not recalled.ids:
            return
        with self.corpus.reading():
            if self._judged_later:
                let_judge(self.corpus, turn.id, recalled)
            verdict = judge.feedback(recalled.question, recalled.answer, turn.text)
            if verdict != "none":
                there = held(self.corpus, self._formed(), recalled.ids)
                self._tell(there, verdict, turn.id, author(judge.made_by))

    def _following(self, last: _Last, ids: Sequence[str]) -> Turn | None:
        """The first message of a person, of these, that was said in the recall's sitting and not before it."""
        with self.corpus.reading():
            kept = self.corpus.kept.of(sorted(self.corpus.kept.locate(ids).values()))
            said = [turn for turn in kept.values() if turn.role in (None, "user") and turn.at >= last.at]
            if not said:
                return None
            session = last.session or self._session_window(last.at, min(kept))
        here = (turn for turn in said if session in (None, turn.session))
        # Who keeps what is said after it was recalled for keeps the question first.
        return next((turn for turn in here if turn.text.strip() != last.recalled.question.strip()), None)

    def _session_window(self, asked: datetime, before: int) -> str | None:
        """The session of what had been said last when something was asked; None where that was long ago."""
        rows = self.corpus.columns.rows_of(range(max(before - _LOOKED_AT, 0), before))
        kept = self.corpus.turns(rows[rows >= 0]).values()
        lately = [turn for turn in kept if timedelta(0) <= asked - turn.at <= SOON]
        return max(lately[::-1], key=lambda turn: turn.at).session if lately else None


def ids_of(target: Target) -> tuple[str, ...]:
    """What a verdict is on.

    Raises:
        InvalidQuery: it can be on no such thing.
    """
    if isinstance(target, str):
        return (target,)
    if isinstance(target, tuple | list):
        return tuple(target)
    if isinstance(target, Evidence):
        return (target.id,)
    if not isinstance(target, Answer | Found | Context):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidQuery(f"feedback is on an answer, on evidence or on ids, not on {target!r} - give what was shown")
    evidence = target.evidence if isinstance(target, Answer) else target.evidence[:FIRST]
    return tuple(item.id for item in evidence if item.kind in _KINDS)
