"""What several tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hmem import Memory


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a test's memory lies."""
    return tmp_path / "test.hmem"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    """An empty memory in a file."""
    with Memory(path) as opened:
        yield opened
