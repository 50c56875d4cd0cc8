"""Mending of trees: words of talk whose tag contradicts their place in the tree are read by their place."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final

from hmem.language.english.meaning.name_lists import is_common
from hmem.language.english.tree import ROOT, Token

_IS: Final = "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"
_SUBJECTS: Final = frozenset({"nsubj", "nsubj:pass"})
_MISTAKEN: Final = frozenset({"NOUN", "INTJ", "ADJ", "ADV", "X"})
_PREDICATES: Final = frozenset({"VERB", "ADJ", "NOUN", "PROPN", "NUM", "ADV"})


def mended(tokens: Iterable[Token], lemma: Callable[[str, str], str]) -> tuple[Token, ...]:
    """Return the tokens of a tree with what can only be a verb as one.

    "'s" behind a subject is "is", as a possessor is no subject: "Lisbon's cancelled". A root in "-ing" with an
    auxiliary is a verb, and so is one in "-ed" with a subject and an object or a goal, but without "be". A bare word
    with a capital that is no common one is a name as the subject of a verb: "Wout broke his wrist".
    """
    found = list(tokens)
    for token in found[:]:
        if _is_name(token, found):
            found[token.index] = replace(token, upos="PROPN", feats="Number=Sing")
        if token.text in {"'s", "\u2019s"} and token.upos == "PART":
            found[token.index] = _is(token, found)
    return tuple(_verb(token, found, lemma) if token.relation == ROOT else token for token in found)


def _is_name(token: Token, tokens: list[Token]) -> bool:
    """Tell if a subject that is tagged as a common word can only be a name."""
    if token.upos not in _MISTAKEN or not token.text.istitle() or token.relation not in _SUBJECTS:
        return False
    if is_common(token.lower, token.lemma) or tokens[token.head].upos != "VERB":
        return False
    return not any(each.upos != "PUNCT" for each in _below(token, tokens))


def _is(token: Token, tokens: list[Token]) -> Token:
    owner = tokens[token.head]
    if token.relation in {"cop", "aux", "aux:pass"}:
        return replace(token, lemma="be", upos="AUX", feats=_IS)
    if owner.relation not in _SUBJECTS:
        return token
    predicate = tokens[owner.head]
    below = tuple(_below(predicate, tokens))
    if predicate.upos not in _PREDICATES or predicate.index < token.index or any(
        each.relation.startswith(("aux", "cop")) and each is not token for each in below
    ):  # fmt: skip
        return token
    if predicate.upos != "VERB":
        relation = "cop"
    elif predicate.text.endswith("ing"):
        relation = "aux"
    elif predicate.has("VerbForm=Part"):
        relation = "aux:pass"
    else:
        return token
    return replace(token, lemma="be", upos="AUX", feats=_IS, head=predicate.index, relation=relation)


def _verb(root: Token, tokens: list[Token], lemma: Callable[[str, str], str]) -> Token:
    if root.upos not in {"NOUN", "ADJ"}:
        return root
    relations, word = {each.relation for each in _below(root, tokens)}, root.lower
    if "nsubj" not in relations or relations & {"cop", "det", "amod", "nmod:poss"}:
        return root
    if root.upos == "NOUN" and word.endswith("ing") and "aux" in relations:
        return replace(root, lemma=lemma(word, "VERB"), upos="VERB", feats="Tense=Pres|VerbForm=Part")
    if root.upos == "ADJ" and word.endswith("ed") and relations & {"obj", "obl"}:
        return replace(root, lemma=lemma(word, "VERB"), upos="VERB", feats="Mood=Ind|Tense=Past|VerbForm=Fin")
    return root


def _below(head: Token, tokens: list[Token]) -> Iterator[Token]:
    return (each for each in tokens if each.head == head.index and each is not head)
