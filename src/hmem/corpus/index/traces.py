"""Search for residue of forgotten words in the indices and their files."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from hmem.corpus.index.lexical import SUFFIX, LexicalIndex, terms_in_file
from hmem.language.analyzer import stems
from hmem.util.files import files_under
from hmem.util.residue import ByteScanner, Residue, words_in

# Shorter words occur by chance among the numbers of the files; the lexical index is searched by stems instead.
_MIN_BYTES: Final = 6

# Words of the files themselves: names of columns, of fields, of the parts of a file.
OWN_TEXT: Final = """
    columns.npz block session speaker words said previous next alive window marks seq fact layout analysis memory
    fingerprint generation watermark newest name descr fortran_order shape codes scales common_scale trained .npy
    vectors lexical range terms starts rows counts faiss false true none wordllama
"""


def index_traces(
    folder: Path | None, lexical: LexicalIndex, words: Sequence[str], texts: Iterable[str]
) -> list[Residue]:
    """Return the places of words that no living text has any more.

    ``texts`` are the living texts, read only if something is found. The lexical index is asked for the words' stems,
    those of removed turns included; all files are searched for words of at least six bytes.
    """
    scanner = ByteScanner(words)
    by_stem = {stem: word for word in scanner.words for stem in stems(word)}
    indexed_stems = _indexed(folder, lexical, sorted(by_stem)) if by_stem else []
    hits = list(dict.fromkeys(_hits(folder, scanner)))
    if not indexed_stems and not hits:
        return []
    living = _Vocabulary(texts)
    traces = [Residue(by_stem[stem], "the lexical index") for stem in indexed_stems if stem not in living.stems]
    return [*traces, *(hit for hit in hits if not living.holds(hit.word))]


def _indexed(folder: Path | None, lexical: LexicalIndex, terms: Sequence[str]) -> list[str]:
    """Return the stems that the index has, or one of its files."""
    indexed = set(lexical.holds(terms))
    for file in folder.glob("*" + SUFFIX) if folder is not None else ():
        indexed.update(terms_in_file(file, terms))
    return [term for term in terms if term in indexed]


def _hits(folder: Path | None, scanner: ByteScanner) -> Iterator[Residue]:
    if folder is None:
        return
    for file in sorted(files_under(folder)):
        try:
            data = file.read_bytes()
        except FileNotFoundError:
            continue
        for _, word, _ in scanner.find(data, _MIN_BYTES):
            yield Residue(word, str(file.relative_to(folder.parent)))


class _Vocabulary:
    """Stems and words of living texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.stems: set[str] = set()
        words = words_in(OWN_TEXT)
        for text in texts:
            self.stems.update(stems(text))
            words |= words_in(text)
        self._all = "\n".join(sorted(words | self.stems))

    def holds(self, word: str) -> bool:
        """Return True if a word is one of them, or part of one."""
        return word in self._all
