"""What several tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hmem import Memory, corpus


@pytest.fixture(autouse=True)
def _index_files_from_the_first_turn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small memory writes no index files, and tests have small memories: they write them all the same."""
    if request.node.get_closest_marker("index_files_when_large") is None:
        monkeypatch.setattr(corpus, "ALONE_TURNS", 0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a test's memory lies."""
    return tmp_path / "test.hmem"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    """An empty memory in a file."""
    with Memory(path) as opened:
        yield opened
