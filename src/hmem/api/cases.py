"""Memory of what worked: outcomes of tasks, and the cases that are like a new task."""

from collections.abc import Sequence
from typing import Final

from hmem.api.components import Components
from hmem.api.ingestion import Ingestion
from hmem.api.queries import Queries
from hmem.errors import InvalidTurn
from hmem.evolution.lessons import cases_in_force, lessons_of
from hmem.model.case import CASE, OUTCOMES, Case, case_of, case_text
from hmem.model.turn import DOCUMENT, KeptReceipt, Turn
from hmem.model.value import Listed
from hmem.retrieval.filter import Conditions, Moment
from hmem.util.amounts import amount

# Least relevance of a case: lower than that of an answer, since a case only resembles the task.
LEAST: Final = 0.04
# Turns that are looked at for each case, since outcomes of one task are shown as one.
_SEARCHED: Final = 4


class Cases:
    """Outcomes of tasks, kept as turns."""

    def __init__(self, components: Components, ingestion: Ingestion, queries: Queries) -> None:
        self._components = components
        self._ingestion = ingestion
        self._queries = queries

    def outcome(
        self,
        task: str,
        *,
        worked: bool,
        steps: Sequence[str] = (),
        lesson: str | None = None,
        at: Moment | None = None,
        session: str | None = None,
        user: str | None = None,
        agent: str | None = None,
        message_id: str | None = None,
    ) -> KeptReceipt:
        """Keep what was tried for a task, whether it worked, and what was learned of it.

        It is a turn: ``correct``, ``retract`` and ``forget`` take its id. A later outcome of the same task, in the same
        words, supersedes it.

        Args:
            task: what was to be done.
            worked: True if it was done so in the end.
            steps: what was tried, in its order.
            lesson: what to do, or not to do, the next time.
            at: when; now by default.
            session: as for ``add``.
            user: as for ``add``.
            agent: as for ``add``.
            message_id: as for ``add``.

        Raises:
            InvalidTurn, InvalidTime, MessageConflict: the task is empty, or it cannot be kept.
            ReadOnlyMemory, MemoryBusy, StorageFull, StorageError: nothing was kept.
        """
        texts = (task, lesson or "", *steps) if not isinstance(steps, str) else (None,)
        if not all(isinstance(text, str) for text in texts) or not task.strip():
            raise InvalidTurn("an outcome is of a task, with a list of steps - give texts, the task not empty")
        if worked not in OUTCOMES:
            raise InvalidTurn(f"an outcome is worked=True or worked=False - this one is {worked!r}")
        text, metadata = case_text(task, steps, lesson, worked=worked), {CASE: OUTCOMES[worked]}
        message = {"text": text, "speaker": CASE, "role": DOCUMENT, "message_id": message_id, "metadata": metadata}
        return self._ingestion.add(message, at=at, session=session, user=user, agent=agent)

    def cases(
        self, task: str, k: int = 3, *, user: str | None = None, agent: str | None = None, min_score: float = LEAST
    ) -> tuple[Case, ...]:
        """Return the cases that are most like a task, best first, each with its outcome; none if nothing is like it.

        Args:
            task: what is to be done.
            k: number of cases, from 1 to 2,500.
            user: only cases of this user.
            agent: only cases of this agent.
            min_score: leave out cases of a lower ``relevance``.

        Raises:
            InvalidQuery: the task is empty, or an argument cannot be met by anything.
        """
        conditions: Conditions = {"user": user, "agent": agent, "metadata": {CASE: list(OUTCOMES.values())}}
        evidence = self._queries.search(task, k * _SEARCHED, min_score=min_score, **conditions)
        if not evidence:
            return ()
        corpus = self._components.corpus
        with corpus.reading():
            stored = cases_in_force(corpus, self._components.formation.derived)
            lessons = lessons_of(corpus, stored)
        outcomes: dict[tuple[str | None, str], list[Turn]] = {}
        for turn in stored.values():
            if agent in (None, turn.agent):
                outcomes.setdefault(_task_of(turn), []).append(turn)
        turns, found = {turn.id: turn for turn in stored.values()}, dict[tuple[str | None, str], Case]()
        for item in evidence:
            if (turn := turns.get(item.id)) is None or (key := _task_of(turn)) in found:
                continue
            latest, *earlier = sorted(outcomes[key], key=lambda turn: turn.at, reverse=True)
            text, lesson = latest.text, lessons.get(latest.id)
            if lesson is not None:
                text = f"{text}\nFrom {amount(len(lesson.sources), 'case')} like it: {lesson.text}"
            ids = tuple(turn.id for turn in earlier)
            found[key] = Case(latest.id, *case_of(latest), text, item.relevance, ids, lesson)
        return Listed(list(found.values())[:k])


def _task_of(turn: Turn) -> tuple[str | None, str]:
    """Return the user of a case, and its task in the same spelling for every outcome of it."""
    return turn.user, case_of(turn).same_task
