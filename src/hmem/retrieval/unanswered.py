"""Turns that only ask what a question asks, or only say that their speaker does not know it.

They share more words with the question than its answer does, and tell nothing. A question that was asked before ranks
behind the reply to it. Without one, it and its non-answers rank behind whatever else was found; no answer is read off
them, and they are relevant to nothing.
"""

from collections.abc import Mapping, Sequence
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
_MAX_CHECKED: Final = 32
_SCORE_STEP: Final = np.float32(1e-3)
# Least share of the question's words in a turn about the same.
_MIN_SHARE: Final = 0.5
# Marks of questions: Latin, Chinese and Japanese, Arabic, Greek.
_ASKS: Final = ("?", "\uff1f", "\u061f", "\u037e")


class _Silent(NamedTuple):
    """Rows of questions without a reply and of non-answers, and of questions with the row of the reply to each."""

    unanswered: tuple[int, ...] = ()
    reply_of_row: Mapping[int, int] = {}


def unanswered_last(sources: Sources, query: Query, ranking: ScoredTurns) -> tuple[ScoredTurns, tuple[int, ...]]:
    """Return candidates, last those that tell nothing of what is asked, and the rows of these.

    A question with a reply goes right behind the reply. ``TERM`` is what that cost them. Only the best turns are
    checked. Call it inside ``corpus.reading()``.
    """
    rows: list[int] = ranking.rows[:_MAX_CHECKED].tolist()
    silent = _silent(sources, query, rows, ranking.rows[: sources.shown].tolist())
    if not silent.unanswered and not silent.reply_of_row:
        return ranking, ()
    rank_of_row = {row: rank for rank, row in enumerate(ranking.rows.tolist())}
    values = np.zeros(len(ranking.rows), np.float32)
    for row, reply in silent.reply_of_row.items():
        if rank_of_row.get(reply, -1) > rank_of_row[row]:
            values[rank_of_row[row]] = (
                ranking.scores[rank_of_row[reply]] - ranking.scores[rank_of_row[row]] - _SCORE_STEP
            )
    other_ranks = [rank_of_row[row] for row in rows if row not in silent.unanswered]
    lowest = (ranking.scores + values)[other_ranks].min(initial=np.float32(np.inf))
    for step, row in enumerate(silent.unanswered, 1):
        values[rank_of_row[row]] = min(lowest - step * _SCORE_STEP - ranking.scores[rank_of_row[row]], np.float32(0.0))
    if not values.any():
        return ranking, silent.unanswered
    return ranking.with_term(TERM, values).sorted(), silent.unanswered


def _silent(sources: Sources, query: Query, rows: Sequence[int], shown: Sequence[int]) -> _Silent:
    """Return which of some turns tell nothing of what is asked; ``shown`` are those that are needed later."""
    lexicon = sources.analyst.lexicon
    # Who looks for words wants the turns that have them, whatever these tell.
    if not query.terms or lexicon.asks_of_knowing(query.text) or is_keywords(query.text, lexicon):
        return _Silent()
    # Only turns with enough of the question's words are read, and the replies to those that ask the same.
    columns, best_rows = sources.corpus.columns, np.array(rows, np.int64)
    has_term = sources.corpus.contains_terms(query.terms, best_rows)
    alike = best_rows[np.count_nonzero(has_term, axis=0) >= _MIN_SHARE * len(query.terms)].tolist()
    # What will be shown is fetched in the same call.
    fetched = sources.corpus.turns(np.array(list(dict.fromkeys([*alike, *shown])), np.int64))
    turns = {row: fetched[row] for row in alike if row in fetched}
    question_rows = [row for row, turn in turns.items() if _repeats(query, turn, lexicon)]
    replies = {row: reply for row in question_rows if (reply := int(columns.next[row])) >= 0}
    turns |= sources.corpus.turns(np.array([row for row in replies.values() if row not in turns], np.int64))
    reply_of_row = {
        row: reply
        for row, reply in replies.items()
        if reply in turns and _replies(sources, query, turns[row], turns[reply])
    }
    best, to_asking = {*rows}, {*replies.values()}
    unknowing = [
        row
        for row, turn in turns.items()
        if row in best
        and (sentences := _disclaimers(sources, turn))
        and (row in to_asking or _is_about(query, turn, lexicon))
        and not _names(query, sentences, lexicon)
    ]
    unanswered = {*unknowing, *(row for row in question_rows if row not in reply_of_row)}
    return _Silent(tuple(row for row in rows if row in unanswered), reply_of_row)


def _disclaimers(sources: Sources, turn: Turn) -> tuple[str, ...]:
    return () if turn.caption or turn.attachments else sources.analyst.lexicon.disclaimers(turn.text)


def _replies(sources: Sources, query: Query, question: Turn, turn: Turn) -> bool:
    """Tell if a turn tells anything in reply to a question."""
    is_reply = turn.speaker != question.speaker and not _repeats(query, turn, sources.analyst.lexicon)
    return is_reply and not _disclaimers(sources, turn)


def _repeats(query: Query, turn: Turn, lexicon: Lexicon) -> bool:
    """Tell if a turn only asks what is asked, in no other words."""
    if turn.caption or turn.attachments or len(turn.text) > 4 * len(query.text):
        return False
    marked = any(mark in turn.text for mark in _ASKS)
    if (marked or query.text.endswith(_ASKS)) and stems(turn.text) == stems(query.text):
        return True
    if not marked:
        return False
    question_stems = {*stems(query.text)}
    return _is_about(query, turn, lexicon) and all(
        sentence.text.rstrip("\"'»”’)]! ").endswith(_ASKS) and _content(sentence.text, lexicon) <= question_stems
        for sentence in lexicon.split(turn.text)
        if _content(sentence.text, lexicon)
    )


def _is_about(query: Query, turn: Turn, lexicon: Lexicon) -> bool:
    """Tell if a turn has enough of the question's words."""
    turn_stems = _content(turn.text, lexicon)
    return len(turn_stems.intersection(query.terms)) >= _MIN_SHARE * len(query.terms)


def _content(text: str, lexicon: Lexicon) -> set[str]:
    """Return the stems of the content words of a text."""
    return {*stems(text)} - stop_stems(lexicon.stop_words)


def _names(query: Query, sentences: Sequence[str], lexicon: Lexicon) -> bool:
    """Tell if sentences name or count anything that the question does not: "I'm not sure when Ana moved to Porto"."""
    question_stems = {*stems(query.text)}
    return any(
        (word[0].isdigit() or (position > 0 and word[0].isupper() and word.lower() not in lexicon.first_person))
        and not question_stems.issuperset(stems(word))
        for sentence in sentences
        for position, word in enumerate(words(sentence))
    )
