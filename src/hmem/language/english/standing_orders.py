"""Standing orders: what somebody asks to be done for good ("from now on, answer in French")."""

from typing import Final

from hmem.language.english.meaning.clauses import Clause, clauses
from hmem.language.english.meaning.lists import STANDING
from hmem.language.english.meaning.reference import FIRST, GROUP, SECOND
from hmem.language.english.parser import Parser

_FROM_NOW_ON: Final = "from now on"


def is_order(clause: Clause) -> bool:
    """Tell if a clause orders something; the parser may take "please never ring" for a statement."""
    if clause.subject is not None and clause.subject.lower not in SECOND:
        return False
    please = clause.subject is None and any(token.lower == "please" for token in clause.sentence)
    return clause.mood == "order" or please


def is_standing(clause: Clause) -> bool:
    """Tell if a clause is an order that holds for good."""
    own = {token.lower for token in clause.tokens}
    return is_order(clause) and (not STANDING.isdisjoint(own) or _FROM_NOW_ON in clause.sentence.words.lower())


def holds_standing_order(parser: Parser, text: str) -> bool:
    """Tell if a text orders something for good, or how to call its speaker, whose own doings it does not tell."""
    found = [clause for sentence in parser.parse([text])[0].sentences for clause in clauses(sentence)]
    told = any(clause.kind == "main" and clause.subject is not None and clause.subject.lower in FIRST | GROUP
               for clause in found)  # fmt: skip
    words = {token.lower for clause in found for token in clause.tokens}
    # "Don't ever quit on what you love" is for the hearer's good.
    advice = not SECOND.isdisjoint(words) and FIRST.isdisjoint(words)
    return not told and not advice and any(is_standing(clause) or _names(clause) for clause in found)


def _names(clause: Clause) -> bool:
    return is_order(clause) and clause.verb == "call" and any(token.lower in FIRST for token in clause.tokens)
