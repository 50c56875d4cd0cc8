"""Patterns of the typed slots, for ``slots``: how people put it when they tell a fact about themselves."""

from collections.abc import Mapping
from typing import Final

_I_AM: Final = r"\bi\s?['\u2019]?a?m\b"
_I_HAVE: Final = r"\b(?:i|we)(?:\s?['\u2019]?ve| have)?(?: now| also| just)?(?: got)?"
_DO_NOT: Final = r"(?:do(?: not|n['\u2019]?t)|no longer|never|can(?:['\u2019]?t|not| not))"
_IS: Final = r"(?:['\u2019]?s| is|:)"
_CAPITALIZED: Final = r"(?-i:(?>[A-Z\u00c0-\u00de](?:['\u2019][A-Z])?[^\W\d_]+(?:-[^\W\d_]+)*)(?![\w@]))"
_NAME: Final = rf"(?>{_CAPITALIZED}(?: (?:(?:de|da|do|van|von|der|bin|al|el|la|na) )?{_CAPITALIZED}){{0,3}})"
_NAMES: Final = (
    rf"(?>{_CAPITALIZED}(?: {_CAPITALIZED})?(?:(?:, ?| (?:and|n|&) |,? and ){_CAPITALIZED}(?: {_CAPITALIZED})?)*)"
)
# What may stand behind a value that has no shape of its own.
_STOP: Final = (
    r"(?=\s*(?:$|[,;.!:()\u2026\u2013\u2014\"]|- |\b(?:and|n|but|so|because|cos|cuz|since|as|with|w|who|which|that"
    r"|where|when|while|if|btw|now|though|tho|lol|haha|please|pls|plz|for|from|after|before|these|atm|rn|too|also|i"
    r"|we|he|she|it|its|it['\u2019]s|they|my|our|not|thanks|thx|the|at|on|in|is|has|to|sorry|dont|don['\u2019]t"
    r"|then|even|by|hence|here|over|day|daily|every|each|once|twice|two|three|four|\w{2,}ly)\b))"
)
# What may stand behind a thing that somebody has.
_END: Final = (
    r"(?=\s*(?:$|[,;.!]|\b(?:and|n|so|but|now|who|she|he|which|that|the|too|with|at home|in my|these|hence|called"
    r"|named)\b))"
)
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_WEEKDAY: Final = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
_ORDINAL: Final = (
    r"(?:(?:twenty|thirty)[ -])?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh"
    r"|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|thirtieth)"
)
_DAY: Final = rf"(?:\d{{1,2}}(?:st|nd|rd|th)?|{_ORDINAL})\b"
_DATE: Final = (
    rf"(?:(?:the )?{_DAY}(?: of)? {_MONTH}\b(?:,? \d{{4}})?|{_MONTH} (?:the )?{_DAY}(?:,? \d{{4}})?"
    rf"|\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{2,4}}|\d{{4}}-\d{{2}}-\d{{2}}|the {_DAY}|(?:(?:next|this) )?{_WEEKDAY}"
    r"|tomorrow)"
)
_DIGIT_WORD: Final = r"(?:oh|zero|one|two|three|four|five|six|seven|eight|nine|double|hundred)"
_PHONE: Final = rf"(?:\+?\(?\d(?:[ ().\u2011-]{{0,2}}\d){{6,14}}|{_DIGIT_WORD}(?: {_DIGIT_WORD}){{6,15}})"
_EMAIL: Final = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_ADDRESS: Final = rf"(?:{_EMAIL}|{_PHONE})"

# Kinds of dwellings.
DWELLING: Final = (
    r"(?:flat|apartment|studio|house|bungalow|cottage|caravan|trailer|(?:narrow|house)?boat|room|bedsit|loft"
    r"|terrace|terraced house|semi|townhouse|farm|farmhouse|cabin|maisonette|dorm|hostel|condo|duplex|basement"
    r"|attic|(?<=a )(?:[\w-]+ ){0,2}(?:village|town)|(?<!the )floor|shared house)s?\b"
)
_FIRM: Final = (
    r"(?:firm|company|agency|bank|charity|school|college|university|hospital|clinic|surgery|hospice|council|library"
    r"|museum|factory|warehouse|brewery|bakery|garage|hotel|restaurant|cafe|pub|bar|shop|supermarket|salon|startup"
    r"|nursery|theatre|cinema|airport|zoo|gym|centre|center|union|trust|studio|lab|farm|undertakers|crew|diocese"
    r"|church|police|army|post office|government|railway)\b"
)
_PET: Final = (
    r"(?:dog|doggo|puppy|pup|cat|kitten|kitty|rabbit|bunny|hamster|guinea pig|budgie|parrot|canary|cockatiel"
    r"|tortoise|turtle|ferret|gerbil|goldfish|bearded dragon|gecko|snake|lizard|pony|mare|horse|terrier|labrador"
    r"|lab|spaniel|collie|greyhound|retriever|poodle|cockapoo|pug|chihuahua|husky|dachshund|beagle|lurcher|whippet"
    r"|rat)"
)
_DIET: Final = (
    r"(?:vegan|vegetarian|veggie|pescatarian|pescetarian|flexitarian|lacto-?vegetarian|plant[- ]based|co?eliac"
    r"|lactose[- ]intolerant|gluten[- ]intolerant|(?:gluten|dairy|lactose|sugar|nut|egg)[- ]free|low[- ]carb|keto)"
)
_FOODS: Final = (
    r"(?:(?:red |any |the )?(?:meat|pork|beef|lamb|chicken|fish|seafood|shellfish|dairy|gluten|wheat|eggs?|sugar"
    r"|bread|carbs|nuts)(?: (?:or|and|n) (?:meat|pork|beef|lamb|chicken|fish|seafood|shellfish|dairy|gluten|wheat"
    r"|eggs?))?)"
)
# The allergens that labels must declare, and the common ones of air, skin, stings and medicine.
_ALLERGEN: Final = (
    r"(?:(?:pea|tree |brazil |cashew |hazel|wal|coco)?nuts?|peanuts?|cashews?|almonds?|pistachios?|pecans?"
    r"|shell ?fish|sea ?food|fish|prawns?|shrimps?|crab|lobster|mussels|oysters|eggs?|milk|dairy|lactose|gluten"
    r"|wheat|soya?|sesame|mustard|celery|lupin|sulphites?|sulfites?|kiwis?|strawberr(?:y|ies)|bananas?|mangoe?s?"
    r"|avocados?|latex|nickel|wool|feathers?|fragrances?|perfumes?|plasters|elastoplast|lanolin"
    r"|(?:house )?dust(?: mites?)?|pollen|grass(?: pollen)?|mou?ld|cats?|dogs?|horses?|bees?(?: stings?)?"
    r"|wasps?(?: stings?)?|insect bites|codeine|morphine|aspirin|ibuprofen|naproxen|sulfa|sulpha|iodine"
    r"|antibiotics?|\w+(?:cillin|mycin|cycline|oxacin|etine|aline))"
)
_ALLERGENS: Final = rf"(?:the )?{_ALLERGEN}"
_VEHICLE: Final = (
    r"(?:car|van|truck|lorry|pick-?up|(?:motor|e-?|cargo |electric )?bike|motorcycle|bicycle|moped|scooter"
    r"|mobility scooter|tandem|tractor|camper(?: ?van)?|motorhome|minibus|people carrier|[5-9] seater|estate"
    r"|hatchback|suv|jeep)"
)
_INSTRUCTION_VERB: Final = (
    r"(?:use|give|keep|answer|reply|respond|call|talk|speak|write|send|put|read|ask|tell|show|skip|start|stop|add"
    r"|include|explain|correct|remind|address|copy|contact|text|post|leave|check|list|quote|cite|say|do not"
    r"|don['\u2019]?t|never|always|no(?= [a-z]+s\b))"
)
_FROM_NOW_ON: Final = r"(?:from now on|from today|from here on(?: out)?|in (?:the )?future|going forward)"
_PLEASE: Final = r"(?:(?:please|pls|plz|kindly),? )?"
# Shapes of values that several patterns share: a place to live, an address, an employer; and where an order ends.
_RESIDENCE: Final = (
    rf"(?:(?:an?|the|my|our|our own)(?: own)? (?:[\w'-]+ ){{0,4}}{DWELLING}|(?:flat |number "
    rf"|no\.? ?)?\d+\w?(?:, \d+\w?)?(?: [\w'-]+){{0,4}}?{_STOP}|(?:(?:just )?outside |near |(?:north|south|east|west"
    rf"|central)(?:ern)? )?{_NAME}|(?-i:[a-z]{{4,}})(?: (?-i:[a-z]+))??{_STOP})(?! all day)(?:, {_NAME})*(?: (?:in"
    rf"|on|at|near|outside|above) (?:the )?{_NAME}| (?:in|on|above|over) the \w+)?"
)
_POSTAL: Final = (
    r"(?:[\w'/-]+ ?,? ?){2,9}?(?=\s*(?:$|[.;!]|, (?:please|pls|not|and|so|but|it|the|which|where|if|thanks)\b"
    r"|\b(?:it['\u2019]?s|please|until|from|as of|since)\b))"
)
_EMPLOYER: Final = (
    rf"(?:(?:the |a |my )?{_NAME}(?: (?:&|and|of|for) (?:the )?{_NAME})?(?: {_FIRM})?(?: (?:in|of) {_NAME})?|(?:an?"
    rf"|the|my)(?: [\w'-]+){{0,3}}? {_FIRM}(?: (?:in|of|on) (?:the )?{_NAME})?|(?-i:[a-z]{{3,}}){_STOP})"
)
_CLAUSE_END: Final = r"(?=\s*(?:$|[;.!?\n]|,? \b(?:because|cos|cuz|i['\u2019]?m|i am|so (?:i|we|that))\b))"

# Patterns of statements that give a slot of the speaker: its value is ``v``.
SLOT_PATTERNS: Final[Mapping[str, tuple[str, ...]]] = {
    "home": (
        (
            r"\b(?:i|we)(?: (?:now|currently|still|both|all|just|actually|also))*(?: am| are|['\u2019]?m"
            r"|['\u2019]?re|['\u2019]?ve been| have been|['\u2019]ve| have)?(?: (?:now|currently|still|just))?"
            r" (?:live|living|lived(?<=ve lived)|reside)(?: out)?(?: (?:alone|by myself|together|here|with my"
            r" [a-z]+(?: again)?))?(?: now| again| just)? (?:in|at|on|over|above|(?:just )?outside)"
            rf" (?P<v>{_RESIDENCE})"
        ),
        rf"{_I_AM} (?:now |currently )?(?:based|resident) in (?P<v>{_NAME}(?:, {_NAME})?)",
        (
            r"\b(?:i|we)(?:['\u2019]ve| have)? (?:have )?(?:just |recently )?moved (?:in|in to|into|to) (?P<v>(?:a"
            rf"|an|the|our|my) (?:[\w'-]+ ){{0,3}}{DWELLING}(?: (?:in|on|at|near|outside) (?:the )?{_NAME})?)"
        ),
        rf"\b(?:my|our)(?: (?:new|home|delivery|postal|current))* address(?: is now|{_IS}) (?P<v>{_POSTAL})",
        (
            rf"(?:^|[,;.] )(?:my|our) (?:new )?(?:flat|house|place|apartment|home){_IS} (?:now )?in"
            rf" (?P<v>{_NAME}(?:, {_CAPITALIZED})?)"
        ),
        rf"(?:^|[,;.] )home(?: is|['\u2019]s) (?:now )?(?P<v>{_NAME})",
    ),
    "employer": (
        (
            r"\bi(?: (?:now|currently|still|also|actually))* work (?:as (?:a |an )?[\w-]+(?: [\w-]+)? )?(?:at|for)"
            rf" (?P<v>{_EMPLOYER})"
        ),
        rf"{_I_AM} (?:now |currently |still )?(?:working|employed) (?:at|for|by) (?P<v>{_EMPLOYER})",
        (
            rf"{_I_AM} (?:now )?an? (?-i:[a-z-]+)(?: (?-i:[a-z-]+))?(?<!fan)(?<!regular)(?<!member)(?<!customer)"
            rf"(?<!guest)(?<!patient)(?<!user)(?<!student) at (?P<v>(?:(?:an?|the) )?(?:{_NAME}(?: of {_NAME})?(?:"
            rf" {_FIRM})?|{_FIRM} (?:in|of) {_NAME}))"
        ),
        rf"\bmy (?:employer{_IS}|employer,|company (?:is called|name is)) (?P<v>{_NAME})",
        (
            r"(?:^|\bi |['\u2019]ve |have )(?:just )?(?:got|started|landed) a (?:new )?job (?:at|with)"
            rf" (?P<v>{_EMPLOYER})"
        ),
    ),
    "child": (
        (
            r"\b(?:my|our) (?:(?:little|eldest|oldest|youngest|elder|older|younger|grown|dear|first|only|baby)"
            r" )*(?:(?:step)?(?:son|daughter)|kid|child|children|kids|eldest|youngest|little one)(?:['\u2019]?s?"
            rf" name)?(?:,|['\u2019]?s? (?:is )?(?:called|named)|(?<=name) is|(?<=name)['\u2019]s)? (?P<v>{_NAMES})"
        ),
        (
            rf"{_I_HAVE} (?:a |an |one )(?:[\w-]+ ){{0,2}}(?:son|daughter|boy|girl|child|kid|baby)(?:,| called|"
            rf" named|, (?:his|her) name is) (?P<v>{_NAMES})"
        ),
        (
            rf"{_I_HAVE} (?:twins|(?:two|three|four|five|[2-5]) (?:kids|children|sons|daughters|boys|girls))[,:]?"
            rf" (?P<v>{_NAMES})"
        ),
        (
            rf"(?:^|[.;] )(?P<v>{_CAPITALIZED})(?:,| is) (?:my|our) (?:(?:eldest|oldest|youngest|little) )?(?:son"
            r"|daughter|eldest|youngest)(?=[,.;]|$| and\b)"
        ),
    ),
    "pet": (
        (
            rf"\b(?:my|our) (?:(?:old|little|new|rescue|elderly|beloved|poor) )*{_PET}(?:['\u2019]?s? name)?(?:,"
            rf"|['\u2019]?s? (?:is )?(?:called|named)|(?<=name) is|(?<=name)['\u2019]s)? (?P<v>{_NAMES})"
        ),
        (
            rf"\b(?:my|our) {_PET}(?:['\u2019]?s?(?: is)? (?:called|named)|['\u2019]?s name(?: is|['\u2019]?s))"
            r" (?P<v>(?-i:[a-z]{3,12}))(?=\s*(?:$|[,;!.]|\b(?:and|n)\b))"
        ),
        (
            rf"{_I_HAVE} (?:a |an )?(?:[\w-]+ ){{0,3}}{_PET}(?:,? (?:called|named)|[^.;!?]{{0,20}}, (?:(?:his|her"
            rf"|its) name is|she is called|he is called)) (?P<v>{_NAMES})"
        ),
        rf"(?:{_I_HAVE}|\bwe got|\bi got) (?:a |an )(?:[\w-]+ ){{0,2}}{_PET}, (?P<v>{_CAPITALIZED})(?=[,.;!]|$)",
        (
            rf"(?:{_I_HAVE}|\b(?:i|we) (?:now )?(?:own|keep|adopted|(?:just )?got)) (?P<v>(?:an?|one|two|three|four"
            rf"|[2-9]) (?!black )(?:(?!for\b|of\b|to\b|in\b)[\w-]+ ){{0,2}}{_PET}s?)(?![^.;!?]*\b(?:name|called"
            rf"|named)\b|, (?-i:[A-Z][a-z]+)[,.]){_END}"
        ),
        rf"(?:^|[.;] )(?P<v>{_CAPITALIZED})(?:,| is) my (?:old )?{_PET}(?=[,.;]|$| and\b)",
    ),
    "diet": (
        (
            rf"(?:{_I_AM}|\bwe (?:are|re)\b|\bwe['\u2019]re|\bi(?:['\u2019]?ve| have) (?:been|gone|become"
            r"|turned))(?: (?:a|an|strictly|strict|fully|full|now|also|both|all|literally|diabetic and))*"
            rf" (?P<v>{_DIET}){_STOP}"
        ),
        rf"\b(?:i|we) (?:only eat|eat only|eat no) (?P<v>{_FOODS}){_STOP}",
        rf"(?:{_I_AM}|^)(?: ?(?:on|doing))? ?(?:on|doing) (?P<v>keto|slimming world|intermittent fasting){_STOP}",
        rf"\b(?:i|we) (?P<v>{_DO_NOT} (?:eat|have|do|touch)(?: any)? {_FOODS}){_STOP}",
        rf"\b(?:i|we) (?P<v>{_DO_NOT} (?:drink|have) (?:alcohol|caffeine|milk)){_STOP}",
        r"\b(?:i|we) (?:follow|keep to|have|am on) a (?P<v>(?:strictly |strict )?[\w-]+(?: [\w-]+)?) diet\b",
        rf"{_I_AM} on (?:a|the) (?P<v>[\w-]+(?: [\w-]+)?) diet\b",
        r"\b(?:i|we) (?:keep|only eat|eat only) (?P<v>halal|kosher)\b",
        rf"\bi(?:['\u2019]ve| have) (?P<v>(?:stopped eating|given up|quit|cut out) {_FOODS}){_STOP}",
    ),
    "allergy": (
        (
            rf"(?:{_I_AM}|^|[,;:] )(?: ?(?:really|rly|very|so|severely|highly|fierce|deathly|also|badly))?"
            rf" ?(?:allergic|anaphylactic) (?:to|of|from) (?P<v>{_ALLERGENS}){_STOP}"
        ),
        (
            rf"(?:{_I_HAVE}|\bsuffer from) (?:an? )?(?:[\w-]+ )?allerg(?:y|ic) (?:to|of|for|with)"
            rf" (?P<v>{_ALLERGENS}){_STOP}"
        ),
        rf"(?:{_I_HAVE}|\bi suffer from) an? (?:(?:bad|severe|serious|mild|nasty) )?(?P<v>{_ALLERGENS}) allergy\b",
        rf"\bmy allerg(?:y|ies)(?: is|['\u2019]s| are|:)(?: to)? (?P<v>{_ALLERGENS}){_STOP}",
    ),
    "contact": (
        (
            r"\b(?:my|our)(?: (?:new|mobile|phone|cell|work|personal|home|direct|best|contact|school|email|e-mail"
            r"|whatsapp|landline))* ?\b(?:number|num|mobile|cell|phone|telephone|line|landline|email|e-mail|mail"
            r"|address|whatsapp)s?(?: address)?(?: (?:is|it is)(?: now)?|['\u2019]s(?: now| changed, it['\u2019]s)?"
            rf"|:|,| to| should be)? (?P<v>{_ADDRESS})"
        ),
        (
            r"\b(?:reach|text|txt|ring|call|phone|email|e-mail|get|contact|write) (?:me|to me)(?: (?:on|at|in"
            rf"|to))?(?: my (?:mail|email|mobile))?,? (?P<v>{_ADDRESS})"
        ),
        (
            rf"\b(?:i can be (?:reached|contacted) (?:at|on)|{_I_AM} (?:on|at)|best (?:number|email) for me is)"
            rf" (?P<v>{_ADDRESS})"
        ),
        rf"^(?:the |this is )?(?:my )?new (?:number|num|mobile|phone|email)(?: is)?[:,]? (?P<v>{_ADDRESS})",
        rf"\b(?:send|write|mail)\b[^.;!?]{{0,30}} to me (?:at|on) (?P<v>{_ADDRESS})",
    ),
    "birthday": (
        rf"\bmy (?:birth ?days?|b-?days?|birth date|date of birth|dob)(?:{_IS}|s)?(?: on| in)? (?P<v>{_DATE})",
        rf"(?:^|[,;] )dob:? (?P<v>{_DATE})",
        rf"\bi (?:was |am )?born (?:on |in )?(?P<v>{_DATE})",
        rf"\bit(?: i|['\u2019]?)s my (?:birthday|bday) (?:on |this )?(?P<v>{_DATE})",
        (
            rf"(?:\bi turn|{_I_AM}|\bi(?:['\u2019]ll| shall| will) be|\bi be)(?: turning)? (?:\d\d|twenty|thirty"
            rf"|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ][a-z]+)? on (?P<v>{_DATE})"
        ),
    ),
    "vehicle": (
        (
            rf"\bi(?: (?:now|still|currently|also))* (?:drive|ride) (?P<v>(?:an? |old )(?:['\u2019]?\w+ )?{_NAME}(?:"
            rf" [\w-]*\d\w*| (?-i:e-){_CAPITALIZED})?|(?:an? )(?:[\w-]+ ){{0,2}}{_VEHICLE}){_END}"
        ),
        (
            rf"\bmy (?:car|van|bike)(?:{_IS}|s) (?P<v>(?:an? |the )(?:red|blue|white|black|silver|green|gr[ae]y"
            r"|yellow|orange) \w+)(?! (?:one|thing)\b)"
        ),
        (
            r"\bmy (?:car|van|truck|vehicle|motorbike|bike)(?:(?: is|:)(?= )|['\u2019]?s(?= (?:an?|the) ))"
            rf" (?P<v>(?:(?:an? |the )(?:(?!bit\b|lot\b)(?-i:[a-z]+) )?(?:\d{{4}} )?|\d{{4}} |(?={_CAPITALIZED}"
            rf" {_CAPITALIZED})){_NAME}(?: \d\w*)?)"
        ),
        (
            rf"(?:{_I_HAVE}|\b(?:i|we) (?:now )?own|\b(?:i|we)(?: have|['\u2019]ve)? (?:just |recently )?bought)"
            r" (?P<v>an? (?:(?:old|new|red|blue|white|black|silver|green|grey|electric|second-hand|used|company"
            rf"|little) )*{_VEHICLE}){_END}"
        ),
    ),
    "instruction": (
        rf"^(?:(?:and|ok|so|oh),? )?{_FROM_NOW_ON},? (?P<v>{_PLEASE}{_INSTRUCTION_VERB}\b[^;.!?]+?){_CLAUSE_END}",
        rf"^(?P<v>{_PLEASE}{_INSTRUCTION_VERB}\b[^;.!?,]+) {_FROM_NOW_ON}",
        (
            rf"^(?:(?:and|ok|so|oh),? )?(?P<v>{_PLEASE}(?:always|never|don['\u2019]?t ever|do not ever)(?! (?:mind"
            rf"|have|had|been|did|been|was|forget|again|leave|let|(?!bring\b|string\b)\w{(2,)}ing)\b)"
            rf" [a-z]+\b(?=[^;.!?,]*\b(?:me|my)\b)[^;.!?,]+?){_CLAUSE_END}"
        ),
        (
            rf"^(?:(?:and|ok|so|oh),? )?(?P<v>{_PLEASE}(?:do not|don['\u2019]?t|stop) [a-z]+\b(?=[^;.!?,]*\b(?:me"
            r"|my)\b)[^;.!?,]*?\b(?:ever(?: again)?|any ?more))(?=\s*[.!]*$)"
        ),
        rf"^{_PLEASE}(?:please )?in future,? (?P<v>{_INSTRUCTION_VERB} [^;.!?]+?){_CLAUSE_END}",
    ),
}
