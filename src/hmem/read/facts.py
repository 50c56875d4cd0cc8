"""What ranking asks of a turn besides its scores: kept by sequence number, since a formed turn does not change."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.corpus import Corpus
from hmem.hierarchy.arrangement import Arrangement
from hmem.index.analyze import stems

# Turns; with two events each they take some 60 MB.
_REMEMBERED: Final = 20_000

# Of a longer turn only the beginning is read for numbers and names, and only the first events.
_CHARACTERS: Final = 4_000
_EVENTS: Final = 16

# Stems of turns, each turn's apart: as many as that number of short turns has, some 40 MB.
_STEMS: Final = 400_000

_NUMBER: Final = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|once|twice|couple|few|several)\b",
    re.IGNORECASE,
)
# A capitalised word inside of a sentence, or words in quotation marks.
_NAME: Final = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?!')|[\"\u201c][A-Z]")

Values = NDArray[np.float32]


class TurnFacts(NamedTuple):
    """Whether a turn holds a number, a name, a question, is memorable; how much it matters (0 to 1), and its events.

    ``times`` are the bounds of what its events tell of, in seconds since 1970, where known; ``said`` are the stems of
    each event, ``vectors`` their unit vectors, a row each.
    """

    number: bool
    name: bool
    question: bool
    memorable: bool
    importance: float
    times: tuple[tuple[int, int], ...]
    said: tuple[frozenset[str], ...]
    vectors: Values


class Facts:
    """The facts of turns, each read once."""

    def __init__(self) -> None:
        self._known: dict[int, TurnFacts] = {}
        # What is not formed yet will have more to tell once it is.
        self._unformed: set[int] = set()
        self._asking: dict[int, bool] = {}
        self._words: dict[int, frozenset[str]] = {}
        self._stems = 0

    def of(self, corpus: Corpus, arrangement: Arrangement, seqs: Sequence[int]) -> list[TurnFacts]:
        """The facts of turns by sequence number, in this order; of one that is gone, as of an empty one."""
        judged = arrangement.judgements.of
        for seq in [seq for seq in self._unformed.intersection(seqs) if judged(seq) is not None]:
            self._unformed.discard(seq)
            self._known.pop(seq, None)
        missing = [seq for seq in seqs if seq not in self._known]
        if missing:
            if len(self._known) + len(missing) > _REMEMBERED:
                self._known.clear()
                self._unformed.clear()
                self._asking.clear()
                missing = list(seqs)
            self._read(corpus, arrangement, missing)
        nothing = _nothing(corpus.embedder.dimension)
        self._unformed.update(seq for seq in missing if judged(seq) is None)
        return [self._known.get(seq, nothing) for seq in seqs]

    def _read(self, corpus: Corpus, arrangement: Arrangement, seqs: Sequence[int]) -> None:
        events = {seq: arrangement.events.of(seq)[:_EVENTS] for seq in seqs}
        vectors = arrangement.vectors_of_events([event.number for own in events.values() for event in own])
        texts = {stored.seq: stored.turn.content[:_CHARACTERS] for stored in corpus.storage.turns(list(events))}
        at = 0
        for seq, own in events.items():
            judgement = arrangement.judgements.of(seq)
            if seq in texts:
                self._asking[seq] = "?" in texts[seq]
                self._known[seq] = TurnFacts(
                    number=_NUMBER.search(texts[seq]) is not None,
                    name=_NAME.search(texts[seq]) is not None,
                    question="?" in texts[seq],
                    memorable=judgement is None or judgement.memorable,
                    importance=judgement.importance / 10 if judgement is not None else 0.0,
                    times=tuple((event.start, event.end) for event in own if event.start and event.end),
                    said=tuple(frozenset(stems(event.text)) for event in own),
                    vectors=vectors[at : at + len(own)],
                )
            at += len(own)

    def asking(self, corpus: Corpus, seqs: Sequence[int]) -> list[bool]:
        """Whether turns ask something, by sequence number; False for one that is gone."""
        missing = [seq for seq in seqs if seq not in self._asking]
        if missing:
            if len(self._asking) + len(missing) > _REMEMBERED:
                self._asking.clear()
                missing = list(seqs)
            found = corpus.storage.turns(missing)
            self._asking |= {stored.seq: "?" in stored.turn.content[:_CHARACTERS] for stored in found}
        return [self._asking.get(seq, False) for seq in seqs]

    def words(self, corpus: Corpus, seqs: Sequence[int]) -> list[frozenset[str]]:
        """The stems of turns, by sequence number; none for one that is gone."""
        missing = [seq for seq in seqs if seq not in self._words]
        if missing:
            if self._stems > _STEMS:
                self._words.clear()
                self._stems, missing = 0, list(seqs)
            found = {
                stored.seq: frozenset(stems(stored.turn.content[:_CHARACTERS]))
                for stored in corpus.storage.turns(missing)
            }
            self._stems += sum(map(len, found.values()))
            self._words |= found
        return [self._words.get(seq, frozenset()) for seq in seqs]


def _nothing(dimension: int) -> TurnFacts:
    empty = np.zeros((0, dimension), np.float32)
    return TurnFacts(
        number=False, name=False, question=False, memorable=False, importance=0.0, times=(), said=(), vectors=empty
    )
