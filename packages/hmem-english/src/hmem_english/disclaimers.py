"""Disclaimers: what people and assistants say when they cannot answer a question.

They deny that they know ("I'm not sure when it starts"), that anything is recorded ("there is no mention of it in my
notes"), or that they were told ("you haven't told me her name yet"). A turn disclaims only if nothing in it tells
anything: beside disclaimers it may ask back, apologise and put off ("I'll ask Helen").

What is denied of the world is no disclaimer ("we don't have integration tests", "I don't know how to swim").
"""

import re
from functools import lru_cache
from typing import Final

from hmem.language.regex import regex
from hmem.language.sentences import pieces

_STRAIGHT: Final = {0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"'}
_QUESTION: Final = regex(r"[?\uff1f]['\")\]]*(?:\s*\W+)?$")
# Thanks, apologies, wishes and offers, which tell nothing.
_COURTESY: Final = regex(
    r"(?:(?:many |big |no )?(?:thanks?|thx|cheers|sorry|apologies|worries|problem|good luck|good question|welcome)\b.*"
    r"|(?:i |i'm |i am )?(?:really |so |very )*(?:hope|wish|appreciate|happy to|glad to|here (?:to|if|for))\b.*"
    r"|(?:please )?(?:let me know|feel free|don't hesitate)\b.*|if you (?:have|need|want)\b.*\b(?:know|ask|help)\b.*"
    r"|(?:have|enjoy) (?:a|the|your) .*|take care\b.*|(?:bye|see you|talk soon|good (?:morning|evening|night))\b.*)",
    re.IGNORECASE,
)

# A longer turn, or part of a sentence, tells something besides; in characters.
_LONGEST: Final = 600
_LONGEST_PART: Final = 200

_ADVERB: Final = (
    r"(?:really|honestly|still|just|also|actually|currently|quite|exactly|personally|even|yet|entirely|completely"
    r"|totally|fully|100%|too|so|ever|presently|clearly|directly|explicitly|specifically)"
)
_OFTEN: Final = rf"(?:{_ADVERB}\ )*"
_I: Final = r"(?:i|we|nobody\ here)"
_NOT: Final = rf"(?:(?:do|did|does|have|has|had)\ ?(?:n't|nt|not)|never|no\ longer)\ {_OFTEN}"
_UNABLE: Final = (
    rf"(?:(?:can|could)\ ?(?:n't|nt|not)|can't|(?:am|'m|was|were|are|'re)\ {_OFTEN}(?:unable|not\ able)\ to"
    rf"|(?:was|were|are|am)(?:n't|\ not)\ able\ to|'ve\ not\ been\ able\ to)\ {_OFTEN}"
)
_AM_NOT: Final = rf"(?:(?:'m|am|'re|are|was|were)\ {_OFTEN}not|(?:are|were|was)n't|ain't)\ {_OFTEN}"
# Nouns for what is known or recorded.
_RECORD: Final = (
    r"(?:information|info|records?|idea|clue|details?|memor(?:y|ies)|knowledge|mentions?|data|notes?|answers?|context"
    r"|recollection|history|documentation|insight|references?|trace|evidence|indication|entr(?:y|ies)|word|news"
    r"|way\ (?:of\ knowing|to\ (?:know|tell|find\ out)))"
)
_SOME: Final = (
    r"(?:(?:any|the|enough|that|this|much|specific|more|a|an|further|other|clear|exact|such|stored|saved|recorded"
    r"|previous|prior|personal|relevant|concrete|current|single|good)\ ){0,4}"
)
_KEPT: Final = (
    r"(?:in\ (?:my|our|the|your|this|any)\ (?:\w+\ )?(?:notes?|memor(?:y|ies)|records?|files?|history|context"
    r"|conversations?|chats?|messages?|minutes|docs?|documents?|logs?|repo(?:sitory)?|code(?:base)?)"
    r"|on\ (?:file|record)|saved|stored|recorded|written\ down|noted)"
)
# An indirect question; one with an infinitive asks what to do: "I don't know how to swim".
_WH: Final = r"(?:what|which|who|whom|whose|when|where|why|how|if|whether)\b(?!(?:\ [\w'-]+){0,2}\ to\ [a-z]+)"
_ABOUT: Final = (
    r"(?:about|on|of|for|regarding|concerning|as\ to|around|in|from|to|at|yet|right\ now|off\ hand|offhand)\b"
)
# What one may not know, apart from people and abilities.
_THING: Final = (
    r"(?:(?:the|your|his|her|their|its|our|my|any)\ (?!last\ time)[\w'’/.-]+.*(?<!\ well)(?<!\ much)|that|this|it|them"
    r"|either|for\ (?:sure|certain)|[A-Z]?[\w-]+'s\ .+)"
)
_END: Final = r"(?:\ (?:yet|sorry|either|though|tbh|lol|right\ now|at\ all|anymore|exactly|offhand|myself))*"
_REST: Final = rf"(?:{_END}|\ {_OFTEN}{_WH}.*|\ {_OFTEN}{_ABOUT}.*)"
_TOLD: Final = r"(?:told|tell|mentioned|mention|said|say|shared|share|given|give|specified|provided|provide|stated)"
_NOTED: Final = r"(?:mentioned|specified|stated|recorded|documented|noted|come\ up|came\ up|been\ shared|written\ down)"

# A part of a sentence, in small letters, without its opening.
_DISCLAIMER: Final = regex(
    rf"""(?:
    # Nothing is known.
      {_I}\ {_NOT}(?:know|remember|recall|recollect)(?:{_REST}|\ {_OFTEN}{_THING})
    | {_I}\ ?{_UNABLE}(?:remember|recall|recollect)(?:{_REST}|\ {_THING})
    | {_I}\ ?{_UNABLE}(?:say|see|tell(?:\ you)?|confirm|determine|find(?:\ out)?|work\ out|figure\ out|answer|verify
      |be\ (?:sure|certain))(?:{_END}|\ {_OFTEN}{_WH}.*|\ (?:that|this)(?:\ question)?|\ for\ (?:sure|certain).*)
    | {_I}(?:'ve|\ have)?\ {_OFTEN}(?:forgot(?:ten)?|forget)(?:{_END}|\ {_WH}.*)
    | {_I}\ (?:{_NOT}|never\ )(?:ask(?:ed)?|found\ out|find\ out|learn(?:ed|t)?|heard?|checked)(?:\ (?:her|him|them))?
      (?:{_END}|\ {_WH}.*|\ back\b.*)
    | (?:no\ one|nobody|none\ of\ us)(?:\ \w+)?\ (?:knows|remembers|recalls)(?:{_REST}|\ {_THING})
    | {_I}\ wish\ {_I}\ (?:knew|could\ (?:say|tell|remember))(?:{_REST}|\ {_THING})
    | (?:i\ )?dunno(?:{_REST}|\ {_THING}) | idk(?:{_REST}|\ {_THING}) | beats\ me{_END} | who\ knows{_REST}
    | (?:{_I}\ ?{_AM_NOT}|not\ {_OFTEN})(?:sure|certain|positive)(?:{_REST}|\ of\ .*)
    | (?:{_I}\ ?(?:'m|am|'re|are)\ {_OFTEN})?(?:unsure|uncertain)(?:{_REST}|\ of\ .*)
    | {_I}\ have\ yet\ to\ (?:find\ out|hear|learn)(?:{_REST})
    # Nothing is recorded.
    | (?:{_I}\ (?:{_NOT}(?:have|got)|have\ {_OFTEN}no|have\ {_OFTEN}not\ got|lack|see\ no|find\ no|found\ no)\ |no\ )
      {_SOME}{_RECORD}(?:{_REST}|\ (?:available|found|recorded|stored|saved)\b.*|\ to\ (?:say|tell|answer)\ .*)
    | {_I}\ {_NOT}have\ (?:that|this|it|anything|any)\ ?(?:{_ABOUT}|{_KEPT}).*
    | {_I}\ {_NOT}have\ .*\ {_KEPT}{_END}
    | {_I}\ ?(?:{_UNABLE}|{_NOT})(?:find|see|locate|spot|come\ across|retrieve|find\ out|have)\ {_OFTEN}
      (?:anything(?:{_REST})|{_SOME}{_RECORD}(?:{_REST})|(?:that|this|it)\ {_KEPT}.*)
    | there(?:'s|\ is|\ was|\ are|\ were)(?:\ {_ADVERB})*\ (?:no|not\ (?:any|enough)|n't\ (?:any|enough))
      \ {_SOME}{_RECORD}\b.*
    | there(?:'s|\ is|\ was)\ nothing\ (?:{_ABOUT}|{_KEPT}).*
    | there\ (?:is|are|was|were)n't\ (?:any|enough)\ {_SOME}{_RECORD}\b.*
    | nothing\ {_KEPT}\ (?:tells|says|mentions|states|shows|indicates|covers|about|on)\b.*
    | nothing\ (?:about|on)\ .*\ {_KEPT}{_END}
    | (?:it|that|this)(?:'s|\ is|\ was|\ remains)\ {_OFTEN}(?:unclear|unknown|not\ (?:clear|known|certain))(?:\ to\ me)?
      (?:{_END}|\ {_WH}.*)
    | (?:[\w'’.-]+\ ){{1,8}}(?:(?:has|have|had|was|were|is|are)(?:n't|\ not|\ never)|never)\ {_OFTEN}
      (?:been\ )?{_NOTED}(?:{_REST})
    # Nothing was told.
    | (?:[\w'’.-]+\ ){{1,4}}(?:(?:do|does|did|has|have)(?:n't|\ not)|never)\ {_OFTEN}
      (?:say|said|tell|told|mention(?:ed)?|specify|specified|state[sd]?|show|indicate)(?:\ (?:me|us))?
      (?:{_END}|\ {_WH}.*)
    | (?:you(?:'ve|\ have|\ did)?(?:n't|\ not|\ never|\ yet\ to)|{_I}\ do(?:n't|\ not)\ (?:think|believe|recall)\ you
      (?:'ve|\ have|\ ever|\ did)*)\ {_OFTEN}{_TOLD}(?:\ (?:with\ )?(?:me|us))?
      (?:{_END}|\ {_WH}.*|\ (?:about|anything)\b.*|\ (?:the|your|any|a|an|that|this|it|his|her|their)\b.*)
    | (?:that|it|this)(?:'s|\ is)\ (?:something|not\ something)\ (?:that\ )?(?:you|i)\b.*
      (?:n't|\ not|\ never|know)\b.*
    )""",
    re.VERBOSE | re.IGNORECASE,
)
# Openings of a part, which may stand alone.
_OPENING: Final = regex(
    r"(?:(?:hm+|oh|ah|uh|um|er|well|sorry|no|nope|nah|yes|honestly|actually|unfortunately|sadly|alas|lol|haha|tbh"
    r"|ok(?:ay)?|good question|great question|to be honest|truth be told|at the moment|right now|currently|so far"
    r"|for now|still|and|but|so|(?:i'm|i am|we're) (?:very |so |really )?sorry(?: to say)?|i apologi[sz]e|my apologies"
    r"|apologies|(?:i'm|i am) afraid|i must admit|i have to (?:admit|say)|it (?:seems|looks like)"
    r"|as far as i (?:know|can (?:see|tell))|from what i (?:have|can see)|i see|thanks|thank you|hi|hey|hello|though"
    r"|however|as of now|yet|please|mate|dude|man|i think)\b(?: that\b)?[\s,.!…:-]*+)+",
    re.IGNORECASE,
)
_CHECKING: Final = (
    r"(?:check|look|ask|find\ out|confirm|get\ back|tell|share|let|give|provide|remind|help|dig|see\ if|search|point"
    r"|consult|contact|clarify|remember|make\ a\ note|keep\ (?:it|that)|note|know|be\ (?:able|happy|glad)|love|happy)"
)
# What is put off to somebody, or to later.
_PUT_OFF: Final = regex(
    rf"""(?:(?:let\ me|{_I}(?:'ll|'d|\ will|\ would|\ can|\ could|\ should)|maybe|perhaps|try|please|feel\ free
      |you(?:'ll|\ can|\ could|\ might|\ may|\ should)|(?:can|could|would)\ you|if\ you
      |and|then|have|need|want|like|to|better|just|probably|always)\b[\s,]*+)++{_CHECKING}\b.*
    |(?:ask|check|tell|remind|let)(?:ing)?\ .*|happy\ to\ .*|get\ back\ to\ you.*""",
    re.VERBOSE | re.IGNORECASE,
)
# Where a sentence goes on with another statement.
_PARTS: Final = regex(
    r"\s*[,;:()]\s+|\s+[-\u2013\u2014]+\s+|\s*[\u2014]\s*|\s+(?=(?:but|because|although|though|however|except|since)\b)"
    r"|\s+(?=(?:and|so)\ (?:i|we|it|they|he|she|you|there|that's|it's)\b)",
    re.IGNORECASE,
)
_CONJUNCTION: Final = regex(r"(?:and|but|so|or|though|because|since|although|however|except)\b\s*", re.IGNORECASE)
# Every disclaimer has one of these.
_DENIALS: Final = (
    *("n't", "not", "no ", "nothing", "never", "nobody", "none", "unable", "unsure", "uncertain", "unclear", "unknown"),
    *("idk", "dunno", "forg", "wish", "beats", "lack", "yet to", "who knows", "dont", "didnt", "cant", "havent"),
)
# Questions about what somebody knows, who is not the hearer: they are answered by "I don't know".
_OF_KNOWING: Final = regex(
    r"\b(?:do|does|did|has|have|is|are|was|were|am)(?:n't)? (?!you\b|any(?:one|body)\b|some(?:one|body)\b)"
    r"(?:[\w'-]+ ){1,4}?(?:know|knew|known|remember|forgot|forget|forgotten|sure|certain|unsure|mention|told|tell|say"
    r"|said|ask|asked)\b|\bwho (?:knows|knew|told|forgot|remembers|asked)\b"
    r"|\bwhat (?:do|did|have|has)(?:n't)? \w+ (?:not )?(?:know|forget|forgot|ask)",
    re.IGNORECASE,
)


@lru_cache(maxsize=4_096)
def disclaimers(text: str) -> tuple[str, ...]:
    """Return what a turn disclaims and asks back, if it tells nothing besides; else nothing."""
    if len(text) > _LONGEST:
        return ()
    said = text.translate(_STRAIGHT)
    small = said.lower()
    if not any(mark in small for mark in _DENIALS):
        return ()
    found: list[str] = []
    disclaimed = False
    for piece in pieces(said):
        if _QUESTION.search(piece.text):
            found.append(piece.text)
            disclaimed = disclaimed or _disclaims(piece.text.rstrip("?!. ")) is True
            continue
        told = None if piece.code else _disclaims(piece.text)
        if told is None:
            return ()
        if told:
            found.append(piece.text)
            disclaimed = True
    return tuple(found) if disclaimed else ()


def asks_of_knowing(question: str) -> bool:
    """Tell if a question asks what somebody knows, was told or asked: "does Oskar know the date?"."""
    return _OF_KNOWING.search(question.translate(_STRAIGHT)) is not None


def _disclaims(sentence: str) -> bool | None:
    """Tell if a sentence disclaims; None if it tells anything."""
    found = False
    for each in _PARTS.split(sentence):
        part = _bare(each)
        if len(part) <= _LONGEST_PART and _DISCLAIMER.fullmatch(part):
            found = True
        elif not part or _COURTESY.fullmatch(part):
            continue
        elif len(part) > _LONGEST_PART or not _PUT_OFF.fullmatch(part):
            return None
    return found


def _bare(part: str) -> str:
    """Return a part of a sentence without its opening and its marks."""
    kept = _CONJUNCTION.sub("", part.strip(" .!…*\"'()-"), count=1)
    opening = _OPENING.match(kept)
    # "No idea" is a disclaimer as it stands; "no, it ..." is not.
    if opening is not None and not (len(kept) <= _LONGEST_PART and _DISCLAIMER.fullmatch(kept)):
        kept = kept[opening.end() :]
    return " ".join(kept.split()).rstrip(" .!…")
