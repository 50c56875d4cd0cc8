"""Where memories lie when nobody names a file."""

import subprocess
import sys
from pathlib import Path

import pytest

from hmem.interfaces.paths import default_folder, default_root, project_folder, project_memory, user_memory


def test_a_folder_within_a_project_has_the_memory_of_the_whole_project(tmp_path: Path) -> None:
    inner = tmp_path / "Shop Front" / "src" / "deep"
    inner.mkdir(parents=True)
    (tmp_path / "Shop Front" / ".git").mkdir()
    assert project_folder(inner) == (tmp_path / "Shop Front").resolve()
    assert project_memory(tmp_path, inner) == project_memory(tmp_path, tmp_path / "Shop Front")
    assert project_memory(tmp_path, inner).name.startswith("shop-front-")


def test_projects_of_the_same_name_have_memories_of_their_own(tmp_path: Path) -> None:
    one, other = tmp_path / "a" / "app", tmp_path / "b" / "app"
    one.mkdir(parents=True)
    other.mkdir(parents=True)
    assert project_memory(tmp_path, one) != project_memory(tmp_path, other)


@pytest.mark.parametrize("name", ["..", "日本語", "a" * 200, "weird name; rm -rf", "-"])
def test_the_name_of_a_folder_cannot_lead_out_of_the_root(tmp_path: Path, name: str) -> None:
    place = project_memory(tmp_path, tmp_path / "x" / name)
    assert place.parent == tmp_path / "projects"
    assert len(place.name) < 64


def test_a_link_to_a_folder_has_the_memory_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert project_memory(tmp_path, tmp_path / "link") == project_memory(tmp_path, tmp_path / "real")


def test_the_environment_names_the_root_and_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HMEM_ROOT", str(tmp_path / "root"))
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path / "theirs"))
    assert default_root() == tmp_path / "root"
    assert default_folder() == tmp_path / "theirs"
    monkeypatch.setenv("HMEM_PROJECT", str(tmp_path / "ours"))
    assert default_folder() == tmp_path / "ours"
    assert user_memory(tmp_path) == tmp_path / "user.hmem"


def test_loading_it_loads_nothing_of_the_engine() -> None:
    code = "import sys, hmem.interfaces.paths, hmem.language.prompt_text; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "click", "hmem.api.memory", "hmem.interfaces.cli"} & set(loaded)
