"""What several tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from hmem import Memory, corpus

# The suite is a gate: it asks the same examples of the same code each time. `make fuzz` asks new ones.
settings.register_profile("fuzz", settings.get_profile("default"))
settings.register_profile("gate", derandomize=True, database=None)
settings.load_profile("gate")

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
