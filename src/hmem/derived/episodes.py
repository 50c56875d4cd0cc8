"""Judgements of turns (memorable, importance, cut) and the episodes: runs of turns between cuts.

An episode begins where segmentation made a cut. Episodes are derived from the turns in their order. The turns of each
owner in a session are a conversation of their own.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, islice, pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.corpus import Corpus
from hmem.derived.chunks import Part, content_of
from hmem.model.event import Cut
from hmem.model.scope import COMMON

_BITS: Final = 8
# Number of fields of a chunk without the owners of its turns.
_FIELDS_WITHOUT_OWNERS: Final = 8

# Turns that are looked up one by one.
_FEW: Final = 1_000

# A letter for each reason why an episode begins; a blank if none begins.
_LETTERS: Final[dict[Cut | None, str]] = {
    None: " ", "topic": "t", "surprise": "u", "session": "e", "length": "l",
}  # fmt: skip
_CUTS: Final[dict[str, Cut | None]] = {letter: cut for cut, letter in _LETTERS.items()}
_NO_CUT: Final = ord(_LETTERS[None])


@dataclass(frozen=True, slots=True)
class TurnJudgement:
    """Judgement of a turn: its session's number, its importance (1 to 10), and the cut before it, if any.

    ``owner`` is the owner of the turn and of all that was formed from it. ``language`` is that of the turn, "" if
    unknown; ``unread`` are the reasons why parts of it were not read.
    """

    session: int
    memorable: bool
    importance: int
    cut: Cut | None = None
    made_by: str = "verbatim"
    owner: str = COMMON
    language: str = ""
    unread: tuple[str, ...] = ()


class TurnJudgements(Part):
    """Judgements of all turns, by sequence number. A chunk holds those of 256 numbers, and is read when needed.

    ``altered`` has turns whose judgement changed or was dropped. Whoever caches something of them reads and clears it.
    ``owned`` has the turns of each owner, except those of the common scope. ``version`` changes when judgements are
    dropped, or kept of turns older than others: not while new turns are formed.
    """

    def __init__(self, name: str = "judgements") -> None:
        super().__init__(name)
        self._of: dict[int, TurnJudgement] = {}
        # Contents of chunks that were not read yet, and the number of judgements in them.
        self._unread: dict[int, Any] = {}
        self._waiting = 0
        self._columns: dict[int, _Columns] = {}
        # Counts of each chunk that has not changed since they were asked for.
        self._counts: dict[int, _Counts] = {}
        self.altered: set[int] = set()
        self.owned: dict[str, set[int]] = {}
        self.version = 0
        self._newest = -1

    def __len__(self) -> int:
        return len(self._of) + self._waiting

    def __contains__(self, seq: int) -> bool:
        return self.get(seq) is not None

    def get(self, seq: int) -> TurnJudgement | None:
        """Return the judgement of a turn; None for one that was not formed."""
        judgement = self._of.get(seq)
        if judgement is None and (number := seq >> _BITS) in self._unread:
            if (columns := self._columns.get(number)) is None:
                columns = self._columns[number] = _Columns(number, self._unread[number])
            judgement = columns.get(seq)
        return judgement

    def importance(self, seq: int) -> int:
        """Return the importance of a turn; 0 for one that was not formed. Of many turns it is faster than ``get``."""
        if (columns := self._columns.get(seq >> _BITS)) is not None:
            return columns.importance(seq)
        judgement = self.get(seq)
        return 0 if judgement is None else judgement.importance

    def importances(self, seqs: Sequence[int]) -> NDArray[np.int8]:
        """Return the importance of turns; 0 of one that was not formed."""
        if len(seqs) <= _FEW:
            return np.array([self.importance(seq) for seq in seqs], np.int8)
        known, levels = [np.array([*self._of], np.int64)], [[judged.importance for judged in self._of.values()]]
        for number, content in self._unread.items():
            known.append(np.cumsum(content[1]) + (number << _BITS))
            levels.append(content[3])
        importances = dict(zip(np.concatenate(known).tolist(), chain.from_iterable(levels), strict=True))
        return np.abs([importances.get(seq, 0) for seq in seqs]).astype(np.int8)

    def cuts(self) -> dict[int, Cut]:
        """Return why an episode begins with a turn, of all turns with which one does."""
        cuts: dict[int, Cut] = {}
        for seq, judgement in self._of.items():
            if judgement.cut is not None:
                cuts[seq] = judgement.cut
        for number, content in self._unread.items():
            seqs, letters = np.cumsum(content[1]) + (number << _BITS), np.frombuffer(content[4].encode(), np.uint8)
            for place in np.flatnonzero(letters != _NO_CUT).tolist():
                if (cut := _CUTS[content[4][place]]) is not None:
                    cuts[int(seqs[place])] = cut
        return cuts

    def owners(self) -> dict[int, str]:
        """Return the owners of turns, without those of the common scope."""
        return {seq: owner for owner, seqs in self.owned.items() for seq in seqs}

    def _judgements(self) -> list[TurnJudgement]:
        """Return all judgements, by the number of their turns."""
        for number in list(self._unread):
            self._read(number)
        return [self._of[seq] for seq in sorted(self._of)]

    def _read(self, number: int) -> None:
        content = self._unread.pop(number, None)
        self._columns.pop(number, None)
        if content is not None:
            self._waiting -= len(content[1])
            for seq, judgement in _Columns(number, content).items():
                self._take_in(seq, judgement)

    def languages(self) -> dict[str, int]:
        """Count the turns of each known language, most frequent first."""
        return _sum(counts.languages for counts in self._counted())

    def unread(self) -> dict[str, int]:
        """Count the turns of which something was not read, by each reason, most frequent first."""
        return _sum(counts.unread for counts in self._counted())

    def unread_for(self, reason: str) -> list[int]:
        """Return the turns of which something was not read for a reason, ascending."""
        if reason not in self.unread():
            return []
        self._judgements()
        return sorted(seq for seq, judgement in self._of.items() if reason in judgement.unread)

    def newest(self) -> int:
        """Return the greatest number that any turn judged here had; -1 for none."""
        return self._newest

    def makers(self) -> dict[str, int]:
        """Count the turns by what formed them, most frequent first."""
        return _sum(counts.makers for counts in self._counted())

    def _counted(self) -> list["_Counts"]:
        """Return the counts of each chunk; those of chunks that were not read are made of their columns."""
        for number, content in self._unread.items():
            if number not in self._counts:
                self._counts[number] = _Counts.of_columns(content)
        numbers = dict.fromkeys(seq >> _BITS for seq in self._of)
        for number in numbers.keys() - self._counts.keys():
            seqs = range(number << _BITS, (number + 1) << _BITS)
            self._counts[number] = _Counts.of_judgements([self._of[seq] for seq in seqs if seq in self._of])
        return [self._counts[number] for number in sorted({*self._unread, *numbers})]

    def seqs(self) -> list[int]:
        """Return all turns that were formed, ascending."""
        waiting = ((number << _BITS, content[1]) for number, content in self._unread.items())
        lazy_seqs = (seq for first, steps in waiting for seq in _sums(first, steps))
        return sorted((*self._of, *lazy_seqs))

    def owner(self, seq: int) -> str:
        """Return the owner of a turn; the common scope for one that was not formed."""
        judgement = self.get(seq)
        return COMMON if judgement is None else judgement.owner

    def only(self, owner: str) -> bool:
        """Tell if all formed turns belong to an owner."""
        other_owners = [name for name in self.owned if name != owner]
        return not other_owners and (owner == COMMON or len(self.owned.get(owner, ())) == len(self))

    def replace(self, seq: int, judgement: TurnJudgement) -> None:
        """Keep a judgement."""
        self._drop(seq)
        self._keep(seq, judgement)
        self.changed.add(seq >> _BITS)

    def take(self, seq: int) -> None:
        """Drop a judgement."""
        if self._drop(seq) is not None:
            self.altered.add(seq)
        self.changed.add(seq >> _BITS)

    def _keep(self, seq: int, judgement: TurnJudgement) -> None:
        self.version += seq < self._newest
        self._newest = max(seq, self._newest)
        self._take_in(seq, judgement)

    def _take_in(self, seq: int, judgement: TurnJudgement) -> None:
        self._of[seq] = judgement
        self._counts.pop(seq >> _BITS, None)
        if judgement.owner != COMMON:
            self.owned.setdefault(judgement.owner, set()).add(seq)

    def _drop(self, seq: int) -> TurnJudgement | None:
        self._read(seq >> _BITS)
        judgement = self._of.pop(seq, None)
        self._counts.pop(seq >> _BITS, None)
        self.version += judgement is not None
        if judgement is not None and judgement.owner != COMMON:
            self.owned[judgement.owner].discard(seq)
            if not self.owned[judgement.owner]:
                del self.owned[judgement.owner]
        return judgement

    def load(self, number: int, content: Any | None) -> None:
        numbers = range(number << _BITS, (number + 1) << _BITS)
        before = {seq: judgement for seq in numbers if (judgement := self._drop(seq)) is not None}
        for seq, judgement in _Columns(number, content).items() if content is not None else ():
            self._keep(seq, judgement)
        self.altered.update(seq for seq, judgement in before.items() if self._of.get(seq) != judgement)

    def fill(self, chunks: Iterable[tuple[int, bytes]]) -> None:
        for number, encoded in chunks:
            content = content_of(encoded)
            self._unread[number] = content
            self._waiting += len(content[1])
            self._newest = (number << _BITS) + sum(content[1])
            if len(content) > _FIELDS_WITHOUT_OWNERS:
                # Whose turns they are is asked at once.
                self._read(number)

    def dump(self, number: int) -> Any | None:
        self._read(number)
        first = number << _BITS
        seqs = [seq for seq in range(first, first + (1 << _BITS)) if seq in self._of]
        if not seqs:
            return None
        judgements = [self._of[seq] for seq in seqs]
        makers = {maker: i for i, maker in enumerate(dict.fromkeys(judgement.made_by for judgement in judgements))}
        coverages = [(judgement.language, judgement.unread) for judgement in judgements]
        distinct = {coverage: i for i, coverage in enumerate(dict.fromkeys(coverages))}
        owners = {owner: i for i, owner in enumerate(dict.fromkeys(judgement.owner for judgement in judgements))}
        owner_column = [owners[judgement.owner] for judgement in judgements] if len(owners) > 1 else None
        return [
            list(makers),
            _steps([first, *seqs]),
            _steps([0, *(judgement.session for judgement in judgements)]),
            [judgement.importance if judgement.memorable else -judgement.importance for judgement in judgements],
            "".join(_LETTERS[judgement.cut] for judgement in judgements),
            [makers[judgement.made_by] for judgement in judgements] if len(makers) > 1 else None,
            list(distinct),
            [distinct[coverage] for coverage in coverages] if len(distinct) > 1 else None,
            *([list(owners), owner_column] if [*owners] != [COMMON] else []),
        ]


class _Counts(NamedTuple):
    """Numbers of turns by what formed them, by their known language, and by reasons why parts were not read."""

    makers: Counter[str]
    languages: Counter[str]
    unread: Counter[str]

    @classmethod
    def of_judgements(cls, judgements: Sequence[TurnJudgement]) -> "_Counts":
        """Count some judgements."""
        return cls(
            Counter(judgement.made_by for judgement in judgements),
            Counter(judgement.language for judgement in judgements if judgement.language),
            Counter(reason for judgement in judgements for reason in judgement.unread),
        )

    @classmethod
    def of_columns(cls, content: Any) -> "_Counts":
        """Count the judgements of a chunk as it is stored."""
        return _Columns(0, content).counts()


def _sum(counters: Iterable[Counter[str]]) -> dict[str, int]:
    """Return the sums of counts, the greatest first."""
    total = Counter[str]()
    for counter in counters:
        total.update(counter)
    return dict(total.most_common())


class _Columns:
    """Judgements of a chunk by its columns, each made when it is asked for."""

    def __init__(self, number: int, content: Any) -> None:
        self._made: list[str]
        steps: list[int]
        sessions: list[int]
        self._made, steps, sessions, self._importances, self._cuts, makers, *later = content
        # Chunks of the first edition tell no languages; those of one user tell no owners.
        coverages: list[tuple[str, Sequence[str]]] = later[0] if later else [("", ())]
        self._told = [(language, tuple(gaps)) for language, gaps in coverages]
        zeros = [0] * len(steps)
        self._by: Sequence[int] = makers or zeros
        self._coverages: Sequence[int] = (later[1] if len(later) > 1 else None) or zeros
        self._owners: list[str] = later[2] if len(later) > 2 else [COMMON]
        self._owned: Sequence[int] = (later[3] if len(later) > 3 else None) or zeros
        self._places = {seq: row for row, seq in enumerate(_sums(number << _BITS, steps))}
        self._sessions = list(_sums(0, sessions))

    def get(self, seq: int) -> TurnJudgement | None:
        """Return the judgement of a turn; None if the chunk has none."""
        row = self._places.get(seq)
        return None if row is None else self._judgement(row)

    def importance(self, seq: int) -> int:
        """Return the importance of a turn; 0 if the chunk has none."""
        row = self._places.get(seq)
        return 0 if row is None else abs(self._importances[row])

    def _judgement(self, row: int) -> TurnJudgement:
        importance: int = self._importances[row]
        return TurnJudgement(
            self._sessions[row], importance > 0, abs(importance), _CUTS[self._cuts[row]],
            self._made[self._by[row]], self._owners[int(self._owned[row])], *self._told[self._coverages[row]],
        )  # fmt: skip

    def counts(self) -> _Counts:
        """Count the turns by what formed them, and by what is known of their language, without making judgements."""
        makers, languages, unread = Counter[str](), Counter[str](), Counter[str]()
        for maker, count in Counter(self._by).items():
            makers[self._made[maker]] += count
        for coverage, count in Counter(self._coverages).items():
            language, reasons = self._told[coverage]
            languages.update({language: count} if language else {})
            unread.update(dict.fromkeys(reasons, count))
        return _Counts(makers, languages, unread)

    def items(self) -> Iterator[tuple[int, TurnJudgement]]:
        """Yield all turns of the chunk, ascending, with their judgements."""
        for seq, row in self._places.items():
            yield seq, self._judgement(row)


def _sums(first: int, steps: Sequence[int]) -> Iterator[int]:
    """Yield the running sums of numbers, from a first value on."""
    return islice(accumulate(steps, initial=first), 1, None)


def _steps(numbers: Sequence[int]) -> list[int]:
    return [after - before for before, after in pairwise(numbers)]


class EpisodeRun(NamedTuple):
    """Episode: the session's number, its turns by sequence number, why it begins there, and its owner."""

    session: int
    turns: tuple[int, ...]
    cut: Cut
    owner: str = COMMON


class Episodes:
    """Episodes of a memory at one moment, by the time of their first turns.

    They are those of all sessions, or of the sessions of the turns ``among``.
    """

    def __init__(
        self, corpus: Corpus, judgements: TurnJudgements, seqs_in_question: Sequence[int] | None = None
    ) -> None:
        columns = corpus.columns
        rows = np.flatnonzero(columns.alive)
        if seqs_in_question is not None:
            members = columns.rows_of(seqs_in_question)
            rows = rows[np.isin(columns.session[rows], columns.session[members[members >= 0]])]
        names = [COMMON, *sorted(judgements.owned)]
        owners = _owners_at(columns.seq[rows], judgements, names)
        order = np.lexsort((columns.seq[rows], owners, columns.session[rows]))
        rows, owners = rows[order], owners[order]
        cuts, seqs, sessions = judgements.cuts(), columns.seq[rows], columns.session[rows]
        begins = np.isin(seqs, np.fromiter(cuts, np.int64, len(cuts)))
        # The first turn of an owner in a session begins an episode in any case.
        opens = np.ones(len(rows), np.bool_)
        opens[1:] = (sessions[1:] != sessions[:-1]) | (owners[1:] != owners[:-1])
        firsts = np.flatnonzero(begins | opens)
        lengths, flat_seqs = np.diff(firsts, append=len(rows)), seqs.tolist()
        by_time = np.lexsort((seqs[firsts], columns.said[rows][firsts]))
        bounds: list[list[int]] = np.stack([firsts, lengths], axis=1)[by_time].tolist()
        self.runs = [
            EpisodeRun(
                int(sessions[first]),
                tuple(flat_seqs[first : first + length]),
                "session" if opens[first] else cuts[flat_seqs[first]],
                names[int(owners[first])],
            )
            for first, length in bounds
        ]
        self._first_seqs: dict[int, int] = dict(zip(flat_seqs, np.repeat(seqs[firsts], lengths).tolist(), strict=True))

    def first_of(self, seq: int) -> int | None:
        """Return the first turn of a turn's episode; None for an unknown turn."""
        return self._first_seqs.get(seq)


def _owners_at(seqs: NDArray[np.int64], judgements: TurnJudgements, names: Sequence[str]) -> NDArray[np.int64]:
    """Return the place of each turn's owner among the names of owners."""
    if not judgements.owned:
        return np.zeros(len(seqs), np.int64)
    owners, places = judgements.owners(), {name: place for place, name in enumerate(names)}
    return np.array([places[owners.get(seq, COMMON)] for seq in seqs.tolist()], np.int64)
