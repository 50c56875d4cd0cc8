"""Erasure: taking turns away so that nothing of them is left. A storage may do without it, and then forgets nothing."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from hmem.model.report import Deletion
from hmem.storage.log import LogEntry
from hmem.util.residue import Residue


class ErasureStore(ABC):
    """Deletion of turns, and proof of what is left of them."""

    @abstractmethod
    def forget(
        self,
        seqs: Sequence[int],
        entries: Sequence[LogEntry] = (),
        redacted: Sequence[LogEntry] = (),
        settings: Mapping[str, str | None] | None = None,
    ) -> Deletion:
        """Take turns away, with all that hangs on them, in one transaction.

        Their vectors and uses go with them, and so do the ids of sessions and the names of speakers that no turn has
        any more. In the same transaction ``entries`` are added to the log, the texts, names and links of ``redacted``
        take the place of those that the log has under their numbers, and ``settings`` are set. What was taken away may
        still lie where the storage keeps it until ``purge``.
        """

    @abstractmethod
    def purge(self) -> bool:
        """Let nothing of what was ever taken away be left where the storage keeps it; it can be repeated.

        False when another process kept some of it from being done now.
        """

    @abstractmethod
    def residue(self, words: Sequence[str]) -> list[Residue]:
        """Return where words stand, whatever their case, in what the storage can see of itself.

        In what is kept they are looked for as whole words; in what is left of something else, such as free room of a
        file, where they are too long to stand by chance. What formation stored is searched in that second way only.
        """

    @abstractmethod
    def vocabulary(self) -> str:
        """Return the words of the storage's own: settings, and the names that it gives things."""
