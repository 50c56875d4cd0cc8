"""Whether words stand in the files of the indices."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from hmem.files import files_under
from hmem.index.analyze import stems
from hmem.index.scales import LexicalScales
from hmem.needles import Leftover, Needles, words_in

# Shorter words stand by chance among so many numbers; those of the lexical indices are found by their stems.
_LEAST: Final = 6

# What the files themselves say: names of columns, of fields, of the parts of a file.
OWN_TEXT: Final = """
    columns.npz block session speaker words said previous next alive window seq fact layout memory fingerprint
    generation
    watermark newest name descr fortran_order shape codes scales common_scale trained .npy vectors faiss false true none
    identity mark key of_block turn stems unsigned indexed stored fast fieldnorms tokenizer record freq basic options
    schema segments segment_id max_doc deletes opstamp payload index_settings docstore_compression docstore_blocksize
    docstore_compress_dedicated_thread num_deleted_docs index_format_version version major minor patch footer crc
    managed.json meta.json lock term store idx pos fieldnorm indexing wordllama
"""


def index_traces(
    folder: Path | None, lexical: LexicalScales, words: Sequence[str], texts: Iterable[str]
) -> list[Leftover]:
    """Where words stand that no living text has any more; ``texts`` are these, read when something is found.

    The lexical indices are asked for the words' stems, with those of documents that were taken out; all files are
    searched for words of at least six bytes.
    """
    needles = Needles(words)
    by_stem = {stem: word for word in needles.words for stem in stems(word)}
    held = lexical.holding(sorted(by_stem)) if by_stem else []
    hits = list(dict.fromkeys(_hits(folder, needles)))
    if not held and not hits:
        return []
    living = _Vocabulary(texts)
    found = [Leftover(by_stem[stem], "the lexical index") for stem in held if stem not in living.stems]
    return [*found, *(hit for hit in hits if not living.holds(hit.word))]


def _hits(folder: Path | None, needles: Needles) -> Iterator[Leftover]:
    if folder is None:
        return
    for file in sorted(files_under(folder)):
        try:
            data = file.read_bytes()
        except FileNotFoundError:
            continue
        for _, word, _ in needles.find(data, _LEAST):
            yield Leftover(word, str(file.relative_to(folder.parent)))


class _Vocabulary:
    """The stems and the words of living texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.stems: set[str] = set()
        words = words_in(OWN_TEXT)
        for text in texts:
            self.stems.update(stems(text))
            words |= words_in(text)
        self._all = "\n".join(sorted(words | self.stems))

    def holds(self, word: str) -> bool:
        """Whether one of them is this word, or has it inside."""
        return word in self._all
