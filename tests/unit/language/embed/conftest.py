"""What is measured of embedders is remembered in a test's own folder."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HMEM_CACHE", str(tmp_path / "cache"))
