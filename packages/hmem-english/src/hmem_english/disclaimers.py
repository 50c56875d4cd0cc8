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
from hmem.language.sentences import iter_sentences

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
_DETERMINERS: Final = (
    r"(?:(?:any|the|enough|that|this|much|specific|more|a|an|further|other|clear|exact|such|stored|saved|recorded"
    r"|previous|prior|personal|relevant|concrete|current|single|good)\ ){0,4}"
)
_IN_RECORDS: Final = (
    r"(?:in\ (?:my|our|the|your|this|any)\ (?:\w+\ )?(?:notes?|memor(?:y|ies)|records?|files?|history|context"
    r"|conversations?|chats?|messages?|minutes|docs?|documents?|logs?|repo(?:sitory)?|code(?:base)?)"
    r"|on\ (?:file|record)|saved|stored|recorded|written\ down|noted)"
)
# An indirect question; one with an infinitive asks what to do: "I don't know how to swim".
_WH: Final = r"(?:what|which|who|whom|whose|when|where|why|how|if|whether)\b(?!(?:\ [\w'-]+){0,2}\ to\ [a-z]+)"
_TOPIC_PREPOSITION: Final = (
    r"(?:about|on|of|for|regarding|concerning|as\ to|around|in|from|to|at|yet|right\ now|off\ hand|offhand)\b"
)
# What one may not know, apart from people and abilities.
_THING: Final = (
    r"(?:(?:the|your|his|her|their|its|our|my|any)\ (?!last\ time)[\w'’/.-]+.*(?<!\ well)(?<!\ much)|that|this|it|them"
    r"|either|for\ (?:sure|certain)|[A-Z]?[\w-]+'s\ .+)"
)
_END: Final = r"(?:\ (?:yet|sorry|either|though|tbh|lol|right\ now|at\ all|anymore|exactly|offhand|myself))*"
_TAIL: Final = rf"(?:{_END}|\ {_OFTEN}{_WH}.*|\ {_OFTEN}{_TOPIC_PREPOSITION}.*)"
_TELL_VERBS: Final = (
    r"(?:told|tell|mentioned|mention|said|say|shared|share|given|give|specified|provided|provide|stated)"
)
_NOTED: Final = r"(?:mentioned|specified|stated|recorded|documented|noted|come\ up|came\ up|been\ shared|written\ down)"

# A part of a sentence, in small letters, without its opening.
_DISCLAIMER: Final = regex(
    rf"""(?:
    # Nothing is known.
      {_I}\ {_NOT}(?:know|remember|recall|recollect)(?:{_TAIL}|\ {_OFTEN}{_THING})
    | {_I}\ ?{_UNABLE}(?:remember|recall|recollect)(?:{_TAIL}|\ {_THING})
    | {_I}\ ?{_UNABLE}(?:say|see|tell(?:\ you)?|confirm|determine|find(?:\ out)?|work\ out|figure\ out|answer|verify
      |be\ (?:sure|certain))(?:{_END}|\ {_OFTEN}{_WH}.*|\ (?:that|this)(?:\ question)?|\ for\ (?:sure|certain).*)
    | {_I}(?:'ve|\ have)?\ {_OFTEN}(?:forgot(?:ten)?|forget)(?:{_END}|\ {_WH}.*)
    | {_I}\ (?:{_NOT}|never\ )(?:ask(?:ed)?|found\ out|find\ out|learn(?:ed|t)?|heard?|checked)(?:\ (?:her|him|them))?
      (?:{_END}|\ {_WH}.*|\ back\b.*)
    | (?:no\ one|nobody|none\ of\ us)(?:\ \w+)?\ (?:knows|remembers|recalls)(?:{_TAIL}|\ {_THING})
    | {_I}\ wish\ {_I}\ (?:knew|could\ (?:say|tell|remember))(?:{_TAIL}|\ {_THING})
    | (?:i\ )?dunno(?:{_TAIL}|\ {_THING}) | idk(?:{_TAIL}|\ {_THING}) | beats\ me{_END} | who\ knows{_TAIL}
    | (?:{_I}\ ?{_AM_NOT}|not\ {_OFTEN})(?:sure|certain|positive)(?:{_TAIL}|\ of\ .*)
    | (?:{_I}\ ?(?:'m|am|'re|are)\ {_OFTEN})?(?:unsure|uncertain)(?:{_TAIL}|\ of\ .*)
    | {_I}\ have\ yet\ to\ (?:find\ out|hear|learn)(?:{_TAIL})
    # Nothing is recorded.
    | (?:{_I}\ (?:{_NOT}(?:have|got)|have\ {_OFTEN}no|have\ {_OFTEN}not\ got|lack|see\ no|find\ no|found\ no)\ |no\ )
      {_DETERMINERS}{_RECORD}(?:{_TAIL}|\ (?:available|found|recorded|stored|saved)\b.*|\ to\ (?:say|tell|answer)\ .*)
    | {_I}\ {_NOT}have\ (?:that|this|it|anything|any)\ ?(?:{_TOPIC_PREPOSITION}|{_IN_RECORDS}).*
    | {_I}\ {_NOT}have\ .*\ {_IN_RECORDS}{_END}
    | {_I}\ ?(?:{_UNABLE}|{_NOT})(?:find|see|locate|spot|come\ across|retrieve|find\ out|have)\ {_OFTEN}
      (?:anything(?:{_TAIL})|{_DETERMINERS}{_RECORD}(?:{_TAIL})|(?:that|this|it)\ {_IN_RECORDS}.*)
    | there(?:'s|\ is|\ was|\ are|\ were)(?:\ {_ADVERB})*\ (?:no|not\ (?:any|enough)|n't\ (?:any|enough))
      \ {_DETERMINERS}{_RECORD}\b.*
    | there(?:'s|\ is|\ was)\ nothing\ (?:{_TOPIC_PREPOSITION}|{_IN_RECORDS}).*
    | there\ (?:is|are|was|were)n't\ (?:any|enough)\ {_DETERMINERS}{_RECORD}\b.*
    | nothing\ {_IN_RECORDS}\ (?:tells|says|mentions|states|shows|indicates|covers|about|on)\b.*
    | nothing\ (?:about|on)\ .*\ {_IN_RECORDS}{_END}
    | (?:it|that|this)(?:'s|\ is|\ was|\ remains)\ {_OFTEN}(?:unclear|unknown|not\ (?:clear|known|certain))(?:\ to\ me)?
      (?:{_END}|\ {_WH}.*)
    | (?:[\w'’.-]+\ ){{1,8}}(?:(?:has|have|had|was|were|is|are)(?:n't|\ not|\ never)|never)\ {_OFTEN}
      (?:been\ )?{_NOTED}(?:{_TAIL})
    # Nothing was told.
    | (?:[\w'’.-]+\ ){{1,4}}(?:(?:do|does|did|has|have)(?:n't|\ not)|never)\ {_OFTEN}
      (?:say|said|tell|told|mention(?:ed)?|specify|specified|state[sd]?|show|indicate)(?:\ (?:me|us))?
      (?:{_END}|\ {_WH}.*)
    | (?:you(?:'ve|\ have|\ did)?(?:n't|\ not|\ never|\ yet\ to)|{_I}\ do(?:n't|\ not)\ (?:think|believe|recall)\ you
      (?:'ve|\ have|\ ever|\ did)*)\ {_OFTEN}{_TELL_VERBS}(?:\ (?:with\ )?(?:me|us))?
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
_DEFERRAL: Final = regex(
    rf"""(?:(?:let\ me|{_I}(?:'ll|'d|\ will|\ would|\ can|\ could|\ should)|maybe|perhaps|try|please|feel\ free
      |you(?:'ll|\ can|\ could|\ might|\ may|\ should)|(?:can|could|would)\ you|if\ you
      |and|then|have|need|want|like|to|better|just|probably|always)\b[\s,]*+)++{_CHECKING}\b.*
    |(?:ask|check|tell|remind|let)(?:ing)?\ .*|happy\ to\ .*|get\ back\ to\ you.*""",
    re.VERBOSE | re.IGNORECASE,
)
# Where a sentence goes on with another statement.
_CLAUSE_BREAK: Final = regex(
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
_KNOWLEDGE_QUESTION: Final = regex(
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
    plain_text = text.translate(_STRAIGHT)
    small = plain_text.lower()
    if not any(mark in small for mark in _DENIALS):
        return ()
    sentences: list[str] = []
    disclaimed = False
    for sentence in iter_sentences(plain_text):
        if _QUESTION.search(sentence.text):
            sentences.append(sentence.text)
            disclaimed = disclaimed or _disclaims(sentence.text.rstrip("?!. ")) is True
            continue
        verdict = None if sentence.code else _disclaims(sentence.text)
        if verdict is None:
            return ()
        if verdict:
            sentences.append(sentence.text)
            disclaimed = True
    return tuple(sentences) if disclaimed else ()


def asks_of_knowing(question: str) -> bool:
    """Tell if a question asks what somebody knows, was told or asked: "does Oskar know the date?"."""
    return _KNOWLEDGE_QUESTION.search(question.translate(_STRAIGHT)) is not None


def _disclaims(sentence: str) -> bool | None:
    """Tell if a sentence disclaims; None if it tells anything."""
    disclaims = False
    for clause in _CLAUSE_BREAK.split(sentence):
        bare_clause = _bare(clause)
        if len(bare_clause) <= _LONGEST_PART and _DISCLAIMER.fullmatch(bare_clause):
            disclaims = True
        elif not bare_clause or _COURTESY.fullmatch(bare_clause):
            continue
        elif len(bare_clause) > _LONGEST_PART or not _DEFERRAL.fullmatch(bare_clause):
            return None
    return disclaims


def _bare(clause: str) -> str:
    """Return a part of a sentence without its opening and its marks."""
    bare = _CONJUNCTION.sub("", clause.strip(" .!…*\"'()-"), count=1)
    opening = _OPENING.match(bare)
    # "No idea" is a disclaimer as it stands; "no, it ..." is not.
    if opening is not None and not (len(bare) <= _LONGEST_PART and _DISCLAIMER.fullmatch(bare)):
        bare = bare[opening.end() :]
    return " ".join(bare.split()).rstrip(" .!…")
