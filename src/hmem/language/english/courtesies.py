"""Courtesies: sentences that greet, thank, praise, wish, offer help or say farewell, and tell nothing else."""

import re
from collections.abc import Collection
from typing import Final

from hmem.language.regex import regex

# A longer sentence, in words, tells something besides.
_LONGEST: Final = 16

_FINE: Final = (
    r"(?:great|good|nice|awesome|amazing|wonderful|fantastic|lovely|beautiful|gorgeous|cool|sweet|fun|incredible"
    r"|brilliant|excellent|perfect|super|sick|lit|neat|interesting|exciting|inspiring|impressive|thoughtful|terrific"
    r"|fabulous|cute|adorable|stunning|delicious|yummy|tasty|epic|best|better|tough|rough|hard|sad|awful|true|right"
    r"|fair|sure|welcome)"
)
_VERY: Final = r"(?:so|really|very|such|absolutely|truly|totally|pretty|super|just|always|all|a|an|the|quite|too|most)"
_YOU: Final = r"(?:you|your|yours|ya|u|yourself|y'all|§)"

_AM: Final = r"(?:i\ am|i'm|§\ is|is|am)"
_THING: Final = (
    r"(?:job|work|idea|choice|question|news|point|plan|stuff|one|shot|pic|photo|picture|story|advice|start|place"
    r"|opportunity|goal|way|time|experience|thing|memory|memories|moment|gift|achievement|accomplishment)"
)

# Lower-cased sentence without interjections; "§" stands for a speaker's name.
_COURTESY: Final = regex(
    rf"""(?:
    # Thanks.
      (?:many\ |big\ )?(?:thanks?|thx|ty|cheers)\b.*
    | (?:really\ |so\ |truly\ |also\ |§\ |i\ )*appreciates?\b.*
    # Greetings.
    | (?:hi|hey|hello|hiya|howdy|yo|good\ (?:morning|afternoon|evening|day)|greetings)\b.{{0,40}}
    | (?:how\ (?:are|have|is|'s|was)|how's|what's\ (?:up|new)|long\ time)\b.*
    | (?:(?:it\ is\ |it's\ )?(?:{_VERY}\ )*(?:good|great|nice|lovely)\ to\ (?:see|hear|meet|chat|talk|catch))\b.*
    # Farewells and wishes.
    | (?:good ?bye|bye|see\ (?:{_YOU}|ya)|ciao|farewell|good ?night|later|ttyl|so\ long|until\ (?:next|then))\b.*
    | (?:talk|speak|catch\ up|chat|write)\ (?:to\ {_YOU}\ |with\ {_YOU}\ |again\ )?(?:soon|later|again|tomorrow)\b.*
    | (?:we'll|let's|can't\ wait\ to|cannot\ wait\ to|looking\ forward\ to)
      \ (?:talk|chat|speak|catch|hear|see\ {_YOU}).*
    | take\ (?:care|it\ easy)\b.* | stay\ (?:safe|strong|warm|tuned|well|positive)\b.*
    | have\ (?:fun|an?|the)\b.* | enjoy\ (?:{_VERY}|{_YOU})\b.*
    | (?:i\ |§\ )?(?:hopes?|wish(?:es|ing)?|bless)\ (?:{_YOU}|it\ goes|it\ all|all\ the\ best|that\ {_YOU})\b.*
    | good\ luck\b.* | all\ the\ best\b.* | best\ (?:of\ luck|wishes)\b.* | fingers\ crossed\b.* | safe\ travels\b.*
    # Praise and assent.
    | (?:big\ )?congrat(?:s|ulations|ulates?)\b.* | (?:well|nicely)\ (?:done|said)\b.* | way\ to\ go\b.* | kudos\b.*
    | keep\ (?:it|up|going|on|pushing|at\ it|shining|{_YOU}|doing)\b.*
    | {_YOU}(?:'ve)?\ (?:got|can\ do)\ (?:this|it)\b.*
    | (?:{_AM}\ )?(?:{_VERY}\ )*
      (?:proud|happy|glad|excited|thrilled|grateful|thankful|sorry|pleased|delighted|stoked|pumped)
      \ (?:of|for|to\ (?:hear|help|see|know)|that|about)\ (?:{_YOU}\b.*|that\ {_YOU}\b.*|about\ .*|it|this|that)
    | (?:{_AM}\ )?(?:{_VERY}\ )*(?:glad|happy|sorry|pleased)\ (?:to\ (?:hear|help|be\ of)|{_YOU})\b.*
    | (?:that|this|it|those|these|which)
      (?:\ (?:is|was|are|were|sounds?|looks?|seems?|must\ be|must\ have\ been)|'s|\ all\ sounds?)
      \ (?:like\ )?(?:{_VERY}\ )*{_FINE}(?:\ {_THING})*
      (?:\ (?:to\ (?:hear|see|know|start|go)|(?:of|for|that|how|as|on)\ {_YOU}|§|{_YOU}|too|though|then)\b.{{0,48}})?
    | (?:that|this|the|your|these|those|such)\ (?:\w+\ ){{1,2}}(?:is|are|looks?|sounds?)\ (?:{_VERY}\ )*{_FINE}
    | (?:sounds?|looks?)\ (?:like\ )?(?:{_VERY}\ )*(?:{_FINE}|{_VERY})\b[^,;]{{0,24}}
    | (?:what\ )?(?:{_VERY}\ )*{_FINE}(?:\ (?:{_THING}|that|this|it))*
    | {_YOU}(?:'re|\ are|\ is)?\ (?:{_VERY}\ )*
      (?:{_FINE}|inspiration|rock|rocks|star|talented|strong|brave|the\ best)\b.{{0,24}}
    | (?:i\ |§\ )?(?:(?:totally|completely|really|so)\ )*(?:agrees?|gets?\ it|hears?\ {_YOU}|understands?)\b.{{0,16}}
    # Offers of help.
    | (?:you're|{_YOU}\ are|{_YOU}\ is)\ (?:{_VERY}\ )*welcome\b.* | no\ (?:problem|worries|prob)\b.*
    | (?:any\ ?time|of\ course|my\ pleasure)\b.{{0,16}}
    | (?:please\ )?(?:let\ (?:me|§)\ know|feel\ free|don't\ hesitate)\b.*
    | if\ {_YOU}\ (?:have|need|want|ever)\b.*\b(?:know|ask|free|help|here)\b.*
    | {_AM}\ (?:always\ )?(?:here|happy)\ (?:for\ {_YOU}|to\ (?:help|assist|listen|chat))\b.*
    )""",
    re.VERBOSE | re.DOTALL,
)
_INTERJECTION: Final = regex(
    r"^(?:(?:oh|wow|totally|indeed|agreed|yeah|yes|yep|yup|yay|aw+|hey|hi|hello|haha|lol|omg|well|okay|ok|absolutely|definitely|exactly|and|but"
    r"|so|sure|no|woohoo|whoa|woah|cool|great|awesome|nice|amazing|§)\b[\s,!.-]+)+"
)


def is_courtesy(sentence: str, speakers: Collection[str] = ()) -> bool:
    """Tell if a sentence only greets, thanks, praises, wishes, offers help or says farewell.

    ``speakers`` are the words of the speakers' names, in lower case.
    """
    words = sentence.lower().replace("\u2019", "'").strip(" .!?…~*\"'()").split()
    if not words or len(words) > _LONGEST or any(map(str.isdigit, sentence)):
        return not words
    said = " ".join("§" if word.strip(",.!?'").removesuffix("'s") in speakers else word for word in words)
    said = said.removesuffix(" §").rstrip(" ,.!")
    left = _INTERJECTION.sub("", f"{said} ").strip()
    return not left or _COURTESY.fullmatch(left) is not None or _COURTESY.fullmatch(said) is not None
