"""What is kept on this machine of what was measured."""

from pathlib import Path

import pytest

from hmem.language.embed.measured import (
    ModelMeasurements,
    delete_measurements,
    load_measurements,
    store_measurements,
)

FACTS = ModelMeasurements(256, "0abc", ((0.1, 0.1), (0.6, 0.7)))


def test_what_was_measured_is_recalled_until_it_is_forgotten() -> None:
    assert load_measurements("one") is None
    store_measurements("one", FACTS)
    store_measurements("two", ModelMeasurements(8, "ffff", ()))
    assert (load_measurements("one"), load_measurements("two")) == (FACTS, ModelMeasurements(8, "ffff", ()))
    delete_measurements("one")
    delete_measurements("one")
    assert load_measurements("one") is None


def test_without_a_folder_of_its_own_it_lies_in_the_users_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HMEM_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    store_measurements("one", FACTS)
    assert len(list((tmp_path / "xdg" / "hmem" / "embedders").iterdir())) == 1
