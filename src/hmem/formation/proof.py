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

# Turns that are read again, at most.
READ_AGAIN: Final = 512
_MEND: Final = "run `hmem rebuild`"


class _Read(NamedTuple):
    """Statements, claims and namings that are read of a turn."""

    statements: Sequence[Statement]
    claims: Sequence[Claim]
    named: bool


def misread(corpus: Corpus, derived: DerivedState, analyst: Analyst, config: FormationConfig) -> list[str]:
    """List the differences between what is formed of turns and what reading them anew gives.

    Call it inside ``corpus.reading()``, the derived state caught up.
    """
    if not (config.events and config.notes and config.curation):
        return []
    turns = _turns(corpus, derived, analyst, config)
    events = notes = names = vectors = 0
    for (seq, turn), read in zip(turns.items(), _read_again(analyst, list(turns.values())), strict=True):
        made_by, owner = analyst.made_by, owner_of(turn)
        events += [event.text for event in derived.events.of(seq)] != [each.text for each in read.statements]
        wanted = [note_of(seq, place, claim, made_by, owner) for place, claim in enumerate(read.claims)]
        notes += [(note.about, note.slot, note.value, note.text) for note in derived.notes.of(seq)] != [
            (note.about, note.slot, note.value, note.text) for note in wanted
        ]
        names += config.graph and read.named and not derived.graph.entities_of(seq)
        own = [event.number for event in derived.events.of(seq)]
        vectors += len(own) > 1 and not all(number in derived.event_vectors for number in own)
    found = {"events": events, "notes": notes, "entities": names, "vectors of events": vectors}
    wrong = [
        f"the {what} of {count} turns are not what the turns say - {_MEND}" for what, count in found.items() if count
    ]
    return [*wrong, *_slots_wrong(derived)]


def _turns(corpus: Corpus, derived: DerivedState, analyst: Analyst, config: FormationConfig) -> dict[int, Turn]:
    """Return turns to be read again as they were read, by sequence number."""
    judgements, decisions = derived.judgements, derived.decisions
    corrections = set(corpus.storage.locate(list(decisions.corrections)).values())
    apart = {*corrections, *derived.learnt.seqs()}
    formed = [
        seq
        for seq in judgements.seqs()
        if seq not in apart and (kept := judgements.of(seq)) is not None and kept.made_by == analyst.made_by
    ]
    places = np.unique(np.linspace(0, max(len(formed) - 1, 0), min(READ_AGAIN, len(formed)), dtype=np.int64))
    chosen: list[int] = places.tolist()
    some = [formed[place] for place in chosen]
    kept = corpus.kept.get(some, once=True)
    read = [
        (seq, without_echoes(kept[seq], analyst.lexicon) if config.echo else kept[seq]) for seq in some if seq in kept
    ]
    return dict(zip((seq for seq, _ in read), derived.names.unified(read), strict=True))


def _read_again(analyst: Analyst, turns: Sequence[Turn]) -> Iterator[_Read]:
    """Yield what is read of each turn; no turn before it changes that without a model."""
    passages = [Passage((turn,), 0, (turn.speaker,)) for turn in turns]
    statements = [told[0][:MOST] for told in analyst.events(passages)]
    claims = [told[0][:MOST] for told in analyst.claims(passages, [[told] for told in statements])]
    curations, extractions = analyst.curate(passages), analyst.entities(passages)
    for turn, said, claimed, curation, extraction in zip(
        turns, statements, claims, curations, extractions, strict=True
    ):
        if not curation[0].memorable or all_echo(turn) or turn.role == DOCUMENT:
            yield _Read((), (), named=turn.role != DOCUMENT and bool(extraction[0].namings))
        else:
            yield _Read(said, claimed, named=bool(extraction[0].namings))


def _slots_wrong(derived: DerivedState) -> Iterator[str]:
    """Yield what is wrong with the slots: threads and values that are not found by subject, or that notes lack."""
    notes = derived.notes
    by_turn = {note.number for note in notes.every()}
    found = {
        note.number for about in notes.subjects() for slot in notes.slots(about) for note in notes.about(about, slot)
    }
    if wrong := len(by_turn ^ found):
        yield f"slots and notes differ in {wrong} - {_MEND}"
    successors = {after for note in notes.every() if (after := derived.note_states.of(note).successor) is not None}
    if gone := len([number for number in successors if notes.get(number) is None]):
        yield f"{gone} notes were replaced by notes that are not there - {_MEND}"
