"""What was decided about what is kept, by people or by the engine: the log, folded.

The log only grows; what holds of it now is found by reading it. An entry that a later one took back has no effect, and
one that took another back may be taken back in turn.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from hmem.caches import clear_caches
from hmem.model.change import Change, Verb
from hmem.model.ids import number_of, numbered
from hmem.model.span import from_stored
from hmem.storage.base import Entry, Storage

CORRECT: Final = "correct"
RETRACT: Final = "retract"
UNDO: Final = "undo"
FORGET: Final = "forget"
PERSONA: Final = "persona"


@dataclass(frozen=True, slots=True)
class Standing:
    """What holds of a log at a moment: the entries in force by verb and by target, oldest first."""

    by_verb: Mapping[str, tuple[Entry, ...]] = field(default_factory=dict[str, tuple[Entry, ...]])
    undone: frozenset[int] = frozenset()

    def of(self, *verbs: Verb) -> tuple[Entry, ...]:
        """The entries in force of some verbs, oldest first."""
        found = [entry for verb in verbs for entry in self.by_verb.get(verb, ())]
        return tuple(sorted(found, key=lambda entry: entry.number))

    @property
    def withdrawn(self) -> dict[str, int]:
        """What is recalled no more because it was corrected or retracted, by id, and since when (µs)."""
        found: dict[str, int] = {}
        for entry in self.of("correct", "retract"):
            found.setdefault(entry.target, entry.at)
        return found

    @property
    def resolved(self) -> dict[int, Literal["keep", "retire"]]:
        """Which notes are to be kept, or retired, whatever was said later, by number; the last decision holds."""
        found: dict[int, Literal["keep", "retire"]] = {}
        for entry in self.of("resolve"):
            note = number_of("note", entry.target)
            if note is not None:
                found[note[1]] = "retire" if entry.after == "retire" else "keep"
        return found

    @property
    def rules(self) -> dict[str, str]:
        """How contradictions are settled, by "slot" or "subject:slot"; the last decision holds."""
        return {entry.target: entry.after for entry in self.of("rule") if entry.after}

    @property
    def corrections(self) -> dict[str, Entry]:
        """The corrections in force, by the id of the turn that corrects."""
        return {entry.link: entry for entry in self.of("correct") if entry.link is not None}


class Decisions:
    """The log of one memory, folded as far as it was read. Use it inside ``corpus.reading()``."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._entries: list[Entry] = []
        self._standing: dict[int | None, Standing] = {}
        self._absent: dict[int | None, frozenset[int]] = {}
        self._edited: Counter[str] = Counter()
        self.last = 0

    def catch_up(self) -> bool:
        """Read what was added since; whether there was anything."""
        if self._storage.last_recorded() == self.last:
            return False
        before = self.last
        fresh = self._storage.recorded(since=before)
        if any(entry.verb == FORGET for entry in fresh):
            # What is known of the log may tell of what was forgotten, and so may what the process remembers of texts.
            self._entries, fresh = [], self._storage.recorded()
            clear_caches()
        self._entries += fresh
        self.last = self._entries[-1].number
        self._edited.update(self.edited(before))
        self._standing.clear()
        self._absent.clear()
        return True

    def since(self, number: int) -> list[Entry]:
        """The entries behind a number, oldest first."""
        return self._entries[bisect_right(self._entries, number, key=lambda entry: entry.number) :]

    def standing(self, known: int | None = None) -> Standing:
        """What holds now, or what held at a time (µs) by the entries that were there then."""
        if known not in self._standing:
            entries = [entry for entry in self._entries if known is None or entry.at <= known]
            self._standing[known] = fold(entries)
        return self._standing[known]

    def absent(self, known: int | None = None) -> frozenset[int]:
        """The turns that count as not there, by sequence number: withdrawn, or corrections that are not in force."""
        if known not in self._absent:
            standing = self.standing(known)
            made = {entry.link for entry in self._entries if entry.verb == CORRECT and entry.link is not None}
            ids = sorted({*standing.withdrawn, *(made - standing.corrections.keys())})
            self._absent[known] = frozenset(self._storage.locate(ids).values()) if ids else frozenset()
        return self._absent[known]

    @property
    def corrections(self) -> dict[str, str]:
        """What was ever corrected, by the id of the turn that corrects it."""
        return {entry.link: entry.target for entry in self._entries if entry.verb == CORRECT and entry.link}

    def touched(self, since: int) -> list[str]:
        """The ids of what was withdrawn, or came back, by entries behind a number."""
        found: set[str] = set()
        for each in self.since(since):
            entry = self._meant(each)
            if entry.verb in (CORRECT, RETRACT):
                found |= {entry.target, entry.link or entry.target}
        return sorted(found)

    def edited(self, since: int) -> list[str]:
        """Those whose persona was edited, or an edit of which was taken back, by entries behind a number."""
        return [entry.target for entry in map(self._meant, self.since(since)) if entry.verb == PERSONA]

    def edits(self, name: str) -> int:
        """How often a persona was edited, or an edit of it taken back."""
        return self._edited[name]

    def _meant(self, entry: Entry) -> Entry:
        """What an entry is about in the end: what was taken back, taken back, and so on."""
        undone = self.entry(change_number(entry.link or "")) if entry.verb == UNDO else None
        return entry if undone is None else self._meant(undone)

    def entry(self, number: int) -> Entry | None:
        """An entry by its number."""
        place = bisect_right(self._entries, number - 1, key=lambda entry: entry.number)
        found = self._entries[place] if place < len(self._entries) else None
        return found if found is not None and found.number == number else None

    def absent_notes(self, known: int | None = None) -> frozenset[int]:
        """The notes that were withdrawn by themselves, by number."""
        found = (number_of("note", target) for target in self.standing(known).withdrawn)
        return frozenset(each[1] for each in found if each is not None)


def fold(entries: Iterable[Entry]) -> Standing:
    """What holds of a log: every entry that no entry in force has taken back."""
    undone: set[int] = set()
    by_verb: dict[str, list[Entry]] = {}
    for entry in sorted(entries, key=lambda entry: -entry.number):
        if entry.number in undone:
            continue
        if entry.verb == UNDO:
            undone.add(change_number(entry.link or ""))
        by_verb.setdefault(entry.verb, []).append(entry)
    return Standing({verb: tuple(found[::-1]) for verb, found in by_verb.items()}, frozenset(undone))


def change_id(entry: Entry) -> str:
    """The id of a change, from its entry."""
    return numbered("change", entry.at // 1000, entry.number)


def change_number(id: str) -> int:
    """The number of the entry of a change, -1 when this is no id of one."""
    found = number_of("change", id)
    return -1 if found is None else found[1]


def change_of(entry: Entry, standing: Standing) -> Change:
    """An entry as a value."""
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
        undone=entry.number in standing.undone,
    )
