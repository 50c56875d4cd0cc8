"""Phrases of a line by its tree, with their roles: what may fill a gap, and where it begins and ends."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from hmem.language.analyst.answer_reader import PhraseRole, TreePhrase
from hmem.language.english.meaning.clauses import Argument, clauses
from hmem.language.english.parser import parse
from hmem.language.english.tree import Sentence, Token

PLACES: Final = frozenset(
    {"in", "at", "on", "to", "from", "near", "into", "by", "inside", "outside", "around", "through", "beside", "behind",
     "under", "onto", "across", "along", "toward", "towards", "over"}
)  # fmt: skip
BECAUSE: Final = frozenset({"because", "since", "as", "so", "cause", "cos"})

_AROUND: Final = frozenset({"punct", "cc", "conj", "case", "mark", "cop", "nsubj"})
_BESIDE: Final = frozenset({"parataxis", "acl:relcl", "advcl:relcl", "advcl", "discourse", "vocative"})
_LEFT_OF_PREDICATE: Final = ("punct", "parataxis", "aux", "nsubj", "discourse", "cc")
_REASONS: Final = BECAUSE | {"for", "due"}
_MANNERS: Final = frozenset({"by", "with", "through", "via"})
_ROLES: Final[dict[str, PhraseRole]] = {
    "object": "object", "indirect": "object", "complement": "complement", "agent": "subject", "when": "oblique",
}  # fmt: skip


@lru_cache(maxsize=8_192)
def tree_phrases(text: str) -> tuple[TreePhrase, ...]:
    """Return the phrases of a text, with the clauses' arguments, modifiers of nouns, and predicates."""
    return tuple(each for sentence in parse([text])[0].sentences for each in _of_sentence(sentence))


def phrase(sentence: Sentence, token: Token) -> list[Token]:
    """Return the phrase of a word without its preposition, and without clauses that only add to it."""

    def leave(each: Token) -> bool:
        own = sentence.head(each) is token
        return each.relation in _BESIDE or (own and each.relation in _AROUND)

    return sentence.subtree(token, leave)


def _of_sentence(sentence: Sentence) -> Iterator[TreePhrase]:
    for clause in clauses(sentence):
        if clause.subject is not None and not clause.inherited:
            yield from _spanned("subject", phrase(sentence, clause.subject))
        for argument in clause.arguments:
            yield from _spanned(_role(argument), phrase(sentence, argument.head))
        if clause.copular:
            yield from _spanned("complement", phrase(sentence, clause.head))
        yield from _spanned("predicate", _predicate(sentence, clause.head))
    for token in sentence:
        if token.relation.startswith(("nmod", "appos", "conj")) and token.upos in {"NOUN", "PROPN", "NUM", "X"}:
            yield from _spanned("modifier", phrase(sentence, token))
        elif token.relation == "nummod":
            yield from _spanned("number", sentence.subtree(token))
        elif token.relation.startswith("advcl"):
            yield from _spanned("reason", sentence.subtree(token, lambda each: each.lower in BECAUSE))


def _role(argument: Argument) -> PhraseRole:
    if argument.role != "oblique":
        return _ROLES.get(argument.role, "oblique")
    if argument.marker in _MANNERS:
        return "manner"
    if argument.marker in _REASONS:
        return "reason"
    return "place" if argument.marker in PLACES else "oblique"


def _predicate(sentence: Sentence, head: Token) -> list[Token]:
    """Return a verb with what follows it."""

    def leave(each: Token) -> bool:
        own = sentence.head(each) is head
        return own and (each.relation.startswith(_LEFT_OF_PREDICATE) or each.relation == "conj")

    return sentence.subtree(head, leave)


def _spanned(role: PhraseRole, tokens: list[Token]) -> Iterator[TreePhrase]:
    if tokens:
        yield TreePhrase(tokens[0].start, tokens[-1].end, role)
