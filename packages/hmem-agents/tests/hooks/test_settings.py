"""What the environment says to the hooks."""

import re
from pathlib import Path

import pytest

from hmem_agents.hooks.fast_path import PROMPT_SECONDS
from hmem_agents.hooks.settings import CHARACTERS, HookSettings, Quietly, note


def test_numbers_that_are_none_are_the_defaults(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HMEM_ROOT", str(tmp_path))
    made = HookSettings.of_environment({"HMEM_HOOK_PROMPT_SECONDS": "soon", "HMEM_HOOK_CHARACTERS": "90000"})
    assert (made.root, made.prompt_seconds, made.characters, made.disabled) == (
        tmp_path,
        PROMPT_SECONDS,
        CHARACTERS,
        False,
    )
    made = HookSettings.of_environment({"HMEM_HOOK_PROMPT_SECONDS": "0.5", "HMEM_HOOKS": "off"})
    assert (made.prompt_seconds, made.disabled) == (0.5, True)


def test_the_log_has_a_line_for_each_error_and_does_not_grow_for_ever(settings: HookSettings) -> None:
    with Quietly(settings, "stop"):
        raise ValueError("a\nb")
    assert re.search(r" stop: ValueError: a b \(test_settings.py:\d+\)\n$", settings.log.read_text())
    assert settings.log.read_text().count("\n") == 1
    settings.log.write_text("x" * 1_100_000)
    note(settings, "new")
    assert settings.log.stat().st_size < 1_000


def test_an_interruption_is_not_kept_quiet(settings: HookSettings) -> None:
    with pytest.raises(KeyboardInterrupt), Quietly(settings, "stop"):
        raise KeyboardInterrupt


def test_a_log_that_cannot_be_written_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with Quietly(HookSettings(root=tmp_path / "file"), "stop"):
        raise ValueError("lost")
