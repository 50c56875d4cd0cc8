"""Edits by people: of what was said, of notes and personas, and of the names of nodes and entities.

Each is an entry of the log, in force until it is undone. What was said stays stored, but is no longer recalled once it
is corrected or retracted. The next step of formation merges and splits entities in the graph.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final, cast, get_args

from hmem.corpus.corpus import Corpus
from hmem.derived.changes import (
    CORRECT,
    MERGE,
    RENAME,
    RESOLVE,
    RETRACT,
    RULE,
    SPLIT,
    UNDO,
    Decisions,
    change_id,
    change_number,
    level_text,
)
from hmem.derived.chunks import turn_of
from hmem.derived.events import KeptEvent
from hmem.derived.graph.entity_edits import NAME_SEPARATOR
from hmem.derived.graph.entity_resolution import normal
from hmem.derived.note_states import RULES
from hmem.derived.notes import KeptNote
from hmem.derived.personas import EDIT, to_log_text
from hmem.derived.slot_timeline import Decision
from hmem.derived.speaker_names import ScopedPerson
from hmem.derived.state import EVENT_TREES, TREES, DerivedState
from hmem.derived.text_writer import TextWriter
from hmem.errors import InvalidQuery, InvalidTurn, UnknownId
from hmem.language.containment import attempted
from hmem.model.ids import kind_of, new_key, number_of, numbered, to_id
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
    before, timestamp = turn.content if note is None else note.text, to_stored(now())[0]
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
    entry = LogEntry(to_stored(now())[0], author, RETRACT, id, reason, before)
    return _record(corpus, derived.decisions, [entry, *_retract_duplicates(derived, note, id, entry)])


def pin(corpus: Corpus, derived: DerivedState, id: str, reason: str | None, author: str) -> int:
    """Log that a turn, a note or an event is pinned; return the entry's number.

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
    return _record(corpus, derived.decisions, [LogEntry(to_stored(now())[0], author, PIN, id, reason, None, text)])


def pins(decisions: Decisions) -> list[LogEntry]:
    """Return the entries by which something is pinned, oldest first; that of what was forgotten has lost its text."""
    return [entry for entry in decisions.active_changes().entries_of(PIN) if entry.after is not None]


def strayed(derived: DerivedState) -> list[LogEntry]:
    """Return the corrections and retractions of notes and events that read otherwise now, oldest first.

    A turn that other rules or a model form anew may give other notes and events under the same ids.
    """
    return [
        entry
        for entry in derived.decisions.active_changes().entries_of(CORRECT, RETRACT)
        if kind_of(entry.target) in ("note", "event")
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
        for duplicate in derived.notes.of_subject(note.scoped_subject, note.slot)
        if duplicate.number != note.number
        and (duplicate.value.casefold(), duplicate.positive) == (note.value.casefold(), note.positive)
        and note_states.state_of(duplicate).status == "merged"
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
    timestamp, undone_ids = to_stored(now())[0], decisions.active_changes().undone
    entries = [entry, *(companion for companion in _companions(decisions, entry) if companion.number not in undone_ids)]
    return _record(
        corpus,
        decisions,
        [
            LogEntry(timestamp, author, UNDO, old.target, reason, old.after, old.before, change_id(old))
            for old in entries
        ],
    )


def _record(corpus: Corpus, decisions: Decisions, entries: Sequence[LogEntry]) -> int:
    """Log changes; return the number of the first entry."""
    numbers = corpus.storage.record(entries)
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
    _check_present(derived, id)
    number = number_of("note", id)
    note = derived.notes.get(number[1]) if number is not None else None
    seqs = [note.turn] if note is not None else list(corpus.storage.locate([id]).values())
    rows = corpus.storage.turns(seqs)
    if not rows:
        raise UnknownId(f"this memory has no {kind} {id!r} - `hmem search` and `hmem notes` show ids")
    return rows[0].turn, note


def _event(derived: DerivedState, id: str) -> KeptEvent:
    """Return an event, unless it was withdrawn."""
    _check_present(derived, id)
    numbers = number_of("event", id)
    event = derived.events.get(numbers[1]) if numbers is not None else None
    if event is None:
        raise UnknownId(f"this memory has no event {id!r} - `hmem search --kind event` shows ids")
    return event


def _check_present(derived: DerivedState, id: str) -> None:
    if id in derived.decisions.active_changes().withdrawn:
        raise InvalidQuery(f"{id} was corrected or retracted before - `hmem history {id}` tells when and why")


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
    _check_present(derived, id)
    # Later notes of the slot are not decided yet.
    newest = derived.notes.of_subject(note.scoped_subject, note.slot)[-1].number
    note_decisions = derived.decisions.active_changes().of_notes
    before = note_decisions.resolved.get(note.number)
    if before == decision and note_decisions.newest_known.get(note.number, newest) >= newest:
        raise InvalidQuery(f"{id} is resolved so already - `hmem history {id}` tells when and why")
    entry = LogEntry(to_stored(now())[0], author, RESOLVE, id, reason, before, decision, derived.note_id(newest))
    return _record(corpus, derived.decisions, [entry])


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
    entry = LogEntry(to_stored(now())[0], author, RULE, slot, reason, before, conflict_rule)
    return _record(corpus, derived.decisions, [entry])


def rules(derived: DerivedState) -> dict[str, str]:
    """Return the rules in force by slot or "subject:slot": the recipe's or those set instead; then the default."""
    options = derived.note_states.options
    return {**options.rule_by_slot, **derived.decisions.active_changes().of_notes.rules, DEFAULT_RULE: options.rule}


# Most characters of a persona's text, which is read with every question.
_LONGEST_PERSONA: Final = 2_000


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
    after, newest = to_log_text(text, traits), text_writer.newest_note(person)
    target = derived.names.target(person)
    entry = LogEntry(to_stored(now())[0], author, EDIT, target, reason, None, after, newest)
    return _record(corpus, derived.decisions, [entry])


def _text(text: object) -> str:
    if not isinstance(text, str) or not text.strip() or len(text) > _LONGEST_PERSONA:
        raise InvalidQuery(f"the text of a persona has 1 to {_LONGEST_PERSONA:,} characters - this one has not")
    return text.strip()


def _traits(names: object) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise InvalidQuery(f"{names!r} are no traits of a persona - give a list of texts")
    traits = tuple(str(trait).strip() for trait in cast("Sequence[object]", names))
    if wrong := [trait for trait in traits if not trait or ";" in trait or "\n" in trait]:
        raise InvalidQuery(f"{wrong[0]!r} is no trait - give a few words without ';' or line breaks")
    return tuple(dict.fromkeys(traits))


# Names of nodes.

_CALENDAR: Final = "calendar"
# Longest name of a node, in characters.
_LONGEST_NAME: Final = 200


def rename_node(
    corpus: Corpus, derived: DerivedState, text_writer: TextWriter, id: str, name: str, reason: str | None, author: str
) -> int:
    """Log the name of a node; return the entry's number.

    Raises:
        UnknownId, InvalidQuery: as for ``Changes.rename_node``.
    """
    tree, node = _node(derived, id)
    title = " ".join(name.split())
    if not 0 < len(title) <= _LONGEST_NAME:
        raise InvalidQuery(f"a name has 1 to {_LONGEST_NAME} characters, not {len(title)} - give another one")
    if tree == _CALENDAR or node == 0:
        raise InvalidQuery("dates and the whole of a tree keep their names - rename a node below")
    before = attempted(lambda: text_writer.name(tree, node), "")
    if before == title:
        raise InvalidQuery(f"the node is called {title!r} already - give another name")
    level = derived.trees[tree].level(node)
    entry = LogEntry(
        to_stored(now())[0], author, RENAME, _first_leaf(derived, text_writer, tree, node), reason,
        before, title, level_text(tree, level),
    )  # fmt: skip
    return _record(corpus, derived.decisions, [entry])


def _node(derived: DerivedState, id: str) -> tuple[str, int]:
    """Return the tree of a node, and its number there."""
    numbers = number_of("node", id)
    if numbers is None or numbers[0] >= len(TREES) or numbers[1] not in derived.trees[TREES[numbers[0]]]:
        raise UnknownId(f"no tree has a node {id!r} - `hmem show tree topic --json` shows those it has")
    return TREES[numbers[0]], numbers[1]


def _first_leaf(derived: DerivedState, text_writer: TextWriter, tree: str, node: int) -> str:
    """Return the id of the first visible leaf below a node."""
    leaves = sorted(derived.trees[tree].leaves_below(node))
    seqs = [turn_of(leaf) for leaf in leaves] if tree in EVENT_TREES else leaves
    turns = text_writer.turns(seqs[:1]) or text_writer.turns(list(dict.fromkeys(seqs)))
    for leaf, seq in zip(leaves, seqs, strict=True):
        if seq in turns:
            turn = turns[seq]
            return numbered("event", to_stored(turn.at)[0] // 1000, leaf) if tree in EVENT_TREES else turn.id
    raise InvalidQuery("nothing below this node is recalled any more - it needs no name")


# Entities.


def merge_entities(
    corpus: Corpus, derived: DerivedState, entity: str, duplicate: str, reason: str | None, author: str
) -> int:
    """Log that two entities are one; return the entry's number.

    Raises:
        UnknownId, InvalidQuery: as for ``Changes.merge_entities``.
    """
    graph = derived.graph
    survivor, absorbed = _entity(derived, entity), _entity(derived, duplicate)
    if survivor == absorbed:
        raise InvalidQuery(f"{entity!r} and {duplicate!r} are one entity already - `hmem show graph` shows its names")
    if graph.owner(survivor) != graph.owner(absorbed):
        raise InvalidQuery("entities of two users cannot be one - merge those of one user")
    names = NAME_SEPARATOR.join((graph.name(absorbed), *graph.aliases(absorbed)))
    name, owner = graph.name(survivor), graph.owner(survivor) or None
    entry = LogEntry(to_stored(now())[0], author, MERGE, name, reason, names, name, owner)
    return _record(corpus, derived.decisions, [entry])


def split_entity(corpus: Corpus, derived: DerivedState, entity: str, name: str, reason: str | None, author: str) -> int:
    """Log that one of an entity's names means another one; return the entry's number.

    Raises:
        UnknownId, InvalidQuery: as for ``Changes.split_entity``.
    """
    graph, number = derived.graph, _entity(derived, entity)
    main_name = graph.name(number)
    match = next((alias for alias in graph.aliases(number) if normal(alias) == normal(name)), None)
    if match is None:
        alias_list = ", ".join(graph.aliases(number)) or "none"
        raise InvalidQuery(f"{name!r} is no other name of {main_name} - it has these: {alias_list}")
    owner = graph.owner(number) or None
    entry = LogEntry(to_stored(now())[0], author, SPLIT, main_name, reason, main_name, match, owner)
    return _record(corpus, derived.decisions, [entry])


def _entity(derived: DerivedState, entity: str) -> int:
    """Return an entity by its id or by a name that it is known by."""
    numbers, graph = number_of("entity", entity), derived.graph
    if numbers is not None and graph.value(numbers[1]) is not None:
        return numbers[1]
    matches = graph.best_matches(entity)
    if not matches:
        raise UnknownId(f"this memory knows no entity {entity!r} - `hmem show graph` shows those it knows")
    if len(matches) > 1:
        raise InvalidQuery(f"entities of several users are called {entity!r} - give an id, as `hmem show graph` shows")
    return matches[0]
