"""Answers to questions of several parts: each part is answered in the order of its needs, and the answers put together.

"What do Ana and Tom both like?" is the intersection of what each of them likes; "What did Ana buy, and where does Tom
work?" the union of two answers; "Where did Ana go after she quit her job?" needs first when she quit.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf, prod
from typing import Final, NamedTuple

import numpy as np

from hmem.language.analyst.answer_reader import CandidateSentence, Reply
from hmem.model.plan import Plan, SubQuestion
from hmem.retrieval.answer.candidates import AnswerCandidates, meanings_of, weights
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources

# Best phrases of each part that are compared for what they have in common.
_COMPARED: Final = 12


class Drafted(NamedTuple):
    """Draft of the answer to a part, with the chances, 0 to 1, that it is right and that the memory holds an answer."""

    reply: Reply
    right: float
    told: float


Draft = Callable[[Query], Drafted | None]
Choose = Callable[[Query], AnswerCandidates | None]


def of_parts(sources: Sources, query: Query, plan: Plan, draft: Draft, choose: Choose) -> Drafted | None:
    """Return the answer to a question of several parts; None if it has one, or if they cannot be put together."""
    parts = plan.parts
    if len(parts) < 2 or any(part.answer_type == "yes_no" for part in parts):
        return None
    made: list[Drafted] = []
    for part in parts:
        known = [made[need].reply.text for need in part.needs if need < len(made)]
        drafted = draft(query_of(sources, query, part, known))
        if drafted is None or not drafted.reply.text:
            return None
        made.append(drafted)
    right, told = prod(each.right for each in made), prod(each.told for each in made)
    if any(part.needs for part in parts):
        return Drafted(made[-1].reply, right, told)
    if _alike(parts, query.names):
        reply = _common([choose(query_of(sources, query, part, ())) for part in parts])
        return None if reply is None else Drafted(reply, min(each.right for each in made), told)
    text = "; ".join(each.reply.text for each in made)
    return Drafted(Reply(text, [statement for each in made for statement in each.reply.used]), right, told)


def query_of(sources: Sources, query: Query, part: SubQuestion, known: Sequence[str]) -> Query:
    """Return the query of a part; ``known`` are the answers that it needs."""
    text = " ".join([part.text, *known])
    said = set(text.replace("'s", "").replace("?", "").split())
    names = tuple(name for name in query.names if not said.isdisjoint(name.split())) or query.names
    return replace(query, text=text, names=names, part=part, vector=meanings_of(sources).of([text])[0])


def _alike(parts: Sequence[SubQuestion], names: Sequence[str]) -> bool:
    """Tell if parts ask the same of several people."""
    of_names = {word for name in names for word in name.split()}
    said = {tuple(word for word in part.text.rstrip("?").split() if word not in of_names) for part in parts}
    return len(said) == 1


def _common(chosen: Sequence[AnswerCandidates | None]) -> Reply | None:
    """Return the phrase that the candidates of all parts have, the best in sum; None without one."""
    if any(each is None or not len(each) for each in chosen):
        return None
    held = [each for each in chosen if each is not None]
    ranked: list[list[tuple[float, int, set[str]]]] = []
    for candidates in held:
        scores = candidates.scores(weights())
        best = np.argsort(-scores, kind="stable")[:_COMPARED].tolist()
        ranked.append([(float(scores[place]), place, candidates.says(place)) for place in best])
    best_sum, shared = -inf, set[str]()
    for score, _, words in ranked[0]:
        total = score + sum(
            max((other for other, _, said in rest if words & said), default=-inf) for rest in ranked[1:]
        )
        if total > best_sum:
            best_sum, shared = total, words
    return _reply(held, shared, ranked) if shared else None


def _reply(
    held: Sequence[AnswerCandidates], words: set[str], ranked: Sequence[Sequence[tuple[float, int, set[str]]]]
) -> Reply:
    """Return the shortest phrase with some of these words, and a statement of each part that has them."""
    phrases: list[str] = []
    used: list[CandidateSentence] = []
    for candidates, best in zip(held, ranked, strict=True):
        place = next(place for _, place, said in best if said & words)
        phrases.append(candidates.worded(place))
        used.append(candidates.statement(place))
    return Reply(min(phrases, key=len), used)
