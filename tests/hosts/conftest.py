"""Tests with the real programs of hosts: `make hosts` runs them, and `make test` leaves them out."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder, and give it the time that a real program takes to start."""
    for item in items:
        if "/tests/hosts/" in item.path.as_posix():
            item.add_marker(pytest.mark.hosts)
            item.add_marker(pytest.mark.timeout(900))
