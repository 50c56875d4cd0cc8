"""What a language model says its answer stands on, held against the evidence, by rules.

An answer tells things that the question does not: numbers, dates, names, other words. A citation counts when the
memory that it names was shown and holds one of them; a date also when it is what the line's own words mean, or the
day on which it was said. An answer that tells nothing of its own ("Yes") stands on lines that have a word of the
question. What no citation holds is looked for in the other lines that were shown, and they are cited too.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

from hmem.corpus.index.analyzer import stems
from hmem.language.dates import find_dates
from hmem.language.dates.words import CARDINALS
from hmem.language.english.stopwords import STOP_WORDS
from hmem.language.regex import regex
from hmem.model.evidence import Context, Evidence
from hmem.model.span import Span

# So many lines at most are cited besides those that the model cites.
_ADDED: Final = 3
# A word is another form of one when so much of the longer one is the beginning of both.
_ALIKE: Final = 0.6
_SHORTEST: Final = 4
_DAY: Final = timedelta(days=1)
_TEXT: Final = 4_000

_WORD: Final = regex(r"\d+(?:[.,:]\d+)*|[^\W\d_]+")
_OPENING: Final = regex(r"(?:^|[.!?:;\n])[\s\"'“‘(]*$")
_POINTS: Final = ("point", "since", "until")


@dataclass(frozen=True, slots=True)
class StatedFacts:
    """What a text tells: stems of names (capitalised within a sentence) and of other words, numbers, and times."""

    names: frozenset[str]
    words: frozenset[str]
    numbers: frozenset[str]
    times: tuple[Span, ...]

    @property
    def facts(self) -> int:
        """How many things it tells that cannot be put in other words."""
        return len(self.names) + len(self.numbers) + len(self.times)


@dataclass(frozen=True, slots=True)
class Checked:
    """What an answer stands on: ids, those that the model cited first; ``share``, from 0 to 1, is how much of what it
    tells they hold; ``dropped`` counts citations that count for nothing. ``unfounded``: it tells names, numbers or
    dates, of which nothing that was shown holds one; ``invented``: nor does it hold any other word of it.
    """

    ids: tuple[str, ...]
    share: float
    dropped: int = 0
    unfounded: bool = False
    invented: bool = False


def check(
    question: str, text: str, citations: Sequence[int], context: Context, asked: datetime, *, derived: bool = False
) -> Checked:
    """Hold the citations of an answer against the context that it was given from.

    ``derived``: its numbers may be counted or reckoned rather than told. What nothing was looked up for, an inference
    about what somebody would do, is held against the question's words.
    """
    by_id = {item.id: item for item in context.evidence}
    cited = (context.citations.get(str(number)) for number in citations)
    shown = [by_id[each] for each in cited if each in by_id]
    about, said = told(question, asked), told(text, asked)
    wanted = _besides(said, about, numbers=not derived)
    if not (wanted.facts or wanted.words):
        kept = [item for item in shown if _touches(item, about)]
        return Checked(_ids(kept), 1.0 if kept else 0.0, len(citations) - len(kept))
    kept = [item for item in shown if _held(wanted, [item])]
    dropped = len(citations) - len(kept)
    for item in context.evidence:
        lacking = _lacking(wanted, kept)
        if len(kept) >= len(shown) - dropped + _ADDED or not lacking.facts:
            break
        if item not in kept and _held(_facts_of(lacking), [item]):
            kept.append(item)
    unfounded = wanted.facts > 0 and not _held(_facts_of(wanted), context.evidence)
    invented = unfounded and not kept and not _held(wanted, context.evidence)
    share = _held(wanted, kept) / (wanted.facts + len(wanted.words))
    return Checked(_ids(kept), share, dropped, unfounded, invented)


@lru_cache(maxsize=4_096)
def told(text: str, moment: datetime) -> StatedFacts:
    """What a text tells that was said at a moment."""
    text = text[:_TEXT]
    mentions = [mention for mention in find_dates(text, moment) if mention.kind in _POINTS]
    rest = text
    for mention in reversed(mentions):
        rest = f"{rest[: mention.start]} {rest[mention.end :]}"
    names, words, numbers = set[str](), set[str](), list[tuple[int, str]]()
    for found in _WORD.finditer(rest):
        word = found[0]
        lower = word.lower()
        if word[0].isdigit() or lower in CARDINALS:
            numbers.append((found.start(), word if word[0].isdigit() else str(CARDINALS[lower])))
        elif lower not in STOP_WORDS:
            capital = word[0].isupper() and not _OPENING.search(rest[: found.start()])
            (names if capital else words).update(stems(word))
    return StatedFacts(
        frozenset(names), frozenset(words - names), _joined(numbers), tuple(mention.span for mention in mentions)
    )


def _joined(numbers: Sequence[tuple[int, str]]) -> frozenset[str]:
    """Numbers in digits: "twenty" and "five" that stand together are 25, and 1,000 is 1000."""
    made: list[tuple[int, str]] = []
    for start, number in numbers:
        plain = number.replace(",", "")
        if made and plain.isdigit() and made[-1][1].isdigit():
            before, tens = made[-1][0], int(made[-1][1])
            if 20 <= tens < 100 and tens % 10 == 0 and 0 < int(plain) < 10 and start - before <= len("seventy "):
                made[-1] = (before, str(tens + int(plain)))
                continue
        made.append((start, plain))
    return frozenset(number for _, number in made)


def _besides(said: StatedFacts, about: StatedFacts, *, numbers: bool) -> StatedFacts:
    """What is said without what the question says itself."""
    known = about.names | about.words
    return StatedFacts(
        frozenset(name for name in said.names if not _in(name, known)),
        frozenset(word for word in said.words if not _in(word, known)),
        said.numbers - about.numbers if numbers else frozenset(),
        tuple(span for span in said.times if not _meets(span, about.times)),
    )


def _facts_of(wanted: StatedFacts) -> StatedFacts:
    return StatedFacts(wanted.names, frozenset(), wanted.numbers, wanted.times)


def _lacking(wanted: StatedFacts, items: Iterable[Evidence]) -> StatedFacts:
    """What none of them holds."""
    names, words, numbers, times = wanted.names, wanted.words, wanted.numbers, wanted.times
    for item in items:
        held = told(_all_of(item), item.when)
        said = held.names | held.words
        # A name may begin a sentence, or be written small.
        names = frozenset(name for name in names if not _in(name, said))
        words = frozenset(word for word in words if not _in(word, said))
        numbers -= held.numbers
        day = Span(item.when - _DAY, item.when + _DAY)
        times = tuple(span for span in times if not _meets(span, (day, *held.times)))
    return StatedFacts(names, words, numbers, times)


def _held(wanted: StatedFacts, items: Iterable[Evidence]) -> int:
    """How many of the things that are wanted some of them hold."""
    lacking = _lacking(wanted, items)
    return wanted.facts + len(wanted.words) - lacking.facts - len(lacking.words)


def _touches(item: Evidence, about: StatedFacts) -> bool:
    held = told(_all_of(item), item.when)
    return any(_in(word, held.names | held.words) for word in about.names | about.words)


def _all_of(item: Evidence) -> str:
    return f"{item.speaker}. {item.content}" if item.speaker else item.content


def _in(word: str, words: frozenset[str]) -> bool:
    return word in words or any(_alike(word, other) for other in words)


def _alike(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) >= max(_SHORTEST, _ALIKE * len(longer)) and longer.startswith(shorter)


def _meets(span: Span, others: Iterable[Span]) -> bool:
    return any(span.start < other.end and other.start < span.end for other in others)


def _ids(items: Iterable[Evidence]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item.id for item in items))
