"""What the tests of hmem share, these share too."""

from collections.abc import Iterator

import pytest
from tests.citus import Citus, build_or_url, started
from tests.conftest import _as_outside_of_tests, formed_example, memory, path, postgres, ten_months
from tests.unit.interfaces.cli.conftest import filled, run

__all__ = [
    "_as_outside_of_tests",
    "citus",
    "filled",
    "formed_example",
    "memory",
    "path",
    "postgres",
    "run",
    "ten_months",
]


@pytest.fixture(scope="session")
def citus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Citus]:
    """Citus with hmem's tables, one for each process of the run."""
    place = build_or_url()
    if place is None:
        pytest.skip("there is no Citus: `make citus` builds it, or HMEM_CITUS names a database that has it")
    with started(place, tmp_path_factory.mktemp("citus")) as running:
        yield running
