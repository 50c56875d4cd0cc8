"""Standing orders: what somebody asks to be done for good ("from now on, answer in French").

``directs`` reads more of them where somebody speaks to an assistant: what holds on a condition ("when you show me
code, …"), what is ruled out ("no hotels, please") and what whatever is proposed must meet.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from hmem.language.english.meaning.clauses import Clause, clauses
from hmem.language.english.meaning.lists import ANSWERING, STANDING, TELLING
from hmem.language.english.meaning.reference import FIRST, GROUP, SECOND
from hmem.language.english.parser import Parser, parser
from hmem.language.english.tree import Sentence
from hmem.language.english.word_lists import words
from hmem.language.regex import regex

# Slots of claims that say how to do what somebody requests.
INSTRUCTIONS: Final = ("instruction", "diet", "allergy")

# Openings of requests: to the hearer, of needs, and of questions about what the speaker is to do.
_REQUEST: Final = regex(
    r"(?:(?:please|hi|hey|hello|ok(?:ay)?|so|and|now)\W+)*"
    r"(?:(?:can|could|would|will) (?:you|we|i)\b|(?:should|shall|do) (?:i|we)\b|let'?s\b|help\b|please\b"
    r"|(?:i|we)(?: need|'d like| would like| want)\b"
    r"|(?:what|which|who|when|where|how)\b[^.?!]*?\b(?:should|shall|can|could|would|will|do|must)(?: i| we)\b"
    r"|how (?:much|many|long)\b[^.?!]*? (?:would|will)\b)",
    re.IGNORECASE,
)
# What was is asked of the memory.
_PAST: Final = regex(
    r"\b(?:did|was|were|had|said|told|mentioned|have (?:i|we|you)|remember|recall|remind)\b", re.IGNORECASE
)
_QUESTION: Final = regex(
    r"(?:what|which|who|whom|whose|when|where|why|how|is|are|am|was|were|do|does|did|has|have|had|can|could|will|would"
    r"|should|shall|may|might)\b|.*\?\s*$",
    re.IGNORECASE | re.DOTALL,
)
_PIECES: Final = regex(r"[.?!;,\n]\s*")
# Longest text that may be a request: a paste is no request by its opening.
_LONGEST: Final = 2_000

_FROM_NOW_ON: Final = "from now on"
# "Every ad" is of one request, "every answer" of all.
_LASTING: Final = (STANDING - {"every", "ever"}) | {"only"}
_EACH: Final = words("each every")
_OCCASIONS: Final = words("""
    time answer reply response message question lesson session meeting visit day morning evening week month
    """)
# Verbs of talk with an assistant, on whose doing an order may depend: "if I ask about …", "whatever you propose".
_SERVING: Final = (
    ANSWERING | TELLING | words("do list propose draft plan book find check correct help order change buy")
)
# Verbs of orders that are about the way of doing: "skip the introduction", "stick to metres".
_MANNER: Final = words("skip avoid prefer stick leave keep speak address call spell")
_RULES: Final = words("rule rules reminder preference preferences")
_BEHIND_RULE: Final = frozenset((":", "for", "that", "-", ","))
_ASKING: Final = words("can could will would")
# "No problem", and "keep in mind".
_COURTESIES: Final = words("problem worry worries need way idea wonder doubt thanks matter response")
_MINDING: Final = words("mind eye eyes track")
_CONDITIONS: Final = words("when whenever if before unless")
_WHATEVER: Final = words("anything whatever everything")
# A conjunction stands among so many first words of its clause: "oh and when …".
_OPENING: Final = 3
# What only cheers the hearer up, or asks for one thing now.
_NO_ORDERS: Final = words("worry forget hesitate let wait")


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


def directs(sentence: Sentence) -> bool:
    """Tell if a sentence to an assistant says for good how to do what its speaker asks for."""
    said, own = clauses(sentence), {token.lower for token in sentence}
    if any(clause.tense == "past" and clause.kind == "main" for clause in said):
        return False
    lasting = not _LASTING.isdisjoint(own) or _FROM_NOW_ON in sentence.words.lower() or _on_each(sentence)
    if any(clause.mood == "question" for clause in said):
        # "Can you always use football for examples?"
        opened = sentence.tokens[0].lower in _ASKING
        return lasting and opened and any(c.subject is not None and c.subject.lower in SECOND for c in said)
    return (
        _ruled(sentence, said, own)
        or any(map(_is_on_serving, said))
        or any(_is_kept(clause, lasting=lasting) for clause in said)
    )


def _on_each(sentence: Sentence) -> bool:
    """Tell if a sentence speaks of each occasion: "at the start of each lesson"."""
    return any(one.lower in _EACH and other.lower in _OCCASIONS for one, other in pairwise(sentence.tokens))


def _is_kept(clause: Clause, *, lasting: bool) -> bool:
    """Tell if an order rules something out, holds for each time, or is about the way of doing."""
    verb = clause.verb.partition(" ")[0]
    if not is_order(clause) or verb in _NO_ORDERS or clause.kind not in ("main", "aside", "coordinate"):
        return False
    manner = verb in _MANNER and _MINDING.isdisjoint(token.lower for token in clause.sentence)
    return clause.negated or lasting or manner


def _is_on_serving(clause: Clause) -> bool:
    """Tell if a clause is about what the assistant does: "when you show me commands", "anything you suggest"."""
    subject = clause.subject.lower if clause.subject is not None else ""
    if subject not in SECOND | FIRST or clause.verb.partition(" ")[0] not in _SERVING:
        return False
    if clause.kind == "relative":
        return subject in SECOND and any(token.lower in _WHATEVER for token in clause.sentence)
    opens = any(token.lower in _CONDITIONS for token in clause.tokens[:_OPENING])
    # "I was wondering if you could help" asks for one thing.
    whether = not _ASKING.isdisjoint(token.lower for token in clause.tokens)
    return clause.kind == "adverbial" and clause.tense != "past" and opens and not whether


def _ruled(sentence: Sentence, said: Sequence[Clause], own: set[str]) -> bool:
    """Tell if a sentence is put as a rule, or names without a verb what is wanted or not: "no hotels, please"."""
    for token, behind in pairwise(sentence.tokens[: _OPENING + 1]):
        if token.lower in _RULES and token.upos == "NOUN" and behind.lower in _BEHIND_RULE:
            return True
    if any(clause.kind == "main" and clause.subject is not None for clause in said) or sentence.words.endswith("?"):
        return False
    first = next((token.lower for token in sentence if token.upos not in {"CCONJ", "INTJ", "PUNCT", "ADV"}), "")
    nouns = any(token.upos in {"NOUN", "PROPN"} for token in sentence)
    denied = first == "no" and _COURTESIES.isdisjoint(own)
    return nouns and (denied or (not said and not own.isdisjoint({"please", "always", "never", "only"})))


def _names(clause: Clause) -> bool:
    return is_order(clause) and clause.verb == "call" and any(token.lower in FIRST for token in clause.tokens)


@lru_cache(maxsize=256)
def requests(text: str) -> bool:
    """Tell if a text asks to do or advise something, not what was: "Write me a function", "What should I cook?"."""
    said = text.strip()[:_LONGEST]
    if _PAST.search(said):
        return False
    if any(_REQUEST.match(piece) for piece in _PIECES.split(said)):
        return True
    return not _QUESTION.match(said) and any(map(_opens, parser().parse([said])[0].sentences))


def is_conditional(instruction: str) -> bool:
    """Tell if an instruction names the occasion on which it applies."""
    return not _CONDITIONS.isdisjoint(instruction.lower().split())


def _opens(sentence: Sentence) -> bool:
    """Tell if a sentence begins with what it orders; the parser may take a bare verb for a statement."""
    bare = (clause for clause in clauses(sentence) if clause.subject is None and clause.kind == "main")
    return any(clause.mood == "order" or clause.opening.index == 0 for clause in bare) or (
        sentence.tokens[0].upos == "VERB" and len(sentence) > 1
    )
