"""Changing what a memory holds to be so: correct, retract, resolve, undo, and the history of it all."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import tzinfo
from itertools import islice
from typing import Final

from hmem.api.components import Components
from hmem.api.queries import instant
from hmem.derived.active_changes import Decisions, change_id, change_number, change_of
from hmem.derived.personas import RENEW
from hmem.derived.slot_timeline import Decision, SlotRule
from hmem.errors import InvalidQuery, UnknownId
from hmem.evolution.corrections import correct, edit, pin, pins, resolve, retract, rules, take_back
from hmem.evolution.corrections import rule as set_rule
from hmem.model.change import Change
from hmem.model.ids import kind_of
from hmem.retrieval.filter import Moment
from hmem.storage.base import LogEntry

BY: Final = "user"
# Before every change, in µs.
_EVER: Final = -(1 << 63)


class Changes:
    """What people decide about a memory, and what became of it. Nothing is lost by it; ``forget`` is another thing.

    ``zone`` is that of times without an offset.
    """

    def __init__(self, components: Components, zone: tzinfo) -> None:
        self._components = components
        self._corpus = components.corpus
        self._zone = zone

    def correct(self, id: str, text: str, *, why: str | None = None, by: str = BY) -> Change:
        """Put a right text in the place of a turn or a note: recalled is the right one, and the wrong one is history.

        The turn is kept as it was said. What corrects it is a turn of the same speaker, time and session; what
        corrects a note is a turn said now, about the same subject and slot. ``link`` of the change is its id.
        With a note go those that say the same again, and come back with it.

        Raises:
            UnknownId: this memory does not hold it.
            InvalidQuery: it was withdrawn before, or is neither a turn nor a note.
            InvalidTurn: the text is empty.
        """
        with self._deciding():
            return self._made(correct(self._corpus, self._components.derived(), id, text, why, by))

    def retract(self, id: str, *, why: str | None = None, by: str = BY) -> Change:
        """Say that a turn, a note or an event is not to be used: it is kept, and is recalled no more.

        With an event go the notes that were read from it, with a note those that say the same again; the turn that
        states it stays, and may be found.

        Raises:
            UnknownId: this memory does not hold it.
            InvalidQuery: it was withdrawn before, or is none of these.
        """
        with self._deciding():
            return self._made(retract(self._corpus, self._components.derived(), id, why, by))

    def edit_persona(
        self,
        speaker: str,
        *,
        text: str | None = None,
        traits: Sequence[str] | None = None,
        why: str | None = None,
        by: str = BY,
    ) -> Change:
        """Put another text, or other traits, into a persona: they stand, and what is learned later comes behind them.

        Raises:
            UnknownId: nobody of this name has spoken.
            InvalidQuery: the text is empty or too long, a trait has a ``;``, or the persona says this already.
        """
        with self._deciding():
            made = self._made(
                edit(
                    self._corpus,
                    self._components.derived(),
                    self._components.formation.text_writer,
                    speaker,
                    text,
                    traits,
                    why,
                    by,
                )
            )
        self._components.derived()
        return made

    def resolve(self, note: str, decision: Decision, *, why: str | None = None, by: str = BY) -> Change:
        """Decide of a note whether it holds: keep it, or retire it, whatever contradicts it.

        Of notes that contradict each other where the slot's rule is to ask (``conflicts``), the one that is kept stands
        and takes the others' place; when both are kept, both stand. Elsewhere what is kept stands beside what would
        have taken its place. It holds against what is known now: what is told of the slot later is news.

        Raises:
            UnknownId: this memory does not hold such a note.
            InvalidQuery: there is no such decision, it is decided so already, or the note was withdrawn.
        """
        with self._deciding():
            made = self._made(resolve(self._corpus, self._components.derived(), note, decision, why, by))
        self._components.derived()
        return made

    def rule(self, slot: str, rule: SlotRule, *, why: str | None = None, by: str = BY) -> Change:
        """Set by which rule contradictions in a slot, or in one subject's (``subject:slot``), are settled from now on.

        ``newest``: what was said last holds; ``first``: what was said first; ``most-frequent``: what was said most
        often; ``ask``: both stand as ``contested`` until ``resolve``. Notes that are there are settled anew.

        Raises:
            InvalidQuery: there is no such rule, no slot is named, or this is the slot's rule already.
        """
        with self._deciding():
            made = self._made(set_rule(self._corpus, self._components.derived(), slot, rule, why, by))
        self._components.derived()
        return made

    def rules(self) -> dict[str, str]:
        """The rules by slot or ``subject:slot``, and under ``*`` that of all others."""
        with self._corpus.reading():
            return rules(self._components.derived())

    def pin(self, id: str, *, why: str | None = None, by: str = BY) -> Change:
        """Have every context carry a turn, an event or a note first, where it meets the context's conditions.

        All that is pinned takes at most a share of a context's budget (the setting ``context.pinned``, a quarter), in
        the order in which it was pinned; ``lacking`` of a context names what had no room. While it is withdrawn it is
        not carried, and when it is forgotten its pin is too.

        Raises:
            UnknownId: this memory does not hold it.
            InvalidQuery: it is pinned already, was withdrawn, or is none of these.
        """
        with self._deciding():
            return self._made(pin(self._corpus, self._components.derived(), id, why, by))

    def unpin(self, id: str, *, why: str | None = None, by: str = BY) -> Change:
        """Take the pin of a turn, an event or a note back; the change is an ``undo`` of it.

        Raises:
            InvalidQuery: it is not pinned.
        """
        with self._deciding():
            decisions = self._components.derived().decisions
            pinned = next((each for each in pins(decisions) if each.target == id), None)
            if pinned is None:
                raise InvalidQuery(f"{id!r} is not pinned - `hmem pins` shows what is")
            return self._made(take_back(self._corpus, decisions, change_id(pinned), why, by))

    def pins(self) -> tuple[Change, ...]:
        """The changes by which something is pinned now, oldest first: ``target`` is its id, ``after`` its text."""
        with self._corpus.reading():
            decisions = self._components.derived().decisions
            return tuple(change_of(entry, decisions.active_changes()) for entry in pins(decisions))

    def undo(self, change: str, *, why: str | None = None, by: str = BY) -> Change:
        """Take a change back, by its id: everything is as if it had not been made. An undoing can be undone.

        Raises:
            UnknownId: there is no such change.
            InvalidQuery: it is taken back already, or what was forgotten cannot come back.
        """
        with self._deciding():
            return self._made(take_back(self._corpus, self._components.derived().decisions, change, why, by))

    def history(
        self, id: str | None = None, *, since: Moment | None = None, limit: int | None = None
    ) -> tuple[Change, ...]:
        """The changes of a turn, a note, a person or a slot, or all of them, oldest first.

        ``since`` is a time, from which on they were made, or the id of a change, behind which they stand: with the last
        one's, the next ``limit`` of them. That an earlier one was taken back is then told by its ``undo`` alone.
        Personas are renewed with the sessions: that is told in the history of a person, and not among all.

        Raises:
            UnknownId: it is the id of a turn that this memory does not hold and never changed, or ``since`` that of a
                change that it does not know.
            InvalidTime: ``since`` is neither a time nor the id of a change.
        """
        with self._corpus.reading():
            decisions = self._components.derived().decisions
            number, at = _start(decisions, since, self._zone)
            entries = decisions.since(number) if id is None else self._about(id)
            told = (
                entry
                for entry in entries
                if entry.number > number and entry.at >= at and (id is not None or entry.verb != RENEW)
            )
            active = decisions.active_changes()
            return tuple(change_of(entry, active) for entry in islice(told, None if limit is None else max(limit, 0)))

    @contextmanager
    def _deciding(self) -> Generator[None]:
        self._components.check_writable()
        with self._corpus.reading():
            yield

    def _about(self, id: str) -> Sequence[LogEntry]:
        entries = self._corpus.storage.recorded(about=id)
        if not entries and kind_of(id) == "turn" and not self._corpus.storage.locate([id]):
            raise UnknownId(f"this memory has no turn {id!r} - `hmem search` shows ids")
        return entries

    def _made(self, number: int) -> Change:
        decisions: Decisions = self._components.derived().decisions
        entry = decisions.entry(number)
        if entry is None:
            raise InvalidQuery("the change was not kept - try again")
        return change_of(entry, decisions.active_changes())


def _start(decisions: Decisions, since: Moment | None, zone: tzinfo) -> tuple[int, int]:
    """The number of the entry behind which, and the time (µs) from which on, a history is told."""
    if not isinstance(since, str) or not since.startswith("change_"):
        return 0, _EVER if since is None else instant(since, zone)
    entry = decisions.entry(change_number(since))
    if entry is None or change_id(entry) != since:
        raise UnknownId(f"there is no change {since!r} - `hmem history` shows their ids")
    return entry.number, _EVER
