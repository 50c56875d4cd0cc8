"""Tense of a clause: past or future, to decide which Friday "on Friday" means.

The nearest word with a tense decides, before or after the date, within the sentence: "will", "going", "hope", a verb in
-ing after "am" point ahead; "was", "went", a verb in -ed point back. A perfect tells nothing of when ("they've picked a
day in May"), and what is being done, or done for somebody, lies ahead ("she gets her hip done in May").
"""

from collections.abc import Sequence
from typing import Final

from hmem_english.dates.words import words_of

_PRONOUNS: Final = words_of("i we you he she they it that who")
# Words further away do not decide; the bound also limits the work on a text without full stops.
REACH: Final = 25
# Factor on the distance of a word after the date, which decides less than one before it.
AFTER: Final = 1.5
_ENDS: Final = frozenset((".", "!", "?", ";", "\n"))
_FUTURE_WORDS: Final = words_of(
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
_PAST_WORDS: Final = words_of(
    "was were did had been went got made saw came met told said bought brought found gave left lost won "
    "ran began took ate drank drove flew wrote read spoke heard felt kept knew thought taught caught "
    "fought sold sent spent built broke chose fell forgot grew hung held hurt led lent paid rode rose "
    "sang sat slept stood swam threw wore woke became wasn weren didn couldn hadn ago last yesterday done "
    "gone seen hit put quit"
)
# What is put off goes ahead, though its verb is past: "pushed the wedding back to September 7".
_POSTPONED: Final = words_of("push pushed moved move rescheduled reschedule postponed postpone delayed delay shifted")
_UNTIL: Final = frozenset(("to", "until", "till"))
_POSTPONED_REACH: Final = 9
_NOT_PAST: Final = words_of("need feed speed seed bed red shed indeed hundred wed ted")
_PRESENT_BE: Final = words_of("'m 're 's am are is be im hes shes theyre youre")
# Behind these a participle says nothing of when: "they've picked a new day", "the shop is closed".
_PERFECT: Final = words_of("have has 've having")
_PASSIVE: Final = words_of("am is are 'm 're im theyre youre")
# And behind these it lies ahead: "it is being done on Monday", "she's getting married".
_TO_BE: Final = words_of("be being")
_TO_GET: Final = words_of("get gets getting")
_PASSIVE_REACH: Final = 4
_ADVERBS: Final = words_of("just already never always also only ever not now finally been")
_WAS: Final = words_of("was were had")
# Being somewhere on a named day is in the future: "the party is on Friday", "I'm off Friday".
_BEING: Final = words_of("on in at to off back away out home")


def direction(words: Sequence[str], position: int) -> int:
    """Return -1 for the past, 1 for the future, 0 if no word near the token at ``position`` decides."""
    if (
        position
        and words[position - 1] in _UNTIL
        and any(word in _POSTPONED for word in words[max(position - _POSTPONED_REACH, 0) : position])
    ):
        return 1
    best, tense = float(REACH + 1), 0
    for distance in range(1, REACH + 1):
        i = position - distance
        if i < 0 or words[i] in _ENDS:
            break
        if tells := _tense_of(words, i, position):
            best, tense = distance, tells
            break
    for distance in range(1, REACH + 1):
        i = position + distance
        if i >= len(words) or words[i] in _ENDS or distance * AFTER >= best:
            break
        if tells := _tense_of(words, i, position):
            return tells
    return tense or int(position > 0 and words[position - 1] == "from")


def _tense_of(words: Sequence[str], i: int, position: int) -> int:
    word = words[i]
    if word == "may":
        return 1 if i and words[i - 1] in _PRONOUNS else 0
    if word in _FUTURE_WORDS:
        return _modal_tense(words, i)
    if word in _PLAIN and i and words[i - 1] in _PRONOUNS:
        return 1
    if word == "last" and i and words[i - 1] == "the" and "of" in words[i + 1 : i + 3]:
        # "The last week of May" is of any year.
        return 0
    if word in _PAST_WORDS or (word.endswith("ed") and len(word) > 3 and word not in _NOT_PAST):
        return _past(words, i)
    if word.endswith("ing") and len(word) > 4:
        return 1 if any(words[j] in _PRESENT_BE for j in range(max(0, i - 3), i)) else 0
    return int(word in _PRESENT_BE and i + 1 < len(words) and (words[i + 1] in _BEING or i + 1 == position))


def _past(words: Sequence[str], i: int) -> int:
    """Return the tense of a past form: of a participle it is that of the words before it."""
    j = i - 1 - (i > 1 and words[i - 1] in _ADVERBS)
    before = words[j] if j >= 0 else ""
    if before in _TO_BE or not _TO_GET.isdisjoint(words[max(i - _PASSIVE_REACH, 0) : i]):
        return -1 if not _WAS.isdisjoint(words[max(i - _PASSIVE_REACH, 0) : i]) else 1
    return 0 if before == "'s" or before in _PERFECT or before in _PASSIVE else -1


def _modal_tense(words: Sequence[str], i: int) -> int:
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
