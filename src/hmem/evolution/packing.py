"""Packing of the texts that a model writes into calls: as many as fit, as shared lines are shown once."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from hmem.language.analyst import Claim, Excerpt
from hmem.language.analyst.cached_model import AnswerKind
from hmem.language.analyst.language_model import Room, ToName, ToPortray, ToProfile, ToSummarise, WriteRequest
from hmem.language.tokens import count_tokens

# Tokens on the wire besides the words: of a line, the day above it, a line's number at a text that is made from it, a
# name, a claim, an item, and the answer to an item. Measured by the bundled tokenizer, and rounded up.
_OF_LINE: Final = 14
_OF_DAY: Final = 20
_OF_NUMBER: Final = 4
_OF_NAME: Final = 4
_OF_CLAIM: Final = 96
_OF_PIECE: Final = 26
_OF_ANSWER: Final = 12
_OF_PARTS: Final = 6
# Tokens of a topic's name and of a persona's traits.
_NAME: Final = 8
_TRAITS: Final = 40
# Mean share of the allowed tokens that texts use. What an answer has no room for is asked for again.
_USUAL: Final = 0.75

# Place of a text: its kind, the tree (of a persona: the owner), and the number of the node, entity or speaker.
TextKey = tuple[AnswerKind, str, int]


@dataclass(frozen=True)
class WriteItem:
    """Text to be written: its digest, the request, and the place of the text.

    A summary of summaries has in ``below`` their places with the lines that now quote them, among all lines it is
    ``made_from``. ``awaits`` are those that the same call writes before it, and ``of`` those of them that it is shown.
    """

    digest: bytes
    asked: ToSummarise | ToName | ToProfile | ToPortray
    place: TextKey | None = None
    made_from: tuple[Excerpt, ...] = ()
    below: tuple[tuple[TextKey, Excerpt], ...] = ()
    awaits: tuple[tuple[TextKey, Excerpt], ...] = ()
    of: tuple[TextKey, ...] = ()

    @property
    def lines(self) -> tuple[Excerpt, ...]:
        """Lines that it is made from."""
        asked = self.asked
        if isinstance(asked, ToProfile):
            return asked.subject.lines
        return asked.lines if isinstance(asked, ToSummarise | ToName) else ()

    @cached_property
    def room(self) -> Room:
        """Estimated size in a call, without its lines."""
        asked, shown, said = self.asked, _OF_NUMBER * len(self.lines), 0.0
        if isinstance(asked, ToName):
            shown, said = shown + sum(count_tokens(each) + _OF_NAME for each in asked.siblings), _NAME
        elif isinstance(asked, ToSummarise):
            said = asked.tokens * _USUAL
        elif isinstance(asked, ToProfile):
            said = min(2 * asked.tokens, max(tokens_of(asked.subject.lines), asked.tokens)) * _USUAL + _OF_PARTS
        else:
            shown, said = sum(map(_claim_room, asked.claims)), asked.tokens * _USUAL + _TRAITS
        return Room(shown + _OF_PIECE, round(said) + _OF_ANSWER)


def in_order(items: Sequence[WriteItem], writing: Mapping[TextKey, TextKey]) -> list[WriteItem]:
    """Return the items with those last that summarise summaries being written too, and make them await these.

    ``writing`` maps a place to the place of the item that writes it.
    """
    plain, above = list[WriteItem](), list[WriteItem]()
    for item in items:
        awaited = {line: writing[place] for place, line in item.below if place in writing}
        if awaited and isinstance(item.asked, ToSummarise):
            shown = item.asked.lines
            asked = replace(item.asked, lines=tuple(line for line in shown if line not in awaited))
            of = tuple(dict.fromkeys(awaited[line] for line in shown if line in awaited))
            awaits = tuple((place, line) for line, place in awaited.items())
            above.append(replace(item, asked=asked, awaits=awaits, of=of))
        else:
            plain.append(item)
    return [*plain, *above]


def complete(items: Sequence[WriteItem]) -> list[WriteItem]:
    """Return the items whose awaited summaries come before them."""
    kept, before = list[WriteItem](), set[TextKey]()
    for item in items:
        if before.issuperset(place for place, _ in item.awaits):
            kept.append(item)
            before.update([item.place] if item.place is not None else ())
    return kept


def work_of(sorts: Sequence[Sequence[WriteItem]]) -> WriteRequest:
    """Make a request from items that are sorted by kind."""
    summaries = sorts[0]
    at = {item.place: place for place, item in enumerate(summaries)}
    made = tuple(
        replace(item.asked, summaries=tuple(at[place] for place in item.of))
        for item in summaries
        if isinstance(item.asked, ToSummarise)
    )
    rest: list[Any] = [tuple(item.asked for item in sort) for sort in sorts[1:]]
    return WriteRequest(made, *rest)


def portions(items: Sequence[WriteItem], room: Room) -> Iterator[list[WriteItem]]:
    """Yield the items in groups that fit into one call; an item that does not fit goes alone."""
    portion, shown, said = list[WriteItem](), 0, 0
    seen: set[Hashable] = set()
    tokens: dict[Excerpt, int] = {}
    for item in items:
        needed, lines = item.room, dict.fromkeys(item.lines)
        for line in lines:
            if line not in tokens:
                tokens[line] = count_tokens(line.text) + _OF_LINE
        more = _unseen(lines, seen, tokens)
        if portion and (shown + needed.shown + more > room.shown or said + needed.said > room.said):
            yield portion
            portion, shown, said = [], 0, 0
            seen.clear()
            more = _unseen(lines, seen, tokens)
        portion.append(item)
        seen.update(lines, (line.when.date() for line in lines))
        shown, said = shown + needed.shown + more, said + needed.said
    if portion:
        yield portion


def _unseen(lines: dict[Excerpt, None], seen: set[Hashable], tokens: dict[Excerpt, int]) -> int:
    """Count the tokens of the lines and days that are not shown yet."""
    days = {line.when.date() for line in lines} - seen
    return sum(tokens[line] for line in lines if line not in seen) + _OF_DAY * len(days)


def tokens_of(lines: Sequence[Excerpt]) -> int:
    """Count the tokens of the texts of lines."""
    return sum(count_tokens(line.text) for line in lines)


def _claim_room(claim: Claim) -> int:
    return count_tokens(claim.text) + _OF_CLAIM
