"""States of notes: which of them holds now, and why.

Slot timelines are folded on demand and follow notes as they come and go. A thread is what a speaker's sentences on one
matter make of the slot of the same name: the newest stands for it. A sentence alone is a note only if it is important
or a preference; else it waits for another one on its matter.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import MAXYEAR, UTC, datetime
from enum import IntEnum
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from typing import Final, cast

from hmem.derived.changes import Revisions
from hmem.derived.chunks import turn_of
from hmem.derived.notes import KeptNote, Notes, by_model
from hmem.derived.slot_timeline import (
    COMPARED,
    NO_DECISIONS,
    USUAL,
    Link,
    NoteState,
    Slot,
    SlotContext,
    SlotDecisions,
    SlotNote,
    SlotOutcomes,
    SlotRule,
    SlotTimeline,
)
from hmem.errors import MemoryDamaged
from hmem.language.analyst import Analyst, Claim, DatedClaim, Verdict
from hmem.language.containment import Fault, contained
from hmem.model.note import THREAD
from hmem.model.scope import ScopedName, owner_of, scoped, spelled
from hmem.model.span import Span, from_stored
from hmem.model.turn import Turn

_NEVER: Final = datetime(MAXYEAR, 12, 31, tzinfo=UTC)
_UNKNOWN: Final = Verdict("independent", "could not be judged")
_UNRELATED: Final = Verdict("independent", "taken back")

# Number of cached verdicts on notes that are not placed yet.
_HEARD: Final = 4_096


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
    return dict(rule.strip().split("=", 1) for rule in rules.split(",") if "=" in rule)


RULES: Final[Mapping[str, SlotRule]] = {
    "newest": "newest", "most-frequent": "most-frequent", "first": "first", "ask": "ask",
}  # fmt: skip


def _rule_in(rules: Mapping[str, str], subject: ScopedName, slot: str) -> str | None:
    """Return the rule of a subject's slot, else of the slot, in rules by "slot" or "subject:slot"; None without one.

    A subject is meant in any spelling and in every scope: rules are the memory's, and no user's.
    """
    subject_rules = (rule for target, rule in rules.items() if (split := target.rpartition(":"))[0] and split[2] == slot
           and spelled(split[0]) == subject.name)  # fmt: skip
    return next(subject_rules, None) or rules.get(slot)


Absent = Callable[[], tuple[Container[int], Container[int]]]


def _none_absent() -> tuple[Container[int], Container[int]]:
    return (), ()


# Notes whose entries and states are cached.
_ENTRIES: Final = 8_192
# Place in time before all notes.
_FIRST: Final = (-(1 << 62), -1)
# No note came yet since others changed.
_NO_COMPARISON: Final = (-1, (0, 0), list[SlotNote]())


class NoteStates:
    """States of the notes of one memory.

    No slot is folded again as long as its ``outcomes``, which are stored, hold; what they lack is folded and put there.
    A view has outcomes of its own, and does not follow changes.

    Args:
        said: when the turns of some sequence numbers were said, in seconds since 1970.
        words: the statement that a note was read from.
        analyst: judges the pairs that have no kept verdict.
        absent: the turns, and the notes, that were withdrawn, by number; sets, unless it is a view.
        authority: how much the speaker of a note may say of its subject.
    """

    def __init__(
        self,
        notes: Notes,
        revisions: Revisions,
        times_of: Callable[[Sequence[int]], Sequence[int]],
        words: Callable[[KeptNote], str],
        analyst: Analyst,
        options: ReconcileOptions | None = None,
        absent: Absent = _none_absent,
        outcomes: SlotOutcomes | None = None,
        authority: Callable[[KeptNote], int] = lambda _: 0,
        *,
        is_view: bool = False,
    ) -> None:
        self._notes = notes
        self._revisions = revisions
        self._said = times_of
        self._words = words
        self._analyst = analyst
        self.options = options or ReconcileOptions()
        self._absent = absent
        self._outcomes = outcomes or SlotOutcomes()
        self._authority = authority
        self._is_view = is_view
        self._decided = NO_DECISIONS
        # Notes that were kept here and have no links yet, slots whose links do not hold, and slots whose links do.
        self._pending: dict[Slot, dict[int, KeptNote]] = {}
        self._unsound: set[Slot] = set()
        self._sound: set[Slot] = set()
        self._last: dict[Slot, tuple[int, int]] = {}
        self._contexts: dict[Slot, list[tuple[str, int, int | str]]] | None = None
        self._absent_now: tuple[Container[int], Container[int]] | None = None
        self._heard: dict[tuple[int, int], Verdict] = {}
        # The last note that came, the newest one of its slot then, and the notes that it was compared with.
        self._met: tuple[int, tuple[int, int], list[SlotNote]] = _NO_COMPARISON
        self._entries_of: dict[int, SlotNote] = {}
        # States that were asked for since anything changed.
        self._states: dict[int, NoteState] = {}

    def viewed_from(self, absent: "Absent", decisions: SlotDecisions) -> "NoteStates":
        """Return the note states at another standpoint, with other absent notes and decisions.

        The result does not follow later changes.
        """
        view = NoteStates(
            self._notes, self._revisions, self._said, self._words, self._analyst, self.options, absent,
            authority=self._authority, is_view=True,
        )  # fmt: skip
        view.decide(decisions)
        return view

    # Updates.

    def on_note_changed(self, note: KeptNote, *, is_kept: bool) -> None:
        """Note that a note was kept or dropped here."""
        slot = note.scoped_subject, note.slot
        self._entries_of.pop(note.number, None)
        self._states.clear()
        self._absent_now = None
        if self._is_decided(note):
            self._contexts = None
            self._sound.discard(slot)
        if is_kept:
            self._pending.setdefault(slot, {})[note.number] = note
        else:
            self._met = _NO_COMPARISON
            if self._pending.get(slot, {}).pop(note.number, None) is None:
                self._unsound.add(slot)
            self._last.pop(slot, None)
            self._outcomes.drop(note.number, slot)

    def decide(self, decisions: SlotDecisions) -> None:
        """Replace people's decisions, and look again at what was withdrawn."""
        self._decided = decisions
        self._look_again()

    def reload(self) -> None:
        """Drop what is known of notes, verdicts and outcomes: they were loaded anew, or their changes were undone."""
        self._pending.clear()
        self._unsound.clear()
        self._entries_of.clear()
        self._revisions.take_news()
        self._look_again()

    def _look_again(self) -> None:
        self._states.clear()
        self._absent_now = None
        self._met = _NO_COMPARISON
        self._sound.clear()
        self._last.clear()
        self._contexts = None

    def settle(self) -> None:
        """Bring the outcomes of all slots up to date, to be stored with the notes."""
        contexts = self._outcomes.contexts
        if not self.options.reconcile:
            if self._pending or self._unsound:
                contexts.hold_for(None)
            return
        self._heed_verdicts()
        if contexts.rule == self.options.rule:
            slots = {*contexts.slots(), *self._decided_slots(), *self._pending, *self._unsound}
        else:
            slots = {(subject, slot) for subject in self._notes.subjects() for slot in self._notes.slots(subject)}
        for slot in sorted(slots):
            self._settle(slot)
        contexts.hold_for(self.options.rule)

    def rule(self, subject: ScopedName, slot: str) -> SlotRule:
        """Return the rule that settles contradictions in a subject's slot."""
        name = _rule_in(self._decided.rules, subject, slot)
        return RULES.get(name or "", self.options.rule_of(subject, slot))

    def _entries(self, notes: Iterable[KeptNote]) -> list[SlotNote]:
        """Return the notes that were not withdrawn, in the order of time."""
        present = [note for note in notes if not self._is_absent(note)]
        return sorted(map(self._entry, present), key=lambda entry: entry.order)

    def _withdrawn_numbers(self) -> tuple[Container[int], Container[int]]:
        """Return the turns, and the notes, that were withdrawn, by number."""
        if self._absent_now is None:
            self._absent_now = self._absent()
        return self._absent_now

    def _is_absent(self, note: KeptNote) -> bool:
        turns, single = self._withdrawn_numbers()
        return note.turn in turns or note.number in single

    def _fold(self, slot: Slot) -> SlotTimeline:
        return SlotTimeline(
            self._judge, self.rule(*slot), self._decided, self._outcomes.states, self._entry_in_timeline
        )

    def _entry_in_timeline(self, number: int) -> SlotNote:
        note = self._notes.get(number)
        if note is None:
            raise MemoryDamaged(f"what was formed links note {number}, which is gone - run `hmem rebuild`")
        return self._plain(note)

    # Outcomes.

    def _settle(self, slot: Slot) -> None:
        """Bring the outcomes of a slot up to date."""
        self._heed_verdicts()
        if slot in self._unsound or (slot not in self._sound and not self._holds(slot)):
            self._fold_anew(slot)
        elif slot in self._pending:
            for entry in self._entries(self._pending[slot].values()):
                if entry.order < self._last_of(slot):
                    # What was said before keeps its links.
                    self._fold_anew(slot, entry.order)
                    break
                self._link(slot, entry)
            self._pending.pop(slot, None)
        self._sound.add(slot)

    def _heed_verdicts(self) -> None:
        """Take up the verdicts that were kept here: they may be on notes that have their links already."""
        if self._is_view:
            return
        news = self._revisions.take_news()
        if news:
            self._states.clear()
        for pair in news:
            older, newer = map(self._notes.get, pair)
            if older is None or newer is None:
                continue
            slot = newer.scoped_subject, newer.slot
            if slot == (older.scoped_subject, older.slot) and newer.number not in self._pending.get(slot, ()):
                self._unsound.add(slot)

    def _holds(self, slot: Slot) -> bool:
        """Tell if the stored links of a slot hold under its rule and people's decisions."""
        contexts = self._outcomes.contexts
        return contexts.rule == self.options.rule and contexts.get(slot).decisions_digest == self._context(slot)

    def _fold_anew(self, slot: Slot, start: tuple[int, int] = _FIRST) -> None:
        """Judge the notes of a slot from a place in time on, and keep the outcome."""
        timeline, notes = self._fold(slot), self._notes.of_subject(*slot)
        entries = self._entries(notes)
        for note in notes:
            self._outcomes.states.replace(note.number, None)
        links: dict[int, Sequence[Link]] = {}
        for entry in entries:
            if entry.order < start:
                links[entry.number] = self._outcomes.links.get(entry.number)
                timeline.append(entry, links[entry.number])
            else:
                links[entry.number] = timeline.add(entry)
        for note in notes:
            self._outcomes.links.replace(note.number, links.get(note.number, ()))
        if not self._is_view:
            self._keep_context(slot, notes, entries, timeline)
        self._pending.pop(slot, None)
        self._unsound.discard(slot)
        self._last[slot] = timeline.last

    def _keep_context(
        self, slot: Slot, notes: Sequence[KeptNote], entries: Sequence[SlotNote], timeline: SlotTimeline
    ) -> None:
        """Store the context of a slot: what its links hold for, and what new notes need."""
        keys = {entry.number: entry.keys for entry in entries if timeline.is_open(entry.number)}
        for note in notes:
            self._outcomes.keys.replace(note.number, slot, keys.get(note.number, ()))
        numbers = [entry.number for entry in entries]
        context = SlotContext(self._context(slot), disordered=numbers != sorted(numbers))
        self._outcomes.contexts.replace(slot, context if notes else USUAL)

    def _link(self, slot: Slot, entry: SlotNote) -> None:
        """Judge a note that comes as the newest of its slot, and keep its links and keys."""
        timeline, outcomes = self._fold(slot), self._outcomes
        links = timeline.judge_links(self._candidates(slot, entry), entry)
        outcomes.links.replace(entry.number, links)
        timeline.append(entry, links)
        if any(link.relation != "same" for link in links):
            # What a newer claim ends is compared no more.
            for number in timeline.touched - {entry.number}:
                if not timeline.is_open(number):
                    outcomes.keys.replace(number, slot, ())
        outcomes.keys.replace(entry.number, slot, entry.keys if timeline.is_open(entry.number) else ())
        self._last[slot] = entry.order

    def _candidates(self, slot: Slot, entry: SlotNote) -> list[SlotNote]:
        """Return the open notes of a slot that share a key with one that comes, the newest first."""
        number, last, candidates = self._met
        if number == entry.number and last == self._last_of(slot):
            return candidates
        nearest, disordered = set[int](), self._outcomes.contexts.get(slot).disordered
        for key in entry.keys:
            sharing = self._outcomes.keys.sharing(slot, key, None if disordered else COMPARED)
            if disordered and len(sharing) > COMPARED:
                times = self._said([turn_of(number) for number in sharing])
                sharing = [number for _, number in sorted(zip(times, sharing, strict=True))]
            nearest.update(sharing[-COMPARED:])
        nearest.update(entry.revised_notes)
        nearest.discard(entry.number)
        numbers = sorted(nearest, reverse=True)
        if disordered:
            times = self._said([turn_of(number) for number in numbers])
            numbers = [number for _, number in sorted(zip(times, numbers, strict=True), reverse=True)]
        entries = (candidate for candidate in map(self._entry_of, numbers) if candidate is not None)
        # Digests of two keys may be equal.
        candidates = list(islice((candidate for candidate in entries if _compared(entry, candidate)), COMPARED))
        self._met = entry.number, self._last_of(slot), candidates
        return candidates

    def _last_of(self, slot: Slot) -> tuple[int, int]:
        """Return the place in time of the newest note of a slot that has its links."""
        if (last := self._last.get(slot)) is None:
            pending = self._pending.get(slot, {})
            judged_notes = (note for note in self._notes.newest(*slot) if note.number not in pending)
            present = (note for note in judged_notes if not self._is_absent(note))
            notes = list(present if self._outcomes.contexts.get(slot).disordered else islice(present, 1))
            times = self._said([note.turn for note in notes])
            last = max(((time, note.number) for time, note in zip(times, notes, strict=True)), default=_FIRST)
            self._last[slot] = last
        return last

    def _is_decided(self, note: KeptNote) -> bool:
        """Tell if people decided something about a note, or withdrew it."""
        decisions, number = self._decided, note.number
        return (
            number in decisions.resolved
            or any(number in pair for pair in decisions.unrelated_pairs)
            or self._is_absent(note)
        )

    def _decided_slots(self) -> dict[Slot, list[tuple[str, int, int | str]]]:
        """Return what people decided about the notes of slots, and which of these are absent, by slot."""
        if self._contexts is None:
            by_slot: dict[Slot, list[tuple[str, int, int | str]]] = {}

            def add(number: int, decision: str, value: int | str) -> None:
                for candidate, subject, slot in self._notes.keys_of(turn_of(number)):
                    if candidate == number:
                        by_slot.setdefault((subject, slot), []).append((decision, number, value))

            for number, decision in self._decided.resolved.items():
                add(number, decision, self._decided.newest_known.get(number, number))
            for first, second in self._decided.unrelated_pairs:
                add(first, "parted", second)
            turns, single = (cast("AbstractSet[int]", numbers) for numbers in self._withdrawn_numbers())
            for number in single:
                add(number, "absent", 0)
            for number, subject, slot in (row for seq in turns for row in self._notes.keys_of(seq)):
                by_slot.setdefault((subject, slot), []).append(("absent", number, 0))
            self._contexts = by_slot
        return self._contexts

    def _context(self, slot: Slot) -> str:
        """Return a digest of the rule of a slot and of what people decided about its notes; empty without any."""
        rule, decisions = self.rule(*slot), self._decided_slots().get(slot, ())
        if rule == self.options.rule and not decisions:
            return ""
        return sha256(repr((rule, sorted(set(decisions)))).encode()).hexdigest()[:16]

    def _judge(self, older: SlotNote, newer: SlotNote) -> Verdict:
        pair = older.number, newer.number
        if pair in self._decided.unrelated_pairs:
            return _UNRELATED
        verdict = self._revisions.get(*pair) or self._heard.pop(pair, None)
        if verdict is not None:
            return verdict
        outcome = contained(lambda: self._analyst.reconcile([(older.dated_claim, newer.dated_claim)])[0], raising=())
        return _UNKNOWN if isinstance(outcome, Fault) else outcome

    def _entry_of(self, number: int) -> SlotNote | None:
        """Return a note by its number as ``_entry``, or None; one that is cached is not read again."""
        if (entry := self._entries_of.get(number)) is not None:
            return entry
        note = self._notes.get(number)
        return None if note is None else self._entry(note)

    def _entry(self, note: KeptNote) -> SlotNote:
        """Return a note with all that judging it needs."""
        entry = self._entries_of.get(note.number)
        if entry is None:
            plain = self._plain(note)
            claim = replace(plain.dated_claim, words=self._words(note))
            if by_model(note.made_by):
                # A model was shown the notes: what it named is compared, and nothing else.
                entry = replace(plain, dated_claim=claim, revised_notes=self._revisions.older_notes(note.number))
            else:
                keys = contained(lambda: self._analyst.likeness(claim), raising=())
                entry = replace(plain, dated_claim=claim, keys=frozenset() if isinstance(keys, Fault) else keys)
            if len(self._entries_of) >= _ENTRIES:
                del self._entries_of[next(iter(self._entries_of))]
            self._entries_of[note.number] = entry
        return entry

    def _plain(self, note: KeptNote) -> SlotNote:
        """Return a note without what only judging needs."""
        (time,) = self._said([note.turn])
        claim = DatedClaim(claim_of(note), from_stored(time * 1_000_000, 0))
        return SlotNote(note.number, note.turn, time, claim, frozenset(), note.start, note.end, self._authority(note))

    # Queries.

    def state_of(self, note: KeptNote) -> NoteState:
        """Return the state of a note."""
        if not self.options.reconcile:
            return self._independent_state(note)
        self._heed_verdicts()
        if (state := self._states.get(note.number)) is None:
            state = self._in_slot(note) or replace(self._independent_state(note), status="retracted")
            if len(self._states) >= _ENTRIES:
                self._states.clear()
            self._states[note.number] = state
        return state

    def _in_slot(self, note: KeptNote) -> NoteState | None:
        """Return the state that a note has among those of its slot; None for one that was withdrawn or is gone."""
        slot, number = (note.scoped_subject, note.slot), note.number
        self._settle(slot)
        if self._is_absent(note) or self._notes.get(number) is None:
            return None
        state = self._outcomes.states.get(number)
        return self._independent_state(note) if state is None else self._outcomes.states.freeze(state)

    def _independent_state(self, note: KeptNote) -> NoteState:
        (time,) = self._said([note.turn])
        return NoteState(start=note.start, end=note.end, turns=(note.turn,), last=time)

    def linked_numbers(self) -> list[int]:
        """Return the notes that stored links join with others of their slot, ascending."""
        return self._outcomes.links.numbers()

    def canonical(self, note: KeptNote) -> KeptNote:
        """Return the note that a merged one ended up in, through any chain of merges; else the note itself."""
        if self.state_of(note).status != "merged":
            return note
        return self._notes.get(self._outcomes.states.last_successor(note.number)) or note

    def newest(self, number: int, slot: Slot) -> int:
        """Return the note of a slot that stands for one in the end, through any chain of replacements; else itself."""
        if not self.options.reconcile:
            return number
        self._settle(slot)
        return self._outcomes.states.newest(number)

    def successor(self, number: int, slot: Slot) -> int | None:
        """Return the note of a slot that replaced one that does not stand any more; None if there is none."""
        if not self.options.reconcile:
            return None
        self._settle(slot)
        return self._outcomes.states.successor(number)

    def is_merged(self, number: int) -> bool:
        """Tell if another note of its slot stands for a note, whose slot was looked at."""
        return self._outcomes.states.is_merged(number)

    def merged_sentences(self) -> frozenset[int]:
        """Return the sentences for which a newer one of their thread stands, by number."""
        if not self.options.reconcile:
            return frozenset()
        threads = [(subject, THREAD) for subject in self._notes.subjects(THREAD)]
        for slot in threads:
            self._settle(slot)
        merged = self._outcomes.states.merged()
        return frozenset(merged.intersection(number for slot in threads for number in self._notes.numbers_in(*slot)))

    def cache_verdict(self, older: int, newer: int, verdict: Verdict) -> None:
        """Cache a verdict on a note that is about to be kept, so that it is not judged again."""
        if len(self._heard) >= _HEARD:
            self._heard.clear()
        self._heard[older, newer] = verdict

    def compared(self, note: KeptNote) -> tuple[DatedClaim, list[tuple[int, DatedClaim]]]:
        """Return what a new note states, and the notes to compare it with, by number, newest first.

        There are none for a note said before others of its slot: only the rules judge it.
        """
        slot, entry = (note.scoped_subject, note.slot), self._entry(note)
        if entry.order >= self._last_of(slot):
            self._settle(slot)
        if entry.order < self._last_of(slot):
            return entry.dated_claim, []
        return entry.dated_claim, [
            (candidate.number, candidate.dated_claim) for candidate in self._candidates(slot, entry)
        ]


def _compared(entry: SlotNote, older: SlotNote) -> bool:
    return older.number in entry.revised_notes or not entry.keys.isdisjoint(older.keys)


def claim_of(note: KeptNote) -> Claim:
    """Return the claim that a note was made from."""
    return Claim(note.kind, note.subject, note.slot, note.value, note.text, note.positive, validity(note), note.event)


def validity(note: KeptNote, state: NoteState | None = None) -> Span | None:
    """Return the span in which a note holds, None if its start is unknown; without an end, for good."""
    start, end = (note.start, note.end) if state is None else (state.start, state.end)
    if start is None:
        return None
    return Span(from_stored(start * 1_000_000, 0), _NEVER if end is None else from_stored(end * 1_000_000, 0))


# Most earlier sentences that are shown of a thread, and most turns that are named as its sources.
_EARLIER: Final = 8
_SOURCES: Final = 64


def is_shown(note: KeptNote, state: NoteState) -> bool:
    """Tell if a note is shown by itself: not a sentence that waits for others, nor one that a newer one stands for."""
    if note.slot != THREAD:
        return True
    return state.stands and (note.kind != "fact" or any(turn != note.turn for turn in reversed(state.turns)))


def newest_turns(state: NoteState) -> list[int]:
    """Return the turns that support a note, the newest last: all of them, or the newest of many."""
    newest = list(islice(reversed(state.turns), _SOURCES + 1))
    return list(state.turns) if len(newest) <= _SOURCES else list(dict.fromkeys(newest[:_SOURCES][::-1]))


def earlier(
    note: KeptNote, get: Callable[[int], KeptNote | None], state_of: Callable[[KeptNote], NoteState]
) -> list[KeptNote]:
    """Return the earlier sentences of a note's thread, the newest first."""
    notes: dict[int, KeptNote] = {}
    queue = list(state_of(note).predecessors)
    while queue and len(notes) < _EARLIER:
        older = get(number := max(queue))
        queue.remove(number)
        if older is not None and number not in notes:
            notes[number] = older
            queue += state_of(older).predecessors
    return list(notes.values())


# Roles of turns that nobody said, and their speakers where a turn has no role.
NO_PERSON: Final = frozenset(("assistant", "tool", "system", "document"))


class Authority(IntEnum):
    """Rank of what a turn says of somebody: by nobody, by another person, or by themselves."""

    NOBODY = 0
    ANOTHER = 1
    OWN = 2


def authority(turn: Turn, subject: ScopedName) -> Authority:
    """Return the authority of a turn about somebody."""
    speaker = scoped(owner_of(turn), turn.speaker)
    if (turn.role or speaker.name) in NO_PERSON:
        return Authority.NOBODY
    return Authority.OWN if speaker == subject else Authority.ANOTHER
