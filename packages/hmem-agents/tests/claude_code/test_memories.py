"""Where the memories of hooks are."""

from pathlib import Path

from tests.unit.interfaces.test_places import database

from hmem.interfaces.paths import user_memory
from hmem_agents.claude_code.memories import memories_of
from hmem_agents.claude_code.settings import HookSettings

__all__ = ["database"]


def test_hooks_find_them_by_their_environment(database: str, tmp_path: Path) -> None:
    settings = HookSettings.of_environment({"HMEM_DATABASE": database})
    assert "s3cr3t" not in repr(settings)
    project, own = memories_of(settings, str(tmp_path))
    assert project.url.startswith(f"{database}?memory=projects.")
    assert own.url == f"{database}?memory=user"
    assert memories_of(HookSettings(tmp_path), str(tmp_path))[1].path == user_memory(tmp_path)
