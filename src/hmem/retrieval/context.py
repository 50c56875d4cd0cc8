"""Context for a reader: evidence written within a token budget.

Notes and summaries come first, one per line. Then follows a heading for each year, and below it one for each day and
session with its turns in order. Each line starts with the number by which it is cited. The text is data for a prompt:
it stands in a frame that says so, no turn or name can close that frame or fake a line, and nothing in it is an
instruction. Nothing is repeated. If the budget is too small, the lines worth least for their length are left out;
markup is sparse, since it takes room from the turns.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import Final, NamedTuple

from hmem.errors import InvalidQuery
from hmem.language.analyst.base import Compression
from hmem.language.analyzer import stems
from hmem.language.prompt_text import CONTEXT_CLOSE, CONTEXT_OPEN, on_one_line, quote_text, quoted_line, quoted_name
from hmem.language.tokens import count_tokens, is_counted_by_word
from hmem.model.evidence import Context, Evidence
from hmem.retrieval.text_parts import CountedText, TextParts, TextPartsCache

_KNOWN_HEADING: Final = "Known:"
_PINNED_HEADING: Final = "Pinned:"

# A turn of more than 1/_LONGEST_SHARE of the budget is cut to the sentences that answer the question best.
_LONGEST_SHARE: Final = 2
# Default share of the budget that notes and summaries may take.
_DISTILLED_SHARE: Final = 1 / 12
_CHARACTERS_A_TOKEN: Final = 16
# A turn is cut short from so many times the tokens of its short form on.
SHORTENED: Final = 2
_MOST_TOKENS: Final = 1_000_000_000
_SHORTEST: Final = 4
_GAP: Final = "…"
# Any number of one digit: a line's own is known when all lines are chosen.
_NUMBER: Final = "1"
# Two turns of one speaker that share this much of their words say the same.
_MIN_OVERLAP: Final = 0.9

# Exponent of a line's length in its cost, what its number and its headings add to that, and offset of its rank.
_ROOM: Final = 0.75
_MARKUP: Final = 6
_EARLY: Final = 3

_DISTILLED: Final = ("note", "summary", "episode", "profile")
# By hand, since their names in the standard library follow the locale.
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class _Head(NamedTuple):
    """Heading: a year, or a day and session; with the tokens that its line adds."""

    day: date
    session: str
    text: str
    tokens: int


class _Line(NamedTuple):
    """Line of the context, after its number. ``tokens`` assumes a one-digit number; ``heads`` are its headings.

    Its ``text`` is put together from its ``body`` only if there is room for it.
    """

    rank: int
    evidence: Evidence
    body: "list[CountedText] | _Excerpt"
    tokens: int
    heads: tuple[_Head, ...]
    text: str = ""
    shorter: "_Line | None" = None


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
    distilled_share: float = _DISTILLED_SHARE,
    pinned: Sequence[Evidence] = (),
    share: float = 1.0,
    parts_cache: TextPartsCache | None = None,
    short: int = 0,
    compressions: Mapping[str, Compression] | None = None,
) -> Context:
    """Return the context for a question from evidence, best first, in at most ``budget`` tokens.

    ``terms`` are the question's stems: they decide how long turns are cut and which captions are shown.
    ``distilled_share`` is the share of the budget that notes, summaries, episodes and profiles may take. ``pinned``
    items come before all else, whole, as far as they fit into the ``share`` of the budget. ``parts_cache`` keeps what
    was computed of texts.

    A turn of more than twice as many tokens as ``short`` that does not fit is cut to so many: to the sentences that
    have words of the question, then to those of its compression, by its id, and what that says of the rest.
    """
    stems_asked = frozenset(terms)
    cache = parts_cache or TextPartsCache()
    first = [_pinned_line(index - len(pinned), item, stems_asked, cache) for index, item in enumerate(pinned)]
    lines = _lines(evidence, budget, stems_asked, cache, short, compressions or {})
    page = _Page(budget, distilled_share, cache)
    page.pin(first, int(budget * min(share, 1.0)))
    page_lines = _choose(lines, page)
    text, tokens, citations = _written_page(page_lines)
    while tokens > budget and page_lines:
        page_lines = page_lines[:-1]
        text, tokens, citations = _written_page(page_lines)
    if not page_lines:
        text, tokens = "", 0
    omitted_ids = tuple(item.id for item in pinned if item.id not in citations.values())
    return Context(question, text, tokens, budget, tuple(line.evidence for line in page_lines), citations, omitted_ids)


# Lines.


def _lines(
    evidence: Sequence[Evidence],
    budget: int,
    terms: frozenset[str],
    parts_cache: TextPartsCache,
    short: int,
    compressions: Mapping[str, Compression],
) -> list[_Line]:
    longest, number = max(budget // _LONGEST_SHARE, 1), _line(_NUMBER).tokens
    lines: list[_Line] = []
    for rank, item in enumerate(evidence):
        # A text that is far too long is not counted to its end.
        too_long = len(item.text) > longest * _CHARACTERS_A_TOKEN
        body = [] if too_long else _texts_of(item, terms, parts_cache)
        tokens = _tokens_in(body)
        if too_long or tokens > longest:
            body = _excerpt(item, terms, longest, parts_cache, compressions.get(item.id))
            tokens = body.tokens
        line = _Line(rank, item, body, number + tokens, _heads(item))
        if short and item.kind == "turn" and tokens > short * SHORTENED:
            cut = _excerpt(item, terms, short, parts_cache, compressions.get(item.id), matching=True)
            line = line._replace(
                shorter=line._replace(body=cut, tokens=number + cut.tokens) if cut.sentence_numbers else None
            )
        lines.append(line)
    return lines


def _with_text(line: _Line) -> _Line:
    """Return a line with its text; quotes around an excerpt take tokens too."""
    if not isinstance(line.body, _Excerpt):
        return line._replace(text=_join_texts(line.body))
    texts = line.body.texts
    return line._replace(text=_join_texts(texts), tokens=line.tokens - line.body.tokens + _tokens_in(texts))


def _pinned_line(rank: int, item: Evidence, terms: frozenset[str], parts_cache: TextPartsCache) -> _Line:
    """Return a line that is never cut and stands under no day."""
    texts = _texts_of(item, terms, parts_cache)
    if item.kind in ("turn", "event"):
        texts.append(_plain(f"({_day(item.when)} {item.when.year})"))
    return _Line(
        rank, item, texts, _line(_NUMBER).tokens + _tokens_in(texts), (_heading(date.min, "", _PINNED_HEADING),)
    )


_EMPTY: Final = CountedText("", 0)


def _plain(text: str) -> CountedText:
    return CountedText(text, count_tokens(text))


def _join_texts(texts: Sequence[CountedText]) -> str:
    """Return texts with blanks between them; no token reaches over a blank."""
    return " ".join([text for text, _ in texts if text])


def _tokens_in(texts: Sequence[CountedText]) -> int:
    """Return the tokens of texts with blanks between them."""
    return sum([tokens for _, tokens in texts])


def _tokens_of(line: str) -> int:
    """Return the tokens that a line adds to a text, with the break before it: a break is a separate token."""
    return count_tokens(f"\n{line}") - 1


def _texts_of(item: Evidence, terms: frozenset[str], parts_cache: TextPartsCache) -> list[CountedText]:
    """Return the texts that a piece of evidence is written with, one behind the other.

    A caption is added when there is no other text, or when it has a word of the question that the text lacks.
    """
    text_parts = parts_cache.of_text(item.text)
    texts = [_speaker(item), text_parts.counted_line]
    if item.caption and (
        not text_parts.line or terms.intersection(stems(item.caption)).difference(stems(text_parts.line))
    ):
        texts.append(_plain(f"[photo: {quote_text(item.caption)}]"))
    if item.kind == "note":
        texts.append(_plain(f"({MONTHS[item.when.month - 1]} {item.when.year})"))
    elif item.kind == "episode":
        texts.append(_plain(f"({_day(item.when)} {item.when.year})"))
    texts.append(_state(item))
    return texts


def _speaker(item: Evidence) -> CountedText:
    return _speaker_label(item.speaker, item.place) if item.speaker and item.kind == "turn" else _EMPTY


@lru_cache(maxsize=1_024)
def _speaker_label(speaker: str, location: str | None) -> CountedText:
    suffix = "" if location is None else f" ({quoted_name(location)})"
    return _plain(f"{quoted_name(speaker)}{suffix}:")


def _state(item: Evidence) -> CountedText:
    """Return the marks of a turn: its confidence, if the recipe shows it, and that something newer was said.

    The date of the newer turn would take three times the room, and stands above that turn if it is in the context.
    """
    sure, old = item.why.confidence, item.why.outdated
    if sure is None and old is None:
        return _EMPTY
    marks = [] if sure is None else [f"[confidence {sure:.2f}]"]
    return _plain(" ".join([*marks, "[newer]"] if old is not None else marks))


def _heads(item: Evidence) -> tuple[_Head, ...]:
    if item.kind in _DISTILLED:
        # Behind what is pinned.
        return (_heading(date.min, _KNOWN_HEADING, _KNOWN_HEADING),)
    return _date_heads(item.when.date(), item.session)


@lru_cache(maxsize=1_024)
def _date_heads(day: date, session: str) -> tuple[_Head, ...]:
    return (_heading(day.replace(month=1, day=1), "", str(day.year)), _heading(day, session, _day(day)))


def _heading(day: date, session: str, text: str) -> _Head:
    return _Head(day, session, text, _tokens_of(text))


def _day(moment: date) -> str:
    return f"{_DAYS[moment.weekday()]} {moment.day} {MONTHS[moment.month - 1]}"


class _Excerpt(NamedTuple):
    """Sentences chosen from a text, by their places; of a single very long one its ``beginning``.

    Whether they need quotes is only checked for lines that are written.
    """

    speaker: CountedText
    text: TextParts
    sentence_numbers: set[int]
    beginning: CountedText
    abstract: CountedText
    state: CountedText
    tokens: int

    @property
    def texts(self) -> list[CountedText]:
        """Texts that the excerpt is written with."""
        sentences, shown_sentences = self.text.sentences, [self.beginning]
        for i in sorted(self.sentence_numbers):
            if i and i - 1 not in self.sentence_numbers:
                shown_sentences.append(_gap())
            shown_sentences.append(sentences[i])
        if len(sentences) - 1 not in self.sentence_numbers:
            shown_sentences.append(_gap())
        flat = _join_texts(shown_sentences)
        quoted_text = quoted_line(flat)
        counted_text = CountedText(flat, _tokens_in(shown_sentences)) if quoted_text == flat else _plain(quoted_text)
        return [self.speaker, counted_text, self.abstract, self.state]


def _excerpt(
    item: Evidence,
    terms: frozenset[str],
    longest: int,
    parts_cache: TextPartsCache,
    compression: Compression | None = None,
    *,
    matching: bool = False,
) -> _Excerpt:
    """Return the sentences that share most words with the question, in their order, with gaps marked.

    Those of a compression come next, with what it says of the rest; then, unless only ``matching``, the others.
    """
    speaker, state, gap, text_parts = _speaker(item), _state(item), _gap(), parts_cache.of_text(item.text)
    abstract = _plain(f"[rest: {quote_text(compression.abstract)}]") if compression and compression.abstract else _EMPTY
    if 2 * abstract.tokens > longest:
        abstract = _EMPTY
    sizes, overhead = text_parts.sizes, speaker.tokens + state.tokens + abstract.tokens
    room = longest - overhead - 2 * gap.tokens
    sentence_numbers, tokens = set[int](), overhead
    for i in _in_order(text_parts.count_shared(terms), compression, matching=matching):
        if sizes[i] < room:
            sentence_numbers.add(i)
            room -= sizes[i] + 1
            tokens += sizes[i]
        if room < _SHORTEST:
            break
    # Of one very long sentence, one character per token of room.
    beginning = _EMPTY if sentence_numbers else _plain(on_one_line(item.text)[: max(room, 1)])
    gaps = (
        sum([i - 1 not in sentence_numbers for i in sentence_numbers])
        - (0 in sentence_numbers)
        + (len(sizes) - 1 not in sentence_numbers)
    )
    return _Excerpt(
        speaker, text_parts, sentence_numbers, beginning, abstract, state, tokens + beginning.tokens + gaps * gap.tokens
    )


def _in_order(shared_words: Sequence[int], compression: Compression | None, *, matching: bool) -> list[int]:
    """Return the places of sentences, by the words that each shares with the question, the best first."""
    order = sorted(range(len(shared_words)), key=shared_words.__getitem__, reverse=True)
    first = [i for i in order if shared_words[i]]
    if compression is not None:
        first = list(dict.fromkeys([*first, *(i for i in compression.line_numbers if i < len(shared_words))]))
    return first if matching else list(dict.fromkeys([*first, *order]))


@lru_cache(maxsize=1)
def _gap() -> CountedText:
    return _plain(_GAP)


# Selection.


class _Page:
    """Lines chosen so far, and the tokens that are left."""

    def __init__(self, budget: int, distilled_share: float, parts_cache: TextPartsCache) -> None:
        self._parts_cache = parts_cache
        self.tokens_left = budget - count_tokens(CONTEXT_OPEN) - _tokens_of(CONTEXT_CLOSE)
        self.distilled_tokens_left = int(budget * distilled_share)
        self.lines: dict[str, _Line] = {}
        # Lines that others may make redundant: those that are no turns.
        self._derived_lines: dict[str, _Line] = {}
        self._heads: Counter[_Head] = Counter()
        self._words_of_speaker: dict[str | None, list[tuple[int, frozenset[str]]]] = {}
        self._words: dict[str, frozenset[str]] = {}

    def add(self, line: _Line) -> None:
        """Add a line if it fits and is new; remove the lines that it makes redundant."""
        item = line.evidence
        distilled = item.kind in _DISTILLED
        if item.id in self.lines or (distilled and line.tokens > self.distilled_tokens_left):
            return
        # Most lines of a full page do not fit, and their headings and words need not be looked at.
        if line.tokens > self.tokens_left or self._cost(line) > self.tokens_left or self._is_redundant(item):
            return
        line = _with_text(line)
        if (cost := self._cost(line)) > self.tokens_left:
            return
        self.distilled_tokens_left -= line.tokens if distilled else 0
        self._take(line, cost)
        if item.kind == "turn":
            for derived_line in [
                derived_line
                for derived_line in self._derived_lines.values()
                if item.id in derived_line.evidence.sources
            ]:
                if derived_line.rank >= 0 and self._is_redundant(derived_line.evidence):
                    self._remove(derived_line)

    def pin(self, lines: Sequence[_Line], room: int) -> None:
        """Take lines before all others, as far as they fit into so many tokens."""
        for line in lines:
            if (cost := self._cost(line)) <= min(room, self.tokens_left):
                self._take(_with_text(line), cost)
                room -= cost

    def _cost(self, line: _Line) -> int:
        cost = line.tokens + sum([head.tokens for head in line.heads if head not in self._heads])
        return cost + len(str(len(self.lines) + 1)) - 1

    def _take(self, line: _Line, cost: int) -> None:
        self.tokens_left -= cost
        self._heads.update(line.heads)
        self.lines[line.evidence.id] = line
        if line.evidence.kind == "turn":
            words = self._words_of(line.evidence)
            self._words_of_speaker.setdefault(line.evidence.speaker, []).append((len(words), words))
        else:
            self._derived_lines[line.evidence.id] = line

    def _is_redundant(self, item: Evidence) -> bool:
        """Tell if the page has a turn like this one, or all that this item tells.

        A note keeps its place beside its turn, unless the turn is no longer than it or has its very words.
        """
        if item.kind == "turn":
            return bool(word_sets := self._words_of_speaker.get(item.speaker)) and _is_among(
                self._words_of(item), word_sets
            )
        # The last source of an event or a note is the turn that states it; the earlier ones are context.
        sources = item.sources[-1:] if item.kind in ("event", "note") else item.sources
        if not sources or not all(source in self.lines for source in sources):
            return False
        if item.kind != "note":
            return True
        turn = self.lines[sources[0]].evidence
        return len(turn.text) <= len(item.text) or self._words_of(item) <= self._words_of(turn)

    def _words_of(self, item: Evidence) -> frozenset[str]:
        if item.id not in self._words:
            words = self._parts_cache.of_text(item.text).words
            self._words[item.id] = words or frozenset((item.text, item.caption or ""))
        return self._words[item.id]

    def _remove(self, line: _Line) -> None:
        self.tokens_left += line.tokens + len(str(len(self.lines))) - 1
        self.distilled_tokens_left += line.tokens if line.evidence.kind in _DISTILLED else 0
        del self.lines[line.evidence.id], self._derived_lines[line.evidence.id]
        for head in line.heads:
            self._heads[head] -= 1
            if not self._heads[head]:
                del self._heads[head]
                self.tokens_left += head.tokens


def _is_among(words: frozenset[str], word_sets: Sequence[tuple[int, frozenset[str]]]) -> bool:
    """Tell if any of the others, each after the number of its words, has nearly the same words."""
    count = len(words)
    min_count = _MIN_OVERLAP * count
    for number, other_words in word_sets:
        # Most differ in their number already.
        if number >= min_count and count >= _MIN_OVERLAP * number:
            overlap = len(words & other_words)
            if overlap >= _MIN_OVERLAP * (count + number - overlap):
                return True
    return False


def _choose(lines: Sequence[_Line], page: _Page) -> list[_Line]:
    """Return as many lines as fit on a page, chosen by cost (lowest first), in the order of their ranks."""
    for line in sorted(lines, key=_cost):
        page.add(line)
        if line.shorter is not None:
            page.add(line.shorter)
    return sorted(page.lines.values(), key=lambda line: line.rank)


def _cost(line: _Line) -> float:
    """Return the cost of a line. It grows with length and rank, since the chance of evidence falls with the rank."""
    return (line.rank + _EARLY) * (line.tokens + _MARKUP) ** _ROOM if line.rank else 0.0


# Layout.


def _written_page(page_lines: Sequence[_Line]) -> tuple[str, int, dict[str, str]]:
    """Return the text of a context, its tokens, and the id that each number cites."""
    lines, citations = _lay_out(page_lines)
    text = "\n".join([line for line, _ in lines])
    # Few cannot be counted by lines and words: one with a mark of the tokenizer's own, or with nothing on a line.
    by_line = is_counted_by_word(text) and " \n" not in text
    return text, _tokens_in(lines) - 1 if by_line else count_tokens(text), citations


def _lay_out(page_lines: Sequence[_Line]) -> tuple[list[CountedText], dict[str, str]]:
    """Return the lines of a context in their order, with the tokens that each adds, and the id by each number."""
    starts: dict[tuple[_Head, ...], datetime] = {}
    for line in page_lines:
        starts[line.heads] = min(line.evidence.when, starts.get(line.heads, line.evidence.when))
    text_lines = [_line(CONTEXT_OPEN)]
    citations: dict[str, str] = {}
    head_of_depth: dict[int, _Head] = {}

    def sort_key(line: _Line) -> tuple[object, ...]:
        return (line.heads[0], starts[line.heads], line.heads[-1], line.evidence.when, line.evidence.id)

    for line in sorted(page_lines, key=sort_key):
        for depth, head in enumerate(line.heads):
            if head_of_depth.get(depth) != head:
                head_of_depth[depth] = head
                text_lines.append(CountedText(head.text, head.tokens))
        number = _line(str(len(citations) + 1))
        citations[number.text] = line.evidence.id
        tokens = number.tokens + line.tokens - _line(_NUMBER).tokens
        text_lines.append(CountedText(f"{number.text} {line.text}", tokens))
    return [*text_lines, _line(CONTEXT_CLOSE)], citations


@lru_cache(maxsize=256)
def _line(text: str) -> CountedText:
    """Return a line that stands in many contexts, with the tokens that it adds."""
    return CountedText(text, _tokens_of(text))
