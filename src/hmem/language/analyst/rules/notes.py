"""Notes: what a turn claims about its speaker, and about the people and pets that the speaker names (HiMem).

Claims are read from the turn's statements, where people stand by name: a subject, a verb, and the rules of
``slots.BY_VERB`` for that verb; "Maria's favourite X is Y", "Maria's dog Coco"; and, of an assistant, how it is to
answer. A wrong note is worse than a missing one, so nothing is read from questions, conditions and wishes, and what
others said. Decided:

- What is not so any more ("no longer", "used to", "quit", "sold") is a claim that is not positive; its text says so.
- ``valid`` of a state ("since 2016", "moved in May") goes from the start of the date to ``OPEN``: it still holds.
  ``valid`` of a happening or a plan is its date. Without a date there is none.
- "dislikes" is the slot ``likes``, not positive: so that the two meet when notes are reconciled.
- What the speaker says of the other speaker is hearsay, and left out; of others by name it is not.
- An assistant claims nothing of itself but what it will do on a day.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from hmem.language.analyst.base import Claim, Passage, Statement
from hmem.language.analyst.rules.attributes import attributes
from hmem.language.analyst.rules.belongings import belongings, joys, people
from hmem.language.analyst.rules.changes import changes, recast, without_undone
from hmem.language.analyst.rules.claiming import OPEN, SELF, Maker
from hmem.language.analyst.rules.corrections import corrections
from hmem.language.analyst.rules.events import events as read_events
from hmem.language.analyst.rules.instructions import instructions
from hmem.language.analyst.rules.jests import in_jest
from hmem.language.analyst.rules.occasions import fixed
from hmem.language.analyst.rules.person import shown
from hmem.language.analyst.rules.predicates import of_others, predicates
from hmem.language.analyst.rules.wordlist import words
from hmem.language.regex import regex
from hmem.language.sentences import split
from hmem.model.turn import Turn

__all__ = ["OPEN", "claims"]

# Claims of one turn.
_MOST: Final = 8

_ASSISTANTS: Final = words("assistant system tool ai bot model agent")
_MY: Final = regex(r"\bmy\b", re.IGNORECASE)
_DATE: Final = regex(r"\s\((?:[^()]*\d{4}[^()]*)\)")
_ASKED: Final = regex(r'Asked ".*?", § said: ', re.DOTALL)
# Between two sentences.
_SEVERAL: Final = regex(r"[.!?…)\"\u2019\u201d] |[^\x00-\u2fff] ?|\n|.{400}")
_PICTURE: Final = " shared a picture: "
_CLITIC: Final = regex(
    r"(?<=[a-zà-ÿ])'s(?= (?:expecting|going|coming|moving|an?|not|studying|working|living|learning|turning|pregnant"
    r"|allergic"
    r"|married|engaged|from) )"
)
# An answer that a question's verb was put before: "Maria rehearses: Wednesdays at eight".
_WHEN_TOLD: Final = regex(
    r"^(§ [a-z]+s): (?=(?:on )?(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days|[Ee]very|[Oo]nce|[Tt]wice)"
)
# What opens a correction, behind which a sentence goes on as any other.
_TURNS_OUT: Final = regex(
    r"^(?:(?:so |well |actually,? )?(?:it )?turns out,?(?: that)?|as it turns out,?|actually,|in fact,|update:"
    r"|correction:"
    r"|sorry,|news:) (?=\S)",
    re.IGNORECASE,
)
_COMES: Final = regex(r"will|is going to")


def claims(passage: Passage, events: Sequence[Sequence[Statement]]) -> list[list[Claim]]:
    """The candidate notes of each wanted turn, read from its statements."""
    found = [
        _of_turn(turn, statements, passage.speakers) for turn, statements in zip(passage.wanted, events, strict=True)
    ]
    for place, statements in enumerate(events):
        if statements and not found[place]:
            found[place] += corrections(passage, passage.start + place, _of_last)
    return found


def _of_last(passage: Passage) -> list[Claim]:
    """The claims of the last turn of a passage."""
    return _of_turn(passage.wanted[0], read_events(passage)[0], passage.speakers)


def _of_turn(turn: Turn, statements: Sequence[Statement], speakers: Sequence[str]) -> list[Claim]:
    if in_jest(turn.text):
        return []
    found: dict[tuple[str, str, str], Claim] = {}
    reader = _Reader(turn, speakers)
    for place, statement in enumerate(statements):
        for read in reader.read(statement, place):
            for claim in recast(read):
                found.setdefault((claim.subject, claim.slot, claim.value.lower()), claim)
    return _without_repeats(without_undone(list(found.values())))[:_MOST]


def _without_repeats(found: list[Claim]) -> list[Claim]:
    """Without those that say of a slot only a part of what another says."""
    return [
        one
        for one in found
        if not any(
            other is not one
            and (other.subject, other.slot, other.positive) == (one.subject, one.slot, one.positive)
            and len(other.value) > len(one.value)
            and one.value.lower() in other.value.lower()
            for other in found
        )
    ]


@lru_cache(maxsize=1_024)
def _speaker(name: str) -> re.Pattern[str]:
    return regex(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.IGNORECASE if name[:4] == "the " else 0)


def _unclipped(sentence: str) -> str:
    return _CLITIC.sub(" is", sentence) if "'s " in sentence else sentence


class _Reader:
    """Reads the statements of one turn."""

    def __init__(self, turn: Turn, speakers: Sequence[str]) -> None:
        self.turn = turn
        self.speakers = speakers
        # The speaker said "my": so what is theirs is not only "ours".
        self.own = "my" in turn.text.lower() and _MY.search(turn.text) is not None
        self.is_assistant = turn.speaker.lower() in _ASSISTANTS
        self.to_assistant = any(one.lower() in _ASSISTANTS for one in speakers) and not self.is_assistant

    def read(self, statement: Statement, place: int) -> Iterator[Claim]:
        """The claims of a statement."""
        if _PICTURE in statement.text or (self.is_assistant and statement.happened is None):
            return
        said = _speaker(shown(self.turn.speaker)).sub(SELF, statement.text)
        if answer := _ASKED.match(said):
            said = said[answer.end() :]
        sentences = [piece.text for piece in split(said)] if _SEVERAL.search(said) else [said]
        dated = sum(_DATE.search(sentence) is not None for sentence in sentences)
        for sentence in sentences:
            if sentence.rstrip("\"')").endswith("?"):
                continue
            plain = _TURNS_OUT.sub("", _WHEN_TOLD.sub(r"\1 ", _DATE.sub("", sentence)))
            when = statement.happened if _DATE.search(sentence) or not dated else None
            yield from self._sentence(plain, Maker(self.turn.speaker, when, place))

    def _sentence(self, sentence: str, maker: Maker) -> Iterator[Claim]:
        if self.is_assistant:
            yield from self._committed(sentence, maker)
            return
        if self.to_assistant:
            yield from instructions(sentence, maker)
        if SELF in sentence:
            yield from changes(sentence, maker)
            yield from attributes(sentence, maker)
            if "§'s" in sentence:
                yield from belongings(sentence, maker, own=self.own)
            yield from joys(sentence, maker)
            yield from predicates(sentence, maker)
        if " called " in sentence or " named " in sentence or ", " in sentence:
            yield from people(sentence, maker)
        if maker.happened is not None and (one := fixed(sentence)):
            yield maker.claim("fact", self.turn.speaker, one.rule.slot, one.value, one.text, rule=one.rule)
        yield from of_others(_unclipped(sentence), maker, self.speakers)

    def _committed(self, sentence: str, maker: Maker) -> Iterator[Claim]:
        """What an assistant will do on a day."""
        if maker.happened is not None and SELF in sentence:
            for claim in predicates(sentence, maker):
                if claim.slot == "plan" and _COMES.search(claim.text):
                    yield claim
