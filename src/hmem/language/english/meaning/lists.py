"""Words that the rules over trees know: what a noun names, which pronouns agree with it, formulas that tell nothing."""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FEMALE_KIN: Final = _words(
    """mother mom mum mama mommy mummy sister daughter wife aunt auntie grandmother grandma granny niece girlfriend
    fiancée godmother stepmother stepmom stepsister girl woman lady queen widow bride landlady waitress actress
    gf wifey"""
)
MALE_KIN: Final = _words(
    """father dad papa daddy brother son husband uncle grandfather grandpa granddad nephew boyfriend godfather
    stepfather stepdad stepbrother boy man guy gentleman king widower groom landlord waiter actor bf hubby"""
)
KIN: Final = (
    FEMALE_KIN
    | MALE_KIN
    | _words(
        """parent parents sibling cousin child children kid kids baby toddler spouse partner fiance fiancé twin twins
        grandchild grandson granddaughter grandparents in-law family"""
    )
) - _words("girl woman lady queen boy man guy gentleman king waitress waiter actress actor bride groom")
ROLES: Final = _words(
    """friend friends boss manager colleague coworker co-worker neighbor neighbour roommate flatmate housemate teacher
    doctor dentist therapist coach trainer tutor mentor advisor supervisor landlord landlady nurse lawyer accountant
    client customer student classmate teammate bandmate ex vet psychiatrist physiotherapist pastor nanny babysitter
    assistant buddy bestie mate physio gp surgeon gardener cleaner childminder"""
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
    """dog dogs cat cats puppy puppies pup kitten kittens rabbit bunny hamster parrot bird fish goldfish turtle tortoise
    horse pony guinea-pig ferret lizard snake gecko budgie canary hedgehog chicken goat labrador lab retriever poodle
    terrier beagle corgi husky dachshund bulldog shepherd collie spaniel greyhound pug chihuahua tabby kitty pet pets"""
)
VEHICLES: Final = _words("car truck van bike bicycle motorbike motorcycle scooter boat jeep suv camper minivan")

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
