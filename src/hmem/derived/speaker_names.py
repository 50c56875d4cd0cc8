"""Names of the speakers of each scope: all spellings of a name are one person, who is called as spelled first.

If the turns that spelled it first are forgotten, the next spelling is used from then on; what was formed with the other
one keeps it until it is formed anew.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from hmem.corpus.corpus import Corpus
from hmem.derived.episodes import TurnJudgements
from hmem.model.scope import COMMON, ScopedName, owner_of, scoped, spelled, tidy
from hmem.model.turn import Turn
from hmem.storage.base import Speaker


class ScopedPerson(NamedTuple):
    """Speaker in the scope of an owner, by the number of the spelling that names them."""

    owner: str
    number: int


class _FirstNaming(NamedTuple):
    """First turn of a person, by sequence number, with the name as spelled there and the number of that spelling."""

    seq: int
    name: str
    number: int


@dataclass(frozen=True, slots=True)
class _Table:
    """First namings in a scope, and what they were made from."""

    version: int
    count: int
    speakers: Sequence[Speaker]
    firsts: dict[str, _FirstNaming]


class SpeakerNames:
    """Names of everyone whose formed turns a memory holds, by scope. Use it inside ``corpus.reading()``."""

    def __init__(self, corpus: Corpus, judgements: TurnJudgements) -> None:
        self._corpus = corpus
        self._judgements = judgements
        self._tables: dict[str, _Table] = {}

    def people(self, owner: str | None = None) -> list[ScopedPerson]:
        """Return everyone who speaks in a scope, or in any, by the order of their first turns."""
        owners = [owner] if owner is not None else [COMMON, *sorted(self._judgements.owned)]
        tables = {scope: self._table(scope, self._count(scope)) for scope in owners}
        firsts = [
            (first.seq, ScopedPerson(key, first.number)) for key, table in tables.items() for first in table.values()
        ]
        return [person for _, person in sorted(firsts)]

    def find(self, name: ScopedName) -> ScopedPerson | None:
        """Return the person of a name; None if nobody of this name speaks in the scope."""
        first = self._first(name)
        return None if first is None else ScopedPerson(name.owner, first.number)

    def people_named(self, name: str) -> list[ScopedPerson]:
        """Return the people of a name, in any scope, by owner."""
        people = (self.find(scoped(owner, name)) for owner in (COMMON, *sorted(self._judgements.owned)))
        return [person for person in people if person is not None]

    def name(self, person: ScopedPerson) -> str:
        """Return what a person is called."""
        return tidy(next(speaker.name for speaker in self._corpus.speakers if speaker.number == person.number))

    def first_spelling(self, owner: str, name: str) -> str:
        """Return a name as it was spelled first in a scope; unchanged if nobody of this name speaks there."""
        first = self._first(scoped(owner, name))
        return tidy(name) if first is None else first.name

    def scoped(self, person: ScopedPerson) -> ScopedName:
        """Return a person's name in the scope."""
        return scoped(person.owner, self.name(person))

    def target(self, person: ScopedPerson) -> str:
        """Return what the log calls a person: the name, after the owner and a slash where there is one."""
        owner = person.owner.replace("%", "%25").replace("/", "%2F")
        return self.name(person) if person.owner == COMMON else f"{owner}/{self.name(person)}"

    def targeted(self, target: str) -> ScopedPerson | None:
        """Return the person whom the log calls so; None for one who speaks no more."""
        return next((person for person in self.people() if spelled(self.target(person)) == spelled(target)), None)

    def unified(self, turns: Iterable[tuple[int, Turn]]) -> list[Turn]:
        """Return turns, given with their sequence numbers and in their order, with each name as spelled first."""
        firsts: dict[ScopedName, _FirstNaming] = {}
        unified_turns: list[Turn] = []
        for seq, turn in turns:
            name = scoped(owner_of(turn), turn.speaker)
            first = firsts.get(name) or self._first(name)
            # The turns that are formed now may be older than those that were formed before.
            if first is None or seq < first.seq:
                first = _FirstNaming(seq, tidy(turn.speaker), 0)
            firsts[name] = first
            unified_turns.append(turn if first.name == turn.speaker else replace(turn, speaker=first.name))
        return unified_turns

    def _first(self, name: ScopedName) -> _FirstNaming | None:
        return self._table(name.owner).get(name.name) or self._table(name.owner, self._count(name.owner)).get(name.name)

    def _count(self, owner: str) -> int:
        """Count the formed turns on which the table of a scope depends."""
        return len(self._judgements.owned.get(owner, ()) if owner else self._judgements)

    def _table(self, owner: str, count: int | None = None) -> dict[str, _FirstNaming]:
        """Return the first naming of each person of a scope; of all that ``count`` turns name, if it is given."""
        version, speakers = self._judgements.version, self._corpus.speakers
        table = self._tables.get(owner)
        if table is None or (table.version, table.speakers) != (version, speakers) or count not in (None, table.count):
            table = _Table(version, self._count(owner), speakers, self._first_namings(owner))
            self._tables[owner] = table
        return table.firsts

    def _first_namings(self, owner: str) -> dict[str, _FirstNaming]:
        owner_seqs, speakers = self._judgements.owned, self._corpus.speakers
        if not owner_seqs and len({spelled(speaker.name) for speaker in speakers}) == len(speakers):
            # Nothing to tell apart, and nothing to unite.
            namings = ((-1, speaker.number, speaker.name) for speaker in speakers) if owner == COMMON else ()
            return {spelled(name): _FirstNaming(seq, tidy(name), number) for seq, number, name in namings}
        if owner == COMMON:
            owned_seqs = {seq for seqs in owner_seqs.values() for seq in seqs}
            seqs = [seq for seq in self._judgements.seqs() if seq not in owned_seqs]
        else:
            seqs = sorted(owner_seqs.get(owner, ()))
        columns = self._corpus.columns
        rows = columns.rows_of(np.array(seqs, np.int64))
        rows = rows[rows >= 0]
        numbers, first_rows = np.unique(columns.speaker[rows], return_index=True)
        names, firsts = {speaker.number: speaker.name for speaker in speakers}, dict[str, _FirstNaming]()
        for seq, number in sorted(zip(columns.seq[rows[first_rows]].tolist(), numbers.tolist(), strict=True)):
            firsts.setdefault(spelled(names[number]), _FirstNaming(seq, tidy(names[number]), number))
        return firsts
