"""Whether a turn is said in earnest: a joke, a play, a quotation and a dream claim nothing."""

import re
from typing import Final

from hmem.language.regex import regex

# What takes back what was said before it.
_JEST: Final = regex(
    r"\b(?:just (?:kidding|joking|messing with you|pulling your leg)|(?:i'?m|i am|only|totally) (?:kidding|joking)"
    r"|kidding!|april fool'?s?|jk|j/k|gotcha)\b|(?:^|\s)/s(?:$|\s)|🙄|\blol,? (?:as if|no|not really)\b|\bas if!"
    r"|\bnot!(?:\s|$)|\b(?:yeah|sure),? right\b|\bin my dreams\b|\bi wish!|\bhaha,? (?:no|i wish)\b",
    re.IGNORECASE,
)
# What opens something that is made up.
_PLAY: Final = regex(
    r"^\W*(?:imagine|suppose|picture this|let'?s (?:pretend|say|play)|pretend|in (?:the|my|this) (?:story|book"
    r"|novel|game|play"
    r"|script|sketch|film|movie|dream)|my character|role[- ]?play|(?:last night )?i (?:had a dream|dreamt|dreamed)"
    r"|here'?s (?:a|my) (?:joke|riddle|poem|story)|as the (?:song|saying|poem) goes|(?:the )?lyrics|quote|for the role"
    r"|oh (?:sure|great|yeah|joy|yes)[,.!] (?:because |i )?)",
    re.IGNORECASE,
)
_READ: Final = 2_000


def in_jest(text: str) -> bool:
    """Whether a text takes back what it says, or makes it up."""
    said = text[:_READ].replace("\u2019", "'")
    return _JEST.search(said) is not None or _PLAY.search(said) is not None
