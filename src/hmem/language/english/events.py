"""Events: atomic, self-contained statements of a turn (H-Mem, tree and graph: formation, step 1).

A sentence that states something becomes a statement: without interjections and names of address, with people by name.
Questions, encouragement, praise and formulas state nothing. A sentence that depends on the one before it ("It was his
first") stays with it. A picture is a statement, or part of the sentence that shows it.

- Subjects that conversation leaves out are put in: "Just got back from Rome" is "I just got back from Rome".
- Relative dates are completed: "yesterday" becomes "yesterday (7 May 2023)", so that both can be found. "just did"
  means the week up to the day of the message.
- Answers that mean nothing alone are joined to their question: "Do you have pets?" / "Yes, two cats" becomes "Maria
  has pets: two cats". A question that is not simple is quoted: 'Asked "What do you bake?", Maria said: sourdough'.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice
from typing import Final

from hmem.language.analyst.base import Passage, Statement
from hmem.language.dates import DateMention, describe, find_dates
from hmem.language.english.clauses import content, informativeness, told
from hmem.language.english.person import People, named, shown
from hmem.language.english.sentence_types import bare, is_question, is_response, straight
from hmem.language.english.sentences import TextPiece, pieces
from hmem.language.english.verb_forms import IRREGULAR_PAST, is_past
from hmem.language.english.vocabulary import with_person
from hmem.language.english.word_lists import words
from hmem.language.regex import regex
from hmem.model.span import Span
from hmem.model.turn import Turn

_START: Final = regex(
    r"(?:(?:just|also|finally|recently|already|still|even|actually|currently|lately|only|never|definitely|"
    r"probably|totally"
    r"|really|even|mostly|usually)\s+)*([a-z]+(?:'t)?)\s+([\w']+)",
    re.IGNORECASE,
)

# Past forms that open a sentence as something else: an imperative, an adjective, a noun.
_OTHERWISE: Final = words(
    """
    put set cut read let hit shut bet beat left lost given known born spread quit cost burst split lit led lay
    were been done gone seen hidden broken became fell run cast built
    """
)
_FEELING: Final = words(
    """
    excited inspired motivated tired exhausted thrilled determined scared worried interested relieved blessed
    stoked engaged retired disappointed frustrated overwhelmed nervous planning hoping thinking trying working
    getting heading feeling looking going taking starting doing writing reading learning studying living
    training saving
    """
)
# A gerund can be the subject: "Trying new things is fun".
_HAS_VERB: Final = regex(
    r"\b(?:is|are|was|were|has|have|had|makes?|made|can|will|helps?|helped|gives?|gave|brings?|brought|"
    r"keeps?|feels?|felt|takes?|took)\b"
    r"|'(?:s|ve|m|re) |, (?:we|i|you)\b",
    re.IGNORECASE,
)
_NOT_SAID: Final = words(
    """
    based located needed used called named supposed combined compared related indeed hundred red seed speed
    feed
    """
)
_PRESENT: Final = words(
    """
    am will love hate need want plan hope wish miss prefer gonna gotta can't cannot couldn't
    """
)
_NO_OBJECT: Final = words(
    """
    is was and or are of will has can makes
    """
)


def with_subject(sentence: str) -> str:
    """Return a sentence with "I" put in where its subject was left out."""
    if planned := _LETS.match(sentence):
        return f"We plan to {sentence[planned.end() :]}"
    opening = _START.match(sentence)
    if opening is None:
        return sentence
    verb, after = opening[1].lower(), opening[2].lower()
    if verb == "been":
        return "I've " + _small(sentence)
    if verb in _FEELING:
        if verb.endswith("ing") and _HAS_VERB.search(sentence, opening.end(1)):
            return sentence
        return "I'm " + _small(sentence) if after not in _NO_OBJECT else sentence
    if verb in _PRESENT:
        return "I " + _small(sentence) if after not in _NO_OBJECT else sentence
    if verb in _OTHERWISE or verb in _NOT_SAID or not (verb in IRREGULAR_PAST or is_past(verb)) or after in _NO_OBJECT:
        return sentence
    return "I " + _small(sentence)


# "Let's meet on Friday" is a plan; without a day it is encouragement.
_LETS: Final = regex(
    r"let'?s (?!keep|see|just|hope|not)(?=[a-z]+ .*\b(?:tomorrow|tonight|monday|tuesday|wednesday|thursday|friday"
    r"|saturday|sunday|next (?:week|weekend|month|year)|this weekend)\b)",
    re.IGNORECASE,
)


def _small(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


# Preference among several dates: a point before a beginning or an end, then the more exact one.
_KINDS: Final = ("point", "since", "until")
_EXACTNESS: Final = ("minute", "hour", "part", "day", "weekend", "week", "month", "season", "quarter", "year", "decade")

# "I just launched it": in the last ``_RECENT`` days.
_JUST: Final = regex(r"\bjust (?:now |been |recently )?([a-z]+ed|" + "|".join(sorted(IRREGULAR_PAST)) + r")\b")
_YEAR: Final = regex(r"\d{4}")
_RECENT: Final = 7


def dated(text: str, said: datetime) -> tuple[str, Span | None]:
    """Return a statement with its relative dates completed, and the span of its main date or None."""
    mentions = find_dates(text, said)
    if not mentions:
        return text, _just_now(said) if "just" in text and _JUST.search(text) else None
    return _completed(text, mentions), _main(mentions)


def _just_now(said: datetime) -> Span:
    """Return the span of the last days up to the day of the message, inclusive."""
    end = said.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    return Span(end - timedelta(days=_RECENT), end)


def _completed(text: str, mentions: Sequence[DateMention]) -> str:
    parts: list[str] = []
    place = 0
    for mention in mentions:
        known = mention.kind != "point" and _YEAR.search(mention.text) is not None
        if mention.relative and not known and mention.kind in _KINDS and mention.start >= place:
            parts += (text[place : mention.end], f" ({_described(mention)})")
            place = mention.end
    return "".join((*parts, text[place:]))


def _described(mention: DateMention) -> str:
    """Return the date of a mention as text; of an open period, its beginning or its end."""
    span, moment = mention.span, timedelta(minutes=1)
    if mention.kind == "since":
        span = Span(span.start, span.start + moment)
    elif mention.kind == "until":
        span = Span(span.end - moment, span.end)
    return describe(span, mention.granularity)


def _main(mentions: Sequence[DateMention]) -> Span | None:
    placed = [mention for mention in mentions if mention.kind in _KINDS]
    if not placed:
        return None
    return min(placed, key=_rank).span


def _rank(mention: DateMention) -> tuple[int, int, int]:
    return _KINDS.index(mention.kind), _EXACTNESS.index(mention.granularity), mention.start


# Maximum lengths: of a repeated question in characters, of a dependent answer and of a fragment in words.
_LONGEST_QUESTION: Final = 160
_FEW_WORDS: Final = 7
_MANY_WORDS: Final = 14

_YES: Final = regex(
    r"^(?:oh )?(?:yes|yeah|yep|yup|yea|sure|definitely|absolutely|of course|totally|indeed|i (?:do|did|"
    r"have|am|was|can|will|would))\b(?: (?:i (?:do|did|have|am|was|can|will|would)|we (?:do|did|have|are|"
    r"were)|sure|indeed|it is))?[\s,.!\u2013\u2014-]*",
    re.IGNORECASE,
)
_NO: Final = regex(
    r"^(?:oh )?(?:no|nope|nah|not yet|not really|never|i (?:do|did|have|am|was|can|wo|"
    r"would)n't)\b(?:[,!.]? ?(?:i (?:do|did|have|am|was|ca|wo|would)(?:n't| not)|not yet|never|"
    r"unfortunately))?[\s,.!\u2013\u2014-]*",
    re.IGNORECASE,
)
_POLAR: Final = regex(r"^(do|did|have|are|were) you (?:guys |ever |still |also |currently )*(.+?)\?+$", re.IGNORECASE)
# Questions for which a yes is only the beginning of the answer.
_ASKING_MORE: Final = regex(
    r"\bor\b|\b(?:advice|tips?|recommend\w*|suggest\w*|ideas?|think|plans?|like to|want to|mind|know|you|"
    r"me|any other|anything|something|hear)\b",
    re.IGNORECASE,
)
_WHERE: Final = regex(
    r"^(?:so |and )?(where|when|since when|how long|how often)( ago)? (do|did|have|are|were|will) you (.+?)\?+$",
    re.IGNORECASE,
)
_YOUR: Final = regex(r"^(?:and )?what(?:'?s| is| was| are) your (.+?)\?+$", re.IGNORECASE)
_ANY: Final = regex(r"\b(?:any|ever) ")
_LEADING: Final = regex(r"^(?:so|and|but|well|oh|wow|cool|nice|awesome|by the way|btw)[\s,!-]+", re.IGNORECASE)
_FINITE: Final = regex(
    r"\b(?:i|we|he|she|they|you|it|there)(?:'\w+)?\s+\w|\b(?:is|are|was|were|am|has|have|had|do|does|did|"
    r"will|would|can|could|should"
    r"|went|got|made|took|came|saw|gave|said)\b|\w'(?:s|re|m|ve|ll|d)\b|\b\w+ed\b",
    re.IGNORECASE,
)
_AMOUNT: Final = regex(
    r"(?:about |around |almost |over |just )?"
    r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|a few|a couple of) "
    r"(?:days?|weeks?|months?|years?)\b",
    re.IGNORECASE,
)
_FOLLOWS: Final = regex(
    r"(?:in|at|on|for|since|with|near|from|about|around|last|next|twice|once|every|yesterday|because|to|by)\b"
)
_SHOWS: Final = regex(r"(?:check|look|here|take a look|see)\b", re.IGNORECASE)
_LEANS: Final = regex(
    r"^(?:it|they|he|she|that|this|those|these|one|there|because|since|for|to|with|at|in|on|by|from)\b", re.IGNORECASE
)
_WORDS: Final = regex(r"[\w'-]+")


def is_simple(question: str) -> bool:
    """Tell if a question can be turned into a statement about the person asked."""
    return any(pattern.match(question) for pattern in (_POLAR, _WHERE, _YOUR))


# A reply that begins with yes or no.
REPLY: Final = regex(rf"{_YES.pattern}|{_NO.pattern}", re.IGNORECASE)


def is_fragment(answer: str) -> bool:
    """Tell if an answer is no sentence, or depends on its question."""
    count = len(_WORDS.findall(answer))
    if not count or _SHOWS.match(answer):
        return False
    return (count <= _MANY_WORDS and _FINITE.search(answer) is None) or (
        count <= _FEW_WORDS and _LEANS.match(answer) is not None
    )


def joined(question: str, answer: str, people: People) -> str | None:
    """Return the statement made of a question and its answer; None if the answer stands alone or is empty."""
    question = _LEADING.sub("", question)
    if len(question) > _LONGEST_QUESTION:
        return None
    reply = _YES.match(answer) or _NO.match(answer)
    rest = answer[reply.end() :] if reply else answer
    if reply is not None and (stated := _polar(question, reply[0], rest, people)) is not None:
        return stated
    if not is_fragment(rest):
        return _declared(question, rest, people) if _begins_apart(rest) else None
    return _declared(question, rest, people) or _quoted(question, rest, people)


def _begins_apart(answer: str) -> bool:
    """Tell if an answer opens with the amount or time asked for, and goes on."""
    return len(answer) < _LONGEST_QUESTION and _AMOUNT.match(answer) is not None


def _quoted(question: str, rest: str, people: People) -> str:
    return f'Asked "{question}", {shown(people.speaker)} said: {named(_tidy(rest), people)}'


def _polar(question: str, reply: str, rest: str, people: People) -> str | None:
    """Return the statement of a yes or no; None if the question asks for more or the answer is a full sentence."""
    asked = _POLAR.match(question)
    if asked is None or _ASKING_MORE.search(asked[2]) or (_WORDS.search(rest) and not is_fragment(rest)):
        return None
    yes = _YES.match(reply) is not None
    verb = asked[1].lower()
    about = _ANY.sub("", asked[2]) if yes else asked[2]
    said = f"you {'' if verb == 'do' and yes else verb + ' '}{'' if yes else 'not '}{about}"
    return _with(said, rest, people)


def _declared(question: str, rest: str, people: People) -> str | None:
    if asked := _WHERE.match(question):
        verb = asked[3].lower()
        return _with(f"you {'' if verb == 'do' else verb + ' '}{asked[4]}", rest, people)
    if asked := _YOUR.match(question):
        said = named(f"Your {asked[1]}", _turned(people))
        return f"{said} {'are' if asked[1].endswith('s') else 'is'} {named(_tidy(rest), people)}"
    return None


def _with(said: str, rest: str, people: People) -> str:
    """Return a question as its answerer's statement, with their addition."""
    stated = named(said[0].upper() + said[1:], _turned(people))
    added = named(_tidy(rest), people) if _WORDS.search(rest) else ""
    if not added:
        return f"{stated}."
    return f"{stated} {added}" if _FOLLOWS.match(added) else f"{stated}: {added}"


def _turned(people: People) -> People:
    """Return the people with speaker and addressee exchanged."""
    return People(people.addressee or "someone", people.speaker)


def _tidy(answer: str) -> str:
    text = answer.strip()
    first = text.partition(" ")[0]
    return text[:1].lower() + text[1:] if first[1:].islower() and first.lower() in _SMALL else text


_SMALL: Final = words(
    """
    a an the about around just for in at on since it they he she that this because to with by from my our one
    two three four five six seven eight nine ten last next yesterday mostly some lots
    """
)


# Maximum number of statements of a turn, and of characters of a statement.
MOST: Final = 8
LONGEST: Final = 300

# Maximum number of sentences read of a turn, and of characters of joined sentences.
_READ: Final = 4_000
_TOGETHER: Final = 220

# Number of last sentences of a turn searched for its question.
_LAST: Final = 2

_LEANING: Final = regex(
    r"^(?:it|its|they|their|he|she|his|her|that|this|these|those|there|then|which|because|one|both|some of)\b",
    re.IGNORECASE,
)
_SHOWING: Final = regex(
    r"\b(?:look at|check (?:it |this |that |these |them |him |her )?out|here(?:'s| is| are)|take a look|"
    r"see (?:this|these)|this is"
    r"|these are|like this|this (?:one|picture|photo|pic|image))\b",
    re.IGNORECASE,
)
_A_PICTURE: Final = regex(
    r"^(?:(?:this is )?an? |the )?(?:close[- ]?up |black and white )?(?:photo|photography|photograph|"
    r"picture|image|pic)\s+(?:of|showing)\s+",
    re.IGNORECASE,
)
_LOOSE: Final = ",;:\u2013\u2014-"
_ENDING: Final = regex(rf"[\s{_LOOSE}]+$")
_DECLARES: Final = regex(r"^(?:def|class|import|function|const|var|public|private|#include)\b.*[;:{}()=]")
_MAYBE_CODE: Final = regex(r"[{}<>=;$\\|`()/:]")
_CODE: Final = regex(r"[{}<>=;$\\|`]|\w\(|::|//")


@dataclass(frozen=True, slots=True)
class _Draft:
    """Sentence on its way to a statement: its position in the turn, its text, its informativeness."""

    place: int
    text: str
    worth: float
    context: int = 0


@dataclass(frozen=True, slots=True)
class _Scene:
    """Turn with its participants and the turn before it."""

    turn: Turn
    before: Turn | None
    people: People
    called: tuple[str, ...]
    names: frozenset[str]


def events(passage: Passage) -> list[list[Statement]]:
    """Return the statements of each wanted turn, in their order; an empty list for a turn that states nothing."""
    return [_statements(_scene(passage, place)) for place in range(passage.start, len(passage.turns))]


def _scene(passage: Passage, place: int) -> _Scene:
    turn = passage.turns[place]
    everyone = passage.speakers if turn.speaker in passage.speakers else (*passage.speakers, turn.speaker)
    others = tuple(name for name in everyone if name != turn.speaker)
    people = People(turn.speaker, others[0] if len(others) == 1 else None)
    return _Scene(turn, passage.turns[place - 1] if place else None, people, others, _words_of(everyone))


@lru_cache(maxsize=1_024)
def _words_of(names: tuple[str, ...]) -> frozenset[str]:
    """Return the lower-cased words of the speakers' names, with their short forms."""
    words = {word for name in names for word in name.lower().split()}
    return frozenset(words | {word[:length] for word in words for length in range(3, len(word))})


def _statements(scene: _Scene) -> list[Statement]:
    drafts = _together(_drafts(scene))
    kept = sorted(sorted(drafts, key=lambda draft: -draft.worth)[:MOST], key=lambda draft: draft.place)
    return [_finished(text, scene, draft.context) for draft, text in _with_picture(kept, scene)]


def _drafts(scene: _Scene) -> list[_Draft]:
    """Return the sentences of a turn that state something, with people by name."""
    drafts: list[_Draft] = []
    before = ""
    asked = _question_before(scene)
    for place, piece in enumerate(islice(pieces(straight(scene.turn.text)), _READ)):
        draft, asked = _draft(scene, place, piece, before, asked)
        if draft is not None:
            drafts.append(draft)
        before = piece.text
    return drafts


def _draft(scene: _Scene, place: int, piece: TextPiece, before: str, asked: str) -> tuple[_Draft | None, str]:
    """Return the draft of a sentence or None, and the question that is still open."""
    if asked and not is_question(piece.text):
        answer = joined(asked, _answer(piece.text, scene), scene.people)
        if answer is not None:
            return _Draft(place, answer, 4.0, 1), ""
    text = _stating(piece, scene, before)
    if text is None:
        # A formula before the answer ("Thanks!") leaves the question open.
        return None, asked if place < _LAST and not is_question(piece.text) else ""
    worth = informativeness(text, scene.names)
    return (_Draft(place, named(text, scene.people), worth) if worth > 0 else None), ""


def _answer(text: str, scene: _Scene) -> str:
    """Return a sentence as an answer: its yes or no, and the rest unless it only greets, thanks or praises."""
    if len(text) > LONGEST:
        return ""
    rest = bare(text, scene.called)
    tells = informativeness(f"I {rest}", scene.names) > 0 and not is_response(rest)
    reply = REPLY.match(text)
    return f"{reply[0] if reply else ''}{rest if tells else ''}".strip(" .!,")


def _stating(piece: TextPiece, scene: _Scene, before: str) -> str | None:
    """Return the statement inside a sentence; None for a question, and for code."""
    if piece.code or _is_code(piece.text):
        return None
    text = bare(piece.text, scene.called)
    if is_question(text):
        stated = told(text)
        if stated is None:
            return None
        text = stated
    text = with_subject(text)
    return with_person(text, before) or text


def _is_code(text: str) -> bool:
    if _MAYBE_CODE.search(text) is None:
        return False
    return len(_CODE.findall(text)) * 8 > len(text) or _DECLARES.match(text) is not None


def _question_before(scene: _Scene) -> str:
    """Return the question at the end of the turn before, if another speaker asked it."""
    if scene.before is None or scene.before.speaker == scene.turn.speaker:
        return ""
    text = straight(scene.before.text[-LONGEST:])
    if "?" not in text and "\uff1f" not in text:
        return ""
    for piece in reversed(list(pieces(text))[-_LAST:]):
        if is_question(piece.text):
            asked = bare(piece.text, (scene.turn.speaker,))
            return asked if is_simple(asked) or content(asked, scene.names) else ""
    return ""


def _together(drafts: Sequence[_Draft]) -> list[_Draft]:
    """Return the drafts, each dependent one joined to the draft before it."""
    kept: list[_Draft] = []
    for draft in drafts:
        last = kept[-1] if kept else None
        if last is not None and _LEANING.match(draft.text) and len(last.text) + len(draft.text) <= _TOGETHER:
            kept[-1] = replace(last, text=f"{_ended(last.text)} {draft.text}", worth=last.worth + draft.worth)
        else:
            kept.append(draft)
    return kept


def _with_picture(drafts: Sequence[_Draft], scene: _Scene) -> list[tuple[_Draft, str]]:
    """Return the drafts and their texts, with the turn's picture."""
    texts = [(draft, draft.text) for draft in drafts]
    if not scene.turn.caption:
        return texts
    caption = _A_PICTURE.sub("", " ".join(straight(scene.turn.caption).split()), count=1)
    picture = f"{shown(scene.people.speaker)} shared a picture: {caption}"
    for place, (draft, text) in enumerate(texts):
        if _SHOWING.search(text) and len(text) + len(caption) < LONGEST:
            texts[place] = draft, f"{_ENDING.sub('', text.rstrip('.!'))} (picture: {caption})."
            return texts
    return [*texts[: MOST - 1], (_Draft(-1, picture, 1.0), picture)]


def _ended(text: str) -> str:
    return text if text[-1:] in ".!?…)\"'。\uff01\uff1f" else f"{text}."


def _finished(text: str, scene: _Scene, context: int) -> Statement:
    """Return a text as a statement: dated, shortened, capitalised."""
    whole, happened = dated(_short(text), scene.turn.at)
    if whole[-1:].isspace() or whole[-1:] in _LOOSE:
        whole = _ENDING.sub("", whole)
    return Statement(_ended(whole[:1].upper() + whole[1:]), happened, context)


def _short(text: str) -> str:
    """Return a text of at most ``LONGEST`` characters, cut at a blank."""
    if len(text) <= LONGEST:
        return text
    head = text[: LONGEST - 1]
    return head[: max(head.rfind(" "), LONGEST // 2)].rstrip() + "…"
