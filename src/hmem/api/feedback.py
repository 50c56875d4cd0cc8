"""Feedback on recalled evidence: given by a call, or judged from a person's next message."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from hmem.api.components import Components, LastRecall
from hmem.derived.changes import change_of
from hmem.errors import InvalidQuery
from hmem.evolution.feedback import existing_ids, parse_verdict, record_feedback
from hmem.evolution.judge import PrecedingRecall, author, last_erasure, let_judge
from hmem.language.analyst.language_model import worker_model
from hmem.model.answer import Answer
from hmem.model.change import Change
from hmem.model.evidence import Context, Evidence, Found, Reaction
from hmem.model.turn import Receipt, Turn

AUTHOR: Final = "user"

# Number of items that feedback on a list of evidence is about, from the first.
FIRST: Final = 3
# Longest time after a recall at which a message counts as a reaction.
SOON: Final = timedelta(minutes=15)
# Number of new messages, and of turns before them, that are searched for a reply.
_MAX_TURNS: Final = 20
_KINDS: Final = ("turn", "event", "note")

APPROVED: Final[Reaction] = "approve"

Target = Answer | Found | Context | Evidence | str | tuple[str, ...] | list[str]


class Feedback:
    """Explicit feedback by a call, and feedback judged from replies if the recipe asks for it."""

    def __init__(self, components: Components) -> None:
        self._components = components
        self._corpus = components.corpus
        judging = components.retrieval_config.strength.judged and not components.corpus.storage.read_only
        # The rules judge at once; a language model, if there is one, judges later too.
        self._judge = components.analyst if judging else None

    def feedback(
        self, target: Target, verdict: Reaction | float, *, why: str = "", by: str = AUTHOR
    ) -> tuple[Change, ...]:
        """Record a verdict on an answer, on evidence, or on memories by their ids.

        Approval gives the turns beneath more weight in later recalls, rejection less; a positive number is the
        multiplier itself. On a list of evidence it is about the best three items; an answer that abstained has none.

        Returns:
            A change for each turn that it is about, to be taken back by its id.

        Raises:
            UnknownId: this memory does not hold it.
            InvalidQuery: there is no such verdict, or feedback cannot be on it.
        """
        self._components.check_writable()
        return self._record(ids_of(target), parse_verdict(verdict), why or None, by)

    def _record(self, ids: Sequence[str], verdict: str, reason: str | None, author: str) -> tuple[Change, ...]:
        with self._corpus.reading():
            derived = self._components.derived()
            numbers = record_feedback(self._corpus, derived, ids, verdict, reason, author)
            if verdict == APPROVED:
                # What a person approves of was of use (HMO: C).
                entries = (derived.decisions.entry(number) for number in numbers)
                turns = [entry.target for entry in entries if entry is not None]
                self._corpus.access_log.enqueue(
                    sorted(self._corpus.turn_cache.locate(turns).values()), datetime.now(UTC)
                )
            decisions = derived.decisions
            active = decisions.active_changes()
            return tuple(change_of(entry, active) for entry in map(decisions.entry, numbers) if entry is not None)

    # Replies.

    def on_recall(
        self, result: Answer | Found | Context, time: datetime | None, session: str | None, user: str | None = None
    ) -> None:
        """Remember a recall, made at a time in one session or in all, for one user or for all.

        The next message may be a reply to it.
        """
        if self._judge is None:
            return
        text = result.text if isinstance(result, Answer) else result.evidence[0].text if result.evidence else ""
        since = None
        if worker_model(self._components.analyst) is not None:
            with self._corpus.reading():
                since = last_erasure(self._corpus)
        recall = PrecedingRecall(result.question, text, ids_of(result), since)
        self._components.retrieval.last = LastRecall(recall, time or datetime.now(UTC), session, user)

    def on_add(self, receipts: Sequence[Receipt]) -> None:
        """Judge a person's first message after a recall, once; queue it for a model too, if there is one.

        Messages that are added late or belong to another session are no reply; the recall then waits on for one.
        """
        retrieval, judge = self._components.retrieval, self._judge
        last = retrieval.last
        if last is None or judge is None:
            return
        ids = [receipt.id for receipt in receipts[:_MAX_TURNS] if receipt.fate == "stored" and receipt.id is not None]
        turn = self._following(last, ids)
        if turn is None:
            return
        retrieval.last = None
        recall = last.recall
        if turn.at - last.time > SOON or not recall.ids:
            return
        with self._corpus.reading():
            if worker_model(self._components.analyst) is not None:
                let_judge(self._corpus, turn.id, recall)
            verdict = judge.feedback(recall.question, recall.answer, turn.text)
            if verdict != "none":
                existing = existing_ids(self._corpus, self._components.derived(), recall.ids)
                self._record(existing, verdict, turn.id, author(judge.made_by))

    def _following(self, last: LastRecall, ids: Sequence[str]) -> Turn | None:
        """Return the first of these messages that a person said in the recall's session and not before the recall.

        A recall for one user has no reply from another.
        """
        with self._corpus.reading():
            turns = self._corpus.turn_cache.get(sorted(self._corpus.turn_cache.locate(ids).values()))
            messages = [
                turn
                for turn in turns.values()
                if turn.role in (None, "user") and turn.at >= last.time and last.user in (None, turn.user)
            ]
            if not messages:
                return None
            session = last.session or self._session_window(last.time, min(turns))
        candidates = (turn for turn in messages if session in (None, turn.session))
        # A caller that recalls before it adds a message adds the question first.
        return next((turn for turn in candidates if turn.text.strip() != last.recall.question.strip()), None)

    def _session_window(self, question_time: datetime, before: int) -> str | None:
        """Return the session of the latest turn before a question; None if that was long ago."""
        rows = self._corpus.columns.rows_of(range(max(before - _MAX_TURNS, 0), before))
        turns = self._corpus.turns(rows[rows >= 0]).values()
        lately = [turn for turn in turns if timedelta(0) <= question_time - turn.at <= SOON]
        return max(lately[::-1], key=lambda turn: turn.at).session if lately else None


def ids_of(target: Target) -> tuple[str, ...]:
    """Return the ids of the items that a verdict is about.

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
