"""SQLite keeps every promise of the storage contract, in a file and in the process's own memory."""

from pathlib import Path

import pytest

pytest.register_assert_rewrite("hmem_testing.conformance")

from hmem.storage import Storage, open_storage  # noqa: E402
from hmem_testing.conformance import StorageConformance  # noqa: E402


class TestSQLiteInAFile(StorageConformance):
    def open(self, location: str) -> Storage:
        return open_storage(location, create=True, busy_seconds=1)


class TestSQLiteInTheProcess(StorageConformance):
    durable = False

    def location(self, tmp_path: Path) -> str:
        return ":memory:"

    def open(self, location: str) -> Storage:
        return open_storage(location, create=True, busy_seconds=1)
