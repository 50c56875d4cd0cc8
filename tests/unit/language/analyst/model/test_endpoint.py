"""What a string names."""

import pytest

from hmem.errors import InvalidQuery, UnknownName
from hmem.language.analyst.model.endpoint import CallSettings, Endpoint, call_settings, endpoint


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
