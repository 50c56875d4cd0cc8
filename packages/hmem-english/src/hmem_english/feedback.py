"""Feedback: approval or rejection of an answer in the user's next message (H-MEM).

Only the beginning of the message is read: a reaction comes first, or not at all. A question, a quotation and a change
of topic are no reaction. "Yes", "right" and "no" also open other sentences, so they count only alone or before words
about the answer.
"""

import re
from collections.abc import Iterable
from typing import Final

from hmem.language.regex import regex
from hmem.model.evidence import Reaction
from hmem_english.words import STOP_WORDS

# Number of first sentences that may hold a reaction.
_MAX_SENTENCES: Final = 2

_QUOTATION: Final = regex(r"[\"“”«»][^\"“”«»]*[\"“”«»]")
_APOSTROPHE: Final = regex(r"[’`]")
_SENTENCE: Final = regex(r"(?<=[.!?])\s+")
_WORD: Final = regex(r"[^\W_]+")

# Openers without meaning before a reaction.
_LEAD: Final = (
    r"(?:(?:oh|ah|um|uh|hmm+|ha|haha+|well|wow|hey|sorry|but|and|ok|okay|thanks|thank you|great|cool|good)[,.! ]+)*"
)
_ANSWER_WORDS: Final = r"(?:that|this|it|your answer|what you (?:said|say))"
_IS: Final = r"(?:'s| is| was)"
_VERY: Final = r"(?:(?:absolutely|exactly|quite|totally|completely|really|just|all|also|still) )?"
_OTHER_SUBJECTS: Final = r"(?:it|he|she|they|that|this|there|we|i)\b"


def _patterns(*expressions: str) -> tuple[re.Pattern[str], ...]:
    return tuple(map(regex, expressions))


# Phrases with the same opening that do not react to an answer.
_IDIOMS: Final = _patterns(
    r"^no,? (?:problem|worries|need|rush|thanks|thank you)\b",
    r"^right,? (?:now|after|before|away|then|so|next)\b",
    r"^exactly (?!right|that)[a-z0-9]|^never mind\b|^nothing wrong\b|^correct me\b|^(?:if|in case|unless) ",
    r"^(?:i|we|he|she|they) (?:got|had|have|was|were) .{0,40}wrong\b",
    r"^you're right (?:on time|here|there|behind|next|in)\b",
    rf"^{_LEAD}(?:yes|yeah|yep|right|ok|okay),? (?:and|so|please|then|do|can|could|would)\b",
)

_WRONG: Final = (
    r"(?:wrong|incorrect|false|outdated|out of date|old news|a mistake|nonsense|no longer (?:true|so|right))"
)
_SO: Final = r"(?:right|true|correct|it|so|what|how|the one|possible|the case)"
_REJECTIONS: Final = _patterns(
    rf"^{_LEAD}(?:nope|nah|not (?:quite|true|right|correct|exactly|any ?more|any longer))\b",
    rf"^{_LEAD}(?:no|wrong|incorrect|false)(?:[.!]|$)|^{_LEAD}no,? no\b",
    rf"^{_LEAD}(?:no|wrong|incorrect|false), ?{_OTHER_SUBJECTS}",
    rf"\b{_ANSWER_WORDS}{_IS} {_VERY}{_WRONG}\b",
    rf"\b{_ANSWER_WORDS}(?:{_IS} not| isn't| wasn't| can't be| cannot be) {_VERY}{_SO}\b",
    r"\byou(?:'re| are| were) (?:wrong|mistaken|confus)|\byou (?:mixed|confused|muddled|misread|misheard|misremember)",
    r"\byou (?:got|have|had) (?:that|it|this) (?:all )?wrong\b|^(?:please )?(?:check|look|try) again\b",
    r"\bi (?:never|didn't|did not) (?:say|said|tell|told|mean|meant|mention|mentioned)\b",
    rf"^{_LEAD}(?:yes|yeah),? but {_ANSWER_WORDS}{_IS} (?:the )?(?:wrong|not|outdated|old)\b",
    rf"^{_LEAD}actually,? (?:no\b|(?:it|he|she|they|that|this|we|i)(?:'s|'re| ))",
    r"^(?!i |i'|we )[^,]*\b(?:not|n't) .{1,40}\b(?:any ?more|any longer|these days)\b",
    rf"(?:\b{_ANSWER_WORDS} |^)(?:doesn't|does not|didn't|did not) work\b",
    rf"\b{_ANSWER_WORDS} was (?:last (?:year|month|week|time)|before|years ago|a while ago|long ago|back then)\b",
    r"\b(?:things|it|that|this|they) (?:have|has|'s|'ve) ?(?:all )?changed\b|\bso no\b",
)
_INTENT: Final = r"what i (?:needed|wanted|meant|was looking for)"
_APPROVALS: Final = _patterns(
    rf"^{_LEAD}(?:(?:yes|yep|yup|yeah),? )?(?:exactly|precisely|correct|indeed|bingo|absolutely|definitely)"
    r"(?:[,.!]| right\b|$)",
    rf"^{_LEAD}(?:yes|yep|yup|yeah|right|true|perfect|yes it is|yes indeed)(?:[.!]|,? (?:thanks|thank you)\b|$)",
    rf"^{_LEAD}(?:spot on|that's the one|well remembered|good memory|you got it|got it right)\b",
    rf"\b{_ANSWER_WORDS}{_IS} {_VERY}(?:right|correct|true|it|the one|{_INTENT})\b|\bexactly {_INTENT}\b",
    r"\byou(?:'re| are| were)(?: absolutely| quite| so)? (?:right|correct)\b|\bright you are\b",
    r"\byou remembered (?:it )?(?:correctly|right|well)\b|\bwell remembered\b",
    rf"\bgood (?:memory|that you remembered)\b|\b{_ANSWER_WORDS} (?:works|worked|matches)\b",
)
# Phrases that are about the answer if the sentence names something of it.
_YES: Final = regex(rf"^{_LEAD}(?:yes|yep|yup|yeah|right|true)\b|,? (?:yes|right|exactly|correct|indeed)[.!]*$")
_NO: Final = regex(rf"^{_LEAD}(?:no|wrong|incorrect|false)[,.!]")

_PLAINLY: Final = regex(
    rf"\b{_ANSWER_WORDS}{_IS} {_VERY}(?:right|correct|true)\b"
    r"|\byou(?:'re| are| were)(?: absolutely| quite| so)? (?:right|correct)\b"
)
_DENIAL: Final = regex(r"\bnot\b|n't\b|\bnever\b|\bno longer\b")
# Statements about oneself deny no answer.
_FIRST_PERSON: Final = ("i ", "i'm ", "i've ", "i'll ", "we ", "my ", "could ", "can ")

# New facts in place of the answer. The weather, the time of day and the like do not replace it.
_REPLACEMENT: Final = regex(
    rf"^{_LEAD}(?:[^,]*\b(?:moved|changed|renamed|switched|swapped)\b[^,]*, )?"
    r"(?:it|he|she|they|that|his|her|their|my|our)(?:'s| is|'re| are)(?: on| in| at)? (.{1,40}?) (?:now|these days)\b"
)
_PASSING: Final = regex(
    r"^(?:late|early|raining|snowing|sunny|hot|cold|warm|dark|light|over|time|here|there|fine|ok|okay|up to|getting|too"
    r"|all|right|just|open|my turn|your turn|quiet|busy|home|asleep|nearly|almost)\b"
)
_ENDING_VERBS: Final = regex(
    r"\b(?:quit|left|moved (?:out|away|to|on)|switched|stopped|gave up|retired|closed|burned down|got rid|broke up"
    r"|returned|cancelled|canceled|died|sold)\b"
)


def feedback(question: str, answer: str, reply: str) -> Reaction:
    """Return the reaction of a reply to the answer of a question."""
    plain_reply = _QUOTATION.sub(" ", _APOSTROPHE.sub("'", reply)).strip().lower()
    exchange_words, echoed = _content(question) | _content(answer), False
    for sentence in _SENTENCE.split(plain_reply)[:_MAX_SENTENCES]:
        if sentence.endswith("?"):
            # An answer repeated in surprise is not yet a new question.
            if not _content(sentence) or not _content(sentence) <= _content(answer):
                return "none"
            echoed = True
            continue
        verdict = _sentence_reaction(sentence, answer, is_on_topic=echoed or bool(_content(sentence) & exchange_words))
        if verdict != "none":
            return verdict
    return "none"


def _sentence_reaction(sentence: str, answer: str, *, is_on_topic: bool) -> Reaction:
    """Return the reaction in one sentence; ``is_on_topic``: the sentence names something of question or answer."""
    if _matches_any(_IDIOMS, sentence):
        return "none"
    # "No, you're right": words about the answer count for more than the word before them.
    if _PLAINLY.search(sentence):
        return "approve"
    if _matches_any(_REJECTIONS, sentence) or _replaces(sentence, answer) or (is_on_topic and _denies(sentence)):
        return "reject"
    approves = _matches_any(_APPROVALS, sentence) or (is_on_topic and _YES.search(sentence))
    return "approve" if approves else "none"


def _matches_any(patterns: Iterable[re.Pattern[str]], sentence: str) -> bool:
    return any(pattern.search(sentence) for pattern in patterns)


def _denies(sentence: str) -> bool:
    """Tell if a sentence about the answer says that it is wrong or outdated."""
    is_third_person = not sentence.startswith(_FIRST_PERSON)
    return bool(
        _NO.search(sentence) or (is_third_person and (_DENIAL.search(sentence) or _ENDING_VERBS.search(sentence)))
    )


def _replaces(sentence: str, answer: str) -> bool:
    """Tell if a sentence says that something else holds now."""
    replacement = _REPLACEMENT.search(sentence)
    return (
        replacement is not None
        and not _PASSING.match(replacement[1])
        and not _content(replacement[1]) <= _content(answer)
    )


def _content(text: str) -> frozenset[str]:
    return frozenset(word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS)
