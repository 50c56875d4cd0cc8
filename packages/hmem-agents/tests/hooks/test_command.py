"""``hmem hook``; what it does is tested beside this, and in ``tests/integration/test_hooks.py``."""

import json
from pathlib import Path

import pytest
from tests.unit.interfaces.cli.conftest import Run


@pytest.fixture(autouse=True)
def _off(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HMEM_ROOT", str(tmp_path / "root"))
    monkeypatch.setenv("HMEM_HOOKS", "off")


def test_nothing_to_tell_is_no_output_and_code_0(run: Run) -> None:
    result = run("hook", "stop", typed=json.dumps({"session_id": "S1"}))
    assert (result.code, result.out, result.err) == (0, "", "")


def test_as_json_nothing_to_tell_is_an_empty_object(run: Run) -> None:
    assert run("hook", "user-prompt-submit", "--json", typed="not JSON").json == {}


def test_another_event_is_a_usage_error(run: Run) -> None:
    assert run("hook", "notification").code == 2
