"""Proper names in questions and in lines of evidence, by capitals: a search needs no parser, and cannot wait for one.

The names of what is formed are read from trees (``meaning.names``).

The lists of known names (given names, places, brands, holidays, languages) and of words that are no names are small on
purpose: any other name is recognised by its spelling and its context. A capital inside a sentence makes a name, unless
the word is common; at the start of a sentence the word must be a known name, or the context must show that it is one.
Decided:

- Days and months are no entities, nor are peoples and languages used as adjectives ("Irish music"); a language alone
  is one ("learning German").
- A name of address ("Thanks, Maria!") is a naming of low salience.
- Texts in quotes or italics are works if they are written like titles.
- Lines in which most words have a capital are headings: there a capital means nothing.
"""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from hmem.language.analyst.base import Naming
from hmem.language.english.gazetteer import DAYS_AND_MONTHS, given_names, known_names, known_pairs
from hmem.language.english.meaning.name_lists import LANGUAGES, PEOPLES, common_words
from hmem.language.english.stopwords import STOP_WORDS
from hmem.language.regex import regex
from hmem.model.entity import EntityType

# Endings that may be removed, with their replacements.
_ENDINGS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("ies", ("y",)),
    ("ier", ("y",)),
    ("iest", ("y",)),
    ("es", ("", "e")),
    ("s", ("",)),
    ("ied", ("y",)),
    ("ed", ("", "e")),
    ("ing", ("", "e")),
    ("in", ("", "e", "g")),
    ("ly", ("",)),
    ("er", ("", "e")),
    ("est", ("", "e")),
)
_LEAST_BASE: Final = 3


@lru_cache(maxsize=65_536)
def is_common(word: str) -> bool:
    """Tell if a lower-cased word, in any of its forms, is usually written small."""
    common = common_words()
    if word in common:
        return True
    for ending, instead in _ENDINGS:
        base = word.removesuffix(ending)
        if len(base) == len(word) or len(base) < _LEAST_BASE:
            continue
        if any(base + end in common for end in instead) or (base[-1] == base[-2] and base[:-1] in common):
            return True
    return False


_KIN: Final = (
    r"(?:step|grand|great-?grand|god|half-?)?-?(?:mother|father|sister|brother|son|daughter|child|parent|ma|pa|mum|mom"
    r"|dad)"
    r"|wife|husband|partner|spouse|fiancée?|girlfriend|boyfriend|cousin|aunt|auntie|uncle|niece|nephew|twin|baby|kid"
    r"|toddler|one-year-old|(?:girl|boy)|in-law"
)
_PEOPLE: Final = (
    r"friend|bestie|buddy|pal|mate|roommate|flatmate|colleague|coworker|co-worker|teammate|classmate|neighbou?r|boss"
    r"|manager|coach|mentor|teacher|professor|tutor|therapist|doctor|nurse|trainer|instructor|student|client|veteran"
    r"|guy|woman|man|lady|person|artist|author|writer|singer|musician|actor|actress|director|composer|pianist|poet"
    r"|painter|photographer|someone|somebody|player|volunteer|resident|assistant|chef|advisor|landlord|guide|character|hero|superhero"
)
_PETS: Final = (
    r"dog|doggo|puppy|pup|pooch|cat|kitty|kitten|rabbit|bunny|hamster|guinea pig|parrot|bird|turtle|tortoise|fish|pet"
    r"|horse|pony|lizard|gecko|snake|ferret|labrador|retriever|poodle|bulldog|corgi|beagle|terrier|shepherd|husky|chihuahua"
)
_LIVING: Final = rf"(?:{_KIN}|{_PEOPLE}|{_PETS})"

_WORKS: Final = (
    r"books?|novels?|movies?|films?|songs?|album|series|shows?|games?|video\s+games?|saga|trilogy|script|screenplay|poem"
    r"|painting|podcast|play|piece|track|tune|musical|documentary|anime|manga|comics?|story|stories|sitcom|soundtrack"
    r"|franchise|fan|fans|tournament|universe|memoir|rpg|dvd"
)
_PLACES: Final = (
    r"restaurant|location|caf[eé]|coffee\s+shop|place|spot|town|city|village|park|beach|lake|island|hotel|hostel|bar|pub|trail"
    r"|neighbou?rhood|region|country|state|county|area|mountain|river|suburb|district"
)
_GROUPS: Final = (
    r"company|startup|firm|store|shop|studio|band|group|team|club|organi[sz]ation|charity|non-?profit|agency|brand|school"
    r"|university|college|church|orchestra|label|publisher|foundation|business|bank"
)
_THINGS: Final = (
    r"app|tool|software|product|console|perfume|drink|cocktail|wine|beer|phone|laptop|camera|car|bike|platform"
)
_EVENTS: Final = r"event|festival|conference|convention|race|marathon|campaign|parade|holiday|concert|tour"

_NAMED: Final = regex(
    r"\b(?:named|called|titled|entitled|nicknamed|known\s+as|name(?:['’]s|\s+is|\s+was|d\s+(?:her|him|it|them))?"
    r"|goes\s+by|call\s+(?:her|him|it|them)|call\s+me|i['’]m|i\s+am|this\s+is|meet)\s*[:,]?\s*[\"“*'‘]*$",
    re.IGNORECASE,
)
_TRULY_NAMED: Final = regex(r"\b(?:nam|call|title|known)", re.IGNORECASE)
_APPOSED: Final = regex(rf"\b{_LIVING}(?:s|['’]s)?,?\s*(?:(?:is|are|was|were)\s+|-\s*|\()?$", re.IGNORECASE)
_ADDRESS: Final = regex(
    r"\b(?:mr|mrs|ms|miss|dr|prof|professor|uncle|aunt|auntie|grandma|grandpa|granny|cousin|sir|coach|captain)\.?\s+$",
    re.IGNORECASE,
)
_GREETED: Final = regex(
    r"(?:^|[^\w])(?:hey|hi|hello|hiya|yo|dear|thanks|thank\s+you|thx|congrats|congratulations|bye|goodbye|wow|woah|whoa|oh"
    r"|yeah|yes|yep|no|sure|cool|great|nice|awesome|sorry|welcome|remember|anytime|morning|evening|night|news|luck|true"
    r"|absolutely|definitely|agreed|exactly|totally|cheers|ok|okay|well|aww?|ah|haha|hah|luv|love|work|job|one|right|course"
    r"|problem|worries|doubt|thing|way\s+to\s+go|you|too|it|that|this|there|then|now|up|much|so|again|soon|out|em|hoo|man)"
    r"[,!]?\s+$",
    re.IGNORECASE,
)
_COMMA: Final = regex(r"(?:^|[\w'’\"”)!?.]),\s*$")
_CLOSED: Final = regex(r"\s*(?:[,.!?]|[-–—]\s|$|[^\w\s'’\"“”])")
_PERSON_AFTER: Final = regex(
    rf"(?:\s+(?:and\s+(?:I|me)\b|said|says|told|tells|asked|asks|invited|who\b|whose\b|gave|taught|helped|loves|likes|thinks"
    rf"|wants|texted|called|mentioned|suggested|recommended)\b)|,\s+(?:my|our|his|her|their|a|an|the)\s+(?:\w+\s+)?(?:{_LIVING})\b",
)
_PERSON_BEFORE: Final = regex(
    r"\b(?:met|meeting|meet|miss|missing|hug|told|asked|called|texted|thank|invited|married|dating|adopted"
    r"|tell|ask|dear|hugging|walk|walking|feed|feeding|love)\s+$",
    re.IGNORECASE,
)
_AUTHORED: Final = regex(
    r"(?:[\"”’*]|\b(?:written|directed|composed|painted|sung|book|novel|song|album|series|one)),?\s+by\s+$"
)
_WORK_BEFORE: Final = regex(
    rf"\b(?:{_WORKS}|read|reading|reads|rereading|reread|watch|watching|watched|watches|rewatch\w*|play|playing|played)"
    rf"(?:\s+(?:the|this|my|a|about|of|is|was|like))?,?\s*[:-]?\s*[\"“*‘']*$",
    re.IGNORECASE,
)
_WORK_AFTER: Final = regex(
    rf"\s+(?:\w+\s+)?(?:{_WORKS})\b|\s+by\s+[A-Z]|\s+(?:marathon|soundtrack|theme[d]?|cosplay)\b",
)
_PLACE_BEFORE: Final = regex(
    r"\b(?:in|near|visit|visited|visiting|across|around|explor(?:e|ed|ing)|(?:went|go|going|been|trip|travel+(?:ed|ing)?|flew"
    r"|fly|flying|drive|drove|driving|moved|move|moving|back|headed|heading|get|got|return(?:ed|ing)?|road|way|tour|flight"
    r"|ticket|tickets|come|came|hike|hiking)\s+to|(?:live|lived|living|stay|stayed|staying)\s+(?:in|at|near)|through|outside"
    r"|throughout)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_GROUP_BEFORE: Final = regex(
    r"\b(?:(?:work|works|worked|working|job|intern(?:ed|ing|ship)?|career|position|role|employed|hired|study|studied"
    r"|graduated|enrol+ed|volunteer(?:ed|ing)?)\s+(?:at|for|with|by|from|in)|joined|sponsored\s+by|signed\s+with|deal\s+with)"
    r"\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_THING_BEFORE: Final = regex(
    rf"\b(?:bought|ordered|install(?:ed|ing)?|using|use|{_THINGS})\s+(?:a|an|the|my)?\s*$", re.IGNORECASE
)
_HEADS_OF_KINDS: Final[tuple[tuple[str, EntityType], ...]] = (
    (_LIVING, "person"),
    (_WORKS, "work"),
    (_GROUPS, "organization"),
    (_PLACES, "location"),
    (_THINGS, "product"),
    (_EVENTS, "event"),
)
_HEADS: Final[tuple[tuple[re.Pattern[str], EntityType], ...]] = tuple(
    (regex(rf"\b(?:{words})s?\b", re.IGNORECASE), kind) for words, kind in _HEADS_OF_KINDS
)

_LAST_WORDS_OF_KINDS: Final[dict[EntityType, str]] = {
    "location": """
        park beach lake river canyon island islands mountain mountains mount valley county city street avenue
        road bridge tower forest bay peak falls square garden gardens castle palace village town trail harbor
        harbour plaza coast desert glacier sea ocean hills heights airport station museum gallery zoo aquarium
        cathedral temple hotel resort restaurant cafe café pub bar reef cove hall studios
        """,
    "organization": """
        inc ltd llc corp corporation company co university college school academy institute club church
        hospital foundation association agency team bank society group department ministry council orchestra
        symphony band shelter library union league committee center centre clinic labs partners ventures
        warriors wolves lakers bulls celtics heat jazz lions tigers bears eagles giants united records press
        """,
    "event": """
        festival conference marathon cup olympics awards parade fair expo summit championship championships
        tournament convention week weekend day eve month night gala carnival bowl games war
        """,
    "work": """
        book novel chronicles trilogy saga movie song album
        """,
    "product": """
        phone watch console pro max mini ultra app
        """,
}
_LAST_WORDS: Final[dict[str, EntityType]] = {
    word: kind for kind, words in _LAST_WORDS_OF_KINDS.items() for word in words.split()
}

# Maximum distance of the noun of a thing from "named", in characters.
_HEAD_WITHIN: Final = 20

# Number of characters of context read before and after a name.
BEFORE: Final = 48
AFTER: Final = 40


def last_word(word: str) -> EntityType | None:
    """Return the type shown by the lower-cased last word of a name: "Park" makes it a place."""
    return _LAST_WORDS.get(word)


def named(before: str) -> EntityType | None:
    """Return the type of a thing named explicitly ("a puppy named …", "her name is …", "this is …"), or None."""
    match = _NAMED.search(before)
    if match is None:
        return None
    found: list[tuple[int, EntityType]] = [
        (heads[-1].end(), kind)
        for head, kind in _HEADS
        if (heads := list(head.finditer(before, max(0, match.start() - _HEAD_WITHIN), match.start())))
    ]
    if found:
        return max(found)[1]
    return "person"


def truly_named(before: str) -> bool:
    """Tell if "named" or "called" stands before, so that any capital is a name."""
    match = _NAMED.search(before) if _TRULY_NAMED.search(before) else None
    return match is not None and _TRULY_NAMED.search(match[0]) is not None


def apposed(before: str, after: str) -> bool:
    """Tell if a word for a person or pet stands beside a name: "my colleague …", "Dr. …", "…, my sister"."""
    return bool(_APPOSED.search(before) or _ADDRESS.search(before) or _PERSON_AFTER.match(after))


def addressed(before: str, after: str, *, initial: bool) -> bool:
    """Tell if a name is one of address: "Thanks, …!", "Hey …,"."""
    if not _CLOSED.match(after):
        return bool(_GREETED.search(before)) and after[:1] == " " and bool(_GREETING.search(before))
    return bool(_GREETED.search(before) or _COMMA.search(before)) or (initial and after[:1] == ",")


_GREETING: Final = regex(r"\b(?:hey|hi|hello|thanks|congrats|bye|wow|woah|yeah)[,!]?\s+$", re.IGNORECASE)


def guess(before: str, after: str) -> EntityType | None:
    """Return the type of an unlisted name by the words around it, or None."""
    if _AUTHORED.search(before):
        return "person"
    if _WORK_BEFORE.search(before) or _WORK_AFTER.match(after):
        return "work"
    if _GROUP_BEFORE.search(before):
        return "organization"
    if _PLACE_BEFORE.search(before):
        return "location"
    if _THING_BEFORE.search(before):
        return "product"
    return "person" if _PERSON_BEFORE.search(before) else None


def quoted(before: str, after: str) -> EntityType:
    """Return the type of a quoted title: a work, unless a word before it says a group, place, thing or event."""
    match = _NAMED.search(before)
    if match is None or _AUTHORED.match(after):
        return "work"
    kind = named(before)
    return "work" if kind in (None, "person") else kind


_QUOTED: Final = regex(r"[\"“](?P<quoted>[^\"“”\n]{2,80})[\"”]|(?<![\w*])\*(?P<slanted>[^*\s][^*\n]{1,80})\*(?![\w*])")
_LONGEST: Final = 9
_HEAVY: Final = 4
_LEAST_CAPITALS: Final = 2


def titles(text: str) -> list[Naming]:
    """Return the quoted or italic parts of a text that are written like titles."""
    if '"' not in text and "“" not in text and "*" not in text:
        return []
    found: list[Naming] = []
    for match in _QUOTED.finditer(text):
        inner = match["quoted"] or match["slanted"]
        title = inner.strip(" ,.;:-")
        before, after = text[max(0, match.start() - BEFORE) : match.start()], text[match.end() : match.end() + AFTER]
        if _is_title(title) and (_is_telling(title, slanted=not match["quoted"]) or guess(before, after) == "work"):
            start = text.index(title, match.start())
            found.append(Naming(title, quoted(before, after), start, start + len(title)))
    return found


def _is_title(title: str) -> bool:
    """Tell if the first and all main words have a capital and nothing marks direct speech."""
    words = title.split()
    if not words or len(words) > _LONGEST or not title[0].isupper() or title[-1] in "!?":
        return False
    heavy = [
        word for word in words if len(word.strip("'’,:")) >= _HEAVY and word not in STOP_WORDS and word[0].isalpha()
    ]
    if not all(word[0].isupper() for word in heavy):
        return False
    return len(words) == 1 or sum(word[0].isupper() or word[0].isdigit() for word in words) >= _LEAST_CAPITALS


def _is_telling(title: str, *, slanted: bool) -> bool:
    """Tell if a title is specific: "Hello" needs a verb like "watch", and italics may only be emphasis."""
    words = [word.strip("'’,:").lower() for word in title.split()]
    if len(words) == 1:
        return title.isalpha() and not title.isupper() and not is_common(words[0])
    return not slanted or not all(map(is_common, words))


_UPPER: Final = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĢĪİŁŃŇŌŐŘŚŞŠŤŪŮŰŹŻŽ"
_CAPITAL: Final = regex(
    rf"[{_UPPER}ie](?:(?<=[{_UPPER}])|(?=[{_UPPER}]))(?<![\w@#/\\-].)\w*(?:(?:['’.&:-](?=\w)|\+)\w*)*",
)
_CONTRACTED: Final = regex(r"['’](?:s|m|re|ve|ll|d|t|em)$", re.IGNORECASE)
_JOINED: Final = regex(r" (?:(?:of|of the|the|de|de la|del|van|von|der|and the|for the|in the|to the|&|in|and) )?|\. ")
_CAPITAL_INSIDE: Final = regex(rf"[a-z][-']?[{_UPPER}]")
_INITIALS: Final = regex(rf"(?!I\Z)[{_UPPER}](?:\.[{_UPPER}])*")
_LINE_WORD: Final = regex(r"[^\W\d_][\w'’-]{3,}")
_ENDS: Final = '.!?…:;\n\r\t*•-–—|>()[]{}"“”'
_SKIP: Final = " \u00a0'‘’_"
_LABEL: Final = regex(r"\s*(?:\*\*|:|[-–—]\s|\n)")
_TITLES: Final = frozenset({"dr", "mr", "mrs", "ms", "prof", "professor", "uncle", "aunt", "auntie", "sir"})
_SHORTENED: Final = frozenset({"st", "mt", "ft", "jr"}) | _TITLES
_LEADING: Final = frozenset({"the", "a", "an"})

_LONGEST_ACRONYM: Final = 5
_LONGEST_NAME: Final = 9
_HEADING_WORDS: Final = 3
_LONGEST_HEADING: Final = 240
_HEADING_SHARE: Final = 0.6

# Salience of a name: as a topic, in an address, on a picture.
_TALKED_ABOUT: Final = 1.0
_CALLED_OUT: Final = 0.3
_PICTURED: Final = 0.5


class _Word(NamedTuple):
    """Capitalised word. ``base`` is its lower-cased form without contractions."""

    start: int
    end: int
    surface: str
    base: str
    initial: bool
    cut: bool


def names(text: str, people: Collection[str] = (), pictured: int | None = None, most: int = 1_000) -> list[Naming]:
    """Return the first ``most`` proper names of a text, in its order.

    ``people`` are lower-cased names known to be people's. The text from ``pictured`` on is a caption.
    """
    found = titles(text)
    taken = [(naming.start, naming.end) for naming in found]
    doubtful: list[list[_Word]] = []
    for run in _runs(text, taken):
        naming = _judge(text, run, people)
        if naming is None:
            doubtful.append(run)
        else:
            found.append(naming)
        if len(found) - len(taken) >= most:
            break
    _believe(found, doubtful)
    found = sorted(found, key=lambda naming: naming.start)[:most]
    if pictured is not None and pictured < len(text):
        found = [
            Naming(one.surface, one.type, one.start, one.end, min(one.salience, _PICTURED))
            if one.start >= pictured
            else one
            for one in found
        ]
    return found


def _believe(found: list[Naming], doubtful: list[list[_Word]]) -> None:
    """Add doubtful words that are names elsewhere in the text."""
    known: dict[str, EntityType] = {naming.surface: naming.type for naming in found}
    found += [
        Naming(word.surface, kind, word.start, word.end, _TALKED_ABOUT)
        for word in (run[0] for run in doubtful if len(run) == 1)
        if (kind := known.get(word.surface)) is not None
    ]


# Capitalised words.


def _runs(text: str, taken: list[tuple[int, int]]) -> Iterator[list[_Word]]:
    """Yield runs of capitalised words, joined by "of" and the like, outside the taken spans."""
    run: list[_Word] = []
    place = 0
    taken = sorted(taken)
    for match in _CAPITAL.finditer(text):
        while place < len(taken) and taken[place][1] <= match.start():
            place += 1
        if place < len(taken) and taken[place][0] <= match.start():
            continue
        word = _word(text, match)
        if run and not _joins(text, run[-1], word):
            yield run
            run = []
        run.append(word)
    if run:
        yield run


def _word(text: str, match: re.Match[str]) -> _Word:
    surface = match[0].rstrip(".-&:'’")
    contracted = _CONTRACTED.search(surface) if "'" in surface or "’" in surface else None
    # The apostrophe of "McDonald's" and "Levi's" belongs to the name.
    own = contracted is not None and surface.lower().replace("’", "'") in known_names()
    end = match.start() + (len(surface) if contracted is None or own else contracted.start())
    plain = text[match.start() : end]
    return _Word(
        match.start(),
        end,
        plain,
        plain.lower().replace("’", "'"),
        _is_initial(text, match.start()),
        contracted is not None,
    )


def _is_initial(text: str, start: int) -> bool:
    """Tell if a word begins a sentence, a line or a quotation."""
    place = start - 1
    while place >= 0 and text[place] in _SKIP:
        place -= 1
    return place < 0 or text[place] in _ENDS or not (text[place].isalnum() or text[place] in ",&/%$+'’")


def _joins(text: str, last: _Word, word: _Word) -> bool:
    gap = text[last.end : word.start]
    if last.cut:
        return last.base + "'s " + word.base in known_names() or (
            gap in ("'s ", "’s ") and word.base in ("day", "eve") and not is_common(last.base)
        )
    if gap == ". ":
        return last.base in _SHORTENED or _INITIALS.fullmatch(last.surface) is not None
    if gap == " " and (last.base, word.base) in known_pairs():
        return True
    if not _JOINED.fullmatch(gap) or last.base in STOP_WORDS:
        return gap == " " and not last.initial and last.surface != "I"
    if gap in (" and ", " in ", " & "):
        # "Luna and Oliver" are two names, "Barnes & Noble" is one.
        return gap == " & "
    return word.base not in STOP_WORDS or word.base in given_names()


def _judge(text: str, run: list[_Word], people: Collection[str]) -> Naming | None:
    """Return the name in a run of words, or None."""
    if len(run) == 1 and run[0].base in _never_names() and run[0].base not in people:
        return None
    run = _trimmed(text, run, people)
    if not run:
        return None
    start, end = run[0].start, run[-1].end
    before, after = text[max(0, start - BEFORE) : start], text[end : end + AFTER]
    kind, salience = (
        _one_word(text, run[0], before, after, people) if len(run) == 1 else _several(text, run, before, after, people)
    )
    return None if kind is None else Naming(text[start:end], kind, start, end, salience)


@lru_cache(maxsize=1)
def _never_names() -> frozenset[str]:
    """Return words with a capital only at the start of a sentence; most capitals are theirs."""
    return frozenset(word for word in STOP_WORDS | _LEADING if word not in given_names() and word not in known_names())


def _trimmed(text: str, run: list[_Word], people: Collection[str]) -> list[_Word]:
    """Return a run without the words at its edges that are capitalised only by position or emphasis."""
    whole = text[run[0].start : run[-1].end].lower()
    if whole in known_names():
        return run
    for place, word in enumerate(run):
        if word.base in people and all(other.initial or is_common(other.base) for other in run[:place]):
            stop = place + 1
            while stop < len(run) and run[stop].base not in STOP_WORDS and not is_common(run[stop].base):
                stop += 1
            return run[place:stop]
    first, last = 0, len(run)
    while first < last and _only_leads(run[first], alone=last - first == 1):
        first += 1
    while last > first and (run[last - 1].base in STOP_WORDS and last - first > 1):
        last -= 1
    return run[first:last]


def _only_leads(word: _Word, *, alone: bool) -> bool:
    if word.base in given_names() and not alone and word.base not in ("may", "will"):
        return False
    if word.base in DAYS_AND_MONTHS and not alone:
        return True
    if word.base in STOP_WORDS or word.base in _LEADING:
        return not alone or word.base not in given_names()
    return word.initial and not alone and is_common(word.base)


def _one_word(
    text: str, word: _Word, before: str, after: str, people: Collection[str]
) -> tuple[EntityType | None, float]:
    base = word.base
    if base in people:
        return "person", _weight(word, before, after)
    if _INITIALS.fullmatch(word.surface) or base == "i":
        return None, 0
    if not _shouted(text, word) and truly_named(before) and word.base not in PEOPLES:
        return named(before), _TALKED_ABOUT
    if base in DAYS_AND_MONTHS and not (base in given_names() and apposed(before, after)):
        return None, 0
    if base.split("-")[0] in PEOPLES:
        alone = base in LANGUAGES and not word.initial and not re.match(r"[ -][a-z]", _unless_joined(after))
        return ("other", _TALKED_ABOUT) if alone else (None, 0)
    common = _is_common(word)
    known = _known_word(word, before, after, common=common, heading=_heading(text, word.start))
    if known is not None:
        return known, _weight(word, before, after) if known == "person" else _TALKED_ABOUT
    if common or (word.surface.isupper() and (_shouted(text, word) or len(base) > _LONGEST_ACRONYM)):
        return None, 0
    return _unknown_word(text, word, before, after)


def _is_common(word: _Word) -> bool:
    if is_common(word.base) or (word.initial and word.base.endswith("ly") and word.base not in given_names()):
        return True
    return "-" in word.base and not _CAPITAL_INSIDE.search(word.surface) and all(map(is_common, word.base.split("-")))


def _unless_joined(after: str) -> str:
    """Return the text behind a word, or "" if the next word continues the sentence."""
    following = re.match(r" (\w+)", after)
    return "" if following and following[1].lower() in STOP_WORDS else after


def _known_word(word: _Word, before: str, after: str, *, common: bool, heading: bool) -> EntityType | None:
    """Return the type of a listed word whose capital is not merely the start of a sentence, or None."""
    base = word.base
    if common and (word.initial or heading):
        return None
    kind = known_names().get(base)
    if base in given_names() and (kind is None or apposed(before, after)):
        return "person"
    return kind


def _weight(word: _Word, before: str, after: str) -> float:
    """Return the salience of a person's name."""
    called = addressed(before, after, initial=word.initial) and not apposed(before, after)
    return _CALLED_OUT if called else _TALKED_ABOUT


def _unknown_word(text: str, word: _Word, before: str, after: str) -> tuple[EntityType | None, float]:
    if _heading(text, word.start):
        return None, 0
    if apposed(before, after):
        return "person", _TALKED_ABOUT
    if word.initial and not _CAPITAL_INSIDE.search(word.surface):
        return None, 0
    # A word for a person beside the name was checked above.
    if addressed(before, after, initial=word.initial):
        return "person", _CALLED_OUT
    if (kind := named(before)) is not None:
        return kind, _TALKED_ABOUT
    return guess(before, after) or ("organization" if word.surface.isupper() else "other"), _TALKED_ABOUT


def _several(
    text: str, run: list[_Word], before: str, after: str, people: Collection[str]
) -> tuple[EntityType | None, float]:
    whole = text[run[0].start : run[-1].end].lower().replace("’", "'")
    kind = known_names().get(whole)
    if kind is not None:
        return kind, _TALKED_ABOUT
    common = [_is_common(word) for word in run]
    if len(run) > _LONGEST_NAME or (run[0].initial and _LABEL.match(after) and 2 * sum(common) >= len(run)):
        return None, 0
    if all(word.surface.isupper() for word in run) or (
        all(common) and (run[0].initial or _heading(text, run[0].start))
    ):
        return None, 0
    if run[0].base in people:
        return "person", _TALKED_ABOUT
    if run[0].base in _TITLES:
        return "person", _TALKED_ABOUT
    by_last = last_word(run[-1].base)
    if by_last is not None:
        return by_last, _TALKED_ABOUT
    if truly_named(before):
        return named(before), _TALKED_ABOUT
    if run[0].base in known_names() and run[0].base not in given_names():
        return ("product" if known_names()[run[0].base] == "organization" else "other"), _TALKED_ABOUT
    if (run[0].base in given_names() and not (common[0] and common[-1])) or apposed(before, after):
        return "person", _TALKED_ABOUT
    return guess(before, after) or "other", _TALKED_ABOUT


def _heading(text: str, place: int) -> bool:
    """Tell if most words of the line have a capital, as in a heading."""
    first, last = text.rfind("\n", 0, place) + 1, text.find("\n", place)
    if first == 0 and last == -1:
        return False
    last = len(text) if last < 0 else last
    return last - first <= _LONGEST_HEADING and _is_heading(text[first:last])


@lru_cache(maxsize=4096)
def _is_heading(line: str) -> bool:
    words = _LINE_WORD.findall(line)
    return len(words) >= _HEADING_WORDS and sum(word[0].isupper() for word in words) >= _HEADING_SHARE * len(words)


def _shouted(text: str, word: _Word) -> bool:
    """Tell if a word in capitals stands beside another one."""
    if not word.surface.isupper():
        return False
    near = text[max(0, word.start - 12) : word.start].split()[-1:] + text[word.end : word.end + 12].split()[:1]
    return any(len(other) > 1 and other.isupper() and other.isalpha() for other in near)
