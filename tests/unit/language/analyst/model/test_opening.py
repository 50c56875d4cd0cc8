"""Clients of the providers."""

import subprocess
import sys

import pytest

from hmem.language.analyst.model.analyst import load

CLOUD = "qwen3-coder:480b-cloud"

IMPORTED = """
import sys
from hmem.language.analyst.model import loop
from hmem.language.analyst.model.analyst import load
modes = [load(provider, "test").model.caller.mode for provider in {providers!r}]
print(*modes, *sorted(sys.modules))
"""


@pytest.mark.parametrize(
    ("providers", "needed", "spared"),
    [(("openai", "ollama"), "openai", "anthropic"), (("anthropic",), "anthropic", "openai")],
)
def test_a_provider_s_package_is_imported_for_its_own_models_alone(
    providers: tuple[str, ...], needed: str, spared: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", IMPORTED.format(providers=providers)],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": "", "PYTHONPATH": ":".join(sys.path), "HMEM_API_KEY": "k"},
    )
    told = done.stdout.split()
    modes, modules = told[: len(providers)], told[len(providers) :]
    assert set(modes) <= {"native", "tool"}
    assert needed in modules
    assert spared not in modules
    assert done.stderr == ""


def test_ollama_s_cloud_which_enforces_no_schema_is_asked_for_a_tool_s_arguments() -> None:
    model = load("ollama", CLOUD).model
    assert model.caller.mode == "tool"
    model.close()
