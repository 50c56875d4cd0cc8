"""Events: the atomic, self-contained statements of a turn (H-Mem, tree and graph: formation, step 1).

A sentence that states something becomes a statement: interjections and names of address taken off, people by name,
relative dates completed. Questions, encouragement, praise and formulas state nothing. A sentence that leans on the one
before it ("It was his first") stays with it; an answer that means nothing alone is joined to its question; a picture is
a statement of its own, or part of the sentence that shows it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Final

from hmem.language.analyst.base import Passage, Statement
from hmem.language.analyst.rules.answers import REPLY, is_simple, joined
from hmem.language.analyst.rules.clauses import bare, content, informativeness, is_question, is_response, straight, told
from hmem.language.analyst.rules.dating import dated
from hmem.language.analyst.rules.omitted import with_subject
from hmem.language.analyst.rules.person import People, named, shown
from hmem.language.analyst.rules.relatives import with_person
from hmem.language.regex import regex
from hmem.language.sentences import Piece, pieces
from hmem.model.turn import Turn

# Statements of one turn, and characters of one.
MOST: Final = 8
LONGEST: Final = 300

# Sentences read of one turn; characters up to which sentences that belong together are one statement.
_READ: Final = 4_000
_TOGETHER: Final = 220

# Sentences at the end of a turn among which its question stands.
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
    """A sentence on its way to a statement: its place in the turn, its words, what it is worth."""

    place: int
    text: str
    worth: float
    context: int = 0


@dataclass(frozen=True, slots=True)
class _Scene:
    """A turn, who takes part, and the turn before it."""

    turn: Turn
    before: Turn | None
    people: People
    called: tuple[str, ...]
    names: frozenset[str]


def events(passage: Passage) -> list[list[Statement]]:
    """The statements of each wanted turn, in their order; none for a turn that states nothing."""
    return [_statements(_scene(passage, place)) for place in range(passage.start, len(passage.turns))]


def _scene(passage: Passage, place: int) -> _Scene:
    turn = passage.turns[place]
    everyone = passage.speakers if turn.speaker in passage.speakers else (*passage.speakers, turn.speaker)
    others = tuple(name for name in everyone if name != turn.speaker)
    people = People(turn.speaker, others[0] if len(others) == 1 else None)
    return _Scene(turn, passage.turns[place - 1] if place else None, people, others, _words_of(everyone))


@lru_cache(maxsize=1_024)
def _words_of(names: tuple[str, ...]) -> frozenset[str]:
    """The lower-cased words of the speakers' names, and what is short for them."""
    words = {word for name in names for word in name.lower().split()}
    return frozenset(words | {word[:length] for word in words for length in range(3, len(word))})


def _statements(scene: _Scene) -> list[Statement]:
    drafts = _together(_drafts(scene))
    kept = sorted(sorted(drafts, key=lambda draft: -draft.worth)[:MOST], key=lambda draft: draft.place)
    return [_finished(text, scene, draft.context) for draft, text in _with_picture(kept, scene)]


def _drafts(scene: _Scene) -> list[_Draft]:
    """The sentences of a turn that state something, people by name."""
    drafts: list[_Draft] = []
    before = ""
    asked = _question_before(scene)
    for place, piece in enumerate(islice(pieces(straight(scene.turn.text)), _READ)):
        draft, asked = _draft(scene, place, piece, before, asked)
        if draft is not None:
            drafts.append(draft)
        before = piece.text
    return drafts


def _draft(scene: _Scene, place: int, piece: Piece, before: str, asked: str) -> tuple[_Draft | None, str]:
    """The draft of a sentence, if it states something, and the question that is still to be answered."""
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
    """A sentence as an answer: its yes or no, and the rest when that does more than greet, thank or praise."""
    if len(text) > LONGEST:
        return ""
    rest = bare(text, scene.called)
    tells = informativeness(f"I {rest}", scene.names) > 0 and not is_response(rest)
    reply = REPLY.match(text)
    return f"{reply[0] if reply else ''}{rest if tells else ''}".strip(" .!,")


def _stating(piece: Piece, scene: _Scene, before: str) -> str | None:
    """A sentence without what surrounds its statement; None for a question, and for code."""
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
    """The question that the turn before ends with, when another one asked it."""
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
    """The drafts, with those that lean on the one just before them joined to it."""
    kept: list[_Draft] = []
    for draft in drafts:
        last = kept[-1] if kept else None
        if last is not None and _LEANING.match(draft.text) and len(last.text) + len(draft.text) <= _TOGETHER:
            kept[-1] = replace(last, text=f"{_ended(last.text)} {draft.text}", worth=last.worth + draft.worth)
        else:
            kept.append(draft)
    return kept


def _with_picture(drafts: Sequence[_Draft], scene: _Scene) -> list[tuple[_Draft, str]]:
    """The drafts and their texts, with the turn's picture."""
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
    """A statement from its text, dated, short enough, with a capital."""
    whole, happened = dated(_short(text), scene.turn.at)
    if whole[-1:].isspace() or whole[-1:] in _LOOSE:
        whole = _ENDING.sub("", whole)
    return Statement(_ended(whole[:1].upper() + whole[1:]), happened, context)


def _short(text: str) -> str:
    """A text of at most ``LONGEST`` characters, cut at a blank."""
    if len(text) <= LONGEST:
        return text
    head = text[: LONGEST - 1]
    return head[: max(head.rfind(" "), LONGEST // 2)].rstrip() + "…"
