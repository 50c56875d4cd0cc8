"""Exchanges: question and answer turns that complete each other among the evidence.

A question is often found by its words while the next turn, which answers it, has none of them. Measured on development
conversations, adding partners does not pay for its room, since the ranker sees a turn's neighbours already. So answers
are placed late, and only short questions before the very best turns are added, to help the reader.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hmem.corpus.corpus import Corpus
from hmem.corpus.index.rows import Rows
from hmem.language.tokens import count_tokens
from hmem.model.evidence import Evidence, Term, Why
from hmem.model.turn import Turn
from hmem.retrieval.evidence import turn_evidence
from hmem.retrieval.filter import Allowed
from hmem.retrieval.sources import Sources

NAME: Final = "exchange"
_ROLES: Final = ("user", "assistant")
# Number of best turns that are worth something to the turns behind them.
_BEST: Final = 20


@dataclass(frozen=True, slots=True)
class ExchangeOptions:
    """Ranks for the other halves of question-and-answer exchanges.

    The answer to the question at a rank is placed at ``slope`` times that rank plus ``offset``. The question before an
    answer comes right behind it, for the best ``questions`` answers, if it has at most ``question_tokens`` tokens.
    ``carried`` is the share of a turn's worth that the turn right behind it is moved up by.
    """

    slope: float = 1.5
    offset: float = 15.0
    questions: int = 2
    question_tokens: int = 24
    carried: float = 0.0


def partners(corpus: Corpus, rows: Rows) -> Rows:
    """Return the row of the other half of each turn's exchange with an assistant; -1 for none.

    An exchange is a user's turn and the assistant's reply that follows it in the session (HMO: the record).
    """
    if not len(rows):
        return rows
    columns, roles = corpus.columns, {speaker.number: speaker.role for speaker in corpus.speakers}
    # The extra last row is reached by -1, which means no neighbour.
    speakers = np.append(columns.speaker, -1)
    user, assistant = (np.isin(speakers, [n for n, role in roles.items() if role == each]) for each in _ROLES)
    after, before = columns.next[rows].astype(np.int64), columns.previous[rows].astype(np.int64)
    return np.where(user[rows] & assistant[after], after, np.where(assistant[rows] & user[before], before, -1))


def with_partners(corpus: Corpus, rows: Rows) -> Rows:
    """Return rows, each followed by the other half of its exchange, every row once."""
    partner_rows = partners(corpus, rows)
    pairs = np.stack([rows, partner_rows], axis=1).reshape(-1)
    return np.array(list(dict.fromkeys(pairs[pairs >= 0].tolist())), np.int64)


def with_exchanges(
    sources: Sources, evidence: Sequence[Evidence], options: ExchangeOptions, allowed: Allowed | None = None
) -> list[Evidence]:
    """Return evidence, best first, with the turns that complete its exchanges. Call it inside ``reading()``.

    ``allowed``, a boolean per row, marks the turns that may be added.
    """
    evidence = _with_what_follows(sources, evidence, options.carried)
    columns = sources.corpus.columns
    rows = sources.corpus.rows_of_ids([item.id if item.kind == "turn" else "" for item in evidence])
    after = np.where(rows >= 0, columns.next[rows], -1) if len(columns) else rows
    before = np.where(rows >= 0, columns.previous[rows], -1) if len(columns) else rows
    after[[not _asks(item.text) for item in evidence]] = -1
    before[options.questions :] = -1
    neighbours = zip(after.tolist(), before.tolist(), evidence, strict=True)
    neighbour_rows = np.unique(np.concatenate([after, before]))
    neighbour_rows = neighbour_rows[(neighbour_rows >= 0) & (True if allowed is None else allowed[neighbour_rows])]
    turns = sources.corpus.turns(neighbour_rows)
    ranks: dict[str, tuple[float, Evidence]] = {item.id: (float(rank), item) for rank, item in enumerate(evidence)}
    for rank, (answer, question, item) in enumerate(neighbours):
        if answer >= 0:
            _set_rank(ranks, turns.get(answer), item, options.slope * rank + options.offset)
        question_turn = turns.get(question) if question >= 0 else None
        if (
            question_turn is not None
            and _asks(question_turn.text)
            and count_tokens(question_turn.text) <= options.question_tokens
        ):
            _set_rank(ranks, question_turn, item, rank + 0.5)
    return [item for _, item in sorted(ranks.values(), key=lambda ranked_item: ranked_item[0])]


def _with_what_follows(sources: Sources, evidence: Sequence[Evidence], share: float) -> list[Evidence]:
    """Return evidence reordered: each turn gains a share of the lead that the turn before it has over most.

    The first piece stays first: it may be somebody's own words, from wherever they rank.
    """
    if not share or not evidence:
        return list(evidence)
    rows, columns = sources.corpus.rows_of_ids([item.id for item in evidence]), sources.corpus.columns
    scores = np.array([item.score for item in evidence])
    excess = np.maximum(scores - np.sort(scores)[::-1][min(_BEST, len(scores) - 1)], 0.0)
    worth = {row: value for row, value in zip(rows.tolist(), excess.tolist(), strict=True) if row >= 0}
    before = columns.previous[np.maximum(rows, 0)].tolist()
    shares = np.array([worth.get(row, 0.0) for row in before])
    keys = -scores - share * shares
    keys[0] = -np.inf
    return [evidence[index] for index in np.argsort(keys, kind="stable").tolist()]


def _asks(text: str) -> bool:
    return "?" in text or "\uff1f" in text or "\u061f" in text


def _set_rank(ranks: dict[str, tuple[float, Evidence]], turn: Turn | None, partner: Evidence, rank: float) -> None:
    """Set the rank of a turn by another speaker than its partner's, unless it has a better one."""
    if turn is None or turn.speaker == partner.speaker:
        return
    present = ranks.get(turn.id)
    if present is None:
        reason = Why((NAME,), {NAME: Term(partner.score, 1.0)})
        ranks[turn.id] = (rank, turn_evidence(turn, partner.score, reason))
    elif present[0] > rank:
        ranks[turn.id] = (rank, present[1])
