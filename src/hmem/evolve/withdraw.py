"""Correcting and retracting: what was said stays, and is recalled no more; and taking a change back."""

from dataclasses import replace
from datetime import UTC, datetime
from itertools import takewhile
from typing import Final

from hmem.corpus import Corpus
from hmem.errors import InvalidQuery, InvalidTurn, UnknownId
from hmem.hierarchy.arrangement import Arrangement
from hmem.hierarchy.decisions import CORRECT, RETRACT, UNDO, Decisions, change_id, change_number
from hmem.hierarchy.events import KeptEvent
from hmem.hierarchy.notes import KeptNote
from hmem.model.ids import kind_of, new_key, number_of, to_id
from hmem.model.span import now, to_stored
from hmem.model.turn import Turn
from hmem.storage.base import Entry

_FORGET: Final = "forget"


def correct(corpus: Corpus, arrangement: Arrangement, id: str, text: str, why: str | None, by: str) -> int:
    """Keep a turn that corrects another, or a note, with the entry that says so, in one transaction; its number.

    Raises:
        UnknownId, InvalidQuery, InvalidTurn: as for ``Memory.correct``; nothing was kept.
    """
    if not isinstance(text, str) or not text.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidTurn("a correction is a text - this one is empty")
    turn, note = _found(corpus, arrangement, id)
    key = to_id("turn", new_key())
    if note is None:
        made = replace(turn, id=key, text=text, caption=None, attachments=(), message_id=None, echoes=())
    else:
        moment = now()
        made = Turn(key, turn.speaker, text, moment, moment.date().isoformat(), role=turn.role, user=turn.user,
                    agent=turn.agent)  # fmt: skip
    before, at = turn.content if note is None else note.text, _present()
    entry = Entry(at, by, CORRECT, id, why, before, text, key)
    corpus.append([made], [entry, *_said_again(arrangement, note, id, Entry(at, by, RETRACT, id, why))])
    arrangement.decisions.catch_up()
    return arrangement.decisions.standing().corrections[key].number


def retract(corpus: Corpus, arrangement: Arrangement, id: str, why: str | None, by: str) -> int:
    """Keep the entry that withdraws a turn, a note or an event; its number.

    Raises:
        UnknownId, InvalidQuery: as for ``Memory.retract``.
    """
    event, note = _event(arrangement, id) if kind_of(id) == "event" else None, None
    if event is not None:
        before = event.text
    else:
        turn, note = _found(corpus, arrangement, id)
        before = turn.content if note is None else note.text
    entry = Entry(_present(), by, RETRACT, id, why, before)
    numbers = corpus.storage.record([entry, *_said_again(arrangement, note, id, entry)])
    arrangement.decisions.catch_up()
    return numbers[0]


def _said_again(arrangement: Arrangement, note: KeptNote | None, id: str, entry: Entry) -> list[Entry]:
    """Entries that withdraw the notes by which a note was said again, which would stand in its place."""
    if note is None:
        return []
    holdings, withdrawn = arrangement.holdings, arrangement.decisions.standing().withdrawn
    again = [
        (arrangement.note_id(each.number), each.text)
        for each in arrangement.notes.about(note.subject, note.slot)
        if each.number != note.number
        and (each.value.casefold(), each.positive) == (note.value.casefold(), note.positive)
        and holdings.of(each).status == "merged"
        and holdings.told_by(each).number == note.number
    ]
    return [entry._replace(target=each, before=text, link=id) for each, text in again if each not in withdrawn]


def take_back(corpus: Corpus, decisions: Decisions, change: str, why: str | None, by: str) -> int:
    """Keep the entry that takes a change back; its number.

    Raises:
        UnknownId, InvalidQuery: as for ``Memory.undo``.
    """
    entry = decisions.entry(change_number(change))
    if entry is None:
        raise UnknownId(f"there is no change {change!r} - `hmem history` shows their ids")
    if entry.number in decisions.standing().undone:
        raise InvalidQuery(f"{change} is taken back already - undo that one to bring it back")
    if entry.verb == _FORGET:
        raise InvalidQuery("what was forgotten is erased and cannot come back - restore a backup")
    at, gone = _present(), decisions.standing().undone
    undone = [entry, *(each for each in _made_with(decisions, entry) if each.number not in gone)]
    numbers = corpus.storage.record(
        [Entry(at, by, UNDO, each.target, why, each.after, each.before, change_id(each)) for each in undone]
    )
    decisions.catch_up()
    return numbers[0]


def _made_with(decisions: Decisions, entry: Entry) -> list[Entry]:
    """The entries that were made with one about a note, for what said it again: withdrawn, or brought back with it."""
    verb, links = RETRACT, {entry.target}
    if entry.verb == UNDO:
        undone = decisions.entry(change_number(entry.link or ""))
        others = _made_with(decisions, undone) if undone is not None else []
        verb, links = UNDO, {change_id(each) for each in others}
    made = takewhile(lambda each: each.at == entry.at, decisions.since(entry.number))
    return [each for each in made if each.verb == verb and each.link in links]


def _found(corpus: Corpus, arrangement: Arrangement, id: str) -> tuple[Turn, KeptNote | None]:
    """A turn, or a note and the turn that it was read from, as long as it was not withdrawn."""
    kind = kind_of(id)
    if kind not in ("turn", "note"):
        raise InvalidQuery(f"{id!r} is neither a turn nor a note - what stands on a turn changes with it")
    _check(arrangement, id)
    number = number_of("note", id)
    note = arrangement.notes.get(number[1]) if number is not None else None
    seqs = [note.turn] if note is not None else list(corpus.storage.locate([id]).values())
    kept = corpus.storage.turns(seqs)
    if not kept:
        raise UnknownId(f"this memory has no {kind} {id!r} - `hmem search` and `hmem show notes` show ids")
    return kept[0].turn, note


def _event(arrangement: Arrangement, id: str) -> KeptEvent:
    """An event, as long as it was not withdrawn."""
    _check(arrangement, id)
    found = number_of("event", id)
    event = arrangement.events.get(found[1]) if found is not None else None
    if event is None:
        raise UnknownId(f"this memory has no event {id!r} - `hmem search --kind event` shows ids")
    return event


def _check(arrangement: Arrangement, id: str) -> None:
    if id in arrangement.decisions.standing().withdrawn:
        raise InvalidQuery(f"{id} was corrected or retracted before - `hmem history {id}` tells when and why")


def _present() -> int:
    return to_stored(datetime.now(UTC))[0]
