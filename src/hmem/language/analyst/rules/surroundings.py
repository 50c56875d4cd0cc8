"""What the words around a name say of what it names."""

import re
from typing import Final

from hmem.language.regex import regex
from hmem.model.entity import EntityType

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
PET: Final = regex(rf"\b(?:{_PETS})s?\b", re.IGNORECASE)
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

# How far, in characters, the word that says what is named may stand from "named".
_HEAD_WITHIN: Final = 20

# How far before and after a name the text is looked at.
BEFORE: Final = 48
AFTER: Final = 40


def last_word(word: str) -> EntityType | None:
    """What the last word of a name, written small, says of it: "Park" makes it a place."""
    return _LAST_WORDS.get(word)


def named(before: str) -> EntityType | None:
    """The type of what is named explicitly ("a puppy named …", "her name is …", "this is …"), or None."""
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
    """Whether the words before say "named" or "called", so that any capital is a name."""
    match = _NAMED.search(before) if _TRULY_NAMED.search(before) else None
    return match is not None and _TRULY_NAMED.search(match[0]) is not None


def apposed(before: str, after: str) -> bool:
    """Whether a word for a person or a pet stands beside a name: "my colleague …", "Dr. …", "…, my sister"."""
    return bool(_APPOSED.search(before) or _ADDRESS.search(before) or _PERSON_AFTER.match(after))


def addressed(before: str, after: str, *, initial: bool) -> bool:
    """Whether a name is called out to somebody: "Thanks, …!", "Hey …,"."""
    if not _CLOSED.match(after):
        return bool(_GREETED.search(before)) and after[:1] == " " and bool(_GREETING.search(before))
    return bool(_GREETED.search(before) or _COMMA.search(before)) or (initial and after[:1] == ",")


_GREETING: Final = regex(r"\b(?:hey|hi|hello|thanks|congrats|bye|wow|woah|yeah)[,!]?\s+$", re.IGNORECASE)


def guess(before: str, after: str) -> EntityType | None:
    """What the words around a name that is on no list say of it, or None."""
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
    """What a title in quotes is: a work, unless a word before says a group, a place, a thing or an event."""
    match = _NAMED.search(before)
    if match is None or _AUTHORED.match(after):
        return "work"
    kind = named(before)
    return "work" if kind in (None, "person") else kind
