"""Changes by people and by models: what was decided, judged and written, as far as it is in force.

People's decisions and the engine's are entries of a log that only grows; folding it gives what is in force now. An
entry that a later one undid has no effect, and an undo can be undone in turn. ``Revisions`` are verdicts on pairs of
notes, ``ModelOutputs`` what models read in turns and wrote.
"""

from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Any, Final

import msgspec

from hmem.corpus.news import NewsFeed
from hmem.derived.chunks import EVENT_BITS, MOST, Part, content_of, decode, encode
from hmem.derived.graph.entity_edits import EntityEdits, edits_of
from hmem.derived.slot_timeline import Decision, SlotDecisions
from hmem.derived.trees.tree import Tree
from hmem.errors import MemoryDamaged
from hmem.language.analyst import Claim, Relation, Verdict
from hmem.language.analyst.base import TurnExtraction
from hmem.language.analyst.cached_model import AnswerKind, ModelOutput
from hmem.model.change import Change, Verb
from hmem.model.ids import number_of, numbered
from hmem.model.scope import spelled
from hmem.model.span import from_stored
from hmem.storage.base import LogEntry, Storage
from hmem.storage.model_queue import READINGS, KeptAnswer, KeptReading
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

    The one that ``Decisions`` returns changes with the log: use it before the next ``catch_up``.
    """

    by_verb: Mapping[str, Sequence[LogEntry]] = field(default_factory=dict[str, Sequence[LogEntry]])
    undone: AbstractSet[int] = frozenset()
    revoked: Mapping[str, Sequence[LogEntry]] = field(default_factory=dict[str, Sequence[LogEntry]])

    def entries_of(self, *verbs: Verb) -> tuple[LogEntry, ...]:
        """Return the entries in force of some verbs, oldest first."""
        entries = [entry for verb in verbs for entry in self.by_verb.get(verb, ())]
        return tuple(sorted(entries, key=lambda entry: entry.number))

    @property
    def withdrawn(self) -> dict[str, int]:
        """Ids that are no longer recalled since they were corrected or retracted, and since when (µs)."""
        times: dict[str, int] = {}
        for entry in self.entries_of("correct", "retract"):
            times.setdefault(entry.target, entry.at)
        return times

    @property
    def of_notes(self) -> SlotDecisions:
        """People's decisions about notes; of one note, or one slot, the last decision counts."""
        resolved: dict[int, Decision] = {}
        newest_known: dict[int, int] = {}
        for entry in self.entries_of("resolve"):
            note, last = number_of("note", entry.target), number_of("note", entry.link or "")
            if note is not None:
                resolved[note[1]] = "retire" if entry.after == "retire" else "keep"
                newest_known[note[1]] = note[1] if last is None else last[1]
        rules = {entry.target: entry.after for entry in self.entries_of("rule") if entry.after}
        return SlotDecisions(resolved, newest_known, rules, self._unrelated_pairs)

    @property
    def _unrelated_pairs(self) -> frozenset[tuple[int, int]]:
        """Pairs of notes, by number in both orders, of which people undid that one revises the other."""
        ids = ((number_of("note", e.target), number_of("note", e.link or "")) for e in self.revoked.get(REVISE, ()))
        pairs = [(first[1], second[1]) for first, second in ids if first is not None and second is not None]
        return frozenset((*pairs, *((second, first) for first, second in pairs)))

    @property
    def of_entities(self) -> EntityEdits:
        """People's edits of entities."""
        return edits_of(self.entries_of("merge", "split"))

    @property
    def corrections(self) -> dict[str, LogEntry]:
        """Corrections in force, by the id of the turn that corrects."""
        return {entry.link: entry for entry in self.entries_of("correct") if entry.link is not None}


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
    insort(target.setdefault(entry.verb, []), entry, key=lambda item: item.number)


class Decisions:
    """Log of one memory, folded as far as it was read. Use it inside ``corpus.reading()``.

    ``last`` is the number of the last entry; ``decided`` is that of the last entry that may change which turns or notes
    stand, or what a persona says.
    """

    def __init__(self, storage: Storage, news: NewsFeed) -> None:
        self._storage = storage
        self._news = news
        self.forget()

    def forget(self) -> None:
        """Drop what was read; it is read again when next needed."""
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
            self._corrections[entry.link] = entry.target

    def since(self, number: int) -> list[LogEntry]:
        """Return the entries after a number, oldest first."""
        return self._entries[bisect_right(self._entries, number, key=lambda entry: entry.number) :]

    @property
    def entries(self) -> Sequence[LogEntry]:
        """All entries as they were made, oldest first."""
        return self._entries

    def active_changes(self, moment: int | None = None) -> ActiveChanges:
        """Return the changes in force now, or those in force at a time (µs) by the entries made until then."""
        if moment is None:
            return self._folding.active
        if moment not in self._then:
            self._then[moment] = fold(entry for entry in self._entries if entry.at <= moment)
        return self._then[moment]

    def absent(self, moment: int | None = None) -> frozenset[int]:
        """Return the turns that count as absent, by sequence number: withdrawn, or corrections not in force."""
        if moment not in self._absent:
            active = self.active_changes(moment)
            ids = sorted({*active.withdrawn, *(self._corrections.keys() - active.corrections.keys())})
            self._absent[moment] = frozenset(self._storage.locate(ids).values()) if ids else frozenset()
        return self._absent[moment]

    @property
    def corrections(self) -> Mapping[str, str]:
        """Ids of everything that was ever corrected, by the id of the turn that corrects it."""
        return self._corrections

    def touched(self, since: int) -> list[str]:
        """Return the ids that were withdrawn, decided, or restored by entries after a number."""
        ids: set[str] = set()
        for logged in self.since(since):
            entry = self._undone_entry(logged)
            # A revision is logged after it took effect; only its undo is news.
            if entry.verb in (CORRECT, RETRACT) or (entry.verb == REVISE and entry is not logged):
                ids |= {entry.target, entry.link or entry.target}
            elif entry.verb == RESOLVE:
                ids.add(entry.target)
        return sorted(ids)

    def ruled(self, since: int) -> list[str]:
        """Return the slots, or "subject:slot", whose rule was changed by entries after a number."""
        return [entry.target for entry in map(self._undone_entry, self.since(since)) if entry.verb == RULE]

    def people_edited(self, since: int) -> list[str]:
        """Return the people whose persona was edited, or an edit of it undone, by entries after a number.

        A forgetting may have taken sentences from any edit.
        """
        forgot = any(entry.verb == FORGET for entry in self.since(since))
        return list(dict.fromkeys(self._edits(0 if forgot else since)))

    def _edits(self, since: int) -> list[str]:
        return [entry.target for entry in map(self._undone_entry, self.since(since)) if entry.verb == PERSONA]

    def entity_edits(self, since: int) -> list[tuple[LogEntry, bool]]:
        """Return the merges and splits of entities made, undone or restored after a number, and if each is in force."""
        edits = {
            entry.number: entry for entry in map(self._undone_entry, self.since(since)) if entry.verb in (MERGE, SPLIT)
        }
        undone_ids = self.active_changes().undone
        return [(edits[number], number not in undone_ids) for number in sorted(edits)]

    def edits(self, target: str) -> int:
        """Count the edits of a persona, and their undos; the person is named as the log does."""
        return self._edited[spelled(target)]

    def _undone_entry(self, entry: LogEntry) -> LogEntry:
        """Return the entry that an undo is about in the end, through any chain of undos; else the entry itself."""
        target = self.entry(change_number(entry.link or "")) if entry.verb == UNDO else None
        return entry if target is None else self._undone_entry(target)

    def entry(self, number: int) -> LogEntry | None:
        """Return an entry by its number, or None."""
        index = bisect_right(self._entries, number - 1, key=lambda entry: entry.number)
        match = self._entries[index] if index < len(self._entries) else None
        return match if match is not None and match.number == number else None

    def absent_notes(self, moment: int | None = None) -> frozenset[int]:
        """Return the notes that were themselves withdrawn, by number."""
        return self._withdrawn_numbers("note", moment)

    def absent_events(self, moment: int | None = None) -> frozenset[int]:
        """Return the events that were themselves withdrawn, by number."""
        return self._withdrawn_numbers("event", moment)

    def _withdrawn_numbers(self, kind: str, moment: int | None) -> frozenset[int]:
        if (kind, moment) not in self._absent_of:
            numbers = (number_of(kind, target) for target in self.active_changes(moment).withdrawn)
            self._absent_of[kind, moment] = frozenset(number[1] for number in numbers if number is not None)
        return self._absent_of[kind, moment]


def fold(entries: Iterable[LogEntry]) -> ActiveChanges:
    """Fold a log: an entry is in force unless a later one in force undid it."""
    undone_ids: set[int] = set()
    by_verb: dict[str, list[LogEntry]] = {}
    revoked: dict[str, list[LogEntry]] = {}
    for entry in sorted(entries, key=lambda entry: -entry.number):
        if entry.number in undone_ids:
            revoked.setdefault(entry.verb, []).append(entry)
            continue
        if entry.verb == UNDO and change_number(entry.link or "") < entry.number:
            undone_ids.add(change_number(entry.link or ""))
        by_verb.setdefault(entry.verb, []).append(entry)
    active, inactive = ({verb: tuple(entries[::-1]) for verb, entries in group.items()} for group in (by_verb, revoked))
    return ActiveChanges(active, frozenset(undone_ids), inactive)


def change_id(entry: LogEntry) -> str:
    """Return the id of a change, from its entry."""
    return numbered("change", entry.at // 1000, entry.number)


def change_number(id: str) -> int:
    """Return the entry number of a change, or -1 if the id is not one of a change."""
    numbers = number_of("change", id)
    return -1 if numbers is None else numbers[1]


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


RENAME: Final[Verb] = "rename"


def level_text(tree: str, level: int) -> str:
    """Return the text for a level of a tree in an entry of the log."""
    return f"{tree} {level}"


def given_names(
    entries: Iterable[LogEntry], name: str, tree: Tree, turn_of_id: Callable[[str], int | None]
) -> Mapping[int, str]:
    """Return the names that entries in force give to nodes of a tree, oldest first: of one node the last one counts.

    ``turn_of_id`` returns the sequence number of a turn, or None.
    """
    names: dict[int, str] = {}
    for entry in entries:
        # An entry whose name was forgotten says nothing.
        if entry.after is None:
            continue
        event = number_of("event", entry.target)
        leaf = event[1] if event is not None else turn_of_id(entry.target)
        if leaf is None or tree.node_of(leaf) is None:
            continue
        for node in tree.path(leaf):
            if entry.link == level_text(name, tree.level(node)):
                names[node] = entry.after
    return names


_VERDICT_BITS: Final = 5
_RELATIONS: Final[tuple[Relation, ...]] = ("same", "extends", "contradicts", "independent", "disputes", "outdates")
_REVISING: Final[tuple[Relation, ...]] = ("contradicts", "outdates")

Pair = tuple[int, int]


class Revisions(Part):
    """Verdicts by pair: the older note's number, then the newer one's.

    A chunk holds those of 32 turns, and is read when one of them is asked for.
    """

    def __init__(self, name: str = "revisions") -> None:
        super().__init__(name)
        self._verdicts: dict[Pair, Verdict] = {}
        self._of_turn: dict[int, dict[Pair, None]] = {}
        self._unread: dict[int, bytes] = {}
        # Notes that verdicts of an unread chunk contradict.
        self._contradicted: dict[int, frozenset[int]] = {}
        self._news: dict[Pair, None] = {}

    def __len__(self) -> int:
        self._read_all()
        return len(self._verdicts)

    @property
    def revised(self) -> int:
        """Number of notes that another one contradicts."""
        for number, content in self._unread.items():
            if number not in self._contradicted:
                rows: list[list[int]] = content_of(content)[1]
                self._contradicted[number] = frozenset(row[0] for row in rows if _RELATIONS[row[2]] in _REVISING)
        read = (older for (older, _), verdict in self._verdicts.items() if verdict.relation in _REVISING)
        return len(frozenset(read).union(*(self._contradicted[number] for number in self._unread)))

    def get(self, older: int, newer: int) -> Verdict | None:
        """Return the verdict on a pair; None if none is kept."""
        self._read(_chunk((older, newer)))
        return self._verdicts.get((older, newer))

    def older_notes(self, newer: int) -> tuple[int, ...]:
        """Return the older notes that have a verdict with a note."""
        self._read(_chunk((newer, newer)))
        return tuple(sorted(older for older, second in self._of_turn.get(newer >> EVENT_BITS, ()) if second == newer))

    def newer(self, seq: int) -> set[int]:
        """Return the turns whose notes have a verdict with notes of an earlier turn."""
        self._read_all()
        turns = {newer >> EVENT_BITS for _, newer in self._of_turn.get(seq, ())}
        return turns - {seq}

    def pairs(self) -> list[Pair]:
        """Return the pairs that have a verdict, sorted by number."""
        self._read_all()
        return sorted(self._verdicts)

    def replace(self, older: int, newer: int, verdict: Verdict) -> None:
        """Keep a verdict."""
        if self.get(older, newer) != verdict:
            self._keep((older, newer), verdict)
            self._news[older, newer] = None
        self.changed.add(_chunk((older, newer)))

    def take(self, seq: int) -> None:
        """Drop the verdicts on the notes of a turn."""
        self._read_all()
        for pair in list(self._of_turn.get(seq, ())):
            self._drop(pair)
            self._news[pair] = None
            self.changed.add(_chunk(pair))

    def take_news(self) -> list[Pair]:
        """Return the pairs whose verdict was kept, changed or dropped here since the last call."""
        news, self._news = list(self._news), {}
        return news

    def _read_all(self) -> None:
        for number in list(self._unread):
            self._read(number)

    def _read(self, number: int) -> None:
        self._contradicted.pop(number, None)
        if (content := self._unread.pop(number, None)) is not None:
            for pair, verdict in _verdicts(content_of(content)):
                self._keep(pair, verdict)

    def _keep(self, pair: Pair, verdict: Verdict) -> None:
        self._verdicts[pair] = verdict
        for number in pair:
            self._of_turn.setdefault(number >> EVENT_BITS, {})[pair] = None

    def _drop(self, pair: Pair) -> None:
        if self._verdicts.pop(pair, None) is not None:
            for number in pair:
                self._of_turn.get(number >> EVENT_BITS, {}).pop(pair, None)

    def fill(self, chunks: Iterable[tuple[int, bytes]]) -> None:
        self._unread = dict(chunks)

    def load(self, number: int, content: Any | None) -> None:
        self._unread.pop(number, None)
        self._contradicted.pop(number, None)
        for pair in self._in_chunk(number):
            self._drop(pair)
        for pair, verdict in _verdicts(content):
            self._keep(pair, verdict)

    def dump(self, number: int) -> Any | None:
        self._read(number)
        words: dict[str, int] = {}

        def index_of(word: str) -> int:
            return words.setdefault(word, len(words))

        rows = [
            [*pair, _RELATIONS.index(verdict.relation), index_of(verdict.reason), index_of(verdict.made_by)]
            for pair in self._in_chunk(number)
            for verdict in [self._verdicts[pair]]
        ]
        return [list(words), rows] if rows else None

    def _in_chunk(self, number: int) -> list[Pair]:
        turns = range(number << _VERDICT_BITS, (number + 1) << _VERDICT_BITS)
        return sorted({pair for seq in turns for pair in self._of_turn.get(seq, ()) if _chunk(pair) == number})


def _verdicts(content: Any | None) -> Iterator[tuple[Pair, Verdict]]:
    words: list[str]
    rows: list[list[int]]
    words, rows = content or ([], [])
    for older, newer, relation, reason, author in rows:
        yield (older, newer), Verdict(_RELATIONS[relation], words[reason], words[author])


def _chunk(pair: Pair) -> int:
    return max(pair) >> EVENT_BITS + _VERDICT_BITS


# Number of turns whose extraction, or lack of one, is cached; formation asks several times for each.
_REMEMBERED: Final = 4_096


class ModelOutputs:
    """Stored outputs of models, for ``CachedModelAnalyst``. Use it inside ``corpus.reading()``."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._queue = storage.model_queue
        self._of: dict[str, TurnExtraction | None] = {}
        self._number: str | None = None

    @property
    def active(self) -> bool:
        """True if a model ever read a turn."""
        return self._number is not None

    @property
    def number(self) -> int:
        """Number of the last extraction, as of the last ``catch_up``."""
        return int(self._number or 0)

    def catch_up(self, settings: Mapping[str, str]) -> None:
        """Drop cached extractions if there are newer ones, by this process or another."""
        number = settings.get(READINGS)
        if number != self._number:
            self._number = number
            self._of.clear()

    def extractions(self, ids: Sequence[str]) -> dict[str, TurnExtraction]:
        """Return the extractions of turns, by the ids of those that have one."""
        if len(self._of) + len(ids) > _REMEMBERED:
            self._of.clear()
        unknown = [turn_id for turn_id in dict.fromkeys(ids) if turn_id not in self._of]
        if unknown and self._queue is not None:
            seqs = self._storage.locate(unknown)
            rows = {row.seq: row for row in self._queue.readings(seqs=list(seqs.values()))}
            for turn_id in unknown:
                self._of[turn_id] = extraction_of(rows.get(seqs.get(turn_id, -1)))
        return {turn_id: extraction for turn_id in ids if (extraction := self._of.get(turn_id)) is not None}

    def answers(self, digests: Sequence[bytes]) -> dict[bytes, ModelOutput]:
        """Return the texts and verdicts for digests, by those that have one."""
        rows = [] if self._queue is None else self._queue.answers(list(dict.fromkeys(digests)))
        return {row.digest: ModelOutput(row.model, _decoded(row.content)) for row in rows if row.content is not None}


def encode_answer(digest: bytes, kind: AnswerKind, producer: str, value: Any | None) -> KeptAnswer:
    """Encode a text or verdict for storage; None as value if the model could not give one."""
    return KeptAnswer(digest, kind, producer, None if value is None else encode(value))


def kept_extraction(seq: int, reading: TurnExtraction, first: int, last: int) -> KeptReading:
    """Encode a turn's extraction for storage. The call was shown turns from ``first`` to ``last``."""
    return KeptReading(seq, first, last, reading.made_by, encode(_dump(sound(reading))))


def extraction_of(row: KeptReading | None) -> TurnExtraction | None:
    """Decode an extraction; return None if it is missing, was taken back, or has the form of version 0.1, a list."""
    content = None if row is None or row.content is None else _decoded(row.content)
    return None if row is None or content is None or isinstance(content, list) else _load(row.model, content)


def texts_of_models(storage: Storage) -> Iterable[tuple[str, Any]]:
    """Yield all outputs of models, each with a name for where it is kept."""
    queue = storage.model_queue
    if queue is None:
        return
    for reading in queue.readings():
        if reading.content is not None:
            yield "readings", _decoded(reading.content)
    for answer in queue.answers():
        if answer.content is not None:
            yield f"{answer.kind} by a model", _decoded(answer.content)


def sound(reading: TurnExtraction) -> TurnExtraction:
    """Truncate an extraction to what formation can hold, and assign each stray claim to the first statement."""
    statements, labels = reading.statements[:MOST], reading.labels[:MOST]
    return TurnExtraction(
        reading.made_by,
        reading.curation,
        statements,
        tuple(
            claim if 0 <= claim.statement < max(len(statements), 1) else _of_first(claim)
            for claim in reading.claims[:MOST]
        ),
        reading.extraction,
        labels if len(labels) == len(statements) else (),
        None if reading.importance is None else min(max(reading.importance, 1), 10),
        reading.cues,
    )


def _of_first(claim: Claim) -> Claim:
    return replace(claim, statement=0)


def _decoded(content: bytes) -> Any:
    try:
        return decode(content)
    except ValueError as error:
        raise _damaged(error) from error


def _damaged(error: Exception) -> MemoryDamaged:
    return MemoryDamaged(f"what a model said cannot be read ({error}) - run `hmem model reanalyse`")


def _dump(extraction: TurnExtraction) -> dict[str, Any]:
    """Return the fields as values of JSON; ``made_by`` is kept beside them."""
    fields: dict[str, Any] = msgspec.to_builtins(extraction)
    del fields["made_by"]
    return fields


def _load(producer: str, content: Any) -> TurnExtraction:
    try:
        return msgspec.convert({**content, "made_by": producer}, TurnExtraction)
    except msgspec.ValidationError as error:
        raise _damaged(error) from error
