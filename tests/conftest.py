"""Fixtures and settings that the tests share."""

import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from hmem import Memory
from hmem.corpus import corpus
from hmem.storage.catalog import open_catalog
from tests.formation import example
from tests.postgres import Postgres, started

# The suite is a gate: it asks the same few examples of the same code each time, however slow the machine is.
# `make fuzz` asks many new ones.
settings.register_profile("fuzz", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("gate", settings.get_profile("fuzz"), max_examples=15, derandomize=True, database=None)
settings.load_profile("gate")

# A small memory writes no index files; those of the tests are small and have to write them.
LARGE = corpus.ALONE_TURNS
corpus.ALONE_TURNS = 0


def pytest_xdist_auto_num_workers() -> int:
    """Run one test more at once than there are cores: many of them wait for processes of their own."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_finish() -> None:
    """Freeze the objects loaded so far, so that garbage collection skips them."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _as_outside_of_tests(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.get_closest_marker("index_files_when_large") is not None:
        monkeypatch.setattr(corpus, "ALONE_TURNS", LARGE)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Path of a test's memory."""
    return tmp_path / "test.hmem"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    """An empty memory in a file."""
    with Memory(path) as opened:
        yield opened


@pytest.fixture(scope="session")
def _ten_months(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ten_months") / "test.hmem"
    with Memory(path) as memory:
        memory.add(example())
    return path


@pytest.fixture
def ten_months(_ten_months: Path, path: Path) -> Iterator[Memory]:
    """A test's own memory of the example, copied: forming it takes a second, copying it does not."""
    shutil.copy(_ten_months, path)
    shutil.copytree(f"{_ten_months}-index", f"{path}-index")
    with Memory(path) as opened:
        yield opened


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    """A Postgres with hmem's tables, one for all processes of the run."""
    base = tmp_path_factory.getbasetemp()
    run = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    # Not below the run's own folder, which only its user may enter: Postgres never runs as root.
    running = started(Path(tempfile.gettempdir()) / f"hmem-postgres-{sha256(bytes(run)).hexdigest()[:12]}")
    # The process keeps its connections from one test to the next.
    with closing(open_catalog(running.url())):
        yield running
