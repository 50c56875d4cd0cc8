"""Typed slots that a sentence tells of somebody whom it names, to see where others contradict what a person said.

The sentence is put as that person would say it ("Alice lives in Oslo": "I live in Oslo"), and read as ``slots`` reads
it. Nothing is formed of this: it only shows what is disputed.
"""

import re
from typing import Final

from hmem.language.analyst.lexicon import ToldSlot
from hmem.language.english.slots import slot_values
from hmem.language.regex import regex

# Third person to first: of verbs that are not regular, and of words for the person behind the name.
_FORMS: Final = {"is": "am", "has": "have", "does": "do", "was": "was"}
_OWN: Final = regex(r"\b(?:his|her|their)\b", re.IGNORECASE)
_SIBILANT: Final = regex(r"(?:ss|sh|ch|x|zz|o)es$")
# What denies: with its auxiliary before a verb, and alone.
_NOT: Final = regex(r"n['\u2019]t\b", re.IGNORECASE)
_DENIED: Final = regex(
    r"\b(?:do|does|did) not\b ?|\b(?:not|no longer|never)\b ?| ?\bany ?(?:more|longer)\b", re.IGNORECASE
)
# An order about somebody is not theirs.
_ORDER: Final = "instruction"


def told_of(sentence: str, name: str) -> list[ToldSlot]:
    """Return the values of typed slots that a sentence tells of the person of a name, or denies."""
    spelled_out = _NOT.sub(" not", sentence)
    affirmed = _DENIED.sub("", spelled_out)
    found = (each for said in _as_own_words(affirmed, name) for each in slot_values(said))
    of_speaker = {(each.slot, each.value) for each in slot_values(affirmed)}
    own = (each for each in found if each.whose == "self" and each.slot != _ORDER)
    told = (each for each in own if (each.slot, each.value) not in of_speaker)
    return list(dict.fromkeys(ToldSlot(each.slot, each.value, affirmed == spelled_out) for each in told))


def _as_own_words(sentence: str, name: str) -> list[str]:
    """Return the readings of a sentence as who is named would say it: "Alice's" is "my" or "I am"."""
    named = rf"\b{re.escape(name)}"
    if re.search(rf"{named}\b", sentence, re.IGNORECASE) is None:
        return []
    readings: list[str] = []
    for contracted in ("my", "I am"):
        said = re.sub(rf"{named}['\u2019]s\b", contracted, sentence, flags=re.IGNORECASE)
        said = re.sub(rf"{named} ((?:now|still|also|currently|really) )?([a-z]+)", _verb, said, flags=re.IGNORECASE)
        readings.append(_OWN.sub("my", said))
    return list(dict.fromkeys(readings))


def _verb(match: re.Match[str]) -> str:
    word = match[2].lower()
    form = _FORMS.get(word) or (_SIBILANT.sub(lambda ending: ending[0][:-2], word) if _SIBILANT.search(word) else None)
    if form is None:
        form = word[:-1] if word.endswith("s") and not word.endswith("ss") else word
    return f"I {match[1] or ''}{form}"
