"""Parts of a context beside the turns: who is asked about, how sure a turn is, and long turns in short.

H-MEM gives each result its weight as a confidence, with the user's profile. HMO keeps long content, such as code or a
document, with a compressed form beside the original: the context has the compressed form and cites the original.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from hmem.derived.personas import persona_id
from hmem.language.analyst.base import Excerpt
from hmem.language.containment import attempted
from hmem.language.tokens import count_tokens
from hmem.model.evidence import Evidence, Why
from hmem.model.scope import COMMON, scoped
from hmem.model.span import from_stored
from hmem.retrieval.filter import speakers_of
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import Values

_SECOND: Final = 1_000_000
_CONFIDENCE: Final = "strength"
_UNEXPLAINED: Final = Why((), {})
# A turn is compressed from so many times the tokens of its compressed form on.
_WORTH: Final = 2


def profiles(sources: Sources, query: Query) -> list[Evidence]:
    """Return the persona of each person asked about, else of each user, as evidence of the kind ``profile``.

    A persona is written from all turns, so a filtered question, or one of an earlier time, gets none.
    """
    if query.allowed is not None or query.standpoint:
        return []
    users = [speaker.name for speaker in speakers_of(sources, query.user) if speaker.role == "user"]
    found: dict[str, Evidence] = {}
    for name in query.names or users:
        person = sources.derived.names.find(scoped(query.user or COMMON, name))
        if person is None:
            continue
        persona = attempted(partial(sources.text_writer.persona, person), None)
        if persona is None:
            continue
        number = persona_id(person, persona)
        when = from_stored(persona.at * _SECOND, 0)
        found[number] = Evidence(number, "profile", persona.text, when, 0.0, _UNEXPLAINED, "")
    return list(found.values())


def confidence(terms: Mapping[str, Values], place: int) -> float | None:
    """Return the strength of a scored turn, 0 to 1 without feedback; None where the strategy does not tell it."""
    return min(float(terms[_CONFIDENCE][place]), 1.0) if _CONFIDENCE in terms else None


def compressed(sources: Sources, evidence: Sequence[Evidence], tokens: int) -> list[Evidence]:
    """Return evidence with a summary of at most ``tokens`` tokens in place of the text of each long turn."""
    known = sources.cached(_compressed_texts)
    return [replace(item, text=_short(sources, item, tokens, known)) for item in evidence]


def _compressed_texts(_: Sources) -> dict[tuple[str, int], str]:
    return {}


def _short(sources: Sources, item: Evidence, tokens: int, known: dict[tuple[str, int], str]) -> str:
    if item.kind != "turn" or len(item.text) <= tokens * _WORTH or count_tokens(item.text) <= tokens * _WORTH:
        return item.text
    if (item.id, tokens) not in known:
        (text,) = sources.analyst.summarise([[Excerpt(item.text, item.speaker, item.when)]], tokens)
        # The line of the turn in the context names speaker and time already.
        known[item.id, tokens] = text.partition(f"{item.speaker}: ")[2] if item.speaker else text
    return known[item.id, tokens] or item.text
