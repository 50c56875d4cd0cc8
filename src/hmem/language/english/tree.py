"""Dependency trees of sentences, in Universal Dependencies: what the rules about English read.

A token names its part of speech (``NOUN``, ``VERB``, ``PROPN`` …), its features (``Tense=Past|VerbForm=Fin``), and the
token that it depends on with the relation (``nsubj``, ``obj``, ``obl`` …).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

ROOT: Final = "ROOT"
# Relation of what is named only to say that it is not meant: "npm" in "we use pnpm, not npm".
NOT_BUT: Final = "conj:not"


# Not frozen, as one is made of each word, and a frozen one takes three times as long; nothing changes it. Each is equal
# to itself only: it is looked up in sets and lists more often than anything else.
@dataclass(eq=False, slots=True)
class Token:
    """A word or mark.

    ``lower`` is its text in small letters, ``head`` an index in its sentence, its own for the root; ``start`` and
    ``end`` are characters.
    """

    index: int
    text: str
    lower: str
    lemma: str
    upos: str
    feats: str
    head: int
    relation: str
    start: int
    end: int

    def has(self, feature: str) -> bool:
        """Tell if it has a feature, such as ``Tense=Past``."""
        return feature in self.feats


class Sentence:
    """A tree over the tokens of one sentence of ``text``."""

    def __init__(self, text: str, tokens: tuple[Token, ...]) -> None:
        self.text = text
        self.tokens = tokens

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, index: int) -> Token:
        return self.tokens[index]

    def __iter__(self) -> Iterator[Token]:
        return iter(self.tokens)

    def __repr__(self) -> str:
        return f"Sentence({self.words!r})"

    @property
    def start(self) -> int:
        """First character in the text."""
        return self.tokens[0].start

    @property
    def end(self) -> int:
        """Character behind the last one in the text."""
        return self.tokens[-1].end

    @property
    def words(self) -> str:
        """The sentence as it stands in the text."""
        return self.text[self.start : self.end]

    @cached_property
    def lowers(self) -> frozenset[str]:
        """Its words in small letters."""
        return frozenset([token.lower for token in self.tokens])

    @cached_property
    def root(self) -> Token:
        """The root of the tree."""
        return next((token for token in self.tokens if token.head == token.index), self.tokens[0])

    @cached_property
    def _children(self) -> tuple[tuple[Token, ...], ...]:
        found: list[list[Token]] = [[] for _ in self.tokens]
        for token in self.tokens:
            if token.head != token.index:
                found[token.head].append(token)
        return tuple([tuple(below) for below in found])

    @cached_property
    def _relations(self) -> tuple[tuple[tuple[Token, str, str], ...], ...]:
        """All children with their relations, and these without subtypes."""
        return tuple(
            [
                tuple([(each, each.relation, each.relation.partition(":")[0]) for each in below])
                for below in self._children
            ]
        )

    def children(self, token: Token, *relations: str) -> tuple[Token, ...]:
        """Return the dependents of a token in order, of these relations if any are given (``obl`` with subtypes)."""
        below = self._children[token.index]
        if not relations or not below:
            return below
        found = self._relations[token.index]
        return tuple([each for each, whole, base in found if base in relations or whole in relations])

    def child(self, token: Token, *relations: str) -> Token | None:
        """Return the first dependent of these relations, or None."""
        if self._children[token.index]:
            for each, whole, base in self._relations[token.index]:
                if base in relations or whole in relations:
                    return each
        return None

    def head(self, token: Token) -> Token | None:
        """Return the token that it depends on; None for the root."""
        return None if token.head == token.index else self.tokens[token.head]

    def subtree(self, token: Token, leave: Callable[[Token], bool] | None = None) -> list[Token]:
        """Return a token and all below it in order, without the branches whose top ``leave`` accepts."""
        found, stack = [token], [token]
        while stack:
            for below in self._children[stack.pop().index]:
                if leave is None or not leave(below):
                    found.append(below)
                    stack.append(below)
        return sorted(found, key=lambda each: each.index)

    def above(self, token: Token) -> Iterator[Token]:
        """Yield the tokens above one, up to the root."""
        head = self.head(token)
        while head is not None:
            yield head
            head = self.head(head)

    def span(self, tokens: Iterable[Token]) -> str:
        """Return tokens as text, with the spaces that stand between neighbours, and one where some are left out."""
        parts: list[str] = []
        last: Token | None = None
        for token in tokens:
            if last is not None:
                near = token.index == last.index + 1
                parts.append(self.text[last.end : token.start] if near else " ")
            parts.append(token.text)
            last = token
        return " ".join("".join(parts).split())


@dataclass(frozen=True, slots=True)
class Parse:
    """Sentences of a text, in order. ``unread`` tells if a part of the text was left out."""

    text: str
    sentences: tuple[Sentence, ...]
    unread: bool = False
