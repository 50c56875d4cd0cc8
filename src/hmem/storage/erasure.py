"""Erasure: deletion of turns so that nothing of them is left. Optional; a storage without it forgets nothing."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from hmem.model.report import Deletion
from hmem.storage.log import LogEntry
from hmem.util.residue import Residue


class ErasureStore(ABC):
    """Deletion of turns, and search for what is left of them."""

    @abstractmethod
    def forget(
        self,
        seqs: Sequence[int],
        entries: Sequence[LogEntry] = (),
        redacted: Sequence[LogEntry] = (),
        settings: Mapping[str, str | None] | None = None,
    ) -> Deletion:
        """Delete turns, and all that depends on them, in one transaction.

        Their vectors and uses are deleted with them, and so are ids of sessions and names of speakers that no turn has
        any more. In the same transaction ``entries`` are added to the log, the texts, names and links of ``redacted``
        replace those of the log's entries with their numbers, and ``settings`` are set. Deleted data may still be in
        the storage's files until ``purge``.
        """

    @abstractmethod
    def purge(self) -> bool:
        """Remove all that is left of deleted data from the storage's files; it can be repeated.

        Return False if another process kept some of it from being removed now.
        """

    @abstractmethod
    def residue(self, words: Sequence[str]) -> list[Residue]:
        """Return the places of words, whatever their case, in all that the storage can see of itself.

        Kept data is searched for whole words; the rest, such as free room of a file, only for words too long to occur
        by chance. Derived state is searched in that second way only.
        """

    @abstractmethod
    def vocabulary(self) -> str:
        """Return the storage's own words: its settings, and its names of tables and parts."""
