"""Endpoints: what a string names, its settings, key and prices."""

import pickle
import sys
from pathlib import Path

import pytest

from hmem.errors import InvalidQuery, ModelUnavailable, UnknownName
from hmem.language.llm.caller import Caller
from hmem.language.llm.channel import Channel
from hmem.language.llm.endpoint import (
    NO_KEY,
    ApiKey,
    CallSettings,
    Endpoint,
    call_settings,
    endpoint,
    key_for,
)


@pytest.mark.parametrize(
    ("provider", "variant", "named"),
    [
        ("openai", "gpt-4o-mini", Endpoint("openai", "gpt-4o-mini")),
        ("openai", "gpt-4o-mini#tool", Endpoint("openai", "gpt-4o-mini", None, "tool")),
        (
            "openai",
            "Qwen/Qwen3-8B@http://127.0.0.1:8000/v1",
            Endpoint("openai", "Qwen/Qwen3-8B", "http://127.0.0.1:8000/v1"),
        ),
        ("openai", "@cf/a/b@https://host/v1#prompted", Endpoint("openai", "@cf/a/b", "https://host/v1", "prompted")),
        ("ollama", "qwen3:8b", Endpoint("ollama", "qwen3:8b", "http://127.0.0.1:11434/v1")),
        ("anthropic", "claude-haiku-4-5", Endpoint("anthropic", "claude-haiku-4-5")),
    ],
)
def test_a_string_names_a_model_and_where_it_is(provider: str, variant: str, named: Endpoint) -> None:
    assert endpoint(provider, variant) == named


def test_where_a_model_is_served_is_no_part_of_its_name() -> None:
    assert endpoint("openai", "test@http://127.0.0.1:8000/v1#tool").name == "openai:test"


def test_ollama_elsewhere_is_told_by_the_usual_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_BASE_URL", "http://other:1/v1")
    assert endpoint("ollama", "qwen3").base_url == "http://other:1/v1"


@pytest.mark.parametrize(
    "variant", ["", "  ", "test#loud", "test@http://me:secret@host/v1", "test@https://h/?key=secret"]
)
def test_what_names_no_model_is_refused_without_showing_a_key(variant: str) -> None:
    with pytest.raises(UnknownName) as caught:
        endpoint("openai", variant)
    assert " - " in str(caught.value)
    assert "secret" not in str(caught.value)


def test_the_manner_is_told_by_the_environment() -> None:
    said = {"HMEM_MODEL_TIMEOUT": "2.5", "HMEM_MODEL_CONCURRENCY": "9", "HMEM_MODEL_PRICE": "0.15,0.60"}
    assert call_settings({}) == CallSettings()
    assert call_settings(said | {"HMEM_MODEL_MAX_TOKENS": "100"}) == CallSettings(2.5, 9, 100, (0.15, 0.6))
    assert call_settings({"HMEM_MODEL_INPUT_TOKENS": "90000"}).input_tokens == 90_000


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HMEM_MODEL_TIMEOUT", "soon"),
        ("HMEM_MODEL_TIMEOUT", "0"),
        ("HMEM_MODEL_TIMEOUT", "nan"),
        ("HMEM_MODEL_CONCURRENCY", "0.5"),
        ("HMEM_MODEL_INPUT_TOKENS", "many"),
        ("HMEM_MODEL_PRICE", "1"),
        ("HMEM_MODEL_PRICE", "1,-2"),
        ("HMEM_MODEL_PRICE", "1,inf"),
    ],
)
def test_a_setting_that_is_no_number_is_an_error(name: str, value: str) -> None:
    with pytest.raises(InvalidQuery, match=f"{name} is .* - set it to"):
        call_settings({name: value})


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
    assert key.mask_in("your key sk-1 is wrong") == "your key … is wrong"
    with pytest.raises(TypeError):
        pickle.dumps(key)


MILLION = 1_000_000


def cost(endpoint: Endpoint, settings: CallSettings, sent: int, received: int) -> float | None:
    return Caller(Channel(endpoint, settings)).cost(sent, received)


def test_a_price_that_is_given_counts() -> None:
    assert cost(Endpoint("openai", "m", "http://x/v1"), CallSettings(price=(1.0, 2.0)), MILLION, MILLION) == 3.0


def test_a_published_price_is_known() -> None:
    known = cost(Endpoint("openai", "gpt-4o-mini"), CallSettings(), MILLION, 0)
    assert known == pytest.approx(0.15, rel=0.5)


@pytest.mark.parametrize("endpoint", [Endpoint("openai", "no-such-model"), Endpoint("openai", "m", "http://x/v1")])
def test_elsewhere_no_price_is_known(endpoint: Endpoint) -> None:
    assert cost(endpoint, CallSettings(), 1, 1) is None
