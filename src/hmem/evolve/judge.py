"""Has a model judge what people said next after something was recalled: whether it approves or rejects that.

Rules judge at once, when it is said. What was recalled is kept with the turn until a model has judged it too; then that
verdict stands in the place of the rules', through the log, in one transaction with the end of the waiting. Where the
model cannot, and where somebody took the rules' verdict back, that stays as it is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hmem.corpus import Corpus
from hmem.errors import BudgetSpent, ModelGarbled, ModelUnavailable
from hmem.evolve.analyse import Progress, Worker, later
from hmem.evolve.feedback import FEEDBACK, entries_of, held
from hmem.hierarchy.arrangement import Arrangement
from hmem.hierarchy.codec import decode, encode
from hmem.hierarchy.decisions import UNDO, change_id
from hmem.language.analyst import SLIPS
from hmem.language.analyst.reader import Reader
from hmem.model.span import now, to_stored
from hmem.model.strength import Reaction
from hmem.storage.base import Entry
from hmem.storage.model_work import ERASED, Trial, Unjudged

# So many reactions wait at most, the newest; of a memory that nobody works for, they would only gather.
MOST: Final = 1_000

# So much of an answer and of a reply is judged, in characters.
_SHOWN: Final = 4_000
_MICROSECONDS: Final = 1_000_000
_BY: Final = "analyst:"


@dataclass(frozen=True, slots=True)
class Recalled:
    """What was recalled before something was said: the question, its answer or best evidence, and what that stood on.

    ``erased`` tells what had been forgotten by then.
    """

    question: str
    answer: str
    ids: tuple[str, ...]
    erased: str | None = None


def author(made_by: str) -> str:
    """Whose verdicts those of an analyst are in the log."""
    return f"{_BY}{made_by.partition('/')[0]}"


def erased(corpus: Corpus) -> str | None:
    """What tells whether something was forgotten since. Inside ``corpus.reading()``."""
    return corpus.storage.settings().get(ERASED)


def let_judge(corpus: Corpus, turn: str, recalled: Recalled) -> None:
    """Let a model judge later what a turn says of what was recalled. Inside ``corpus.reading()``."""
    content = encode([recalled.question[:_SHOWN], recalled.answer[:_SHOWN], recalled.ids])
    for seq in corpus.storage.locate([turn]).values():
        corpus.storage.keep_unjudged(seq, content, MOST, recalled.erased)


class Judging:
    """Has a model judge the reactions of one memory that wait, in a run of a worker."""

    def __init__(self, corpus: Corpus, arrangement: Arrangement, worker: Worker) -> None:
        self._corpus = corpus
        self._arrangement = arrangement
        self._worker = worker

    def run(self, model: Reader, progress: Progress, limit: int | None = None) -> int:
        """Judge what is due, until nothing is or something stops it; how many were judged.

        Raises:
            MemoryBusy, StorageFull, StorageError: what was judged so far is kept.
        """
        done = 0
        while not self._worker.halted(progress, limit):
            moment = to_stored(now())[0]
            with self._corpus.reading():
                waiting = self._corpus.storage.unjudged()
            due = next((each for each in waiting if each.due <= moment and _is_free(each, moment)), None)
            if due is None:
                soonest = min((each.due - moment for each in waiting if each.due > moment), default=None)
                if soonest is None or not self._worker.rest(soonest / _MICROSECONDS):
                    break
                continue
            done += self._judge(model, due, progress)
        return done

    def _judge(self, model: Reader, reaction: Unjudged, progress: Progress) -> bool:
        """Have one reaction judged; whether it was."""
        asked = self._hold(reaction)
        if asked is None:
            return False
        recalled, turn, reply = asked
        try:
            verdict = model.feedback(recalled.question, recalled.answer, reply)
        except ModelUnavailable as error:
            wait = max(error.retry_after or 0.0, self._worker.backoff(progress.in_a_row))
            self._release(reaction, Trial(later(wait), str(error), counted=False))
            progress.ended("failed", 0, str(error), self._worker.options.failures)
            return False
        except BudgetSpent as error:
            self._release(reaction, Trial(counted=False))
            progress.ended("spent", 0, str(error))
            return False
        except (ModelGarbled, *SLIPS) as error:
            given_up = reaction.attempts + 1 >= self._worker.options.garbled
            self._release(reaction, Trial(later(self._worker.backoff(reaction.attempts)), given_up=given_up))
            told = str(error) if isinstance(error, ModelGarbled) else f"{type(error).__name__} in {model.made_by}"
            progress.ended("failed", 0, told, self._worker.options.failures)
            return False
        progress.ended("read", 0)
        return self._settle(reaction.seq, turn, recalled.ids, verdict, author(model.made_by))

    def _hold(self, reaction: Unjudged) -> tuple[Recalled, str, str] | None:
        """Hold a reaction; what was recalled, the id of the turn and what it says. None when another has it."""
        with self._corpus.reading():
            moment = to_stored(now())[0]
            until = moment + int(self._worker.options.held * _MICROSECONDS)
            storage = self._corpus.storage
            if not storage.hold_unjudged(reaction.seq, self._worker.holder, moment, until):
                return None
            question, answer, ids = decode(reaction.content)
            turn = storage.turns([reaction.seq])[0].turn
            return Recalled(question, answer, tuple(ids)), turn.id, turn.text[:_SHOWN]

    def _release(self, reaction: Unjudged, trial: Trial) -> None:
        with self._corpus.reading():
            self._corpus.storage.release_unjudged(reaction.seq, self._worker.holder, trial)

    # The verdict in the place of the rules'.

    def _settle(self, seq: int, turn: str, ids: Sequence[str], verdict: Reaction, by: str) -> bool:
        with self._corpus.reading():
            self._arrangement.catch_up()
            entries = list(self._entries(turn, ids, verdict, by))
            done = self._corpus.storage.judged(seq, self._worker.holder, entries)
            self._arrangement.decisions.catch_up()
            return done

    def _entries(self, turn: str, ids: Sequence[str], verdict: Reaction, by: str) -> Iterator[Entry]:
        """What the log tells of the model's verdict: nothing, where it is that of the rules, or somebody decided."""
        ids = held(self._corpus, self._arrangement, ids)
        told = entries_of(self._corpus, self._arrangement, ids, verdict, turn, by)
        before = [entry for each in told for entry in self._told(each.target, turn)]
        undone = self._arrangement.decisions.standing().undone
        if any(entry.number in undone or entry.after == verdict for entry in before):
            return
        for entry in before:
            change = change_id(entry)
            yield Entry(
                to_stored(now())[0], by, UNDO, entry.target, turn, entry.after, None, change, f"judged {turn} {change}"
            )
        if verdict != "none":
            yield from (each._replace(key=f"judged {turn} {each.target}") for each in told)

    def _told(self, target: str, turn: str) -> list[Entry]:
        """What an analyst judged of a target by that turn before."""
        log = self._corpus.storage.recorded(about=target)
        return [entry for entry in log if entry.verb == FEEDBACK and entry.why == turn and entry.by.startswith(_BY)]


def _is_free(reaction: Unjudged, moment: int) -> bool:
    return reaction.holder is None or reaction.until <= moment
