"""Claims that correct or revise notes (HiMem).

What a model says of a note that it was shown, or of an earlier turn, goes into the slot of that note, whatever the
model called the slot. Nothing else that a model claims is compared: equality of a slot's name decides nothing. A
correction has the subject and slot of the corrected note, however it is worded.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

from hmem.derived.notes import KeptNote
from hmem.derived.state import DerivedState
from hmem.formation.turn_analysis import TurnAnalysis
from hmem.language.analyst import Claim, Verdict
from hmem.language.analyst.base import Revises
from hmem.language.analyzer import stems, words
from hmem.model.ids import number_of
from hmem.model.scope import owner_of, scoped

# Roles of those who take no part in a talk.
_REPORTERS: Final = frozenset(("tool", "system", "document"))

# Place of a claim among those of its turn, the number of the note that it revises, and how.
Revision = tuple[int, int, Verdict]


def revise(item: TurnAnalysis, derived: DerivedState, producer: str, speaker: Callable[[int], str]) -> list[Revision]:
    """Put the claims of a turn that revise notes into the slots of these; return the revisions.

    ``speaker`` returns who said a turn. What one said is replaced by their own words, or by those of whom it is about;
    the words of anybody else, an assistant's and a tool's too, dispute it. What one said of a thing is outdated by what
    another, or an assistant that works on it, says of it later in the same session: one was there to object.
    """
    claims, revisions = list(item.claims), list[Revision]()
    for ordinal, claim in enumerate(claims):
        note = _revised(item, claim, derived)
        if note is None or not _on_one_subject(claim, note, derived):
            continue
        relation = claim.revises.relation if claim.revises is not None else "contradicts"
        may = item.corrects or item.turn.speaker in (speaker(note.turn), note.subject)
        if relation == "contradicts" and not may:
            relation = "outdates" if _is_talk_of_a_thing(item, claim, note, derived) else "disputes"
        claims[ordinal] = replace(claim, subject=note.subject, slot=note.slot)
        revisions.append((ordinal, note.number, Verdict(relation, "by the model that read it", producer)))
    item.claims = claims
    return revisions


def _on_one_subject(claim: Claim, note: KeptNote, derived: DerivedState) -> bool:
    """Tell if a claim may be about the subject of a note: claims about one person revise no note of another.

    Names may be longer or shorter, and things may be called by their parts, such as a dashboard and its button.
    """
    claim_words, note_words = (set(name.casefold().split()) for name in (claim.subject, note.subject))
    if claim_words <= note_words or note_words <= claim_words:
        return True
    return not any(_is_person(name, note.owner, derived) for name in (claim.subject, note.subject))


def _is_talk_of_a_thing(item: TurnAnalysis, claim: Claim, note: KeptNote, derived: DerivedState) -> bool:
    """Tell if a claim is what somebody says of a thing, in the session of the note; tools and documents only report."""
    judgement = derived.judgements.get(note.turn)
    teller = item.turn.role or scoped(note.owner, item.turn.speaker).name
    if judgement is None or judgement.session != item.session or teller in _REPORTERS:
        return False
    return all(_is_thing(name, note.owner, derived) for name in (claim.subject, note.subject))


def _is_thing(name: str, owner: str, derived: DerivedState) -> bool:
    """Tell if a name is of a known thing; what is called after a person, such as Ann's car, is theirs."""
    graph, name_words = derived.graph, words(name)
    types = {graph.type(entity) for entity in graph.find(name, owner)}
    bounds = combinations(range(len(name_words) + 1), 2)
    speakers = (derived.names.find(scoped(owner, " ".join(name_words[first:end]))) for first, end in bounds)
    return bool(types) and "person" not in types and all(speaker is None for speaker in speakers)


def _is_person(name: str, owner: str, derived: DerivedState) -> bool:
    if derived.names.find(scoped(owner, name)) is not None:
        return True
    return any(derived.graph.type(entity) == "person" for entity in derived.graph.best_matches(name, owner))


def _revised(item: TurnAnalysis, claim: Claim, derived: DerivedState) -> KeptNote | None:
    """Return the note that a claim revises, or the one that has taken its place since; None if there is none.

    Of several notes of a turn it is the one in the claim's own slot, else the one that is most like it in words.
    """
    if item.corrects:
        number = number_of("note", item.corrects)
        return None if number is None else derived.notes.get(number[1])
    if claim.revises is None:
        return None
    notes = list(_notes_of(item, claim.revises, derived))
    if not notes:
        return None
    text = claim.revises.text
    claim_stems = set(stems(f"{claim.text} {claim.value} {text}"))

    def likeness(candidate: KeptNote) -> tuple[bool, bool, int]:
        in_slot = (candidate.subject, candidate.slot) == (claim.subject, claim.slot)
        return in_slot, candidate.text == text, len(claim_stems.intersection(_stems(candidate)))

    note = max(notes, key=likeness)
    while (state := derived.note_states.state_of(note)).successor is not None:
        following = derived.notes.get(state.successor)
        # Only what repeats a note has an older one in its place.
        is_older = following is not None and following.number <= note.number and state.status != "merged"
        if following is None or following.turn >= item.seq or is_older:
            break
        note = following
    return note


def _notes_of(item: TurnAnalysis, revises: Revises, derived: DerivedState) -> Iterator[KeptNote]:
    """Yield the notes of the turn that is revised: those of the same owner, and of an earlier turn."""
    seq = derived.seq_of(revises.turn)
    if seq is not None and seq < item.seq and derived.time_of(seq) <= derived.time_of(item.seq):
        owner = owner_of(item.turn)
        yield from (note for note in derived.notes.of_turn(seq) if note.owner == owner)


def _stems(note: KeptNote) -> Sequence[str]:
    return stems(f"{note.text} {note.value}")


def correct(item: TurnAnalysis, derived: DerivedState) -> None:
    """Replace the claims of a turn that corrects a note with one about the note's subject and slot.

    Notes of earlier turns are kept already.
    """
    number = number_of("note", item.corrects) if item.corrects else None
    note = derived.notes.get(number[1]) if number is not None else None
    if note is not None:
        item.claims = [_corrected_claim(item, note)]


def _corrected_claim(item: TurnAnalysis, note: KeptNote) -> Claim:
    """Return the turn's claim about the note's subject and slot; if none was read, its text is the value."""
    for claim in item.claims:
        if (claim.subject, claim.slot) == (note.subject, note.slot):
            return claim
    text = item.turn.text.strip()
    similar = next((claim for claim in item.claims if claim.subject == note.subject), None)
    new = Claim(note.kind, note.subject, note.slot, text, text, positive=True, valid=None, statement=0)
    return new if similar is None else replace(new, value=similar.value, statement=similar.statement)
