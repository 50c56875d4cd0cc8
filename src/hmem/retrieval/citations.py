"""Verification of a language model's citations against the evidence, by rules.

An answer states things that the question does not: numbers, dates, names, other words. A citation counts if the memory
that it names was shown and holds one of them. A date also counts if the line's own words mean it, or if it is the day
on which the line was said. An answer that states nothing new ("Yes") is supported by lines that have a word of the
question. Facts that no citation holds are searched in the other lines that were shown, and these are cited too.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

from hmem.language.analyst.lexicon import Lexicon
from hmem.language.analyzer import stems
from hmem.language.regex import regex
from hmem.model.evidence import Context, Evidence
from hmem.model.span import Span

# Greatest number of lines cited besides those that the model cites.
_ADDED: Final = 3
# Two words are forms of one if their common prefix is at least this share of the longer one.
_ALIKE: Final = 0.6
_SHORTEST: Final = 4
_DAY: Final = timedelta(days=1)
_TEXT: Final = 4_000

_WORD: Final = regex(r"\d+(?:[.,:]\d+)*|[^\W\d_]+")
_OPENING: Final = regex(r"(?:^|[.!?:;\n])[\s\"'“‘(]*$")
_POINTS: Final = ("point", "since", "until")


@dataclass(frozen=True, slots=True)
class StatedFacts:
    """Facts stated in a text: stems of names (capitalised within a sentence) and of other words, numbers, and times."""

    names: frozenset[str]
    words: frozenset[str]
    numbers: frozenset[str]
    times: tuple[Span, ...]

    @property
    def facts(self) -> int:
        """Number of stated names, numbers and times, which cannot be paraphrased."""
        return len(self.names) + len(self.numbers) + len(self.times)


@dataclass(frozen=True, slots=True)
class Checked:
    """Result of a check.

    ``ids`` support the answer, those that the model cited first; ``share``, from 0 to 1, is the part of its facts and
    words that they hold; ``dropped`` counts the citations that hold nothing. ``unfounded``: it states names, numbers or
    dates, none of which was shown; ``invented``: none of its other words was shown either.
    """

    ids: tuple[str, ...]
    share: float
    dropped: int = 0
    unfounded: bool = False
    invented: bool = False


def check(
    question: str,
    text: str,
    citations: Sequence[int],
    context: Context,
    asked: datetime,
    lexicon: Lexicon,
    *,
    derived: bool = False,
) -> Checked:
    """Check the citations of an answer against the context that it was given from.

    ``derived``: its numbers may be computed rather than stated. An answer that states nothing new is checked against
    the question's words.
    """
    by_id = {item.id: item for item in context.evidence}
    cited = (context.citations.get(str(number)) for number in citations)
    shown = [by_id[each] for each in cited if each in by_id]
    about, said = stated_facts(question, asked, lexicon), stated_facts(text, asked, lexicon)
    wanted = _besides(said, about, numbers=not derived)
    if not (wanted.facts or wanted.words):
        kept = [item for item in shown if _touches(item, about, lexicon)]
        return Checked(_ids(kept), 1.0 if kept else 0.0, len(citations) - len(kept))
    kept = [item for item in shown if _held(wanted, [item], lexicon)]
    dropped = len(citations) - len(kept)
    for item in context.evidence:
        lacking = _lacking(wanted, kept, lexicon)
        if len(kept) >= len(shown) - dropped + _ADDED or not lacking.facts:
            break
        if item not in kept and _held(_facts_of(lacking), [item], lexicon):
            kept.append(item)
    unfounded = wanted.facts > 0 and not _held(_facts_of(wanted), context.evidence, lexicon)
    invented = unfounded and not kept and not _held(wanted, context.evidence, lexicon)
    share = _held(wanted, kept, lexicon) / (wanted.facts + len(wanted.words))
    return Checked(_ids(kept), share, dropped, unfounded, invented)


@lru_cache(maxsize=4_096)
def stated_facts(text: str, moment: datetime, lexicon: Lexicon) -> StatedFacts:
    """Return the facts stated in a text that was said at ``moment``."""
    text, stop_words = text[:_TEXT], lexicon.stop_words
    mentions = [mention for mention in lexicon.find_dates(text, moment) if mention.kind in _POINTS]
    rest = text
    for mention in reversed(mentions):
        rest = f"{rest[: mention.start]} {rest[mention.end :]}"
    names, words, numbers = set[str](), set[str](), list[tuple[int, str]]()
    for found in _WORD.finditer(rest):
        word = found[0]
        lower = word.lower()
        if word[0].isdigit() or lower in lexicon.numbers:
            numbers.append((found.start(), word if word[0].isdigit() else str(lexicon.numbers[lower])))
        elif lower not in stop_words:
            capital = word[0].isupper() and not _OPENING.search(rest[: found.start()])
            (names if capital else words).update(stems(word))
    return StatedFacts(
        frozenset(names), frozenset(words - names), _joined(numbers), tuple(mention.span for mention in mentions)
    )


def _joined(numbers: Sequence[tuple[int, str]]) -> frozenset[str]:
    """Return numbers in digits: "twenty" and "five" that stand together are 25, and 1,000 is 1000."""
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
    """Return the facts of ``said`` that are not in ``about``."""
    known = about.names | about.words
    return StatedFacts(
        frozenset(name for name in said.names if not _in(name, known)),
        frozenset(word for word in said.words if not _in(word, known)),
        said.numbers - about.numbers if numbers else frozenset(),
        tuple(span for span in said.times if not _meets(span, about.times)),
    )


def _facts_of(wanted: StatedFacts) -> StatedFacts:
    return StatedFacts(wanted.names, frozenset(), wanted.numbers, wanted.times)


def _lacking(wanted: StatedFacts, items: Iterable[Evidence], lexicon: Lexicon) -> StatedFacts:
    """Return the facts that none of the items holds."""
    names, words, numbers, times = wanted.names, wanted.words, wanted.numbers, wanted.times
    for item in items:
        held = stated_facts(_all_of(item), item.when, lexicon)
        said = held.names | held.words
        # A name may begin a sentence, or be written in lower case.
        names = frozenset(name for name in names if not _in(name, said))
        words = frozenset(word for word in words if not _in(word, said))
        numbers -= held.numbers
        day = Span(item.when - _DAY, item.when + _DAY)
        times = tuple(span for span in times if not _meets(span, (day, *held.times)))
    return StatedFacts(names, words, numbers, times)


def _held(wanted: StatedFacts, items: Iterable[Evidence], lexicon: Lexicon) -> int:
    """Return the number of wanted facts that the items hold."""
    lacking = _lacking(wanted, items, lexicon)
    return wanted.facts + len(wanted.words) - lacking.facts - len(lacking.words)


def _touches(item: Evidence, about: StatedFacts, lexicon: Lexicon) -> bool:
    held = stated_facts(_all_of(item), item.when, lexicon)
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
