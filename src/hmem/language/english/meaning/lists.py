"""Words that the rules over trees know: what a noun names, which pronouns agree with it, formulas that tell nothing."""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FEMALE_KIN: Final = _words(
    """mother mom mum mama mommy mummy ma mam sister sis daughter wife aunt auntie grandmother grandma granny gran
    nana niece girlfriend fiancée godmother goddaughter stepmother stepmom stepsister stepdaughter granddaughter
    half-sister mother-in-law sister-in-law daughter-in-law ex-wife ex-girlfriend girl woman lady queen widow bride
    landlady waitress actress gf wifey"""
)
MALE_KIN: Final = _words(
    """father dad papa daddy pa brother bro son husband uncle grandfather grandpa granddad grandad nephew boyfriend
    godfather godson stepfather stepdad stepbrother stepson grandson half-brother father-in-law brother-in-law
    son-in-law ex-husband ex-boyfriend boy man guy gentleman king widower groom landlord waiter actor bf hubby"""
)
KIN: Final = (
    FEMALE_KIN
    | MALE_KIN
    | _words(
        """parent parents sibling cousin child children kid kids baby toddler newborn spouse partner fiance fiancé
        fiancee twin twins grandchild grandkid grandparent grandparents in-law relative family"""
    )
) - _words(
    """girl woman lady queen boy man guy gentleman king waitress waiter actress actor bride groom widow widower landlady
    landlord"""
)
ROLES: Final = _words(
    """friend friends boss manager colleague coworker co-worker neighbor neighbour roommate flatmate housemate teacher
    doctor dentist therapist coach trainer tutor mentor advisor supervisor landlord landlady nurse lawyer accountant
    client customer student classmate teammate bandmate ex vet psychiatrist physiotherapist pastor priest nanny
    babysitter assistant buddy bestie mate pal bff physio gp surgeon gardener cleaner childminder professor adviser
    instructor midwife"""
)
PERSONS: Final = (
    KIN
    | ROLES
    | _words(
        "man woman boy girl guy lady person people kid baby actor actress waiter waitress singer artist author writer"
        " chef police"
    )
)
PETS: Final = _words(
    """dog dogs doggo cat cats puppy puppies pup pooch kitten kittens kitty rabbit bunny hamster parrot parakeet bird
    fish goldfish turtle tortoise horse pony mare stallion guinea-pig ferret lizard snake gecko budgie canary hedgehog
    chicken hen goat donkey pig labrador lab retriever poodle terrier beagle corgi husky dachshund bulldog shepherd
    collie spaniel greyhound schnauzer mutt hound pug chihuahua tabby pet pets"""
)
LANGUAGES: Final = _words(
    """afrikaans albanian amharic arabic armenian basque bengali bosnian bulgarian burmese cantonese catalan chinese
    croatian czech danish dutch english esperanto estonian farsi finnish flemish french gaelic georgian german greek
    gujarati hausa hebrew hindi hungarian icelandic igbo indonesian irish italian japanese kannada khmer korean kurdish
    lao latin latvian lithuanian malay malayalam maltese mandarin maori marathi mongolian nepali norwegian pashto
    persian polish portuguese punjabi romanian russian sanskrit serbian sinhala slovak slovenian somali spanish swahili
    swedish tagalog tamil telugu thai tibetan turkish ukrainian urdu uzbek vietnamese welsh xhosa yiddish yoruba zulu"""
)

# One name for what several words call the same relative.
SAME_KIN: Final = {
    **dict.fromkeys(("mom", "mum", "mama", "mommy", "mummy"), "mother"),
    **dict.fromkeys(("dad", "papa", "daddy"), "father"),
    **dict.fromkeys(("grandma", "granny", "nan", "nana"), "grandmother"),
    **dict.fromkeys(("grandpa", "granddad"), "grandfather"),
    "gf": "girlfriend", "bf": "boyfriend", "hubby": "husband", "wifey": "wife", "doc": "doctor", "auntie": "aunt",
}  # fmt: skip

LIGHT_VERBS: Final = _words("do have make take get go come be give keep let put say see know think feel mean")

# A sentence whose predicate is one of these, with nothing of the speaker's in it, is praise or an answer's opening.
PRAISE: Final = _words(
    """great awesome amazing cool nice wonderful fantastic lovely good sweet beautiful incredible impressive exciting
    perfect brilliant super fun funny interesting inspiring true right sorry glad happy thankful grateful cute adorable
    gorgeous excellent fabulous terrific awful terrible sad tough hard okay ok fine sure"""
)
COURTESY: Final = _words(
    """thank thanks congratulation congratulations congrats welcome bye goodbye hello hi hey cheers wow yay okay ok lol
    haha kudos bravo sorry please hooray woah whoa oof aww aw ooh ha"""
)
# Verbs that keep talk going and tell nothing: "let me know", "keep me posted", "I see", "I agree".
TALK: Final = _words(
    "agree bet hear guess understand know see mean wonder appreciate thank congratulate suppose imagine"
)

# Orders that hold for later answers: their words of time, their verbs, and the forms that answers have.
STANDING: Final = _words("always never whenever every future onwards ever")
ANSWERING: Final = _words("""
    answer reply respond call use keep format address speak talk explain avoid remember remind ask mention include skip
    stop stick translate summarize summarise
    """)
TELLING: Final = _words("write give suggest recommend send make show tell start round")
FORMS: Final = _words("""
    answer answers reply replies response responses bullet bullets paragraph paragraphs sentence sentences list lists
    table tables emoji emojis english spanish french german metric celsius words short brief concise briefly concisely
    jargon tone name
    """)
# Nouns that name no thing by themselves: what a slot holds must be told by more.
VAGUE: Final = _words("""
    which that what some one ones any lot lots way stuff thing things everything idea sound look thought direction
    fact part time same more much many
    """)
# Nouns of time.
UNITS: Final = _words(
    """day night morning afternoon evening week weekend month year summer winter spring fall autumn today tonight
    yesterday tomorrow monday tuesday wednesday thursday friday saturday sunday"""
)
