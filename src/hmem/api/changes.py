"""Changes that people make to a memory: correct, retract, resolve, pin, merge, undo; and their history."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import tzinfo
from itertools import islice
from typing import Any, Final

from hmem.api.components import Components
from hmem.api.queries import instant
from hmem.derived.changes import Decisions, change_id, change_number, change_of
from hmem.derived.personas import RENEW
from hmem.derived.slot_timeline import Decision, SlotRule
from hmem.errors import InvalidQuery, UnknownId
from hmem.evolution.edits import (
    correct,
    edit,
    merge_entities,
    pin,
    pins,
    rename_node,
    resolve,
    retract,
    rules,
    split_entity,
    take_back,
)
from hmem.evolution.edits import rule as set_rule
from hmem.formation.capture import check_length
from hmem.model.change import Change
from hmem.model.ids import kind_of
from hmem.retrieval.filter import Moment
from hmem.storage.base import LogEntry

AUTHOR: Final = "user"
# In µs, before every change.
_EVER: Final = -(1 << 63)


class Changes:
    """Decisions of people about a memory, and their history. Changes lose nothing; only ``forget`` erases.

    ``zone`` is the time zone of times without an offset.
    """

    def __init__(self, components: Components, zone: tzinfo) -> None:
        self._components = components
        self._corpus = components.corpus
        self._zone = zone

    def correct(self, id: str, text: str, *, why: str | None = None, by: str = AUTHOR) -> Change:
        """Replace a turn or a note by a right text: recall finds the new one, and the old one becomes history.

        The turn itself is kept as it was said. The correction of a turn is a turn of the same speaker, time and
        session; the correction of a note is a turn said now about the same subject and slot. The change's ``link`` is
        the id of that turn. Notes that repeat a corrected note are withdrawn and restored with it.

        Raises:
            UnknownId: this memory does not hold it.
            InvalidQuery: it was withdrawn before, or is neither a turn nor a note.
            InvalidTurn: the text is empty, or longer than a turn may be.
        """
        if isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            check_length(len(text), self._components.capture_options.turn_characters)
        return self._decide(correct, id, text, why, by)

    def retract(self, id: str, *, why: str | None = None, by: str = AUTHOR) -> Change:
        """Withdraw a turn, a note or an event: it is kept, but no longer recalled.

        Retracting an event withdraws the notes read from it; retracting a note withdraws the notes that repeat it. The
        turn that states it stays, and may be found.

        Raises:
            UnknownId: this memory does not hold it.
            InvalidQuery: it was withdrawn before, or is none of these.
        """
        return self._decide(retract, id, why, by)

    def edit_persona(
        self,
        speaker: str,
        *,
        text: str | None = None,
        traits: Sequence[str] | None = None,
        why: str | None = None,
        by: str = AUTHOR,
        user: str | None = None,
    ) -> Change:
        """Replace the text or the traits of a persona; what is learned later is added after them.

        Raises:
            UnknownId: nobody of this name has spoken.
            InvalidQuery: the text is empty or too long, a trait has a ``;``, the persona says this already, or it is
                not clear which user's it is.
        """
        with self._deciding():
            derived, formation = self._components.derived(), self._components.formation
            person = formation.browser.limited_to(user).person(speaker)
            change = self._change(edit(self._corpus, derived, formation.text_writer, person, text, traits, why, by))
        self._components.derived()
        return change

    def resolve(self, note: str, decision: Decision, *, why: str | None = None, by: str = AUTHOR) -> Change:
        """Decide if a note holds: keep it, or retire it, whatever contradicts it.

        In a slot whose rule is to ask (``conflicts``), the kept note replaces those that contradict it; if both are
        kept, both are current. In other slots a kept note stays current beside the note that would have replaced it.
        The decision is about what is known now: later statements about the slot are news.

        Raises:
            UnknownId: this memory does not hold such a note.
            InvalidQuery: there is no such decision, it is decided so already, or the note was withdrawn.
        """
        change = self._decide(resolve, note, decision, why, by)
        self._components.derived()
        return change

    def set_conflict_rule(self, slot: str, rule: SlotRule, *, why: str | None = None, by: str = AUTHOR) -> Change:
        """Set the rule that settles contradictions in a slot, or in one subject's (``subject:slot``), from now on.

        ``newest``: the latest statement holds; ``first``: the earliest; ``most-frequent``: the one said most often;
        ``ask``: all stay, as ``contested``, until ``resolve``. Existing notes are settled anew.

        Raises:
            InvalidQuery: there is no such rule, no slot is named, or this is the slot's rule already.
        """
        change = self._decide(set_rule, slot, rule, why, by)
        self._components.derived()
        return change

    def conflict_rules(self) -> dict[str, str]:
        """Return the rules by slot or ``subject:slot``; under ``*`` the rule of all other slots."""
        with self._corpus.reading():
            return rules(self._components.derived())

    def pin(self, id: str, *, why: str | None = None, by: str = AUTHOR) -> Change:
        """Put a turn, an event or a note first into every context whose conditions it meets.

        Pinned evidence takes at most a share of a context's budget (the setting ``context.pinned``, a quarter), in the
        order of pinning; ``lacking`` of a context names what had no room. A withdrawn item is left out until it is
        restored, and forgetting an item removes its pin.

        Raises:
            UnknownId: this memory does not hold it.
            InvalidQuery: it is pinned already, was withdrawn, or is none of these.
        """
        return self._decide(pin, id, why, by)

    def unpin(self, id: str, *, why: str | None = None, by: str = AUTHOR) -> Change:
        """Remove the pin of a turn, an event or a note; the change is an ``undo`` of it.

        Raises:
            InvalidQuery: it is not pinned.
        """
        with self._deciding():
            decisions = self._components.derived().decisions
            pinned = next((entry for entry in pins(decisions) if entry.target == id), None)
            if pinned is None:
                raise InvalidQuery(f"{id!r} is not pinned - `hmem edit pins` shows what is")
            return self._change(take_back(self._corpus, decisions, change_id(pinned), why, by))

    def pins(self) -> tuple[Change, ...]:
        """Return the changes that pin something now, oldest first: ``target`` is its id, ``after`` its text."""
        with self._corpus.reading():
            decisions = self._components.derived().decisions
            return tuple(change_of(entry, decisions.active_changes()) for entry in pins(decisions))

    def merge_entities(self, entity: str, other: str, *, why: str | None = None, by: str = AUTHOR) -> Change:
        """Make two entities of the graph one, under the name of the first; each is given by its id or a name.

        All names of the other become names of the first, in later turns too. The change's ``before`` holds them, a line
        each, and its ``after`` the name that is kept.

        Raises:
            UnknownId: this memory knows no such entity.
            InvalidQuery: they are one already, belong to two users, or several users' entities have the name.
        """
        change = self._decide(merge_entities, entity, other, why, by)
        self._components.derived()
        return change

    def split_entity(self, entity: str, name: str, *, why: str | None = None, by: str = AUTHOR) -> Change:
        """Part one of an entity's other names from it: what turns call so is another entity, in later turns too.

        A relation goes with the name in the turns that know the entity by this name alone.

        Raises:
            UnknownId: this memory knows no such entity.
            InvalidQuery: it has no such other name, or several users' entities have the name.
        """
        change = self._decide(split_entity, entity, name, why, by)
        self._components.derived()
        return change

    def rename_node(self, node: str, name: str, *, why: str | None = None, by: str = AUTHOR) -> Change:
        """Give a node of a tree another name, which it keeps as long as it holds the first of its leaves.

        The change's ``target`` is that leaf; ``before`` and ``after`` are the names. The calendar's dates keep theirs.

        Raises:
            UnknownId: no tree has this node.
            InvalidQuery: the name is empty, too long or the node's already, or the node keeps its name.
        """
        with self._deciding():
            derived, text_writer = self._components.derived(), self._components.formation.text_writer
            return self._change(rename_node(self._corpus, derived, text_writer, node, name, why, by))

    def undo(self, change: str, *, why: str | None = None, by: str = AUTHOR) -> Change:
        """Take a change back, by its id, as if it had not been made. An undo can be undone.

        Raises:
            UnknownId: there is no such change.
            InvalidQuery: it is taken back already, or what was forgotten cannot come back.
        """
        with self._deciding():
            return self._change(take_back(self._corpus, self._components.derived().decisions, change, why, by))

    def history(
        self, id: str | None = None, *, since: Moment | None = None, limit: int | None = None
    ) -> tuple[Change, ...]:
        """Return the changes of a turn, a note, a person or a slot, or all of them, oldest first.

        ``since`` is the time of the first change to return, or the id of the change before it; with the id of the last
        one returned it gives the next ``limit``. If an earlier change was taken back, only its ``undo`` shows that.
        Personas are renewed with the sessions: those changes are in the history of a person, not in that of all.

        Raises:
            UnknownId: it is the id of a turn that this memory does not hold and never changed, or ``since`` that of a
                change that it does not know.
            InvalidTime: ``since`` is neither a time nor the id of a change.
        """
        with self._corpus.reading():
            decisions = self._components.derived().decisions
            number, earliest = _start(decisions, since, self._zone)
            entries = decisions.since(number) if id is None else self._entries_of(id)
            listing = (
                entry
                for entry in entries
                if entry.number > number and entry.at >= earliest and (id is not None or entry.verb != RENEW)
            )
            active = decisions.active_changes()
            return tuple(
                change_of(entry, active) for entry in islice(listing, None if limit is None else max(limit, 0))
            )

    @contextmanager
    def _deciding(self) -> Generator[None]:
        self._components.check_writable()
        with self._corpus.reading():
            yield

    def _decide(self, decide: Callable[..., int], *arguments: Any) -> Change:
        """Make a change by a function, which gets the corpus, the derived state and these arguments."""
        with self._deciding():
            return self._change(decide(self._corpus, self._components.derived(), *arguments))

    def _entries_of(self, id: str) -> Sequence[LogEntry]:
        entries = self._corpus.storage.recorded(item=id)
        if not entries and kind_of(id) == "turn" and not self._corpus.storage.locate([id]):
            raise UnknownId(f"this memory has no turn {id!r} - `hmem search` shows ids")
        return entries

    def _change(self, number: int) -> Change:
        decisions: Decisions = self._components.derived().decisions
        entry = decisions.entry(number)
        if entry is None:
            raise InvalidQuery("the change was not kept - try again")
        return change_of(entry, decisions.active_changes())


def _start(decisions: Decisions, since: Moment | None, zone: tzinfo) -> tuple[int, int]:
    """Return where a history starts: after which entry's number, and from which time (µs) on."""
    if not isinstance(since, str) or not since.startswith("change_"):
        return 0, _EVER if since is None else instant(since, zone)
    entry = decisions.entry(change_number(since))
    if entry is None or change_id(entry) != since:
        raise UnknownId(f"there is no change {since!r} - `hmem history` shows their ids")
    return entry.number, _EVER
