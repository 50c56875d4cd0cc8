"""Corrections: "sorry, I meant Lisbon, not Porto" says of what was said before what should have been said."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from hmem.language.analyst.base import Claim, Passage
from hmem.language.regex import regex
from hmem.model.turn import Turn

_SAID: Final = r"[\w'@+:/-]+(?: [\w'@+:/-]+){0,4}?"
_RIGHTED: Final = (
    regex(
        r"\b(?:meant(?: to (?:say|write))?|correction:?|it'?s|it is|make that|should (?:be|say|have been)|actually) "
        rf"(?P<v>{_SAID}),? (?:and )?not (?P<w>{_SAID})(?=[.,!;]|$)",
        re.IGNORECASE,
    ),
    regex(rf"\bnot (?P<w>{_SAID}),? (?:but|i meant|i mean|it'?s) (?P<v>{_SAID})(?=[.,!;]|$)", re.IGNORECASE),
)
_READ: Final = 600

Claims = Callable[[Passage], Sequence[Claim]]


def corrections(passage: Passage, place: int, claims_of: Claims) -> Iterator[Claim]:
    """The claims of earlier turns that a turn, by its place in the passage, corrects, as they should have been.

    ``claims_of`` gives those of the last turn of a passage.
    """
    turn = passage.turns[place]
    found = _correction(turn)
    if found is None:
        return
    right, wrong = found
    for before in range(place - 1, -1, -1):
        earlier = passage.turns[before]
        if earlier.speaker == turn.speaker and wrong.lower() in earlier.text.lower():
            for claim in claims_of(Passage(passage.turns[: before + 1], before, passage.speakers)):
                if wrong.lower() in claim.value.lower():
                    yield _instead(claim, wrong, right)
            return


def _correction(turn: Turn) -> tuple[str, str] | None:
    """What should have been said, and what was."""
    text = turn.text[:_READ].replace("\u2019", "'")
    if " not " not in f" {text.lower()}":
        return None
    found = next(filter(None, (pattern.search(text) for pattern in _RIGHTED)), None)
    return None if found is None else (found["v"], found["w"])


def _instead(claim: Claim, wrong: str, right: str) -> Claim:
    pattern = regex(re.escape(wrong), re.IGNORECASE)
    value, text = (pattern.sub(lambda _: right, each) for each in (claim.value, claim.text))
    return replace(claim, value=value, text=text, statement=0, valid=None)
