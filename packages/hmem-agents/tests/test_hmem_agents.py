"""Each framework is needed by its own module only."""

import subprocess
import sys

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


def test_a_framework_that_is_not_installed_is_named_with_its_extra() -> None:
    code = f"""
import sys
from importlib import import_module
from hmem.errors import ExtraMissing
for module, (package, extra) in {NEEDED!r}.items():
    sys.modules[package] = None
    try:
        import_module("hmem_agents." + module)
    except ExtraMissing as error:
        assert extra in str(error), (module, error)
    else:
        raise AssertionError(module)
    del sys.modules[package]
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_package_alone_loads_no_framework() -> None:
    code = "import sys, hmem_agents; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {package.partition(".")[0] for package, _ in NEEDED.values()} & set(loaded)
