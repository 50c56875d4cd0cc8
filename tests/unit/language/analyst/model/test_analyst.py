"""The analyst that has a model."""

import subprocess
import sys

import pytest
from tests.unit.language.analyst.model.conftest import passage

from hmem.errors import UnknownName
from hmem.language.analyst import analyst
from hmem.language.analyst.model.analyst import ModelAnalyst, load
from hmem.language.english import RulesAnalyst


def test_by_itself_it_does_as_the_rules_do_and_says_so() -> None:
    made, rules = load("openai", "gpt-4o-mini"), RulesAnalyst()
    assert made.events([passage()]) == rules.events([passage()])
    assert made.made_by == rules.made_by
    assert made.model.made_by == "openai:gpt-4o-mini/2"


@pytest.mark.parametrize("name", ["openai:gpt-4o-mini", "anthropic:claude-haiku-4-5", "ollama:qwen3:8b"])
def test_providers_are_found_by_name(name: str) -> None:
    found = analyst(name)
    assert isinstance(found, ModelAnalyst)
    assert found.model.caller.name == name


def test_a_provider_alone_names_no_model() -> None:
    with pytest.raises(UnknownName, match="names no model - write `openai:NAME`"):
        analyst("openai")


def test_without_the_extra_the_mend_is_told() -> None:
    # What fails to be imported is not kept, so that one process can lack one package after the other.
    packages = ["pydantic", "json_repair", "pydantic_ai", "openai"]
    code = f"""
import sys
from hmem.errors import ExtraMissing
from hmem.language.analyst.model import openai
for package in {packages}:
    sys.modules[package] = None
    try:
        openai("gpt-4o-mini")
    except ExtraMissing as error:
        print(error)
    del sys.modules[package]
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    told = done.stdout.splitlines()
    assert len(told) == len(packages), done.stderr
    for package, each in zip(packages, told, strict=True):
        assert f"need {package} - run `pip install 'hmem[model]'`" in each


def test_to_name_a_model_imports_no_client() -> None:
    code = """
import sys
from hmem.language.analyst import analyst
analyst("openai:gpt-4o-mini")
print(*sorted(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"pydantic_ai", "openai", "anthropic"} & set(done.stdout.split())
