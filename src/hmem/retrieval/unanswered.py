"""Turns that only ask what a question asks, or only say that their speaker does not know it.

They share more words with the question than its answer does, and tell nothing. A question that was asked before ranks
behind the reply to it. Without one, it and its non-answers rank behind whatever else was found; no answer is read off
them, and they are relevant to nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from hmem.language.analyst import Lexicon
from hmem.language.analyzer import stems, words
from hmem.model.turn import Turn
from hmem.retrieval.plan import Query, is_keywords, stop_stems
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import ScoredTurns

# Term that puts such a turn behind others.
TERM: Final = "unanswered"

# Number of best turns that are checked, and the step in score by which one goes behind another.
_CHECKED: Final = 32
_BEHIND: Final = np.float32(1e-3)
# Least share of the question's words in a turn about the same.
_SAME: Final = 0.5
# Marks of questions: Latin, Chinese and Japanese, Arabic, Greek.
_ASKS: Final = ("?", "\uff1f", "\u061f", "\u037e")


class _Silent(NamedTuple):
    """Rows of questions without a reply and of non-answers, and of questions with the row of the reply to each."""

    unanswered: tuple[int, ...] = ()
    answered: Mapping[int, int] = {}


def unanswered_last(sources: Sources, query: Query, scored: ScoredTurns) -> tuple[ScoredTurns, tuple[int, ...]]:
    """Return candidates, last those that tell nothing of what is asked, and the rows of these.

    A question with a reply goes right behind the reply. ``TERM`` is what that cost them. Only the best turns are
    checked. Call it inside ``corpus.reading()``.
    """
    rows: list[int] = scored.rows[:_CHECKED].tolist()
    found = _silent(sources, query, rows)
    if not found.unanswered and not found.answered:
        return scored, ()
    places = {row: place for place, row in enumerate(scored.rows.tolist())}
    values = np.zeros(len(scored.rows), np.float32)
    for row, reply in found.answered.items():
        if places.get(reply, -1) > places[row]:
            values[places[row]] = scored.scores[places[reply]] - scored.scores[places[row]] - _BEHIND
    others = [places[row] for row in rows if row not in found.unanswered]
    lowest = (scored.scores + values)[others].min(initial=np.float32(np.inf))
    for step, row in enumerate(found.unanswered, 1):
        values[places[row]] = min(lowest - step * _BEHIND - scored.scores[places[row]], np.float32(0.0))
    if not values.any():
        return scored, found.unanswered
    scores = scored.scores + values
    order = np.argsort(-scores, kind="stable")
    terms = {name: each[order] for name, each in {**scored.terms, TERM: values}.items()}
    weights = {**scored.weights, TERM: 1.0}
    return replace(
        scored, rows=scored.rows[order], scores=scores[order], terms=terms, weights=weights
    ), found.unanswered


def _silent(sources: Sources, query: Query, rows: Sequence[int]) -> _Silent:
    """Return which of some turns tell nothing of what is asked."""
    lexicon = sources.analyst.lexicon
    # Who looks for words wants the turns that have them, whatever these tell.
    if not query.terms or lexicon.asks_of_knowing(query.text) or is_keywords(query.text, lexicon):
        return _Silent()
    # Only turns with enough of the question's words are read, and the replies to those that ask the same.
    columns, ranked = sources.corpus.columns, np.array(rows, np.int64)
    having = sources.corpus.contains_terms(query.terms, ranked)
    alike = ranked[np.count_nonzero(having, axis=0) >= _SAME * len(query.terms)]
    turns = sources.corpus.turns(alike)
    asking = [row for row, turn in turns.items() if _repeats(query, turn, lexicon)]
    replies = {row: reply for row in asking if (reply := int(columns.next[row])) >= 0}
    turns |= sources.corpus.turns(np.array([row for row in replies.values() if row not in turns], np.int64))
    told = {
        row: reply
        for row, reply in replies.items()
        if reply in turns and _replies(sources, query, turns[row], turns[reply])
    }
    best, to_asking = {*rows}, {*replies.values()}
    unknowing = [
        row
        for row, turn in turns.items()
        if row in best
        and (parts := _disclaimers(sources, turn))
        and (row in to_asking or _about(query, turn, lexicon))
        and not _names(query, parts, lexicon)
    ]
    unanswered = {*unknowing, *(row for row in asking if row not in told)}
    return _Silent(tuple(row for row in rows if row in unanswered), told)


def _disclaimers(sources: Sources, turn: Turn) -> tuple[str, ...]:
    return () if turn.caption or turn.attachments else sources.analyst.lexicon.disclaimers(turn.text)


def _replies(sources: Sources, query: Query, question: Turn, turn: Turn) -> bool:
    """Tell if a turn tells anything in reply to a question."""
    other = turn.speaker != question.speaker and not _repeats(query, turn, sources.analyst.lexicon)
    return other and not _disclaimers(sources, turn)


def _repeats(query: Query, turn: Turn, lexicon: Lexicon) -> bool:
    """Tell if a turn only asks what is asked, in no other words."""
    if turn.caption or turn.attachments or len(turn.text) > 4 * len(query.text):
        return False
    marked = any(mark in turn.text for mark in _ASKS)
    if (marked or query.text.endswith(_ASKS)) and stems(turn.text) == stems(query.text):
        return True
    if not marked:
        return False
    asked = {*stems(query.text)}
    return _about(query, turn, lexicon) and all(
        piece.text.rstrip("\"'»”’)]! ").endswith(_ASKS) and _content(piece.text, lexicon) <= asked
        for piece in lexicon.split(turn.text)
        if _content(piece.text, lexicon)
    )


def _about(query: Query, turn: Turn, lexicon: Lexicon) -> bool:
    """Tell if a turn has enough of the question's words."""
    said = _content(turn.text, lexicon)
    return len(said.intersection(query.terms)) >= _SAME * len(query.terms)


def _content(text: str, lexicon: Lexicon) -> set[str]:
    """Return the stems of the content words of a text."""
    return {*stems(text)} - stop_stems(lexicon.stop_words)


def _names(query: Query, parts: Sequence[str], lexicon: Lexicon) -> bool:
    """Tell if sentences name or count anything that the question does not: "I'm not sure when Ana moved to Porto"."""
    asked = {*stems(query.text)}
    return any(
        (word[0].isdigit() or (place > 0 and word[0].isupper() and word.lower() not in lexicon.first_person))
        and not asked.issuperset(stems(word))
        for part in parts
        for place, word in enumerate(words(part))
    )
