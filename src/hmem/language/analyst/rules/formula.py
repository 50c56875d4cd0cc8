"""The words of conversation's formulas: they carry no content, whatever is praised, wished or agreed on."""

from functools import lru_cache
from typing import Final

from hmem.language.analyst.rules.wording import stem
from hmem.language.stopwords import STOP_WORDS

# Words of praise, thanks and encouragement, and of how something feels, whatever it is.
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

# Other words that only carry a formula: greetings, assent, farewells, wishes, and what is vague in itself.
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

# Half content: with one of these alone a sentence says little, with two it says something.
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
    """Those of the stems that are not of a formula."""
    return tuple([word for word in stems if word not in FORMULA])
