"""Question analysis: parse, answer type, scope, coverage, time frame, entities, and decomposition into a plan.

- Parse: "Which colour schemes has Nadia asked for?" has the lead "which", the phrase (colour, schemes) and the verb
  "has". A question that begins with its verb ("Did Jon sell it?") has no lead, and ``polar`` is true.
- Scope, the levels of memory that help (H-Mem, tree and graph: scope): short is one event or fact; long is lasting:
  habits, character, likelihood, change; mixed is gathered from several places: lists, counts, comparisons. Coverage
  says if every occurrence counts.
- A time frame limits the question ("in 2023", "last week"). No frame are: a length ("for two years"), a recurrence
  ("every Friday"), a time of day, "recently", a date in a title, a name such as April.
- Decomposition: most questions stay whole, for a wrong cut costs more than a missed one. Cut are a question about each
  of several people ("What have Ana and Ben both painted?"), two questions in one, an event to be found before the
  question about what came before or after it, and two events to be compared in time.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from hmem.language.dates import DateMention, find_dates
from hmem.language.english.meaning.entities import people_of
from hmem.language.english.names import names
from hmem.language.english.word_lists import words
from hmem.language.regex import regex
from hmem.model.plan import AnswerType, Coverage, Plan, Scope, SubQuestion
from hmem.model.span import Span

AUXILIARIES: Final = words(
    """
    did do does is are was were am has have had can could will would shall should may might must
    didn't don't doesn't isn't aren't wasn't weren't hasn't haven't hadn't can't couldn't won't wouldn't shouldn't
    """
)
PREPOSITIONS: Final = words(
    """
    of in on for to at with from by during about that who when where while after before besides between as into
    near around through according until since than if because under over
    """
)
# Nouns whose object follows "of": "kinds of books", "the name of her sister".
_CONTAINERS: Final = words(
    """
    kind kinds type types sort sorts form forms style styles variety list one some piece pieces
    """
)
_LEAD_WORDS: Final = (
    r"how (?:many|much|long|often|frequently|old|far|tall|big|heavy|high|fast|large|deep|late|early|come)"
    r"|how|what|which|whose|whom|who|when|where|why"
)
_ASKED_BY_THE_WAY: Final = r"remind me|tell me|show me|wondering|know|ask|remember|recall|confirm|let me know|find out"
_LEAD: Final = regex(
    rf"(?:^|[,;:\u2013\u2014]\s*|\b(?:{_ASKED_BY_THE_WAY})(?: about| of| again)?,?\s+)"
    rf"(?:(?:and|so|but|also|ok|okay|hey|hi)\s+)?(?:(?:in|on|at|for|from|to|by|with|after|around|since|of|until|about"
    rf"|during|under)\s+)?({_LEAD_WORDS})(?:['’](s|re|d|ve|ll))?(?![\w'’-])",
    re.IGNORECASE,
)
_POLAR: Final = regex(
    r"(?:(?:and|so|but|also|ok|okay|then|hey|hi),?\s+)?"
    r"((?:did|do|does|is|are|was|were|am|has|have|had|can|could|will|would|shall|should|may|might|must)(?:n['’]t)?)\s",
    re.IGNORECASE,
)
_POLITE: Final = regex(
    r"\b(?:can|could|would|will|do) you (?:please |still |also |happen to )*(?:remind|tell|know|remember|recall|list"
    r"|recommend|suggest|give|show|share|provide|help"
    r"|have any (?:\w+ )?(?:tips|advice|ideas|suggestions|recommendations))\b"
    r"|^(?:do|can|could|may) i (?:know|ask|remember)",
    re.IGNORECASE,
)
# "St.", "Mrs." and initials end no sentence.
_SENTENCE_END: Final = regex(r"(?<=\?)\s+|(?<=[a-z\d)'\"][a-z\d)'\"][.!])(?<!Mrs\.)\s+(?=\W{0,3}[A-ZÀ-Þ])")
# Most questions are one sentence; this check is ten times as fast as a split.
_ENDED: Final = regex(r"[?.!]\s+\S")
_NAMED_ONLY: Final = regex(
    r"\b(?:remind me|tell me|recall|remember)(?: again)?(?: of| about)? (?=(?:the|that|my|his|her|their|our|those)\b)",
    re.IGNORECASE,
)
_WORD: Final = regex(r"[^\W_]+(?:[-.&][^\W_]+)*(?:['’][^\W_]*)?")
_CONTRACTED: Final = {"s": "is", "re": "are", "d": "did", "ve": "have", "ll": "will"}
# Maximum length of a noun phrase in words (a longer one is read as a clause), and of a question in characters.
_LONGEST_PHRASE: Final = 9
_MOST_READ: Final = 1_000


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """Parts of a question: ``lead`` and ``phrase`` lower-cased, ``rest`` as written behind the verb.

    ``text`` is the sentence that asks. ``verb`` is empty without an auxiliary in its place ("Who gave it?").
    """

    text: str
    lead: str = ""
    phrase: tuple[str, ...] = ()
    verb: str = ""
    rest: str = ""
    polar: bool = False

    @property
    def head(self) -> str:
        """Noun asked for, such as "schemes"; "" if there is none."""
        return self.phrase[-1] if self.phrase and self.verb else ""


def tokens(text: str) -> list[str]:
    """Return the lower-cased words of a text, with their apostrophes."""
    return [word.replace("’", "'") for word in _WORD.findall(text.lower())]


# Cached: decomposition and planning parse the same question.
@lru_cache(maxsize=8)
def asking(question: str) -> ParsedQuestion:
    """Return the parts of the sentence that asks: the last one with a question mark."""
    text = _sentence(question[-_MOST_READ:])
    polar = _POLAR.match(text)
    if polar is not None and _POLITE.search(text) is None:
        return ParsedQuestion(text, verb=polar[1].lower(), rest=text[polar.end() :], polar=True)
    lead = _LEAD.search(text)
    if lead is None:
        return _named_only(text)
    rest, text = text[lead.end() :], text[lead.start() :].lstrip(" ,;:\u2013\u2014")
    if lead[2]:
        return ParsedQuestion(text, lead[1].lower(), (), _CONTRACTED[lead[2].lower()], rest)
    return _phrased(text, " ".join(lead[1].lower().split()), rest)


def _named_only(text: str) -> ParsedQuestion:
    """Return "Remind me of the name of the shop" as a question: "what is …"."""
    found = _NAMED_ONLY.search(text)
    return (
        ParsedQuestion(text[found.start() :], "what", (), "is", text[found.end() :])
        if found
        else ParsedQuestion(text, rest=text)
    )


def _sentence(question: str) -> str:
    if _ENDED.search(question) is None:
        return question.strip()
    sentences = _SENTENCE_END.split(question.strip())
    asked = [sentence for sentence in sentences if sentence.endswith("?")]
    return (asked or sentences)[-1] if asked or len(sentences) == 1 else question.strip()


def _phrased(text: str, lead: str, rest: str) -> ParsedQuestion:
    """Return the question with its noun phrase and its verb separated."""
    found: list[str] = []
    closed = False
    for place, match in enumerate(_WORD.finditer(rest)):
        word = match[0].lower().replace("’", "'")
        if word in AUXILIARIES:
            return ParsedQuestion(text, lead, tuple(found), word, rest[match.end() :].strip())
        if place > _LONGEST_PHRASE:
            break
        closed = closed or (word in PREPOSITIONS and not _goes_on(word, found))
        if not closed and word not in PREPOSITIONS:
            found.append(word)
    return ParsedQuestion(text, lead, tuple(found[:4]), "", rest.strip())


def _goes_on(word: str, found: list[str]) -> bool:
    return word == "of" and (not found or found[-1] in _CONTAINERS)


UNITS: Final = words(
    "second seconds minute minutes hour hours day days week weeks month months year years nights night"
)
_NOT_PLURAL: Final = words("news series species always glass class business address tennis chess news is was this")
_PLURAL: Final = words("people children women men kids mice feet teeth")


def is_plural(noun: str) -> bool:
    """Tell if a lower-cased noun looks like a plural."""
    if noun in _PLURAL:
        return True
    return (
        len(noun) > 3 and noun.endswith("s") and not noun.endswith(("ss", "us", "is", "'s")) and noun not in _NOT_PLURAL
    )


def singular(noun: str) -> str:
    """Return a noun without plural ending and possessive."""
    noun = noun.removesuffix("'s").removesuffix("'")
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if noun.endswith(("sses", "shes", "ches", "xes")):
        return noun[:-2]
    return noun[:-1] if is_plural(noun) and noun not in _PLURAL else noun


_FIRST_PERSON: Final = regex(
    r"\b(?:I|me|[Mm]y|mine|myself|[Ww]e|us|[Oo]urs?|ourselves)\b(?!['’]?\w*\.\w)|\bi\b(?![.'’]e)"
)
_SECOND_PERSON: Final = regex(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE)
_QUOTED: Final = regex(r"[\"“]([^\"“”\n]{2,80})[\"”]|(?<!\w)['‘](?=[A-ZÀ-Þ])([^'’‘\n]{2,80})['’](?!\w)")
_ASSISTANTS: Final = frozenset({"assistant", "ai", "bot", "chatbot", "model", "agent"})
# Maximum number of names: a question with a pasted page is about none of them.
_MOST: Final = 12


def named_in(question: str, people: Sequence[str]) -> tuple[str, ...]:
    """Return the names in a question as written, without possessives, in order, each once.

    "I" and "we" stand for the first of ``people``, "you" for the assistant among them.
    """
    found = [(naming.start, naming.surface) for naming in names(question, people_of(people), most=_MOST)]
    found += [
        (match.start() + 1, (match[1] or match[2]).strip(" ,.?!"))
        for match in islice(_QUOTED.finditer(question), _MOST)
    ]
    found += _spoken_small(question, people, {surface.lower() for _, surface in found})
    if people and (first := _FIRST_PERSON.search(question)) and people[0].lower() not in _ASSISTANTS:
        found.append((first.start(), people[0]))
    assistant = next((person for person in people if person.lower() in _ASSISTANTS), None)
    if assistant and (second := _SECOND_PERSON.search(question)):
        found.append((second.start(), assistant))
    return tuple(dict.fromkeys(surface for _, surface in sorted(found)))[:_MOST]


def _spoken_small(question: str, people: Sequence[str], known: set[str]) -> list[tuple[int, str]]:
    """Return the position and text of known people written in lower case or not recognised as names."""
    lower = question.lower()
    return [
        (place, question[place : place + len(person)])
        for person in people
        if person and person.lower() not in known and (place := _word_at(lower, person.lower())) is not None
    ]


def _word_at(text: str, word: str) -> int | None:
    place = text.find(word)
    while place >= 0:
        end = place + len(word)
        if not (text[place - 1 : place].isalnum() or text[end : end + 1].isalnum()):
            return place
        place = text.find(word, end)
    return None


_SUPPOSED: Final = words("would might could may should wouldn't couldn't")
_LIKELY: Final = regex(r"\b(?:likely|probably|might|presumably|potentially)\b|\bwould be\b", re.IGNORECASE)
_LASTING: Final = regex(
    r"\b(?:personality|traits?|kind of (?:a )?person|characters?tics?|attitudes?|beliefs?|religio\w+|political\w*"
    r"|politics|lifestyle|habitually|usually|generally|typically|tends? to|used to|routines?"
    r"|over time|over the (?:years|months)"
    r"|values|worldview|temperament|when (?:he|she|they) (?:was|were) (?:younger|little|a child|a kid)"
    r"|relationships? (?:with|between|status)|main focus|interests|identity|way of (?:dealing|coping))\b",
    re.IGNORECASE,
)
_CHANGED: Final = regex(
    r"\b(?:chang(?:e|es|ed|ing)|evolv\w+|progress(?:ed)?|developed|grown|improved|shifted)\b", re.IGNORECASE
)
_EVERY: Final = regex(
    r"\b(?:how many times|both|all (?:the|of|that|his|her|my|their|\w+s)\b|every|altogether|in total|total|so far"
    r"|overall|in order|in the order|one after (?:the other|another)|most (?:often|frequently)|in common|^list)\b",
    re.IGNORECASE,
)
_COMPARED: Final = regex(
    r"\b(?:both|than|in common|compared? (?:to|with)|differ\w*|first, |which came|more often)\b", re.IGNORECASE
)
_ONE: Final = regex(
    r"\b(?:recently|latest|currently|current|just|first time|last time|decided|planned|now)\b", re.IGNORECASE
)
# Plural nouns that have a single answer.
_TOLD_AT_ONCE: Final = words(
    """
    plans goals thoughts feelings views words ingredients results details instructions steps shoes news aspects themes
    items-for advantages benefits
    """
)
# Verbs whose present is a state or a statement, and no habit.
_NO_HABIT: Final = regex(
    r"\b(?:feel|think|say|says|have|has|want|need|mean|represent|symboli[sz]e|plan|describe|mention|recommend|suggest"
    r"|give|tell|call|own|offer|look|take place|start|live|work|cost|love most|share|bring|remind|hope"
    r"|consider|make for)\b",
    re.IGNORECASE,
)
_AMONG: Final = regex(r"(?:which|what) of\b", re.IGNORECASE)
_ONE_KIND: Final = regex(r"what (?:kind|type|sort) of\b", re.IGNORECASE)
_SAID_OF_THEIRS: Final = regex(r"[\w'’-]+ (?:say|describe) (?:that )?(?:his|her|their|he|she|they)\b", re.IGNORECASE)
_OWNED: Final = regex(r"[\w'’-]+ have\b", re.IGNORECASE)
_DOES: Final = ("do", "does")
_HAS: Final = ("has", "have")
_INSPIRES: Final = regex(r"(?:motivates|inspires|drives|helps|relaxes|calms)\b", re.IGNORECASE)


def scope_of(asked: ParsedQuestion, *, framed: bool = False) -> tuple[Scope, Coverage]:
    """Return the scope and the coverage of a question, ``framed`` if it names a time."""
    gathered = _is_gathered(asked) or (framed and _is_sum(asked))
    coverage: Coverage = "global" if gathered or _counts_all(asked) else "local"
    if _is_supposed(asked) or _lasts(asked):
        return "long", "global" if (gathered or _is_change(asked)) and not _is_supposed(asked) else "local"
    if coverage == "global" or _COMPARED.search(asked.text):
        return "mixed", coverage
    if _is_habit(asked):
        return "long", "local"
    return ("mixed" if not asked.lead and not asked.polar else "short"), coverage


def _is_supposed(asked: ParsedQuestion) -> bool:
    """Tell if the answer must be inferred from what is known of someone."""
    if asked.polar or asked.lead in ("what", "which", "who", "how", "where", "why"):
        return asked.verb in _SUPPOSED or _LIKELY.search(asked.text) is not None
    return False


def _lasts(asked: ParsedQuestion) -> bool:
    if asked.lead in ("when", "where"):
        return False
    if _LASTING.search(asked.text):
        return True
    return _is_change(asked)


def _is_change(asked: ParsedQuestion) -> bool:
    return (asked.lead == "how" or "changes" in asked.phrase) and _CHANGED.search(asked.text) is not None


def _is_sum(asked: ParsedQuestion) -> bool:
    """Tell if a question asks for an amount within a time."""
    return asked.lead in ("how many", "how much") and (
        asked.verb in _HAS or (asked.verb == "did" and not _OWNED.match(asked.rest))
    )


def _counts_all(asked: ParsedQuestion) -> bool:
    return not asked.polar and asked.lead not in ("when", "why") and _EVERY.search(asked.text) is not None


def _is_gathered(asked: ParsedQuestion) -> bool:
    """Tell if the answer is a list or a sum over several occurrences."""
    if asked.lead == "how many":
        if asked.phrase and asked.phrase[0] in UNITS and "of" not in asked.text.split()[:4]:
            return False
        return asked.verb in _HAS or asked.verb in _DOES or asked.phrase[:1] == ("times",)
    if asked.lead in ("where", "how", "who", "whom") or (asked.lead == "what" and not asked.phrase):
        return _is_list_without_noun(asked)
    if asked.lead not in ("what", "which") or not asked.verb:
        return False
    return _is_list(asked)


def _is_list_without_noun(asked: ParsedQuestion) -> bool:
    """Tell if a question asks for a list without a noun: "where has she been", "what are her hobbies"."""
    if asked.verb in _HAS:
        return not _ONE.search(asked.rest)
    if asked.verb == "are" and asked.lead == "what":
        heads = [word for word in tokens(asked.rest)[:6] if is_plural(word) and not word.endswith("'")]
        return bool(heads) and heads[0] not in _TOLD_AT_ONCE and heads[-1] not in _TOLD_AT_ONCE
    return False


def _is_list(asked: ParsedQuestion) -> bool:
    several = any(is_plural(word) for word in (asked.head, *asked.phrase[:1])) or _AMONG.match(asked.text) is not None
    if _ONE_KIND.match(asked.text) and asked.verb not in _HAS:
        return False
    if not several or asked.head in _TOLD_AT_ONCE or _ONE.search(asked.rest):
        return False
    return asked.verb in _HAS or asked.verb in _DOES or asked.verb in ("are", "did", "is", "were")


def _is_habit(asked: ParsedQuestion) -> bool:
    """Tell if the present tense means a habit."""
    if asked.lead == "how often":
        return True
    if asked.lead == "what" and not asked.verb:
        return _INSPIRES.match(asked.rest) is not None
    if asked.verb not in _DOES or asked.lead not in ("what", "how", "which"):
        return False
    if asked.lead == "how" and _SAID_OF_THEIRS.match(asked.rest):
        return True
    return _NO_HABIT.search(asked.rest) is None and not asked.rest.lower().startswith("you ")


# Length of the span of "by July 2022" and "before 2020", whose start is unknown.
REACH: Final = timedelta(days=3652)

# "December 1,2023".
_UNSPACED: Final = regex(r"(?<=\d),(?=(?:19|20)\d\d\b)")
_IN_QUOTES: Final = regex(r"[\"“][^\"“”]{1,80}[\"”]")
_LENGTH: Final = regex(r"for\b|a \d|an? [a-z]+-long", re.IGNORECASE)
_OF_THE_DAY: Final = ("hour", "minute", "part")
_TO_COME: Final = regex(r"\b(?:next|coming|tomorrow|upcoming|tonight|this|in \w+|from now)\b", re.IGNORECASE)
_ASKS_OF_THE_FUTURE: Final = regex(
    r"\b(?:will|going to|'ll|planning|plans?|upcoming|shall|should|would)\b", re.IGNORECASE
)
_BARE_NAME: Final = regex(r"(?:in|last|since|during|this|next|by|until|before|after|early|late|of)\s+$", re.IGNORECASE)
_PART_OF: Final = regex(r"(?:the )?(first|second) half of (?:the )?$", re.IGNORECASE)
_BESIDE: Final = regex(r"(?:the )?(day|night|week|weekend|month) (before|after|of)(?: the)? ?$", re.IGNORECASE)
_BESIDE_INSIDE: Final = regex(r"(before|after) ", re.IGNORECASE)
_UNIT_BEFORE: Final = regex(r"(?:the )?(day|week|weekend|month) $", re.IGNORECASE)
_DAYS: Final = {"day": 1, "night": 1, "week": 7, "weekend": 7, "month": 30}
# Words that attach a date to its sentence, removed with it.
_TIED: Final = regex(
    r"(?:,?\s*\(?\b(?:as (?:mentioned|said|stated|told|described|discussed|of)|mentioned|back|sometime|around|about"
    r"|starting|over|within|dated))*\s*(?:\b(?:in|on|at|during|by|of|from|for|over|around|within|throughout|since"
    r"|until|before|after)(?: the)?)?\s*,?\s*$",
    re.IGNORECASE,
)
_BLANKS: Final = regex(r"\s{2,}")
_BEFORE_MARK: Final = regex(r"[\s,]*(?:\(\))?\s*([?.!,])")


_YEAR: Final = regex(r"\b(?:19|20)\d\d\b")
_OF_A_DAY: Final = ("point", "until")
_MONTHS: Final = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
    "|Jan|Feb|Apr|Aug|Sept?|Oct|Nov|Dec"
)
_AND_MONTH: Final = regex(rf" (?:and|or|to|through) (?=(?:{_MONTHS})\b(?!\w))")
# Maximum number of dates read: a question with a pasted calendar is about none of them.
# "The Sunday market": a name of the thing, not a time.
_POSSESSED: Final = regex(r"(?:\b(?:the|an?|my|our|his|her|their|its)|['’]s) (?:[A-Z]\w+ )?$")
_THING: Final = regex(r" (?!(?:before|after|when|that|with|and|for|from|last|night|they|she|you|who|where)\b)[a-z]{3,}")
_PRESENT: Final = regex(r"\b(?:do|does)\b", re.IGNORECASE)
_PAST: Final = regex(r"\b(?:did|has|have|had|was|were|will|is|are)\b", re.IGNORECASE)
_DEICTIC: Final = regex(r"\d|\b(?:last|this|next|past|previous|ago|yesterday|today|now|coming)\b", re.IGNORECASE)


class QuestionTimes(NamedTuple):
    """Spans named in a question, earliest first, and its text without them."""

    spans: tuple[Span, ...]
    topic: str


class _Part(NamedTuple):
    """Piece of the text that names a time, and the time."""

    start: int
    end: int
    span: Span


def frame_of(question: str, asked: datetime, people: Collection[str]) -> QuestionTimes:
    """Return the time frame of a question asked at ``asked``; ``people`` are the speakers, whose names are no dates."""
    question = _UNSPACED.sub(", ", question)
    mentions = find_dates(question, asked)
    if not mentions:
        return QuestionTimes((), question)
    said = _said_on(mentions)
    if said is not None:
        mentions = _mentioned(question, said, mentions)
    quoted = [match.span() for match in _IN_QUOTES.finditer(question)]
    parts: list[_Part] = []
    for mention in mentions[:_MOST]:
        if any(start < mention.end and mention.start < end for start, end in quoted):
            continue
        if _is_frame(question, mention, people) and (part := _part(question, mention, said or asked)) is not None:
            parts += [part, *_next_month(question, part, said or asked)]
    spans = sorted({part.span for part in parts}, key=lambda span: (span.start, span.end))
    return QuestionTimes(tuple(spans), _without(question, parts))


def _next_month(question: str, part: _Part, said: datetime) -> list[_Part]:
    """Return the second month of "in March and April", or an empty list."""
    joined = _AND_MONTH.match(question, part.end)
    if joined is None:
        return []
    shift = joined.end() - len("in ")
    found = find_dates(f"in {question[joined.end() :]}", said)[:1]
    return [_Part(part.end, one.end + shift, one.span) for one in found if one.start <= len("in ")]


def _said_on(mentions: Sequence[DateMention]) -> datetime | None:
    """Return the day of an earlier message named in a question, if another time is relative to it, or None."""
    days = [one for one in mentions if one.granularity == "day" and _YEAR.search(one.text) and one.kind in _OF_A_DAY]
    leans = any(one.relative and one.kind in ("point", "duration") and one not in days for one in mentions)
    return datetime.combine(days[0].span.start, time(12), days[0].span.start.tzinfo) if days and leans else None


def _mentioned(question: str, said: datetime, mentions: Sequence[DateMention]) -> list[DateMention]:
    """Return the mentions relative to the day named in the question: "last week, as mentioned on 6 November"."""
    day = said.date()
    again = find_dates(question, said)
    return [one for one in again if not (one.relative and one.span.start.date() == day)] or list(mentions)


def _is_frame(question: str, mention: DateMention, people: Collection[str]) -> bool:
    if mention.kind in ("recurring", "vague") or mention.granularity in _OF_THE_DAY:
        return False
    if mention.kind == "duration" and (
        _LENGTH.match(mention.text) or question[: mention.start].lower().endswith(" for ")
    ):
        return False
    if (
        mention.relative
        and not _DEICTIC.search(mention.text)
        and (_asks_for_habit(question) or _describes(question, mention))
    ):
        return False
    if any(mention.text.lower() == name.lower() for person in people for name in person.split()):
        return _BARE_NAME.search(question[: mention.start]) is not None
    return True


def _asks_for_habit(question: str) -> bool:
    """Tell if a question is about every year: "Where do they go in summer?"."""
    return _PRESENT.search(question) is not None and _PAST.search(question) is None


def _describes(question: str, mention: DateMention) -> bool:
    """Tell if a day only says which thing is meant: "the Sunday market"."""
    owned = mention.text[:4].lower() == "the " or _POSSESSED.search(question[: mention.start]) is not None
    return owned and mention.granularity == "day" and _THING.match(question, mention.end) is not None


def _part(question: str, mention: DateMention, said: datetime) -> _Part | None:
    """Return a date mention with the words that modify it, and its span; None if it limits nothing."""
    span = mention.span
    if mention.kind == "until" and span.start < said < span.end:
        return None  # "before June" of a June to come: what is asked about lies before it anyhow
    if mention.relative and span.start > said:
        earlier = _latest_past(question, mention, said)
        if earlier is None:
            return None
        span = earlier
    before = question[: mention.start]
    if half := _PART_OF.search(before):
        middle = span.start + timedelta(days=(span.length.days + 1) // 2)
        halved = Span(span.start, middle) if half[1].lower() == "first" else Span(middle, span.end)
        return _Part(half.start(), mention.end, halved)
    if beside := _beside(before, mention):
        return beside
    if mention.kind == "until":
        return _Part(mention.start, mention.end, _up_to(mention))
    return _Part(mention.start, mention.end, span)


def _beside(before: str, mention: DateMention) -> _Part | None:
    """Return the period beside a date, such as the week before it; "before" or "after" may be in the mention."""
    inside = _BESIDE_INSIDE.match(mention.text)
    found = _UNIT_BEFORE.search(before) if inside else _BESIDE.search(before)
    if found is None:
        return None
    side = inside[1].lower() if inside else found[2].lower()
    length = timedelta(days=_DAYS[found[1].lower()])
    span = mention.span
    if side == "before":
        span = Span(span.start - length, span.start)
    elif side == "after":
        start = span.start if inside else span.end
        span = Span(start, start + length)
    elif length.days > span.length.days:
        start = span.start - timedelta(days=span.start.weekday()) if length.days == _DAYS["week"] else span.start
        span = Span(start, start + length)
    return _Part(found.start(), mention.end, span)


def _up_to(mention: DateMention) -> Span:
    """Return the span before a date: "by 10 July" includes the day, "before 10 July" does not."""
    end = mention.span.start if mention.text.lower().startswith("before") else mention.span.end
    earliest = datetime(1, 1, 2, tzinfo=end.tzinfo)
    return Span(end - REACH if end - earliest > REACH else earliest, end)


def _latest_past(question: str, mention: DateMention, said: datetime) -> Span | None:
    """Return the last past span of a name such as "July"; None if a past question cannot mean the future."""
    if _TO_COME.search(mention.text):
        return mention.span if _ASKS_OF_THE_FUTURE.search(question) else None
    if mention.kind != "point" or _WILL.search(question):
        return mention.span
    for back in _STEPS_BACK:
        for earlier in find_dates(question, said - back):
            if earlier.start == mention.start and earlier.span.start <= said:
                return earlier.span
    return None


_WILL: Final = regex(r"\b(?:will|going to)\b", re.IGNORECASE)
_STEPS_BACK: Final = (timedelta(days=7), timedelta(days=183), timedelta(days=365))


def _without(question: str, parts: Sequence[_Part]) -> str:
    """Return the question without its times and the words that attach them."""
    text = question
    for part in sorted(parts, key=lambda part: part.start, reverse=True):
        tied = _TIED.search(text[max(0, part.start - _LONGEST_TIE) : part.start])
        length = len(tied[0]) if tied else 0
        text = f"{text[: part.start - length]} {text[part.end :]}"
    text = _BEFORE_MARK.sub(r"\1", _BLANKS.sub(" ", text)).strip(" ,")
    return text if text.strip(" ?!.,") else question


_LONGEST_TIE: Final = 40


_KIN: Final = words(
    """
    mother mom mum mommy sister wife girlfriend daughter aunt grandmother grandma granny niece fiancée father dad daddy
    brother husband boyfriend son uncle grandfather grandpa nephew fiancé friend buddy colleague coworker co-worker boss
    neighbour neighbor roommate flatmate partner teacher coach mentor therapist doctor cousin landlady landlord teammate
    """
)
_ANIMALS: Final = words("puppy pup dog cat kitten pet")
_PERSON: Final = _KIN | words(
    """
    person people individual author writer novelist poet composer artist painter musician singer songwriter rapper actor
    actress director character friend colleague coworker relative player athlete politician celebrity superhero
    supervillain villain hero band-mate teammate coach teacher mentor student scientist philosopher comedian youtuber
    streamer designer chef doctor therapist child kid guest member man woman boy girl guy nickname host hostess
    professor leader president
    """
)
_NOUNS: Final[dict[AnswerType, frozenset[str]]] = {
    "person": _PERSON,
    "place": words(
        """
        city country state town place location area region continent village street island venue hotel guesthouse café
        cafe restaurant museum destination neighbourhood neighborhood airport bar beach mountain park county province
        district address spot site room building resort lake river nationality hometown
        """
    ),
    "organization": words(
        """
        company school university college organization organisation team club band charity agency brand employer firm
        institution nonprofit startup airline bank store shop group label publisher archive
        """
    ),
    "time": words("date day month year week time weekday season century decade birthday anniversary deadline moment"),
    "activity": words("activity hobby sport exercise chore pastime workout routine"),
    "duration": words("duration length"),
    "frequency": words("frequency"),
    "count": words("number amount price cost fee salary age percentage score sum total count budget rent wage"),
    "reason": words("reason motivation purpose intention motive cause-of why"),
    "manner": words("way ways method manner means"),
}
_TYPE_OF: Final[Mapping[str, AnswerType]] = {noun: kind for kind, nouns in _NOUNS.items() for noun in sorted(nouns)}
_MEASURED: Final = words("finishing running race screen cooking recovery travel travelling finish record commute")
_DOING: Final = regex(
    r"(?<!\w)(?:do|doing|done|up to)(?= (?!(?:the|a|an|his|her|their|my|it|this|that)\b)|[?.,]|$)", re.IGNORECASE
)
_HAPPENED: Final = regex(r"(?:\w+ly )?happen(?:ed|ing)?\b", re.IGNORECASE)
_PER: Final = regex(r"\b(?:a|per|each|every) (?:day|week|month|year)\b", re.IGNORECASE)
# "Which came first, A or B?": the text behind the last comma, or an alternative in a yes-or-no question.
_ALTERNATIVE: Final = regex(
    r"(?:,|\bfirst|\bmore|\bbetter)[,:]? [^,?]+,? or [^,?]+\?*$|\bof the (?:two|three)\b", re.IGNORECASE
)
_OR: Final = regex(r"(?<!yes) or (?!not\b|no\b|so\b|any|something|more\b|less\b)", re.IGNORECASE)
_OWN_NAME: Final = words("name names")


def answer_type(asked: ParsedQuestion) -> AnswerType:
    """Return the type of answer that a question asks for; ``any`` if unknown."""
    if asked.polar:
        return "choice" if _OR.search(asked.rest) and "and/or" not in asked.rest else "yes_no"
    if asked.lead in ("what", "which", "who") and _ALTERNATIVE.search(asked.text):
        return "choice"
    if asked.lead.startswith("how"):
        return _how(asked)
    if asked.lead in _BY_LEAD:
        return _BY_LEAD[asked.lead]
    return _what(asked) if asked.lead else "any"


_BY_LEAD: Final[dict[str, AnswerType]] = {
    "who": "person", "whom": "person", "whose": "person", "when": "time", "where": "place", "why": "reason",
}  # fmt: skip
_BY_HOW: Final[dict[str, AnswerType]] = {
    "how often": "frequency", "how frequently": "frequency", "how come": "reason", "how": "manner",
    "how late": "time", "how early": "time",
}  # fmt: skip


def _how(asked: ParsedQuestion) -> AnswerType:
    if asked.lead == "how long":
        return "time" if asked.phrase[:1] == ("ago",) else "duration"
    if asked.lead in ("how many", "how much"):
        if asked.phrase[:1] == ("times",) and _PER.search(asked.text):
            return "frequency"
        if asked.phrase and asked.phrase[0] in UNITS:
            return "time" if "ago" in asked.phrase else "duration"
        return "duration" if "time" in asked.phrase else "count"
    return _BY_HOW.get(asked.lead, "count")


def _what(asked: ParsedQuestion) -> AnswerType:
    if asked.phrase and (asked.verb or asked.phrase[0] not in _VERBS_FIRST):
        return _named(asked.phrase, asked.text, whole=bool(asked.verb))
    if asked.phrase:
        return _VERBS_FIRST[asked.phrase[0]]
    if _HAPPENED.match(asked.rest):
        return "activity"
    if asked.verb not in ("is", "are", "was", "were") or _DOING.search(asked.rest):
        return "activity" if _DOING.search(asked.rest) else "thing"
    return _named(tuple(_predicate(asked.rest)), asked.text, whole=True)


_VERBS_FIRST: Final[dict[str, AnswerType]] = {
    "happened": "activity", "happens": "activity", "made": "reason", "motivated": "reason", "caused": "reason",
    "prompted": "reason", "led": "reason", "makes": "thing", "helps": "thing", "inspires": "thing",
    "inspired": "thing", "motivates": "thing", "came": "thing",
}  # fmt: skip


def _named(phrase: tuple[str, ...], text: str, *, whole: bool) -> AnswerType:
    """Return the type asked for by a noun phrase: by its possessor, its last noun, or any noun in it."""
    if not phrase:
        return "thing"
    for word in phrase[:-1]:
        if (
            word.endswith(("'s", "s'"))
            and (kind := _TYPE_OF.get(singular(word))) in ("person", "time")
            and not _kin(word)
        ):
            return kind
    if phrase[-1] in _OWN_NAME:
        return "person" if any(singular(word) in _PERSON for word in tokens(text)) else "thing"
    if whole:
        *before, head = phrase
        measured = head == "time" and not _MEASURED.isdisjoint(before[-1:])
        return "duration" if measured else _type_of(head)
    return _type_of(next((word for word in phrase if singular(word) in _TYPE_OF), ""))


def _type_of(word: str) -> AnswerType:
    return _TYPE_OF.get(singular(word)) or "thing"


def _kin(word: str) -> bool:
    return singular(word) in _KIN | _ANIMALS


def _predicate(rest: str) -> Iterator[str]:
    """Yield the words of the noun phrase behind "what is", up to its modifiers."""
    for place, word in enumerate(tokens(rest)):
        if word in AUXILIARIES or (place and word in PREPOSITIONS):
            return
        yield word


class Cut(NamedTuple):
    """Text of a part, and the positions of the parts to be answered before it."""

    text: str
    needs: tuple[int, ...] = ()


_MOST_SPLIT: Final = 600
_NAME: Final = r"(?:I|[A-ZÀ-Þ][\w'’.-]*(?: [A-ZÀ-Þ][\w'’.-]*){0,2})"
_SEVERAL_NAMES: Final = rf"{_NAME}(?:, {_NAME}){{0,3}},? and {_NAME}"
_BOTH_BEFORE: Final = regex(rf"\bboth (?P<names>{_SEVERAL_NAMES})(?!['’])")
_BOTH_AFTER: Final = regex(
    rf"\b(?P<names>{_SEVERAL_NAMES}) (?:have |has |had |are |were |do |did )?(?:both|each|all)\b ?"
)
_AND: Final = regex(r",? and |, ")
_TOGETHER: Final = regex(
    r"\b(?:in common|together|each other|similar\w*|same|share|shared|between|differ\w*)\b", re.IGNORECASE
)
_AGREES: Final = {"have": "has", "do": "does", "are": "is", "were": "was", "haven't": "hasn't", "don't": "doesn't"}
_AUXILIARY_BEFORE: Final = regex(r"\b(have|do|are|were|haven't|don't) $", re.IGNORECASE)


def cuts(question: str, people: Sequence[str]) -> list[Cut]:
    """Return the parts of a question in the order of answering; the question alone if it stays whole."""
    if len(question) <= _MOST_SPLIT and " " in question:
        asked = asking(question)
        for cut in (_of_each, _compared, _two_questions):
            if (found := cut(question, asked, people)) is not None:
                return found
        if (found := _anchored(question, asked, people)) is not None:
            return found
    return [Cut(question)]


# Each of several people.


def _of_each(question: str, asked: ParsedQuestion, people: Sequence[str]) -> list[Cut] | None:  # noqa: ARG001
    if " and " not in question or _TOGETHER.search(question):
        return None
    found = _BOTH_BEFORE.search(question) or _BOTH_AFTER.search(question)
    if found is None:
        return None
    before, names = question[: found.start()], found["names"]
    first, _, others = names.partition(" ")
    if first.lower() in AUXILIARIES:  # "Did Jon and Gina both": the verb has a capital too.
        before, names = f"{before}{first} ", others
    if not names:
        return None
    after = question[found.end() :].lstrip()
    return [Cut(_for_one(before, name, after)) for name in _AND.split(names) if name]


def _for_one(before: str, name: str, after: str) -> str:
    def agreeing(match: re.Match[str]) -> str:
        word = _AGREES[match[1].lower()]
        return f"{word.capitalize() if match[1][0].isupper() else word} "

    opening = before if name == "I" else _AUXILIARY_BEFORE.sub(agreeing, before)
    return f"{opening}{name} {after}" if after[:1].isalnum() else f"{opening}{name}{after}"


# Two events compared in time.

_BETWEEN: Final = regex(
    r"^how (?:many|much|long) .{0,60}?\bbetween (?P<first>.{2,160}?),? and "
    r"(?P<second>(?:the|my|when|his|her|their|our|[A-ZÀ-Þ]).+?)\?*$",
    re.IGNORECASE,
)
_BEFORE: Final = regex(
    r"^how (?:many|long) .{0,20}?\b(?:before|after) (?P<first>.{2,160}?) (?P<second>(?:did|had|was|were) .+?)\?*$",
    re.IGNORECASE,
)
_FIRST: Final = regex(
    r"^(?:which|what|who) (?P<asked>.{2,80}?) first\b[^,:?]{0,30}[,:] ?(?P<first>[^,]+?),? or (?P<second>[^,]+?)\?*$",
    re.IGNORECASE,
)
_ASKED_OF: Final = regex(r"\b(?P<verb>did|does|do|has|have|had) (?P<rest>.+)$", re.IGNORECASE)
_OCCURRED: Final = regex(r"(?:\w+ )?(?:came|comes|happened|happens|occurred|took place|was|were|is)$", re.IGNORECASE)
_THE_DAY: Final = regex(
    r"^(?:the )?(?:day|time|date|moment|week)s? (?:that |when |on which )?(?=\S+ \S)", re.IGNORECASE
)
_DIGIT: Final = regex(r"\d")
_CLAUSE: Final = regex(r"^(?:when )?(?:I|we|he|she|they) [\w'’]+")


def _compared(question: str, asked: ParsedQuestion, people: Sequence[str]) -> list[Cut] | None:  # noqa: ARG001
    """Return the question for the time of each of two events, and the comparison after both."""
    if found := _BETWEEN.match(asked.text):
        events = [found["first"], found["second"]]
        if any(len(event.split()) == 1 or _DIGIT.match(event) for event in events):
            return None
        asks = [_when(event) for event in events]
    elif found := _BEFORE.match(asked.text):
        asks = [_when(found["first"]), f"When {found['second']}?"]
    elif found := _FIRST.match(asked.text):
        asks = [_when_of(found["asked"].strip(), event.strip(" '\"")) for event in (found["first"], found["second"])]
    else:
        return None
    return [*(Cut(text) for text in asks), Cut(question, (0, 1))]


def _when(event: str) -> str:
    """Return a question for the time of an event given as a clause or a noun."""
    told = _THE_DAY.sub("", event.strip(" ?'\""))
    return f"When was it that {told.removeprefix('when ')}?" if _CLAUSE.match(told) else f"When was {told}?"


def _when_of(asked: str, event: str) -> str:
    """Return such a question for an alternative: "who became a parent first, Tom or Ana?" asks when Tom did."""
    if _OCCURRED.match(asked):
        return f"When was {event}?"
    if verb := _ASKED_OF.search(asked):
        return f"When {verb['verb']} {verb['rest']} {event}?"
    return f"When was it that {event} {asked}?"


# Two questions in one.

_SECOND: Final = regex(
    r",? and (?=(?:(?:in|on|at|for|from|to|with) )?(?:who|what|which|when|where|how (?:many|long|much|often|old))\b)",
    re.IGNORECASE,
)
_SENTENCES: Final = regex(r"(?<=\?)\s+")
_WHO_ACTS: Final = regex(r"^who(?:m)? \w+ \w+", re.IGNORECASE)
_SUBJECT: Final = regex(r"\b(?:he|she)\b")
_OBJECT: Final = regex(r"\b(?:him|it|them)\b")
_LEAST_WORDS: Final = 4


def _two_questions(question: str, asked: ParsedQuestion, people: Sequence[str]) -> list[Cut] | None:  # noqa: ARG001
    halves = [half for half in _SENTENCES.split(question.strip()) if half]
    if len(halves) != 2:
        found = _SECOND.search(question)
        if found is None:
            return None
        halves = [question[: found.start()] + "?", question[found.end() :]]
    if not all(_stands(half) for half in halves):
        return None
    return [Cut(halves[0]), Cut(_resolved(halves[1], halves[0], people))]


def _stands(half: str) -> bool:
    """Tell if half of a question is a question alone."""
    parts = asking(half)
    if len(half.split()) < _LEAST_WORDS or not (parts.polar or parts.lead):
        return False
    if not re.match(r"(?:\w+ )?(?:who|what|which|when|where|how|why|whose)|\w", half, re.IGNORECASE):
        return False
    return bool(parts.verb) or _WHO_ACTS.match(half) is not None


def _resolved(second: str, first: str, people: Sequence[str]) -> str:
    """Return the second question with its pronouns replaced, if exactly one name of the first fits."""
    named: list[str] = list(dict.fromkeys(re.findall(_NAME, first[1:])))
    persons = [name for name in named if name in people]
    others = [name for name in named if name not in people]
    if len(persons) == 1:
        second = _SUBJECT.sub(persons[0], second, count=1)
    objects = others or persons
    if len(objects) == 1:
        second = _OBJECT.sub(objects[0], second, count=1)
    return second[:1].upper() + second[1:]


# An event that the question depends on.

_HANGS: Final = regex(r" (?:right |just |soon |shortly )?(?:before|after) (?P<event>[^,?]+)\?*$", re.IGNORECASE)
_SUBJECT_AND_VERB: Final = regex(
    r"^(?P<who>he|she|they|I|we|[A-ZÀ-Þ][\w-]+(?:'s \w+)?) (?P<verb>[a-z]+\b.*)$", re.ASCII
)
_INVERTED: Final = regex(r"\b(?:did|does|do)\b")
_GERUND: Final = regex(r"^(?:\w+ly )?[a-z]{2,}ing\b")
_MOVES: Final = ("where", "which", "what")


def _anchored(question: str, asked: ParsedQuestion, people: Sequence[str]) -> list[Cut] | None:
    """Return the question for the event before or after, then the question, which keeps its words."""
    if asked.polar or asked.lead in ("", "how", "why") or asked.text != question.strip():
        return None
    found = _HANGS.search(question)
    if found is None:
        return None
    event = found["event"].strip()
    if _INVERTED.search(event):
        return None
    who = _acting(question[: found.start()], people)
    clause = _SUBJECT_AND_VERB.match(event)
    if clause is not None and (clause["who"] not in ("he", "she", "they") or who):
        told = clause["who"] if clause["who"] not in ("he", "she", "they") or not who else who
        return [Cut(f"When was it that {told} {clause['verb']}?"), Cut(question, (0,))]
    if who and _GERUND.match(event) and _asks_where(asked):
        return [Cut(f"When was {who} {event}?"), Cut(question, (0,))]
    return None


def _acting(before: str, people: Sequence[str]) -> str | None:
    """Return the one person named in the text, or "I" if only that; None if unclear."""
    named = [person for person in people if re.search(rf"\b{re.escape(person)}\b(?!['’]s)", before)]
    if len(named) == 1:
        return named[0]
    return None if named or not re.search(r"\bI\b", before) else "I"


_PLACES: Final = frozenset({"city", "country", "state", "place", "town", "location"})


def _asks_where(asked: ParsedQuestion) -> bool:
    return asked.lead == "where" or (asked.lead in _MOVES and asked.head in _PLACES)


# Number of characters read, from the end of a longer question.
_MOST_PLANNED: Final = 2_000
_WHOLE: Final = regex(r"\b(?:both|each)\b", re.IGNORECASE)


def plan(question: str, asked: datetime, people: Sequence[str]) -> Plan:
    """Return the plan of a question asked at ``asked``; ``people`` are the speakers of the memory."""
    parts = cuts(question, people)
    planned = [_sub_question(cut, asked, people) for cut in parts]
    if len(parts) > 1 and not any(cut.needs for cut in parts) and _WHOLE.search(question):
        planned = [_gathered(part, question) for part in planned]
    return Plan(question, tuple(planned))


def _sub_question(cut: Cut, asked: datetime, people: Sequence[str]) -> SubQuestion:
    read = cut.text[-_MOST_PLANNED:]
    parts = asking(read)
    frame = frame_of(read, asked, people)
    scope, coverage = scope_of(parts, framed=bool(frame.spans))
    return SubQuestion(
        text=cut.text,
        scope=scope,
        coverage=coverage,
        mode="intersective" if frame.spans else "sequential",
        spans=frame.spans,
        topic=frame.topic if frame.spans else cut.text,
        entities=named_in(read, people),
        answer_type=answer_type(parts),
        needs=cut.needs,
    )


def _gathered(part: SubQuestion, question: str) -> SubQuestion:
    """Return a part of a question about several people with full coverage: all occurrences for each count."""
    scope, coverage = scope_of(asking(question))
    return replace(part, scope="long" if part.scope == "long" and scope == "long" else "mixed", coverage=coverage)
