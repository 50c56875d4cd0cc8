"""Curation: selection of memorable turns (H-Mem, two trees: formation, step 1).

A turn is memorable if something is left of it without the formulas of conversation (greetings, thanks, praise,
encouragement, agreement, farewells): a fact, a plan, an opinion, a name, a number, a date or a picture. A question is
memorable if it states something itself, an answer if its question was memorable.
"""

from functools import lru_cache
from operator import itemgetter
from typing import Final

from hmem.language.analyst.base import Curation, Passage
from hmem.language.english.stopwords import STOP_WORDS
from hmem.language.english.wording import READ, WordedSentence, sentences, stem
from hmem.model.turn import Turn

# Words of praise, thanks and encouragement, and of feelings about anything.
_PRAISE: Final = """
    thank thanks thx ty appreciate grateful thankful gratitude pleasure welcome cheers
    congrats congratulations congratulate kudos bravo props luck lucky best wish bless blessed
    awesome amazing great good better nice cool fantastic wonderful lovely beautiful gorgeous incredible impressive
    inspire inspiring inspiration inspirational stunning brilliant excellent perfect superb terrific fabulous neat sweet
    rad sick lit epic fun funny hilarious cute adorable interesting exciting thrilling touching heartwarming moving
    powerful special meaningful rewarding fulfilling admirable remarkable breathtaking fascinating cozy yummy
    delicious tasty pretty impactful valuable unforgettable unbelievable outstanding phenomenal magical
    excited thrill thrilled happy happier glad proud pleased delight delighted impressed stoked pumped hyped joy joyful
    sorry sad bad worse rough tough hard wild crazy love fan
    strong strength stronger resilient resilience positive positivity positively optimistic determined determination
    dedicated dedication passion passionate commit commitment courage courageous brave bravery guts talent talented
    skill creative creativity attitude spirit energy enthusiasm initiative respect honor honour admire deserve
    kind kindness compassion compassionate confidence confident rock nail kill crush success successful
"""

# Other formula words: greetings, assent, farewells, wishes, vague words.
_VAGUE: Final = """
    hi hello hey heya hiya howdy yo greetings bye goodbye goodnight cya later farewell long ages hola gracias merci
    bonjour danke hallo ciao adiós obrigado olá talk chat spoke speak catch
    oh ooh ah aw aww awe wow woah whoa yay hooray haha hahaha lol omg hmm huh um uh yep yup yeah nope nah no ok okay
    alright absolutely exactly definitely totally certainly indeed right true truly agree course yea hm
    problem worries worry bet guess suppose imagine wonder hope hear feel felt feeling emotion sound look see seen saw
    watch believe faith trust mean meant important essential key crucial ca gotta gonna wanna lemme hafta kinda sorta
    lot bunch ton bit little much many big huge whole real amount way day time genuine genuinely simply always ever
    forever incredibly seriously honestly obviously super especially particular particularly specific specifically
    even lately around matter em anytime part main else
    keep go push quit give fight strive chase achieve accomplish grow growth forward ahead stay power focus stick
    overcome overcame reach stumble motivate motivation support supportive encourage encouragement help helpful offer
    assistance assist word heart boost effort progress journey ride succeed dream goal challenge obstacle setback
    difference impact change potential possible impossible work pay paid show job done worth life live world people
    folks friend buddy pal dude man mate guy girl bro dear everybody person experience memory moment stuff smile peace
    care safe rest easy enjoy relax fine well busy earn together self pic picture photo shot view image share send
    wait ready start begin end happen news update post posted hang tight soon next meet told idea think thought
    question point reason understand understandable sense able find found come came turn bring brought need want leave
    tip suggestion advice step small bright brighten cause desire
    make take give get go try tried agreed check stop hold mind path doubt root compliment hesitate continue tackle
    limit supporter lead balance close top far biggest closer act prob surprise extra
    woohoo phew oof mmm yum ya yall whew yikes ouch geez gosh bummer lookin movin thanx similar describe
    ha mm delish jealous hopefully meantime took taken given gave knew known blast cherish allow realize realise
    beauty beautifully peaceful graceful serene comfort comforting truth recommendation achievement shine action
    effect issue process mention familiar completely finish role everyday tune accomplishment backing
"""

# Words of half weight: one alone is too little, two are enough.
_WEAK_WORDS: Final = """
    year month week weekend night morning evening afternoon today tonight family fam kid home house place community
    group team project event plan story interest hobby favorite favourite book music game food style detail design
    color colour beginning first last old young learn teach remember remind quick fast slow high low full free open
    hit spread class trip road spot hike paint painting join
"""


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


PRAISE: Final = _stems(_PRAISE)
FORMULA: Final = PRAISE | _stems(_VAGUE) | _stems(" ".join(STOP_WORDS))
WEAK: Final = _stems(_WEAK_WORDS)


@lru_cache(maxsize=4_096)
def telling(stems: tuple[str, ...]) -> tuple[str, ...]:
    """Return the stems that belong to no formula."""
    return tuple([word for word in stems if word not in FORMULA])


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Words of time: enough alone, except in a farewell.
_DATES: Final = _words("""
    yesterday tomorrow tonight monday tuesday wednesday thursday friday saturday sunday january february march april
    june july august september october november december christmas easter thanksgiving halloween ago
    """)
_NUMBERS: Final = _words("""
    two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen twice
    third fourth fifth
    """)
_REPLIES: Final = _words("yes yeah yep yup yea no nope nah not never sometimes often usually always")
_FIRST: Final = _words("i my mine myself we our ours im ive")
_SUBJECTS: Final = _words("i we it they he she there")
_OWNED: Final = "my"
_SECOND: Final = _words("you your yours yourself u ya")
_POINTING: Final = _words("that this these those your")

_INITIAL: Final = itemgetter(0)

# Tags that give a statement the form of a question: "right?", "isn't it?".
_TAGS: Final = _words("right huh eh yeah know innit correct")
_NEGATED: Final = _words("isn aren wasn weren don doesn didn couldn wouldn haven hasn ain")

# Minimum number of words of an informative answer, and number of first words searched for its subject.
_TELLING: Final = 5
_OPENING: Final = 3

# Minimum content, in content words, of a statement, of one that may only praise the last message or picture,
# of a question about the other, and of a question in the first person.
_STATEMENT: Final = 1.0
_PRAISED: Final = 2.0
_ASKED: Final = 3.0
_ASKED_OF_ONESELF: Final = 1.0


def curate(passage: Passage) -> list[Curation]:
    """Return for each wanted turn of a passage if it is memorable, with the reasons."""
    names = _names(passage)
    return [
        _curate(turn, passage.turns[at - 1] if at else None, names)
        for at, turn in enumerate(passage.turns[passage.start :], passage.start)
    ]


def _names(passage: Passage) -> frozenset[str]:
    """Return the lower-cased names of the speakers and their short forms: an address by name is no information."""
    speakers = dict.fromkeys((*passage.speakers, *(turn.speaker for turn in passage.turns)))
    words = [word for speaker in speakers for word in speaker.lower().split()]
    return frozenset(word[:length] for word in words for length in range(min(3, len(word)), len(word) + 1))


def _curate(turn: Turn, before: Turn | None, names: frozenset[str]) -> Curation:
    reasons: list[str] = []
    if turn.caption or turn.attachments:
        reasons.append("picture")
    said = sentences(turn.text)
    if said and len(turn.text) > READ:
        return Curation(memorable=True, reasons=(*reasons, "length"))
    for sentence in said:
        reasons.extend(_speaks(sentence, names))
    if not reasons and said and before is not None and _answers(said, turn, before, names):
        reasons.append("answer")
    return Curation(bool(reasons), tuple(dict.fromkeys(reasons)))


def _speaks(sentence: WordedSentence, names: frozenset[str]) -> list[str]:
    """Return the reasons to take a sentence for content."""
    words = sentence.words
    reasons: list[str] = []
    if not _NUMBERS.isdisjoint(words) or any(map(str.isdigit, map(_INITIAL, words))):
        reasons.append("number")
    if not _DATES.isdisjoint(words):
        reasons.append("date")
    if sentence.quoted or _named(sentence, names):
        reasons.append("name")
    if _weight(sentence, names) >= _enough(sentence):
        reasons.append("question" if _asks(sentence) else "statement")
    return reasons


def _enough(sentence: WordedSentence) -> float:
    """Return the minimum weight for a sentence to be content."""
    words = sentence.words
    if _asks(sentence):
        return _ASKED if _FIRST.isdisjoint(words) else _ASKED_OF_ONESELF
    addressed = words[0] in _POINTING or not _SECOND.isdisjoint(words)
    return _PRAISED if addressed and not PRAISE.isdisjoint(sentence.roots) else _STATEMENT


def _asks(sentence: WordedSentence) -> bool:
    """Tell if a sentence is a question, and not a statement with a tag."""
    words = sentence.words
    return sentence.question and not (len(words) > 2 and (words[-1] in _TAGS or words[-2] in _NEGATED))


def _weight(sentence: WordedSentence, names: frozenset[str]) -> float:
    """Return the weighted number of content words: formulas 0, weak words 0.5, or 1 behind "my"."""
    words, roots = sentence.words, sentence.roots
    if not names.isdisjoint(words):
        roots = [root for word, root in zip(words, roots, strict=True) if word not in names]
    # Function words are among the formulas.
    kept = frozenset(roots) - FORMULA
    weak = kept & WEAK
    owned = bool(weak) and _OWNED in words
    return len(kept) - 0.5 * len(weak) + 0.5 * owned


def _named(sentence: WordedSentence, names: frozenset[str]) -> bool:
    """Tell if a capitalised word inside the sentence is neither a speaker nor in capitals for emphasis."""
    inside = sentence.written[1:]
    return any(map(str.isupper, map(_INITIAL, inside))) and any(
        word[0].isupper() and bare not in names and root not in FORMULA and not word.isupper()
        for word, bare, root in zip(inside, sentence.words[1:], sentence.roots[1:], strict=True)
    )


def _answers(said: tuple[WordedSentence, ...], turn: Turn, before: Turn, names: frozenset[str]) -> bool:
    """Tell if a turn without content answers another speaker's question that has some."""
    asked = sentences(before.text)
    if turn.speaker == before.speaker or not asked or not asked[-1].question:
        return False
    replies = said[0].words[0] in _REPLIES or any(_tells(sentence) for sentence in said)
    return replies and _weight(asked[-1], names) >= _STATEMENT


def _tells(sentence: WordedSentence) -> bool:
    """Tell if a sentence, however vague, has a subject and a predicate."""
    words = sentence.words
    return not sentence.question and len(words) >= _TELLING and not _SUBJECTS.isdisjoint(words[:_OPENING])
