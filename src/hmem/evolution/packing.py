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
_REQUEST_TOKENS: Final = 26
_ANSWER_TOKENS: Final = 12
_PROFILE_TOKENS: Final = 6
# Tokens of a topic's name and of a persona's traits.
_NAME: Final = 8
_TRAITS: Final = 40
# Mean share of the allowed tokens that texts use. What an answer has no room for is asked for again.
_USUAL: Final = 0.75

# Key of a text: its kind, the tree (of a persona: the owner), and the number of the node, entity or speaker.
TextKey = tuple[AnswerKind, str, int]


@dataclass(frozen=True)
class WriteItem:
    """Text to be written: the digest of its sources, the request, and the key of the text.

    ``made_from`` has all lines of a summary, and ``quotes`` the summaries among its sources: their keys, and the lines
    that quote them now. ``awaits`` has those of ``quotes`` that the same call writes first, and ``sources`` the keys of
    these whose new text the request is shown.
    """

    digest: bytes
    request: ToSummarise | ToName | ToProfile | ToPortray
    key: TextKey | None = None
    made_from: tuple[Excerpt, ...] = ()
    quotes: tuple[tuple[TextKey, Excerpt], ...] = ()
    awaits: tuple[tuple[TextKey, Excerpt], ...] = ()
    sources: tuple[TextKey, ...] = ()

    @property
    def lines(self) -> tuple[Excerpt, ...]:
        """Lines that it is made from."""
        request = self.request
        if isinstance(request, ToProfile):
            return request.subject.lines
        return request.lines if isinstance(request, ToSummarise | ToName) else ()

    @cached_property
    def room(self) -> Room:
        """Estimated size in a call, without its lines."""
        request, inputs, outputs = self.request, _OF_NUMBER * len(self.lines), 0.0
        if isinstance(request, ToName):
            inputs, outputs = (inputs + sum(count_tokens(sibling) + _OF_NAME for sibling in request.siblings), _NAME)
        elif isinstance(request, ToSummarise):
            outputs = request.tokens * _USUAL
        elif isinstance(request, ToProfile):
            outputs = (
                min(2 * request.tokens, max(tokens_of(request.subject.lines), request.tokens)) * _USUAL
                + _PROFILE_TOKENS
            )
        else:
            inputs, outputs = sum(map(_claim_room, request.claims)), request.tokens * _USUAL + _TRAITS
        return Room(inputs + _REQUEST_TOKENS, round(outputs) + _ANSWER_TOKENS)


def in_order(items: Sequence[WriteItem], writing: Mapping[TextKey, TextKey]) -> list[WriteItem]:
    """Return the items, last those that summarise summaries which are being written too; make them await these.

    ``writing`` maps the key of a text to the key of the item that writes it.
    """
    plain, parents = list[WriteItem](), list[WriteItem]()
    for item in items:
        awaited = {line: writing[key] for key, line in item.quotes if key in writing}
        if awaited and isinstance(item.request, ToSummarise):
            lines = item.request.lines
            request = replace(item.request, lines=tuple(line for line in lines if line not in awaited))
            sources = tuple(dict.fromkeys(awaited[line] for line in lines if line in awaited))
            awaits = tuple((key, line) for line, key in awaited.items())
            parents.append(replace(item, request=request, awaits=awaits, sources=sources))
        else:
            plain.append(item)
    return [*plain, *parents]


def complete(items: Sequence[WriteItem]) -> list[WriteItem]:
    """Return the items whose awaited summaries come before them."""
    ready, before = list[WriteItem](), set[TextKey]()
    for item in items:
        if before.issuperset(key for key, _ in item.awaits):
            ready.append(item)
            before.update([item.key] if item.key is not None else ())
    return ready


def work_of(sorts: Sequence[Sequence[WriteItem]]) -> WriteRequest:
    """Make a request from items that are sorted by kind."""
    summaries = sorts[0]
    positions = {item.key: position for position, item in enumerate(summaries)}
    summary_requests = tuple(
        replace(item.request, summaries=tuple(positions[key] for key in item.sources))
        for item in summaries
        if isinstance(item.request, ToSummarise)
    )
    other_requests: list[Any] = [tuple(item.request for item in sort) for sort in sorts[1:]]
    return WriteRequest(summary_requests, *other_requests)


def portions(items: Sequence[WriteItem], room: Room) -> Iterator[list[WriteItem]]:
    """Yield the items in groups that fit into one call; an item that does not fit goes alone."""
    portion, input_tokens, output_tokens = list[WriteItem](), 0, 0
    listed_keys: set[Hashable] = set()
    tokens: dict[Excerpt, int] = {}
    for item in items:
        size, lines = item.room, dict.fromkeys(item.lines)
        for line in lines:
            if line not in tokens:
                tokens[line] = count_tokens(line.text) + _OF_LINE
        line_tokens = _unseen(lines, listed_keys, tokens)
        if portion and (
            input_tokens + size.input_tokens + line_tokens > room.input_tokens
            or output_tokens + size.output_tokens > room.output_tokens
        ):
            yield portion
            portion, input_tokens, output_tokens = [], 0, 0
            listed_keys.clear()
            line_tokens = _unseen(lines, listed_keys, tokens)
        portion.append(item)
        listed_keys.update(lines, (line.time.date() for line in lines))
        input_tokens, output_tokens = input_tokens + size.input_tokens + line_tokens, output_tokens + size.output_tokens
    if portion:
        yield portion


def _unseen(lines: dict[Excerpt, None], listed_keys: set[Hashable], tokens: dict[Excerpt, int]) -> int:
    """Count the tokens of the lines and days that are not shown yet."""
    days = {line.time.date() for line in lines} - listed_keys
    return sum(tokens[line] for line in lines if line not in listed_keys) + _OF_DAY * len(days)


def tokens_of(lines: Sequence[Excerpt]) -> int:
    """Count the tokens of the texts of lines."""
    return sum(count_tokens(line.text) for line in lines)


def _claim_room(claim: Claim) -> int:
    return count_tokens(claim.text) + _OF_CLAIM
