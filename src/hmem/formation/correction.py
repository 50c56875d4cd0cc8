"""Claims of corrections: a correction has the subject and slot of the corrected note, however it is worded."""

from dataclasses import replace

from hmem.derived.notes import KeptNote
from hmem.derived.state import DerivedState
from hmem.formation.turn_analysis import TurnAnalysis
from hmem.language.analyst import Claim
from hmem.model.ids import number_of


def correct(item: TurnAnalysis, derived: DerivedState) -> None:
    """Replace the claims of a turn that corrects a note with one about the note's subject and slot.

    Notes of earlier turns are kept already.
    """
    number = number_of("note", item.corrects) if item.corrects else None
    note = derived.notes.get(number[1]) if number is not None else None
    if note is not None:
        item.claims = [_claim(item, note)]


def _claim(item: TurnAnalysis, note: KeptNote) -> Claim:
    """Return the turn's claim about the note's subject and slot; if none was read, its text is the value."""
    for claim in item.claims:
        if (claim.subject, claim.slot) == (note.subject, note.slot):
            return claim
    text = item.turn.text.strip()
    same = next((claim for claim in item.claims if claim.subject == note.subject), None)
    made = Claim(note.kind, note.subject, note.slot, text, text, positive=True, valid=None, statement=0)
    return made if same is None else replace(made, value=same.value, statement=same.statement)
