"""Words of questions and statements that mean the same of one subject: "win" and "get" a scholarship."""

from functools import lru_cache
from typing import Final

from hmem.language.english.inflection import root
from hmem.language.regex import regex

_SAME: Final = tuple(
    frozenset(map(root, group.split()))
    for group in (
        "win get receive earn",
        "choose pick select decide",
        "like love enjoy adore",
        "buy purchase",
        "hire rent book reserve",
        "finish complete end",
        "fall collapse drop",
        "faint collapse",
        "perform play",
        "phone call ring",
        "talk speak chat",
        "fix repair mend",
        "give set assign",
        "start begin",
        "work teach",
        "film movie cinema",
        "ill sick unwell",
        "job position work",
        "doctor physician gp",
        "big large",
        "small little",
        "holiday vacation trip",
        "flat apartment",
        "car vehicle",
        "child kid",
        "couple together",
        "operation surgery op",
        "fast quick",
        "glad happy pleased",
        "scared afraid",
        "meeting appointment",
        "photo picture",
        "shop store",
        "bike bicycle",
        "exam test",
        "mark grade",
    )
)
# Verbs that mean the same as a verb and its particle.
PHRASAL: Final = {
    "pass out": "faint", "turn down": "refuse", "give up": "stop", "take up": "start", "call off": "cancel",
    "set up": "found", "hand in": "submit", "throw away": "discard", "put off": "postpone", "look for": "seek",
    "find out": "learn", "break up": "separate", "split up": "separate", "carry on": "continue", "go on": "continue",
}  # fmt: skip
# An agent's ending, and the letters that its verb has at least.
_AGENT: Final = regex(r"(?:er|or)$")
_SHORTEST: Final = 4


@lru_cache(maxsize=8_192)
def alike(word: str) -> frozenset[str]:
    """Return the roots that mean the same as one: "teach" of "teacher", "get" of "win"."""
    agent = set[str]()
    if len(word) > _SHORTEST and _AGENT.search(word):
        agent = {root(_AGENT.sub(ending, word)) for ending in ("", "e")}
    return frozenset({word, *agent}).union(*(group for group in _SAME if word in group))
