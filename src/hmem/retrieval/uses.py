"""Uses of turns: what was shown, recalled and cited is recorded, and what recall found no note of is reported."""

from collections.abc import Callable, Sequence
from typing import Final

from hmem.corpus.index.rows import Rows
from hmem.derived.note_states import is_shown
from hmem.errors import StorageError
from hmem.model.evidence import Evidence
from hmem.retrieval.config import RetrievalConfig, counts_uses
from hmem.retrieval.exchange import with_partners
from hmem.retrieval.passes import PassResult
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources

# Number of items of a recall that are remembered as shown.
_MAX_SHOWN_ITEMS: Final = 64
# Number of turns that are recorded as shown.
_RECORDED: Final = 16
# Number of best turns to learn from.
_LEARNT_FROM: Final = 3

# Called with a topic and the sequence numbers of turns about it that have no notes.
Lacked = Callable[[str, Sequence[int]], None]


class Uses:
    """Record of the uses of turns by one pipeline. Use it inside ``corpus.reading()``.

    ``show`` is called with evidence shown, and ``lacked`` with topics that have no notes.
    """

    def __init__(
        self,
        sources: Sources,
        config: RetrievalConfig,
        show: Callable[[Sequence[Evidence]], None],
        lacked: Lacked | None,
    ) -> None:
        self._sources = sources
        self._config = config
        self._show = show
        self._lacked = lacked
        # Whether scores depend on recorded uses, which the next recall then has to see.
        self._counted = counts_uses(config)

    def show(self, pass_result: PassResult, k: int, evidence: Sequence[Evidence]) -> None:
        """Remember the evidence as shown, for other processes too, and report topics without notes."""
        self._report_missing_notes(pass_result)
        self._show(evidence[:_MAX_SHOWN_ITEMS])
        corpus, rows = self._sources.corpus, pass_result.ranking.rows[:k]
        if self._config.record:
            corpus.access_log.enqueue(corpus.columns.seq[rows[:_RECORDED]].tolist(), None)
            _note_problem(pass_result, corpus.access_log.problem)

    def _report_missing_notes(self, pass_result: PassResult) -> None:
        """Report the best turns without notes, if best-effort recall had to use episodes (HiMem, reconsolidation)."""
        step, query = pass_result.steps.get("best_effort", {}), pass_result.query
        used_episodes = step.get("ended in") == "episodes" and not step["sufficient"]
        if self._lacked is None or not used_episodes or query.standpoint:
            return
        notes, states = self._sources.derived.notes, self._sources.derived.note_states
        seqs: list[int] = self._sources.corpus.columns.seq[pass_result.ranking.rows[:_LEARNT_FROM]].tolist()
        self._lacked(
            query.part.topic or query.text,
            [seq for seq in seqs if not any(is_shown(note, states.state_of(note)) for note in notes.of_turn(seq))],
        )

    def record_recalled(self, pass_result: PassResult, evidence: Sequence[Evidence]) -> None:
        """Record that turns were recalled, which is a use of them (HMO: C; H-MEM: the forgetting curve)."""
        corpus, rows = self._sources.corpus, self._rows(evidence)
        if not len(rows):
            return
        if self._counted:
            rows = with_partners(corpus, rows)
        corpus.access_log.enqueue_recalled(corpus.columns.seq[rows].tolist(), pass_result.query.asked)
        if self._counted:
            corpus.access_log.flush()
        _note_problem(pass_result, corpus.access_log.problem)

    def record_used(self, pass_result: PassResult, evidence: Sequence[Evidence]) -> None:
        """Record a use of the turns that an answer cites (HMO: C). The trace says why that failed."""
        corpus, rows = self._sources.corpus, self._rows(evidence)
        if not len(rows):
            return
        if self._counted:
            _note_problem(pass_result, record(self._sources, rows, pass_result.query))
        else:
            corpus.access_log.enqueue(corpus.columns.seq[rows].tolist(), pass_result.query.asked)
            _note_problem(pass_result, corpus.access_log.problem)

    def _rows(self, evidence: Sequence[Evidence]) -> Rows:
        """Return the rows of the turns among the evidence; none if uses are not recorded."""
        turns = [item.id for item in evidence if item.kind == "turn"] if self._config.record else []
        rows = self._sources.corpus.rows_of_ids(turns)
        return rows[rows >= 0]


def record(sources: Sources, rows: Rows, query: Query) -> str | None:
    """Record a use of the rows at once; return the reason if this failed, else None.

    A recall does not fail, nor wait, because a use cannot be written: on a full or read-only disk, or while another
    process writes, the use is lost. Call it inside ``corpus.reading()``.
    """
    if not len(rows):
        return None
    try:
        seqs = sources.corpus.columns.seq[with_partners(sources.corpus, rows)].tolist()
        sources.corpus.storage.record_uses([(seqs, query.asked)])
    except StorageError as error:
        return str(error)
    return None


def _note_problem(pass_result: PassResult, problem: str | None) -> None:
    if problem is not None:
        pass_result.steps["uses"] = {"not recorded": problem}
