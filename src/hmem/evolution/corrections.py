"""Correcting and retracting: what was said stays, and is recalled no more; pinning; and taking a change back.

Each is an entry of the log, in force until it is undone. What was said stays stored, but is no longer recalled once
corrected or retracted.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import takewhile
from typing import Final, cast, get_args

from hmem.corpus.corpus import Corpus
from hmem.derived.changes import CORRECT, RESOLVE, RETRACT, RULE, UNDO, Decisions, change_id, change_number
from hmem.derived.events import KeptEvent
from hmem.derived.note_states import RULES
from hmem.derived.notes import KeptNote
from hmem.derived.personas import EDIT, written
from hmem.derived.slot_timeline import Decision
from hmem.derived.speaker_names import ScopedPerson
from hmem.derived.state import DerivedState
from hmem.derived.text_writer import TextWriter
from hmem.errors import InvalidQuery, InvalidTurn, UnknownId
from hmem.language.containment import attempted
from hmem.model.ids import kind_of, new_key, number_of, to_id
from hmem.model.span import now, to_stored
from hmem.model.turn import Turn
from hmem.storage.base import LogEntry

_FORGET: Final = "forget"
PIN: Final = "pin"


def correct(corpus: Corpus, derived: DerivedState, id: str, text: str, reason: str | None, author: str) -> int:
    """Keep a turn that corrects a turn or a note, and its log entry, in one transaction; return the entry's number.

    Raises:
        UnknownId, InvalidQuery, InvalidTurn: as for ``Memory.correct``; nothing was kept.
    """
    if not isinstance(text, str) or not text.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidTurn("a correction is a text - this one is empty")
    turn, note = _find_target(corpus, derived, id)
    key = to_id("turn", new_key())
    if note is None:
        correction = replace(turn, id=key, text=text, caption=None, attachments=(), message_id=None, echoes=())
    else:
        moment = now()
        correction = Turn(key, turn.speaker, text, moment, moment.date().isoformat(), role=turn.role, user=turn.user,
                    agent=turn.agent)  # fmt: skip
    before, timestamp = turn.content if note is None else note.text, _present()
    entry = LogEntry(timestamp, author, CORRECT, id, reason, before, text, key)
    corpus.append(
        [correction], [entry, *_retract_duplicates(derived, note, id, LogEntry(timestamp, author, RETRACT, id, reason))]
    )
    derived.decisions.catch_up()
    return derived.decisions.active_changes().corrections[key].number


def retract(corpus: Corpus, derived: DerivedState, id: str, reason: str | None, author: str) -> int:
    """Log the withdrawal of a turn, a note or an event; return the entry's number.

    Raises:
        UnknownId, InvalidQuery: as for ``Memory.retract``.
    """
    event, note = _event(derived, id) if kind_of(id) == "event" else None, None
    if event is not None:
        before = event.text
    else:
        turn, note = _find_target(corpus, derived, id)
        before = turn.content if note is None else note.text
    entry = LogEntry(_present(), author, RETRACT, id, reason, before)
    numbers = corpus.storage.record([entry, *_retract_duplicates(derived, note, id, entry)])
    derived.decisions.catch_up()
    return numbers[0]


def pin(corpus: Corpus, derived: DerivedState, id: str, reason: str | None, author: str) -> int:
    """Keep the entry that pins a turn, a note or an event; its number.

    Raises:
        UnknownId, InvalidQuery: as for ``Memory.pin``.
    """
    if kind_of(id) == "event":
        text = _event(derived, id).text
    else:
        turn, note = _find_target(corpus, derived, id)
        text = turn.content if note is None else note.text
    if any(entry.target == id for entry in pins(derived.decisions)):
        raise InvalidQuery(f"{id} is pinned already - unpin it to end that")
    (number,) = corpus.storage.record([LogEntry(_present(), author, PIN, id, reason, None, text)])
    derived.decisions.catch_up()
    return number


def pins(decisions: Decisions) -> list[LogEntry]:
    """The entries by which something is pinned, oldest first; that of what was forgotten has lost its text."""
    return [entry for entry in decisions.active_changes().of(PIN) if entry.after is not None]


def strayed(derived: DerivedState) -> list[LogEntry]:
    """Return the corrections and retractions of notes and events that read otherwise now, oldest first.

    A turn that other rules or a model form anew may give other notes and events under the same ids.
    """
    active = derived.decisions.active_changes()
    unplaced = [entry for entry in derived.astray if entry.number not in active.undone]
    of_older = {entry.number for entry in derived.decisions.carried_entries}
    return unplaced + [
        entry
        for entry in active.of(CORRECT, RETRACT)
        if entry.number not in of_older
        and kind_of(entry.target) in ("note", "event")
        and entry.before is not None
        and entry.before != _text_now(derived, entry.target)
    ]


def _text_now(derived: DerivedState, id: str) -> str | None:
    note, event = number_of("note", id), number_of("event", id)
    source = derived.notes.get(note[1]) if note else derived.events.get(event[1]) if event else None
    return None if source is None else source.text


def _retract_duplicates(derived: DerivedState, note: KeptNote | None, id: str, entry: LogEntry) -> list[LogEntry]:
    """Return entries that withdraw the notes merged into a note, which would otherwise replace it."""
    if note is None:
        return []
    note_states, withdrawn_ids = derived.note_states, derived.decisions.active_changes().withdrawn
    duplicates = [
        (derived.note_id(duplicate.number), duplicate.text)
        for duplicate in derived.notes.about(note.about, note.slot)
        if duplicate.number != note.number
        and (duplicate.value.casefold(), duplicate.positive) == (note.value.casefold(), note.positive)
        and note_states.of(duplicate).status == "merged"
        and note_states.canonical(duplicate).number == note.number
    ]
    return [
        entry._replace(target=target, before=text, link=id)
        for target, text in duplicates
        if target not in withdrawn_ids
    ]


def take_back(corpus: Corpus, decisions: Decisions, change: str, reason: str | None, author: str) -> int:
    """Log the undo of a change; return the entry's number.

    Raises:
        UnknownId, InvalidQuery: as for ``Memory.undo``.
    """
    entry = decisions.entry(change_number(change))
    if entry is None:
        raise UnknownId(f"there is no change {change!r} - `hmem history` shows their ids")
    if entry.number in decisions.active_changes().undone:
        raise InvalidQuery(f"{change} is taken back already - undo that one to bring it back")
    if entry.verb == _FORGET:
        raise InvalidQuery("what was forgotten is erased and cannot come back - restore a backup")
    timestamp, undone_ids = _present(), decisions.active_changes().undone
    entries = [entry, *(companion for companion in _companions(decisions, entry) if companion.number not in undone_ids)]
    numbers = corpus.storage.record(
        [
            LogEntry(timestamp, author, UNDO, old.target, reason, old.after, old.before, change_id(old))
            for old in entries
        ]
    )
    decisions.catch_up()
    return numbers[0]


def _companions(decisions: Decisions, entry: LogEntry) -> list[LogEntry]:
    """Return the entries made with one about a note, for the notes that repeat it; they are undone with it."""
    verb, links = RETRACT, {entry.target}
    if entry.verb == UNDO:
        undone_entry = decisions.entry(change_number(entry.link or ""))
        companions = _companions(decisions, undone_entry) if undone_entry is not None else []
        verb, links = UNDO, {change_id(companion) for companion in companions}
    same_moment = takewhile(lambda later: later.at == entry.at, decisions.since(entry.number))
    return [later for later in same_moment if later.verb == verb and later.link in links]


def _find_target(corpus: Corpus, derived: DerivedState, id: str) -> tuple[Turn, KeptNote | None]:
    """Return a turn, or a note and the turn that it was read from, unless it was withdrawn."""
    kind = kind_of(id)
    if kind not in ("turn", "note"):
        raise InvalidQuery(f"{id!r} is neither a turn nor a note - what stands on a turn changes with it")
    _check(derived, id)
    number = number_of("note", id)
    note = derived.notes.get(number[1]) if number is not None else None
    seqs = [note.turn] if note is not None else list(corpus.storage.locate([id]).values())
    rows = corpus.storage.turns(seqs)
    if not rows:
        raise UnknownId(f"this memory has no {kind} {id!r} - `hmem search` and `hmem notes` show ids")
    return rows[0].turn, note


def _event(derived: DerivedState, id: str) -> KeptEvent:
    """Return an event, unless it was withdrawn."""
    _check(derived, id)
    numbers = number_of("event", id)
    event = derived.events.get(numbers[1]) if numbers is not None else None
    if event is None:
        raise UnknownId(f"this memory has no event {id!r} - `hmem search --kind event` shows ids")
    return event


def _check(derived: DerivedState, id: str) -> None:
    if id in derived.decisions.active_changes().withdrawn:
        raise InvalidQuery(f"{id} was corrected or retracted before - `hmem history {id}` tells when and why")


def _present() -> int:
    return to_stored(datetime.now(UTC))[0]


DECISIONS: Final[tuple[Decision, ...]] = get_args(Decision)

# Key of the rule of all other slots.
DEFAULT_RULE: Final = "*"


def resolve(corpus: Corpus, derived: DerivedState, id: str, decision: str, reason: str | None, author: str) -> int:
    """Log a decision about a note; return the entry's number.

    Raises:
        UnknownId, InvalidQuery: as for ``Memory.resolve``; nothing was kept.
    """
    if decision not in DECISIONS:
        raise InvalidQuery(f"a note is not resolved by {decision!r} - choose one of: {', '.join(DECISIONS)}")
    note = _note(derived, id)
    if id in derived.decisions.active_changes().withdrawn:
        raise InvalidQuery(f"{id} was corrected or retracted before - `hmem history {id}` tells when and why")
    # Later notes of the slot are not decided yet.
    newest = derived.notes.about(note.about, note.slot)[-1].number
    note_decisions = derived.decisions.active_changes().of_notes
    before = note_decisions.resolved.get(note.number)
    if before == decision and note_decisions.through.get(note.number, newest) >= newest:
        raise InvalidQuery(f"{id} is resolved so already - `hmem history {id}` tells when and why")
    entry = LogEntry(to_stored(now())[0], author, RESOLVE, id, reason, before, decision, derived.note_id(newest))
    corpus.storage.record([entry])
    derived.decisions.catch_up()
    return derived.decisions.last


def _note(derived: DerivedState, id: str) -> KeptNote:
    numbers = number_of("note", id)
    note = derived.notes.get(numbers[1]) if numbers is not None else None
    if note is None:
        raise UnknownId(f"this memory has no note {id!r} - `hmem edit conflicts` and `hmem notes` show ids")
    return note


def rule(corpus: Corpus, derived: DerivedState, slot: str, conflict_rule: str, reason: str | None, author: str) -> int:
    """Log the rule of a slot, or of one subject's slot; return the entry's number.

    Raises:
        InvalidQuery: as for ``Changes.set_conflict_rule``; nothing was kept.
    """
    if conflict_rule not in RULES:
        raise InvalidQuery(f"{conflict_rule!r} is no rule of a slot - choose one of: {', '.join(RULES)}")
    subject, _, name = slot.rpartition(":")
    slot = f"{subject.strip()}:{name.strip()}" if subject.strip() else name.strip()
    if not name.strip() or DEFAULT_RULE in slot:
        raise InvalidQuery(f"a rule is for a slot, or 'subject:slot', not for {slot!r} - `hmem notes` shows slots")
    slot_rules = rules(derived)
    before = slot_rules.get(slot) or slot_rules.get(name.strip()) or slot_rules[DEFAULT_RULE]
    if before == conflict_rule and slot in slot_rules:
        raise InvalidQuery(f"the rule of {slot!r} is {conflict_rule!r} already - leave it, or choose another")
    corpus.storage.record([LogEntry(to_stored(now())[0], author, RULE, slot, reason, before, conflict_rule)])
    derived.decisions.catch_up()
    return derived.decisions.last


def rules(derived: DerivedState) -> dict[str, str]:
    """Return the rules in force by slot or "subject:slot": the recipe's or those set instead; then the default."""
    options = derived.note_states.options
    return {**options.rule_by_slot, **derived.decisions.active_changes().of_notes.rules, DEFAULT_RULE: options.rule}


# Most characters of a persona's text, which is read with every question.
LONGEST: Final = 2_000


def edit(
    corpus: Corpus, derived: DerivedState, text_writer: TextWriter, person: ScopedPerson, text: str | None,
    traits: Sequence[str] | None, reason: str | None, author: str,
) -> int:  # fmt: skip
    """Log an edit of a persona; return the entry's number.

    Raises:
        InvalidQuery: as for ``Changes.edit_persona``; nothing was kept.
    """
    present = attempted(lambda: text_writer.persona(person), None)
    old_text, old_traits = (present.text, present.traits) if present is not None else ("", ())
    text, traits = _text(old_text if text is None else text), _traits(old_traits if traits is None else traits)
    if (text, traits) == (old_text, old_traits):
        raise InvalidQuery("the persona says this already - give another text or other traits")
    # The text before is in the earlier versions, which are redacted when their sources are forgotten.
    after, newest = written(text, traits), text_writer.newest_note(person)
    target = derived.names.target(person)
    corpus.storage.record([LogEntry(to_stored(now())[0], author, EDIT, target, reason, None, after, newest)])
    derived.decisions.catch_up()
    return derived.decisions.last


def _text(text: object) -> str:
    if not isinstance(text, str) or not text.strip() or len(text) > LONGEST:
        raise InvalidQuery(f"the text of a persona has 1 to {LONGEST:,} characters - this one has not")
    return text.strip()


def _traits(names: object) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise InvalidQuery(f"{names!r} are no traits of a persona - give a list of texts")
    traits = tuple(str(trait).strip() for trait in cast("Sequence[object]", names))
    if wrong := [trait for trait in traits if not trait or ";" in trait or "\n" in trait]:
        raise InvalidQuery(f"{wrong[0]!r} is no trait - give a few words without ';' or line breaks")
    return tuple(dict.fromkeys(traits))
