"""Curation: which turns are memorable (H-Mem, two trees: formation, step 1).

A turn is memorable when something is left of it after the formulas of conversation are taken away: greetings,
thanks, praise, encouragement, agreement, farewells. What is left is a fact, a plan, an opinion, a name, a number,
a date or a picture. A question is memorable when it says something itself, and an answer when the question did.
"""

from operator import itemgetter
from typing import Final

from hmem.language.analyst.base import Curation, Passage
from hmem.language.analyst.rules.formula import FORMULA, PRAISE, WEAK
from hmem.language.analyst.rules.wording import READ, Sentence, sentences
from hmem.model.turn import Turn


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


# What says when: enough by itself, unless it only says goodbye.
_DATES: Final = _words("""
    yesterday tomorrow tonight monday tuesday wednesday thursday friday saturday sunday january february march april
    june july august september october november december christmas easter thanksgiving halloween ago
    """)
_NUMBERS: Final = _words("""
    two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen twice
    third fourth fifth
    """)
_REPLIES: Final = _words("yes yeah yep yup yea no nope nah not never sometimes often usually always")
_FIRST: Final = _words("i my mine myself we our ours im ive")
_SUBJECTS: Final = _words("i we it they he she there")
_OWNED: Final = "my"
_SECOND: Final = _words("you your yours yourself u ya")
_POINTING: Final = _words("that this these those your")

_INITIAL: Final = itemgetter(0)

# What makes a statement a question in form only: "right?", "isn't it?".
_TAGS: Final = _words("right huh eh yeah know innit correct")
_NEGATED: Final = _words("isn aren wasn weren don doesn didn couldn wouldn haven hasn ain")

# Words: the least in an answer that tells something, and among how many first ones its subject stands.
_TELLING: Final = 5
_OPENING: Final = 3

# How much a sentence must say, in content words: a statement, one that may be mere praise of what was just said or
# shown, a question about the other, a question in the first person.
_STATEMENT: Final = 1.0
_PRAISED: Final = 2.0
_ASKED: Final = 3.0
_ASKED_OF_ONESELF: Final = 1.0


def curate(passage: Passage) -> list[Curation]:
    """Whether each wanted turn of a passage is memorable, and what speaks for it."""
    names = _names(passage)
    return [
        _curate(turn, passage.turns[at - 1] if at else None, names)
        for at, turn in enumerate(passage.turns[passage.start :], passage.start)
    ]


def _names(passage: Passage) -> frozenset[str]:
    """The speakers' names and their short forms, lower-cased: to be called by name is no news."""
    speakers = dict.fromkeys((*passage.speakers, *(turn.speaker for turn in passage.turns)))
    words = [word for speaker in speakers for word in speaker.lower().split()]
    return frozenset(word[:length] for word in words for length in range(min(3, len(word)), len(word) + 1))


def _curate(turn: Turn, before: Turn | None, names: frozenset[str]) -> Curation:
    reasons: list[str] = []
    if turn.caption or turn.attachments:
        reasons.append("picture")
    said = sentences(turn.text)
    if said and len(turn.text) > READ:
        return Curation(memorable=True, reasons=(*reasons, "length"))
    for sentence in said:
        reasons.extend(_speaks(sentence, names))
    if not reasons and said and before is not None and _answers(said, turn, before, names):
        reasons.append("answer")
    return Curation(bool(reasons), tuple(dict.fromkeys(reasons)))


def _speaks(sentence: Sentence, names: frozenset[str]) -> list[str]:
    """What speaks for a sentence being content."""
    words = sentence.words
    reasons: list[str] = []
    if not _NUMBERS.isdisjoint(words) or any(map(str.isdigit, map(_INITIAL, words))):
        reasons.append("number")
    if not _DATES.isdisjoint(words):
        reasons.append("date")
    if sentence.quoted or _named(sentence, names):
        reasons.append("name")
    if _weight(sentence, names) >= _enough(sentence):
        reasons.append("question" if _asks(sentence) else "statement")
    return reasons


def _enough(sentence: Sentence) -> float:
    """How much a sentence must say to be content."""
    words = sentence.words
    if _asks(sentence):
        return _ASKED if _FIRST.isdisjoint(words) else _ASKED_OF_ONESELF
    addressed = words[0] in _POINTING or not _SECOND.isdisjoint(words)
    return _PRAISED if addressed and not PRAISE.isdisjoint(sentence.roots) else _STATEMENT


def _asks(sentence: Sentence) -> bool:
    """Whether a sentence is a question, and not a statement with a tag."""
    words = sentence.words
    return sentence.question and not (len(words) > 2 and (words[-1] in _TAGS or words[-2] in _NEGATED))


def _weight(sentence: Sentence, names: frozenset[str]) -> float:
    """How many of the words say something: those of formulas nothing, weak ones half, with "my" before them whole."""
    words, roots = sentence.words, sentence.roots
    if not names.isdisjoint(words):
        roots = [root for word, root in zip(words, roots, strict=True) if word not in names]
    # Function words are among the formulas.
    kept = frozenset(roots) - FORMULA
    weak = kept & WEAK
    owned = bool(weak) and _OWNED in words
    return len(kept) - 0.5 * len(weak) + 0.5 * owned


def _named(sentence: Sentence, names: frozenset[str]) -> bool:
    """Whether a capitalised word stands inside the sentence, that is no speaker and not merely shouted."""
    inside = sentence.written[1:]
    return any(map(str.isupper, map(_INITIAL, inside))) and any(
        word[0].isupper() and bare not in names and root not in FORMULA and not word.isupper()
        for word, bare, root in zip(inside, sentence.words[1:], sentence.roots[1:], strict=True)
    )


def _answers(said: tuple[Sentence, ...], turn: Turn, before: Turn, names: frozenset[str]) -> bool:
    """Whether a turn without content of its own answers a question of another that has some."""
    asked = sentences(before.text)
    if turn.speaker == before.speaker or not asked or not asked[-1].question:
        return False
    replies = said[0].words[0] in _REPLIES or any(_tells(sentence) for sentence in said)
    return replies and _weight(asked[-1], names) >= _STATEMENT


def _tells(sentence: Sentence) -> bool:
    """Whether a sentence, however vague, has a subject that it says something of."""
    words = sentence.words
    return not sentence.question and len(words) >= _TELLING and not _SUBJECTS.isdisjoint(words[:_OPENING])
