"""Context for a reader: evidence written within a token budget.

Notes and summaries come first, one per line. Then follows a heading for each year, and below it one for each day and
session with its turns in order. Each line starts with the number by which it is cited. The text is data for a prompt:
it stands in a frame that says so, no turn or name can close that frame or fake a line, and nothing in it is an
instruction. Nothing is repeated. If the budget is too small, the lines worth least for their length are left out;
markup is sparse, since it takes room from the turns.
"""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime
from typing import Final, NamedTuple

from hmem.corpus.index.analyzer import stems, words
from hmem.errors import InvalidQuery
from hmem.language.prompt_text import CONTEXT_CLOSE, CONTEXT_OPEN, on_one_line, quoted, quoted_name
from hmem.language.tokens import count_tokens
from hmem.model.evidence import Context, Evidence

_KNOWN: Final = "Known:"
_PINNED: Final = "Pinned:"

# A turn of more than 1/_LONGEST_SHARE of the budget is cut to the sentences that answer the question best.
_LONGEST_SHARE: Final = 3
# Default share of the budget that notes and summaries may take.
_DISTILLED_SHARE: Final = 1 / 12
_CHARACTERS_A_TOKEN: Final = 16
_MOST_TOKENS: Final = 1_000_000_000
_SHORTEST: Final = 4
_GAP: Final = "…"
# Two turns of one speaker that share this much of their words say the same.
_SAME: Final = 0.9

# Exponent of a line's length in its cost, and offset of its rank.
_ROOM: Final = 0.75
_EARLY: Final = 3

_DISTILLED: Final = ("note", "summary", "episode", "profile")
# By hand, since their names in the standard library follow the locale.
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

_SENTENCES: Final = re.compile(r"(?<=[.!?\u2026\u3002\uff01\uff1f])\s*(?=\S)|\n+")


class _Head(NamedTuple):
    """Heading: a year, or a day and session."""

    day: date
    session: str
    text: str


class _Line(NamedTuple):
    """Line of the context, after its number. ``tokens`` assumes a one-digit number; ``heads`` are its headings."""

    rank: int
    evidence: Evidence
    text: str
    tokens: int
    heads: tuple[_Head, ...]


def check_tokens(tokens: int) -> None:
    """Check a token budget.

    Raises:
        InvalidQuery: it is below 1, beyond a billion, or no whole number.
    """
    if not isinstance(tokens, int) or not 1 <= tokens <= _MOST_TOKENS:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidQuery(f"a token budget cannot be {tokens!r} - give a whole number from 1")


def write_context(
    question: str,
    evidence: Sequence[Evidence],
    budget: int,
    terms: Sequence[str],
    known: float = _DISTILLED_SHARE,
    pinned: Sequence[Evidence] = (),
    share: float = 1.0,
) -> Context:
    """Return the context for a question from evidence, best first, in at most ``budget`` tokens.

    ``terms`` are the question's stems: they decide how long turns are cut and which captions are shown. ``known`` is
    the share of the budget that notes, summaries, episodes and profiles may take. ``pinned`` items come before all
    else, whole, as far as they fit into the ``share`` of the budget.
    """
    stems_asked = frozenset(terms)
    first = [_pinned_line(place - len(pinned), item, stems_asked) for place, item in enumerate(pinned)]
    chosen = _choose(_lines(evidence, budget, stems_asked), budget, known, first, int(budget * min(share, 1.0)))
    text, citations = _lay_out(chosen)
    tokens = count_tokens(text)
    while tokens > budget and chosen:
        # Lines were counted one by one; the tokenizer may split the joined text differently.
        chosen = chosen[:-1]
        text, citations = _lay_out(chosen)
        tokens = count_tokens(text)
    if not chosen:
        text, tokens = "", 0
    lacking = tuple(item.id for item in pinned if item.id not in citations.values())
    return Context(question, text, tokens, budget, tuple(line.evidence for line in chosen), citations, lacking)


# Lines.


def _lines(evidence: Sequence[Evidence], budget: int, terms: frozenset[str]) -> list[_Line]:
    longest = max(budget // _LONGEST_SHARE, 1)
    lines: list[_Line] = []
    for rank, item in enumerate(evidence):
        text = _body(item, terms)
        if not _fits(text, longest):
            text = _excerpt(item, terms, longest)
        lines.append(_Line(rank, item, text, _tokens_of(f"1 {text}"), _heads(item)))
    return lines


def _pinned_line(rank: int, item: Evidence, terms: frozenset[str]) -> _Line:
    """A line that no day stands above, and that is not cut."""
    text = _body(item, terms)
    if item.kind in ("turn", "event"):
        text = f"{text} ({_day(item.when)} {item.when.year})"
    return _Line(rank, item, text, _tokens_of(f"1 {text}"), (_Head(date.min, "", _PINNED),))


def _tokens_of(line: str) -> int:
    """Return the tokens that a line adds to a text, with the break before it: a break is a separate token."""
    return count_tokens(f"\n{line}") - 1


def _fits(text: str, tokens: int) -> bool:
    """Tell if a text has at most ``tokens`` tokens; a text that is far too long is not counted to its end."""
    return len(text) <= tokens * _CHARACTERS_A_TOKEN and count_tokens(text) <= tokens


def _body(item: Evidence, terms: frozenset[str]) -> str:
    """Return the text of a piece of evidence.

    A caption is added when there is no other text, or when it has a word of the question that the text lacks.
    """
    text = quoted(item.text)
    if item.caption and (not text or terms.intersection(stems(item.caption)).difference(stems(text))):
        text = f"{text} [photo: {quoted(item.caption)}]".strip()
    if item.kind == "note":
        text = f"{text} ({_MONTHS[item.when.month - 1]} {item.when.year})"
    elif item.kind == "episode":
        text = f"{text} ({_day(item.when)} {item.when.year})"
    text += _state(item)
    return _speaker(item) + text


def _speaker(item: Evidence) -> str:
    if not item.speaker or item.kind != "turn":
        return ""
    place = "" if item.place is None else f" ({quoted_name(item.place)})"
    return f"{quoted_name(item.speaker)}{place}: "


def _state(item: Evidence) -> str:
    """Return marks of how sure a turn is, if the recipe tells it, and of what holds no longer."""
    sure = "" if item.why.confidence is None else f" [confidence {item.why.confidence:.2f}]"
    old = item.why.outdated
    if old is None:
        return sure
    since = "" if old.since is None else f" since {_day(old.since)} {old.since.year}"
    return f"{sure} [outdated{since}]"


def _heads(item: Evidence) -> tuple[_Head, ...]:
    if item.kind in _DISTILLED:
        # Behind what is pinned.
        return (_Head(date.min, _KNOWN, _KNOWN),)
    day = item.when.date()
    return (_Head(day.replace(month=1, day=1), "", str(day.year)), _Head(day, item.session, _day(item.when)))


def _day(when: datetime) -> str:
    return f"{_DAYS[when.weekday()]} {when.day} {_MONTHS[when.month - 1]}"


def _excerpt(item: Evidence, terms: frozenset[str], longest: int) -> str:
    """Return the sentences that share most words with the question, in their order, with gaps marked."""
    speaker = _speaker(item)
    sentences = [on_one_line(part) for part in _SENTENCES.split(item.text) if part.strip()]
    overlap = [len(terms.intersection(stems(sentence))) for sentence in sentences]
    state = _state(item)
    room = longest - count_tokens(f"{speaker}{_GAP}{_GAP}{state}")
    kept: set[int] = set()
    for i in sorted(range(len(sentences)), key=lambda i: (-overlap[i], i)):
        if _fits(sentences[i], room - 1):
            kept.add(i)
            room -= count_tokens(sentences[i]) + 1
        if room < _SHORTEST:
            break
    pieces: list[str] = []
    for i in sorted(kept):
        if i and i - 1 not in kept:
            pieces.append(_GAP)
        pieces.append(sentences[i])
    if not kept:
        # One very long sentence: keep its beginning, one character per token of room.
        pieces.append(on_one_line(item.text)[: max(room, 1)])
    if len(sentences) - 1 not in kept:
        pieces.append(_GAP)
    return speaker + quoted(" ".join(pieces)) + state


# Selection.


class _Page:
    """Lines chosen so far, and the tokens that are left."""

    def __init__(self, budget: int, known: float) -> None:
        self.left = budget - count_tokens(CONTEXT_OPEN) - _tokens_of(CONTEXT_CLOSE)
        self.left_for_distilled = int(budget * known)
        self.lines: dict[str, _Line] = {}
        self._heads: Counter[_Head] = Counter()
        self._said: dict[str | None, list[frozenset[str]]] = {}

    def add(self, line: _Line) -> None:
        """Add a line if it fits and is new; remove the lines that it makes redundant."""
        item = line.evidence
        distilled = item.kind in _DISTILLED
        if item.id in self.lines or self._is_redundant(item) or (distilled and line.tokens > self.left_for_distilled):
            return
        if (cost := self._cost(line)) > self.left:
            return
        self.left_for_distilled -= line.tokens if distilled else 0
        self._take(line, cost)
        if item.kind == "turn":
            for other in [other for other in self.lines.values() if item.id in other.evidence.sources]:
                if other.rank >= 0 and self._is_redundant(other.evidence):
                    self._remove(other)

    def pin(self, lines: Sequence[_Line], room: int) -> None:
        """Take lines before all others, as far as they fit into so many tokens."""
        for line in lines:
            if (cost := self._cost(line)) <= min(room, self.left):
                self._take(line, cost)
                room -= cost

    def _cost(self, line: _Line) -> int:
        cost = line.tokens + sum(_tokens_of(head.text) for head in line.heads if not self._heads[head])
        return cost + len(str(len(self.lines) + 1)) - 1

    def _take(self, line: _Line, cost: int) -> None:
        self.left -= cost
        self._heads.update(line.heads)
        self.lines[line.evidence.id] = line
        if line.evidence.kind == "turn":
            self._said.setdefault(line.evidence.speaker, []).append(_words(line.evidence))

    def _is_redundant(self, item: Evidence) -> bool:
        """Tell if the page has a turn like this one, or all the turns that this item was made from."""
        if item.kind == "turn":
            said = _words(item)
            return any(_alike(said, other) for other in self._said.get(item.speaker, ()))
        # The last source of an event or a note is the turn that states it; the earlier ones are context.
        needed = item.sources[-1:] if item.kind in ("event", "note") else item.sources
        return bool(needed) and all(source in self.lines for source in needed)

    def _remove(self, line: _Line) -> None:
        if line.evidence.kind == "turn":
            return
        self.left += line.tokens + len(str(len(self.lines))) - 1
        self.left_for_distilled += line.tokens if line.evidence.kind in _DISTILLED else 0
        del self.lines[line.evidence.id]
        for head in line.heads:
            self._heads[head] -= 1
            if not self._heads[head]:
                self.left += _tokens_of(head.text)


def _words(item: Evidence) -> frozenset[str]:
    return frozenset(words(item.text.lower())) or frozenset((item.text, item.caption or ""))


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    shortest, longest = sorted((len(one), len(other)))
    return shortest >= _SAME * longest and len(one & other) >= _SAME * len(one | other)


def _choose(
    lines: Sequence[_Line], budget: int, known: float, first: Sequence[_Line] = (), room: int = 0
) -> list[_Line]:
    """Return as many lines as fit, chosen by cost (lowest first), in the order of their ranks.

    The lines of ``first`` go before them, as far as there is ``room``, in tokens.
    """
    page = _Page(budget, known)
    page.pin(first, room)
    for line in sorted(lines, key=_cost):
        page.add(line)
    return sorted(page.lines.values(), key=lambda line: line.rank)


def _cost(line: _Line) -> float:
    """Return the cost of a line. It grows with length and rank, since the chance of evidence falls with the rank."""
    return (line.rank + _EARLY) * line.tokens**_ROOM if line.rank else 0.0


# Layout.


def _lay_out(chosen: Sequence[_Line]) -> tuple[str, dict[str, str]]:
    starts: dict[tuple[_Head, ...], datetime] = {}
    for line in chosen:
        starts[line.heads] = min(line.evidence.when, starts.get(line.heads, line.evidence.when))
    written: list[str] = [CONTEXT_OPEN]
    citations: dict[str, str] = {}
    above: dict[int, _Head] = {}

    def place(line: _Line) -> tuple[object, ...]:
        return (line.heads[0], starts[line.heads], line.heads[-1], line.evidence.when, line.evidence.id)

    for line in sorted(chosen, key=place):
        for depth, head in enumerate(line.heads):
            if above.get(depth) != head:
                above[depth] = head
                written.append(head.text)
        number = str(len(citations) + 1)
        citations[number] = line.evidence.id
        written.append(f"{number} {line.text}")
    return "\n".join([*written, CONTEXT_CLOSE]), citations
