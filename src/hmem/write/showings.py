"""What recalls showed lately, in this process and in others that have the memory open: what an echo may repeat."""

from collections.abc import Iterable, Sequence

from hmem.corpus import Corpus
from hmem.errors import StorageError
from hmem.model.evidence import Evidence
from hmem.model.turn import Turn
from hmem.write.echo import Shelf, Shown, may_echo

# So many texts are remembered.
MOST = 256


class Showings:
    """The showings of one memory. Thread-safe, as the corpus is.

    In this process everything that was shown is known; of others, the turns whose use they recorded.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._shelf = Shelf(MOST)
        self._step = -1

    def show(self, evidence: Iterable[Evidence]) -> None:
        """A recall shows these. Call it inside ``corpus.reading()``."""
        self._shelf.put(
            Shown(item.sources[-1], item.text, item.speaker, item.session, item.when)
            for item in evidence
            if item.sources and item.text
        )

    def drop(self, ids: Iterable[str]) -> None:
        """These turns are kept no more."""
        with self._corpus.reading():
            self._shelf.drop(ids)

    def heard(self, turns: Sequence[Turn]) -> list[Turn]:
        """New turns, with those parts of their texts marked that repeat what was shown."""
        if not any(may_echo(turn) for turn in turns):
            return list(turns)
        with self._corpus.reading():
            self._catch_up()
            made = [self._shelf.heard(turn) for turn in turns]
            sources = {source for turn in made for _, _, source in turn.echoes if source}
            if gone := sources - self._corpus.storage.locate([*sources]).keys():
                self._shelf.drop(gone)
                made = [self._shelf.heard(turn) for turn in turns]
        return made

    def _catch_up(self) -> None:
        """Take in what other processes showed; a turn is kept whether or not that can be read."""
        storage = self._corpus.storage
        try:
            uses = storage.uses(since=self._step) if self._step >= 0 else storage.uses(latest=MOST)
            self._step = max([0, self._step, *(use.step for use in uses)])
            known = self._shelf.ids()
            kept = storage.turns([use.seq for use in sorted(uses, key=lambda use: use.step)[-MOST:]])
        except StorageError:
            return
        fresh = [turn for _, turn in kept if turn.id not in known]
        self._shelf.put(Shown(turn.id, turn.text, turn.speaker, turn.session, turn.at) for turn in fresh if turn.text)
