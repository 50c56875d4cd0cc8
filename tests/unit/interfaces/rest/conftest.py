"""A server that the tests of a file share."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from tests.serving import Site, serving

_NUMBERS = count(1)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server without keys."""
    with serving(tmp_path_factory.mktemp("root")) as found:
        yield found


@pytest.fixture
def name(site: Site) -> str:
    """A new memory of the server."""
    made = f"memory-{next(_NUMBERS)}"
    site.create(made)
    return made


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Where a server of a test's own has its memories."""
    return tmp_path / "root"
