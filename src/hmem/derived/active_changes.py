"""Changes in force: the log of decisions by people and by the engine, folded.

The log only grows; folding it gives what is in force now. An entry that a later one undid has no effect, and an undo
can be undone in turn.
"""

from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final

from hmem.corpus.news import NewsFeed
from hmem.derived.graph.entity_edits import EntityEdits, edits_of
from hmem.derived.slot_timeline import Decision, SlotDecisions
from hmem.model.change import Change, Verb
from hmem.model.ids import number_of, numbered
from hmem.model.scope import spelled
from hmem.model.span import from_stored
from hmem.storage.base import LogEntry, Storage
from hmem.util.caches import clear_caches

CORRECT: Final = "correct"
RETRACT: Final = "retract"
UNDO: Final = "undo"
FORGET: Final = "forget"
PERSONA: Final = "persona"
RESOLVE: Final[Verb] = "resolve"
RULE: Final[Verb] = "rule"
REVISE: Final[Verb] = "revise"
MERGE: Final[Verb] = "merge"
SPLIT: Final[Verb] = "split"

# What changes neither which turns and notes stand nor what is written of them: by far most of a long log.
_OF_NO_EFFECT: Final = frozenset({"feedback", "learn", "pin", "rename", "renew", "retain", "revise"})


@dataclass(frozen=True, slots=True)
class ActiveChanges:
    """State of a log at a moment: entries in force by verb, and entries undone, oldest first.

    What ``Decisions`` returns follows the log: use it before the next ``catch_up``.
    """

    by_verb: Mapping[str, Sequence[LogEntry]] = field(default_factory=dict[str, Sequence[LogEntry]])
    undone: AbstractSet[int] = frozenset()
    taken_back: Mapping[str, Sequence[LogEntry]] = field(default_factory=dict[str, Sequence[LogEntry]])

    def of(self, *verbs: Verb) -> tuple[LogEntry, ...]:
        """Return the entries in force of some verbs, oldest first."""
        found = [entry for verb in verbs for entry in self.by_verb.get(verb, ())]
        return tuple(sorted(found, key=lambda entry: entry.number))

    @property
    def withdrawn(self) -> dict[str, int]:
        """Ids that are no longer recalled since they were corrected or retracted, and since when (µs)."""
        found: dict[str, int] = {}
        for entry in self.of("correct", "retract"):
            found.setdefault(entry.target, entry.at)
        return found

    @property
    def of_notes(self) -> SlotDecisions:
        """People's decisions about notes; of one note, or one slot, the last decision counts."""
        resolved: dict[int, Decision] = {}
        through: dict[int, int] = {}
        for entry in self.of("resolve"):
            note, last = number_of("note", entry.target), number_of("note", entry.link or "")
            if note is not None:
                resolved[note[1]] = "retire" if entry.after == "retire" else "keep"
                through[note[1]] = note[1] if last is None else last[1]
        rules = {entry.target: entry.after for entry in self.of("rule") if entry.after}
        return SlotDecisions(resolved, through, rules, self._parted)

    @property
    def _parted(self) -> frozenset[tuple[int, int]]:
        """Pairs of notes, by number in both orders, of which people undid that one revises the other."""
        told = ((number_of("note", e.target), number_of("note", e.link or "")) for e in self.taken_back.get(REVISE, ()))
        pairs = [(one[1], other[1]) for one, other in told if one is not None and other is not None]
        return frozenset((*pairs, *((other, one) for one, other in pairs)))

    @property
    def of_entities(self) -> EntityEdits:
        """People's edits of entities."""
        return edits_of(self.of("merge", "split"))

    @property
    def corrections(self) -> dict[str, LogEntry]:
        """Corrections in force, by the id of the turn that corrects."""
        return {entry.link: entry for entry in self.of("correct") if entry.link is not None}


class ChangeFold:
    """Log that is folded as it grows. Only an undo costs more when the log is longer."""

    def __init__(self) -> None:
        self._entries: dict[int, LogEntry] = {}
        self._by_verb: dict[str, list[LogEntry]] = {}
        self._taken_back: dict[str, list[LogEntry]] = {}
        # Number of entries in force that undo each entry.
        self._undone: Counter[int] = Counter()
        self.active = ActiveChanges(self._by_verb, self._undone.keys(), self._taken_back)

    def add(self, entry: LogEntry) -> None:
        """Add the newest entry."""
        self._entries[entry.number] = entry
        self._by_verb.setdefault(entry.verb, []).append(entry)
        if entry.verb == UNDO:
            self._take_back(entry)

    def _take_back(self, undo: LogEntry) -> None:
        """Put an undo into force."""
        number = change_number(undo.link or "")
        if number >= undo.number:
            return
        self._undone[number] += 1
        entry = self._entries.get(number)
        if entry is not None and self._undone[number] == 1:
            _move(entry, self._by_verb, self._taken_back)
            if entry.verb == UNDO:
                self._bring_back(entry)

    def _bring_back(self, undo: LogEntry) -> None:
        """Put an undo out of force."""
        number = change_number(undo.link or "")
        if number >= undo.number:
            return
        self._undone[number] -= 1
        if self._undone[number]:
            return
        del self._undone[number]
        if (entry := self._entries.get(number)) is not None:
            _move(entry, self._taken_back, self._by_verb)
            if entry.verb == UNDO:
                self._take_back(entry)


def _move(entry: LogEntry, source: Mapping[str, list[LogEntry]], target: dict[str, list[LogEntry]]) -> None:
    """Move an entry from one list of its verb to another, each in the order of the log."""
    source[entry.verb].remove(entry)
    insort(target.setdefault(entry.verb, []), entry, key=lambda each: each.number)


class Decisions:
    """Log of one memory, folded as far as it was read. Use it inside ``corpus.reading()``.

    ``last`` is the number of the last entry; ``decided`` is that of the last entry that may change which turns or notes
    stand, or what a persona says.
    """

    def __init__(self, storage: Storage, news: NewsFeed) -> None:
        self._storage = storage
        self._news = news
        # Entries about what older rules formed, by number, as they stand now.
        self._carried: Mapping[int, Sequence[LogEntry]] = {}
        self._begin()
        self._edited: Counter[str] = Counter()
        self.last = 0
        self.decided = 0

    def _begin(self) -> None:
        self._entries: list[LogEntry] = []
        self._folding = ChangeFold()
        self._corrections: dict[str, str] = {}
        self._then: dict[int | None, ActiveChanges] = {}
        self._absent: dict[int | None, frozenset[int]] = {}
        self._absent_of: dict[tuple[str, int | None], frozenset[int]] = {}

    def catch_up(self) -> bool:
        """Read what was added since; tell if there was anything."""
        if self._news.state.recorded == self.last:
            self._news.recorded(self.last)
            return False
        before = self.last
        fresh = self._news.entries(before)
        if any(entry.verb == FORGET for entry in fresh):
            # The folded log and the caches of texts may still contain what was forgotten.
            self._begin()
            fresh = self._storage.recorded()
            clear_caches()
        for entry in fresh:
            self._add(entry)
        self.last = self._entries[-1].number
        self._edited.update(map(spelled, self._edits(before)))
        return True

    def _add(self, entry: LogEntry) -> None:
        self._entries.append(entry)
        self._folding.add(entry)
        self._then.clear()
        if entry.verb not in _OF_NO_EFFECT:
            self.decided = max(self.decided, entry.number)
            self._absent.clear()
            self._absent_of.clear()
        if entry.verb == CORRECT and entry.link:
            self._corrections[entry.link] = "" if entry.number in self._carried else entry.target

    def since(self, number: int) -> list[LogEntry]:
        """Return the entries after a number, oldest first."""
        return self._entries[bisect_right(self._entries, number, key=lambda entry: entry.number) :]

    @property
    def entries(self) -> Sequence[LogEntry]:
        """All entries as they were made, oldest first."""
        return self._entries

    @property
    def carried_entries(self) -> Iterable[LogEntry]:
        """Entries about what older rules formed, as they were made."""
        return [entry for entry in self._entries if entry.number in self._carried]

    def carry_over(self, carried: Mapping[int, Sequence[LogEntry]]) -> bool:
        """Have entries stand as others, by number: their targets were formed anew; tell if that changes anything."""
        if carried == self._carried:
            return False
        self._carried = carried
        self._then.clear()
        self._absent.clear()
        self._absent_of.clear()
        # A correction of what older rules formed replaces no note of those that are formed now.
        self._corrections |= {entry.link: "" for each in carried.values() for entry in each
                              if entry.verb == CORRECT and entry.link}  # fmt: skip
        return True

    def active_changes(self, known: int | None = None) -> ActiveChanges:
        """Return the changes in force now, or those in force at a time (µs) by the entries made until then."""
        if known is None and not self._carried:
            return self._folding.active
        if known not in self._then:
            made = (entry for entry in self._entries if known is None or entry.at <= known)
            self._then[known] = fold(each for entry in made for each in self._carried.get(entry.number, (entry,)))
        return self._then[known]

    def absent(self, known: int | None = None) -> frozenset[int]:
        """Return the turns that count as absent, by sequence number: withdrawn, or corrections not in force."""
        if known not in self._absent:
            active = self.active_changes(known)
            ids = sorted({*active.withdrawn, *(self._corrections.keys() - active.corrections.keys())})
            self._absent[known] = frozenset(self._storage.locate(ids).values()) if ids else frozenset()
        return self._absent[known]

    @property
    def corrections(self) -> Mapping[str, str]:
        """Ids of everything that was ever corrected, by the id of the turn that corrects it."""
        return self._corrections

    def touched(self, since: int) -> list[str]:
        """Return the ids that were withdrawn, decided, or restored by entries after a number."""
        found: set[str] = set()
        for each in self.since(since):
            entry = self._meant(each)
            # A revision is logged after it took effect; only its undo is news.
            if entry.verb in (CORRECT, RETRACT) or (entry.verb == REVISE and entry is not each):
                found |= {entry.target, entry.link or entry.target}
            elif entry.verb == RESOLVE:
                found.add(entry.target)
        return sorted(found)

    def ruled(self, since: int) -> list[str]:
        """Return the slots, or "subject:slot", whose rule was changed by entries after a number."""
        return [entry.target for entry in map(self._meant, self.since(since)) if entry.verb == RULE]

    def edited(self, since: int) -> list[str]:
        """Return the people whose persona was edited, or an edit of it undone, by entries after a number.

        A forgetting may have taken sentences from any edit.
        """
        forgot = any(entry.verb == FORGET for entry in self.since(since))
        return list(dict.fromkeys(self._edits(0 if forgot else since)))

    def _edits(self, since: int) -> list[str]:
        return [entry.target for entry in map(self._meant, self.since(since)) if entry.verb == PERSONA]

    def joined(self, since: int) -> list[tuple[LogEntry, bool]]:
        """Return the merges and splits of entities made, undone or restored after a number, and if each is in force."""
        found = {entry.number: entry for entry in map(self._meant, self.since(since)) if entry.verb in (MERGE, SPLIT)}
        undone = self.active_changes().undone
        return [(found[number], number not in undone) for number in sorted(found)]

    def edits(self, target: str) -> int:
        """Count the edits of a persona, and their undos; the person is named as the log does."""
        return self._edited[spelled(target)]

    def _meant(self, entry: LogEntry) -> LogEntry:
        """Return the entry that an undo is about in the end, through any chain of undos; else the entry itself."""
        undone = self.entry(change_number(entry.link or "")) if entry.verb == UNDO else None
        return entry if undone is None else self._meant(undone)

    def entry(self, number: int) -> LogEntry | None:
        """Return an entry by its number, or None."""
        place = bisect_right(self._entries, number - 1, key=lambda entry: entry.number)
        found = self._entries[place] if place < len(self._entries) else None
        return found if found is not None and found.number == number else None

    def absent_notes(self, known: int | None = None) -> frozenset[int]:
        """Return the notes that were themselves withdrawn, by number."""
        return self._withdrawn("note", known)

    def absent_events(self, known: int | None = None) -> frozenset[int]:
        """Return the events that were themselves withdrawn, by number."""
        return self._withdrawn("event", known)

    def _withdrawn(self, kind: str, known: int | None) -> frozenset[int]:
        if (kind, known) not in self._absent_of:
            found = (number_of(kind, target) for target in self.active_changes(known).withdrawn)
            self._absent_of[kind, known] = frozenset(each[1] for each in found if each is not None)
        return self._absent_of[kind, known]


def fold(entries: Iterable[LogEntry]) -> ActiveChanges:
    """Fold a log: an entry is in force unless a later one in force undid it."""
    undone: set[int] = set()
    by_verb: dict[str, list[LogEntry]] = {}
    taken_back: dict[str, list[LogEntry]] = {}
    for entry in sorted(entries, key=lambda entry: -entry.number):
        if entry.number in undone:
            taken_back.setdefault(entry.verb, []).append(entry)
            continue
        if entry.verb == UNDO and change_number(entry.link or "") < entry.number:
            undone.add(change_number(entry.link or ""))
        by_verb.setdefault(entry.verb, []).append(entry)
    told, back = ({verb: tuple(found[::-1]) for verb, found in each.items()} for each in (by_verb, taken_back))
    return ActiveChanges(told, frozenset(undone), back)


def change_id(entry: LogEntry) -> str:
    """Return the id of a change, from its entry."""
    return numbered("change", entry.at // 1000, entry.number)


def change_number(id: str) -> int:
    """Return the entry number of a change, or -1 if the id is not one of a change."""
    found = number_of("change", id)
    return -1 if found is None else found[1]


def change_of(entry: LogEntry, active: ActiveChanges) -> Change:
    """Return an entry as a value."""
    return Change(
        id=change_id(entry),
        at=from_stored(entry.at, 0),
        by=entry.by,
        verb=entry.verb,  # pyright: ignore[reportArgumentType]
        target=entry.target,
        why=entry.why,
        before=entry.before,
        after=entry.after,
        link=entry.link,
        undone=entry.number in active.undone,
    )
