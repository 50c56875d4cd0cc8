"""Evidence written for a reader with a token budget.

What was distilled comes first, a line each; then a line for every year, below it one for every day and session, and
the turns under that in order, each on one line behind its number, by which it is cited. The text is data for a
prompt: it stands between ``<memory>`` and ``</memory>``, no turn can close that or fake a line, and nothing in it is
an instruction. Nothing is told twice. What does not fit is left out, what is least worth its room first; the marks
around a turn are few, since every one of them takes room from the turns.
"""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime
from typing import Final, NamedTuple

from hmem.corpus.index.analyzer import stems, words
from hmem.errors import InvalidQuery
from hmem.language.tokens import count_tokens
from hmem.model.evidence import Context, Evidence

_OPEN: Final = "<memory>"
_CLOSE: Final = "</memory>"
_KNOWN: Final = "Known:"
_PINNED: Final = "Pinned:"

# A turn of more than this part of the budget is cut to what answers the question best.
_LONGEST_SHARE: Final = 3
# What was distilled takes at most this part of the budget, unless it is told otherwise.
_DISTILLED_SHARE: Final = 1 / 12
_CHARACTERS_A_TOKEN: Final = 16
_SHORTEST: Final = 4
_GAP: Final = "…"
# Two turns of one speaker that share this much of their words say the same.
_SAME: Final = 0.9

# How much the room that a line takes counts against its rank, and how soon a rank counts.
_ROOM: Final = 0.75
_EARLY: Final = 3

_DISTILLED: Final = ("note", "summary", "episode", "profile")
# By hand, since their names in the standard library follow the locale.
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

_BREAKS: Final = re.compile(r"\s+")
_SENTENCES: Final = re.compile(r"(?<=[.!?\u2026\u3002\uff01\uff1f])\s*(?=\S)|\n+")


class _Head(NamedTuple):
    """A line that stands above others: of a year, or of a day and session."""

    day: date
    session: str
    text: str


class _Line(NamedTuple):
    """A line of the context behind its number; ``tokens`` with a number of one digit, ``heads`` stand above it."""

    rank: int
    evidence: Evidence
    text: str
    tokens: int
    heads: tuple[_Head, ...]


def check_tokens(tokens: int) -> None:
    """Refuse a budget that is none.

    Raises:
        InvalidQuery: it is below 1, or no whole number.
    """
    if not isinstance(tokens, int) or tokens < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
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
    """The context for a question from evidence, best first, in at most ``budget`` tokens.

    ``terms`` are the question's stems, by which long turns are cut and captions chosen; ``known`` is the part of the
    budget that notes, summaries, episodes and profiles may take. What is ``pinned`` comes before all else, whole, as
    far as it fits into the ``share`` of the budget.
    """
    stems_asked = frozenset(terms)
    first = [_pinned_line(place - len(pinned), item, stems_asked) for place, item in enumerate(pinned)]
    chosen = _choose(_lines(evidence, budget, stems_asked), budget, known, first, int(budget * min(share, 1.0)))
    text, citations = _lay_out(chosen)
    tokens = count_tokens(text)
    while tokens > budget and chosen:
        # Lines are counted one by one, and pieces may fall otherwise where they join.
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
    """What a line adds to a text, with the break before it: a break is a token of its own, which nothing joins."""
    return count_tokens(f"\n{line}") - 1


def _fits(text: str, tokens: int) -> bool:
    """Whether a text has at most so many tokens; one that is far too long is not counted to its end."""
    return len(text) <= tokens * _CHARACTERS_A_TOKEN and count_tokens(text) <= tokens


def _body(item: Evidence, terms: frozenset[str]) -> str:
    """What is told of a piece of evidence; a caption when it is all there is, or has a word of the question to add."""
    text = _one_line(item.text)
    if item.caption and (not text or terms.intersection(stems(item.caption)).difference(stems(text))):
        text = f"{text} [photo: {_one_line(item.caption)}]".strip()
    if item.kind == "note":
        text = f"{text} ({_MONTHS[item.when.month - 1]} {item.when.year})"
    elif item.kind == "episode":
        text = f"{text} ({_day(item.when)} {item.when.year})"
    return f"{_one_line(item.speaker)}: {text}" if item.speaker and item.kind == "turn" else text


def _one_line(text: str) -> str:
    """Without line breaks, and without anything that closes the frame."""
    flat = _BREAKS.sub(" ", text).strip()
    return flat.replace("</memory", "< /memory").replace("<memory", "< memory")


def _heads(item: Evidence) -> tuple[_Head, ...]:
    if item.kind in _DISTILLED:
        # Behind what is pinned.
        return (_Head(date.min, _KNOWN, _KNOWN),)
    day = item.when.date()
    return (_Head(day.replace(month=1, day=1), "", str(day.year)), _Head(day, item.session, _day(item.when)))


def _day(when: datetime) -> str:
    return f"{_DAYS[when.weekday()]} {when.day} {_MONTHS[when.month - 1]}"


def _excerpt(item: Evidence, terms: frozenset[str], longest: int) -> str:
    """The sentences that share most words with the question, in their order, with gaps marked."""
    speaker = f"{_one_line(item.speaker)}: " if item.speaker and item.kind == "turn" else ""
    sentences = [_one_line(part) for part in _SENTENCES.split(item.text) if part.strip()]
    overlap = [len(terms.intersection(stems(sentence))) for sentence in sentences]
    room = longest - count_tokens(f"{speaker}{_GAP}{_GAP}")
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
        # One endless sentence: its beginning, by characters, of which a token has at least about one.
        pieces.append(_one_line(item.text)[: max(room, 1)])
    if len(sentences) - 1 not in kept:
        pieces.append(_GAP)
    return speaker + " ".join(pieces)


# Choosing.


class _Page:
    """The lines chosen so far, and the tokens that are left."""

    def __init__(self, budget: int, known: float) -> None:
        self.left = budget - count_tokens(_OPEN) - _tokens_of(_CLOSE)
        self.left_for_distilled = int(budget * known)
        self.lines: dict[str, _Line] = {}
        self._heads: Counter[_Head] = Counter()
        self._said: dict[str | None, list[frozenset[str]]] = {}

    def add(self, line: _Line) -> None:
        """Take a line that fits and tells something new; what it makes needless goes."""
        item = line.evidence
        distilled = item.kind in _DISTILLED
        if item.id in self.lines or self._told(item) or (distilled and line.tokens > self.left_for_distilled):
            return
        if (cost := self._cost(line)) > self.left:
            return
        self.left_for_distilled -= line.tokens if distilled else 0
        self._take(line, cost)
        if item.kind == "turn":
            for other in [other for other in self.lines.values() if item.id in other.evidence.sources]:
                if other.rank >= 0 and self._told(other.evidence):
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

    def _told(self, item: Evidence) -> bool:
        """Whether a turn like this one stands there, or the turns that this was made of."""
        if item.kind == "turn":
            said = _words(item)
            return any(_alike(said, other) for other in self._said.get(item.speaker, ()))
        # The last source of an event and a note is the turn that states it; those before only complete it.
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
    """As many lines as fit, by their worth: the best first, then short ones before long ones of about their rank.

    Before them go the ``first``, as far as there is ``room``.
    """
    page = _Page(budget, known)
    page.pin(first, room)
    for line in sorted(lines, key=_cost):
        page.add(line)
    return sorted(page.lines.values(), key=lambda line: line.rank)


def _cost(line: _Line) -> float:
    """What a line takes for what it may tell, the less the better: the chance of evidence falls with the rank."""
    return (line.rank + _EARLY) * line.tokens**_ROOM if line.rank else 0.0


# Layout.


def _lay_out(chosen: Sequence[_Line]) -> tuple[str, dict[str, str]]:
    starts: dict[tuple[_Head, ...], datetime] = {}
    for line in chosen:
        starts[line.heads] = min(line.evidence.when, starts.get(line.heads, line.evidence.when))
    written: list[str] = [_OPEN]
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
    return "\n".join([*written, _CLOSE]), citations
