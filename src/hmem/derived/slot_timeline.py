"""Timeline of one slot of a subject: its notes in time order, and the state of each (HiMem, reconsolidation).

A pure fold: the states depend on the notes, the verdicts, the slot's rule and people's decisions, and not on the order
in which the notes arrived. Each note is compared with the current ones that share a key, the newest first, at most
``COMPARED``.

**Authority** comes before the rule of the slot: what people say of themselves outranks what others say of them, and
that what a tool, a document or an assistant says. A note of lower authority disputes a higher one that it contradicts,
and changes nothing about it until somebody decides; unless it *outdates* it, as what is said of a thing may.

**Outcomes** are stored, so that no slot is folded again. A link says that a note repeats, extends or contradicts an
older one of its slot, as the timeline judged when the newer note came. Notes without links stand alone; the states of
the others are kept, and a new note changes few of them. All this holds for the **context** of a slot: its rule, and
what people decided about its notes. The keys of open notes lead a new note to those that it is compared with.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from itertools import islice
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.derived.chunks import EVENT_BITS, Part, content_of, turn_of
from hmem.language.analyst import DatedClaim, Relation, Verdict
from hmem.model.note import NoteStatus
from hmem.model.scope import ScopedName

COMPARED: Final = 16

SlotRule = Literal["newest", "most-frequent", "first", "ask"]
Decision = Literal["keep", "retire"]


Slot = tuple[ScopedName, str]


class Link(NamedTuple):
    """Relation of a note to an older one, by number, with its reason."""

    older: int
    relation: Relation
    reason: str


@dataclass(frozen=True, slots=True)
class SlotDecisions:
    """Decisions of people about the notes of a memory.

    ``resolved`` has the notes that are kept or retired, by number. A kept note is kept against notes up to the number
    in ``newest_known``; later notes are new information. ``rules`` are by "slot" or "subject:slot".
    ``unrelated_pairs`` of notes have nothing to do with each other, whatever was judged.
    """

    resolved: Mapping[int, Decision] = field(default_factory=dict[int, Decision])
    newest_known: Mapping[int, int] = field(default_factory=dict[int, int])
    rules: Mapping[str, str] = field(default_factory=dict[str, str])
    unrelated_pairs: frozenset[tuple[int, int]] = frozenset()


NO_DECISIONS: Final = SlotDecisions()

_NO_NOTES: Final[dict[int, None]] = {}

# Slots where the more specific note does not imply the wider one: who likes small dogs need not like dogs.
_WIDER_STANDS: Final = frozenset(
    {"likes", "fear", "interest", "hobby", "habit", "goal", "belief", "plays", "event", "trip", "plan", "project"}
)


# Slots whose new date may lie before the old one.
_OCCASIONS: Final = frozenset({"event", "trip", "plan", "project"})


@dataclass(frozen=True, slots=True)
class SlotNote:
    """Note: its number, when it was said and from when it holds (seconds since 1970), its claim, and its keys.

    Only notes that share a key are compared, and those in ``revised_notes``. ``authority`` is higher
    the more its speaker may say of the subject.
    """

    number: int
    turn: int
    time: int
    dated_claim: DatedClaim
    keys: frozenset[str]
    start: int | None = None
    end: int | None = None
    authority: int = 0
    revised_notes: tuple[int, ...] = ()

    @property
    def order(self) -> tuple[int, int]:
        """Position in time."""
        return self.time, self.number


@dataclass(frozen=True, slots=True)
class NoteState:
    """State of a note.

    ``start`` and ``end`` bound when it holds, in seconds since 1970, if known. ``successor`` is the note that replaced
    it, or that repeats it (``merged``); ``predecessors`` are those that it replaced. ``turns`` are all turns that
    support it, ``last`` is when the last of them was said. ``reason`` gives that of the change in a few words.
    ``rivals`` are the notes that a contested one contradicts; ``disputes`` are those among them that have more
    authority.
    """

    status: NoteStatus = "current"
    start: int | None = None
    end: int | None = None
    predecessors: tuple[int, ...] = ()
    successor: int | None = None
    turns: Sequence[int] = ()
    reinforcements: int = 0
    last: int = 0
    reason: str = ""
    rivals: tuple[int, ...] = ()
    disputes: tuple[int, ...] = ()

    @property
    def stands(self) -> bool:
        """True if the note counts as true: current, or contested by its equals until somebody decides."""
        return self.status in ("current", "contested") and not self.disputes


Judge = Callable[[SlotNote, SlotNote], Verdict]


@dataclass(slots=True)
class SlotState:
    """State of a note, as it is kept and changed; see ``NoteState``.

    Its turns are those of the notes that it ``extended``, as many as each had then, and its ``own_turns``: the one that
    it is of, and those of its repeats. No later note is compared with a closed one.
    """

    number: int
    status: NoteStatus = "current"
    is_closed: bool = False
    successor: int | None = None
    predecessors: tuple[int, ...] = ()
    extended: tuple[tuple[int, int], ...] = ()
    own_turns: tuple[int, ...] = ()
    reinforcements: int = 0
    last: int = 0
    reason: str = ""
    start: int | None = None
    end: int | None = None
    rivals: tuple[int, ...] = ()
    disputes: tuple[int, ...] = ()

    @classmethod
    def of(cls, entry: SlotNote) -> "SlotState":
        """Return the state of a note that has nothing to do with others."""
        return cls(entry.number, own_turns=(entry.turn,), start=entry.start, end=entry.end, last=entry.time)

    @property
    def turn_count(self) -> int:
        """Number of its turns; one that supports it twice counts twice."""
        return sum(count for _, count in self.extended) + len(self.own_turns)

    def freeze(self, turns: Sequence[int]) -> NoteState:
        """Return the state as a value."""
        contested = self.status == "contested"
        disputes = self.disputes if contested else ()
        return NoteState(
            self.status, self.start, self.end, self.predecessors, self.successor, turns, self.reinforcements, self.last,
            self.reason, disputes or (self.rivals if contested else ()), disputes,
        )  # fmt: skip


class _ExtendedTurns(Sequence[int]):
    """Turns of a note that extends others. There may be thousands, so they are read when they are looked at."""

    def __init__(self, states: "SlotStates", state: SlotState) -> None:
        self._read = partial(states.iterate_turns, state.extended, state.own_turns)

    def __iter__(self) -> Iterator[int]:
        return iter(dict.fromkeys([*self._read()][::-1]))

    def __reversed__(self) -> Iterator[int]:
        """Yield the newest first, as they are asked for; a turn that supports the note twice comes twice."""
        return self._read()

    def __len__(self) -> int:
        return len(set(self._read()))

    def __getitem__(self, index: Any) -> Any:
        turns: Any = tuple(self)
        return turns[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)  # pyright: ignore[reportUnknownArgumentType]

    def __hash__(self) -> int:
        return hash(tuple(self))


class SlotTimeline:
    """States of a slot's notes. Notes are added in the order of their times."""

    def __init__(
        self,
        judge: Judge,
        rule: SlotRule = "newest",
        decisions: SlotDecisions = NO_DECISIONS,
        states: "SlotStates | None" = None,
        entry_of: Callable[[int], SlotNote] | None = None,
    ) -> None:
        self._judge = judge
        self._rule: SlotRule = rule
        self._decided = decisions
        self._states = SlotStates() if states is None else states
        self._entry_of = entry_of
        self._entries: dict[int, SlotNote] = {}
        self._by_key: dict[str, dict[int, None]] = {}
        # Notes whose state was looked at to change it.
        self.touched: set[int] = set()
        self.last: tuple[int, int] = (-(1 << 62), -1)

    def state_of(self, number: int) -> NoteState:
        """Return the state of a note."""
        state = self._states.get(number)
        return self._states.freeze(SlotState.of(self._entry(number)) if state is None else state)

    def is_open(self, number: int) -> bool:
        """Tell if later notes are compared with a note."""
        state = self._states.get(number)
        return state is None or not state.is_closed

    def _entry(self, number: int) -> SlotNote:
        """Return a note that was added, or that has its state."""
        entry = self._entries.get(number)
        if entry is None:
            if self._entry_of is None:
                raise KeyError(number)
            entry = self._entries[number] = self._entry_of(number)
        return entry

    def _touch(self, number: int) -> SlotState:
        """Return the state of a note to be changed, and kept."""
        state = self._states.get(number) or SlotState.of(self._entry(number))
        self._states.replace(number, state)
        self.touched.add(number)
        return state

    def _authority(self, state: SlotState) -> int:
        return self._entry(state.number).authority

    def _candidates(self, entry: SlotNote) -> list[SlotNote]:
        """Return the notes that a newer one is compared with: open ones that share a key, the newest first."""
        numbers = {
            number for key in entry.keys for number in islice(reversed(self._by_key.get(key, _NO_NOTES)), COMPARED)
        }
        numbers.update(number for number in entry.revised_notes if number in self._entries)
        candidates = (self._entries[number] for number in numbers)
        return sorted(candidates, key=lambda candidate: candidate.order, reverse=True)[:COMPARED]

    def _close(self, state: SlotState) -> None:
        """Exclude a note from later comparisons, unless it has rivals."""
        if not state.rivals:
            state.is_closed = True
            for key in self._entry(state.number).keys:
                self._by_key.get(key, {}).pop(state.number, None)

    def add(self, entry: SlotNote) -> list[Link]:
        """Add a note, the newest so far, and judge it; return its links to older ones."""
        links = self.judge_links(self._candidates(entry), entry)
        self.append(entry, links)
        return links

    def judge_links(self, candidates: Iterable[SlotNote], entry: SlotNote) -> list[Link]:
        """Judge a new note against older ones; return its links to those that it concerns."""
        if self._decided.resolved.get(entry.number) == "retire":
            return []
        verdicts = ((older.number, self._judge(older, entry)) for older in candidates)
        return [
            Link(number, verdict.relation, verdict.reason)
            for number, verdict in verdicts
            if verdict.relation != "independent"
        ]

    def append(self, entry: SlotNote, links: Sequence[Link]) -> None:
        """Add a note, the newest so far, that was judged before."""
        self._entries[entry.number] = entry
        self.last = entry.order
        is_retired = self._decided.resolved.get(entry.number) == "retire"
        if links or is_retired:
            state = self._touch(entry.number)
        else:
            self._states.replace(entry.number, None)
            state = SlotState.of(entry)
        if is_retired:
            state.status, state.reason, state.is_closed = "retracted", "decided", True
            return
        pairs = [(self._touch(link.older), link) for link in links]
        equals = (older for older, link in pairs if link.relation == "same")
        repeat = next((older for older in equals if self._authority(older) >= entry.authority), None)
        if repeat is not None and self._decided.resolved.get(entry.number) != "keep":
            self._repeat(repeat, state)
            return
        for key in entry.keys:
            self._by_key.setdefault(key, {})[entry.number] = None
        for older, link in pairs:
            if link.relation in ("extends", "same"):
                self._extend(older, state, link.reason)
            elif link.relation == "disputes" and self._authority(older) == self._authority(state):
                self._contest(older, state, link.reason)
            elif link.relation in ("contradicts", "disputes", "outdates"):
                self._oppose(older, state, link.reason, are_equals=link.relation == "outdates")

    def _repeat(self, older: SlotState, state: SlotState) -> None:
        """Merge a note into the older one that it repeats, and reinforce that."""
        state.status, state.successor, state.reason, state.is_closed = "merged", older.number, "said again", True
        if self._authority(older) > self._authority(state):
            # It tells nothing new, and how often others say it counts for nothing.
            return
        older.own_turns += state.own_turns
        older.reinforcements += 1
        older.last = max(older.last, state.last)
        if older.start is None and state.start is not None:
            older.start = state.start
        if older.rivals:
            self._count(older)

    def _extend(self, older: SlotState, state: SlotState, reason: str) -> None:
        """Merge an older note into the newer one that says more, with its turns."""
        wider_stands = self._entry(older.number).dated_claim.claim.slot in _WIDER_STANDS and self._authority(
            older
        ) == self._authority(state)
        if self._is_kept_against(older, state) or wider_stands or self._authority(older) > self._authority(state):
            return
        older.status, older.successor, older.reason = "merged", state.number, reason
        self._close(older)
        state.predecessors = (*state.predecessors, older.number)
        state.extended = ((older.number, older.turn_count), *state.extended)
        state.reinforcements += older.reinforcements + 1
        if state.start is None:
            state.start = older.start

    def _oppose(self, older: SlotState, state: SlotState, reason: str, *, are_equals: bool = False) -> None:
        """Settle a contradiction by authority, and between equals by the slot's rule."""
        if self._apply_decision(older, state, reason):
            return
        if self._rule != "ask" and not are_equals and self._authority(older) != self._authority(state):
            weaker, stronger = sorted((older, state), key=self._authority)
            if weaker is older and not self._is_of_an_earlier_time(state, older):
                self._supersede(older, state, reason)
            else:
                weaker.status, weaker.reason = "contested", reason
                weaker.disputes = (*weaker.disputes, stronger.number)
            return
        match self._rule:
            case "ask":
                self._contest(older, state, reason)
            case "first":
                self._supersede(state, older, reason)
            case "most-frequent":
                older.rivals = (*older.rivals, state.number)
                state.rivals = (*state.rivals, older.number)
                state.reason = older.reason = reason
                self._count(state)
            case _ if self._is_of_an_earlier_time(state, older):
                self._supersede(state, older, reason)
            case _:
                self._supersede(older, state, reason)

    def _contest(self, older: SlotState, state: SlotState, reason: str) -> None:
        """Let two notes stand against each other until somebody decides."""
        for first, second in ((older, state), (state, older)):
            first.status, first.reason = "contested", reason
            first.rivals = (*first.rivals, second.number)

    def _apply_decision(self, older: SlotState, state: SlotState, reason: str) -> bool:
        """Apply people's decision between two contradictory notes; tell if there is one.

        Both notes stand then. Under the rule ``ask`` and in a dispute, if people kept just one, it supersedes the
        other.
        """
        winners = [
            (first, second)
            for first, second in ((older, state), (state, older))
            if self._is_kept_against(first, second)
        ]
        if (self._rule == "ask" or self._authority(older) != self._authority(state)) and len(winners) == 1:
            winner, loser = winners[0]
            self._supersede(loser, winner, reason)
            self._agree(loser)
        return bool(winners)

    def _agree(self, loser: SlotState) -> None:
        """Remove a superseded note from its rivals; a rival without others is current again."""
        for number in loser.rivals:
            rival = self._touch(number)
            rival.rivals = tuple(number for number in rival.rivals if number != loser.number)
            if not rival.rivals and rival.status == "contested":
                rival.status, rival.reason = "current", ""
        loser.rivals = ()
        self._close(loser)

    def _is_kept_against(self, state: SlotState, rival: SlotState) -> bool:
        number = state.number
        told_later = rival.number > self._decided.newest_known.get(number, rival.number)
        return self._decided.resolved.get(number) == "keep" and not told_later

    def _count(self, start: SlotState) -> None:
        """Let the rival that was said most often win; of equals the newest."""
        if self._rule != "most-frequent":
            return
        rivals, queue = {start.number: start}, [start]
        while queue:
            for number in queue.pop().rivals:
                if number not in rivals:
                    rivals[number] = self._touch(number)
                    queue.append(rivals[number])
        winner = max(
            rivals.values(), key=lambda rival: (rival.reinforcements, rival.last, self._entry(rival.number).order)
        )
        for rival in rivals.values():
            rival.status, rival.successor, rival.predecessors = "current", None, ()
            rival.end = self._entry(rival.number).end
        for rival in sorted(rivals.values(), key=lambda rival: self._entry(rival.number).order):
            if rival is not winner:
                self._supersede(rival, winner, rival.reason)

    def _is_of_an_earlier_time(self, state: SlotState, older: SlotState) -> bool:
        """Tell if the later note is about an earlier time: "in 2015 I moved to Rome", told after a later move."""
        entry, older_entry = self._entry(state.number), self._entry(older.number)
        claims = (entry.dated_claim.claim, older_entry.dated_claim.claim)
        lasting = claims[0].slot not in _OCCASIONS and all(claim.positive for claim in claims)
        start, older_start = entry.start, older_entry.start
        return lasting and start is not None and older_start is not None and start < older_start

    def _supersede(self, loser: SlotState, winner: SlotState, reason: str) -> None:
        entry = self._entry(winner.number)
        since = winner.start if winner.start is not None else entry.time
        if winner.start is None and entry.order > self._entry(loser.number).order:
            winner.start = since
        if loser.end is None or loser.end > since:
            loser.end = max(since, loser.start) if loser.start is not None else since
        loser.status, loser.successor, loser.reason = "superseded", winner.number, reason
        winner.predecessors = (*winner.predecessors, loser.number)
        self._close(loser)


_LINK_BITS: Final = EVENT_BITS + 8
_RELATIONS: Final[tuple[Relation, ...]] = ("same", "extends", "contradicts", "disputes", "outdates")


class SlotLinks(Part):
    """Links by the newer note, in the order in which they were judged.

    A chunk holds those of 256 turns, and is read when it is looked at.
    """

    def __init__(self, name: str = "slot-links") -> None:
        super().__init__(name)
        self._of: dict[int, dict[int, tuple[Link, ...]]] = {}
        self._unread: dict[int, bytes] = {}

    def __len__(self) -> int:
        return sum(len(links) for _, links in self._all())

    def get(self, number: int) -> tuple[Link, ...]:
        """Return the links of a note to older ones."""
        return self._in_chunk(number >> _LINK_BITS).get(number, ())

    def numbers(self) -> list[int]:
        """Return the notes that have a link, ascending."""
        return sorted({number for newer, links in self._all() for number in (newer, *(link.older for link in links))})

    def _all(self) -> Iterator[tuple[int, tuple[Link, ...]]]:
        for chunk in {*self._unread, *self._of}:
            yield from self._in_chunk(chunk).items()

    def replace(self, number: int, links: Iterable[Link]) -> None:
        """Replace the links of a note to older ones."""
        new, chunk = tuple(links), number >> _LINK_BITS
        if new == self.get(number):
            return
        links_of_chunk = self._of.setdefault(chunk, {})
        if new:
            links_of_chunk[number] = new
        else:
            del links_of_chunk[number]
        self.changed.add(chunk)

    def _in_chunk(self, chunk: int) -> dict[int, tuple[Link, ...]]:
        if (encoded := self._unread.pop(chunk, None)) is not None:
            self._of[chunk] = _links_of(content_of(encoded))
        return self._of.get(chunk, {})

    def fill(self, chunks: Iterable[tuple[int, bytes]]) -> None:
        self._unread = dict(chunks)

    def load(self, number: int, content: Any | None) -> None:
        self._unread.pop(number, None)
        self._of.pop(number, None)
        if content is not None:
            self._of[number] = _links_of(content)

    def dump(self, number: int) -> Any | None:
        words: dict[str, int] = {}
        rows: list[list[int]] = []
        for newer, links in sorted(self._in_chunk(number).items()):
            row = [newer]
            for link in links:
                row += [newer - link.older, _RELATIONS.index(link.relation), words.setdefault(link.reason, len(words))]
            rows.append(row)
        return [list(words), rows] if rows else None


def _links_of(content: Any) -> dict[int, tuple[Link, ...]]:
    """Return the links of a chunk by the newer note."""
    words: list[str]
    rows: list[list[int]]
    words, rows = content
    return {
        newer: tuple(
            Link(newer - distance, _RELATIONS[relation], words[reason])
            for distance, relation, reason in zip(flat[::3], flat[1::3], flat[2::3], strict=True)
        )
        for newer, *flat in rows
    }


# A chunk holds the states of notes of 32 turns.
_STATE_BITS: Final = EVENT_BITS + 5
_STATUSES: Final[tuple[NoteStatus, ...]] = ("current", "merged", "superseded", "contested", "retracted")
_MERGED: Final = _STATUSES.index("merged")


class SlotStates(Part):
    """States of the notes that links join, by number. A chunk is read when it is looked at."""

    def __init__(self, name: str = "slot-states") -> None:
        super().__init__(name)
        # By chunk and note: a state, or the row that it is made of when it is asked for.
        self._of: dict[int, dict[int, SlotState | list[Any]]] = {}
        self._unread: dict[int, bytes] = {}
        # Notes that merged ones were found to have ended up in; these may have been merged since.
        self._heads: dict[int, int] = {}

    def get(self, number: int) -> SlotState | None:
        """Return the state of a note; None if no link joins it with others."""
        states = self._in_chunk(number >> _STATE_BITS)
        state = states.get(number)
        if isinstance(state, list):
            state = states[number] = _state_of(state)
        return state

    def _in_chunk(self, chunk: int) -> dict[int, SlotState | list[Any]]:
        if (encoded := self._unread.pop(chunk, None)) is not None:
            self._of[chunk] = _rows_of(content_of(encoded))
        return self._of.get(chunk, {})

    def replace(self, number: int, state: SlotState | None) -> None:
        """Keep the state of a note, which may be changed until the next store; None for one that stands alone."""
        chunk = number >> _STATE_BITS
        states = self._in_chunk(chunk)
        if state is None and number not in states:
            return
        self.changed.add(chunk)
        if state is None:
            del states[number]
            self._heads.clear()
        else:
            self._of.setdefault(chunk, {})[number] = state

    def freeze(self, state: SlotState) -> NoteState:
        """Return a state as a value."""
        if state.extended:
            return state.freeze(_ExtendedTurns(self, state))
        return state.freeze(tuple(dict.fromkeys(state.own_turns)))

    def iterate_turns(self, extended: Sequence[tuple[int, int]], own_turns: Sequence[int]) -> Iterator[int]:
        """Yield the turns of a note from the newest on, those of notes that it extended last; some may come twice."""
        yield from reversed(own_turns)
        unvisited = list(extended)
        while unvisited:
            older, count = unvisited.pop()
            state = self.get(older) or SlotState(older)
            for further, further_count in state.extended:
                if count:
                    unvisited.append((further, min(further_count, count)))
                    count -= min(further_count, count)
            yield from reversed(state.own_turns[:count])

    def last_successor(self, number: int) -> int:
        """Return the note that a merged one ended up in, through any chain of merges; else the note itself."""
        path = list[int]()
        while (successor := self._heads.get(number) or self._merged_into(number)) is not None:
            path.append(number)
            number = successor
        self._heads |= dict.fromkeys(path, number)
        return number

    def newest(self, number: int) -> int:
        """Return the note that stands for one in the end: what replaced what replaced it, and so on; else itself."""
        path = set[int]()
        while (successor := self.successor(number := self.last_successor(number))) is not None and number not in path:
            path.add(number)
            number = successor
        return number

    def successor(self, number: int) -> int | None:
        """Return the note that replaced one that does not stand any more; None if there is none."""
        row = self._in_chunk(number >> _STATE_BITS).get(number)
        if isinstance(row, list) and row[1] >> 1 <= _MERGED:
            # Most states are of these two, and need not be made for that.
            return row[2] + number if row[1] >> 1 == _MERGED else None
        state = self.get(number)
        if state is None or state.status == "current" or (state.status == "contested" and not state.disputes):
            return None
        return state.successor

    def is_merged(self, number: int) -> bool:
        """Tell if a newer note, or one that it repeats, stands for a note."""
        return self._merged_into(number) is not None

    def merged(self) -> set[int]:
        """Return all notes for which a newer one, or one that they repeat, stands."""
        chunks = [self._in_chunk(chunk) for chunk in {*self._of, *self._unread}]
        return {number for states in chunks for number, row in states.items() if _successor_in(number, row) is not None}

    def _merged_into(self, number: int) -> int | None:
        row = self._in_chunk(number >> _STATE_BITS).get(number)
        return None if row is None else _successor_in(number, row)

    def fill(self, chunks: Iterable[tuple[int, bytes]]) -> None:
        self._unread = dict(chunks)

    def load(self, number: int, content: Any | None) -> None:
        self._unread.pop(number, None)
        self._of.pop(number, None)
        self._heads.clear()
        if content is not None:
            self._of[number] = _rows_of(content)

    def dump(self, number: int) -> Any | None:
        words: dict[str, int] = {}
        states = (self.get(note) for note in sorted(self._in_chunk(number)))
        rows = [_row_of(state, words) for state in states if state is not None]
        return [list(words), rows] if rows else None


def _successor_in(number: int, row: "SlotState | list[Any]") -> int | None:
    """Return the note that a merged one went into, by its state or the row of it; None for one that is not merged."""
    if isinstance(row, list):
        return row[2] + number if row[1] >> 1 == _MERGED else None
    return row.successor if row.status == "merged" else None


# Fields of a row that are always there, and what the others are if they say nothing.
_FIRST_FIELDS: Final = 8
_REASON: Final = 7
_LAST_FIELDS: Final[Sequence[Any]] = ([], None, None, [], [])


def _row_of(state: SlotState, words: dict[str, int]) -> list[Any]:
    """Return a state as a row of numbers, without the last fields that say nothing."""
    number, turn = state.number, turn_of(state.number)
    row: list[Any] = [
        number,
        2 * _STATUSES.index(state.status) + state.is_closed,
        state.successor and state.successor - number,
        [older - number for older in state.predecessors],
        [value for older, count in state.extended for value in (older - number, count)],
        state.reinforcements,
        state.last,
        words.setdefault(state.reason, len(words)),
        [repeat - turn for repeat in state.own_turns[1:]],
        state.start,
        state.end,
        [rival - number for rival in state.rivals],
        [dispute - number for dispute in state.disputes],
    ]
    while row[-1] in (None, []):
        row.pop()
    return row


def _rows_of(content: Any) -> dict[int, SlotState | list[Any]]:
    """Return the rows of a chunk by their notes, with words in place of their numbers."""
    words: list[str]
    rows: list[list[Any]]
    words, rows = content
    for row in rows:
        row[_REASON] = words[row[_REASON]]
    return {row[0]: row for row in rows}


def _state_of(row: list[Any]) -> SlotState:
    """Return the state that a row tells of."""
    padded: list[Any] = [*row, *_LAST_FIELDS[len(row) - _FIRST_FIELDS :]]
    code: int
    number, code, successor, predecessors, extended, reinforcements, last, reason, *optional_fields = padded
    repeats, start, end, rivals, disputes = optional_fields
    status: NoteStatus = _STATUSES[code >> 1]
    return SlotState(
        number, status, bool(code & 1), successor and successor + number,
        tuple(older + number for older in predecessors),
        tuple((older + number, count) for older, count in zip(extended[::2], extended[1::2], strict=True)),
        tuple(repeat + turn_of(number) for repeat in (0, *repeats)),
        reinforcements, last, reason, start, end,
        tuple(rival + number for rival in rivals), tuple(dispute + number for dispute in disputes),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class SlotContext:
    """Conditions that the links of a slot hold for.

    ``decisions_digest`` is that of the slot's rule and of people's decisions; empty where there are none.
    ``disordered`` is set if some of its notes were said before notes that were kept earlier.
    """

    decisions_digest: str = ""
    disordered: bool = False


USUAL: Final = SlotContext()
# Form of the outcomes: links and states.
_FORM: Final = 2


class SlotContexts(Part):
    """Contexts of the slots by subject and slot. One chunk holds all; most memories have few.

    ``rule`` is the rule of all slots without one of their own; None if the links of some slots are not stored.
    """

    def __init__(self, name: str = "slot-contexts") -> None:
        super().__init__(name)
        self.rule: str | None = None
        self._of: dict[Slot, SlotContext] = {}

    def slots(self) -> list[Slot]:
        """Return the slots whose context is not the usual one."""
        return sorted(self._of)

    def get(self, slot: Slot) -> SlotContext:
        """Return the context of a slot."""
        return self._of.get(slot, USUAL)

    def replace(self, slot: Slot, context: SlotContext) -> None:
        """Keep the context of a slot."""
        if context == self.get(slot):
            return
        if context == USUAL:
            del self._of[slot]
        else:
            self._of[slot] = context
        self.changed.add(0)

    def hold_for(self, rule: str | None) -> None:
        """Set the rule under which the links of all slots are stored; None if some are not."""
        if rule != self.rule:
            self.rule = rule
            self.changed.add(0)

    def load(self, number: int, content: Any | None) -> None:  # noqa: ARG002 - there is one
        rows: Sequence[tuple[str, str, str, str, int]]
        rule, rows, *form = content or (None, ())
        # Without the form there are links, but no states.
        self.rule = rule if form else None
        self._of = {
            (ScopedName(owner, subject), slot): SlotContext(digest, bool(disordered))
            for owner, subject, slot, digest, disordered in rows
        }

    def dump(self, number: int) -> Any | None:  # noqa: ARG002 - there is one
        if self.rule is None:
            return None
        rows = [
            [subject.owner, subject.name, slot, context.decisions_digest, int(context.disordered)]
            for (subject, slot), context in sorted(self._of.items(), key=lambda item: item[0])
        ]
        return [self.rule, rows, _FORM]


# A chunk holds the keys of 32 turns: a place in the chunk of two bytes, and a digest, for each.
_KEY_BITS: Final = EVENT_BITS + 5
_RECORD: Final = np.dtype([("place", "<u2"), ("digest", "<u4")])
# Number of changed chunks from which the index of all is made anew.
_STALE: Final = 256
_SIDES: Final = ("left", "right")


class NoteKeys(Part):
    """Keys by note; a chunk holds those of 32 turns, as bytes."""

    def __init__(self, name: str = "note-keys") -> None:
        super().__init__(name)
        self._of: dict[int, bytes] = {}
        # All keys, sorted by digest and then by note; the chunks that changed since, and the notes there by digest.
        self._digests = np.zeros(0, np.uint32)
        self._numbers: NDArray[np.int64] = np.zeros(0, np.int64)
        self._stale: set[int] = set()
        self._recent: dict[int, dict[int, None]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._of.values())) // _RECORD.itemsize

    def sharing(self, slot: Slot, key: str, most: int | None = None) -> list[int]:
        """Return the notes of a slot that have a key, ascending; the newest ``most`` of them, if given."""
        digest = _digest(slot, key)
        # Of the type of the array, which is converted as a whole otherwise.
        target = np.uint32(digest)
        first, last = (int(self._digests.searchsorted(target, side)) for side in _SIDES)
        newest_first = self._numbers[first:last][::-1]
        # All are converted at once, a few one by one.
        numbers = newest_first.tolist() if most is None else map(int, newest_first)
        settled = (number for number in numbers if number >> _KEY_BITS not in self._stale)
        return sorted((*islice(settled, most), *self._recent.get(digest, ())))[-most if most else 0 :]

    def replace(self, number: int, slot: Slot, keys: Iterable[str]) -> None:
        """Replace the keys of a note."""
        digests = sorted({_digest(slot, key) for key in keys})
        chunk, offset = number >> _KEY_BITS, number & (1 << _KEY_BITS) - 1
        records = self._records(chunk)
        remaining = records[records["place"] != offset]
        if len(remaining) == len(records) and not digests:
            return
        fresh = np.array([(offset, digest) for digest in digests], _RECORD)
        merged = np.concatenate([remaining, fresh])
        content = merged[np.lexsort((merged["digest"], merged["place"]))].tobytes()
        if content != self._of.get(chunk):
            self._replace_chunk(chunk, content)
            self.changed.add(chunk)

    def _records(self, chunk: int) -> NDArray[np.void]:
        return np.frombuffer(self._of.get(chunk, b""), _RECORD)

    def _replace_chunk(self, chunk: int, content: bytes) -> None:
        """Replace the keys of a chunk; the index of all follows when many have changed."""
        if chunk in self._stale:
            for offset, digest in self._records(chunk).tolist():
                self._recent[digest].pop(chunk << _KEY_BITS | offset)
        self._stale.add(chunk)
        if content:
            self._of[chunk] = content
        else:
            self._of.pop(chunk, None)
        for offset, digest in self._records(chunk).tolist():
            self._recent.setdefault(digest, {})[chunk << _KEY_BITS | offset] = None
        if len(self._stale) > _STALE:
            self._index()

    def _index(self) -> None:
        """Sort all keys by their digests."""
        chunks = sorted(self._of)
        records = np.frombuffer(b"".join(self._of[chunk] for chunk in chunks), _RECORD)
        sizes = [len(self._of[chunk]) // _RECORD.itemsize for chunk in chunks]
        numbers = (np.repeat(np.array(chunks, np.int64), sizes) << _KEY_BITS) + records["place"]
        order = np.lexsort((numbers, records["digest"]))
        self._digests, self._numbers = records["digest"][order], numbers[order]
        self._stale.clear()
        self._recent.clear()

    def fill(self, chunks: Iterable[tuple[int, bytes]]) -> None:
        self._of = {number: content_of(encoded) for number, encoded in chunks}
        self._index()

    def load(self, number: int, content: Any | None) -> None:
        self._replace_chunk(number, content or b"")

    def dump(self, number: int) -> Any | None:
        return self._of.get(number)


def _digest(slot: Slot, key: str) -> int:
    subject, name = slot
    encoded = "\0".join((subject.owner, subject.name, name, key)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(encoded, digest_size=4).digest())


class SlotOutcomes:
    """Outcome of the timelines of all slots, as it is stored.

    Only who writes needs the keys: ``wake`` is called before they are looked at.
    """

    def __init__(self, wake: Callable[[Part], object] = id) -> None:
        self.links = SlotLinks()
        self.states = SlotStates()
        self.contexts = SlotContexts()
        self._keys = NoteKeys()
        self._wake = wake

    @property
    def keys(self) -> NoteKeys:
        """Keys by which new notes find those that they are compared with."""
        self._wake(self._keys)
        return self._keys

    @property
    def parts(self) -> tuple[Part, ...]:
        """Parts that it is stored in, the keys last."""
        return self.links, self.states, self.contexts, self._keys

    def drop(self, number: int, slot: Slot) -> None:
        """Drop what is kept of a note that is gone."""
        self.links.replace(number, ())
        self.states.replace(number, None)
        self.keys.replace(number, slot, ())
