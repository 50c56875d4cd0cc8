"""What a hook reads by itself: the words of files, and nothing that was taken back."""

from pathlib import Path

import pytest

from hmem import Memory
from hmem.interfaces.paths import project_memory, user_memory
from hmem_agents.hooks.cold import context_from_files
from hmem_agents.hooks.settings import HookSettings


@pytest.fixture
def project(settings: HookSettings, folder: Path) -> Path:
    """The memory of a project, with nine turns."""
    place = project_memory(settings.root, folder)
    place.parent.mkdir(parents=True)
    with Memory(place) as memory:
        memory.add({"role": "user", "content": "We use pnpm in this repository, never npm."}, session="s0")
        for i in range(8):
            memory.add(
                {"role": "user", "content": f"We deploy the service number {i} in the evening."}, session=f"d{i}"
            )
    return place


def prompted(settings: HookSettings, folder: Path, prompt: str, session: str = "S1") -> str:
    return context_from_files(settings, "user-prompt-submit", {"session_id": session, "prompt": prompt}, str(folder))


def test_a_prompt_is_told_what_shares_its_rare_words(settings: HookSettings, project: Path, folder: Path) -> None:
    text = prompted(settings, folder, "Which package manager, pnpm or npm, do we use?")
    assert "never npm" in text
    assert "deploy" not in text
    assert prompted(settings, folder, "Which package manager, pnpm or npm, do we use?") == ""
    assert prompted(settings, folder, "Paint a horse green, would you?", "S2") == ""


def test_the_start_of_a_session_is_told_what_was_said_last(settings: HookSettings, project: Path, folder: Path) -> None:
    with Memory(user_memory(settings.root)) as user:
        user.add({"role": "user", "content": "I like short answers."})
    text = context_from_files(settings, "session-start", {"session_id": "S1"}, str(folder))
    assert "number 7" in text
    assert text.index("number 7") < text.index("short answers")


def test_what_was_corrected_or_has_expired_is_not_told(settings: HookSettings, project: Path, folder: Path) -> None:
    with Memory(project) as memory:
        first = memory.list(limit=1)[0]
        memory.correct(first.id, "We use yarn in this repository.", by="user")
        memory.add({"role": "user", "content": "pnpm is on the old mirror.", "expires": "2026-01-02"}, at="2026-01-01")
    text = prompted(settings, folder, "Which package manager do we use in this repository, pnpm?")
    assert "yarn" in text
    assert "pnpm" not in text


@pytest.mark.parametrize("kind", ["no file", "no memory", "a database"])
def test_what_cannot_be_read_is_left_to_the_worker(
    settings: HookSettings, folder: Path, tmp_path: Path, kind: str
) -> None:
    place = project_memory(settings.root, folder)
    if kind == "no memory":
        place.parent.mkdir(parents=True)
        place.write_text("this is no memory" * 300)
    elif kind == "a database":
        settings = HookSettings(settings.root, database="postgres://nowhere")
    assert prompted(settings, folder, "Which package manager do we use?") == ""
