"""Storages of the integration tests: in a file and, what a storage may do otherwise, in Postgres too."""

from pathlib import Path

import pytest
from tests.transcripts import transcript

__all__ = ["transcript"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the tests that are marked on each storage."""
    if metafunc.definition.get_closest_marker("any_storage") is not None:
        metafunc.parametrize("path", ["file", "postgres"], indirect=True)


@pytest.fixture
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Place of a test's memory: a path, or a URL."""
    if getattr(request, "param", "file") == "postgres":
        return request.getfixturevalue("postgres").location()
    return tmp_path / "test.hmem"
