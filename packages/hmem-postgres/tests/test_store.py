"""Postgres keeps every promise of the storage contract."""

from pathlib import Path

import pytest

pytest.register_assert_rewrite("hmem_testing.conformance")

from tests.postgres import Postgres  # noqa: E402

from hmem.storage import OpenOptions, Storage  # noqa: E402
from hmem.storage.location import Location  # noqa: E402
from hmem_postgres.opening import load  # noqa: E402
from hmem_testing.conformance import StorageConformance  # noqa: E402


class TestPostgres(StorageConformance):
    @pytest.fixture(autouse=True)
    def _server(self, postgres: Postgres) -> None:
        self.postgres = postgres

    def location(self, tmp_path: Path) -> str:
        return self.postgres.location(str(tmp_path))

    def open(self, location: str) -> Storage:
        return load(Location.parse(location), OpenOptions(busy_seconds=1))
