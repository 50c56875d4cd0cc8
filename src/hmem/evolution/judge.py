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
from hmem.evolution.feedback import FEEDBACK, entries_of, existing_ids
from hmem.language.analyst.language_model import ToJudge, WorkerModel
from hmem.language.containment import Fault, contained
from hmem.language.tokens import count_tokens
from hmem.model.evidence import Reaction
from hmem.model.span import now, to_stored
from hmem.storage.base import LogEntry
from hmem.storage.model_queue import ERASURES, Attempt, PendingReaction
from hmem.util.amounts import amount

# Most reactions that wait, the newest ones: in a memory without a worker they would only pile up.
QUEUE_LIMIT: Final = 1_000

# Characters of a question, an answer and a reply that are judged.
_LENGTH: Final = 4_000
_MICROSECONDS: Final = 1_000_000
# Number of reactions in one call, and of the parts that they are split into if its answer is unusable.
_AT_ONCE: Final = 16
_GROUPS: Final = 4
# Tokens that a reaction takes besides its words.
_REACTION_TOKENS: Final = 40
_PREFIX: Final = "analyst:"


@dataclass(frozen=True, slots=True)
class PrecedingRecall:
    """Recall before a turn: the question, its answer or best evidence, and the ids of its sources.

    ``erasure_mark`` is the mark of the last erasure at that time.
    """

    question: str
    answer: str
    ids: tuple[str, ...]
    erasure_mark: str | None = None


def author(producer: str) -> str:
    """Return the author under which the log has an analyst's verdicts."""
    return f"{_PREFIX}{producer.partition('/')[0]}"


def last_erasure(corpus: Corpus) -> str | None:
    """Return a mark that changes with each erasure. Call it inside ``corpus.reading()``."""
    return corpus.storage.state().settings.get(ERASURES)


def let_judge(corpus: Corpus, turn: str, recall: PrecedingRecall) -> None:
    """Queue a turn's reaction to a recall for a model's verdict. Call it inside ``corpus.reading()``."""
    content = encode([recall.question[:_LENGTH], recall.answer[:_LENGTH], recall.ids])
    for seq in corpus.storage.locate([turn]).values():
        corpus.model_queue.add_reaction(seq, content, QUEUE_LIMIT, recall.erasure_mark)


@dataclass(frozen=True, slots=True)
class _HeldReaction:
    """Reaction that this worker judges now: the request, the turn's id, and the ids of the answer's sources."""

    waiting: PendingReaction
    request: ToJudge
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
        verdict_count, retries = 0, deque[Sequence[PendingReaction]]()
        while not self._worker.halted(progress, limit):
            if retries:
                verdict_count += self._judge(model, retries.popleft(), progress, retries)
                continue
            moment = to_stored(now())[0]
            with self._corpus.reading():
                waiting = self._corpus.model_queue.pending_reactions()
            waiting = [reaction for reaction in waiting if reaction.seq not in self._pending]
            due = [reaction for reaction in waiting if reaction.due <= moment and _is_free(reaction, moment)]
            if due:
                verdict_count += self._judge(model, due[:_AT_ONCE], progress, retries)
                continue
            soonest = min((reaction.due - moment for reaction in waiting if reaction.due > moment), default=None)
            if soonest is None or not self._worker.wait_for(soonest / _MICROSECONDS):
                break
        return verdict_count

    def _judge(
        self,
        model: WorkerModel,
        reactions: Sequence[PendingReaction],
        progress: Progress,
        retries: deque[Sequence[PendingReaction]],
    ) -> int:
        """Have some reactions judged by one call; return the number of verdicts.

        If the answer is unusable, smaller groups of them go into ``retries``, to be judged separately.
        """
        leases = self._lease(reactions, model.room.input_tokens)
        if not leases:
            return 0
        requests = [lease.request for lease in leases]
        verdicts = contained(lambda: _request_verdicts(model, requests), raising=(StorageError, EmbedderError))
        if isinstance(verdicts, Fault):
            attempts = leases[0].waiting.attempts
            outcome, message, trial = self._worker.failure(verdicts.error, model.made_by, progress.in_a_row, attempts)
            if trial.is_counted and len(leases) > 1:
                # Split, to find the reaction that spoils the answer.
                trial, size = Attempt(is_counted=False), -(-len(leases) // _GROUPS)
                retries.extend([lease.waiting for lease in leases[i : i + size]] for i in range(0, len(leases), size))
            if outcome == "pending":
                self._pending.update(lease.waiting.seq for lease in leases)
            self._release(leases, trial)
            progress.count_call(outcome, 0, message, self._worker.options.failures)
            return 0
        progress.count_call("read", 0)
        return sum(self._take(lease, verdict, model, retries) for lease, verdict in zip(leases, verdicts, strict=True))

    def _take(
        self,
        lease: _HeldReaction,
        verdict: Reaction | None,
        model: WorkerModel,
        retries: deque[Sequence[PendingReaction]],
    ) -> bool:
        """Store a verdict; if it is missing, the reaction goes into ``retries``. Tell if it was stored."""
        if verdict is not None:
            return self._settle(lease.waiting.seq, lease.turn, lease.ids, verdict, author(model.made_by))
        self._release([lease], Attempt(is_counted=False))
        retries.append([lease.waiting])
        return False

    def _lease(self, reactions: Sequence[PendingReaction], room: int) -> list[_HeldReaction]:
        """Lease free reactions, from the first, as many as fit into a call of ``room`` tokens."""
        leases: list[_HeldReaction] = []
        with self._corpus.reading():
            moment = to_stored(now())[0]
            until = moment + int(self._worker.options.lease_seconds * _MICROSECONDS)
            storage, queue = self._corpus.storage, self._corpus.model_queue
            for reaction in reactions:
                if not queue.lease_reaction(reaction.seq, self._worker.holder, moment, until):
                    continue
                question, answer, ids = decode(reaction.content)
                turn = storage.turns([reaction.seq])[0].turn
                leases.append(
                    _HeldReaction(reaction, ToJudge(question, answer, turn.text[:_LENGTH]), turn.id, tuple(ids))
                )
                room -= _room(leases[-1].request)
                if room < 0 and len(leases) > 1:
                    self._release([leases.pop()], Attempt(is_counted=False))
                    break
        return leases

    def _release(self, leases: Sequence[_HeldReaction], trial: Attempt) -> None:
        with self._corpus.reading():
            for lease in leases:
                self._corpus.model_queue.release_reaction(lease.waiting.seq, self._worker.holder, trial)

    # Replacing the rules' verdict.

    def _settle(self, seq: int, turn: str, ids: Sequence[str], verdict: Reaction, writer: str) -> bool:
        with self._corpus.reading():
            self._derived.catch_up()
            entries = list(self._entries(turn, ids, verdict, writer))
            is_stored = self._corpus.model_queue.settle_reaction(seq, self._worker.holder, entries)
            self._derived.decisions.catch_up()
            return is_stored

    def _entries(self, turn: str, ids: Sequence[str], verdict: Reaction, writer: str) -> Iterator[LogEntry]:
        """Yield the log entries of a model's verdict: none if the rules said the same, or somebody decided."""
        ids = existing_ids(self._corpus, self._derived, ids)
        drafts = entries_of(self._corpus, self._derived, ids, verdict, turn, writer)
        before = [entry for draft in drafts for entry in self._prior_verdicts(draft.target, turn)]
        undone_numbers = self._derived.decisions.active_changes().undone
        if any(entry.number in undone_numbers or entry.after == verdict for entry in before):
            return
        for entry in before:
            change = change_id(entry)
            yield LogEntry(
                to_stored(now())[0],
                writer,
                UNDO,
                entry.target,
                turn,
                entry.after,
                None,
                change,
                f"judged {turn} {change}",
            )
        if verdict != "none":
            yield from (draft._replace(key=f"judged {turn} {draft.target}") for draft in drafts)

    def _prior_verdicts(self, target: str, turn: str) -> list[LogEntry]:
        """Return the log entries of an analyst's earlier verdicts on a target by that turn."""
        log = self._corpus.storage.recorded(item=target)
        return [entry for entry in log if entry.verb == FEEDBACK and entry.why == turn and entry.by.startswith(_PREFIX)]


def _is_free(reaction: PendingReaction, moment: int) -> bool:
    return reaction.holder is None or reaction.until <= moment


def _request_verdicts(model: WorkerModel, replies: Sequence[ToJudge]) -> Sequence[Reaction | None]:
    verdicts = model.reactions(replies)
    if len(verdicts) != len(replies):
        replies_text = amount(len(replies), "reply", "replies")
        raise ModelGarbled(f"{model.made_by} judged {len(verdicts)} of {replies_text} - take another model")
    return verdicts


def _room(request: ToJudge) -> int:
    """Estimate the tokens that a request takes in a call."""
    return sum(map(count_tokens, (request.question, request.answer, request.reply))) + _REACTION_TOKENS
