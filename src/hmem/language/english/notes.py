"""Notes: claims of a turn about its speaker, and about the people and pets named by the speaker (HiMem).

Claims are read from the turn's statements, in which people stand by name and the speaker as "§": a subject, a verb,
and the rules of ``slots.BY_VERB`` for that verb; "Maria's favourite X is Y", "Maria's dog Coco"; attributes such as
numbers, addresses and measures; changes ("sold", "switched"), which deny the old value and assert the new one;
corrections ("sorry, I meant Lisbon, not Porto"); and wishes for an assistant's answers ("no more than three bullet
points"). A wrong note is worse than a missing one, so questions, conditions, wishes, reported speech, jokes and made-up
texts give none. Decided:

- A fact that has ended ("no longer", "used to", "quit", "sold") is a claim that is not positive; its text says so.
- ``valid`` of a state ("since 2016", "moved in May") goes from the start of the date to ``OPEN``: it still holds.
  ``valid`` of an event or a plan is its date. Without a date there is none.
- "dislikes" is the slot ``likes``, not positive, so that reconciliation compares the two.
- Claims about the other speaker are hearsay, and left out; claims about others by name are not.
- An assistant claims nothing of itself but its commitments for a day.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from hmem.language.analyst.base import Claim, Passage, Statement
from hmem.language.english.claims import SELF, Maker, unsure
from hmem.language.english.events import events as read_events
from hmem.language.english.person import shown
from hmem.language.english.predicates import belongings, fixed, joys, of_others, people, predicates
from hmem.language.english.sentences import split
from hmem.language.english.values import is_meaningful, phrase, trimmed, without_determiner
from hmem.language.english.vocabulary import GAMES, GOODS, LANGUAGES, NO_GOODS, PETS, rule
from hmem.language.english.word_lists import words
from hmem.language.regex import regex
from hmem.model.span import OPEN
from hmem.model.turn import Turn

_IS: Final = (
    r" (?:is|'s|(?:has )?changed to|is changing to|(?:has )?bec[oa]me|was changed to)(?: (?:now|still|actually))*:? "
)
_AMOUNT: Final = (
    r"(?P<v>(?:about |around |roughly )?[$€£]?\d[\d.,]*(?: ?(?:k|thousand|million))?"
    r"(?: ?(?:dollars|euros|pounds|bucks|kilos?|kg|lbs|cm|m|feet|inches|%))?"
    r"(?: (?:a|per) (?:month|week|year|day))?)"
)


def _slot_pattern(slot: str, named: str, value: str) -> tuple[str, re.Pattern[str]]:
    return slot, regex(
        rf"(?<![\w'-])§'s (?:(?:new|current|correct|actual|latest|monthly|weekly|home|work|mobile"
        rf"|cell) )*{named}{_IS}{value}",
        re.IGNORECASE,
    )


_ATTRIBUTES: Final = (
    _slot_pattern("phone number", r"(?:phone |cell |mobile )?number", r"(?P<v>\+?\d[\d() .-]{4,18}\d)"),
    _slot_pattern("email", r"e-?mail(?: address)?", r"(?P<v>[\w.+-]+@[\w-]+\.[\w.]*\w)"),
    _slot_pattern(
        "address", r"(?:postal |street )?address", r"(?P<v>\d+[\w' -]{3,40}|[A-Z][\w' -]{2,30} \d+)(?=[.,;!]|$)"
    ),
    _slot_pattern("username", r"(?:user ?name|handle|nick(?:name)?|gamer ?tag)", r"(?P<v>[\w.@-]{2,30})"),
    _slot_pattern("budget", r"budget(?: for [\w ]{2,30})?", _AMOUNT),
    _slot_pattern("rent", r"rent", _AMOUNT),
    _slot_pattern("salary", r"salary", _AMOUNT),
    _slot_pattern("weight", r"weight", _AMOUNT),
    _slot_pattern("height", r"height", _AMOUNT),
    _slot_pattern("shoe size", r"shoe size", r"(?P<v>\d+(?:\.5)?)"),
    _slot_pattern("bedtime", r"bed ?time", r"(?P<v>[\w: ]{2,14}?)(?=[.,;!]|$| now\b)"),
    _slot_pattern(
        "deadline", r"(?:[\w-]+ ){0,2}deadline", r"(?P<v>[A-Z][\w ]{2,24}?|the \d+\w*[\w ]{0,14}?)(?=[.,;!]|$| now\b)"
    ),
)

_COLOUR: Final = (
    r"(?P<v>(?:(?:light|dark|navy|sky|forest|lime|soft|warm|deep|bright|pale) )?(?:blue|green|red|yellow|orange|purple"
    r"|violet|pink|teal|turquoise|black|white|gr[ae]y|brown|amber|gold|cyan|magenta|beige|navy|sepia|indigo))"
)
_SCREEN: Final = (
    r"(?:themes?|accents?|colou?r schemes?|palettes?|backgrounds?|highlights?|buttons?|fonts?|icons?|modes?)"
)
_LOOK: Final = regex(
    rf"§ (?:really |now |still |also |just |much |always |would )*(?:loves|likes|prefers|uses|wants|enjoys"
    rf"|picked|chose|"
    rf"switched to|went (?:back )?(?:with|to)|settled on) (?:having |to have |the |an? |§'s )*{_COLOUR} {_SCREEN}\b"
    rf"|\b{_COLOUR.replace('?P<v>', '?P<easier>')} {_SCREEN} (?:is|are|feels?|looks?|works?) (?:so |much |way "
    rf"|far |a lot )*"
    rf"(?:easier|better|nicer|more comfortable|gentler|kinder|best|softer)\b(?=[^.]*§)",
    re.IGNORECASE,
)


# A running count: "has completed 20 videos so far".
_TALLY: Final = regex(
    r"§(?: and others)? (?P<aux>(?:has |have |'s |actually |just |now |already |only )*)"
    r"(?P<verb>completed|finished|watched|seen|read|tried|visited|attended|added|collected|done|written|met|run|owns"
    r"|painted|baked|cooked|made|planted|knitted|recorded|published|sold|climbed|learned) "
    r"(?P<v>\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty) "
    r"(?:(?:different|new|more|whole|full) )*(?P<what>(?:[A-Za-z-]+ ){0,2}?[a-z]{2,}s)\b"
    r"(?P<on>[^.!?]{0,60}?\b(?:so far|already|to date|in total|altogether|since (?:§|joining|starting|then)|until now"
    r"|by now|now)\b)?",
    re.IGNORECASE,
)


def attributes(sentence: str, maker: Maker) -> Iterator[Claim]:
    """Yield the claims of attributes with one value."""
    if "§" not in sentence:
        return
    small = sentence.lower()
    if " is" in small or "chang" in small or "bec" in small:
        for slot, pattern in _ATTRIBUTES:
            found = pattern.search(sentence)
            if found is not None and not unsure(sentence, found.start()):
                value = found["v"].strip(" .")
                yield maker.claim("profile", maker.speaker, slot, value, f"{{s}}'s {slot} is {value}.")
    found = _TALLY.search(sentence)
    goes_on = found is not None and (found["on"] or "already" in found["aux"].lower())
    if found is not None and goes_on and not unsure(sentence, found.start(), past=True):
        what, value = found["what"].lower(), found["v"].lower()
        text = f"{{s}} has {found['verb']} {value} {what}.".replace("has owns", "owns")
        yield maker.claim("fact", maker.speaker, f"number of {what}", value, text)
    found = _LOOK.search(sentence)
    if found is not None and not unsure(sentence, found.start()):
        value = (found["v"] or found["easier"]).lower()
        yield maker.claim("preference", maker.speaker, "theme colour", value, f"{{s}}'s theme colour is {value}.")


# Phrases that take back the sentence before them.
_JEST: Final = regex(
    r"\b(?:just (?:kidding|joking|messing with you|pulling your leg)|(?:i'?m|i am|only|totally) (?:kidding|joking)"
    r"|kidding!|april fool'?s?|jk|j/k|gotcha)\b|(?:^|\s)/s(?:$|\s)|🙄|\blol,? (?:as if|no|not really)\b|\bas if!"
    r"|\bnot!(?:\s|$)|\b(?:yeah|sure),? right\b|\bin my dreams\b|\bi wish!|\bhaha,? (?:no|i wish)\b",
    re.IGNORECASE,
)
# Openings of made-up texts.
_PLAY: Final = regex(
    r"^\W*(?:imagine|suppose|picture this|let'?s (?:pretend|say|play)|pretend|in (?:the|my|this) (?:story|book"
    r"|novel|game|play"
    r"|script|sketch|film|movie|dream)|my character|role[- ]?play|(?:last night )?i (?:had a dream|dreamt|dreamed)"
    r"|here'?s (?:a|my) (?:joke|riddle|poem|story)|as the (?:song|saying|poem) goes|(?:the )?lyrics|quote|for the role"
    r"|oh (?:sure|great|yeah|joy|yes)[,.!] (?:because |i )?)",
    re.IGNORECASE,
)
_JEST_READ: Final = 2_000


def in_jest(text: str) -> bool:
    """Tell if a text is a joke or made up."""
    said = text[:_JEST_READ].replace("\u2019", "'")
    return _JEST.search(said) is not None or _PLAY.search(said) is not None


_FORM: Final = (
    r"(?:bullet points?|bullets|paragraphs?|sentences?|answers?|replies|responses|headings?|background|lists?"
    r"|tables?|emojis?"
    r"|essays?|summar(?:y|ies)|words|lines|prose|sepia|dark mode|light mode|jargon|metric(?: units)?|celsius"
    r"|kilomet(?:re|er)s)"
)
_FORMED: Final = regex(rf"\b(?:{_FORM}|short|brief|concise|briefly|concisely)\b", re.IGNORECASE)


def _marker_pattern(marker: str, pattern: str) -> tuple[str, re.Pattern[str]]:
    return marker, regex(pattern, re.IGNORECASE)


# Lower-case keywords required in a sentence, and the pattern of the wish.
_WISHES: Final = (
    _marker_pattern("from now on", r"from now on,? (?P<v>[^.!?;]{4,70}?)(?:,? please)?(?=[.!?;]|$)"),
    _marker_pattern("from now on", r"(?:^|[,;] )(?P<v>[^.!?;,]{4,60}?),? (?:please,? )?from now on\b"),
    _marker_pattern(
        "please",
        r"^(?:so |ok |and |just )?(?P<v>(?:no more |normal |short |shorter |brief |plain |simple |only |longer |full )"
        r"[^.!?;]{3,60}?),? please\b(?P<not>, not [\w ]{3,30})?",
    ),
    _marker_pattern(
        "",
        r"^(?:please )?(?P<v>(?:keep|make|write|give|use|format|answer|reply|respond|present|draw) (?:§ )?"
        r"(?:all |every |anything |everything |your |the assistant's |answers|replies)[^.!?;§]{3,60})(?=[.!?;]|$)",
    ),
    _marker_pattern(
        "make anything",
        r"\bmake anything (?:you|the assistant) (?:draws?|makes?|writes?|shows?) for § (?P<v>[^.!?;,§]{4,60})",
    ),
    _marker_pattern(
        "no more than",
        r"(?P<v>no more than [\w-]+ (?:bullet points?|bullets|sentences?|paragraphs?|lines|words|suggestions"
        r"|options|items))"
        r"\b(?! (?:a|per|each|long))",
    ),
    _marker_pattern(
        "",
        r"^(?:please )?(?:always |just )?(?P<v>(?:answer|reply|respond) (?:§ )?(?:briefly|concisely|in (?:one|two"
        r"|three|short"
        r"|full|plain|bullet|simple|british|american|spanish|french|german|english|portuguese|italian)[\w ]{0,30}))"
        r"(?=[.!?;,]|$)",
    ),
)
_OPEN_TO_ALL: Final = ("make anything", "no more than")
_STARTS: Final = regex(
    r"(?:please )?(?:always |just )?(?:keep|make|write|give|use|format|answer|reply|respond|present"
    r"|draw) ",
    re.IGNORECASE,
)
_CALL: Final = regex(
    r"^(?:please |just |and |you can |the assistant can )*call § (?P<v>(?-i:[A-Z])[\wà-ÿ-]+)(?=[.!,;]|$| please\b)",
    re.IGNORECASE,
)


def instructions(sentence: str, maker: Maker) -> Iterator[Claim]:
    """Yield the claims of the speaker's wishes for answers."""
    small = sentence.lower()
    if "call §" in small and (call := _CALL.search(sentence)):
        yield maker.claim("profile", maker.speaker, "name", call["v"], f"{{s}} wants to be called {call['v']}.")
    starts = _STARTS.match(sentence) is not None
    for marker, pattern in _WISHES:
        found = pattern.search(sentence) if (marker in small if marker else starts) else None
        if found is None or (marker not in _OPEN_TO_ALL and _FORMED.search(found["v"]) is None):
            continue
        opening = found["v"][0].lower() + found["v"][1:]
        value = (opening + (found.groupdict().get("not") or "")).strip(" ,").replace("§", "{s}")
        yield maker.claim("preference", maker.speaker, "instruction", value, f"{{s}} asked the assistant: {value}.")
        return


_SAID: Final = r"[\w'@+:/-]+(?: [\w'@+:/-]+){0,4}?"
_RIGHTED: Final = (
    regex(
        r"\b(?:meant(?: to (?:say|write))?|correction:?|it'?s|it is|make that|should (?:be|say|have been)|actually) "
        rf"(?P<v>{_SAID}),? (?:and )?not (?P<w>{_SAID})(?=[.,!;]|$)",
        re.IGNORECASE,
    ),
    regex(rf"\bnot (?P<w>{_SAID}),? (?:but|i meant|i mean|it'?s) (?P<v>{_SAID})(?=[.,!;]|$)", re.IGNORECASE),
)
_CORRECTION_READ: Final = 600

Claims = Callable[[Passage], Sequence[Claim]]


def corrections(passage: Passage, place: int, claims_of: Claims) -> Iterator[Claim]:
    """Yield the corrected claims of the earlier turn that the turn at ``place`` corrects.

    ``claims_of`` returns the claims of the last turn of a passage.
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
    """Return the right and the wrong words of a correction, or None."""
    text = turn.text[:_CORRECTION_READ].replace("\u2019", "'")
    if " not " not in f" {text.lower()}":
        return None
    found = next(filter(None, (pattern.search(text) for pattern in _RIGHTED)), None)
    return None if found is None else (found["v"], found["w"])


def _instead(claim: Claim, wrong: str, right: str) -> Claim:
    pattern = regex(re.escape(wrong), re.IGNORECASE)
    value, text = (pattern.sub(lambda _: right, each) for each in (claim.value, claim.text))
    return replace(claim, value=value, text=text, statement=0, valid=None)


_BREEDS: Final = r"(?:retriever|labrador|beagle|poodle|terrier|corgi|husky|spaniel|collie|dachshund)"
_PET: Final = rf"(?:{PETS}|{_BREEDS})"
_NAME: Final = r"(?-i:[A-Z][a-zà-ÿ]+)"
_OLD: Final = (
    r"(?:(?:old|beloved|trusty|little|red|blue|black|white|silver|first|second|electric|acoustic|road|mountain) )*"
)
_MAKE: Final = r"(?:(?-i:[A-Z][\w-]+)(?: (?-i:[A-Z\d][\w-]*))*)"
_THING: Final = rf"(?P<v>(?:{_OLD}{GOODS}|{_MAKE}(?: {GOODS})?))\b{NO_GOODS}"

_ENDS: Final = (
    r"(?= (?:on|last|this|yesterday|today|for|to|because|since|when|after|and|at|in|so|with|online)\b|[.,;!]|$)"
)
# "§ sold the car", "§ gave away §'s guitar", "§'s bike was stolen".
_GAVE_UP: Final = regex(
    rf"§(?: and others)? (?:has |just |finally |recently |have |also |had to )*(?:sold|sell|gave away|got rid of"
    rf"|donated|returned|scrapped"
    rf"|lost|traded in|totalled|totaled|crashed|wrecked|gave|threw out|recycled) (?:§'s|the"
    rf"|our) {_THING}(?: away)?{_ENDS}",
    re.IGNORECASE,
)
_TAKEN: Final = regex(
    rf"§'s {_THING} (?:was|got|has been|is) (?:stolen|totalled|totaled|wrecked|destroyed|sold|gone|scrapped"
    rf"|beyond repair)\b",
    re.IGNORECASE,
)
_EXCHANGED: Final = regex(
    rf"§(?: and others)? (?:has |just |finally |recently |have )*(?:traded(?: in)?|swapped|replaced|exchanged|upgraded)"
    rf"(?: from)? (?:§'s|the|our) {_THING} (?:for|with|to|by) (?:an? |the )?(?:new )?(?P<new>[^.,;!]{{2,40}}?){_ENDS}",
    re.IGNORECASE,
)
# A pet that died or is gone.
_DIED: Final = regex(
    rf"§'s (?:(?!and\b)[a-z]+ ){{0,2}}?(?P<v>{_PET}(?:,? {_NAME})?|{_NAME}),? (?:just |sadly |recently |has |have )*"
    rf"(?:died|passed(?: away| on)?|crossed the rainbow|ran away and never|is no longer with|was put (?:down"
    rf"|to sleep)|was "
    rf"re-?homed)",
    re.IGNORECASE,
)
_PUT_DOWN: Final = regex(
    rf"(?:had to put|put|said goodbye to|lost|buried|re-?homed|gave up) (?:(?:§'s|our) (?:(?!and\b)[a-z]+ ){{0,2}}?"
    rf"(?P<v>{_PET}(?:,? {_NAME})?)|(?P<name>{_NAME})(?= (?:down|to sleep)))",
    re.IGNORECASE,
)
_PET_AT: Final = regex(rf"\b(?P<pet>{_PET}),? (?P<name>{_NAME})\b|\b{_PET} (?:named|called) {_NAME}", re.IGNORECASE)

# "§ switched from tea to coffee", "§ moved from Vim over to Emacs".
_SWITCHED: Final = regex(
    r"§(?: and others)? (?:has |just |finally |recently |have |fully |completely )*(?:switched|changed|went"
    r"|converted|migrated)"
    r"(?: over)? from (?P<old>[^.,;!]{2,30}?) (?:over )?to (?P<v>[^.,;!]{2,30}?)" + _ENDS,
    re.IGNORECASE,
)
_SWITCHED_TO: Final = regex(
    r"§(?: and others)? (?:has |just |finally |recently |have |fully |completely )*(?:switched|migrated)(?: over)? to"
    rf" (?P<v>{_MAKE}){_ENDS}",
    re.IGNORECASE,
)
_USES: Final = regex(
    rf"§ (?:now |mostly |mainly |always |currently )*uses (?P<v>{_MAKE})(?= (?:for|as|to|at|on|now|every|in)\b"
    rf"|[.,;!]|$)"
)
# Activities that stop, by verb: the slot that ends.
_STOPPED: Final = (
    (regex(rf"^playing (?P<v>{GAMES})\b", re.IGNORECASE), "plays"),
    (regex(rf"^(?:learning|studying|taking) (?P<v>{LANGUAGES})\b", re.IGNORECASE), "language"),
    (regex(r"^(?:studying) (?P<v>.+)", re.IGNORECASE), "studies"),
    (regex(r"^(?:living) in (?P<v>.+)", re.IGNORECASE), "home"),
    (regex(r"^(?:dating|seeing) (?P<v>.+)", re.IGNORECASE), "partner"),
    (regex(r"^(?:working) (?:at|for) (?P<v>.+)", re.IGNORECASE), "employer"),
    (regex(r"^(?:working) as an? (?P<v>.+)", re.IGNORECASE), "job"),
    (regex(r"^using (?P<v>.+)", re.IGNORECASE), "uses"),
)
_QUIT: Final = regex(
    r"§(?: and others)? (?:has |just |finally |recently |have |completely )*(?:stopped|quit|gave up|dropped) "
    r"(?P<v>(?:learning|studying|dating|seeing|using|living|working|taking) [^.,;!]{2,40}?)" + _ENDS,
    re.IGNORECASE,
)
_LEFT: Final = regex(
    r"§(?: and others)? (?:has |just |finally |recently |have )*(?:left|quit|dropped out of"
    r"|resigned from) (?:the|§'s|our) "
    r"(?P<v>(?:[\w'-]+ ){0,3}?(?:gym|club|team|choir|band|group|league|orchestra|church|society|class|troupe"
    r"|studio|squad))" + _ENDS,
    re.IGNORECASE,
)
_JOB_AT: Final = regex(r"^(?:[\w-]+ )*job (?:at|with) (?P<v>.+)$")

# An appointment that is put off, or a plan that is called off.
_PUT_OFF: Final = regex(
    r"(?P<what>(?:§'s|the) (?:[\w'-]+ ){0,3}?(?:appointment|meeting|interview|exam|flight|trip|party|wedding"
    r"|concert|dinner"
    r"|lesson|class|surgery|call|visit|move|deadline|presentation|check-?up|reservation|race|recital|game|match))\b"
    r"[^.,;!]{0,20}? (?:was|got|has been|is|is now|had to be)?\s*(?:moved|rescheduled|postponed|pushed(?: back)?"
    r"|changed"
    r"|delayed|brought forward|shifted) (?:from [^.,;!]{2,30} )?(?:to|until|till) (?P<v>[^.;!]{2,40})",
    re.IGNORECASE,
)
_CALLED_OFF: Final = regex(
    r"(?P<what>(?:§'s|the) (?:[\w'-]+ ){0,3}?(?:appointment|meeting|interview|exam|flight|trip|party|wedding"
    r"|concert|dinner"
    r"|lesson|class|surgery|call|visit|move|presentation|check-?up|reservation|race|recital|game|match)(?: (?:to"
    r"|with|in) "
    r"[A-Z]\w+)?) (?:was|got|has been|is|had to be) (?:cancel+ed|called off)"
    r"|§(?: and others)? (?:has |had to |just |have )*(?:cancel+ed|call(?:ed)? off|cancel) (?P<own>(?:§'s"
    r"|the) [^.,;!]{3,40}?)" + _ENDS,
    re.IGNORECASE,
)

_OWNED = rule("owns", "", "{s} has {v}", lasting=True)
_GONE = rule("owns", "", "{s} no longer has the {v}", positive=False, dated=True)


def changes(sentence: str, maker: Maker) -> Iterator[Claim]:
    """Yield the claims of changes in the speaker's life."""
    if "§" not in sentence:
        return
    yield from _things(sentence, maker)
    yield from _pets(sentence, maker)
    yield from _switches(sentence, maker)
    yield from _plans(sentence, maker)
    for pattern, slot, text in ((_QUIT, "habit", "{s} stopped "), (_LEFT, "membership", "{s} left the ")):
        found = pattern.search(sentence)
        if found is not None and not unsure(sentence, found.start(), past=True):
            value = found["v"]
            yield maker.claim("fact", maker.speaker, slot, value, f"{text}{value}.", positive=False, rule=_GONE)


def _things(sentence: str, maker: Maker) -> Iterator[Claim]:
    for found in _EXCHANGED.finditer(sentence):
        if not unsure(sentence, found.start(), past=True):
            yield _no_longer_had(found["v"], maker)
            new = without_determiner(trimmed(found["new"]))
            if is_meaningful(new):
                yield maker.claim("fact", maker.speaker, "owns", new, f"{{s}} has {_article(new)} {new}.", rule=_OWNED)
            return
    for pattern in (_GAVE_UP, _TAKEN):
        for found in pattern.finditer(sentence):
            if not unsure(sentence, found.start(), past=True):
                yield _no_longer_had(found["v"], maker)


def _no_longer_had(thing: str, maker: Maker) -> Claim:
    value = re.sub(r"^(?:old|beloved|trusty|little) ", "", thing)
    text = f"{{s}} no longer has the {value}."
    return maker.claim("fact", maker.speaker, "owns", value, text, positive=False, rule=_GONE)


def _article(value: str) -> str:
    return "an" if value[:1].lower() in "aeio" else "a"


def _pets(sentence: str, maker: Maker) -> Iterator[Claim]:
    for pattern in (_DIED, _PUT_DOWN):
        found = pattern.search(sentence)
        if found is not None and not unsure(sentence, found.start(), past=True):
            value = found["v"] or found.groupdict().get("name") or ""
            named = _PET_AT.search(sentence)
            if named is not None and named["name"] and value in (named["name"], named["pet"]):
                value = f"{named['pet']} {named['name']}"
            text = f"{{s}} no longer has the {value}." if value[0].islower() else f"{{s}} no longer has {value}."
            yield maker.claim("profile", maker.speaker, "pet", value, text, positive=False, rule=_GONE)
            return


def _switches(sentence: str, maker: Maker) -> Iterator[Claim]:
    found = _SWITCHED.search(sentence)
    if found is not None and not unsure(sentence, found.start(), past=True):
        old, new = trimmed(found["old"]), trimmed(found["v"])
        slot = "uses" if old[:1].isupper() or new[:1].isupper() else "habit"
        if old.lower() in _AS_DIETS or new.lower() in _AS_DIETS:
            slot = "diet"
        if is_meaningful(old) and is_meaningful(new):
            yield maker.claim(
                "fact", maker.speaker, slot, old, f"{{s}} switched from {old}.", positive=False, rule=_GONE
            )
            yield maker.claim("fact", maker.speaker, slot, new, f"{{s}} switched to {new}.", rule=_OWNED)
        return
    for pattern, text in ((_SWITCHED_TO, "{s} switched to "), (_USES, "{s} uses ")):
        for found in pattern.finditer(sentence):
            if not unsure(sentence, found.start(), past=True):
                yield maker.claim("fact", maker.speaker, "uses", found["v"], f"{text}{found['v']}.", rule=_OWNED)


_AS_DIETS: Final = frozenset({"vegetarian", "vegan", "keto", "pescatarian", "paleo"})
_WHEN = rule("plan", "", "", dated=True)


def _plans(sentence: str, maker: Maker) -> Iterator[Claim]:
    found = _PUT_OFF.search(sentence)
    if found is not None and not unsure(sentence, found.start(), past=True):
        value = f"{found['what']} to {phrase(found['v']) or found['v']}"
        yield maker.claim(
            "profile", maker.speaker, "plan", value, f"{found['what']} is moved to {found['v']}.", rule=_WHEN
        )
        return
    found = _CALLED_OFF.search(sentence)
    if found is not None and not unsure(sentence, found.start(), past=True):
        what = found["what"] or found["own"]
        yield maker.claim("profile", maker.speaker, "plan", what, f"{what} is called off.", positive=False, rule=_WHEN)


def recast(claim: Claim) -> list[Claim]:
    """Return the claim that something stopped in the slot of that thing; any other claim as it is."""
    if claim.positive or claim.slot not in ("habit", "job"):
        return [claim]
    if claim.slot == "job":
        at = _JOB_AT.match(claim.value)
        left = replace(claim, slot="employer", value=at["v"] if at else "job")
        return [claim, left] if at or claim.value.endswith("job") else [claim]
    for pattern, slot in _STOPPED:
        found = pattern.match(claim.value)
        if found is not None and found["v"]:
            value = found["v"].removeprefix("the ") if slot == "plays" else found["v"]
            return [replace(claim, slot=slot, value=value)]
    return [claim]


def without_undone(found: Sequence[Claim]) -> list[Claim]:
    """Return the claims of one turn without those that another claim of it ends.

    "My dog Coco died" names a dog that no longer exists.
    """
    gone = [
        claim for claim in found if not claim.positive and claim.slot in ("pet", "owns", "plan", "partner", "plays")
    ]
    return [claim for claim in found if not (claim.positive and any(_names_it(each, claim) for each in gone))]


def _names_it(gone: Claim, claim: Claim) -> bool:
    if (gone.subject, gone.slot) != (claim.subject, claim.slot):
        return False
    one, other = gone.value.lower(), claim.value.lower()
    return one in other or other in one


__all__ = ["OPEN", "claims"]

# Maximum number of claims of a turn.
_MOST: Final = 8

_ASSISTANTS: Final = words("assistant system tool ai bot model agent")
_MY: Final = regex(r"\bmy\b", re.IGNORECASE)
_DATE: Final = regex(r"\s\((?:[^()]*\d{4}[^()]*)\)")
_ASKED: Final = regex(r'Asked ".*?", § said: ', re.DOTALL)
# Boundary between two sentences.
_SEVERAL: Final = regex(r"[.!?…)\"\u2019\u201d] |[^\x00-\u2fff] ?|\n|.{400}")
_PICTURE: Final = " shared a picture: "
_CLITIC: Final = regex(
    r"(?<=[a-zà-ÿ])'s(?= (?:expecting|going|coming|moving|an?|not|studying|working|living|learning|turning|pregnant"
    r"|allergic"
    r"|married|engaged|from) )"
)
# An answer behind its question's verb: "Maria rehearses: Wednesdays at eight".
_WHEN_TOLD: Final = regex(
    r"^(§ [a-z]+s): (?=(?:on )?(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days|[Ee]very|[Oo]nce|[Tt]wice)"
)
# Openings of a correction; the rest is an ordinary sentence.
_TURNS_OUT: Final = regex(
    r"^(?:(?:so |well |actually,? )?(?:it )?turns out,?(?: that)?|as it turns out,?|actually,|in fact,|update:"
    r"|correction:"
    r"|sorry,|news:) (?=\S)",
    re.IGNORECASE,
)
_COMES: Final = regex(r"will|is going to")


def claims(passage: Passage, events: Sequence[Sequence[Statement]]) -> list[list[Claim]]:
    """Return the candidate notes of each wanted turn, read from its statements."""
    found = [
        _of_turn(turn, statements, passage.speakers) for turn, statements in zip(passage.wanted, events, strict=True)
    ]
    for place, statements in enumerate(events):
        if statements and not found[place]:
            found[place] += corrections(passage, passage.start + place, _of_last)
    return found


def _of_last(passage: Passage) -> list[Claim]:
    """Return the claims of the last turn of a passage."""
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
    """Return the claims without those whose value is part of another's in the same slot."""
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
    """Reader of the statements of one turn."""

    def __init__(self, turn: Turn, speakers: Sequence[str]) -> None:
        self.turn = turn
        self.speakers = speakers
        # The speaker said "my", so that the thing is not only "ours".
        self.own = "my" in turn.text.lower() and _MY.search(turn.text) is not None
        self.is_assistant = turn.speaker.lower() in _ASSISTANTS
        self.to_assistant = any(one.lower() in _ASSISTANTS for one in speakers) and not self.is_assistant

    def read(self, statement: Statement, place: int) -> Iterator[Claim]:
        """Yield the claims of a statement."""
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
        """Yield the commitments of an assistant for a day."""
        if maker.happened is not None and SELF in sentence:
            for claim in predicates(sentence, maker):
                if claim.slot == "plan" and _COMES.search(claim.text):
                    yield claim
