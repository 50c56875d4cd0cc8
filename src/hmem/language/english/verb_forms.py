"""Forms of English verbs, as far as agreement needs: past forms, and the third person of the present."""

from functools import lru_cache
from typing import Final

from hmem.language.english.word_lists import words
from hmem.language.regex import regex

# Past forms and participles that do not end in -ed, and forms that are past or present alike ("put").
IRREGULAR_PAST: Final = words(
    """
    was were been had did done went gone got gotten made took taken came saw seen said knew known thought found gave
    given told became left felt brought began begun kept held wrote written stood heard let meant set met ran
    paid sat spoke spoken lay led read grew grown lost fell fallen sent built understood drew drawn broke broken
    spent cut rose risen drove driven bought wore worn chose chosen ate eaten slept taught caught won swam swum sang
    sung rang rung flew flown forgot forgotten hid hidden hit quit rode ridden shook shaken shot shut slid sold sought
    spread stole stolen stuck struck swore sworn threw thrown tore torn woke woken wept dealt dreamt burnt learnt
    fought fed fled forgave forgiven froze frozen hung hurt lent lit overcame shone shrank sank sprang stung
    strove swept swung undertook wound bit bitten blew blown bent bet bled bred bound cast clung cost crept dug drank
    drunk forbade put split burst beat rebuilt redid rewrote withdrew outgrew overheard oversaw misunderstood unwound
    knelt leapt leant spelt spilt spoilt spun mowed sewn sown shown proven snuck strung withstood
    """
)

# Present forms that end in -ed.
_PRESENT_ED: Final = words("need feed speed succeed proceed exceed breed bleed heed weed shed wed embed")

# Words behind "I" that are not its verb.
_NO_VERB: Final = words(
    """
    and or but nor so who whom that which in on at with for to from of as if than too not no myself alone both all
    then there here when where while because until since after before over about again together either neither
    once the a an my your this these those what how why is are am i you we they he she it
    can could will would shall should may might must ought cannot used wont gonna gotta wanna
    """
)

_AUXILIARIES: Final = {
    "am": "is",
    "are": "is",
    "have": "has",
    "do": "does",
    "were": "was",
    "ain't": "is not",
    "haven't": "has not",
    "don't": "does not",
    "aren't": "is not",
    "weren't": "was not",
    "isn't": "is not",
    "dont": "does not",
    "havent": "has not",
    "arent": "is not",
    "didnt": "did not",
    "cant": "cannot",
    "didn't": "did not",
    "wasn't": "was not",
    "hadn't": "had not",
    "can't": "cannot",
    "won't": "will not",
    "couldn't": "could not",
    "wouldn't": "would not",
    "shouldn't": "should not",
    "gonna": "is going to",
    "gotta": "has to",
    "wanna": "wants to",
    "been": "has been",
}

# Forms that agree already: "I has".
_INFLECTED: Final = regex(r"[aeiouy]\w*ing$|(?<![sui])s$|^(?:is|his)$")
_SIBILANT: Final = regex(r"(?:[sxz]|ch|sh|[^aeiou]o)$")


@lru_cache(maxsize=10_000)
def third_person(verb: str) -> str:
    """Return the third person of a lower-cased verb behind "I" or "you": "love" becomes "loves"."""
    known = _AUXILIARIES.get(verb)
    if known is not None:
        return known
    if verb in _NO_VERB or is_past(verb) or "'" in verb or _INFLECTED.search(verb):
        return verb
    if _SIBILANT.search(verb):
        return verb + "es"
    return verb[:-1] + "ies" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else verb + "s"


def is_past(verb: str) -> bool:
    """Tell if a lower-cased verb is, or may be, a past form or a participle."""
    return (
        verb.removeprefix("re") in IRREGULAR_PAST
        or verb in IRREGULAR_PAST
        or (verb.endswith("ed") and len(verb) > 3 and verb not in _PRESENT_ED)
    )
