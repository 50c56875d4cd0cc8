"""Judge of reactions: has a model decide if a turn approves or rejects what was recalled before it.

Rules judge at once, when the turn is said. What was recalled is kept with the turn until a model has judged it too,
several in a call. The model's verdict then replaces the rules' one, through the log, in the transaction that ends the
waiting. If the model cannot judge, or somebody undid the rules' verdict, that stays as it is.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hmem.corpus.corpus import Corpus
from hmem.derived.changes import UNDO, change_id
from hmem.derived.chunks import decode, encode
from hmem.derived.state import DerivedState
from hmem.errors import EmbedderError, ModelGarbled, StorageError
from hmem.evolution.analyse import ModelWorker, Progress
from hmem.evolution.feedback import FEEDBACK, entries_of, held
from hmem.language.analyst.language_model import ToJudge, WorkerModel
from hmem.language.containment import Fault, contained
from hmem.language.tokens import count_tokens
from hmem.model.evidence import Reaction
from hmem.model.span import now, to_stored
from hmem.storage.base import LogEntry
from hmem.storage.model_queue import ERASED, Trial, Unjudged

# Most reactions that wait, the newest ones: in a memory without a worker they would only pile up.
MOST: Final = 1_000

# Characters of a question, an answer and a reply that are judged.
_SHOWN: Final = 4_000
_MICROSECONDS: Final = 1_000_000
# Number of reactions in one call, and of the parts that they are split into if its answer is unusable.
_AT_ONCE: Final = 16
_PARTS: Final = 4
# Tokens that a reaction takes besides its words.
_AROUND: Final = 40
_BY: Final = "analyst:"


@dataclass(frozen=True, slots=True)
class PrecedingRecall:
    """Recall before a turn: the question, its answer or best evidence, and the ids of its sources.

    ``erased`` is the mark of the last erasure at that time.
    """

    question: str
    answer: str
    ids: tuple[str, ...]
    erased: str | None = None


def author(made_by: str) -> str:
    """Return the author in the log of an analyst's verdicts."""
    return f"{_BY}{made_by.partition('/')[0]}"


def erased(corpus: Corpus) -> str | None:
    """Return a mark that changes with each erasure. Call it inside ``corpus.reading()``."""
    return corpus.storage.state().settings.get(ERASED)


def let_judge(corpus: Corpus, turn: str, recalled: PrecedingRecall) -> None:
    """Queue a turn's reaction to a recall for a model's verdict. Call it inside ``corpus.reading()``."""
    content = encode([recalled.question[:_SHOWN], recalled.answer[:_SHOWN], recalled.ids])
    for seq in corpus.storage.locate([turn]).values():
        corpus.model_queue.keep_unjudged(seq, content, MOST, recalled.erased)


@dataclass(frozen=True, slots=True)
class _HeldReaction:
    """Reaction that this worker judges now: the request, the turn's id, and the ids of the answer's sources."""

    waiting: Unjudged
    asked: ToJudge
    turn: str
    ids: tuple[str, ...]


class ReactionJudge:
    """Judge of the queued reactions of one memory, in a run of a worker."""

    def __init__(self, corpus: Corpus, derived: DerivedState, worker: ModelWorker) -> None:
        self._corpus = corpus
        self._derived = derived
        self._worker = worker
        self._pending = set[int]()

    def run(self, model: WorkerModel, progress: Progress, limit: int | None = None) -> int:
        """Judge what is due, until nothing is or something stops it; return the number of verdicts.

        Raises:
            MemoryBusy, StorageFull, StorageError: what was judged so far is kept.
        """
        done, apart = 0, deque[Sequence[Unjudged]]()
        while not self._worker.halted(progress, limit):
            if apart:
                done += self._judge(model, apart.popleft(), progress, apart)
                continue
            moment = to_stored(now())[0]
            with self._corpus.reading():
                waiting = self._corpus.model_queue.unjudged()
            waiting = [each for each in waiting if each.seq not in self._pending]
            due = [each for each in waiting if each.due <= moment and _is_free(each, moment)]
            if due:
                done += self._judge(model, due[:_AT_ONCE], progress, apart)
                continue
            soonest = min((each.due - moment for each in waiting if each.due > moment), default=None)
            if soonest is None or not self._worker.rest(soonest / _MICROSECONDS):
                break
        return done

    def _judge(
        self, model: WorkerModel, some: Sequence[Unjudged], progress: Progress, apart: deque[Sequence[Unjudged]]
    ) -> int:
        """Have some reactions judged by one call; return the number of verdicts.

        If the answer is unusable, smaller groups of them go into ``apart``, to be judged separately.
        """
        held = self._hold(some, model.room.shown)
        if not held:
            return 0
        asked = [each.asked for each in held]
        verdicts = contained(lambda: _asked(model, asked), raising=(StorageError, EmbedderError))
        if isinstance(verdicts, Fault):
            attempts = held[0].waiting.attempts
            how, told, trial = self._worker.failure(verdicts.error, model.made_by, progress.in_a_row, attempts)
            if trial.counted and len(held) > 1:
                # Split, to find the reaction that spoils the answer.
                trial, size = Trial(counted=False), -(-len(held) // _PARTS)
                apart.extend([each.waiting for each in held[i : i + size]] for i in range(0, len(held), size))
            if how == "pending":
                self._pending.update(each.waiting.seq for each in held)
            self._release(held, trial)
            progress.ended(how, 0, told, self._worker.options.failures)
            return 0
        progress.ended("read", 0)
        return sum(self._take(each, verdict, model, apart) for each, verdict in zip(held, verdicts, strict=True))

    def _take(
        self, one: _HeldReaction, verdict: Reaction | None, model: WorkerModel, apart: deque[Sequence[Unjudged]]
    ) -> bool:
        """Store a verdict; if it is missing, the reaction goes into ``apart``. Tell if it was stored."""
        if verdict is not None:
            return self._settle(one.waiting.seq, one.turn, one.ids, verdict, author(model.made_by))
        self._release([one], Trial(counted=False))
        apart.append([one.waiting])
        return False

    def _hold(self, some: Sequence[Unjudged], room: int) -> list[_HeldReaction]:
        """Lease free reactions, from the first, as many as fit into a call of ``room`` tokens."""
        held: list[_HeldReaction] = []
        with self._corpus.reading():
            moment = to_stored(now())[0]
            until = moment + int(self._worker.options.held * _MICROSECONDS)
            storage, queue = self._corpus.storage, self._corpus.model_queue
            for each in some:
                if not queue.hold_unjudged(each.seq, self._worker.holder, moment, until):
                    continue
                question, answer, ids = decode(each.content)
                turn = storage.turns([each.seq])[0].turn
                held.append(_HeldReaction(each, ToJudge(question, answer, turn.text[:_SHOWN]), turn.id, tuple(ids)))
                room -= _room(held[-1].asked)
                if room < 0 and len(held) > 1:
                    self._release([held.pop()], Trial(counted=False))
                    break
        return held

    def _release(self, held: Sequence[_HeldReaction], trial: Trial) -> None:
        with self._corpus.reading():
            for each in held:
                self._corpus.model_queue.release_unjudged(each.waiting.seq, self._worker.holder, trial)

    # Replacing the rules' verdict.

    def _settle(self, seq: int, turn: str, ids: Sequence[str], verdict: Reaction, by: str) -> bool:
        with self._corpus.reading():
            self._derived.catch_up()
            entries = list(self._entries(turn, ids, verdict, by))
            done = self._corpus.model_queue.judged(seq, self._worker.holder, entries)
            self._derived.decisions.catch_up()
            return done

    def _entries(self, turn: str, ids: Sequence[str], verdict: Reaction, by: str) -> Iterator[LogEntry]:
        """Yield the log entries of a model's verdict: none if the rules said the same, or somebody decided."""
        ids = held(self._corpus, self._derived, ids)
        told = entries_of(self._corpus, self._derived, ids, verdict, turn, by)
        before = [entry for each in told for entry in self._told(each.target, turn)]
        undone = self._derived.decisions.active_changes().undone
        if any(entry.number in undone or entry.after == verdict for entry in before):
            return
        for entry in before:
            change = change_id(entry)
            yield LogEntry(
                to_stored(now())[0], by, UNDO, entry.target, turn, entry.after, None, change, f"judged {turn} {change}"
            )
        if verdict != "none":
            yield from (each._replace(key=f"judged {turn} {each.target}") for each in told)

    def _told(self, target: str, turn: str) -> list[LogEntry]:
        """Return the log entries of an analyst's earlier verdicts on a target by that turn."""
        log = self._corpus.storage.recorded(about=target)
        return [entry for entry in log if entry.verb == FEEDBACK and entry.why == turn and entry.by.startswith(_BY)]


def _is_free(reaction: Unjudged, moment: int) -> bool:
    return reaction.holder is None or reaction.until <= moment


def _asked(model: WorkerModel, replies: Sequence[ToJudge]) -> Sequence[Reaction | None]:
    verdicts = model.reactions(replies)
    if len(verdicts) != len(replies):
        raise ModelGarbled(f"{model.made_by} judged {len(verdicts)} of {len(replies)} replies - take another model")
    return verdicts


def _room(asked: ToJudge) -> int:
    """Estimate the tokens that a request takes in a call."""
    return sum(map(count_tokens, (asked.question, asked.answer, asked.reply))) + _AROUND
