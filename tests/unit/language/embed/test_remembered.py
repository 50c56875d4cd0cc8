"""What is kept on this machine of what was measured."""

from pathlib import Path

import pytest

from hmem.language.embed.remembered import Facts, forget, recall, remember

FACTS = Facts(256, "0abc", ((0.1, 0.1), (0.6, 0.7)))


def test_what_was_measured_is_recalled_until_it_is_forgotten() -> None:
    assert recall("one") is None
    remember("one", FACTS)
    remember("two", Facts(8, "ffff", ()))
    assert (recall("one"), recall("two")) == (FACTS, Facts(8, "ffff", ()))
    forget("one")
    forget("one")
    assert recall("one") is None


def test_without_a_folder_of_its_own_it_lies_in_the_users_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HMEM_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    remember("one", FACTS)
    assert len(list((tmp_path / "xdg" / "hmem" / "embedders").iterdir())) == 1
