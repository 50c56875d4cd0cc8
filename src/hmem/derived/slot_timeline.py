"""Timeline of one slot of a subject: its notes in time order, and the state of each (HiMem, reconsolidation).

A pure fold: the states depend on the notes, the verdicts, the slot's rule and people's decisions, and not on the order
in which the notes arrived. Each note is compared with the current ones that share a key, the newest first, at most
``COMPARED``.

**Authority** comes before the rule of the slot: what people say of themselves outranks what others say of them, and
that what a tool, a document or an assistant says. A note of lower authority disputes a higher one that it contradicts,
and changes nothing about it until somebody decides.

**Outcomes** are stored, so that no slot is folded again. A link says that a note repeats, extends or contradicts an
older one of its slot, as the timeline judged when the newer note came. Notes without links stand alone, and those that
links join can be folded without the rest of their slot. The links of a slot hold for a **context**: its rule, and what
people decided about its notes. The keys of open notes lead a new note to those that it is compared with.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.derived.chunks import EVENT_BITS, Part, content_of
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
    turns: tuple[int, ...] = ()
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
class _State:
    entry: SlotNote
    status: NoteStatus = "current"
    start: int | None = None
    end: int | None = None
    predecessors: list[int] = field(default_factory=list[int])
    successor: int | None = None
    turns: list[int] = field(default_factory=list[int])
    reinforcements: int = 0
    last: int = 0
    reason: str = ""
    rivals: list[int] = field(default_factory=list[int])
    disputes: list[int] = field(default_factory=list[int])

    def freeze(self) -> NoteState:
        contested = self.status == "contested"
        disputes = tuple(self.disputes) if contested else ()
        return NoteState(
            self.status, self.start, self.end, tuple(self.predecessors), self.successor,
            tuple(dict.fromkeys(self.turns)), self.reinforcements, self.last, self.reason,
            disputes or (tuple(self.rivals) if contested else ()), disputes,
        )  # fmt: skip


class SlotTimeline:
    """States of a slot's notes. Notes are added in the order of their times."""

    def __init__(self, judge: Judge, rule: SlotRule = "newest", decisions: SlotDecisions = NO_DECISIONS) -> None:
        self._judge = judge
        self._rule: SlotRule = rule
        self._decided = decisions
        self._states: dict[int, _State] = {}
        self._by_key: dict[str, dict[int, None]] = {}
        self._open: dict[int, None] = {}
        self.last: tuple[int, int] = (-(1 << 62), -1)

    def __contains__(self, number: int) -> bool:
        return number in self._states

    def state_of(self, number: int) -> NoteState:
        """Return the state of a note."""
        return self._states[number].freeze()

    def numbers(self) -> list[int]:
        """Return the notes, in the order of time."""
        return list(self._states)

    def is_open(self, number: int) -> bool:
        """Tell if later notes are compared with a note."""
        return number in self._open

    def _candidates(self, entry: SlotNote) -> list[SlotNote]:
        """Return the notes that a newer one is compared with: open ones that share a key, the newest first."""
        numbers = {
            number for key in entry.keys for number in islice(reversed(self._by_key.get(key, _NO_NOTES)), COMPARED)
        }
        numbers.update(number for number in entry.revised_notes if number in self._states)
        candidates = (self._states[number].entry for number in numbers)
        return sorted(candidates, key=lambda candidate: candidate.order, reverse=True)[:COMPARED]

    def _close(self, state: _State) -> None:
        """Exclude a note from later comparisons, unless it has rivals."""
        if not state.rivals:
            self._open.pop(state.entry.number, None)
            for key in state.entry.keys:
                self._by_key.get(key, {}).pop(state.entry.number, None)

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
        state = _State(entry, start=entry.start, end=entry.end, turns=[entry.turn], last=entry.time)
        self._states[entry.number] = state
        self.last = entry.order
        if self._decided.resolved.get(entry.number) == "retire":
            state.status, state.reason = "retracted", "decided"
            return
        pairs = [(self._states[link.older], link) for link in links]
        equals = (older for older, link in pairs if link.relation == "same")
        repeat = next((older for older in equals if _authority(older) >= _authority(state)), None)
        if repeat is not None and self._decided.resolved.get(entry.number) != "keep":
            self._repeat(repeat, state)
            return
        self._open[entry.number] = None
        for key in entry.keys:
            self._by_key.setdefault(key, {})[entry.number] = None
        for older, link in pairs:
            if link.relation in ("extends", "same"):
                self._extend(older, state, link.reason)
            elif link.relation == "disputes" and _authority(older) == _authority(state):
                self._contest(older, state, link.reason)
            elif link.relation in ("contradicts", "disputes"):
                self._oppose(older, state, link.reason)

    def _repeat(self, older: _State, state: _State) -> None:
        """Merge a note into the older one that it repeats, and reinforce that."""
        state.status, state.successor, state.reason = "merged", older.entry.number, "said again"
        if _authority(older) > _authority(state):
            # It tells nothing new, and how often others say it counts for nothing.
            return
        older.turns += state.turns
        older.reinforcements += 1
        older.last = max(older.last, state.last)
        if older.start is None and state.start is not None:
            older.start = state.start
        if older.rivals:
            self._count(older)

    def _extend(self, older: _State, state: _State, reason: str) -> None:
        """Merge an older note into the newer one that says more, with its turns."""
        wider_stands = older.entry.dated_claim.claim.slot in _WIDER_STANDS and _authority(older) == _authority(state)
        if self._is_kept_against(older, state) or wider_stands or _authority(older) > _authority(state):
            return
        older.status, older.successor, older.reason = "merged", state.entry.number, reason
        self._close(older)
        state.predecessors.append(older.entry.number)
        state.turns = [*older.turns, *state.turns]
        state.reinforcements += older.reinforcements + 1
        if state.start is None:
            state.start = older.start

    def _oppose(self, older: _State, state: _State, reason: str) -> None:
        """Settle a contradiction by authority, and between equals by the slot's rule."""
        if self._apply_decision(older, state, reason):
            return
        if self._rule != "ask" and _authority(older) != _authority(state):
            weaker, stronger = sorted((older, state), key=_authority)
            if weaker is older and not _of_an_earlier_time(state, older):
                self._supersede(older, state, reason)
            else:
                weaker.status, weaker.reason = "contested", reason
                weaker.disputes.append(stronger.entry.number)
            return
        match self._rule:
            case "ask":
                self._contest(older, state, reason)
            case "first":
                self._supersede(state, older, reason)
            case "most-frequent":
                older.rivals.append(state.entry.number)
                state.rivals.append(older.entry.number)
                state.reason = older.reason = reason
                self._count(state)
            case _ if _of_an_earlier_time(state, older):
                self._supersede(state, older, reason)
            case _:
                self._supersede(older, state, reason)

    def _contest(self, older: _State, state: _State, reason: str) -> None:
        """Let two notes stand against each other until somebody decides."""
        for first, second in ((older, state), (state, older)):
            first.status, first.reason = "contested", reason
            first.rivals.append(second.entry.number)

    def _apply_decision(self, older: _State, state: _State, reason: str) -> bool:
        """Apply people's decision between two contradictory notes; tell if there is one.

        Both notes stand then. Under the rule ``ask`` and in a dispute, if people kept just one, it supersedes the
        other.
        """
        winners = [
            (first, second)
            for first, second in ((older, state), (state, older))
            if self._is_kept_against(first, second)
        ]
        if (self._rule == "ask" or _authority(older) != _authority(state)) and len(winners) == 1:
            winner, loser = winners[0]
            self._supersede(loser, winner, reason)
            self._agree(loser)
        return bool(winners)

    def _agree(self, loser: _State) -> None:
        """Remove a superseded note from its rivals; a rival without others is current again."""
        for number in loser.rivals:
            rival = self._states[number]
            rival.rivals.remove(loser.entry.number)
            if not rival.rivals and rival.status == "contested":
                rival.status, rival.reason = "current", ""
        loser.rivals.clear()
        self._close(loser)

    def _is_kept_against(self, state: _State, rival: _State) -> bool:
        number = state.entry.number
        told_later = rival.entry.number > self._decided.newest_known.get(number, rival.entry.number)
        return self._decided.resolved.get(number) == "keep" and not told_later

    def _count(self, start: _State) -> None:
        """Let the rival that was said most often win; of equals the newest."""
        if self._rule != "most-frequent":
            return
        rivals, queue = {start.entry.number: start}, [start]
        while queue:
            for number in queue.pop().rivals:
                if number not in rivals:
                    rivals[number] = self._states[number]
                    queue.append(rivals[number])
        winner = max(rivals.values(), key=lambda rival: (rival.reinforcements, rival.last, rival.entry.order))
        for rival in rivals.values():
            rival.status, rival.successor, rival.end, rival.predecessors = "current", None, rival.entry.end, []
        for rival in sorted(rivals.values(), key=lambda rival: rival.entry.order):
            if rival is not winner:
                self._supersede(rival, winner, rival.reason)

    def _supersede(self, loser: _State, winner: _State, reason: str) -> None:
        _supersede(loser, winner, reason)
        self._close(loser)


def _authority(state: _State) -> int:
    return state.entry.authority


def _of_an_earlier_time(state: _State, older: _State) -> bool:
    """Tell if the later note is about an earlier time: "in 2015 I moved to Rome", told after a later move."""
    claims = (state.entry.dated_claim.claim, older.entry.dated_claim.claim)
    lasting = claims[0].slot not in _OCCASIONS and all(claim.positive for claim in claims)
    start, older_start = state.entry.start, older.entry.start
    return lasting and start is not None and older_start is not None and start < older_start


def _supersede(loser: _State, winner: _State, reason: str) -> None:
    since = winner.start if winner.start is not None else winner.entry.time
    if winner.start is None and winner.entry.order > loser.entry.order:
        winner.start = since
    if loser.end is None or loser.end > since:
        loser.end = max(since, loser.start) if loser.start is not None else since
    loser.status, loser.successor, loser.reason = "superseded", winner.entry.number, reason
    winner.predecessors.append(loser.entry.number)


_LINK_BITS: Final = EVENT_BITS + 8
_RELATIONS: Final[tuple[Relation, ...]] = ("same", "extends", "contradicts", "disputes")


class SlotLinks(Part):
    """Links by the newer note, in the order in which they were judged. A chunk holds those of 256 turns."""

    def __init__(self, name: str = "slot-links") -> None:
        super().__init__(name)
        self._links: dict[int, tuple[Link, ...]] = {}
        self._newer: dict[int, list[int]] = {}
        self._in: dict[int, dict[int, None]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._links.values()))

    def get(self, number: int) -> tuple[Link, ...]:
        """Return the links of a note to older ones."""
        return self._links.get(number, ())

    def joins(self, number: int) -> bool:
        """Tell if a note has a link, to an older note or from a newer one."""
        return number in self._links or number in self._newer

    def numbers(self) -> list[int]:
        """Return the notes that have a link, ascending."""
        return sorted({*self._links, *self._newer})

    def component(self, number: int) -> list[int]:
        """Return the notes that links join with a note, directly or by way of others, and itself, ascending."""
        numbers, queue = {number}, [number]
        while queue:
            current = queue.pop()
            for neighbour in (*(link.older for link in self.get(current)), *self._newer.get(current, ())):
                if neighbour not in numbers:
                    numbers.add(neighbour)
                    queue.append(neighbour)
        return sorted(numbers)

    def replace(self, number: int, links: Iterable[Link]) -> None:
        """Replace the links of a note to older ones."""
        new = tuple(links)
        if new != self.get(number):
            self._drop(number)
            self._keep(number, new)
            self.changed.add(number >> _LINK_BITS)

    def _keep(self, number: int, links: tuple[Link, ...]) -> None:
        if links:
            self._links[number] = links
            self._in.setdefault(number >> _LINK_BITS, {})[number] = None
        for link in links:
            self._newer.setdefault(link.older, []).append(number)

    def _drop(self, number: int) -> None:
        links = self._links.pop(number, ())
        if links:
            del self._in[number >> _LINK_BITS][number]
        for link in links:
            newer = self._newer[link.older]
            newer.remove(number)
            if not newer:
                del self._newer[link.older]

    def load(self, number: int, content: Any | None) -> None:
        words: list[str]
        rows: list[list[int]]
        words, rows = content or ([], [])
        for newer in list(self._in.get(number, ())):
            self._drop(newer)
        for newer, *flat in rows:
            self._keep(
                newer,
                tuple(
                    Link(newer - distance, _RELATIONS[relation], words[reason])
                    for distance, relation, reason in zip(flat[::3], flat[1::3], flat[2::3], strict=True)
                ),
            )

    def dump(self, number: int) -> Any | None:
        words: dict[str, int] = {}
        rows: list[list[int]] = []
        for newer in sorted(self._in.get(number, ())):
            row = [newer]
            for link in self._links[newer]:
                row += [newer - link.older, _RELATIONS.index(link.relation), words.setdefault(link.reason, len(words))]
            rows.append(row)
        return [list(words), rows] if rows else None


@dataclass(frozen=True, slots=True)
class SlotContext:
    """Conditions that the links of a slot hold for.

    ``decisions_digest`` is that of the slot's rule and of people's decisions; empty where there are none.
    ``disordered`` is set if some of its notes were said before notes that were kept earlier.
    """

    decisions_digest: str = ""
    disordered: bool = False


USUAL: Final = SlotContext()


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
        self.rule, rows = content or (None, ())
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
        return [self.rule, rows]


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

    def sharing(self, slot: Slot, key: str) -> list[int]:
        """Return the notes of a slot that have a key, ascending."""
        digest = _digest(slot, key)
        # Of the type of the array, which is converted as a whole otherwise.
        target = np.uint32(digest)
        first, last = (int(self._digests.searchsorted(target, side)) for side in _SIDES)
        numbers = self._numbers[first:last]
        if not self._stale:
            return numbers.tolist()
        settled = [number for number in numbers.tolist() if number >> _KEY_BITS not in self._stale]
        return sorted((*settled, *self._recent.get(digest, ())))

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
        self._replace_chunk(chunk, merged[np.lexsort((merged["digest"], merged["place"]))].tobytes())
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
        return self.links, self.contexts, self._keys

    def drop(self, number: int, slot: Slot) -> None:
        """Drop what is kept of a note that is gone."""
        self.links.replace(number, ())
        self.keys.replace(number, slot, ())
