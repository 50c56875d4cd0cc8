"""Tense of a clause: past or future, to decide which Friday "on Friday" means.

The nearest word with a tense decides, before or after the date, within the sentence: "will", "going", "hope", a verb in
-ing after "am" point ahead; "was", "went", a verb in -ed point back.
"""

from collections.abc import Sequence
from typing import Final

from hmem.language.dates.words import words_of

_PRONOUNS: Final = words_of("i we you he she they it that who")
# Words further away do not decide; the bound also limits the work on a text without full stops.
REACH: Final = 25
# Factor on the distance of a word after the date, which decides less than one before it.
AFTER: Final = 1.5
_ENDS: Final = frozenset((".", "!", "?", ";", "\n"))
_AHEAD: Final = words_of(
    "will 'll won gonna shall plan plans planning hope hopes hoping wait upcoming soon let lets want "
    "wanna would should could can might must intend intending expecting excited scheduled planned "
    "supposed due deadline remind reminder tomorrow forward booked see join coming come free available "
    "ready until gotta need needs rsvp save schedule book opens starts begins leaves arrives flies "
    "happens meets looking turns ends closes finishes expires retires graduates returns departs lands"
)
# Plain forms that point ahead behind a pronoun: "we leave on Friday", not "at the end".
_PLAIN: Final = words_of(
    "start begin open leave arrive fly meet turn end close finish retire graduate return depart land move marry"
)
_BACK: Final = words_of(
    "was were did had been went got made saw came met told said bought brought found gave left lost won "
    "ran began took ate drank drove flew wrote read spoke heard felt kept knew thought taught caught "
    "fought sold sent spent built broke chose fell forgot grew hung held hurt led lent paid rode rose "
    "sang sat slept stood swam threw wore woke became wasn weren didn couldn hadn 've ago last yesterday done "
    "gone seen hit put quit"
)
# What is put off goes ahead, though its verb is past: "pushed the wedding back to September 7".
_POSTPONED: Final = words_of("push pushed moved move rescheduled reschedule postponed postpone delayed delay shifted")
_UNTIL: Final = frozenset(("to", "until", "till"))
_MOVED: Final = 9
_NOT_PAST: Final = words_of("need feed speed seed bed red shed indeed hundred wed ted")
_NOW: Final = frozenset(("'m", "'re", "'s", "am", "are", "is", "be"))


def direction(words: Sequence[str], place: int) -> int:
    """Return -1 for the past, 1 for the future, 0 if no word near the token at ``place`` decides."""
    if (
        place
        and words[place - 1] in _UNTIL
        and any(word in _POSTPONED for word in words[max(place - _MOVED, 0) : place])
    ):
        return 1
    best, told = float(REACH + 1), 0
    for distance in range(1, REACH + 1):
        i = place - distance
        if i < 0 or words[i] in _ENDS:
            break
        if tells := _tells(words, i):
            best, told = distance, tells
            break
    for distance in range(1, REACH + 1):
        i = place + distance
        if i >= len(words) or words[i] in _ENDS or distance * AFTER >= best:
            break
        if tells := _tells(words, i):
            return tells
    return told


def _tells(words: Sequence[str], i: int) -> int:
    word = words[i]
    if word == "may":
        return 1 if i and words[i - 1] in _PRONOUNS else 0
    if word in _AHEAD:
        return _ahead(words, i)
    if word in _PLAIN and i and words[i - 1] in _PRONOUNS:
        return 1
    if word == "last" and i and words[i - 1] == "the" and "of" in words[i + 1 : i + 3]:
        # "The last week of May" is of any year.
        return 0
    if word in _BACK:
        return -1
    if word.endswith("ed") and len(word) > 3 and word not in _NOT_PAST:
        return -1
    if word.endswith("ing") and len(word) > 4:
        return 1 if any(words[j] in _NOW for j in range(max(0, i - 3), i)) else 0
    # Being on a named day is in the future: "the party is on Friday".
    if word in _NOW and i + 1 < len(words) and words[i + 1] in ("on", "in", "at", "to"):
        return 1
    return 0


def _ahead(words: Sequence[str], i: int) -> int:
    """Return the tense of words such as "can", "would" and "won", which depends on the words beside them."""
    before, after = (words[i - 1] if i else ""), (words[i + 1] if i + 1 < len(words) else "")
    if words[i] == "won" and after != "'t":
        return -1
    if words[i] == "can" and after == "'t":
        return 0
    if words[i] in ("would", "could", "should", "might", "must") and after in ("have", "'ve"):
        return -1
    if before in ("was", "were", "had") or (words[i] == "see" and before in ("to", "'t")):
        return -1 if before in ("was", "were") and words[i] in ("supposed", "scheduled", "planned", "due") else 0
    return 1
