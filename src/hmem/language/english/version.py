"""Version of the rules: a digest of their files and of the pipeline that parses for them."""

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

# Shared files of the language package that the rules depend on.
_LANGUAGE: Final = "hmem.language"
_SHARED: Final = ("blocks.py", "dates", "detect.py", "regex.py")
# The package of the pipeline, which is imported without spaCy. Its figures of training stand for its weights, which
# take long to read: no two trainings reach the same ones.
_PIPELINE: Final = "hmem_english"
_TRAINED: Final = ("lemmas.json.gz", "pipeline/config.cfg", "pipeline/meta.json")

_DIGITS: Final = 8


@cache
def version() -> str:
    """Return eight hexadecimal digits that differ when a file of the rules does. Read once in a process."""
    digest = hashlib.sha256()
    for name, content in sources():
        digest.update(f"{name}\n{len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:_DIGITS]


def sources() -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file that decides what the rules say, in the order of names."""
    yield from _below(files(__name__.rpartition(".")[0]), "english")
    shared = files(_LANGUAGE)
    for name in _SHARED:
        yield from _below(shared / name, name)
    pipeline = files(_PIPELINE)
    for name in _TRAINED:
        yield from _below(pipeline / name, f"{_PIPELINE}/{name}")


def _below(place: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    if place.is_file():
        # Normalise line ends, which differ in a checkout on Windows.
        yield name, place.read_bytes().replace(b"\r\n", b"\n")
        return
    for each in sorted(place.iterdir(), key=lambda each: each.name):
        if each.name != "__pycache__":
            yield from _below(each, f"{name}/{each.name}")
