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
_MAX_ADDED_CITATIONS: Final = 3
# Two words are forms of one if their common prefix is at least this share of the longer one.
_MIN_PREFIX_SHARE: Final = 0.6
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
class CitationCheck:
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
    question_time: datetime,
    lexicon: Lexicon,
    *,
    derived: bool = False,
) -> CitationCheck:
    """Check the citations of an answer against the context that it was given from.

    ``derived``: its numbers may be computed rather than stated. An answer that states nothing new is checked against
    the question's words.
    """
    by_id = {item.id: item for item in context.evidence}
    cited_ids = (context.citations.get(str(number)) for number in citations)
    cited_items = [by_id[item_id] for item_id in cited_ids if item_id in by_id]
    question_facts, answer_facts = (
        stated_facts(question, question_time, lexicon),
        stated_facts(text, question_time, lexicon),
    )
    new_facts = _besides(answer_facts, question_facts, numbers=not derived)
    if not (new_facts.facts or new_facts.words):
        supporting_items = [item for item in cited_items if _touches(item, question_facts, lexicon)]
        return CitationCheck(
            _ids(supporting_items), 1.0 if supporting_items else 0.0, len(citations) - len(supporting_items)
        )
    supporting_items = [item for item in cited_items if _count_present(new_facts, [item], lexicon)]
    dropped = len(citations) - len(supporting_items)
    for item in context.evidence:
        missing_facts = _missing_facts(new_facts, supporting_items, lexicon)
        if len(supporting_items) >= len(cited_items) - dropped + _MAX_ADDED_CITATIONS or not missing_facts.facts:
            break
        if item not in supporting_items and _count_present(_facts_of(missing_facts), [item], lexicon):
            supporting_items.append(item)
    unfounded = new_facts.facts > 0 and not _count_present(_facts_of(new_facts), context.evidence, lexicon)
    invented = unfounded and not supporting_items and not _count_present(new_facts, context.evidence, lexicon)
    share = _count_present(new_facts, supporting_items, lexicon) / (new_facts.facts + len(new_facts.words))
    return CitationCheck(_ids(supporting_items), share, dropped, unfounded, invented)


@lru_cache(maxsize=4_096)
def stated_facts(text: str, moment: datetime, lexicon: Lexicon) -> StatedFacts:
    """Return the facts stated in a text that was said at ``moment``."""
    text, stop_words = text[:_TEXT], lexicon.stop_words
    mentions = [mention for mention in lexicon.find_dates(text, moment) if mention.kind in _POINTS]
    text_without_dates = text
    for mention in reversed(mentions):
        text_without_dates = f"{text_without_dates[: mention.start]} {text_without_dates[mention.end :]}"
    names, words, numbers = set[str](), set[str](), list[tuple[int, str]]()
    for match in _WORD.finditer(text_without_dates):
        word = match[0]
        lower = word.lower()
        if word[0].isdigit() or lower in lexicon.numbers:
            numbers.append((match.start(), word if word[0].isdigit() else str(lexicon.numbers[lower])))
        elif lower not in stop_words:
            capital = word[0].isupper() and not _OPENING.search(text_without_dates[: match.start()])
            (names if capital else words).update(stems(word))
    return StatedFacts(
        frozenset(names), frozenset(words - names), _join_numbers(numbers), tuple(mention.span for mention in mentions)
    )


def _join_numbers(numbers: Sequence[tuple[int, str]]) -> frozenset[str]:
    """Return numbers in digits: "twenty" and "five" that stand together are 25, and 1,000 is 1000."""
    joined_numbers: list[tuple[int, str]] = []
    for start, number in numbers:
        plain = number.replace(",", "")
        if joined_numbers and plain.isdigit() and joined_numbers[-1][1].isdigit():
            before, tens = joined_numbers[-1][0], int(joined_numbers[-1][1])
            if 20 <= tens < 100 and tens % 10 == 0 and 0 < int(plain) < 10 and start - before <= len("seventy "):
                joined_numbers[-1] = (before, str(tens + int(plain)))
                continue
        joined_numbers.append((start, plain))
    return frozenset(number for _, number in joined_numbers)


def _besides(facts: StatedFacts, known_facts: StatedFacts, *, numbers: bool) -> StatedFacts:
    """Return the facts that are not among ``known_facts``."""
    known_words = known_facts.names | known_facts.words
    return StatedFacts(
        frozenset(name for name in facts.names if not _has_form(name, known_words)),
        frozenset(word for word in facts.words if not _has_form(word, known_words)),
        facts.numbers - known_facts.numbers if numbers else frozenset(),
        tuple(span for span in facts.times if not _meets(span, known_facts.times)),
    )


def _facts_of(facts: StatedFacts) -> StatedFacts:
    return StatedFacts(facts.names, frozenset(), facts.numbers, facts.times)


def _missing_facts(facts: StatedFacts, items: Iterable[Evidence], lexicon: Lexicon) -> StatedFacts:
    """Return the facts that none of the items holds."""
    names, words, numbers, times = facts.names, facts.words, facts.numbers, facts.times
    for item in items:
        item_facts = stated_facts(_full_text(item), item.when, lexicon)
        item_words = item_facts.names | item_facts.words
        # A name may begin a sentence, or be written in lower case.
        names = frozenset(name for name in names if not _has_form(name, item_words))
        words = frozenset(word for word in words if not _has_form(word, item_words))
        numbers -= item_facts.numbers
        day = Span(item.when - _DAY, item.when + _DAY)
        times = tuple(span for span in times if not _meets(span, (day, *item_facts.times)))
    return StatedFacts(names, words, numbers, times)


def _count_present(facts: StatedFacts, items: Iterable[Evidence], lexicon: Lexicon) -> int:
    """Return the number of wanted facts that the items hold."""
    missing_facts = _missing_facts(facts, items, lexicon)
    return facts.facts + len(facts.words) - missing_facts.facts - len(missing_facts.words)


def _touches(item: Evidence, facts: StatedFacts, lexicon: Lexicon) -> bool:
    item_facts = stated_facts(_full_text(item), item.when, lexicon)
    return any(_has_form(word, item_facts.names | item_facts.words) for word in facts.names | facts.words)


def _full_text(item: Evidence) -> str:
    return f"{item.speaker}. {item.content}" if item.speaker else item.content


def _has_form(word: str, words: frozenset[str]) -> bool:
    return word in words or any(_alike(word, candidate) for candidate in words)


def _alike(first: str, second: str) -> bool:
    shorter, longer = sorted((first, second), key=len)
    return len(shorter) >= max(_SHORTEST, _MIN_PREFIX_SHARE * len(longer)) and longer.startswith(shorter)


def _meets(span: Span, spans: Iterable[Span]) -> bool:
    return any(span.start < other_span.end and other_span.start < span.end for other_span in spans)


def _ids(items: Iterable[Evidence]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item.id for item in items))
