"""Lessons: a model distils one from cases of similar tasks, and it is kept under the digest of their texts.

So a lesson goes with the first correction, retraction or forgetting of a case that it stands on.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

import numpy as np

from hmem.corpus.corpus import Corpus, Values
from hmem.derived.changes import encode_answer
from hmem.derived.chunks import decode
from hmem.derived.state import DerivedState
from hmem.evolution.analyse import ModelWorker, Progress
from hmem.evolution.compress import request
from hmem.language.analyst.cached_model import digest
from hmem.language.analyst.language_model import WorkerModel
from hmem.model.case import CASE, OUTCOMES, Lesson
from hmem.model.span import now
from hmem.model.turn import Turn
from hmem.storage.model_queue import ERASURES

# Least similarity, on the common scale, of a case to the first of its group.
LIKE: Final = 0.6
# Number of cases from which on, and up to which, a lesson is distilled; further ones begin a group of their own.
LEAST: Final = 3
MOST: Final = 8


def cases_in_force(corpus: Corpus, derived: DerivedState) -> dict[int, Turn]:
    """Return the cases that are recalled, by sequence number, oldest first. Call it inside ``corpus.reading()``."""
    derived.catch_up()
    absent, moment = derived.decisions.absent(), now()
    seqs = [int(seq) for seq in corpus.storage.matching(metadata={CASE: list(OUTCOMES.values())}) if seq not in absent]
    rows = corpus.storage.turns(seqs)
    return {row.seq: row.turn for row in rows if row.turn.expires is None or row.turn.expires > moment}


def _groups(corpus: Corpus, cases: Mapping[int, Turn]) -> Iterator[list[Turn]]:
    """Yield the cases of one user, each with those of which the first is most like it, in their order."""
    groups: list[tuple[list[Turn], Values]] = []
    for turn, vector in zip(cases.values(), corpus.vectors_of(list(cases)), strict=True):
        open_groups = [(members, float(np.dot(vector, first))) for members, first in groups
                       if members[0].user == turn.user and len(members) < MOST]  # fmt: skip
        members, cosine = max(open_groups, key=lambda group: group[1], default=(list[Turn](), -1.0))
        if corpus.embedder.calibration(cosine) >= LIKE:
            members.append(turn)
        else:
            groups.append(([turn], vector))
    return (members for members, _ in groups)


def lessons_of(corpus: Corpus, cases: Mapping[int, Turn]) -> Mapping[str, Lesson]:
    """Return the latest lesson of each case that stands on one, by the case's id. Call it inside ``reading()``."""
    lessons: dict[str, Lesson] = {}
    if corpus.storage.model_queue is None:
        return lessons
    for members in _groups(corpus, cases):
        keys = [_digest(members[:count]) for count in range(LEAST, len(members) + 1)]
        kept = {answer.digest: answer for answer in corpus.model_queue.answers(keys)}
        for answer in filter(None, map(kept.get, keys)):
            if answer.content is not None:
                text, *indices = decode(answer.content)
                lesson = Lesson(text, tuple(members[int(index)].id for index in indices), answer.model)
                lessons |= dict.fromkeys(lesson.sources, lesson)
    return lessons


def _digest(cases: list[Turn]) -> bytes:
    return digest("lesson", [case.text for case in cases])


class LessonDistiller:
    """Distiller of lessons by a model, in a run of a worker."""

    def __init__(self, corpus: Corpus, derived: DerivedState, worker: ModelWorker) -> None:
        self._corpus = corpus
        self._derived = derived
        self._worker = worker

    def run(self, model: WorkerModel, progress: Progress, limit: int | None = None) -> int:
        """Have a lesson distilled from each group of cases without one; return the number of lessons.

        Raises:
            MemoryBusy, StorageFull, StorageError: what was distilled so far is kept.
        """
        with self._corpus.reading():
            erasure_mark = self._corpus.storage.state().settings.get(ERASURES)
            cases_by_seq = cases_in_force(self._corpus, self._derived)
            groups = {_digest(cases): cases for cases in _groups(self._corpus, cases_by_seq) if len(cases) >= LEAST}
            kept = {answer.digest for answer in self._corpus.model_queue.answers(list(groups))}
        count = 0
        for key, cases in groups.items():
            if key in kept:
                continue
            reply = request(self._worker, partial(model.distil, [case.text for case in cases]), progress, limit)
            if reply is None:
                continue
            value = [reply[0][0], *reply[0][1]] if reply[0] is not None else None
            with self._corpus.reading():
                answer = encode_answer(key, "lesson", model.made_by, value)
                if not self._corpus.model_queue.keep_answers([answer], erasure_mark):
                    return count
            count += value is not None
        return count
