"""Profiles without a model: what lasts, and what is recent, of the lines about an entity."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from hmem.language.analyst.base import ProfileText, Subject
from hmem.language.analyst.rules.pieces import Piece, pieces
from hmem.language.analyst.rules.selection import choose, tell, weigh
from hmem.language.regex import regex
from hmem.language.tokens import count_tokens

# Lines that are read at most: the latest.
_LINES: Final = 200
# Of the latest lines, so many pieces are looked at for what is recent.
_RECENT: Final = 40
# Below this worth a sentence only asks or reacts.
_SAYS: Final = 2.5

# What a sentence is worth more that says what lasts, and what is left of one that is not about the subject.
_LASTING: Final = 3.0
_OTHERS: Final = 0.4

# Read on lower-cased text.
_LASTS: Final = regex(
    r"\b(?:always|never|since|usually|often|every (?:day|week|month|year|morning|night|evening|weekend|summer|winter"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|for (?:(?:over|about|almost|the last) )?\w+ years"
    r"|(?:lives?|grew up|works?|studie[sd]) (?:in|at|as|for|with)|born|married|engaged|named|called|known as|famous for"
    r"|(?:is|was|i'm|am|are) (?:an?|the|my|from|vegan|vegetarian|allergic)"
    r"|(?:has|have|had|got) (?:\w+ )?(?:kids|children|sons?|daughters?|brothers?|sisters?|pets?|dogs?|cats?)"
    r"|favou?rite|(?:loves?|likes?|enjoys?|hates?|prefers?|dislikes?|collects?"
    r"|owns?|teaches|runs|plays|believes?)|my (?:wife|husband|partner|sister|brother|mother|father|mom|mum|dad|son"
    r"|daughter|boss|dog|cat|job|home|hobby|birthday))\b"
)


def profile(subject: Subject, tokens: int) -> ProfileText:
    """The profile of a subject, each part in at most ``tokens`` tokens: what lasts undated, what is recent dated."""
    told = [_for_subject(piece, subject.name.lower()) for piece in pieces(subject.lines[-_LINES:])]
    lasting = [
        replace(piece, worth=piece.worth * (_LASTING if _LASTS.search(piece.text.lower()) else 1.0)) for piece in told
    ]
    chosen = choose(lasting, tokens, weigh(told, by_day=True)) or lasting[:1]
    taken = frozenset((piece.line, piece.place) for piece in chosen)
    recent = _latest([piece for piece in told if (piece.line, piece.place) not in taken] or told, tokens)
    return ProfileText(tell(chosen, tokens, dated=False), tell(recent, tokens))


def _for_subject(piece: Piece, name: str) -> Piece:
    own = name in piece.text.lower() or (piece.speaker or "").lower() == name
    return piece if own else replace(piece, worth=piece.worth * _OTHERS)


def _latest(told: Sequence[Piece], tokens: int) -> list[Piece]:
    """The pieces of the latest lines that fit, latest first."""
    newest = sorted(told, key=lambda piece: (piece.when, piece.line, -piece.place), reverse=True)[:_RECENT]
    telling = [piece for piece in newest if piece.worth >= _SAYS] or newest
    chosen: list[Piece] = []
    left = tokens
    for piece in telling:
        left -= count_tokens(piece.text) + 2
        if left < 0 and chosen:
            break
        chosen.append(piece)
    return chosen
