"""Which levels of a memory help with a question (H-Mem, tree and graph: scope), and whether every occurrence counts.

Short is one event or fact; long is what lasts: habits, character, likelihood, change; mixed is what is gathered from
several places: lists, counts, comparisons.
"""

import re
from typing import Final

from hmem.language.analyst.rules.asking import UNITS, Asking, is_plural, tokens
from hmem.language.analyst.rules.wordlist import words
from hmem.language.regex import regex
from hmem.model.plan import Coverage, Scope

_SUPPOSED: Final = words("would might could may should wouldn't couldn't")
_LIKELY: Final = regex(r"\b(?:likely|probably|might|presumably|potentially)\b|\bwould be\b", re.IGNORECASE)
_LASTING: Final = regex(
    r"\b(?:personality|traits?|kind of (?:a )?person|characters?tics?|attitudes?|beliefs?|religio\w+|political\w*"
    r"|politics|lifestyle|habitually|usually|generally|typically|tends? to|used to|routines?"
    r"|over time|over the (?:years|months)"
    r"|values|worldview|temperament|when (?:he|she|they) (?:was|were) (?:younger|little|a child|a kid)"
    r"|relationships? (?:with|between|status)|main focus|interests|identity|way of (?:dealing|coping))\b",
    re.IGNORECASE,
)
_CHANGED: Final = regex(
    r"\b(?:chang(?:e|es|ed|ing)|evolv\w+|progress(?:ed)?|developed|grown|improved|shifted)\b", re.IGNORECASE
)
_EVERY: Final = regex(
    r"\b(?:how many times|both|all (?:the|of|that|his|her|my|their|\w+s)\b|every|altogether|in total|total|so far"
    r"|overall|in order|in the order|one after (?:the other|another)|most (?:often|frequently)|in common|^list)\b",
    re.IGNORECASE,
)
_COMPARED: Final = regex(
    r"\b(?:both|than|in common|compared? (?:to|with)|differ\w*|first, |which came|more often)\b", re.IGNORECASE
)
_ONE: Final = regex(
    r"\b(?:recently|latest|currently|current|just|first time|last time|decided|planned|now)\b", re.IGNORECASE
)
# What is named in the plural but told at once.
_TOLD_AT_ONCE: Final = words(
    """
    plans goals thoughts feelings views words ingredients results details instructions steps shoes news aspects themes
    items-for advantages benefits
    """
)
# Verbs whose present says a state or a saying, and no habit.
_NO_HABIT: Final = regex(
    r"\b(?:feel|think|say|says|have|has|want|need|mean|represent|symboli[sz]e|plan|describe|mention|recommend|suggest"
    r"|give|tell|call|own|offer|look|take place|start|live|work|cost|love most|share|bring|remind|hope"
    r"|consider|make for)\b",
    re.IGNORECASE,
)
_AMONG: Final = regex(r"(?:which|what) of\b", re.IGNORECASE)
_ONE_KIND: Final = regex(r"what (?:kind|type|sort) of\b", re.IGNORECASE)
_SAID_OF_THEIRS: Final = regex(r"[\w'’-]+ (?:say|describe) (?:that )?(?:his|her|their|he|she|they)\b", re.IGNORECASE)
_OWNED: Final = regex(r"[\w'’-]+ have\b", re.IGNORECASE)
_DOES: Final = ("do", "does")
_HAS: Final = ("has", "have")
_INSPIRES: Final = regex(r"(?:motivates|inspires|drives|helps|relaxes|calms)\b", re.IGNORECASE)


def scope_of(asked: Asking, *, framed: bool = False) -> tuple[Scope, Coverage]:
    """The scope and the coverage of a question, ``framed`` where it names a time."""
    gathered = _is_gathered(asked) or (framed and _is_sum(asked))
    coverage: Coverage = "global" if gathered or _counts_all(asked) else "local"
    if _is_supposed(asked) or _lasts(asked):
        return "long", "global" if (gathered or _is_change(asked)) and not _is_supposed(asked) else "local"
    if coverage == "global" or _COMPARED.search(asked.text):
        return "mixed", coverage
    if _is_habit(asked):
        return "long", "local"
    return ("mixed" if not asked.lead and not asked.polar else "short"), coverage


def _is_supposed(asked: Asking) -> bool:
    """Whether an answer must be inferred from what is known of someone."""
    if asked.polar or asked.lead in ("what", "which", "who", "how", "where", "why"):
        return asked.verb in _SUPPOSED or _LIKELY.search(asked.text) is not None
    return False


def _lasts(asked: Asking) -> bool:
    if asked.lead in ("when", "where"):
        return False
    if _LASTING.search(asked.text):
        return True
    return _is_change(asked)


def _is_change(asked: Asking) -> bool:
    return (asked.lead == "how" or "changes" in asked.phrase) and _CHANGED.search(asked.text) is not None


def _is_sum(asked: Asking) -> bool:
    """Whether it asks how much there was of something within a time."""
    return asked.lead in ("how many", "how much") and (
        asked.verb in _HAS or (asked.verb == "did" and not _OWNED.match(asked.rest))
    )


def _counts_all(asked: Asking) -> bool:
    return not asked.polar and asked.lead not in ("when", "why") and _EVERY.search(asked.text) is not None


def _is_gathered(asked: Asking) -> bool:
    """Whether the answer is a list or a sum over several occurrences."""
    if asked.lead == "how many":
        if asked.phrase and asked.phrase[0] in UNITS and "of" not in asked.text.split()[:4]:
            return False
        return asked.verb in _HAS or asked.verb in _DOES or asked.phrase[:1] == ("times",)
    if asked.lead in ("where", "how", "who", "whom") or (asked.lead == "what" and not asked.phrase):
        return _is_list_without_noun(asked)
    if asked.lead not in ("what", "which") or not asked.verb:
        return False
    return _is_list(asked)


def _is_list_without_noun(asked: Asking) -> bool:
    """Where has she been, what has he cooked, what are her hobbies."""
    if asked.verb in _HAS:
        return not _ONE.search(asked.rest)
    if asked.verb == "are" and asked.lead == "what":
        heads = [word for word in tokens(asked.rest)[:6] if is_plural(word) and not word.endswith("'")]
        return bool(heads) and heads[0] not in _TOLD_AT_ONCE and heads[-1] not in _TOLD_AT_ONCE
    return False


def _is_list(asked: Asking) -> bool:
    several = any(is_plural(word) for word in (asked.head, *asked.phrase[:1])) or _AMONG.match(asked.text) is not None
    if _ONE_KIND.match(asked.text) and asked.verb not in _HAS:
        return False
    if not several or asked.head in _TOLD_AT_ONCE or _ONE.search(asked.rest):
        return False
    return asked.verb in _HAS or asked.verb in _DOES or asked.verb in ("are", "did", "is", "were")


def _is_habit(asked: Asking) -> bool:
    """Whether the present tense says what someone does time and again."""
    if asked.lead == "how often":
        return True
    if asked.lead == "what" and not asked.verb:
        return _INSPIRES.match(asked.rest) is not None
    if asked.verb not in _DOES or asked.lead not in ("what", "how", "which"):
        return False
    if asked.lead == "how" and _SAID_OF_THEIRS.match(asked.rest):
        return True
    return _NO_HABIT.search(asked.rest) is None and not asked.rest.lower().startswith("you ")
