"""Keys: where they come from, and that they show nowhere."""

import pickle
import sys
from pathlib import Path

import pytest

from hmem.errors import ModelUnavailable
from hmem.language.analyst.model.endpoint import endpoint
from hmem.language.analyst.model.keys import NO_KEY, ApiKey, key_for

OPENAI = endpoint("openai", "gpt-4o-mini")
ELSEWHERE = endpoint("openai", "test@http://127.0.0.1:8000/v1")


def printing(monkeypatch: pytest.MonkeyPatch, folder: Path, code: str) -> None:
    script = folder / "key.py"
    script.write_text(code, "utf-8")
    monkeypatch.setenv("HMEM_KEY_COMMAND", f"'{sys.executable}' '{script}'")


def test_the_provider_s_own_variable_is_for_the_provider_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-mine")
    assert key_for(OPENAI).reveal() == "sk-mine"
    assert key_for(ELSEWHERE).reveal() == NO_KEY


def test_so_is_ollama_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_API_KEY", "mine")
    assert key_for(endpoint("ollama", "qwen3")).reveal() == "mine"
    assert key_for(endpoint("ollama", "qwen3@http://other:1/v1")).reveal() == NO_KEY


def test_a_server_of_one_s_own_may_have_a_key_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HMEM_API_KEY", "own")
    assert key_for(ELSEWHERE).reveal() == "own"


def test_a_command_prints_the_key_for_a_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-mine")
    printing(monkeypatch, tmp_path, "import os; print('key of', os.environ['HMEM_MODEL'])")
    assert key_for(OPENAI).reveal() == "key of openai:gpt-4o-mini"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("print('sk-half'); raise SystemExit(3)", "failed with exit code 3"),
        ("", "printed no key"),
    ],
)
def test_a_command_that_fails_says_so_and_not_what_it_printed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: str, told: str
) -> None:
    printing(monkeypatch, tmp_path, code)
    with pytest.raises(ModelUnavailable, match=told) as caught:
        key_for(OPENAI)
    assert "sk-half" not in str(caught.value)
    assert caught.value.lasting


def test_a_command_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HMEM_KEY_COMMAND", "/nowhere/print-key --secret=sk-1")
    with pytest.raises(ModelUnavailable, match="did not run") as caught:
        key_for(OPENAI)
    assert "sk-1" not in str(caught.value)


def test_without_a_key_the_mend_is_told() -> None:
    with pytest.raises(ModelUnavailable, match="set OPENAI_API_KEY") as caught:
        key_for(OPENAI)
    assert caught.value.lasting


def test_a_key_does_not_show_itself() -> None:
    key = ApiKey("sk-1")
    assert "sk-1" not in repr(key) + str(key) + f"{key}"
    assert key.hidden_in("your key sk-1 is wrong") == "your key … is wrong"
    with pytest.raises(TypeError):
        pickle.dumps(key)
