"""Learning from recalls: what a recall found in episodes for want of a note becomes notes (HiMem, reconsolidation).

A recall only remembers the turns, in the process's memory. They are logged when the memory is next written to,
consolidated or closed. Consolidation then reads these turns again, memorable or not, with the earlier turns of their
episode as context, and reconciles the notes as any others.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from hmem.corpus.corpus import Corpus
from hmem.derived.chunks import MOST
from hmem.derived.episodes import Episodes
from hmem.derived.notes import KeptNote, note_of
from hmem.derived.state import DerivedState
from hmem.errors import StorageError
from hmem.language.analyst import Analyst, Claim, Passage
from hmem.language.containment import Fault, contained
from hmem.model.ids import number_of
from hmem.model.note import THREAD
from hmem.model.span import now, to_stored
from hmem.model.turn import DOCUMENT
from hmem.storage.base import LogEntry

LEARN: Final = "learn"
AUTHOR: Final = "recall"

# Number of turns that are remembered until they are logged; the oldest go first.
_REMEMBERED: Final = 256
# Characters of a topic that are kept.
_TOPIC: Final = 200


class MissingNotes:
    """Turns that recalls used for want of notes, until they are written to the log."""

    def __init__(self) -> None:
        self._topics: dict[int, str] = {}

    def notice(self, topic: str, seqs: Sequence[int]) -> None:
        """Remember that these turns, and no note, answered a topic."""
        for seq in seqs:
            self._topics.setdefault(seq, topic[:_TOPIC])
        while len(self._topics) > _REMEMBERED:
            del self._topics[next(iter(self._topics))]

    def clear(self) -> None:
        """Drop the turns and the topics that are not written yet."""
        self._topics.clear()

    def write(self, corpus: Corpus) -> None:
        """Write the remembered turns to the log, each once; after a storage error they stay for another time."""
        if not self._topics:
            return
        moment = to_stored(now())[0]
        try:
            with corpus.locked():
                turns = corpus.turn_cache.get(sorted(self._topics))
                # Nobody said what stands in a document.
                turn_ids = {seq: turn.id for seq, turn in turns.items() if turn.role != DOCUMENT}
                corpus.storage.record(
                    [
                        LogEntry(moment, AUTHOR, LEARN, turn_ids[seq], why=topic, key=f"{LEARN} {turn_ids[seq]}")
                        for seq, topic in self._topics.items()
                        if seq in turn_ids
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
    """Make notes of the turns that the log marks for learning and that were not read again yet.

    Return the number of notes. It stops when ``late`` returns True; the next call continues.

    Raises:
        MemoryBusy, StorageFull, StorageError: what was learnt before stays.
    """
    with corpus.reading():
        seqs = unlearnt(corpus, derived)
        if not seqs or late():
            return 0
        episodes, note_count = Episodes(corpus, derived.judgements), 0
        for seq in seqs:
            note_count += _learn(corpus, derived, analyst, keep, episodes, seq)
            if late():
                break
        is_stored = derived.store(derived.at.watermark)
    # If another process changed the derived state first, the next consolidation repeats this.
    return note_count if is_stored else 0


def unlearnt(corpus: Corpus, derived: DerivedState) -> list[int]:
    """Return the turns still to be learnt, by sequence number. Call it inside ``corpus.reading()``."""
    derived.catch_up()
    entries = derived.decisions.active_changes().entries_of(LEARN)
    # A correction of a note has its one claim already.
    corrections = derived.decisions.corrections
    ids = dict.fromkeys(e.target for e in entries if number_of("note", corrections.get(e.target, "")) is None)
    seqs = corpus.storage.locate(list(ids)).values() if ids else ()
    return [seq for seq in sorted(seqs) if seq in derived.judgements and seq not in derived.learnt]


def _learn(
    corpus: Corpus,
    derived: DerivedState,
    analyst: Analyst,
    keep: Callable[[int, Sequence[KeptNote]], None],
    episodes: Episodes,
    seq: int,
) -> int:
    """Read one turn again and keep its new notes; return their number, with that of sentences that are notes now."""
    derived.learnt.add(seq)
    before = derived.notes.of_turn(seq)
    # A sentence that waited for others on its matter is a note by itself now.
    former = [replace(note, kind="profile") if note.slot == THREAD and note.kind == "fact" else note for note in before]
    prior = {(note.subject, note.slot, (note.value or note.text).lower()) for note in before}
    claims = _claims(corpus, derived, analyst, episodes, seq)
    fresh = [claim for claim in claims if (claim.subject, claim.slot, (claim.value or claim.text).lower()) not in prior]
    ordinals = range(len(before), min(len(before) + len(fresh), MOST))
    notes = [
        note_of(seq, ordinal, claim, analyst.made_by, derived.judgements.owner(seq))
        for ordinal, claim in zip(ordinals, fresh, strict=False)
    ]
    if notes or former != [*before]:
        keep(seq, [*former, *notes])
    return len(notes) + sum(new != old for new, old in zip(former, before, strict=True))


def _claims(corpus: Corpus, derived: DerivedState, analyst: Analyst, episodes: Episodes, seq: int) -> Sequence[Claim]:
    """Return the claims of a turn, read after the earlier turns of its episode; none if the analyst fails."""
    first = episodes.first_of(seq)
    run: Any = next((run for run in episodes.runs if run.turns[0] == first), None)
    passage_seqs = [number for number in run.turns if number <= seq] if run is not None else [seq]
    turns = tuple(derived.names.unified((row.seq, row.turn) for row in corpus.storage.turns(passage_seqs)))
    if not turns:
        return []
    passage = Passage(turns, len(turns) - 1, tuple(dict.fromkeys(turn.speaker for turn in turns)))
    claims = contained(lambda: analyst.claims([passage], analyst.events([passage]))[0][0])
    if isinstance(claims, Fault):
        return []
    last = turns[-1]
    by_person = last.role in (None, "user")
    return claims or ([Claim("profile", last.speaker, THREAD, "", last.content)] if by_person else [])
