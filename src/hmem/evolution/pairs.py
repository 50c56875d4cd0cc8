"""Which pairs of notes a model is to judge: those that formation compared as a note came of a turn that a model read.

They are derived from what is kept, the readings and the notes, by whoever works: a process that formed turns and ended,
or was killed, takes nothing with it.
"""

from dataclasses import dataclass
from typing import Final

from hmem.corpus.corpus import Corpus
from hmem.derived.note_states import Pair
from hmem.derived.notes import turn_of_note
from hmem.derived.state import DerivedState
from hmem.language.analyst import Stated, Verdict
from hmem.language.analyst.overlay import digest_of_verdict
from hmem.storage.model_queue import PAIRED, READINGS

# So many readings are looked at with the memory locked.
_AT_ONCE: Final = 256
_RULES: Final = "rules"


@dataclass(frozen=True, slots=True)
class DuePair:
    """Two notes, by number, and what they state: the older one first."""

    pair: Pair
    stated: tuple[Stated, Stated]

    @property
    def digest(self) -> bytes:
        """That of the verdict on them."""
        return digest_of_verdict(*self.stated)

    @property
    def turn(self) -> int:
        """The turn of the newer one, by its number."""
        return turn_of_note(self.pair[1])


def due_pairs(corpus: Corpus, derived: DerivedState) -> tuple[list[DuePair], int]:
    """The pairs that wait for a model's verdict, and the last reading that they take into account."""
    with corpus.reading():
        settings = corpus.storage.state().settings
    since, last = int(settings.get(PAIRED, "0")), int(settings.get(READINGS, "0"))
    found: dict[Pair, DuePair] = {}
    while since < last:
        with corpus.reading():
            derived.catch_up()
            some = corpus.model_queue.readings(since=since, limit=_AT_ONCE)
            read = {each.seq for each in some if each.content is not None}
            found |= {each.pair: each for each in _of_turns(derived, read)}
        since = some[-1].number if len(some) == _AT_ONCE else last
    return [found[pair] for pair in sorted(found)], last


def _of_turns(derived: DerivedState, turns: set[int]) -> list[DuePair]:
    note_states = derived.note_states
    if not note_states.options.reconcile:
        return []
    slots = dict.fromkeys((note.subject, note.slot) for seq in sorted(turns) for note in derived.notes.of(seq))
    met = (DuePair(*each) for slot in slots for each in note_states.candidate_pairs(*slot))
    return [each for each in met if each.turn in turns and not _by_model(derived.revisions.of(*each.pair))]


def _by_model(kept: Verdict | None) -> bool:
    return kept is not None and not kept.made_by.startswith(_RULES)
