"""Fixtures and settings that the tests share."""

import gc
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from fasteners import InterProcessLock
from hypothesis import HealthCheck, settings

from hmem import Memory
from hmem.corpus import corpus
from hmem.retrieval import stages
from hmem.storage.catalog import open_catalog
from tests import postgres as server
from tests.formation import FormedExample, form_example
from tests.postgres import Postgres
from tests.processes import exit_code, started

# The suite is a gate: it asks the same few examples of the same code each time, however slow the machine is.
# `make fuzz` asks many new ones.
settings.register_profile("fuzz", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("gate", settings.get_profile("fuzz"), max_examples=15, derandomize=True, database=None)
settings.load_profile("gate")

# A small memory writes no index files; those of the tests are small and have to write them.
LARGE = corpus.ALONE_TURNS
corpus.ALONE_TURNS = 0

# Most tests are of what is found and how it ranks; those of the relevance cut have the mark `relevance_cut`.
stages.CUT = False


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
    if request.node.get_closest_marker("relevance_cut") is not None:
        monkeypatch.setattr(stages, "CUT", True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Path of a test's memory."""
    return tmp_path / "test.hmem"


@pytest.fixture
def memory(request: pytest.FixtureRequest, path: Path | str) -> Iterator[Memory]:
    """A memory that is empty, or of as many turns of the example as the test's mark ``example`` says."""
    if (marker := request.node.get_closest_marker("example")) is not None:
        request.getfixturevalue("formed_example")(path, *marker.args)
    with Memory(path) as opened:
        yield opened


@pytest.fixture(scope="session")
def formed_example(tmp_path_factory: pytest.TempPathFactory) -> FormedExample:
    """Puts a memory of turns of the example at a path, with all formed; a run of tests forms each number of turns once.

    Forming so many turns takes a second, copying them does not.
    """
    folder = _of_the_run(tmp_path_factory) / "formed_examples"
    folder.mkdir(exist_ok=True)

    def put(
        path: Path | str,
        count: int | None = None,
        *,
        consolidated: bool = False,
        opened: Callable[[str], Memory] = Memory,
    ) -> None:
        def form(place: str) -> None:
            assert exit_code(started(form_example, place, count, consolidated, opened)) == 0

        if isinstance(path, str):
            return form(path)
        kept = folder / f"{opened.__name__}-{count}-{consolidated}"
        with InterProcessLock(f"{kept}.lock"):
            if not kept.exists():
                begun = Path(tempfile.mkdtemp(dir=folder))
                form(str(begun / "test.hmem"))
                begun.rename(kept)
        shutil.copy(kept / "test.hmem", path)
        return None

    return put


@pytest.fixture
def ten_months(formed_example: FormedExample, path: Path) -> Iterator[Memory]:
    """A test's own memory of the whole example."""
    formed_example(path)
    with Memory(path) as opened:
        yield opened


def _of_the_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that all processes of the run share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    """A Postgres with hmem's tables, one for all processes of the run."""
    run = _of_the_run(tmp_path_factory)
    # Not below the run's own folder, which only its user may enter: Postgres never runs as root.
    running = server.started(Path(tempfile.gettempdir()) / f"hmem-postgres-{sha256(bytes(run)).hexdigest()[:12]}")
    # The process keeps its connections from one test to the next.
    with closing(open_catalog(running.url())):
        yield running
