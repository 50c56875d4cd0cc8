"""A stand-in, and one who asks it."""

from collections.abc import Iterator

import pytest
from tests.fake_llm_client import Asker

from hmem_testing.fake_llm import StandIn


@pytest.fixture
def server() -> Iterator[StandIn]:
    """A stand-in without a script."""
    with StandIn() as started:
        yield started


@pytest.fixture
def asker(server: StandIn) -> Iterator[Asker]:
    """A connection to it."""
    with Asker(server) as opened:
        yield opened
