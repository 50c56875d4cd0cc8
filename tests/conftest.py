"""What several tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hmem import Memory, corpus

# A small memory writes no index files, and tests have small memories: theirs write them all the same.
LARGE = corpus.ALONE_TURNS
corpus.ALONE_TURNS = 0


@pytest.fixture(autouse=True)
def _as_outside_of_tests(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.get_closest_marker("index_files_when_large") is not None:
        monkeypatch.setattr(corpus, "ALONE_TURNS", LARGE)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a test's memory lies."""
    return tmp_path / "test.hmem"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    """An empty memory in a file."""
    with Memory(path) as opened:
        yield opened
