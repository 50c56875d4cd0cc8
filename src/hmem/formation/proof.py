"""Proof of what is formed: turns are read again, and what was formed of them is compared with that.

Only turns that the present analyst reads without a model are read again: what a model read cannot be had again without
asking it. Of a large memory some turns are read, spread over all.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from hmem.corpus.corpus import Corpus
from hmem.derived.chunks import MOST
from hmem.derived.notes import note_of
from hmem.derived.state import DerivedState
from hmem.formation.config import FormationConfig
from hmem.formation.turn_analysis import all_echo, without_echoes
from hmem.language.analyst import Analyst, Claim, Passage, Statement
from hmem.model.scope import owner_of
from hmem.model.turn import DOCUMENT, Turn
from hmem.util.amounts import amount

# Turns that are read again, at most.
READ_AGAIN: Final = 512
_MEND: Final = "run `hmem rebuild`"


class _Read(NamedTuple):
    """Statements, claims and namings that are read of a turn."""

    statements: Sequence[Statement]
    claims: Sequence[Claim]
    has_names: bool


def misread(corpus: Corpus, derived: DerivedState, analyst: Analyst, config: FormationConfig) -> list[str]:
    """List the differences between what is formed of turns and what reading them anew gives.

    Call it inside ``corpus.reading()``, the derived state caught up.
    """
    if not (config.events and config.notes and config.curation):
        return []
    turns = _turns(corpus, derived, analyst, config)
    events = notes = names = vectors = 0
    for (seq, turn), read in zip(turns.items(), _read_again(analyst, list(turns.values())), strict=True):
        producer, owner = analyst.made_by, owner_of(turn)
        events += [event.text for event in derived.events.of_turn(seq)] != [
            statement.text for statement in read.statements
        ]
        fresh_notes = [note_of(seq, ordinal, claim, producer, owner) for ordinal, claim in enumerate(read.claims)]
        notes += [(note.scoped_subject, note.slot, note.value, note.text) for note in derived.notes.of_turn(seq)] != [
            (note.scoped_subject, note.slot, note.value, note.text) for note in fresh_notes
        ]
        names += config.graph and read.has_names and not derived.graph.entities_of(seq)
        numbers = [event.number for event in derived.events.of_turn(seq)]
        vectors += len(numbers) > 1 and not all(number in derived.event_vectors for number in numbers)
    counts = {"events": events, "notes": notes, "entities": names, "vectors of events": vectors}
    wrong = [
        f"the {kind} of {amount(count, 'turn')} are not what was said - {_MEND}"
        for kind, count in counts.items()
        if count
    ]
    return [*wrong, *_slots_wrong(derived)]


def _turns(corpus: Corpus, derived: DerivedState, analyst: Analyst, config: FormationConfig) -> dict[int, Turn]:
    """Return turns to be read again as they were read, by sequence number."""
    judgements, decisions = derived.judgements, derived.decisions
    corrections = set(corpus.storage.locate(list(decisions.corrections)).values())
    excluded = {*corrections, *derived.learnt.seqs()}
    seqs = [
        seq
        for seq in judgements.seqs()
        if seq not in excluded
        and (judgement := judgements.get(seq)) is not None
        and judgement.made_by == analyst.made_by
    ]
    positions = np.unique(np.linspace(0, max(len(seqs) - 1, 0), min(READ_AGAIN, len(seqs)), dtype=np.int64))
    indices: list[int] = positions.tolist()
    sample = [seqs[index] for index in indices]
    turns = corpus.turn_cache.get(sample, once=True)
    read = [
        (seq, without_echoes(turns[seq], analyst.lexicon) if config.echo else turns[seq])
        for seq in sample
        if seq in turns
    ]
    return dict(zip((seq for seq, _ in read), derived.names.unified(read), strict=True))


def _read_again(analyst: Analyst, turns: Sequence[Turn]) -> Iterator[_Read]:
    """Yield what is read of each turn; no turn before it changes that without a model."""
    passages = [Passage((turn,), 0, (turn.speaker,)) for turn in turns]
    statements = [per_turn[0][:MOST] for per_turn in analyst.events(passages)]
    claims = [per_turn[0][:MOST] for per_turn in analyst.claims(passages, [[row] for row in statements])]
    curations, extractions = analyst.curate(passages), analyst.entities(passages)
    for turn, turn_statements, turn_claims, curation, extraction in zip(
        turns, statements, claims, curations, extractions, strict=True
    ):
        if not curation[0].memorable or all_echo(turn) or turn.role == DOCUMENT:
            yield _Read((), (), has_names=turn.role != DOCUMENT and bool(extraction[0].namings))
        else:
            yield _Read(turn_statements, turn_claims, has_names=bool(extraction[0].namings))


def _slots_wrong(derived: DerivedState) -> Iterator[str]:
    """Yield what is wrong with the slots: threads and values that are not found by subject, or that notes lack."""
    notes = derived.notes
    by_turn = {note.number for note in notes.iterate()}
    by_slot = {
        note.number for name in notes.subjects() for slot in notes.slots(name) for note in notes.of_subject(name, slot)
    }
    if wrong := len(by_turn ^ by_slot):
        yield f"slots and notes differ in {wrong} - {_MEND}"
    successors = {
        after for note in notes.iterate() if (after := derived.note_states.state_of(note).successor) is not None
    }
    if missing := len([number for number in successors if notes.get(number) is None]):
        yield f"{amount(missing, 'note was', 'notes were')} replaced by what is not there - {_MEND}"
