"""Storages of the integration tests: what a memory does is tested in a file and, of a good choice, in Postgres too."""

from pathlib import Path

import pytest
from tests.transcripts import transcript

__all__ = ["transcript"]

# Modules whose memories may be anywhere. A test of files, processes of its own or damage is marked ``of_a_file``.
ON_POSTGRES = {
    "test_changes",
    "test_entity_edits",
    "test_formation",
    "test_formation_behind",
    "test_lost_steps",
    "test_model_work",
    "test_pins",
    "test_processes",
    "test_recount",
    "test_storage_calls",
    "test_texts",
    "test_threads",
    "test_users",
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let the tests of some modules run on each storage."""
    chosen = metafunc.module.__name__.rpartition(".")[2] in ON_POSTGRES
    if chosen and "path" in metafunc.fixturenames and not metafunc.definition.get_closest_marker("of_a_file"):
        metafunc.parametrize("path", ["file", "postgres"], indirect=True)


@pytest.fixture
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Place of a test's memory: a path, or a URL."""
    if getattr(request, "param", "file") == "postgres":
        return request.getfixturevalue("postgres").location()
    return tmp_path / "test.hmem"
