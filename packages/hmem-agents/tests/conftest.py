"""Every adapter over a memory of this process; what may differ at a server, over one there too."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import _as_outside_of_tests, path
from tests.serving import Site, serving

import hmem
from hmem import Memory

__all__ = ["_as_outside_of_tests", "path"]

_NUMBERS = count(1)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serving(tmp_path_factory.mktemp("adapters")) as found:
        yield found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let the tests of what all adapters share, and those that are marked, run on a memory at a server too."""
    if "opens" in metafunc.fixturenames:
        shared = metafunc.module.__name__.rpartition(".")[2] in ("test_agent_memory", "test_turns")
        there = shared or metafunc.definition.get_closest_marker("elsewhere") is not None
        metafunc.parametrize("opens", ["here", "elsewhere"] if there else ["here"], indirect=True)


@pytest.fixture
def opens(request: pytest.FixtureRequest, path: Path) -> Callable[[], Any]:
    """Opens one memory, each time anew: in this process or at a server."""
    if request.param == "here":
        return lambda: Memory(path)
    site: Site = request.getfixturevalue("site")
    address = f"{site.address}/adapter-{next(_NUMBERS)}"
    return lambda: hmem.connect(address, create=True)


@pytest.fixture
def memory(opens: Callable[[], Any]) -> Iterator[Any]:
    """An empty memory."""
    with opens() as opened:
        yield opened
