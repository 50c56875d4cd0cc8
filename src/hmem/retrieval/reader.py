"""Parts of a context beside the turns: who is asked about, how sure a turn is, and long turns in short.

H-MEM gives each result its weight as a confidence, with the user's profile. HMO keeps long content, such as code or a
document, with a compressed form beside the original: a context that has no room for the original shows its sentences
that match the question, with the compressed rest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Final

import numpy as np

from hmem.derived.notes import by_model
from hmem.derived.personas import persona_id
from hmem.language.analyst.base import Compression
from hmem.language.containment import attempted
from hmem.model.evidence import Evidence, Why
from hmem.model.scope import COMMON, scoped
from hmem.model.span import from_stored
from hmem.retrieval.context import SHORTENED
from hmem.retrieval.evidence import SOURCES
from hmem.retrieval.filter import speakers_of
from hmem.retrieval.kinds import find
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import Values

_SECOND: Final = 1_000_000
_CONFIDENCE: Final = "strength"
_UNEXPLAINED: Final = Why((), {})
# Kinds of texts that a model forms, and how many of them are offered to a context.
_FORMED_KINDS: Final = ("note", "summary", "profile")
_FORMED_LIMIT: Final = 8


def profiles(sources: Sources, query: Query) -> list[Evidence]:
    """Return the persona of each person asked about, else of each user, as evidence of the kind ``profile``.

    A persona is written from all turns, so a filtered question, or one of an earlier time, gets none.
    """
    if query.allowed is not None or query.standpoint:
        return []
    users = [speaker.name for speaker in speakers_of(sources, query.user) if speaker.role == "user"]
    by_number: dict[str, Evidence] = {}
    for name in query.names or users:
        person = sources.derived.names.find(scoped(query.user or COMMON, name))
        if person is None:
            continue
        persona = attempted(partial(sources.text_writer.persona, person), None)
        if persona is None:
            continue
        number = persona_id(person, persona)
        when = from_stored(persona.timestamp * _SECOND, 0)
        by_number[number] = Evidence(number, "profile", persona.text, when, 0.0, _UNEXPLAINED, "")
    return list(by_number.values())


def with_formed(sources: Sources, query: Query, evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return evidence, best first, among it the notes, summaries, profiles and personas that a model formed.

    Each stands behind the turns that are more like the question than it. Without a model nothing is added.
    """
    if sources.embedder_unavailable or not sources.cached(_has_model):
        return list(evidence)
    texts = [
        (replace(item, why=_UNEXPLAINED), item.why.terms["semantic"].value)
        for item in find(sources, query, _FORMED_KINDS, _FORMED_LIMIT, only_by_model=True)
    ]
    texts += _personas(sources, query)
    rows = sources.corpus.rows_of_ids([item.id for item in evidence])
    similarities = np.sort(-(sources.corpus.vectors_at(rows[rows >= 0]) @ query.vector))
    by_rank = [(float(rank), item) for rank, item in enumerate(evidence)]
    by_rank += [(float(np.searchsorted(similarities, -likeness)) - 0.5, item) for item, likeness in texts]
    return [item for _, item in sorted(by_rank, key=itemgetter(0))]


def _has_model(sources: Sources) -> bool:
    """Tell if a language model read any turn."""
    return any(map(by_model, sources.derived.judgements.makers()))


def _personas(sources: Sources, query: Query) -> list[tuple[Evidence, float]]:
    """Return the personas of those asked about that a model wrote, with the likeness of each to the question."""
    if query.allowed is not None or query.standpoint:
        return []
    personas: list[tuple[Evidence, float]] = []
    for name in query.names:
        person = sources.derived.names.find(scoped(query.user or COMMON, name))
        persona = None if person is None else sources.derived.personas.get(person)
        if person is None or persona is None or not persona.text or not by_model(persona.made_by):
            continue
        notes = [note for number in persona.notes if (note := sources.derived.notes.get(number)) is not None]
        turns = sources.text_writer.turns(list(dict.fromkeys(note.turn for note in notes[-SOURCES:])))
        when, ids = from_stored(persona.timestamp * _SECOND, 0), tuple(turn.id for turn in turns.values())
        item = Evidence(persona_id(person, persona), "profile", persona.text, when, 0.0, _UNEXPLAINED, "", sources=ids)
        personas.append((item, float(persona.vector @ query.vector)))
    return personas


def confidence(terms: Mapping[str, Values], rank: int) -> float | None:
    """Return the strength of a scored turn, 0 to 1 without feedback; None where the strategy does not tell it."""
    return min(float(terms[_CONFIDENCE][rank]), 1.0) if _CONFIDENCE in terms else None


def compressions(sources: Sources, evidence: Sequence[Evidence], tokens: int) -> dict[str, Compression]:
    """Return by id what a model made of turns that are more than twice as long as ``tokens``."""
    long = {item.id: item.text for item in evidence if item.kind == "turn" and len(item.text) > tokens * SHORTENED}
    results = sources.analyst.compressions(list(long.values()))
    return {number: compression for number, compression in zip(long, results, strict=True) if compression is not None}
