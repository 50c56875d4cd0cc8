"""Learning from recalls: what a recall found in episodes for want of a note becomes notes (HiMem, reconsolidation).

A recall only remembers which turns it was, in the process's memory; they are written to the log when the memory is next
written to, consolidated or closed. Consolidation then reads those turns again, with all of their episode before them as
context and whether or not they seemed memorable, and the notes are reconciled as any others.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from hmem.corpus.corpus import Corpus
from hmem.derived.chunks import MOST
from hmem.derived.episodes import Episodes
from hmem.derived.notes import KeptNote, note_of
from hmem.derived.state import DerivedState
from hmem.errors import StorageError
from hmem.language.analyst import SLIPS, Analyst, Claim, Passage
from hmem.model.ids import number_of
from hmem.model.span import now, to_stored
from hmem.storage.base import LogEntry

LEARN: Final = "learn"
BY: Final = "recall"

# So many turns are remembered until they are written down; the oldest go first.
_REMEMBERED: Final = 256
# Characters of what was asked about.
_TOPIC: Final = 200


class MissingNotes:
    """What recalls lacked notes of, until it is written to the log."""

    def __init__(self) -> None:
        self._topics: dict[int, str] = {}

    def notice(self, topic: str, seqs: Sequence[int]) -> None:
        """Remember that these turns told of a topic what no note did."""
        for seq in seqs:
            self._topics.setdefault(seq, topic[:_TOPIC])
        while len(self._topics) > _REMEMBERED:
            del self._topics[next(iter(self._topics))]

    def write(self, corpus: Corpus) -> None:
        """Write what is remembered to the log, each turn once; what cannot be written now is written another time."""
        if not self._topics:
            return
        moment = to_stored(now())[0]
        try:
            kept = {seq: turn.id for seq, turn in corpus.kept.of(sorted(self._topics)).items()}
            corpus.storage.record(
                [
                    LogEntry(moment, BY, LEARN, kept[seq], why=topic, key=f"{LEARN} {kept[seq]}")
                    for seq, topic in self._topics.items()
                    if seq in kept
                ]
            )
        except StorageError:
            return
        self._topics.clear()


def _never() -> bool:
    return False


def learn(
    corpus: Corpus,
    derived: DerivedState,
    analyst: Analyst,
    keep: Callable[[int, Sequence[KeptNote]], None],
    late: Callable[[], bool] = _never,
) -> int:
    """Make notes of the turns that the log asks to be learnt and that were not read again yet; how many notes.

    It stops when it is ``late``, and goes on there the next time.

    Raises:
        MemoryBusy, StorageFull, StorageError: what was learnt before stays.
    """
    with corpus.reading():
        seqs = unlearnt(corpus, derived)
        if not seqs or late():
            return 0
        episodes, made = Episodes(corpus, derived.judgements), 0
        for seq in seqs:
            made += _learn(corpus, derived, analyst, keep, episodes, seq)
            if late():
                break
        stored = derived.store(derived.at.watermark)
    # Another process has changed what is formed: the next consolidation does it.
    return made if stored else 0


def unlearnt(corpus: Corpus, derived: DerivedState) -> list[int]:
    """The turns that are still to be learnt, by sequence number. Call it inside ``corpus.reading()``."""
    derived.catch_up()
    entries = derived.decisions.standing().of(LEARN)
    # What corrects a note says just that.
    corrections = derived.decisions.corrections
    ids = dict.fromkeys(e.target for e in entries if number_of("note", corrections.get(e.target, "")) is None)
    located = corpus.storage.locate(list(ids)).values() if ids else ()
    return [seq for seq in sorted(located) if seq in derived.judgements and seq not in derived.learnt]


def _learn(
    corpus: Corpus,
    derived: DerivedState,
    analyst: Analyst,
    keep: Callable[[int, Sequence[KeptNote]], None],
    episodes: Episodes,
    seq: int,
) -> int:
    """Read one turn again, and keep the notes that it did not leave before."""
    derived.learnt.put(seq)
    before = derived.notes.of(seq)
    known = {(note.subject, note.slot, note.value.lower()) for note in before}
    claims = _claims(corpus, analyst, episodes, seq)
    fresh = [claim for claim in claims if (claim.subject, claim.slot, claim.value.lower()) not in known]
    places = range(len(before), min(len(before) + len(fresh), MOST))
    notes = [note_of(seq, place, claim, analyst.made_by) for place, claim in zip(places, fresh, strict=False)]
    if notes:
        keep(seq, [*before, *notes])
    return len(notes)


def _claims(corpus: Corpus, analyst: Analyst, episodes: Episodes, seq: int) -> Sequence[Claim]:
    """What a turn claims, read with its episode up to it; nothing where the analyst slips."""
    first = episodes.first_of(seq)
    run: Any = next((run for run in episodes.runs if run.turns[0] == first), None)
    wanted = [each for each in run.turns if each <= seq] if run is not None else [seq]
    turns = tuple(stored.turn for stored in corpus.storage.turns(wanted))
    if not turns:
        return []
    passage = Passage(turns, len(turns) - 1, tuple(dict.fromkeys(turn.speaker for turn in turns)))
    try:
        return analyst.claims([passage], analyst.events([passage]))[0][0]
    except SLIPS:
        return []
