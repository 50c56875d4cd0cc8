"""States of all notes: slot timelines, built on demand and updated as notes come and go, and verdicts on pairs.

A verdict says how the newer note relates to the older one, and who judged it. Only verdicts that the rules would not
give by themselves are kept: a pair without one is judged by the rules when needed.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import MAXYEAR, UTC, datetime
from functools import lru_cache
from itertools import groupby
from typing import Any, Final

from hmem.derived.chunks import EVENT_BITS, Part
from hmem.derived.notes import KeptNote, Notes
from hmem.derived.slot_timeline import NOTHING, NoteState, SlotDecisions, SlotNote, SlotRule, SlotTimeline, fold
from hmem.language.analyst import SLIPS, Analyst, Claim, Relation, Stated, Verdict
from hmem.model.scope import ScopedName, spelled
from hmem.model.span import Span, from_stored

_BITS: Final = 5
_RELATIONS: Final[tuple[Relation, ...]] = ("same", "extends", "contradicts", "independent")

Pair = tuple[int, int]


class Revisions(Part):
    """Verdicts by pair: the older note's number, then the newer one's. A chunk holds those of 32 turns."""

    def __init__(self, name: str = "revisions") -> None:
        super().__init__(name)
        self._verdicts: dict[Pair, Verdict] = {}
        self._of_turn: dict[int, dict[Pair, None]] = {}
        self._revised: dict[int, int] = {}
        self._news: dict[Pair, None] = {}

    def __len__(self) -> int:
        return len(self._verdicts)

    @property
    def revised(self) -> int:
        """Number of notes that another one contradicts."""
        return len(self._revised)

    def of(self, older: int, newer: int) -> Verdict | None:
        """Return the verdict on a pair; None if none is kept."""
        return self._verdicts.get((older, newer))

    def replaced_by(self, newer: int) -> list[int]:
        """Return the notes of other slots and of its own that a note contradicts, by number."""
        pairs = self._of_turn.get(newer >> EVENT_BITS, ())
        return sorted(
            older for older, last in pairs if last == newer and self._verdicts[older, last].relation == "contradicts"
        )

    def pairs(self) -> list[Pair]:
        """Return the pairs that have a verdict, sorted by number."""
        return sorted(self._verdicts)

    def put(self, older: int, newer: int, verdict: Verdict) -> None:
        """Keep a verdict."""
        self._keep((older, newer), verdict)
        self.changed.add(_chunk((older, newer)))

    def take(self, seq: int) -> None:
        """Drop the verdicts on the notes of a turn."""
        for pair in list(self._of_turn.get(seq, ())):
            self._drop(pair)
            self.changed.add(_chunk(pair))

    def take_news(self) -> list[Pair]:
        """Return the pairs whose verdict was kept, changed or dropped since the last call."""
        news, self._news = list(self._news), {}
        return news

    def _keep(self, pair: Pair, verdict: Verdict) -> None:
        if self._verdicts.get(pair) == verdict:
            return
        self._drop(pair)
        self._verdicts[pair] = verdict
        self._news[pair] = None
        for number in pair:
            self._of_turn.setdefault(number >> EVENT_BITS, {})[pair] = None
        if verdict.relation == "contradicts":
            self._revised[pair[0]] = self._revised.get(pair[0], 0) + 1

    def _drop(self, pair: Pair) -> None:
        verdict = self._verdicts.pop(pair, None)
        if verdict is None:
            return
        self._news[pair] = None
        for number in pair:
            self._of_turn.get(number >> EVENT_BITS, {}).pop(pair, None)
        if verdict.relation == "contradicts":
            self._revised[pair[0]] -= 1
            if not self._revised[pair[0]]:
                del self._revised[pair[0]]

    def load(self, number: int, content: Any | None) -> None:
        words: list[str]
        rows: list[list[int]]
        words, rows = content or ([], [])
        told: dict[Pair, Verdict] = {
            (older, newer): Verdict(_RELATIONS[relation], words[why], words[by])
            for older, newer, relation, why, by in rows
        }
        for pair in self._in_chunk(number):
            if pair not in told:
                self._drop(pair)
        for pair, verdict in told.items():
            self._keep(pair, verdict)

    def dump(self, number: int) -> Any | None:
        words: dict[str, int] = {}

        def place(word: str) -> int:
            return words.setdefault(word, len(words))

        rows = [
            [*pair, _RELATIONS.index(verdict.relation), place(verdict.why), place(verdict.made_by)]
            for pair in self._in_chunk(number)
            for verdict in [self._verdicts[pair]]
        ]
        return [list(words), rows] if rows else None

    def _in_chunk(self, number: int) -> list[Pair]:
        turns = range(number << _BITS, (number + 1) << _BITS)
        return sorted({pair for seq in turns for pair in self._of_turn.get(seq, ()) if _chunk(pair) == number})


def _chunk(pair: Pair) -> int:
    return max(pair) >> EVENT_BITS + _BITS


_NEVER: Final = datetime(MAXYEAR, 12, 31, tzinfo=UTC)
# Newest notes of a subject that a claim that something ended is compared with as it comes.
_ENDABLE: Final = 256
_UNKNOWN: Final = Verdict("independent", "could not be judged")
_PARTED: Final = Verdict("independent", "taken back")

# Number of cached verdicts on notes that are not placed yet.
_HEARD: Final = 4_096

Slot = tuple[ScopedName, str]


@dataclass(frozen=True, slots=True)
class ReconcileOptions:
    """Options of reconciliation: if notes are reconciled, and the rules that settle contradictions.

    ``rules`` are "slot=rule" or "subject:slot=rule", with commas between them, such as ``age=newest,Maria:home=ask``; a
    rule is ``newest``, ``most-frequent``, ``first`` or ``ask``. ``rule`` is that of all other slots. With ``learn``,
    the next consolidation makes notes of what a recall found in episodes for want of notes.
    """

    reconcile: bool = True
    learn: bool = True
    rule: str = "newest"
    rules: str = ""

    @property
    def rule_by_slot(self) -> dict[str, str]:
        """Rules by "slot" or "subject:slot"."""
        return dict(_rules_by_slot(self.rules))

    def rule_of(self, subject: ScopedName, slot: str) -> SlotRule:
        """Return the rule of a subject's slot."""
        rules = _rules_by_slot(self.rules)
        return RULES.get(_rule_in(rules, subject, slot) or self.rule, "newest")


@lru_cache(maxsize=64)
def _rules_by_slot(rules: str) -> Mapping[str, str]:
    return dict(each.strip().split("=", 1) for each in rules.split(",") if "=" in each)


RULES: Final[Mapping[str, SlotRule]] = {
    "newest": "newest", "most-frequent": "most-frequent", "first": "first", "ask": "ask",
}  # fmt: skip


def _rule_in(rules: Mapping[str, str], subject: ScopedName, slot: str) -> str | None:
    """Return the rule of a subject's slot, else of the slot, in rules by "slot" or "subject:slot"; None without one.

    A subject is meant in any spelling and in every scope: rules are the memory's, and no user's.
    """
    own = (rule for target, rule in rules.items() if (split := target.rpartition(":"))[0] and split[2] == slot
           and spelled(split[0]) == subject.name)  # fmt: skip
    return next(own, None) or rules.get(slot)


Absent = Callable[[], tuple[Container[int], Container[int]]]


def _none_absent() -> tuple[Container[int], Container[int]]:
    return (), ()


class NoteStates:
    """States of the notes of one memory.

    Args:
        said: when the turn of a sequence number was said, in seconds since 1970.
        words: the statement that a note was read from.
        analyst: judges the pairs that have no kept verdict.
        absent: the turns, and the notes, that were withdrawn, by number.
    """

    def __init__(
        self,
        notes: Notes,
        revisions: Revisions,
        said: Callable[[int], int],
        words: Callable[[KeptNote], str],
        analyst: Analyst,
        options: ReconcileOptions | None = None,
        absent: Absent = _none_absent,
    ) -> None:
        self._notes = notes
        self._revisions = revisions
        self._said = said
        self._words = words
        self._analyst = analyst
        self.options = options or ReconcileOptions()
        self._absent = absent
        self._decided = NOTHING
        self._timelines: dict[Slot, SlotTimeline] = {}
        self._pending: dict[Slot, dict[int, KeptNote]] = {}
        self._heard: dict[tuple[int, int], Verdict] = {}
        self._endings: dict[ScopedName, list[SlotNote]] = {}

    def viewed_from(self, absent: "Absent", decided: SlotDecisions) -> "NoteStates":
        """Return the note states at another standpoint, with other absent notes and decisions.

        The result does not follow later changes.
        """
        view = NoteStates(self._notes, self._revisions, self._said, self._words, self._analyst, self.options, absent)
        view.decide(decided)
        return view

    # Updates.

    def on_note_changed(self, note: KeptNote, *, kept: bool) -> None:
        """Update the timeline of a note that was kept or dropped."""
        slot = note.about, note.slot
        if note.slot in self._analyst.ending_slots:
            self._endings.pop(note.about, None)
        if slot not in self._timelines:
            return
        if kept:
            self._pending.setdefault(slot, {})[note.number] = note
        else:
            self._timelines.pop(slot)
            self._pending.pop(slot, None)

    def decide(self, decided: SlotDecisions) -> None:
        """Replace people's decisions. This rebuilds all timelines, as what is withdrawn may have changed too."""
        self._decided = decided
        self._timelines.clear()
        self._pending.clear()
        self._endings.clear()

    def rule(self, subject: ScopedName, slot: str) -> SlotRule:
        """Return the rule that settles contradictions in a subject's slot."""
        told = _rule_in(self._decided.rules, subject, slot)
        return RULES.get(told or "", self.options.rule_of(subject, slot))

    def _entries(self, notes: Iterable[KeptNote]) -> list[SlotNote]:
        """Return the notes that were not withdrawn, in the order of time."""
        turns, single = self._absent()
        kept = [self._entry(note) for note in notes if note.turn not in turns and note.number not in single]
        return sorted(kept, key=lambda entry: entry.order)

    def _timeline(self, slot: Slot) -> SlotTimeline:
        for _, newer in self._revisions.take_news():
            note = self._notes.get(newer)
            if note is not None and (ledger := self._timelines.get((note.about, note.slot))) and newer in ledger:
                del self._timelines[note.about, note.slot]
                self._pending.pop((note.about, note.slot), None)
        ledger = self._timelines.get(slot)
        pending = self._entries(self._pending.pop(slot, {}).values()) if ledger is not None else []
        if ledger is None or any(entry.order < ledger.last for entry in pending):
            ledger = SlotTimeline(self._judge, self.rule(*slot), self._decided)
            pending = self._entries(self._notes.about(*slot))
            self._timelines[slot] = ledger
        for entry in pending:
            ledger.add(entry)
        return ledger

    def _judge(self, older: SlotNote, newer: SlotNote) -> Verdict:
        pair = older.number, newer.number
        if pair in self._decided.parted:
            return _PARTED
        kept = self._revisions.of(*pair) or self._heard.pop(pair, None)
        if kept is not None:
            return kept
        try:
            return self._analyst.reconcile([(older.stated, newer.stated)])[0]
        except SLIPS:
            return _UNKNOWN

    def _entry(self, note: KeptNote) -> SlotNote:
        said = self._said(note.turn)
        stated = Stated(claim_of(note), from_stored(said * 1_000_000, 0), self._words(note))
        return SlotNote(note.number, note.turn, said, stated, self._analyst.likeness(stated), note.start, note.end)

    # Queries.

    def of(self, note: KeptNote) -> NoteState:
        """Return the state of a note."""
        if not self.options.reconcile:
            return self._alone(note)
        ledger = self._timeline((note.about, note.slot))
        if note.number not in ledger:
            return replace(self._alone(note), status="retracted")
        return self._ended(note, ledger.of(note.number), ledger.entry)

    def _ended(
        self, note: KeptNote, state: NoteState, entry_of: Callable[[int], SlotNote], known: int | None = None
    ) -> NoteState:
        """Return the state of a note, closed if a later note of another slot says that it ended.

        Where the newest claim does not simply win, the rule of the slot settles it alone.
        """
        if note.slot in self._analyst.ending_slots:
            replaced = self._revisions.replaced_by(note.number)
            return replace(state, predecessors=(*state.predecessors, *replaced)) if replaced else state
        if not state.stands or not note.positive or self._decided.resolved.get(note.number) == "keep":
            return state
        endings = self._endings_of(note.about)
        if not endings or self.rule(note.about, note.slot) != "newest":
            return state
        entry = entry_of(note.number)
        for ending in endings:
            if ending.order <= entry.order or ending.turn == note.turn or (known is not None and ending.said > known):
                continue
            if ending.stated.claim.slot.endswith(f" {note.slot}") and self._begins(note, ending.turn):
                continue
            verdict = self._judge(entry, ending)
            if verdict.relation == "contradicts":
                since = ending.start if ending.start is not None else ending.said
                end = max(since, state.start) if state.start is not None else since
                return replace(state, status="superseded", end=end, successor=ending.number, why=verdict.why)
        return state

    def _begins(self, note: KeptNote, turn: int) -> bool:
        """Tell if a turn has a note of the same slot too, which settles it: "moved from Rome to Oslo"."""
        return any(each.about == note.about and each.slot == note.slot for each in self._notes.of(turn))

    def _endings_of(self, subject: ScopedName) -> list[SlotNote]:
        """Return the notes that say that something of a subject ended, in the order of time."""
        if (kept := self._endings.get(subject)) is None:
            found = [note for slot in self._analyst.ending_slots for note in self._notes.about(subject, slot)]
            # Told again, an end is the same one: it ends nothing that began since.
            first: dict[tuple[str, str], SlotNote] = {}
            for ending in self._entries(found) if found else []:
                first.setdefault((ending.stated.claim.slot, ending.stated.claim.value.lower()), ending)
            kept = self._endings[subject] = list(first.values())
        return kept

    def _alone(self, note: KeptNote) -> NoteState:
        said = self._said(note.turn)
        return NoteState(start=note.start, end=note.end, turns=(note.turn,), last=said)

    def states_of_slot(self, subject: ScopedName, slot: str, *, known: int | None = None) -> dict[int, NoteState]:
        """Return the state of each note of a slot by number, of those said by ``known`` (seconds since 1970)."""
        notes = self._notes.about(subject, slot)
        if not self.options.reconcile:
            return {n.number: self._alone(n) for n in notes if known is None or self._said(n.turn) <= known}
        rule = self.rule(subject, slot)
        entries = self._entries(notes)
        states = fold(entries, self._judge, rule=rule, known=known, decided=self._decided)
        by_number, entry_by_number = {note.number: note for note in notes}, {each.number: each for each in entries}
        return {
            number: self._ended(by_number[number], state, entry_by_number.__getitem__, known)
            for number, state in states.items()
        }

    def canonical(self, note: KeptNote) -> KeptNote:
        """Return the note that a merged one ended up in, through any chain of merges; else the note itself."""
        seen = {note.number}
        while (holding := self.of(note)).status == "merged" and holding.successor is not None:
            following = self._notes.get(holding.successor)
            if following is None or following.number in seen:
                break
            note = following
            seen.add(note.number)
        return note

    def cache_verdict(self, older: int, newer: int, verdict: Verdict) -> None:
        """Cache a verdict on a note that is about to be kept, so that it is not judged again."""
        if len(self._heard) >= _HEARD:
            self._heard.clear()
        self._heard[older, newer] = verdict

    def compared(self, note: KeptNote) -> tuple[Stated, list[tuple[int, Stated]]]:
        """Return what a new note states, and the notes to compare it with, by number, newest first.

        There are none for a note said before others of its slot: only the rules judge it.
        """
        entry, ledger = self._entry(note), self._timeline((note.about, note.slot))
        if entry.order < ledger.last:
            return entry.stated, []
        return entry.stated, [(each.number, each.stated) for each in ledger.candidates(entry)]

    def endable(self, note: KeptNote) -> tuple[Stated, list[tuple[int, Stated]]]:
        """Return what a new note states, and the standing notes of its subject that it may end, the newest first."""
        ending = self._entry(note)
        found: list[tuple[int, Stated]] = []
        for older in reversed(self._notes.recent(note.about, _ENDABLE)):
            if older.turn >= note.turn or not older.positive or older.slot in self._analyst.ending_slots:
                continue
            if note.slot.endswith(f" {older.slot}") and self._begins(older, note.turn):
                continue
            ledger = self._timeline((older.about, older.slot))
            if older.number in ledger and ledger.of(older.number).stands:
                entry = ledger.entry(older.number)
                if entry.order < ending.order:
                    found.append((older.number, entry.stated))
        return ending.stated, found

    def candidate_pairs(
        self, subject: ScopedName, slot: str
    ) -> Iterator[tuple[tuple[int, int], tuple[Stated, Stated]]]:
        """Yield the pairs of a slot's notes that ``compared`` gave as they came, turn by turn.

        Each is the numbers of the older and the newer note, and what they state.
        """
        ledger, known = SlotTimeline(self._judge, self.rule(subject, slot), self._decided), list[SlotNote]()
        for _, group in groupby(self._notes.about(subject, slot), key=lambda note: note.turn):
            fresh = self._entries(group)
            in_order = [entry for entry in fresh if entry.order >= ledger.last]
            for entry in in_order:
                for older in ledger.candidates(entry):
                    yield (older.number, entry.number), (older.stated, entry.stated)
            known += fresh
            if len(in_order) < len(fresh):
                ledger = SlotTimeline(self._judge, self.rule(subject, slot), self._decided)
                fresh = sorted(known, key=lambda entry: entry.order)
            for entry in fresh:
                ledger.add(entry)


def claim_of(note: KeptNote) -> Claim:
    """Return the claim that a note was made from."""
    return Claim(note.kind, note.subject, note.slot, note.value, note.text, note.positive, validity(note), note.event)


def validity(note: KeptNote, holding: NoteState | None = None) -> Span | None:
    """Return the span in which a note holds, None if its start is unknown; without an end, for good."""
    start, end = (note.start, note.end) if holding is None else (holding.start, holding.end)
    if start is None:
        return None
    return Span(from_stored(start * 1_000_000, 0), _NEVER if end is None else from_stored(end * 1_000_000, 0))
