"""Each framework is needed by its own module only."""

import subprocess
import sys

import pytest

NEEDED = {
    "agent_framework": ("agent_framework", "hmem[agent-framework]"),
    "autogen": ("autogen_agentchat", "hmem[autogen]"),
    "crewai": ("crewai", "hmem[crewai]"),
    "google_adk": ("google", "hmem[google-adk]"),
    "haystack": ("haystack", "hmem[haystack]"),
    "langgraph": ("langgraph.store.base", "hmem[langgraph]"),
    "llama_index": ("llama_index", "hmem[llama-index]"),
    "openai_agents": ("agents", "hmem[openai-agents]"),
    "pydantic_ai": ("pydantic_ai", "hmem[pydantic-ai]"),
    "strands": ("strands", "hmem[strands]"),
}


@pytest.mark.parametrize("module", NEEDED)
def test_a_framework_that_is_not_installed_is_named_with_its_extra(module: str) -> None:
    package, extra = NEEDED[module]
    code = f"""
import sys
from hmem.errors import ExtraMissing
sys.modules[{package!r}] = None
try:
    import hmem.interfaces.adapters.{module}
except ExtraMissing as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert extra in said


def test_the_package_alone_loads_no_framework() -> None:
    code = "import sys, hmem.interfaces.adapters; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {package.partition(".")[0] for package, _ in NEEDED.values()} & set(loaded)
