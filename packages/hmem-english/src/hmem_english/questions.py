"""Question analysis: what kind of answer is asked for, over what time, about whom.

- A question begins with its lead ("which") and the noun asked for ("schemes"), or with its verb ("Did Jon sell it?").
- Scope, the levels of memory that help (H-Mem, tree and graph: scope): short is one event or fact; long is lasting:
  habits, character, likelihood; mixed is gathered from several places: lists, counts, comparisons.

A question stays whole; only a language model cuts one into parts. Of a question in another language than English only
names, quotations and the dates that are written in digits are known.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Final, NamedTuple

from hmem.language.regex import regex
from hmem.language.stemming import language_of, reads_as_english
from hmem.model.plan import AnswerType, Coverage, Plan, Scope, SubQuestion
from hmem_english.question_times import frame_of
from hmem_english.words import FIRST_PERSON, STOP_WORDS

# Number of characters read, from the end of a longer question.
_MOST_READ: Final = 2_000
# Maximum number of names: a question with a pasted page is about none of them.
_MAX_NAMES: Final = 12

_WORD: Final = regex(r"[^\W_]+(?:[-.&'’][^\W_]+)*")
_SENTENCE_END: Final = regex(r"(?<=\?)\s+|(?<=[^\W_]{2}[.!])\s+(?=[A-ZÀ-Þ])")
_AUXILIARY: Final = (
    r"(?:(?:did|do|does|is|are|was|were|am|has|have|had|can|could|will|would|shall|should|may|might|must)(?:n['’]t)?"
    r"|can['’]t|won['’]t)(?![\w'’-])"
)
_LEAD: Final = regex(
    r"(?:^|[,;:\u2013\u2014]\s*|\b(?:remind me|tell me|show me|wondering|know|ask|remember|recall|confirm|find out)"
    r"(?: about| of| again)?,?\s+)"
    r"(?:(?:and|so|but|also|ok|okay|hey|hi)\s+)?"
    r"(?:(?:in|on|at|for|from|to|by|with|after|around|since|of|until|about|during|under)\s+)?"
    r"(how (?:many|much|long|often|frequently|old|far|tall|big|late|early|come)"
    r"|how|what|which|whose|whom|who|when|where|why)(?![\w-])",
    re.IGNORECASE,
)
_POLAR: Final = regex(rf"(?:(?:and|so|but|also|ok|okay|then|hey|hi),?\s+)?({_AUXILIARY})\s", re.IGNORECASE)
_POLITE: Final = regex(
    r"\b(?:can|could|would|will|do) you (?:please |still |also |happen to )*(?:remind|tell|know|remember|recall|list"
    r"|recommend|suggest|give|show|share|provide|help|have any)\b|^(?:do|can|could|may) i (?:know|ask|remember)",
    re.IGNORECASE,
)
_VERB: Final = regex(rf"^(?:s|re|d|ve|ll)\b|\b{_AUXILIARY}", re.IGNORECASE)
_BROKEN: Final = "of in on for to at with from by during about that who when where while after before between"
_BREAKS: Final = frozenset(_BROKEN.split())


class QuestionParts(NamedTuple):
    """Parts of a question: ``lead`` and the nouns behind it lower-cased, ``predicate`` as written behind the verb.

    ``text`` is the sentence that asks. ``verb`` is empty without an auxiliary in its place ("Who gave it?").
    """

    text: str
    lead: str = ""
    nouns: tuple[str, ...] = ()
    verb: str = ""
    predicate: str = ""
    polar: bool = False


def words_of(text: str) -> list[str]:
    """Return the lower-cased words of a text, with their apostrophes."""
    return [word.replace("’", "'") for word in _WORD.findall(text.lower())]


def parse_question(question: str) -> QuestionParts:
    """Return the parts of the sentence that asks: the last one with a question mark."""
    text = _sentence(question)
    if (polar := _POLAR.match(text)) is not None and _POLITE.search(text) is None:
        return QuestionParts(text, verb=polar[1].lower(), predicate=text[polar.end() :], polar=True)
    lead = _LEAD.search(text)
    if lead is None:
        return QuestionParts(text, predicate=text)
    remainder = text[lead.end() :].replace("’", "'").lstrip("'")
    verb = _VERB.search(remainder) if lead.end() < len(text) else None
    nouns = words_of(remainder[: verb.start()] if verb else remainder)
    if verb is not None and len(nouns) > _LONGEST_PHRASE:
        verb = None
    return QuestionParts(
        text,
        " ".join(lead[1].lower().split()),
        tuple(_phrase(nouns)),
        _FULL.get(verb[0].lower(), verb[0].lower()) if verb else "",
        (remainder[verb.end() :] if verb else remainder).strip(),
    )


_FULL: Final = {"s": "is", "re": "are", "d": "did", "ve": "have", "ll": "will"}
# Maximum length of a noun phrase in words; a longer one is read as a clause.
_LONGEST_PHRASE: Final = 9
_SORT: Final = regex(r"(?:kind|type|sort|form|style|one|some)s?$")


def _phrase(words: Sequence[str]) -> Iterator[str]:
    """Yield the words of a noun phrase up to what modifies it: "kinds of books", but "plans" of "plans for May"."""
    last = ""
    for word in islice(words, 4):
        if word in _BREAKS and not (word == "of" and (not last or _SORT.match(last))):
            return
        if word not in _BREAKS:
            yield word
        last = word


def _sentence(question: str) -> str:
    sentences = _SENTENCE_END.split(question.strip())
    question_sentences = [sentence for sentence in sentences if sentence.endswith("?")]
    return question_sentences[-1] if question_sentences else question.strip()


# Type of the answer.

_BY_LEAD: Final[dict[str, AnswerType]] = {
    "who": "person", "whom": "person", "whose": "person", "when": "time", "where": "place", "why": "reason",
    "how": "manner", "how often": "frequency", "how frequently": "frequency", "how come": "reason",
    "how late": "time", "how early": "time",
}  # fmt: skip
_NOUNS: Final[dict[AnswerType, str]] = {
    "person": """person people mother mom mum sister wife girlfriend daughter aunt grandmother grandma niece father dad
        brother husband boyfriend son uncle grandfather grandpa nephew friend colleague coworker boss neighbour neighbor
        roommate partner teacher coach doctor cousin author writer artist singer musician actor composer director""",
    "place": "place city country state town village region street address spot location hometown venue",
    "organization": "company school university college organization organisation firm employer agency club team band",
    "time": "date day month year week time weekday season birthday anniversary deadline",
    "duration": "duration length",
    "frequency": "frequency",
    "count": "number amount price cost fee salary age percentage score total budget rent wage",
    "reason": "reason motivation purpose motive",
    "manner": "way method manner",
    "activity": "activity hobby sport exercise pastime",
}
_TYPE_OF: Final[dict[str, AnswerType]] = {noun: kind for kind, nouns in _NOUNS.items() for noun in nouns.split()}
_UNIT: Final = regex(r"(?:second|minute|hour|day|week|month|year|night)s?$")
_PER: Final = regex(r"\b(?:a|per|each|every) (?:day|week|month|year)\b", re.IGNORECASE)
_OR: Final = regex(r" or (?!not\b|no\b|so\b|any|something|more\b|less\b)", re.IGNORECASE)
_ALTERNATIVE: Final = regex(r"(?:,|\bfirst)[,:]? [^,?]+,? or [^,?]+\?*$|\bof the two\b", re.IGNORECASE)
_DOES: Final = regex(r"(?:\w+ )*?(?:do|doing|done|up to)(?= (?:in|on|at|for|with|last|this)\b|[?.,]|$)", re.IGNORECASE)
_HAPPENS: Final = regex(r"(?:\w+ly )?happen(?:s|ed|ing)?\b", re.IGNORECASE)
_CAUSE: Final = regex(r"(?:made|caused|prompted|motivated|led)\b", re.IGNORECASE)


def answer_type(question: QuestionParts) -> AnswerType:
    """Return the type of answer that a question asks for; ``any`` if unknown."""
    if question.polar:
        return "choice" if _OR.search(question.predicate) else "yes_no"
    if not question.lead:
        return "any"
    if question.lead in ("what", "which", "who") and _ALTERNATIVE.search(question.text):
        return "choice"
    if question.lead in _BY_LEAD:
        return _BY_LEAD[question.lead]
    return _amount(question) if question.lead.startswith("how") else _type_of_what(question)


def _amount(question: QuestionParts) -> AnswerType:
    if "ago" in question.nouns:
        return "time"
    if question.lead == "how long":
        return "duration"
    if question.lead in ("how many", "how much") and question.nouns:
        if question.nouns[0] == "times" and _PER.search(question.text):
            return "frequency"
        if _UNIT.match(question.nouns[0]) or "time" in question.nouns:
            return "duration"
    return "count"


def _type_of_what(question: QuestionParts) -> AnswerType:
    if question.nouns and question.verb:
        # "Which author's book": it is the author whose name is asked for.
        owners = [_TYPE_OF.get(noun[:-2], "thing") for noun in question.nouns[:-1] if noun.endswith("'s")]
        return owners[0] if owners and owners[0] in ("person", "time") else _type_of_nouns(question.nouns)
    if not question.verb:
        first = question.predicate.lstrip()
        if _HAPPENS.match(first):
            return "activity"
        return "reason" if _CAUSE.match(first) else _type_of_nouns(question.nouns[:1])
    if _HAPPENS.match(question.predicate) or _DOES.match(question.predicate):
        return "activity"
    return (
        _type_of_nouns(tuple(_phrase(words_of(question.predicate))))
        if question.verb in ("is", "are", "was", "were")
        else "thing"
    )


def _type_of_nouns(nouns: Sequence[str]) -> AnswerType:
    """Return the type asked for by a noun phrase: by its last noun."""
    return _TYPE_OF.get(_singular(nouns[-1]), "thing") if nouns else "thing"


def _singular(noun: str) -> str:
    noun = noun.removesuffix("'s")
    if noun.endswith("ies"):
        return noun[:-3] + "y"
    return noun[:-1] if noun.endswith("s") and not noun.endswith(("ss", "us", "is")) else noun


# Scope.

_SUPPOSED: Final = regex(r"\b(?:would|might|likely|probably|presumably)\b", re.IGNORECASE)
_LASTING: Final = regex(
    r"\b(?:personality|kind of person|traits?|character|attitudes?|beliefs?|lifestyle|usually|generally|typically"
    r"|tends? to|used to|routines?|habits?|over time|over the (?:years|months)|values|interests|identity)\b"
    r"|\bhow (?:has|have|did) .*\b(?:chang|evolv|develop|progress|improv|grow|gr[eo]wn?)",
    re.IGNORECASE,
)
_EXHAUSTIVE: Final = regex(
    r"\b(?:how many times|both|all (?:the|of|that|his|her|my|their)\b|every|altogether|in total|total|so far|overall"
    r"|in order|most (?:often|frequently)|in common|^list)\b",
    re.IGNORECASE,
)
_COMPARED: Final = regex(r"\b(?:than|compared? (?:to|with)|differ\w*|first, |which came|more often)\b", re.IGNORECASE)
_SINGLE_OCCASION: Final = regex(
    r"\b(?:recently|latest|currently|current|just|first time|last time|now)\b", re.IGNORECASE
)
_PRESENT_HABIT: Final = frozenset(("do", "does"))
_PLURAL_AUXILIARIES: Final = frozenset(("has", "have", "do", "does", "did", "are", "were"))


def scope_of(question: QuestionParts) -> tuple[Scope, Coverage]:
    """Return the scope and the coverage of a question: global if every occurrence counts."""
    is_exhaustive = _is_aggregate(question) or (not question.polar and _EXHAUSTIVE.search(question.text) is not None)
    coverage: Coverage = "global" if is_exhaustive else "local"
    if question.lead not in ("when", "where") and (_SUPPOSED.search(question.text) or _LASTING.search(question.text)):
        return "long", coverage
    if is_exhaustive or _COMPARED.search(question.text):
        return "mixed", coverage
    if question.lead == "how often" or (question.verb in _PRESENT_HABIT and question.lead in ("what", "how", "which")):
        return "long", "local"
    return ("short" if question.lead or question.polar else "mixed"), coverage


def _is_aggregate(question: QuestionParts) -> bool:
    """Tell if the answer is a list or a sum over several occurrences."""
    if _SINGLE_OCCASION.search(question.predicate):
        return False
    if question.lead == "how many":
        counts_things = not (question.nouns and _UNIT.match(question.nouns[0]))
        return counts_things and (question.verb in ("has", "have", "do", "does") or question.nouns[:1] == ("times",))
    if not question.nouns:
        return question.verb in ("has", "have") and question.lead in ("what", "where", "who", "whom")
    if _SORT.match(question.nouns[0]) and question.verb not in ("has", "have"):
        return False
    return (
        question.lead in ("what", "which")
        and question.verb in _PLURAL_AUXILIARIES
        and _singular(question.nouns[-1]) != question.nouns[-1]
    )


# Names.

_NAME: Final = regex(r"[A-ZÀ-ÖØ-Þ][\w.&-]*\w(?:['’][A-Z]\w+)?(?: (?:(?:of|de|the|and the) )?[A-ZÀ-ÖØ-Þ][\w.&-]*\w)*")
_QUOTATION: Final = regex(r"[\"“]([^\"“”\n]{2,80})[\"”]|(?<!\w)['‘](?=[A-ZÀ-Þ])([^'’‘\n]{2,80})['’](?!\w)")
_FIRST: Final = regex(rf"\b(?:{'|'.join(sorted(FIRST_PERSON - {'us'}))})\b(?![.])", re.IGNORECASE)
_SECOND: Final = regex(r"\b(?:you|yours?|yourself)\b", re.IGNORECASE)
_ASSISTANTS: Final = frozenset({"assistant", "ai", "bot", "chatbot", "model", "agent"})
# In German every noun has a capital.
_CAPITAL_NOUNS: Final = "german"


def find_names(question: str, people: Sequence[str], times: Sequence[tuple[int, int]] = ()) -> tuple[str, ...]:
    """Return the names in a question as written, without possessives, in order, each once.

    "I" and "we" stand for the first of ``people``, "you" for the assistant among them. ``times`` are spans of the
    text that are dates, no names.
    """
    names = [
        (match.start() + 1, (match[1] or match[2]).strip(" ,.?!"))
        for match in islice(_QUOTATION.finditer(question), _MAX_NAMES)
    ]
    speakers = [person for person in people if person]
    names += [
        (position, question[position : position + len(person)])
        for person in speakers
        if (position := _word_at(question, person)) >= 0
    ]
    if language_of(words_of(question)) != _CAPITAL_NOUNS:
        occupied = [(position, position + len(name)) for position, name in names] + list(times)
        names += islice(_capitalised(question, occupied), _MAX_NAMES)
    if people and people[0].lower() not in _ASSISTANTS and (first := _FIRST.search(question)):
        names.append((first.start(), people[0]))
    assistant = next((person for person in people if person.lower() in _ASSISTANTS), None)
    if assistant and (second := _SECOND.search(question)):
        names.append((second.start(), assistant))
    return tuple(dict.fromkeys(name for _, name in sorted(names)))[:_MAX_NAMES]


def _capitalised(question: str, occupied: Sequence[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """Yield runs of words with capitals; a first word of a sentence only with a second one."""
    for match in _NAME.finditer(question):
        start, name = match.span()[0], match[0]
        first, _, following = name.partition(" ")
        if _begins(question, start) and (first.lower() in STOP_WORDS or first.lower().endswith(("n't", "n’t"))):
            start, name = match.end() - len(following), following
        elif not following and (_begins(question, start) or first.lower() in STOP_WORDS) and not first.isupper():
            continue
        if name and not any(begin < match.end() and start < end for begin, end in occupied):
            yield start, name


def _begins(question: str, start: int) -> bool:
    before = question[:start].rstrip(" \"'“‘(")
    return not before or before[-1] in ".!?:\n"


def _word_at(text: str, word: str) -> int:
    match = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE)
    return match.start() if match else -1


def plan(question: str, question_time: datetime, people: Sequence[str]) -> Plan:
    """Return the plan of a question asked at ``question_time``; ``people`` are the speakers of the memory."""
    read = question[-_MOST_READ:]
    frame = frame_of(read, question_time, people)
    parsed = parse_question(read) if reads_as_english(read) else QuestionParts(read)
    scope, coverage = scope_of(parsed)
    return Plan(
        question,
        (
            SubQuestion(
                text=question,
                scope=scope,
                coverage=coverage,
                mode="intersective" if frame.spans else "sequential",
                spans=frame.spans,
                topic=frame.topic if frame.spans else question,
                entities=find_names(read, people, frame.date_spans),
                answer_type=answer_type(parsed),
            ),
        ),
    )
