"""Settling contradictions: which of the notes that exclude each other holds, and by which rule a slot's are settled."""

from typing import Final, get_args

from hmem.corpus import Corpus
from hmem.errors import InvalidQuery, UnknownId
from hmem.hierarchy.arrangement import Arrangement
from hmem.hierarchy.decisions import RESOLVE, RULE
from hmem.hierarchy.holdings import RULES
from hmem.hierarchy.ledger import Decision
from hmem.hierarchy.notes import KeptNote
from hmem.model.ids import number_of
from hmem.model.span import now, to_stored
from hmem.storage.base import Entry

DECISIONS: Final[tuple[Decision, ...]] = get_args(Decision)

# The rule of all slots that have none of their own.
OTHERS: Final = "*"


def resolve(corpus: Corpus, arrangement: Arrangement, id: str, decision: str, why: str | None, by: str) -> int:
    """Keep the entry that decides of a note; its number.

    Raises:
        UnknownId, InvalidQuery: as for ``Memory.resolve``; nothing was kept.
    """
    if decision not in DECISIONS:
        raise InvalidQuery(f"a note is not resolved by {decision!r} - choose one of: {', '.join(DECISIONS)}")
    note = _note(arrangement, id)
    if id in arrangement.decisions.standing().withdrawn:
        raise InvalidQuery(f"{id} was corrected or retracted before - `hmem history {id}` tells when and why")
    # What is told of the slot later is not decided yet.
    newest = arrangement.notes.about(note.subject, note.slot)[-1].number
    decided = arrangement.decisions.standing().of_notes
    before = decided.resolved.get(note.number)
    if before == decision and decided.through.get(note.number, newest) >= newest:
        raise InvalidQuery(f"{id} is resolved so already - `hmem history {id}` tells when and why")
    entry = Entry(to_stored(now())[0], by, RESOLVE, id, why, before, decision, arrangement.note_id(newest))
    corpus.storage.record([entry])
    arrangement.decisions.catch_up()
    return arrangement.decisions.last


def _note(arrangement: Arrangement, id: str) -> KeptNote:
    found = number_of("note", id)
    note = arrangement.notes.get(found[1]) if found is not None else None
    if note is None:
        raise UnknownId(f"this memory has no note {id!r} - `hmem conflicts` and `hmem show notes` show ids")
    return note


def rule(corpus: Corpus, arrangement: Arrangement, slot: str, chosen: str, why: str | None, by: str) -> int:
    """Keep the entry that sets the rule of a slot, or of one subject's; its number.

    Raises:
        InvalidQuery: as for ``Memory.rule``; nothing was kept.
    """
    if chosen not in RULES:
        raise InvalidQuery(f"{chosen!r} is no rule of a slot - choose one of: {', '.join(RULES)}")
    subject, _, name = slot.rpartition(":")
    slot = f"{subject.strip()}:{name.strip()}" if subject.strip() else name.strip()
    if not name.strip() or OTHERS in slot:
        raise InvalidQuery(f"a rule is for a slot, or 'subject:slot', not for {slot!r} - `hmem show notes` shows slots")
    told = rules(arrangement)
    before = told.get(slot) or told.get(name.strip()) or told[OTHERS]
    if before == chosen and slot in told:
        raise InvalidQuery(f"the rule of {slot!r} is {chosen!r} already - leave it, or choose another")
    corpus.storage.record([Entry(to_stored(now())[0], by, RULE, slot, why, before, chosen)])
    arrangement.decisions.catch_up()
    return arrangement.decisions.last


def rules(arrangement: Arrangement) -> dict[str, str]:
    """The rules in force by slot or "subject:slot": the recipe's, or what was set instead; then that of all others."""
    options = arrangement.holdings.options
    return {**options.told, **arrangement.decisions.standing().of_notes.rules, OTHERS: options.rule}
